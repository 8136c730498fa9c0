"""Every change between two sides of one message: of itself, of its history, of its structs and fields."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace

from wirebook.rules.diff.kinds import ProtocolChange
from wirebook.rules.fields.field_moved import longest_run
from wirebook.rules.finding import Place
from wirebook.rules.pairs.pairs import bounds, match
from wirebook.specs.model import Field, HistoryEntry, Json, Message, Written
from wirebook.specs.problems import Position
from wirebook.specs.versions import Versions, ranges_text
from wirebook.specs.wire.defaults import default_value


def message_changes(old: Message | None, new: Message | None) -> Iterator[ProtocolChange]:
    """What differs between the two sides of one message, None being a side that has it not."""
    if old is None and new is not None:
        place = _place(new, new.written.at("name"))
        yield ProtocolChange("message-added", new, new=str(new.valid_versions), location=place)
    elif new is None and old is not None:
        place = _place(old, old.written.at("name"))
        yield ProtocolChange("message-removed", old, old=str(old.valid_versions), previous=place)
    elif old is not None and new is not None and old is not new:
        yield from _Pair(old, new).changes()


class _Pair:
    """One message on both sides.

    Versions come in eras, between two of which something in one of the specs begins or ends; an era stands
    for all its versions by its lowest.
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
        lowest = min((item.lowest for item in valid), default=0)
        highest = max((item.highest for item in valid), default=-1)
        starts = sorted({lowest, *(end for end in ends if lowest <= end <= highest)})
        self.eras = {
            start: Versions(start, after - 1)
            for start, after in zip(starts, [*starts[1:], highest + 1], strict=True)
        }

    def among(self, holds: Callable[[int], bool], of: Iterable[int] | None = None) -> frozenset[int]:
        return frozenset(era for era in (self.eras if of is None else of) if holds(era))

    def text(self, eras: Iterable[int]) -> str:
        """Eras as ranges; "" for none."""
        ranges: list[Versions] = []
        for era in sorted(eras):
            part = self.eras[era]
            if ranges and ranges[-1].highest == part.lowest - 1:
                part = Versions(ranges.pop().lowest, part.highest)
            ranges.append(part)
        return ranges_text(ranges) if ranges else ""

    def change(
        self,
        kind: str,
        key: str | None = None,
        field: str = "",
        versions: Iterable[int] = (),
        nodes: tuple[Written | None, Written | None] | None = None,
        subject: str = "",
        values: tuple[Json, Json] = (None, None),
    ) -> ProtocolChange:
        """A change at `key` of the two nodes that are given, by default of the messages themselves."""
        before, after = (self.old.written, self.new.written) if nodes is None else nodes

        def at(written: Written) -> Position:
            return written.position if key is None else written.at(key)

        return ProtocolChange(
            kind,
            self.new,
            field,
            self.text(versions),
            *values,
            subject,
            None if after is None else _place(self.new, at(after)),
            None if before is None else _place(self.old, at(before)),
        )

    def changes(self) -> Iterator[ProtocolChange]:
        yield from self.of_message()
        for struct in self.structs():
            yield from struct.changes()

    def of_message(self) -> Iterator[ProtocolChange]:
        old, new = self.old, self.new
        for kind, key, attribute in (
            ("message-renamed", "name", "name"),
            ("message-type-changed", "type", "type"),
            ("api-key-changed", "apiKey", "api_key"),
        ):
            values = _absent(getattr(old, attribute)), _absent(getattr(new, attribute))
            if values[0] != values[1]:
                yield self.change(kind, key, values=values)
        yield from self.of_ranges(
            "validVersions", old.valid_versions, new.valid_versions, "versions-added", "versions-removed"
        )
        if old.flexible_versions != new.flexible_versions:
            differ = self.among(lambda era: (era in old.flexible_versions) != (era in new.flexible_versions))
            both = str(old.flexible_versions), str(new.flexible_versions)
            yield self.change("flexible-versions-changed", "flexibleVersions", versions=differ, values=both)
        yield from self.of_ranges(
            "deprecatedVersions",
            old.deprecated_versions,
            new.deprecated_versions,
            "versions-deprecated",
            "versions-undeprecated",
        )
        yield from self.of_mark()
        for name in sorted({*new.listeners} - {*old.listeners}):
            yield self.change("listener-added", "listeners", subject=name)
        for name in sorted({*old.listeners} - {*new.listeners}):
            yield self.change("listener-removed", "listeners", subject=name)
        yield from self.of_history()
        yield from self.of_common_structs()
        yield from self.of_text("", old.written, new.written, (old.header, new.header))

    def of_ranges(
        self, key: str, old: Versions, new: Versions, added: str, removed: str
    ) -> Iterator[ProtocolChange]:
        for kind, more, less in ((added, new, old), (removed, old, new)):
            if more - less:
                made = self.change(kind, key)
                yield _with_versions(made, ranges_text(more - less))

    def of_mark(self) -> Iterator[ProtocolChange]:
        old, new = self.old, self.new
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
        yield _with_versions(self.change(kind, "latestVersionUnstable"), str(max(top, 0)))

    def of_history(self) -> Iterator[ProtocolChange]:
        before = {entry.version: entry for entry in self.old.history}
        after = {entry.version: entry for entry in self.new.history}
        for version in sorted(before.keys() | after.keys()):
            one, other = before.get(version), after.get(version)
            if one == other:
                continue
            kind = (
                "history-added" if one is None else "history-removed" if other is None else "history-changed"
            )
            nodes = (one.written if one else None, other.written if other else None)
            values = (one and _entry(one), other and _entry(other))
            yield self.change(kind, nodes=nodes, subject=str(version), values=values)

    def of_common_structs(self) -> Iterator[ProtocolChange]:
        before = {struct.name: struct for struct in self.old.common_structs}
        after = {struct.name: struct for struct in self.new.common_structs}
        for name in (*after, *(name for name in before if name not in after)):
            one, other = before.get(name), after.get(name)
            nodes = (one.written if one else None, other.written if other else None)
            if one is None or other is None:
                kind = "struct-added" if one is None else "struct-removed"
                yield self.change(kind, nodes=nodes, subject=name)
                continue
            for kind, key, attribute in (
                ("struct-versions-changed", "versions", "versions"),
                ("struct-deprecation-changed", "deprecatedVersions", "deprecated_versions"),
            ):
                values = getattr(one, attribute), getattr(other, attribute)
                if values[0] != values[1]:
                    shown = str(values[0]), str(values[1])
                    yield self.change(kind, key, nodes=nodes, subject=name, values=shown)
            yield from self.of_text(name, one.written, other.written)

    def of_text(
        self,
        path: str,
        old: Written,
        new: Written,
        headers: tuple[tuple[str, ...], tuple[str, ...]] = ((), ()),
    ) -> Iterator[ProtocolChange]:
        """What the format does not know of a node, and its comments."""
        values: tuple[Json, Json]
        for key in sorted(old.unknown.keys() | new.unknown.keys()):
            if key not in old.unknown:
                kind, values = "key-added", (None, _plain(new.unknown[key]))
            elif key not in new.unknown:
                kind, values = "key-removed", (_plain(old.unknown[key]), None)
            elif old.unknown[key] != new.unknown[key]:
                kind, values = "key-changed", (_plain(old.unknown[key]), _plain(new.unknown[key]))
            else:
                continue
            yield self.change(kind, key, path, nodes=(old, new), subject=key, values=values)
        before, after = (*headers[0], *old.comments), (*headers[1], *new.comments)
        if before != after:
            shown = "\n\n".join(before) or None, "\n\n".join(after) or None
            yield self.change("comments-changed", field=path, nodes=(old, new), values=shown)

    def structs(self) -> list[_StructPair]:
        """Every pair of structs once, those reached by two paths too, from the top down."""
        found: dict[tuple[int, int], _StructPair] = {}

        def visit(
            old: tuple[Field, ...],
            new: tuple[Field, ...],
            path: str,
            there: tuple[frozenset[int], frozenset[int]],
            within: tuple[int, ...],
        ) -> None:
            if id(new) in within:
                return
            known = found.get((id(old), id(new)))
            if known is None:
                known = found[id(old), id(new)] = _StructPair(self, path, match(old, new))
            elif there[0] <= known.was and there[1] <= known.now:
                return
            known.was |= there[0]
            known.now |= there[1]
            for one, other in known.pairs:
                if one is None or other is None:
                    continue
                inner = self.old.fields_of(one), self.new.fields_of(other)
                if inner[0] is None or inner[1] is None:
                    continue
                was, now = _within(there[0], one.present), _within(there[1], other.present)
                below = f"{path}.{other.name}" if path else other.name
                visit(inner[0], inner[1], below, (was, now), (*within, id(new)))

        valid = tuple(_within(self.eras, side.valid_versions) for side in (self.old, self.new))
        visit(self.old.fields, self.new.fields, "", (valid[0], valid[1]), ())
        return list(found.values())


