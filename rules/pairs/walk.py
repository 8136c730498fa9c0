"""The walk over two matched messages, and over one by itself, field by field."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property, lru_cache
from typing import NamedTuple

from wirebook.rules.match import Declaration, FieldMatch, FieldMatcher, definition_of, top_level
from wirebook.rules.pairs.kinds import (
    ApiPair,
    FieldPair,
    ItemPair,
    LoneField,
    MessagePair,
    OneField,
    OneStruct,
    StructPair,
    VersionNumbers,
)
from wirebook.rules.released import Reserved
from wirebook.specs.model import Field, Message, Protocol
from wirebook.specs.versions import Versions


def walk(messages: MessagePair) -> Iterator[ItemPair]:
    """Every pair of two matched messages, from the top down; a struct on two paths appears once."""
    yield messages
    for struct in structs(messages):
        yield struct
        for old, new in struct.pairs:
            if old is not None and new is not None:
                yield FieldPair(struct, old, new)
            elif old is not None:
                yield LoneField(struct, old, gone=True)
            elif new is not None:
                yield LoneField(struct, new, gone=False)


def walk_fields(message: Message) -> Sequence[OneField]:
    """Every field of a message as written, from the top down; paths in common structs begin with its name."""
    return _walked(message).fields


def fields_by_type(message: Message) -> Mapping[str, Sequence[OneField]]:
    """The fields of `walk_fields`, by their type or that of their elements."""
    return _walked(message).by_type


class _WalkedMessage:
    """The fields of a message, as one walk yields them."""

    def __init__(self, message: Message) -> None:
        self.message = message
        self.fields = tuple(self._walk())

    @cached_property
    def by_type(self) -> Mapping[str, Sequence[OneField]]:
        by_type: dict[str, list[OneField]] = {}
        for member in self.fields:
            by_type.setdefault(member.field.element, []).append(member)
        return by_type

    def _walk(self) -> Iterator[OneField]:
        valid = self.message.valid_versions
        yield from self._inside(self.message.fields, "", valid, ())
        for struct in self.message.common_structs:
            versions = valid & struct.versions
            # The versions of a shared struct are those of each message: not all have all of its fields.
            fields = struct.fields if not struct.path else _in_versions(struct.fields, versions)
            yield from self._inside(fields, struct.name, versions, (struct.name,))

    def _inside(
        self, fields: tuple[Field, ...], above: str, versions: Versions, within: tuple[str, ...]
    ) -> Iterator[OneField]:
        for field in fields:
            path = f"{above}.{field.name}" if above else field.name
            yield OneField(self.message, path, field, fields, versions, within)
            if field.fields:
                inner = versions & field.present
                yield from self._inside(field.fields, path, inner, (*within, field.element))


def _in_versions(fields: tuple[Field, ...], versions: Versions) -> tuple[Field, ...]:
    """The fields that exist in some of the versions, and inside them only such."""
    return tuple(
        field if not field.fields else field._replace(fields=_in_versions(field.fields, versions))
        for field in fields
        if field.present & versions
    )


def _walked(message: Message) -> _WalkedMessage:
    """The walk over a message, kept for the next rule: rules judge a message one after the other."""
    global _last_walked
    if _last_walked is None or _last_walked.message is not message:
        _last_walked = _WalkedMessage(message)
    return _last_walked


_last_walked: _WalkedMessage | None = None


def walk_structs(message: Message, releases: Callable[[], Reserved] | None = None) -> Iterator[OneStruct]:
    """The top level and every struct of a message as written.

    `releases` returns the tags that releases assigned to the fields of each.
    """
    names = {struct.name for struct in message.common_structs}

    def inside(fields: tuple[Field, ...], above: str) -> Iterator[OneStruct]:
        for field in fields:
            if field.fields is None or not field.is_struct or (not field.fields and field.element in names):
                continue
            path = f"{above}.{field.name}" if above else field.name
            yield OneStruct(message, path, field.element, field.fields, field.written, releases)
            yield from inside(field.fields, path)

    yield OneStruct(message, "", message.name, message.fields, message.written, releases)
    yield from inside(message.fields, "")
    for struct in message.common_structs:
        yield OneStruct(message, struct.name, struct.name, struct.fields, struct.written, releases)
        yield from inside(struct.fields, struct.name)


@lru_cache(maxsize=8)
def reserved_tags(messages: MessagePair) -> Reserved:
    """The tags that releases, or else the old side, assigned to fields, for each struct of the new side."""
    reserved: dict[int, dict[int, str]] = {}
    for spec in (*messages.released_specs, messages.old):
        stable = frozenset(spec.valid_versions) & messages.released.keys()
        for struct in structs(MessagePair(spec, messages.new)):
            names = reserved.setdefault(struct.declared[1], {})
            for field, _ in struct.pairs:
                if (
                    field is None
                    or field.tag is None
                    or not any(at in field.tagged_versions for at in stable)
                ):
                    continue
                names.setdefault(field.tag, field.name)
    return reserved


def apis(protocol: Protocol) -> Iterator[ApiPair]:
    """The APIs with exactly one request and one response; of two, the intended one is unknown."""
    requests: dict[int, list[Message]] = {}
    responses: dict[int, list[Message]] = {}
    for message in protocol:
        kind = {"request": requests, "response": responses}.get(message.type)
        if kind is not None and message.api_key is not None:
            kind.setdefault(message.api_key, []).append(message)
    for key, answers in responses.items():
        if len(answers) == len(requests.get(key, ())) == 1:
            yield ApiPair(requests[key][0], answers[0])


class _ReachedVersions(NamedTuple):
    """The versions in which a path reaches a struct on each side."""

    old: VersionNumbers
    new: VersionNumbers

    def inside(self, old: Field, new: Field) -> "_ReachedVersions":
        """The versions in which it reaches the struct in a matched field."""
        return _ReachedVersions(
            frozenset(version for version in self.old if version in old.present),
            frozenset(version for version in self.new if version in new.present),
        )


class _Visited:
    """Two matched structs with the paths that reach them so far, and the versions there."""

    def __init__(self, pairs: tuple[FieldMatch, ...]) -> None:
        self.pairs = pairs
        self.paths: dict[str, None] = {}
        self.both: VersionNumbers = frozenset()
        self.old: VersionNumbers = frozenset()
        self.new: VersionNumbers = frozenset()

    def add(self, path: str, reached: _ReachedVersions) -> bool:
        """Add the versions of another path; returns whether no earlier path has all of them."""
        is_first = not self.paths
        self.paths[path] = None
        both = reached.old & reached.new
        is_known = both <= self.both and reached.old <= self.old and reached.new <= self.new
        self.both |= both
        self.old |= reached.old
        self.new |= reached.new
        return is_first or not is_known


def structs(messages: MessagePair) -> list[StructPair]:
    """Every pair of matched structs once, from the top down."""
    matcher = FieldMatcher(messages.old, messages.new)
    visited: dict[tuple[int, int], _Visited] = {}

    def visit(
        old: Declaration, new: Declaration, path: str, reached: _ReachedVersions, within: tuple[int, ...]
    ) -> None:
        if new.order in within:
            return
        key = (old.order, new.order)
        if key not in visited:
            visited[key] = _Visited(matcher.match(old, new))
        struct = visited[key]
        # Of many paths to a struct, one in the versions of another leads to nothing new.
        if not struct.add(path, reached):
            return
        for before, after in struct.pairs:
            if before is not None and after is not None:
                visit_inside(before, after, path, reached, (*within, new.order))

    def visit_inside(
        before: Field, after: Field, above: str, reached: _ReachedVersions, within: tuple[int, ...]
    ) -> None:
        old, new = definition_of(messages.old, before), definition_of(messages.new, after)
        if old is not None and new is not None:
            path = f"{above}.{after.name}" if above else after.name
            visit(old, new, path, reached.inside(before, after), within)

    reached = _ReachedVersions(messages.old_versions, messages.new_versions)
    visit(top_level(messages.old), top_level(messages.new), "", reached, ())
    return [
        StructPair(
            messages,
            tuple(struct.paths),
            struct.both,
            struct.old,
            struct.new,
            struct.pairs,
            declared,
        )
        for declared, struct in visited.items()
    ]
