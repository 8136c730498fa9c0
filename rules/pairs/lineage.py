"""Follows structs and fields from release to release, to find what releases had in their place."""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import NamedTuple

from wirebook.rules.pairs.equality import bounds
from wirebook.rules.pairs.kinds import FieldPair, MessagePair, StructPair, VersionNumbers
from wirebook.rules.pairs.match import Definition, definition_of, top_level
from wirebook.rules.pairs.walk import structs, walk
from wirebook.rules.released import Declared, Reserved, TagHolder, stable_versions
from wirebook.specs.model import Field, Message
from wirebook.specs.versions import Versions

# The holders of each tag, by all their properties except the release.
_Held = dict[int, dict[TagHolder, TagHolder]]


@lru_cache(maxsize=8)
def reserved_tags(pair: MessagePair) -> Reserved:
    """The tags that releases assigned to fields, for each struct of the new side.

    The matcher follows a struct from release to release, to the old side and to the new one, so a new name of
    the struct or of a field around it does not lose its tags. A struct that is missing in a release is
    recognized later by its path, or by its name if only structs without bytes of their own were put around
    it.
    """
    history = _History()
    for release in pair.releases:
        history.advance(release.message)
        history.note(release.message, release.name)
    for message in (pair.old, pair.new):
        history.advance(message)
    return {
        order: {tag: tuple(holders.values()) for tag, holders in held.items()}
        for order, held in history.held.items()
    }


class _Older(NamedTuple):
    """A field of a release matched with one side, the release, and the versions."""

    pair: FieldPair
    release: str
    versions: VersionNumbers


@lru_cache(maxsize=8)
def _older_fields(pair: MessagePair, of_new: bool) -> Mapping[int, Sequence[_Older]]:
    """For each field of one side (by the order of its node), its forms in releases, oldest first."""
    side = pair.new if of_new else pair.old
    found: dict[int, list[_Older]] = {}
    for release in pair.releases:
        spec = release.message
        frozen = frozenset(stable_versions(spec.valid_versions, spec.latest_version_unstable))
        for part in walk(MessagePair(spec, side, only=frozen)):
            if isinstance(part, FieldPair) and part.before:
                older = _Older(part, release.name, part.before)
                found.setdefault(part.new.written.order, []).append(older)
    return found


def first_release(pair: MessagePair, field: Field, version: int) -> str | None:
    """The first release that has a field of the old side in a version; None if there is none."""
    older = _older_fields(pair, False).get(field.written.order, ())
    return next((item.release for item in older if version in item.versions), None)


def released_forms(pair: MessagePair, field: Field, *, of_new: bool = True) -> list[FieldPair]:
    """A field of the new side, or of the old one, paired with its form in each release that has it."""
    return [item.pair for item in _older_fields(pair, of_new).get(field.written.order, ())]


def successors(pair: MessagePair, released: Field) -> list[Field]:
    """The fields of the old side that a field of a release became, under this name or another.

    Those in a struct that took the place of its own in some versions only are left out: where it is absent,
    readers do not look there.
    """
    found = (item.pair for forms in _older_fields(pair, False).values() for item in forms)
    return [
        older.new for older in found if older.old is released and any(way.read for way in older.struct.ways)
    ]


class _Known(NamedTuple):
    """A struct and what identifies it: its first path, its name, and the `frames` around its bytes.

    Frames are the arrays and the tagged fields on the path, with their tags. Another enclosing struct adds no
    bytes before it, but a struct with the same name in another frame is a different one.
    """

    declared: Definition
    path: str
    name: str
    frames: tuple[tuple[bool, int | None], ...]

    def is_now(self, other: _Known) -> bool:
        """Whether a lost struct was reintroduced as another one."""
        return self.path == other.path or (self.name, self.frames) == (other.name, other.frames)


class _Lost(NamedTuple):
    """A struct that a release no longer has, and the tags of its fields."""

    struct: _Known
    held: _Held


