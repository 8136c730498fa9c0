"""Every change of a message between two sides: of the message, its history, its structs and its
fields."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from wirebook.rules.compat import is_same
from wirebook.rules.diff.kinds import ProtocolChange, differing
from wirebook.rules.match import longest_run
from wirebook.rules.pairs import MessagePair, StructPair, structs, versions_in
from wirebook.specs.defaults import default_value
from wirebook.specs.model import Field, HistoryEntry, Json, Message, SourceNode
from wirebook.specs.versions import Versions, VersionSet

# What a message and a field have besides their versions: the kind of change, the key and
# the attribute.
_OF_MESSAGE = (
    ("message-renamed", "name", "name"),
    ("message-type-changed", "type", "type"),
    ("api-key-changed", "apiKey", "api_key"),
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
_WORDS_OF_HISTORY = ("added", "deprecated", "undeprecated", "removed", "returned")


def message_changes(old: Message | None, new: Message | None) -> Iterator[ProtocolChange]:
    """The differences between two sides of a message; None if a side does not have it."""
    if old is None and new is not None:
        place = new.written.at("name")
        yield ProtocolChange("message-added", new, new=str(new.valid_versions), location=place)
        if top := _unstable(new):
            place = new.written.at("latestVersionUnstable")
            yield ProtocolChange("version-made-unstable", new, versions=top, location=place)
    elif new is None and old is not None:
        place = old.written.at("name")
        versions = str(old.valid_versions)
        yield ProtocolChange("message-removed", old, old=versions, previous=place, base=old)
    elif old is not None and new is not None and old is not new:
        whole = _Part(old, new, old.written, new.written)
        yield from _of_message(whole)
        for struct in structs(MessagePair(old, new)):
            yield from _of_struct(whole, struct)


@dataclass(frozen=True)
class _Part:
    """A message on both sides, or the nodes of one of its parts; None for a side without it.

    `path` and `declared` are those of a field, `subject` is the name of another part.
    """

    old: Message
    new: Message
    before: SourceNode | None
    after: SourceNode | None
    path: str = ""
    subject: str = ""
    declared: Field | None = None

    def change(
        self,
        kind: str,
        key: str = "",
        old: Json = None,
        new: Json = None,
        versions: Iterable[int] = (),
    ) -> ProtocolChange:
        """A change of the part, or of one of its keys."""
        return ProtocolChange(
            kind,
            self.new,
            self.path,
            VersionSet.of(versions),
            old,
            new,
            self.subject,
            None if self.after is None else self.after.at(key),
            None if self.before is None else self.before.at(key),
            self.declared,
            self.old,
        )

    def compared(
        self, kind: str, key: str, old: Json, new: Json, versions: Iterable[int] = ()
    ) -> Iterator[ProtocolChange]:
        """A change of a key whose values differ; None is that of an absent key."""
        if old != new:
            old, new = ("none" if value is None else value for value in (old, new))
            yield self.change(kind, key, old, new, versions)

    def of_text(self) -> Iterator[ProtocolChange]:
        """The changes of the unknown keys and the comments."""
        assert self.before is not None
        assert self.after is not None
        for key, what, old, new in differing(self.before.unknown, self.after.unknown):
            yield replace(self, subject=key).change(f"key-{what}", key, old, new)
        one, other = ("\n\n".join(node.comments) for node in (self.before, self.after))
        if one != other:
            yield self.change("comments-changed", "", one or None, other or None)


def _of_message(whole: _Part) -> Iterator[ProtocolChange]:
    old = whole.old
    new = whole.new
    for kind, key, attribute in _OF_MESSAGE:
        yield from whole.compared(kind, key, getattr(old, attribute), getattr(new, attribute))
    valid = old.valid_versions, new.valid_versions
    one = old.deprecated_versions
    other = new.deprecated_versions
    was = _unstable(old)
    now = _unstable(new)
    # A version that is no longer valid is neither deprecated nor unstable, whatever the keys
    # contain.
    left = VersionSet.union(valid[1])
    for kind, key, versions in (
        ("versions-added", "validVersions", valid[1] - valid[0]),
        ("versions-removed", "validVersions", valid[0] - valid[1]),
        ("versions-deprecated", "deprecatedVersions", other - one),
        ("versions-undeprecated", "deprecatedVersions", (one - other) & left),
        ("version-made-unstable", "latestVersionUnstable", now - was),
        ("version-made-stable", "latestVersionUnstable", (was - now) & left),
    ):
        if versions:
            yield whole.change(kind, key, versions=versions)
    every = {*valid[0], *valid[1]}
    one = old.flexible_versions
    other = new.flexible_versions
    kind = "flexible-versions-changed"
    between = _between(every, one, other)
    yield from whole.compared(kind, "flexibleVersions", str(one), str(other), between)
    headed = [version for version in every if old.header_of(version) != new.header_of(version)]
    kind = "header-versions-changed"
    key = "headerVersions"
    yield from whole.compared(kind, key, _headers(old), _headers(new), headed)
    for kind, more, less in (("listener-added", new, old), ("listener-removed", old, new)):
        for name in sorted({*more.listeners} - {*less.listeners}):
            yield replace(whole, subject=name).change(kind, "listeners")
    yield from _of_history(whole)
    yield from whole.of_text()


def _unstable(message: Message) -> VersionSet:
    """The version that is marked as unstable, if there is one."""
    valid = message.valid_versions
    return VersionSet.of([valid.highest] if message.latest_version_unstable and valid else ())


def _of_history(whole: _Part) -> Iterator[ProtocolChange]:
    before = {entry.version: entry for entry in whole.old.history}
    after = {entry.version: entry for entry in whole.new.history}
    for version, what, one, other in differing(before, after):
        nodes = one and one.written, other and other.written
        part = _Part(whole.old, whole.new, *nodes, subject=str(version))
        entries = one and _entry(one), other and _entry(other)
        yield part.change(f"history-{what}", "", *entries)


def _headers(message: Message) -> str:
    ranges = message.header_versions
    if ranges is None:
        return "none"
    return ", ".join(f"{versions}: {header}" for versions, header in ranges) or "{}"


def _entry(entry: HistoryEntry) -> str:
    named = ((word, getattr(entry, word)) for word in _WORDS_OF_HISTORY)
    parts = [f"{word} {level}" for word, level in named if level]
    parts += [f"field {name} {since}" for name, since in entry.fields.items()]
    return ", ".join(parts) + (f" ({entry.about})" if entry.about else "") or "nothing"


def _of_struct(whole: _Part, struct: StructPair) -> Iterator[ProtocolChange]:
    """The differences between the fields of a struct."""
    both = [(old, new) for old, new in struct.pairs if old is not None and new is not None]
    places = sorted(old.written.order for old, _ in both)
    # The fewest fields whose move explains the new order.
    stayed = longest_run([old.written.order for old, _ in both])
    count = 0
    for old, new in struct.pairs:
        field = new or old
        assert field is not None
        nodes = old and old.written, new and new.written
        part = _Part(whole.old, whole.new, *nodes, path=struct.path_of(field), declared=field)
        if old is None:
            versions = versions_in(struct.head_versions, field.present)
            yield part.change("field-added", "", None, kind_of(field), versions)
        elif new is None:
            versions = versions_in(struct.base_versions, field.present)
            yield part.change("field-removed", "", kind_of(field), None, versions)
        else:
            crossed = set() if count in stayed else _crossed(struct, old, new, both)
            count += 1
            if crossed:
                place = places.index(old.written.order) + 1
                yield part.change("field-moved", "", place, count, crossed)
            yield from _of_field(part, struct, old, new)


def kind_of(field: Field) -> str:
    """The type of a field, and its tag if it has one."""
    return field.type if field.tag is None else f"{field.type}, tag {field.tag}"


def _between(numbers: Iterable[int], one: Versions, other: Versions) -> frozenset[int]:
    """The versions that only one of two ranges has."""
    return frozenset(number for number in numbers if (number in one) != (number in other))


def _crossed(
    struct: StructPair, old: Field, new: Field, both: Sequence[tuple[Field, Field]]
) -> set[int]:
    """The versions in which a field swaps places with another; a tagged field has none."""
    crossed: set[int] = set()
    for before, after in both:
        was = before.written.order
        now = after.written.order
        if after is not new and (was < old.written.order) != (now < new.written.order):
            placed = [each.present - each.tagged_versions for each in (old, new, before, after)]
            crossed |= {at for at in struct.versions if all(at in each for each in placed)}
    return crossed


def _of_field(part: _Part, struct: StructPair, old: Field, new: Field) -> Iterator[ProtocolChange]:
    before = versions_in(struct.base_versions, old.present)
    after = versions_in(struct.head_versions, new.present)
    either = before | after
    # Without a version that has the field on both sides, the change is one of those that have it
    # now.
    both = (before & after) or after or before
    yield from part.compared("field-renamed", "name", old.name, new.name)
    is_struct = old.is_struct_like(new)
    kind = "struct-renamed" if is_struct else "type-changed"
    yield from part.compared(kind, "type", old.type, new.type, () if is_struct else both)
    for kind, key, attribute in _RANGES_OF_FIELD:
        one = getattr(old, attribute)
        other = getattr(new, attribute)
        among = struct.base_versions | struct.head_versions if key == "versions" else either
        yield from part.compared(kind, key, str(one), str(other), _between(among, one, other))
    tagged = versions_in(either, old.tagged_versions) | versions_in(either, new.tagged_versions)
    yield from part.compared("tag-changed", "tag", old.tag, new.tag, tagged)
    if old.flexible_versions != new.flexible_versions:
        one = _flexible(part.old, old)
        other = _flexible(part.new, new)
        versions = _between(either, one, other)
        key = "flexibleVersions"
        yield part.change("field-flexible-versions-changed", key, str(one), str(other), versions)
    one = _default(old)
    other = _default(new)
    if not is_same(one, other):
        # Readers of a version without the field take it for its default.
        versions = struct.versions - (before ^ after) or both
        yield part.change("default-changed", "default", one, other, versions)
    for kind, key, attribute in _OF_FIELD:
        one = getattr(old, attribute)
        other = getattr(new, attribute)
        if key == "values":
            key = "flags" if "flags" in new.written.keys else key
            one = _listed(old)
            other = _listed(new)
        yield from part.compared(kind, key, one, other)
    yield from part.of_text()


def _flexible(message: Message, field: Field) -> Versions:
    own = field.flexible_versions
    return message.flexible_versions if own is None else own


def _listed(field: Field) -> str:
    """Values or flags with their names: "0 safe, 1 fast (versions 2+)"."""
    texts = []
    for value in field.values:
        notes = [f"versions {value.versions}"] if value.versions != field.present else []
        notes += [f"deprecated in {value.deprecated}"] if value.deprecated else []
        notes += [f"formerly {name}" for name in value.former_names]
        more = f" ({'; '.join(notes)})" if notes else ""
        texts.append(f"{value.words} {value.name}{more}")
    return ", ".join(texts) or "none"


def _default(field: Field) -> Json:
    """The value of an absent field, or the text of the default if that is not a value of its
    type."""
    try:
        return default_value(field)
    except ValueError:
        return field.default
