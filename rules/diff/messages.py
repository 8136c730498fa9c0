"""Every change of a message between two sides: of the message, its history, its structs and its fields."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace

from wirebook.rules.breaks import bounds
from wirebook.rules.diff.kinds import ProtocolChange
from wirebook.rules.match import longest_run
from wirebook.rules.pairs import FieldPair, LoneField, MessagePair, StructPair, walk
from wirebook.rules.severity import Place
from wirebook.specs.model import Field, HistoryEntry, Json, Message, SourceNode, Value
from wirebook.specs.problems import Position
from wirebook.specs.reading.reader import plain
from wirebook.specs.texts.model import number_words
from wirebook.specs.versions import Versions, VersionSet
from wirebook.specs.wire.defaults import default_value


def message_changes(old: Message | None, new: Message | None) -> Iterator[ProtocolChange]:
    """The differences between two sides of a message; None if a side does not have it."""
    if old is None and new is not None:
        place = place_of(new, new.written.at("name"))
        yield ProtocolChange("message-added", new, new=str(new.valid_versions), location=place)
    elif new is None and old is not None:
        place = place_of(old, old.written.at("name"))
        yield ProtocolChange("message-removed", old, old=str(old.valid_versions), previous=place)
    elif old is not None and new is not None and old is not new:
        sides = Sides(old, new)
        yield from _of_message(sides)
        yield from field_changes(sides)


def _of_message(sides: Sides) -> Iterator[ProtocolChange]:
    old, new = sides.old, sides.new
    for kind, key, attribute in (
        ("message-renamed", "name", "name"),
        ("message-type-changed", "type", "type"),
        ("api-key-changed", "apiKey", "api_key"),
    ):
        values = absent(getattr(old, attribute)), absent(getattr(new, attribute))
        if values[0] != values[1]:
            yield sides.change(kind, key, values=values)
    yield from _of_ranges(
        sides, "validVersions", old.valid_versions, new.valid_versions, "versions-added", "versions-removed"
    )
    if old.flexible_versions != new.flexible_versions:
        differ = sides.among(lambda era: (era in old.flexible_versions) != (era in new.flexible_versions))
        both = str(old.flexible_versions), str(new.flexible_versions)
        yield sides.change("flexible-versions-changed", "flexibleVersions", versions=differ, values=both)
    if old.header_versions != new.header_versions:
        differ = sides.among(lambda era: old.header_of(era) != new.header_of(era))
        written = _headers(old), _headers(new)
        yield sides.change("header-versions-changed", "headerVersions", versions=differ, values=written)
    yield from _of_ranges(
        sides,
        "deprecatedVersions",
        old.deprecated_versions,
        new.deprecated_versions,
        "versions-deprecated",
        "versions-undeprecated",
    )
    yield from _of_mark(sides)
    for name in sorted({*new.listeners} - {*old.listeners}):
        yield sides.change("listener-added", "listeners", subject=name)
    for name in sorted({*old.listeners} - {*new.listeners}):
        yield sides.change("listener-removed", "listeners", subject=name)
    yield from _of_history(sides)
    yield from _of_common_structs(sides)
    yield from sides.of_text("", old.written, new.written, (old.header, new.header))


def _of_ranges(
    sides: Sides, key: str, old: Versions, new: Versions, added: str, removed: str
) -> Iterator[ProtocolChange]:
    for kind, more, less in ((added, new, old), (removed, old, new)):
        if not more - less:
            continue
        change = replace(sides.change(kind, key), versions=more - less)
        if kind == "versions-undeprecated":
            # A version that is no longer valid is not deprecated either, whatever the key contains.
            still = change.versions & VersionSet.union(sides.new.valid_versions)
            change = replace(change, versions=still, old=str(old), new=str(new))
        yield change


def _of_mark(sides: Sides) -> Iterator[ProtocolChange]:
    old, new = sides.old, sides.new
    if old.latest_version_unstable and not new.latest_version_unstable:
        top = old.valid_versions.highest
        kind = "version-made-stable"
    elif new.latest_version_unstable and not old.latest_version_unstable:
        top = new.valid_versions.highest
        kind = "version-made-unstable"
    elif old.latest_version_unstable and new.valid_versions.highest > old.valid_versions.highest:
        top = old.valid_versions.highest
        kind = "version-made-stable"
    else:
        return
    key = "latestVersionUnstable"
    if top < 0:
        # Without a version, the mark is about none.
        values = (old.latest_version_unstable, new.latest_version_unstable)
        yield sides.change("key-changed", key, subject=key, values=values)
        return
    yield replace(sides.change(kind, key), versions=VersionSet.of([top]))


def _of_history(sides: Sides) -> Iterator[ProtocolChange]:
    before = {entry.version: entry for entry in sides.old.history}
    after = {entry.version: entry for entry in sides.new.history}
    for version in sorted(before.keys() | after.keys()):
        one, other = before.get(version), after.get(version)
        if one == other:
            continue
        kind = "history-added" if one is None else "history-removed" if other is None else "history-changed"
        nodes = (one.written if one else None, other.written if other else None)
        values = (one and _entry(one), other and _entry(other))
        yield sides.change(kind, nodes=nodes, subject=str(version), values=values)


def _of_common_structs(sides: Sides) -> Iterator[ProtocolChange]:
    before = {struct.name: struct for struct in sides.old.common_structs}
    after = {struct.name: struct for struct in sides.new.common_structs}
    for name in (*after, *(name for name in before if name not in after)):
        old, new = before.get(name), after.get(name)
        nodes = (old.written if old else None, new.written if new else None)
        if old is None or new is None:
            kind = "struct-added" if old is None else "struct-removed"
            yield sides.change(kind, nodes=nodes, subject=name)
            continue
        for kind, key, attribute in (
            ("struct-versions-changed", "versions", "versions"),
            ("struct-deprecation-changed", "deprecatedVersions", "deprecated_versions"),
        ):
            values = getattr(old, attribute), getattr(new, attribute)
            if values[0] != values[1]:
                texts = str(values[0]), str(values[1])
                yield sides.change(kind, key, nodes=nodes, subject=name, values=texts)
        yield from sides.of_text(name, old.written, new.written)


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
    either = old_eras | new_eras
    # Without a version that has the field on both sides, the change is one of those that have it now.
    both = (old_eras & new_eras) or new_eras or old_eras
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
        yield say("tag-changed", "tag", tagged, (absent(old.tag), absent(new.tag)))
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
        # Readers of a version without the field take it for its default.
        read = struct.versions - (old_eras ^ new_eras)
        yield say("default-changed", "default", () if same else read or both, values_of)
    for kind, key, attribute in (
        ("ignorable-changed", "ignorable", "ignorable"),
        ("entity-type-changed", "entityType", "entity_type"),
        ("map-key-changed", "mapKey", "map_key"),
        ("zero-copy-changed", "zeroCopy", "zero_copy"),
        ("values-changed", "flags" if "flags" in new.written.keys else "values", "values"),
        ("about-changed", "about", "about"),
    ):
        marks = getattr(old, attribute), getattr(new, attribute)
        if marks[0] != marks[1]:
            words = [_listed(mark) if isinstance(mark, tuple) else absent(mark) for mark in marks]
            yield say(kind, key, (), (words[0], words[1]))
    yield from sides.of_text(path, old.written, new.written)


def _kind(field: Field) -> str:
    return field.type if field.tag is None else f"{field.type}, tag {field.tag}"


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
    """The value of an absent field, or the text of the default if that is not a value of its type."""
    try:
        return default_value(field)
    except ValueError:
        return field.default


def absent(value: Json) -> Json:
    """The display form of a value whose key may be absent."""
    return "none" if value is None else value


class Sides:
    """A message on both sides, and the changes between its nodes.

    Versions are grouped into eras; at the borders something in one of the specs begins or ends. The lowest
    version of an era represents it.
    """

    def __init__(self, old: Message, new: Message) -> None:
        self.old = old
        self.new = new
        ends = bounds(old) | bounds(new)
        for ranges in (old.deprecated_versions, new.deprecated_versions):
            ends |= {ranges.lowest, ranges.highest + 1}
        for message in (old, new):
            if message.latest_version_unstable:
                ends.add(message.valid_versions.highest)
        valid = [message.valid_versions for message in (old, new) if message.valid_versions]
        lowest = min((versions.lowest for versions in valid), default=0)
        highest = max((versions.highest for versions in valid), default=-1)
        starts = sorted({lowest, *(end for end in ends if lowest <= end <= highest)})
        self.eras = {
            start: Versions(start, after - 1)
            for start, after in zip(starts, [*starts[1:], highest + 1], strict=True)
        }

    def among(self, holds: Callable[[int], bool], of: Iterable[int] | None = None) -> frozenset[int]:
        return frozenset(era for era in (self.eras if of is None else of) if holds(era))

    def versions_of(self, eras: Iterable[int]) -> VersionSet:
        """All versions of some eras."""
        return VersionSet.union(*(self.eras[era] for era in eras))

    def change(
        self,
        kind: str,
        key: str | None = None,
        field: str = "",
        versions: Iterable[int] = (),
        nodes: tuple[SourceNode | None, SourceNode | None] | None = None,
        subject: str = "",
        values: tuple[Json, Json] = (None, None),
    ) -> ProtocolChange:
        """A change at `key` of the two given nodes, by default of the messages themselves."""
        before, after = (self.old.written, self.new.written) if nodes is None else nodes

        def at(written: SourceNode) -> Position:
            return written.position if key is None else written.at(key)

        return ProtocolChange(
            kind,
            self.new,
            field,
            self.versions_of(versions),
            *values,
            subject,
            None if after is None else place_of(self.new, at(after)),
            None if before is None else place_of(self.old, at(before)),
        )

    def of_text(
        self,
        path: str,
        old: SourceNode,
        new: SourceNode,
        headers: tuple[tuple[str, ...], tuple[str, ...]] = ((), ()),
    ) -> Iterator[ProtocolChange]:
        """The changes of a node's unknown keys and comments."""
        values: tuple[Json, Json]
        for key in sorted(old.unknown.keys() | new.unknown.keys()):
            if key not in old.unknown:
                kind, values = "key-added", (None, plain(new.unknown[key]))
            elif key not in new.unknown:
                kind, values = "key-removed", (plain(old.unknown[key]), None)
            elif old.unknown[key] != new.unknown[key]:
                kind, values = "key-changed", (plain(old.unknown[key]), plain(new.unknown[key]))
            else:
                continue
            yield self.change(kind, key, path, nodes=(old, new), subject=key, values=values)
        before, after = (*headers[0], *old.comments), (*headers[1], *new.comments)
        if before != after:
            texts = "\n\n".join(before) or None, "\n\n".join(after) or None
            yield self.change("comments-changed", field=path, nodes=(old, new), values=texts)


def within(eras: Iterable[int], versions: Versions) -> frozenset[int]:
    """The eras whose versions are all in a range."""
    return frozenset(era for era in eras if era in versions)


def place_of(message: Message, at: Position) -> Place:
    """A position in the file of a message."""
    return Place.of(message.path, message.written.lines, at)
