"""The meaning of the numbers in some fields of Kafka's messages (values.json)."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

from wirebook.specs.kafka.registry import FOLDER
from wirebook.specs.kafka.releases import known_releases
from wirebook.specs.reading.tables.values import read_values
from wirebook.specs.texts.model import FieldValue, FieldValues


@cache
def all_values() -> Mapping[str, Mapping[str, FieldValues]]:
    """The values of fields, by the name of the message and the path of the field."""
    values_by_message: dict[str, dict[str, FieldValues]] = {}
    text = (FOLDER / "values.json").read_bytes()
    releases = known_releases()
    for row in read_values(text, "specs/kafka/values.json", releases=releases):
        values = tuple(
            FieldValue(
                item.value,
                item.name,
                item.meaning,
                item.versions,
                releases=releases.words(item.releases) if item.releases is not None else "",
            )
            for item in row.values
        )
        for field in row.fields:
            values_by_message.setdefault(field.message, {})[field.path] = FieldValues(values, row.others)
    return values_by_message
