"""Every change of a message between two sides: of the message, its history, its structs and its
fields."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from wirebook.rules.diff.kinds import ProtocolChange
from wirebook.rules.match import longest_run
from wirebook.rules.pairs import FieldPair, LoneField, MessagePair, StructPair, walk
from wirebook.rules.severity import Place
from wirebook.specs.defaults import default_value
from wirebook.specs.model import Field, HistoryEntry, Json, Message, SourceNode, Value
from wirebook.specs.problems import Position
from wirebook.specs.reading.reader import plain
from wirebook.specs.texts.model import number_words
from wirebook.specs.versions import Versions, VersionSet

Nodes = tuple[SourceNode | None, SourceNode | None]
# What a message and a field have besides their versions: the kind of change, the key and the
# attribute.
_OF_MESSAGE = (
    ("message-renamed", "name", "name"),
    ("message-type-changed", "type", "type"),
    ("api-key-changed", "apiKey", "api_key"),
)
_OF_STRUCT = (
    ("struct-versions-changed", "versions", "versions"),
    ("struct-deprecation-changed", "deprecatedVersions", "deprecated_versions"),
)
_RANGES_OF_FIELD = (
    ("field-versions-changed", "versions", "present"),
    ("nullability-changed", "nullableVersions", "nullable_versions"),
    ("tagged-versions-changed", "taggedVersions", "tagged_versions"),
)
_OF_FIELD = (
    ("ignorable-changed", "ignorable", "ignorable"),
    ("entity-type-changed", "entityType", "entity_type"),
    ("map-key-changed", "mapKey", "map_key"),
    ("zero-copy-changed", "zeroCopy", "zero_copy"),
    ("values-changed", "values", "values"),
    ("about-changed", "about", "about"),
)


def message_changes(old: Message | None, new: Message | None) -> Iterator[ProtocolChange]:
    """The differences between two sides of a message; None if a side does not have it."""
    if old is None and new is not None:
        place = place_of(new, new.written.at("name"))
        yield ProtocolChange("message-added", new, new=str(new.valid_versions), location=place)
    elif new is None and old is not None:
        place = place_of(old, old.written.at("name"))
        yield ProtocolChange("message-removed", old, old=str(old.valid_versions), previous=place)
    elif old is not None and new is not None and old is not new:
        sides = _Sides(old, new)
        yield from _of_message(sides)
        yield from _of_fields(sides)


def place_of(message: Message, at: Position) -> Place:
    """A position in the file of a message."""
    return Place.of(message.path, message.written.lines, at)


@dataclass(frozen=True)
class _Sides:
    """A message on both sides."""

    old: Message
    new: Message

    def change(
        self,
        kind: str,
        key: str | None = None,
        *,
        field: str = "",
        versions: Iterable[int] = (),
        nodes: Nodes | None = None,
        subject: str = "",
        values: tuple[Json, Json] = (None, None),
    ) -> ProtocolChange:
        """A change at `key` of the two given nodes, by default of the messages themselves."""
        nodes = nodes or (self.old.written, self.new.written)
        places = [
            place_of(message, node.position if key is None else node.at(key))
            if node is not None
            else None
            for message, node in zip((self.old, self.new), nodes, strict=True)
        ]
        numbers = VersionSet.of(versions)
        return ProtocolChange(
            kind, self.new, field, numbers, *values, subject, places[1], places[0]
        )

    def of_text(self, path: str, nodes: tuple[SourceNode, SourceNode]) -> Iterator[ProtocolChange]:
        """The changes of the unknown keys and the comments of two nodes."""
        old, new = (node.unknown for node in nodes)
        for key in sorted(old.keys() | new.keys()):
            if key not in old or key not in new or old[key] != new[key]:
                kind = "added" if key not in old else "removed" if key not in new else "changed"
                values = [plain(side[key]) if key in side else None for side in (old, new)]
                yield self.change(
                    f"key-{kind}",
                    key,
                    field=path,
                    nodes=nodes,
                    subject=key,
                    values=(values[0], values[1]),
                )
        of_file = (self.old.header, self.new.header) if not path else ((), ())
        before, after = (
            "\n\n".join((*header, *node.comments))
            for header, node in zip(of_file, nodes, strict=True)
        )
        if before != after:
            texts = before or None, after or None
            yield self.change("comments-changed", field=path, nodes=nodes, values=texts)


def _of_message(sides: _Sides) -> Iterator[ProtocolChange]:
    old, new = sides.old, sides.new
    both = {*old.valid_versions} | {*new.valid_versions}
    for kind, key, attribute in _OF_MESSAGE:
        values = _absent(getattr(old, attribute)), _absent(getattr(new, attribute))
        if values[0] != values[1]:
            yield sides.change(kind, key, values=values)
    yield from _of_range(
        sides, "validVersions", old.valid_versions, new.valid_versions, "added", "removed"
    )
    if old.flexible_versions != new.flexible_versions:
        differ = {
            at for at in both if (at in old.flexible_versions) != (at in new.flexible_versions)
        }
        texts = str(old.flexible_versions), str(new.flexible_versions)
        yield sides.change(
            "flexible-versions-changed", "flexibleVersions", versions=differ, values=texts
        )
    if old.header_versions != new.header_versions:
        differ = {at for at in both if old.header_of(at) != new.header_of(at)}
        texts = _headers(old), _headers(new)
        yield sides.change(
            "header-versions-changed", "headerVersions", versions=differ, values=texts
        )
    ranges = old.deprecated_versions, new.deprecated_versions
    yield from _of_range(sides, "deprecatedVersions", *ranges, "deprecated", "undeprecated")
    yield from _of_mark(sides)
    for kind, more, less in (("added", new, old), ("removed", old, new)):
        for name in sorted({*more.listeners} - {*less.listeners}):
            yield sides.change(f"listener-{kind}", "listeners", subject=name)
    yield from _of_history(sides)
    yield from _of_common_structs(sides)
    yield from sides.of_text("", (old.written, new.written))


def _of_range(
    sides: _Sides, key: str, old: Versions, new: Versions, added: str, removed: str
) -> Iterator[ProtocolChange]:
    for word, more in ((added, new - old), (removed, old - new)):
        if not more:
            continue
        change = replace(sides.change(f"versions-{word}", key), versions=more)
        if word == "undeprecated":
            # A version that is no longer valid is not deprecated either, whatever the key contains.
            still = more & VersionSet.union(sides.new.valid_versions)
            change = replace(change, versions=still, old=str(old), new=str(new))
        yield change


def _of_mark(sides: _Sides) -> Iterator[ProtocolChange]:
    old, new, key = sides.old, sides.new, "latestVersionUnstable"
    marks = old.latest_version_unstable, new.latest_version_unstable
    tops = old.valid_versions.highest, new.valid_versions.highest
    if marks == (False, False) or (marks == (True, True) and tops[1] <= tops[0]):
        return
    top = tops[1] if marks == (False, True) else tops[0]
    if top < 0:
        # Without a version, the mark is about none.
        yield sides.change("key-changed", key, subject=key, values=marks)
        return
    kind = "version-made-unstable" if marks == (False, True) else "version-made-stable"
    yield sides.change(kind, key, versions=[top])


def _of_history(sides: _Sides) -> Iterator[ProtocolChange]:
    before = {entry.version: entry for entry in sides.old.history}
    after = {entry.version: entry for entry in sides.new.history}
    for version in sorted(before.keys() | after.keys()):
        one, other = before.get(version), after.get(version)
        if one == other:
            continue
        kind = (
            "history-added"
            if one is None
            else "history-removed"
            if other is None
            else "history-changed"
        )
        nodes = (one.written if one else None, other.written if other else None)
        values = (one and _entry(one), other and _entry(other))
        yield sides.change(kind, nodes=nodes, subject=str(version), values=values)


def _of_common_structs(sides: _Sides) -> Iterator[ProtocolChange]:
    before = {struct.name: struct for struct in sides.old.common_structs}
    after = {struct.name: struct for struct in sides.new.common_structs}
    for name in dict.fromkeys((*after, *before)):
        old, new = before.get(name), after.get(name)
        if old is None or new is None:
            nodes = (old.written if old else None, new.written if new else None)
            yield sides.change(
                "struct-added" if old is None else "struct-removed", nodes=nodes, subject=name
            )
            continue
        for kind, key, attribute in _OF_STRUCT:
            texts = str(getattr(old, attribute)), str(getattr(new, attribute))
            if texts[0] != texts[1]:
                yield sides.change(
                    kind, key, nodes=(old.written, new.written), subject=name, values=texts
                )
        yield from sides.of_text(name, (old.written, new.written))


def _headers(message: Message) -> str:
    ranges = message.header_versions
    if ranges is None:
        return "none"
    return ", ".join(f"{versions}: {header}" for versions, header in ranges) or "{}"


def _entry(entry: HistoryEntry) -> str:
    words = ("added", "deprecated", "undeprecated", "removed", "returned")
    parts = [f"{word} {getattr(entry, word)}" for word in words if getattr(entry, word)]
    parts += [f"field {name} {since}" for name, since in entry.fields.items()]
    return ", ".join(parts) + (f" ({entry.about})" if entry.about else "") or "nothing"


def _of_fields(sides: _Sides) -> Iterator[ProtocolChange]:
    """The differences between the fields of both sides, struct by struct from the top down."""
    moved: dict[int, tuple[int, int]] = {}
    for part in walk(MessagePair(sides.old, sides.new)):
        if isinstance(part, StructPair):
            moved = _moved(part)
        elif isinstance(part, LoneField):
            yield _of_lone_field(sides, part)
        elif isinstance(part, FieldPair):
            places = moved.get(part.new.written.order)
            if places is not None:
                nodes = (part.old.written, part.new.written)
                crossed = _crossed(part)
                yield sides.change(
                    "field-moved", field=part.path, versions=crossed, nodes=nodes, values=places
                )
            yield from _of_field(sides, part)


def _of_lone_field(sides: _Sides, lone: LoneField) -> ProtocolChange:
    field = lone.field
    kind = field.type if field.tag is None else f"{field.type}, tag {field.tag}"
    versions = _among(
        lone.struct.old_versions if lone.is_removed else lone.struct.new_versions, field.present
    )
    nodes, values = (field.written, None), (kind, None)
    if lone.is_removed:
        return sides.change(
            "field-removed", field=lone.path, versions=versions, nodes=nodes, values=values
        )
    return sides.change(
        "field-added", field=lone.path, versions=versions, nodes=nodes[::-1], values=values[::-1]
    )


def _among(numbers: Iterable[int], versions: Versions) -> frozenset[int]:
    return frozenset(number for number in numbers if number in versions)


def _both(struct: StructPair) -> list[tuple[Field, Field]]:
    return [(old, new) for old, new in struct.pairs if old is not None and new is not None]


def _moved(struct: StructPair) -> dict[int, tuple[int, int]]:
    """The fewest fields whose move explains the new order, with their positions on both sides, from
    1.

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


