"""Every change between two protocols, breaking or not: as data, and in words."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from rules.fields.field_moved import longest_run
from rules.finding import Place
from rules.matching import matched
from rules.pairs import bounds, fields_of, match
from specs.layout import default_value
from specs.model import Field, HistoryEntry, Json, Message, Protocol, Written
from specs.problems import Position
from specs.versions import Versions, ranges_text

if TYPE_CHECKING:
    from specs.registry import Registry

# What a change touches: the bytes that peers exchange and which of them may be sent; what is promised of
# them; names and marks in generated code; what only people read.
WIRE, PROMISE, CODE, TEXT = EFFECTS = ("wire", "promise", "code", "text")

_KINDS = {
    "message-added": (WIRE, "is new; its valid versions are {new}"),
    "message-removed": (WIRE, "is deleted; its valid versions were {old}"),
    "message-renamed": (CODE, "is now called {new}, no longer {old}"),
    "message-type-changed": (WIRE, "is now of type {new}, no longer {old}"),
    "api-key-changed": (WIRE, "has API key {new} instead of {old}"),
    "versions-added": (WIRE, "{word} {versions} {be} added"),
    "versions-removed": (WIRE, "{word} {versions} {be} no longer valid"),
    "flexible-versions-changed": (WIRE, "the flexible versions are {new} instead of {old}"),
    "versions-deprecated": (PROMISE, "{word} {versions} {be} deprecated"),
    "versions-undeprecated": (PROMISE, "{word} {versions} {be} no longer deprecated"),
    "version-made-unstable": (PROMISE, "version {versions} is marked as unstable"),
    "version-made-stable": (PROMISE, "version {versions} is declared stable"),
    "listener-added": (PROMISE, "is served on the {subject} listener too"),
    "listener-removed": (PROMISE, "is no longer served on the {subject} listener"),
    "history-added": (PROMISE, "the history tells of version {subject}: {new}"),
    "history-changed": (PROMISE, "the history of version {subject} says {new}; it said {old}"),
    "history-removed": (PROMISE, "the history no longer tells of version {subject}; it said {old}"),
    "struct-added": (CODE, "the common struct {subject} is added"),
    "struct-removed": (CODE, "the common struct {subject} is gone"),
    "struct-versions-changed": (CODE, "the versions of the struct {subject} are {new}, no longer {old}"),
    "struct-deprecation-changed": (
        CODE, "the deprecated versions of the struct {subject} are {new}, no longer {old}"
    ),
    "field-added": (WIRE, "{path} ({new}) is added"),
    "field-removed": (WIRE, "{path} ({old}) is gone"),
    "field-moved": (WIRE, "{path} moves from place {old} to place {new}"),
    "field-renamed": (CODE, "{path} was called {old}"),
    "struct-renamed": (CODE, "the struct of {path} is now called {new}, no longer {old}"),
    "type-changed": (WIRE, "{path} changes its type from {old} to {new}"),
    "field-versions-changed": (WIRE, "the versions of {path} are {new}, no longer {old}"),
    "nullability-changed": (WIRE, "the versions in which {path} may be null are {new}, no longer {old}"),
    "tagged-versions-changed": (WIRE, "the versions in which {path} is tagged are {new}, no longer {old}"),
    "tag-changed": (WIRE, "the tag of {path} is {new}, no longer {old}"),
    "field-flexible-versions-changed": (
        WIRE, "the versions in which {path} is written compactly are {new}, no longer {old}"
    ),
    "default-changed": (WIRE, "the default of {path} changes from {old} to {new}"),
    "ignorable-changed": (CODE, "ignorable of {path} is {new}, no longer {old}"),
    "entity-type-changed": (CODE, "the entity type of {path} is {new}, no longer {old}"),
    "map-key-changed": (CODE, "mapKey of {path} is {new}, no longer {old}"),
    "zero-copy-changed": (CODE, "zeroCopy of {path} is {new}, no longer {old}"),
    "about-changed": (TEXT, "what is said about {path} changes"),
    "comments-changed": (TEXT, "the comments of {what} change"),
    "key-added": (TEXT, "{what} gets the key {subject}: {new}"),
    "key-changed": (TEXT, "the key {subject} of {what} changes from {old} to {new}"),
    "key-removed": (TEXT, "{what} loses the key {subject}; it was {old}"),
    "api-version-added": (PROMISE, "the ApiVersion {subject} is added: {new}"),
    "api-version-removed": (PROMISE, "the ApiVersion {subject} is gone; it was {old}"),
    "api-version-changed": (PROMISE, "the ApiVersion {subject} is now {new}; it was {old}"),
}  # fmt: skip
KINDS = tuple(_KINDS)
# What is said of a range of versions: where no version that there is changes by it, it is but other words.
_OF_VERSIONS = {
    "flexible-versions-changed",
    "field-moved",
    "field-versions-changed",
    "nullability-changed",
    "tagged-versions-changed",
    "tag-changed",
    "field-flexible-versions-changed",
    "default-changed",
    "type-changed",
    "field-added",
    "field-removed",
}


@dataclass(frozen=True, slots=True)
class ProtocolChange:
    """One thing that changed: its `kind`, one of KINDS, the two values, and where it stands on both sides.

    `field` is the path of the field ("" for the message itself), on the new side where it is there.
    `versions` is the ranges of versions in which something differs, "" where the change is of none.
    `subject` names what else is meant: a listener, a struct, an ApiVersion, a key, a version of the
    history. A change of the registry has no message. All texts may hold text of a spec: untrusted, plain.
    """

    kind: str
    message: Message | None = None
    field: str = ""
    versions: str = ""
    old: Json = None
    new: Json = None
    subject: str = ""
    location: Place | None = None
    previous: Place | None = None

    @property
    def effect(self) -> str:
        """What it touches, one of EFFECTS."""
        if self.kind in _OF_VERSIONS and not self.versions:
            return TEXT
        return _KINDS[self.kind][0]

    def words(self) -> str:
        """The change as a sentence about its message, without the message's name; plain text, not escaped."""
        words = _KINDS[self.kind][1].format(
            path=self.field,
            what=self.field or (self.message.name if self.message else ""),
            old=_shown(self.old),
            new=_shown(self.new),
            subject=self.subject,
            versions=self.versions,
            word=versions_word(self.versions),
            be="are" if versions_word(self.versions) == "versions" else "is",
        )
        if self.kind in _OF_VERSIONS:
            where = (
                f"in {versions_word(self.versions)} {self.versions}"
                if self.versions
                else "in no version that there is"
            )
            return f"{words} ({where})"
        return words

    def to_json(self) -> dict[str, Any]:
        """The change as an item of wirebook/changes/1."""

        def place(at: Place | None) -> dict[str, Any] | None:
            return None if at is None else {"path": at.path, "line": at.line, "column": at.column}

        of = self.message
        return {
            "kind": self.kind,
            "effect": self.effect,
            "api": of.api if of else "",
            "api_key": of.api_key if of else None,
            "message_name": of.name if of else "",
            "message_type": of.type if of else "",
            "field": self.field,
            "subject": self.subject,
            "versions": self.versions,
            "old": self.old,
            "new": self.new,
            "words": self.words(),
            "location": place(self.location),
            "previous": place(self.previous),
        }