class _History:
    """Follows the structs of a message from one spec to the next."""

    def __init__(self) -> None:
        self.held: dict[int, _Held] = {}
        self.message: Message | None = None
        self.lost: list[_Lost] = []

    def advance(self, message: Message) -> None:
        """Advance to the next spec, and move the tags of each struct to its successor."""
        before, self.message = self.message, message
        if before is None or before is message:
            return
        held: dict[int, _Held] = {}
        followed: set[int] = set()
        pair = MessagePair(before, message)
        matched = structs(pair)
        for struct in matched:
            old, new = struct.declared
            followed.add(old)
            _add_all(held.setdefault(new, {}), self.held.get(old, {}))
        for old, new in _under_one_tag(pair, matched) if any(self.held.values()) else ():
            if old not in followed:
                _add_all(held.setdefault(new, {}), self.held.get(old, {}))
        for old, new in _split(before, message, held) if any(self.held.values()) else ():
            _add_all(held.setdefault(new, {}), self.held.get(old, {}))
        self.lost += [
            _Lost(struct, self.held[struct.declared.order])
            for struct in _declared(before)
            if struct.declared.order not in followed and self.held.get(struct.declared.order)
        ]
        for now in _declared(message) if self.lost else ():
            order = now.declared.order
            if order not in held:
                for lost in [lost for lost in self.lost if lost.struct.is_now(now)]:
                    _add_all(held.setdefault(order, {}), lost.held)
                    self.lost.remove(lost)
        self.held = held

    def note(self, message: Message, release: str) -> None:
        """Record the tags of a release."""
        stable = stable_versions(message.valid_versions, message.latest_version_unstable)
        for declared, *_ in _declared(message):
            for item in declared.fields:
                if item.tag is not None:
                    holder = TagHolder(
                        item.name,
                        item.type,
                        item.tagged_versions & stable,
                        release,
                        stable,
                        str(item.default),
                        Declared(message, item) if item.is_struct else None,
                    )
                    _add(self.held.setdefault(declared.order, {}), item.tag, holder)


def _under_one_tag(pair: MessagePair, matched: Iterable[StructPair]) -> Iterator[tuple[int, int]]:
    """The structs that have the tag of another one before: readers mistake one for the other."""
    for struct in matched:
        tags = {old.tag: old for old, _ in struct.pairs if old is not None and old.is_struct}
        for _, new in struct.pairs:
            old = None if new is None or new.tag is None else tags.get(new.tag)
            if new is not None and old is not None and old.is_struct_like(new):
                before, after = definition_of(pair.old, old), definition_of(pair.new, new)
                if before is not None and after is not None:
                    yield before.order, after.order


def _split(before: Message, message: Message, known: Container[int]) -> Iterator[tuple[int, int]]:
    """The structs of a spec without a predecessor, each with those that had its place in a version before.

    If several structs replace one, each in some versions, the matcher finds only one successor.
    """
    left = [struct.declared.order for struct in _declared(message) if struct.declared.order not in known]
    if not left:
        return
    common = before.valid_versions & message.valid_versions
    starts = {common.lowest} | {at for at in bounds(before) | bounds(message) if at in common}
    for version in sorted(starts) if common else ():
        one = Versions(version, version)
        pair = MessagePair(replace(before, valid_versions=one), replace(message, valid_versions=one))
        for struct in structs(pair):
            if struct.declared[1] in left:
                yield struct.declared


def _add(held: _Held, tag: int, holder: TagHolder) -> None:
    """Record an unknown holder of a tag; for the same field with the same type, the oldest release counts."""
    held.setdefault(tag, {}).setdefault(holder._replace(release=""), holder)


def _add_all(held: _Held, more: _Held) -> None:
    """Record the unknown holders of all tags of a struct."""
    for tag, holders in more.items():
        for holder in holders.values():
            _add(held, tag, holder)


def _declared(message: Message) -> Iterator[_Known]:
    """Every struct of a message once, from the top down."""
    seen: set[int] = set()

    def visit(struct: _Known) -> Iterator[_Known]:
        if struct.declared.order in seen:
            return
        seen.add(struct.declared.order)
        yield struct
        for item in struct.declared.fields:
            inner = definition_of(message, item)
            if inner is not None:
                path = f"{struct.path}.{item.name}" if struct.path else item.name
                framed = item.is_array or item.tag is not None
                frames = (*struct.frames, (item.is_array, item.tag)) if framed else struct.frames
                yield from visit(_Known(inner, path, item.element, frames))

    yield from visit(_Known(top_level(message), "", message.name, ()))
    for shared in message.common_structs:
        declared = Definition(shared.written.order, shared.fields)
        yield from visit(_Known(declared, f"{shared.name}:", shared.name, ()))