def _crossed(pair: FieldPair) -> set[int]:
    """The versions in which an untagged field swaps places with another untagged field."""
    crossed: set[int] = set()
    for before, after in _both(pair.struct):
        was, now = before.written.order, after.written.order
        if after is pair.new or (was < pair.old.written.order) == (now < pair.new.written.order):
            continue
        fields = (pair.old, pair.new, before, after)
        crossed |= {
            at
            for at in pair.both
            if all(at in each.present and at not in each.tagged_versions for each in fields)
        }
    return crossed


def _of_field(sides: _Sides, pair: FieldPair) -> Iterator[ProtocolChange]:
    old, new, struct = pair.old, pair.new, pair.struct
    before, after = (
        _among(struct.old_versions, old.present),
        _among(struct.new_versions, new.present),
    )
    # Without a version that has the field on both sides, the change is one of those that have it
    # now.
    both = (before & after) or after or before
    path, nodes = pair.path, (old.written, new.written)

    def change(
        kind: str, key: str, versions: Iterable[int], old_value: Json, new_value: Json
    ) -> ProtocolChange:
        values = old_value, new_value
        return sides.change(kind, key, field=path, versions=versions, nodes=nodes, values=values)

    if old.name != new.name:
        yield change("field-renamed", "name", (), old.name, new.name)
    if old.type != new.type:
        structs = old.is_struct_like(new)
        kind = "struct-renamed" if structs else "type-changed"
        yield change(kind, "type", () if structs else both, old.type, new.type)
    for kind, key, attribute in _RANGES_OF_FIELD:
        first, second = getattr(old, attribute), getattr(new, attribute)
        of = struct.old_versions | struct.new_versions if key == "versions" else before | after
        if first != second or (key == "versions" and old.versions != new.versions):
            differ = {at for at in of if (at in first) != (at in second)}
            yield change(kind, key, differ, str(first), str(second))
    if old.tag != new.tag:
        tagged = {
            at for at in before | after if at in old.tagged_versions or at in new.tagged_versions
        }
        yield change("tag-changed", "tag", tagged, _absent(old.tag), _absent(new.tag))
    if old.flexible_versions != new.flexible_versions:
        first, second = (
            message.flexible_versions
            if field.flexible_versions is None
            else field.flexible_versions
            for message, field in ((sides.old, old), (sides.new, new))
        )
        differ = {at for at in before | after if (at in first) != (at in second)}
        yield change(
            "field-flexible-versions-changed", "flexibleVersions", differ, str(first), str(second)
        )
    if (old.default, old.has_default) != (new.default, new.has_default):
        same = _default(old) == _default(new)
        written = [field.default if field.has_default else "none" for field in (old, new)]
        values = written if same else [_default(old), _default(new)]
        # Readers of a version without the field take it for its default.
        read = struct.versions - (before ^ after)
        yield change("default-changed", "default", () if same else read or both, *values)
    for kind, key, attribute in _OF_FIELD:
        marks = getattr(old, attribute), getattr(new, attribute)
        if marks[0] != marks[1]:
            named = "flags" if key == "values" and "flags" in new.written.keys else key
            words = [_listed(mark) if isinstance(mark, tuple) else _absent(mark) for mark in marks]
            yield change(kind, named, (), *words)
    yield from sides.of_text(path, nodes)


def _listed(values: Sequence[Value]) -> str:
    """Values or flags with their names: "0 safe, 1 fast (versions 2+)"."""
    texts = []
    for value in values:
        notes = [f"versions {value.versions}"] if "versions" in value.written.keys else []
        notes += [f"deprecated in {value.deprecated_versions}"] if value.deprecated_versions else []
        notes += [f"formerly {name}" for name in value.former_names]
        more = f" ({'; '.join(notes)})" if notes else ""
        texts.append(f"{number_words(value.number, value.bit)} {value.name}{more}")
    return ", ".join(texts) or "none"


def _default(field: Field) -> Json:
    """The value of an absent field, or the text of the default if that is not a value of its
    type."""
    try:
        return default_value(field)
    except ValueError:
        return field.default


def _absent(value: Json) -> Json:
    """The display form of a value whose key may be absent."""
    return "none" if value is None else value
