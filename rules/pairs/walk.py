"""The walk over two matched messages, and over one by itself, field by field."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from wirebook.rules.pairs.kinds import (
    ApiPair,
    FieldPair,
    LoneField,
    MessagePair,
    OneField,
    OneStruct,
    Pair,
    StructPair,
    VersionNumbers,
)
from wirebook.rules.pairs.match import Definition, FieldMatch, FieldMatcher, definition_of, top_level
from wirebook.rules.released import ReleasedMessage, TagHolder
from wirebook.specs.model import Field, Message, Protocol, SourceNode
from wirebook.specs.versions import Versions


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


def walk_structs(message: Message, before: Iterable[ReleasedMessage] = ()) -> Iterator[OneStruct]:
    """The top level and every struct of one message as written; `before` are its released
    older selves.
    """
    reserved: dict[tuple[bool, str], dict[int, TagHolder]] = {}
    for other in before:
        for common, tags in ((False, other.tags), (True, other.struct_tags)):
            for path, holders in tags.items():
                held = reserved.setdefault((common, path), {})
                for tag, holder in holders.items():
                    held.setdefault(tag, holder)
    for path, name, fields, written, common in _written_structs(message):
        yield OneStruct(message, path, name, fields, written, reserved.get((common, path), {}))


def _written_structs(message: Message) -> Iterator[tuple[str, str, tuple[Field, ...], SourceNode, bool]]:
    """Path, name, fields and node of each struct, and whether it is below a common struct or is one."""
    names = {struct.name for struct in message.common_structs}

    def inside(
        fields: tuple[Field, ...], above: str, common: bool
    ) -> Iterator[tuple[str, str, tuple[Field, ...], SourceNode, bool]]:
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


class _Visited:
    """Two matched structs with all paths that reach them so far, and the versions of each side there."""

    def __init__(self, pairs: tuple[FieldMatch, ...]) -> None:
        self.pairs = pairs
        self.chains: dict[str, tuple[Field, ...]] = {}
        self.old: VersionNumbers = frozenset()
        self.new: VersionNumbers = frozenset()
        self.both: VersionNumbers = frozenset()

    def add(self, old: VersionNumbers, new: VersionNumbers) -> bool:
        """Take in the versions of one more path; whether they are more than was known."""
        known = self.old, self.new, self.both
        self.old |= old
        self.new |= new
        self.both |= old & new
        return known != (self.old, self.new, self.both)


def _structs(messages: MessagePair) -> list[StructPair]:
    """Every pair of matched structs once, from the top down."""
    matcher = FieldMatcher(messages.old, messages.new)
    visited: dict[tuple[int, int], _Visited] = {}

    def visit(
        old: Definition,
        new: Definition,
        path: str,
        old_versions: VersionNumbers,
        new_versions: VersionNumbers,
        chain: tuple[Field, ...],
        within: tuple[int, ...],
    ) -> None:
        if new.order in within:
            return
        key = (old.order, new.order)
        first = key not in visited
        if first:
            visited[key] = _Visited(matcher.match(old, new))
        struct = visited[key]
        struct.chains.setdefault(path, chain)
        if not struct.add(old_versions, new_versions) and not first:
            return
        for before, after in struct.pairs:
            if before is None or after is None:
                continue
            inner_old, inner_new = definition_of(messages.old, before), definition_of(messages.new, after)
            if inner_old is None or inner_new is None:
                continue
            visit(
                inner_old,
                inner_new,
                f"{path}.{after.name}" if path else after.name,
                frozenset(version for version in old_versions if version in before.present),
                frozenset(version for version in new_versions if version in after.present),
                (*chain, after),
                (*within, new.order),
            )

    visit(
        top_level(messages.old),
        top_level(messages.new),
        "",
        messages.old_versions,
        messages.new_versions,
        (),
        (),
    )
    return [
        StructPair(
            messages,
            tuple(struct.chains),
            struct.both,
            struct.old,
            struct.new,
            struct.pairs,
            tuple(struct.chains.values()),
        )
        for struct in visited.values()
    ]
