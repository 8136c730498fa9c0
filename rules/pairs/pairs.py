"""Pairs of already matched things, old and new: the only code of the rules that walks two specs."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

from wirebook.rules.finding import Place, Severity
from wirebook.rules.released import Elder, TagHolder
from wirebook.specs.model import Field, Message, Protocol, Written
from wirebook.specs.problems import InputError, Position
from wirebook.specs.versions import Versions
from wirebook.specs.wire.layout import LayoutField, layout

if TYPE_CHECKING:
    from wirebook.specs.levels import Registry

VersionSet = frozenset[int]
NOT_RELEASED: Mapping[int, str] = MappingProxyType({})


class Hit(NamedTuple):
    """What a rule yields: a sentence, what to do instead, and the versions concerned.

    With `versions` the engine decides the severity by what is released; None means the message as such,
    at the rule's own severity. `at` is on the new side, `before` on the old; left out, the place of the
    pair counts, as for `path`, the field's. `severity` overrules for this hit alone; `subject` tells two
    hits of one rule on one pair apart. `of` is the message concerned, for a rule on all of them together.
    `place` and `was` are the places on both sides where these lie in no message.
    """

    message: str
    fix: str
    versions: Iterable[int] | None = None
    at: Position | None = None
    before: Position | None = None
    severity: Severity | None = None
    subject: str = ""
    path: str | None = None
    of: Message | None = None
    place: Place | None = None
    was: Place | None = None


@dataclass(eq=False, repr=False)
class MessagePair:
    """One message on both sides. `released` maps each frozen version to the release that froze it.

    A version is frozen by any baseline that has it stable; without baselines, by the old side.
    `retired` holds the older selves of baselines: what was there once and counts for tags. `unstable_top` is
    the old top version where that is marked unstable. `texts` hands out the specs of all baselines in full;
    that may mean reading them, so only what would otherwise be an error asks for it. `only` are the versions
    that are looked at, where that is not all of them.
    """

    old: Message
    new: Message
    released: Mapping[int, str] = field(default_factory=dict)
    retired: tuple[Elder, ...] = ()
    unstable_top: int | None = None
    texts: Callable[[], Sequence[Message]] | None = None
    only: VersionSet | None = None

    @cached_property
    def elders(self) -> Sequence[Message]:
        """The released specs of the message: without baselines, the old side."""
        return (self.old,) if self.texts is None else self.texts()

    @cached_property
    def alike(self) -> VersionSet:
        """The versions of both sides that say the same bytes, in whatever words and grouping."""
        return frozenset(version for version in self.both if self._likeness(version).places)

    def same_bytes(self, version: int) -> bool | None:
        """As the function `same_bytes`, of both sides."""
        return self._likeness(version).bytes

    def _likeness(self, version: int) -> Likeness:
        """The likeness at a version, looked into once for all versions between two bounds."""
        era = bisect_right(self._bounds, version)
        if era not in self._known:
            self._known[era] = likeness(self.old, self.new, version)
        return self._known[era]

    @cached_property
    def _known(self) -> dict[int, Likeness]:
        return {}

    @cached_property
    def _bounds(self) -> list[int]:
        return sorted(bounds(self.old) | bounds(self.new))

    def restored(self, version: int) -> bool:
        """Whether every release that has a version has it as the new side does, and unlike the old side.

        What changes there was never released, or is put back.
        """
        if version not in self._restored:
            self._restored[version] = self._is_restored(version)
        return self._restored[version]

    @cached_property
    def _restored(self) -> dict[int, bool]:
        return {}

    def _is_restored(self, version: int) -> bool:
        # Without baselines the one release is the old side.
        if self.texts is None or version not in self.both or self.same_bytes(version) is not False:
            return False
        elders = [other for other in self.elders if version in other.valid_versions]
        return bool(elders) and all(same_bytes(other, self.new, version) for other in reversed(elders))

    @cached_property
    def both(self) -> VersionSet:
        """The versions that are valid on both sides."""
        both = frozenset(self.old.valid_versions & self.new.valid_versions)
        return both if self.only is None else both & self.only

    @property
    def where(self) -> tuple[Position | None, Position | None]:
        """The place of the pair, new and old."""
        return self.new.written.at("name"), self.old.written.at("name")


@dataclass(eq=False, repr=False)
class StructPair:
    """The fields of one struct (or of the top level, path "") on both sides, matched.

    `versions` are those in which the struct is there on both sides; `pairs` holds (old, new), with None
    for a field that only one side has. `paths` are all the paths that reach the struct, `chains` the new
    fields along each of them.
    """

    messages: MessagePair
    paths: tuple[str, ...]
    versions: VersionSet
    pairs: tuple[tuple[Field | None, Field | None], ...]
    chains: tuple[tuple[Field, ...], ...] = ((),)

    @property
    def path(self) -> str:
        """The first path that reaches the struct; "" for the top level."""
        return self.paths[0]

    def path_of(self, item: Field) -> str:
        """The path of one of its fields."""
        return f"{self.path}.{item.name}" if self.path else item.name

    @property
    def where(self) -> tuple[Position | None, Position | None]:
        """The place of the pair, new and old: the first fields."""
        old = next((before for before, _ in self.pairs if before is not None), None)
        new = next((after for _, after in self.pairs if after is not None), None)
        messages = self.messages.where
        return (
            new.written.position if new else messages[0],
            old.written.position if old else messages[1],
        )


@dataclass(eq=False, repr=False)
class FieldPair:
    """One field on both sides; `versions` are those in which its struct is there on both."""

    struct: StructPair
    old: Field
    new: Field

    @property
    def messages(self) -> MessagePair:
        """The messages that hold the field."""
        return self.struct.messages

    @property
    def path(self) -> str:
        """The path of the field on the new side."""
        return self.struct.path_of(self.new)

    @cached_property
    def before(self) -> VersionSet:
        """The versions in which the old side has the field."""
        return frozenset(version for version in self.struct.versions if version in self.old.present)

    @cached_property
    def after(self) -> VersionSet:
        """The versions in which the new side has it."""
        return frozenset(version for version in self.struct.versions if version in self.new.present)

    @property
    def both(self) -> VersionSet:
        """The versions in which both sides have it."""
        return self.before & self.after

    def differ(self, key: str) -> VersionSet:
        """The versions of `both` in which the version range `key` of the two fields says different things.

        Two fields of different names may have met by their place alone: where the bytes are the same, what
        one says is not what the other does.
        """
        old, new = getattr(self.old, key), getattr(self.new, key)
        changed = frozenset(version for version in self.both if (version in old) != (version in new))
        return changed - self.messages.alike if changed and self.old.name != self.new.name else changed

    @property
    def where(self) -> tuple[Position | None, Position | None]:
        """The place of the pair, new and old."""
        return self.new.written.position, self.old.written.position


@dataclass(eq=False, repr=False)
class LoneField:
    """A field that only one side has: `gone` is true where that is the old side."""

    struct: StructPair
    field: Field
    gone: bool

    @property
    def messages(self) -> MessagePair:
        """The messages that hold the field."""
        return self.struct.messages

    @property
    def path(self) -> str:
        """The path of the field."""
        return self.struct.path_of(self.field)

    @cached_property
    def there(self) -> VersionSet:
        """The versions, valid on both sides, in which the one side has it."""
        return frozenset(version for version in self.struct.versions if version in self.field.present)

    @cached_property
    def versions(self) -> VersionSet:
        """Those of them in which the other side has other bytes."""
        return self.there - self.messages.alike if self.there else self.there

    @property
    def where(self) -> tuple[Position | None, Position | None]:
        """The place of the pair, new and old; the side without the field is placed at its struct."""
        new, old = self.struct.where
        here = self.field.written.position
        return (new, here) if self.gone else (here, old)


class LoneMessage(NamedTuple):
    """A message that only one side has: `gone` is true where that is the old side."""

    message: Message
    gone: bool
    released: Mapping[int, str] = NOT_RELEASED

    @property
    def where(self) -> tuple[Position | None, Position | None]:
        """The place of the message, on its side."""
        here = self.message.written.at("name")
        return (None, here) if self.gone else (here, None)


class ApiPair(NamedTuple):
    """The request and the response of one API, on one side."""

    request: Message
    response: Message


class ProtocolPair(NamedTuple):
    """The messages of both sides, at least those that differ, and the registries where they have one."""

    old: Protocol
    new: Protocol
    old_registry: Registry | None = None
    new_registry: Registry | None = None


class OneField(NamedTuple):
    """A field by itself, of a message by itself; `fields` are those beside it in its struct.

    `versions` are the valid ones that have the struct, `within` the names of the structs around the field,
    outermost first.
    """

    message: Message
    path: str
    field: Field
    fields: tuple[Field, ...]
    versions: Versions
    within: tuple[str, ...]


class OneStruct(NamedTuple):
    """A struct by itself, or the top level of a message (path ""); common structs have their name as path.

    `name` is that of the struct or message; `burnt` holds the tags that released older selves gave to fields
    of it, with those fields.
    """

    message: Message
    path: str
    name: str
    fields: tuple[Field, ...]
    written: Written
    burnt: Mapping[int, TagHolder]

    @property
    def at(self) -> Position:
        """The place of the struct: that of the field or the entry that defines it."""
        return self.written.position if self.path else self.written.at("name")


class Likeness(NamedTuple):
    """How alike two specs are at a version: whether they mean the same bytes (None where one has no layout),
    and whether every field that both name lies at the same place of them too.
    """

    bytes: bool | None
    places: bool


def likeness(old: Message, new: Message, version: int) -> Likeness:
    """How alike two specs are at a version, new tags aside.

    Readers step over tags that they do not know: new ones change no byte that counts.
    """
    try:
        before, after = layout(old, version), layout(new, version)
    except InputError:
        return Likeness(None, False)
    kept = after._replace(fields=_without_new_tags(before.fields, after.fields))
    same = before.grammar == kept.grammar
    return Likeness(same, same and _same_places(before.fields, after.fields, before.flexible))


def same_bytes(old: Message, new: Message, version: int) -> bool | None:
    """Whether two specs mean the same bytes at a version, new tags aside; None where one has no layout."""
    return likeness(old, new, version).bytes


def bounds(message: Message) -> set[int]:
    """The versions at which a layout of a message may begin to differ from that of the version before."""
    found = {1}  # the header of ControlledShutdown v0 is one of its own

    def add(ranges: Iterable[Versions | None]) -> None:
        for part in ranges:
            if part is not None:
                found.add(part.lowest)
                found.add(part.highest + 1)

    def inside(fields: tuple[Field, ...]) -> None:
        for item in fields:
            add((item.versions, item.nullable_versions, item.tagged_versions, item.flexible_versions))
            if item.fields:
                inside(item.fields)

    add((message.valid_versions, message.flexible_versions))
    inside(message.fields)
    for struct in message.common_structs:
        inside(struct.fields)
    return found


def _same_places(old: tuple[LayoutField, ...], new: tuple[LayoutField, ...], flexible: bool) -> bool:
    first, second = (list(_in_line(fields, flexible)) for fields in (old, new))
    if len(first) != len(second):
        return False
    places: dict[str, set[int]] = {}
    for place, item in enumerate(first):
        # Structs that nothing sets off bring names of their own, which others may have too.
        places.setdefault(item.name, set()).add(place)
    for place, (before, after) in enumerate(zip(first, second, strict=True)):
        if place not in places.get(after.name, (place,)):
            return False
        if before.fields and after.fields and not _same_places(before.fields, after.fields, flexible):
            return False
    return True


def _in_line(fields: tuple[LayoutField, ...], flexible: bool) -> Iterator[LayoutField]:
    """The untagged fields as the wire has them: a struct that nothing sets off is but its fields."""
    for item in fields:
        if item.tag is not None:
            continue
        if item.type == "STRUCT" and not flexible:
            yield from _in_line(item.fields or (), flexible)
        else:
            yield item


def _without_new_tags(old: tuple[LayoutField, ...], new: tuple[LayoutField, ...]) -> tuple[LayoutField, ...]:
    """The new fields less the tagged ones whose tag the old side does not have, at every depth."""
    tags = {item.tag: item for item in old if item.tag is not None}
    plain = iter([item for item in old if item.tag is None])
    kept: list[LayoutField] = []
    for item in new:
        partner = next(plain, None) if item.tag is None else tags.get(item.tag)
        if item.tag is not None and partner is None:
            continue
        if item.fields is not None and partner is not None and partner.fields is not None:
            item = item._replace(fields=_without_new_tags(partner.fields, item.fields))
        kept.append(item)
    return tuple(kept)


def match(old: tuple[Field, ...], new: tuple[Field, ...]) -> tuple[tuple[Field | None, Field | None], ...]:
    """Match the fields of one struct: by name; then a lone tagged one by its tag and type; then the rest in
    the places where both sides lack a partner, if type and shape agree and they share a version.

    The order is that of the new side; fields that are gone stand where they were.
    """
    left = {item.name: item for item in reversed(old)}
    partners = {id(item): left.pop(item.name) for item in new if item.name in left}
    lone = [item for item in new if id(item) not in partners]
    for item in lone:
        other = _renamed(item, new, old, left)
        if other is not None:
            partners[id(item)] = left.pop(other.name)
    result: list[tuple[Field | None, Field | None]] = [(partners.get(id(item)), item) for item in new]
    for place, item in enumerate(old):
        if left.get(item.name) is item:
            result.insert(min(place, len(result)), (item, None))
    return tuple(result)


def _renamed(
    item: Field, new: tuple[Field, ...], old: tuple[Field, ...], left: Mapping[str, Field]
) -> Field | None:
    for other in left.values():
        if not item.present & other.present or item.is_array != other.is_array:
            continue
        if item.is_struct != other.is_struct or (not item.is_struct and item.type != other.type):
            continue
        if item.tag is not None or other.tag is not None:
            if item.tag == other.tag:
                return other
        elif new.index(item) == old.index(other):
            return other
    return None


def apis(protocol: Protocol) -> Iterator[ApiPair]:
    """The APIs of which there are request and response, one of each: of two nobody knows which is meant."""
    requests: dict[int, list[Message]] = {}
    responses: dict[int, list[Message]] = {}
    for message in protocol:
        kind = {"request": requests, "response": responses}.get(message.type)
        if kind is not None and message.api_key is not None:
            kind.setdefault(message.api_key, []).append(message)
    for key, answers in responses.items():
        if len(answers) == len(requests.get(key, ())) == 1:
            yield ApiPair(requests[key][0], answers[0])


Pair = MessagePair | StructPair | FieldPair | LoneField


def walk(messages: MessagePair) -> Iterator[Pair]:
    """Every pair of two matched messages, from the top down; a struct reached by two paths comes once."""
    yield messages
    for struct in _structs(messages):
        yield struct
        for old, new in struct.pairs:
            if old is not None and new is not None:
                yield FieldPair(struct, old, new)
            elif old is not None:
                yield LoneField(struct, old, gone=True)
            elif new is not None:
                yield LoneField(struct, new, gone=False)


def walk_fields(message: Message) -> Iterator[OneField]:
    """Every field of one message as written, from the top down, those of common structs under their names."""

    def inside(
        fields: tuple[Field, ...], above: str, versions: Versions, within: tuple[str, ...]
    ) -> Iterator[OneField]:
        for item in fields:
            path = f"{above}.{item.name}" if above else item.name
            yield OneField(message, path, item, fields, versions, within)
            if item.fields:
                yield from inside(item.fields, path, versions & item.present, (*within, item.element))

    valid = message.valid_versions
    yield from inside(message.fields, "", valid, ())
    for struct in message.common_structs:
        yield from inside(struct.fields, struct.name, valid & struct.versions, (struct.name,))


def walk_structs(message: Message, before: Iterable[Elder] = ()) -> Iterator[OneStruct]:
    """The top level and every struct of one message as written; `before` are its released
    older selves.
    """
    burnt: dict[tuple[bool, str], dict[int, TagHolder]] = {}
    for other in before:
        for common, tags in ((False, other.tags), (True, other.struct_tags)):
            for path, holders in tags.items():
                held = burnt.setdefault((common, path), {})
                for tag, holder in holders.items():
                    held.setdefault(tag, holder)
    for path, name, fields, written, common in _written_structs(message):
        yield OneStruct(message, path, name, fields, written, burnt.get((common, path), {}))


def _written_structs(message: Message) -> Iterator[tuple[str, str, tuple[Field, ...], Written, bool]]:
    """Path, name, fields and node of each struct, and whether it is below a common struct or is one."""
    names = {struct.name for struct in message.common_structs}

    def inside(
        fields: tuple[Field, ...], above: str, common: bool
    ) -> Iterator[tuple[str, str, tuple[Field, ...], Written, bool]]:
        for item in fields:
            if item.fields is None or not item.is_struct or (not item.fields and item.element in names):
                continue
            path = f"{above}.{item.name}" if above else item.name
            yield path, item.element, item.fields, item.written, common
            yield from inside(item.fields, path, common)

    yield "", message.name, message.fields, message.written, False
    yield from inside(message.fields, "", False)
    for struct in message.common_structs:
        yield struct.name, struct.name, struct.fields, struct.written, True
        yield from inside(struct.fields, struct.name, True)


def _structs(messages: MessagePair) -> list[StructPair]:
    found: dict[
        tuple[int, int],
        tuple[dict[str, tuple[Field, ...]], set[int], tuple[tuple[Field | None, Field | None], ...]],
    ] = {}

    def visit(
        old: tuple[Field, ...],
        new: tuple[Field, ...],
        path: str,
        versions: VersionSet,
        chain: tuple[Field, ...],
        within: tuple[int, ...],
    ) -> None:
        key = (id(old), id(new))
        if id(new) in within:
            return
        paths, seen, pairs = found.setdefault(key, ({}, set(), match(old, new)))
        fresh = not seen or not versions <= seen
        paths.setdefault(path, chain)
        seen |= versions
        if not fresh:
            return
        for before, after in pairs:
            if before is None or after is None:
                continue
            inner_old, inner_new = messages.old.fields_of(before), messages.new.fields_of(after)
            if inner_old is None or inner_new is None:
                continue
            there = frozenset(v for v in versions if v in before.present and v in after.present)
            inner_path = f"{path}.{after.name}" if path else after.name
            visit(inner_old, inner_new, inner_path, there, (*chain, after), (*within, id(new)))

    visit(messages.old.fields, messages.new.fields, "", messages.both, (), ())
    return [
        StructPair(messages, tuple(paths), frozenset(versions), pairs, tuple(paths.values()))
        for paths, versions, pairs in found.values()
    ]
