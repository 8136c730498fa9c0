"""Every change between the fields of a message on two sides, as the walk of the rules pairs them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from wirebook.rules.diff.kinds import ProtocolChange
from wirebook.rules.diff.sides import Sides, within
from wirebook.rules.match import longest_run
from wirebook.rules.pairs.kinds import FieldPair, LoneField, MessagePair, StructPair
from wirebook.rules.pairs.walk import walk
from wirebook.specs.model import Field, Json
from wirebook.specs.wire.defaults import default_value


def field_changes(sides: Sides) -> Iterator[ProtocolChange]:
    """The differences between the fields of both sides, struct by struct from the top down."""
    moved: dict[int, tuple[int, int]] = {}
    for pair in walk(MessagePair(sides.old, sides.new, only=frozenset(sides.eras))):
        if isinstance(pair, StructPair):
            moved = _moved(pair)
        elif isinstance(pair, LoneField):
            yield _of_lone_field(sides, pair)
        elif isinstance(pair, FieldPair):
            places = moved.get(pair.new.written.order)
            if places is not None:
                nodes = (pair.old.written, pair.new.written)
                yield sides.change("field-moved", None, pair.path, _crossed(pair), nodes, values=places)
            yield from _of_field(sides, pair)


def _of_lone_field(sides: Sides, lone: LoneField) -> ProtocolChange:
    field, kind = lone.field, _kind(lone.field)
    if lone.gone:
        eras = within(lone.struct.old_versions, field.present)
        nodes = (field.written, None)
        return sides.change("field-removed", None, lone.path, eras, nodes, values=(kind, None))
    eras = within(lone.struct.new_versions, field.present)
    return sides.change("field-added", None, lone.path, eras, (None, field.written), values=(None, kind))


def _both(struct: StructPair) -> list[tuple[Field, Field]]:
    return [(old, new) for old, new in struct.pairs if old is not None and new is not None]


def _moved(struct: StructPair) -> dict[int, tuple[int, int]]:
    """The fewest fields whose move explains the new order, with their positions on both sides, from 1.

    The keys are the order of their nodes on the new side, which is unique.
    """
    both = _both(struct)
    before = sorted(old.written.order for old, _ in both)
    places = {order: position for position, order in enumerate(before)}
    stayed = longest_run([old.written.order for old, _ in both])
    return {
        new.written.order: (places[old.written.order] + 1, position + 1)
        for position, (old, new) in enumerate(both)
        if position not in stayed
    }


def _crossed(pair: FieldPair) -> frozenset[int]:
    """The eras in which an untagged field swaps places with another untagged field."""
    eras: set[int] = set()
    struct, old, new = pair.struct, pair.old, pair.new
    common = within(struct.old_versions & struct.new_versions, old.present & new.present)
    for before, after in _both(struct):
        if after is new or (before.written.order < old.written.order) == (
            after.written.order < new.written.order
        ):
            continue
        beside = within(common, before.present & after.present)
        tagged = (old, new, before, after)
        eras |= {era for era in beside if not any(era in field.tagged_versions for field in tagged)}
    return frozenset(eras)


def _of_field(sides: Sides, pair: FieldPair) -> Iterator[ProtocolChange]:
    old, new, struct = pair.old, pair.new, pair.struct
    old_eras, new_eras = within(struct.old_versions, old.present), within(struct.new_versions, new.present)
    either, both = old_eras | new_eras, (old_eras & new_eras) or (old_eras | new_eras)
    path, nodes = pair.path, (old.written, new.written)

    def say(kind: str, key: str, versions: Iterable[int], values: tuple[Json, Json]) -> ProtocolChange:
        return sides.change(kind, key, path, versions, nodes, values=values)

    if old.name != new.name:
        yield say("field-renamed", "name", (), (old.name, new.name))
    if old.type != new.type:
        structs = old.is_struct_like(new)
        kind = "struct-renamed" if structs else "type-changed"
        yield say(kind, "type", () if structs else both, (old.type, new.type))
    if old.versions != new.versions:
        differ = {
            era
            for era in struct.old_versions | struct.new_versions
            if (era in old.present) != (era in new.present)
        }
        yield say("field-versions-changed", "versions", differ, (str(old.present), str(new.present)))
    for kind, key, attribute in (
        ("nullability-changed", "nullableVersions", "nullable_versions"),
        ("tagged-versions-changed", "taggedVersions", "tagged_versions"),
    ):
        first, second = getattr(old, attribute), getattr(new, attribute)
        if first != second:
            differ = {era for era in either if (era in first) != (era in second)}
            yield say(kind, key, differ, (str(first), str(second)))
    if old.tag != new.tag:
        tagged = {era for era in either if era in old.tagged_versions or era in new.tagged_versions}
        yield say("tag-changed", "tag", tagged, (old.tag, new.tag))
    if old.flexible_versions != new.flexible_versions:
        first = sides.old.flexible_versions if old.flexible_versions is None else old.flexible_versions
        second = sides.new.flexible_versions if new.flexible_versions is None else new.flexible_versions
        differ = {era for era in either if (era in first) != (era in second)}
        values = (str(first), str(second))
        yield say("field-flexible-versions-changed", "flexibleVersions", differ, values)
    if (old.default, old.has_default) != (new.default, new.has_default):
        same = _default(old) == _default(new)
        written = tuple(field.default if field.has_default else "none" for field in (old, new))
        values_of = (written[0], written[1]) if same else (_default(old), _default(new))
        yield say("default-changed", "default", () if same else both, values_of)
    for kind, key, attribute in (
        ("ignorable-changed", "ignorable", "ignorable"),
        ("entity-type-changed", "entityType", "entity_type"),
        ("map-key-changed", "mapKey", "map_key"),
        ("zero-copy-changed", "zeroCopy", "zero_copy"),
        ("about-changed", "about", "about"),
    ):
        marks = getattr(old, attribute), getattr(new, attribute)
        if marks[0] != marks[1]:
            yield say(kind, key, (), (absent(marks[0]), absent(marks[1])))
    yield from sides.of_text(path, old.written, new.written)


def _kind(field: Field) -> str:
    return field.type if field.tag is None else f"{field.type}, tag {field.tag}"


def _default(field: Field) -> Json:
    """The value of an absent field, or the text of the default if that is not a value of its type."""
    try:
        return default_value(field)
    except ValueError:
        return field.default


def absent(value: Json) -> Json:
    """The display form of a value whose key may be absent."""
    return "none" if value is None else value
