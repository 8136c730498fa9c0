"""Every change of a message between two sides: of the message, its history, its structs and its
fields."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from wirebook.rules.compat import is_same
from wirebook.rules.diff.kinds import ProtocolChange, differing
from wirebook.rules.match import longest_run
from wirebook.rules.parts import MessagePair, StructPair, structs, versions_in
from wirebook.specs.defaults import default_value
from wirebook.specs.model import Field, HistoryEntry, Json, Message, SourceNode
from wirebook.specs.versions import Versions, VersionSet

# What a field has besides its versions: the kind of change, the key and the attribute.
_OF_FIELD = (
    ("ignorable-changed", "ignorable", "ignorable"),
    ("entity-type-changed", "entityType", "entity_type"),
    ("map-key-changed", "mapKey", "map_key"),
    ("zero-copy-changed", "zeroCopy", "zero_copy"),
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
        yield ProtocolChange(
            "message-removed", old, old=str(old.valid_versions), previous=place, base=old
        )
    elif old is not None and new is not None and old is not new:
        whole = _Part(old, new, old.written, new.written)
        yield from _of_message(whole)
        for struct in structs(MessagePair(old, new)):
            yield from _of_struct(struct)


@dataclass(frozen=True)
class _Part:
    """A message on both sides, or the nodes of one of its parts; None for a side without it.

    `path` and `declared` are those of a field.
    """

    old: Message
    new: Message
    before: SourceNode | None
    after: SourceNode | None
    path: str = ""
    declared: Field | None = None

    def change(
        self,
        kind: str,
        key: str = "",
        old: Json = None,
        new: Json = None,
        versions: Iterable[int] = (),
        subject: str = "",
    ) -> ProtocolChange:
        """A change of the part, or of one of its keys."""
        return ProtocolChange(
            kind,
            self.new,
            self.path,
            VersionSet.of(versions),
            old,
            new,
            subject,
            None if self.after is None else self.after.at(key),
            None if self.before is None else self.before.at(key),
            self.declared,
            self.old,
        )

    def of_key(
        self, kind: str, key: str, old: Json, new: Json, versions: Iterable[int] = ()
    ) -> Iterator[ProtocolChange]:
        """The change of a key whose values differ; None is the value of an absent key."""
        if old != new:
            was = "none" if old is None else old
            now = "none" if new is None else new
            yield self.change(kind, key, was, now, versions)

    def of_range(
        self, kind: str, key: str, old: Versions, new: Versions, among: Iterable[int]
    ) -> Iterator[ProtocolChange]:
        """The change of a range of versions, in those of some versions that only one side has."""
        versions = (each for each in among if (each in old) != (each in new))
        yield from self.of_key(kind, key, str(old), str(new), versions)

    def of_versions(self, kind: str, key: str, versions: VersionSet) -> Iterator[ProtocolChange]:
        """The change of a key that concerns some versions, if there are any."""
        if versions:
            yield self.change(kind, key, versions=versions)

    def of_text(self) -> Iterator[ProtocolChange]:
        """The changes of the unknown keys and the comments."""
        assert self.before is not None
        assert self.after is not None
        for key, what, old, new in differing(self.before.unknown, self.after.unknown):
            yield self.change(f"key-{what}", key, old, new, subject=key)
        before = "\n\n".join(self.before.comments)
        after = "\n\n".join(self.after.comments)
        if before != after:
            yield self.change("comments-changed", "", before or None, after or None)


def _of_message(whole: _Part) -> Iterator[ProtocolChange]:
    """The differences of a message that are not those of its fields."""
    old = whole.old
    new = whole.new
    was_valid = old.valid_versions
    valid = new.valid_versions
    yield from whole.of_key("message-renamed", "name", old.name, new.name)
    yield from whole.of_key("message-type-changed", "type", old.type, new.type)
    yield from whole.of_key("api-key-changed", "apiKey", old.api_key, new.api_key)
    yield from whole.of_versions("versions-added", "validVersions", valid - was_valid)
    yield from whole.of_versions("versions-removed", "validVersions", was_valid - valid)
    # A version that is no longer valid is neither deprecated nor unstable, whatever the keys
    # contain.
    left = VersionSet.union(valid)
    key = "deprecatedVersions"
    deprecated = new.deprecated_versions - old.deprecated_versions
    undeprecated = (old.deprecated_versions - new.deprecated_versions) & left
    yield from whole.of_versions("versions-deprecated", key, deprecated)
    yield from whole.of_versions("versions-undeprecated", key, undeprecated)
    key = "latestVersionUnstable"
    was_unstable = _unstable(old)
    unstable = _unstable(new)
    yield from whole.of_versions("version-made-unstable", key, unstable - was_unstable)
    yield from whole.of_versions("version-made-stable", key, (was_unstable - unstable) & left)
    every = {*was_valid, *valid}
    yield from whole.of_range(
        "flexible-versions-changed",
        "flexibleVersions",
        old.flexible_versions,
        new.flexible_versions,
        every,
    )
    headed = (each for each in every if old.header_of(each) != new.header_of(each))
    yield from whole.of_key(
        "header-versions-changed", "headerVersions", _headers(old), _headers(new), headed
    )
    for name in sorted({*new.listeners} - {*old.listeners}):
        yield whole.change("listener-added", "listeners", subject=name)
    for name in sorted({*old.listeners} - {*new.listeners}):
        yield whole.change("listener-removed", "listeners", subject=name)
    yield from _of_history(old, new)
    yield from whole.of_text()


def _unstable(message: Message) -> VersionSet:
    """The version that is marked as unstable, if there is one."""
    valid = message.valid_versions
    return VersionSet.of([valid.highest] if message.latest_version_unstable and valid else ())


def _of_history(old: Message, new: Message) -> Iterator[ProtocolChange]:
    """The entries of the history that are added, removed or changed."""
    before = {entry.version: entry for entry in old.history}
    after = {entry.version: entry for entry in new.history}
    for version, what, was, now in differing(before, after):
        part = _Part(old, new, was and was.written, now and now.written)
        yield part.change(
            f"history-{what}",
            "",
            was and _entry(was),
            now and _entry(now),
            subject=str(version),
        )


def _headers(message: Message) -> str:
    """The header versions of a message: "0: 1, 1+: 2"."""
    if message.header_versions is None:
        return "none"
    headers = (f"{versions}: {header}" for versions, header in message.header_versions)
    return ", ".join(headers) or "{}"


def _entry(entry: HistoryEntry) -> str:
    """An entry of the history: "added 1.0-IV0, removed 2.0-IV0 (about it)"."""
    named = ((word, getattr(entry, word)) for word in _WORDS_OF_HISTORY)
    parts = [f"{word} {level}" for word, level in named if level]
    parts += [f"field {name} {since}" for name, since in entry.fields.items()]
    return ", ".join(parts) + (f" ({entry.about})" if entry.about else "") or "nothing"


def _of_struct(struct: StructPair) -> Iterator[ProtocolChange]:
    """The differences between the fields of a struct."""
    both = [(old, new) for old, new in struct.pairs if old is not None and new is not None]
    orders = [old.written.order for old, _ in both]
    # The fewest fields whose move explains the new order.
    stayed = longest_run(orders)
    place = 0
    for old, new in struct.pairs:
        field = new or old
        assert field is not None
        part = _Part(
            struct.messages.base,
            struct.messages.head,
            old and old.written,
            new and new.written,
            struct.path_of(field),
            field,
        )
        if old is None:
            versions = versions_in(struct.head_versions, field.present)
            yield part.change("field-added", "", None, kind_of(field), versions)
        elif new is None:
            versions = versions_in(struct.base_versions, field.present)
            yield part.change("field-removed", "", kind_of(field), None, versions)
        else:
            crossed = set() if place in stayed else _crossed(struct, old, new, both)
            place += 1
            if crossed:
                was = sorted(orders).index(old.written.order) + 1
                yield part.change("field-moved", "", was, place, crossed)
            yield from _of_field(part, struct, old, new)


def kind_of(field: Field) -> str:
    """The type of a field, and its tag if it has one."""
    return field.type if field.tag is None else f"{field.type}, tag {field.tag}"


def _crossed(
    struct: StructPair, old: Field, new: Field, both: Sequence[tuple[Field, Field]]
) -> set[int]:
    """The versions in which a field swaps places with another; a tagged field has none."""
    crossed: set[int] = set()
    for before, after in both:
        was_before = before.written.order < old.written.order
        is_before = after.written.order < new.written.order
        if after is not new and was_before != is_before:
            placed = [each.present - each.tagged_versions for each in (old, new, before, after)]
            crossed |= {at for at in struct.versions if all(at in each for each in placed)}
    return crossed


def _of_field(part: _Part, struct: StructPair, old: Field, new: Field) -> Iterator[ProtocolChange]:
    """The differences of a field that both sides have."""
    before = versions_in(struct.base_versions, old.present)
    after = versions_in(struct.head_versions, new.present)
    either = before | after
    # Without a version that has the field on both sides, the change is one of those that have it
    # now.
    both = (before & after) or after or before
    yield from part.of_key("field-renamed", "name", old.name, new.name)
    if old.is_struct_like(new):
        yield from part.of_key("struct-renamed", "type", old.type, new.type)
    else:
        yield from part.of_key("type-changed", "type", old.type, new.type, both)
    yield from part.of_range(
        "field-versions-changed",
        "versions",
        old.present,
        new.present,
        struct.base_versions | struct.head_versions,
    )
    yield from part.of_range(
        "nullability-changed",
        "nullableVersions",
        old.nullable_versions,
        new.nullable_versions,
        either,
    )
    yield from part.of_range(
        "tagged-versions-changed",
        "taggedVersions",
        old.tagged_versions,
        new.tagged_versions,
        either,
    )
    tagged = (each for each in either if each in old.tagged_versions or each in new.tagged_versions)
    yield from part.of_key("tag-changed", "tag", old.tag, new.tag, tagged)
    if old.flexible_versions != new.flexible_versions:
        was = _flexible(part.old, old)
        now = _flexible(part.new, new)
        versions = (each for each in either if (each in was) != (each in now))
        yield part.change(
            "field-flexible-versions-changed", "flexibleVersions", str(was), str(now), versions
        )
    was_default = _default(old)
    default = _default(new)
    if not is_same(was_default, default):
        # Readers of a version without the field take it for its default.
        absent = struct.versions - (before ^ after)
        yield part.change("default-changed", "default", was_default, default, absent or both)
    for kind, key, attribute in _OF_FIELD:
        yield from part.of_key(kind, key, getattr(old, attribute), getattr(new, attribute))
    key = "flags" if "flags" in new.written.keys else "values"
    yield from part.of_key("values-changed", key, _listed(old), _listed(new))
    yield from part.of_key("about-changed", "about", old.about, new.about)
    yield from part.of_text()


def _flexible(message: Message, field: Field) -> Versions:
    """The versions in which a field has a compact length."""
    return message.flexible_versions if field.flexible_versions is None else field.flexible_versions


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
