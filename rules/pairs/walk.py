"""The walk over two matched messages, and over one by itself, field by field."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

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
    Way,
)
from wirebook.rules.pairs.match import Definition, FieldMatch, FieldMatcher, definition_of, top_level
from wirebook.rules.pairs.parted import parted
from wirebook.specs.model import Field, Message, Protocol
from wirebook.specs.versions import Versions

if TYPE_CHECKING:
    from wirebook.rules.released import Reserved


def walk(messages: MessagePair) -> Iterator[Pair]:
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


def walk_fields(message: Message) -> Iterator[OneField]:
    """Every field of a message as written, from the top down; paths in common structs begin with its name."""

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


def fields_by_type(message: Message) -> Mapping[str, Sequence[OneField]]:
    """The fields of `walk_fields`, by their type or that of their elements."""
    global _by_type
    if _by_type is None or _by_type[0] is not message:
        found: dict[str, list[OneField]] = {}
        for item in walk_fields(message):
            found.setdefault(item.field.element, []).append(item)
        _by_type = message, found
    return _by_type[1]


# Rules on single fields request those of the judged message, one rule after the other.
_by_type: tuple[Message, Mapping[str, Sequence[OneField]]] | None = None


def walk_structs(message: Message, releases: "Callable[[], Reserved] | None" = None) -> Iterator[OneStruct]:
    """The top level and every struct of a message as written.

    `releases` returns the tags that releases assigned to the fields of each.
    """
    names = {struct.name for struct in message.common_structs}

    def inside(fields: tuple[Field, ...], above: str) -> Iterator[OneStruct]:
        for item in fields:
            if item.fields is None or not item.is_struct or (not item.fields and item.element in names):
                continue
            path = f"{above}.{item.name}" if above else item.name
            yield OneStruct(message, path, item.element, item.fields, item.written, releases)
            yield from inside(item.fields, path)

    yield OneStruct(message, "", message.name, message.fields, message.written, releases)
    yield from inside(message.fields, "")
    for struct in message.common_structs:
        yield OneStruct(message, struct.name, struct.name, struct.fields, struct.written, releases)
        yield from inside(struct.fields, struct.name)


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


class _Reached(NamedTuple):
    """The versions in which paths reach two matched structs, as StructPair names them."""

    old: VersionNumbers
    new: VersionNumbers
    read: VersionNumbers
    optional: VersionNumbers = frozenset()

    def inside(self, old: Field, new: Field) -> "_Reached":
        """The versions in which they reach the struct in a matched field."""
        inner_old = frozenset(version for version in self.old if version in old.present)
        inner_new = frozenset(version for version in self.new if version in new.present)
        if old.is_array or new.is_array or "null" in (old.default, new.default):
            # A field that is not sent has no elements, or no object.
            return _Reached(inner_old, inner_new, self.read & inner_old & inner_new)
        both = self.old & self.new
        tagged = {v for v in both if v in old.tagged_versions or v in new.tagged_versions}
        return _Reached(inner_old, inner_new, self.read, self.optional | tagged)

    def only(self, versions: VersionNumbers) -> "_Reached":
        """Some of these versions, for fields that correspond only there: an absent one is not that one."""
        sides = self.old & versions, self.new & versions
        return _Reached(*sides, frozenset(), self.optional & versions)

    def is_within(self, other: "_Reached") -> bool:
        """Whether other paths are in the same versions, and in all of these that have the struct absent."""
        return all(map(frozenset.issubset, self, other)) and (
            self.read.isdisjoint(other.old - self.old) and self.read.isdisjoint(other.new - self.new)
        )


class _Visited:
    """Two matched structs with the paths that reach them so far, and the versions there."""

    def __init__(self, pairs: tuple[FieldMatch, ...]) -> None:
        self.pairs = pairs
        self.paths: dict[str, None] = {}
        self.both: VersionNumbers = frozenset()
        self.reached = _Reached(frozenset(), frozenset(), frozenset())
        self.ways: list[_Reached] = []

    def add(self, path: str, reached: _Reached) -> bool:
        """Add the versions of another path; returns whether no earlier path has all of them."""
        self.paths[path] = None
        if any(map(reached.is_within, self.ways)):
            return False
        self.ways.append(reached)
        self.both |= reached.old & reached.new
        self.reached = _Reached(*(one | other for one, other in zip(self.reached, reached, strict=True)))
        return True


def structs(messages: MessagePair) -> list[StructPair]:
    """Every pair of matched structs once, from the top down."""
    matcher = FieldMatcher(messages.old, messages.new)
    visited: dict[tuple[int, int], _Visited] = {}

    def visit(
        old: Definition, new: Definition, path: str, reached: _Reached, within: tuple[int, ...]
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
        for before, after, versions in parted(messages, struct.pairs, old, new, reached.old & reached.new):
            visit_inside(before, after, path, reached.only(versions), (*within, new.order))

    def visit_inside(
        before: Field, after: Field, above: str, reached: _Reached, within: tuple[int, ...]
    ) -> None:
        old, new = definition_of(messages.old, before), definition_of(messages.new, after)
        if old is not None and new is not None:
            path = f"{above}.{after.name}" if above else after.name
            visit(old, new, path, reached.inside(before, after), within)

    reached = _Reached(messages.old_versions, messages.new_versions, messages.both)
    visit(top_level(messages.old), top_level(messages.new), "", reached, ())
    return [
        StructPair(
            messages,
            tuple(struct.paths),
            struct.both,
            struct.reached.old,
            struct.reached.new,
            struct.reached.optional,
            tuple(Way(way.old, way.new, way.read) for way in struct.ways),
            struct.pairs,
            declared,
        )
        for declared, struct in visited.items()
    ]