@dataclass(eq=False)
class _StructPair:
    """The fields of one struct on both sides; `was` and `now` are the eras that have it."""

    messages: _Pair
    path: str
    pairs: tuple[tuple[Field | None, Field | None], ...]
    was: frozenset[int] = frozenset()
    now: frozenset[int] = frozenset()

    def changes(self) -> Iterator[ProtocolChange]:
        moved = self.moved()
        for one, other in self.pairs:
            if one is None and other is not None:
                there = _within(self.now, other.present)
                nodes = (None, other.written)
                kind = _kind(other)
                yield self.messages.change(
                    "field-added", None, self.name(other), there, nodes, values=(None, kind)
                )
            elif other is None and one is not None:
                there = _within(self.was, one.present)
                values = (_kind(one), None)
                nodes_of_old = (one.written, None)
                yield self.messages.change(
                    "field-removed", None, self.name(one), there, nodes_of_old, values=values
                )
            elif one is not None and other is not None:
                if id(other) in moved:
                    places = moved[id(other)]
                    there = self.crossed(one, other)
                    both = (one.written, other.written)
                    yield self.messages.change(
                        "field-moved", None, self.name(other), there, both, values=places
                    )
                yield from self.of_fields(one, other)

    def name(self, item: Field) -> str:
        return f"{self.path}.{item.name}" if self.path else item.name

    def moved(self) -> dict[int, tuple[int, int]]:
        """The fewest fields whose move explains the new order, by id, with their places, counted from 1."""
        kept = [(one, other) for one, other in self.pairs if one is not None and other is not None]
        places = {id(one): place for place, (one, _) in enumerate(self.in_old_order(kept))}
        stay = longest_run([places[id(one)] for one, _ in kept])
        return {
            id(other): (places[id(one)] + 1, place + 1)
            for place, (one, other) in enumerate(kept)
            if place not in stay
        }

    def in_old_order(self, kept: list[tuple[Field, Field]]) -> list[tuple[Field, Field]]:
        return sorted(kept, key=lambda pair: pair[0].written.order)

    def crossed(self, one: Field, other: Field) -> frozenset[int]:
        """The eras in which a field trades places, untagged, with another that is untagged there too."""
        found: set[int] = set()
        there = _within(self.was & self.now, one.present & other.present)
        for before, after in self.pairs:
            if before is None or after is None or after is other:
                continue
            earlier = before.written.order < one.written.order
            if earlier == (after.written.order < other.written.order):
                continue
            beside = _within(there, before.present & after.present)
            tagged = (one, other, before, after)
            found |= {era for era in beside if not any(era in item.tagged_versions for item in tagged)}
        return frozenset(found)

    def of_fields(self, old: Field, new: Field) -> Iterator[ProtocolChange]:
        was, now = _within(self.was, old.present), _within(self.now, new.present)
        either, both = was | now, (was & now) or (was | now)
        path, nodes, pair = self.name(new), (old.written, new.written), self.messages

        def say(kind: str, key: str, versions: Iterable[int], values: tuple[Json, Json]) -> ProtocolChange:
            return pair.change(kind, key, path, versions, nodes, values=values)

        if old.name != new.name:
            yield say("field-renamed", "name", (), (old.name, new.name))
        if old.type != new.type:
            structs = old.is_struct and new.is_struct and old.is_array == new.is_array
            kind = "struct-renamed" if structs else "type-changed"
            yield say(kind, "type", () if structs else both, (old.type, new.type))
        if old.versions != new.versions:
            differ = {era for era in self.was | self.now if (era in old.present) != (era in new.present)}
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
            first = pair.old.flexible_versions if old.flexible_versions is None else old.flexible_versions
            second = pair.new.flexible_versions if new.flexible_versions is None else new.flexible_versions
            differ = {era for era in either if (era in first) != (era in second)}
            values = (str(first), str(second))
            yield say("field-flexible-versions-changed", "flexibleVersions", differ, values)
        if (old.default, old.has_default) != (new.default, new.has_default):
            same = _default(old) == _default(new)
            written = tuple(item.default if item.has_default else "none" for item in (old, new))
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
                yield say(kind, key, (), (_absent(marks[0]), _absent(marks[1])))
        yield from pair.of_text(path, old.written, new.written)


def _within(eras: Iterable[int], versions: Versions) -> frozenset[int]:
    return frozenset(era for era in eras if era in versions)


def _with_versions(change: ProtocolChange, versions: str) -> ProtocolChange:
    return replace(change, versions=versions)


def _kind(field: Field) -> str:
    return field.type if field.tag is None else f"{field.type}, tag {field.tag}"


def _entry(entry: HistoryEntry) -> str:
    words = ("added", "deprecated", "undeprecated", "removed", "returned")
    parts = [f"{word} {getattr(entry, word)}" for word in words if getattr(entry, word)]
    parts += [f"field {name} {since}" for name, since in entry.fields.items()]
    return ", ".join(parts) + (f" ({entry.about})" if entry.about else "") or "nothing"


def _default(field: Field) -> Json:
    """What an absent field reads as; what is written where that is no value of its type."""
    try:
        return default_value(field)
    except ValueError:
        return field.default


def _absent(value: Json) -> Json:
    return "none" if value is None else value


def _plain(value: Json) -> Json:
    """A value as plain JSON, not the reader's own kinds."""
    from wirebook.specs.reading.reader import plain

    return plain(value)


def _place(message: Message, at: Position) -> Place:
    return Place(message.path, at.line, at.column)
