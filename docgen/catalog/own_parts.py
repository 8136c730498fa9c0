"""What a protocol that derives from Kafka's has of its own: versions, fields and whole messages."""

from __future__ import annotations

from collections.abc import Mapping

from wirebook.docgen.catalog.records import OwnPart
from wirebook.specs.kafka.ancestry import Standing, kafka_releases
from wirebook.specs.kafka.registry import embedded_paths, read_embedded
from wirebook.specs.subjects import part_of, subject_of
from wirebook.specs.wire.layout import Layout, layouts
from wirebook.specs.wire.resemblance import LayoutItem, LayoutKey


def own_parts(tables: Mapping[int, Layout]) -> dict[int, OwnPart]:
    """The versions of a message, by their newest layouts, whose bytes no release of Kafka has.

    A field is the protocol's own if Kafka's message has none of its name and no version that is as in Kafka
    has it: such a version shows the names of the release that the protocol derives from.
    """
    standings = {version: _standing(table) for version, table in tables.items()}
    kafkas = {
        field.path
        for version, standing in standings.items()
        if standing is Standing.KAFKAS
        for field in tables[version].walk()
    }
    parts: dict[int, OwnPart] = {}
    for version, standing in standings.items():
        fields: tuple[str, ...] = ()
        if standing in (Standing.OTHER, Standing.OWN):
            names = _names_in_kafka(tables[version].message.name)
            paths = (field.path for field in tables[version].walk() if field.path not in kafkas)
            fields = tuple(path for path in paths if names and path.rpartition(".")[2] not in names)
        if standing is not Standing.KAFKAS:
            parts[version] = OwnPart(standing.value, fields)
    return parts


def _standing(table: Layout) -> Standing:
    message = table.message
    place = LayoutKey(subject_of(message), part_of(message), table.version)
    return kafka_releases().standing(LayoutItem(place, table.wire_fingerprint), message.api)


def _names_in_kafka(message: str) -> frozenset[str]:
    """The names of all fields that a message of Kafka's has had; none if Kafka has no message of the name."""
    for path in embedded_paths():
        if path.stem == message:
            return frozenset(field.name for table in layouts(read_embedded(path)) for field in table.walk())
    return frozenset()