def protocol_changes(
    old: Protocol,
    new: Protocol,
    old_registry: Registry | None = None,
    new_registry: Registry | None = None,
) -> list[ProtocolChange]:
    """What differs between two protocols: by API key, then messages without one, then the registry.

    One change for each thing that changed, with all the versions it changes; [] for what says the same. A
    message whose path alone changed, and the order of keys, count as no change.
    """
    found: list[tuple[tuple[Any, ...], list[ProtocolChange]]] = []
    for before, after in matched(old, new):
        message = after or before
        if message is None:
            continue
        rpc = message.api_key is not None and message.type in ("request", "response")
        order = (not rpc, (message.api_key or 0) if rpc else 0, message.type if rpc else "", message.name)
        found.append((order, list(_of_messages(before, after))))
    found.sort(key=lambda item: item[0])
    changes = [change for _, part in found for change in part]
    return changes + list(_of_registries(old_registry, new_registry))


def versions_word(ranges: str) -> str:
    """ "version" or "versions", as a text of ranges has one or more."""
    return "versions" if any(sign in ranges for sign in ",-+") else "version"


def _of_messages(old: Message | None, new: Message | None) -> Iterator[ProtocolChange]:
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
                inner = fields_of(self.old, one), fields_of(self.new, other)
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


def _of_registries(old: Registry | None, new: Registry | None) -> Iterator[ProtocolChange]:
    """ApiVersions by what they are called; a registry that only one side has is all new, or all gone."""
    before = {item.version: item for item in old.api_versions} if old else {}
    after = {item.version: item for item in new.api_versions} if new else {}
    for name in (*after, *(name for name in before if name not in after)):
        one, other = before.get(name), after.get(name)
        if one == other:
            continue
        kind = (
            "api-version-added"
            if one is None
            else "api-version-removed"
            if other is None
            else "api-version-changed"
        )
        values = (one and _level(one), other and _level(other))
        places = [
            Place(side.path, item.position.line, item.position.column)
            if side is not None and item is not None and side.path and item.position is not None
            else None
            for side, item in ((new, other), (old, one))
        ]
        yield ProtocolChange(kind, None, "", "", *values, name, *places)


def _within(eras: Iterable[int], versions: Versions) -> frozenset[int]:
    return frozenset(era for era in eras if era in versions)


def _with_versions(change: ProtocolChange, versions: str) -> ProtocolChange:
    from dataclasses import replace

    return replace(change, versions=versions)


def _kind(field: Field) -> str:
    return field.type if field.tag is None else f"{field.type}, tag {field.tag}"


def _entry(entry: HistoryEntry) -> str:
    words = ("added", "deprecated", "undeprecated", "removed", "returned")
    parts = [f"{word} {getattr(entry, word)}" for word in words if getattr(entry, word)]
    parts += [f"field {name} {since}" for name, since in entry.fields.items()]
    return ", ".join(parts) + (f" ({entry.about})" if entry.about else "") or "nothing"


def _level(item: Any) -> str:
    day = f", {item.date}" if item.date else ""
    return f"id {item.id}, release {item.release}{day}" + (f" ({item.about})" if item.about else "")


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
    from specs.reader import plain

    return plain(value)


def _place(message: Message, at: Position) -> Place:
    return Place(message.path, at.line, at.column)


def _shown(value: Json) -> str:
    import json

    if isinstance(value, bool) or value is None:
        return json.dumps(value)
    if value == [] or value == {}:
        return "no elements" if isinstance(value, list) else "the defaults of its fields"
    if value == "":
        return "the empty text"
    return json.dumps(value, ensure_ascii=False) if isinstance(value, list | dict) else str(value)
