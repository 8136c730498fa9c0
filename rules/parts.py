"""What rules judge: matched messages, structs and fields of base and head, and single ones of
head."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import count

from wirebook.rules.change import differing, field_keys, message_keys, struct_keys
from wirebook.rules.match import FieldMatch, definition_of, match_declared, top_level
from wirebook.rules.released import Released, ReleasedSpec
from wirebook.rules.rule import Hit
from wirebook.rules.tables import NO_TABLES, TablesPair
from wirebook.rules.window import Window
from wirebook.specs.layout import LayoutField
from wirebook.specs.model import (
    Field,
    Identity,
    Message,
    Protocol,
    SourceNode,
)
from wirebook.specs.problems import Place
from wirebook.specs.versions import Versions, VersionSet

VersionNumbers = frozenset[int]
# What is written in head, and in base.
Nodes = tuple[SourceNode | None, SourceNode | None]
# The names of the fields to which releases gave tags, by struct ("" for the message) and tag.
Reserved = Mapping[str, Mapping[int, str]]
_NONE = Protocol(())


class Part:
    """What a rule judges.

    `nodes` are what is written in head and in base. `change` is the exact change that it is
    ("type: int32 -> int64"; "" for one side), and `is_same` whether it is none. The `path` of those
    that have one is that of their field.
    """

    @property
    def nodes(self) -> Nodes:
        return None, None

    def places(self, key: str) -> tuple[Place | None, Place | None]:
        """The places of a key in head and in base; without one, the part, or the name of a
        message."""
        key = key or ("" if getattr(self, "path", "") else "name")
        head, base = (None if node is None else node.at(key) for node in self.nodes)
        return head, base

    @property
    def change(self) -> str:
        return ""

    @property
    def is_same(self) -> bool:
        return False


@dataclass
class Whole(Part):
    """A file, or all files together."""

    content: Message | Protocol

    @property
    def nodes(self) -> Nodes:
        return self.content.written if isinstance(self.content, Message) else None, None


@dataclass
class ProtocolPair(Part):
    """The messages of both sides, at least those that differ, with their tables and the releases.

    With `everything`, what base has counts as well. `window` is how long a version stays deprecated
    before it is removed.
    """

    base: Protocol = _NONE
    head: Protocol = _NONE
    tables: TablesPair = NO_TABLES
    released: Released = field(default_factory=Released)
    everything: bool = False
    window: Window | None = None


@dataclass
class MessagePair(Part):
    """A message in base and in head.

    `specs` are its released specs. `released` maps each frozen version to the first release that
    froze it, "" if base counts, and `deprecated` each version that a release deprecated to the
    first one. `unstable` is the top version of base if that is marked unstable. `protocols` are
    those that have the messages. `alike` are the versions in which both agree, once they are
    judged.
    """

    base: Message
    head: Message
    specs: Sequence[ReleasedSpec] = ()
    released: Mapping[int, str] = field(default_factory=dict)
    deprecated: Mapping[int, str] = field(default_factory=dict)
    unstable: int | None = None
    protocols: ProtocolPair = field(default_factory=ProtocolPair)
    alike: VersionNumbers = frozenset()

    @property
    def released_specs(self) -> Sequence[Message]:
        """The distinct released specs without the names of the releases."""
        return [spec.message for spec in self.specs]

    @property
    def is_same(self) -> bool:
        """Whether at most the fields differ, and no release has the message in another form."""
        head = replace(self.head, fields=(), common_structs=())
        return all(
            each.profile == head.profile and replace(each, fields=(), common_structs=()) == head
            for each in (self.base, *self.released_specs)
        )

    @cached_property
    def base_versions(self) -> VersionNumbers:
        """The versions that are valid in base."""
        return frozenset(self.base.valid_versions)

    @cached_property
    def head_versions(self) -> VersionNumbers:
        """The versions that are valid in head."""
        return frozenset(self.head.valid_versions)

    @property
    def nodes(self) -> Nodes:
        return self.head.written, self.base.written

    @property
    def change(self) -> str:
        return differing(message_keys(self.base), message_keys(self.head))


@dataclass
class StructPair(Part):
    """The fields of one struct (or of the top level, path "") on both sides, matched.

    `path` is the first path that reaches it. `versions` are those in which the struct exists on
    both sides, `base_versions` and `head_versions` those of each. `pairs` has (base, head), with
    None for a field that only one side has.
    """

    messages: MessagePair
    path: str
    pairs: Sequence[FieldMatch]
    versions: VersionNumbers = frozenset()
    base_versions: VersionNumbers = frozenset()
    head_versions: VersionNumbers = frozenset()

    def path_of(self, field: Field) -> str:
        """The path of one of its fields."""
        return path_to(self.path, field)

    @property
    def change(self) -> str:
        return differing(*map(struct_keys, (self.messages.base, self.messages.head)))


@dataclass
class FieldPair(Part):
    """A field on both sides."""

    struct: StructPair
    base: Field
    head: Field

    @property
    def messages(self) -> MessagePair:
        """The messages that hold the field."""
        return self.struct.messages

    @property
    def is_same(self) -> bool:
        """Whether both sides declare the field in the same way, but for descriptions."""
        return self.base == self.head

    @property
    def path(self) -> str:
        """The path of the field in head."""
        return self.struct.path_of(self.head)

    @property
    def both(self) -> VersionNumbers:
        """The versions in which both sides have it."""
        return versions_in(versions_in(self.struct.versions, self.base.present), self.head.present)

    @property
    def nodes(self) -> Nodes:
        return self.head.written, self.base.written

    @property
    def change(self) -> str:
        return differing(
            field_keys(self.messages.base, self.base), field_keys(self.messages.head, self.head)
        )


@dataclass
class DeletedField(Part):
    """A field that only base has."""

    struct: StructPair
    field: Field

    @property
    def messages(self) -> MessagePair:
        """The messages that hold the field."""
        return self.struct.messages

    @property
    def path(self) -> str:
        return self.struct.path_of(self.field)

    @property
    def nodes(self) -> Nodes:
        return None, self.field.written

    @property
    def change(self) -> str:
        return differing(field_keys(self.messages.base, self.field, placed=True), None)


def versions_in(versions: Iterable[int], present: Versions | VersionSet) -> VersionNumbers:
    """Those of some versions that a range, or a set, has."""
    return frozenset(version for version in versions if version in present)


def path_to(above: str, field: Field | LayoutField) -> str:
    """The path of a field in a struct with a path; "" is the top level."""
    return f"{above}.{field.name}" if above else field.name


@dataclass
class DeletedMessage(Part):
    """A message that only base has."""

    message: Message
    released: Mapping[int, str] = field(default_factory=dict)
    deprecated: Mapping[int, str] = field(default_factory=dict)
    protocols: ProtocolPair = field(default_factory=ProtocolPair)

    @property
    def nodes(self) -> Nodes:
        return None, self.message.written

    @property
    def change(self) -> str:
        return differing(message_keys(self.message), None)


@dataclass
class ApiPair(Part):
    """The request and the response of one API, on one side."""

    request: Message
    response: Message

    @property
    def nodes(self) -> Nodes:
        return self.response.written, None


@dataclass
class OneField(Part):
    """A single field of a single message; `fields` are all fields of its struct.

    `versions` are the valid ones that have the struct, `within` the names of the enclosing structs,
    outermost first.
    """

    message: Message
    path: str
    field: Field
    fields: tuple[Field, ...]
    versions: Versions
    within: tuple[str, ...]

    @property
    def nodes(self) -> Nodes:
        return self.field.written, None

    def hit(self, sentence: str, fix: str, key: str = "", discriminator: str = "") -> Hit:
        """The hit of a rule that judges all fields of a message, on this one."""
        return Hit(
            sentence,
            fix,
            at=self.field.written.at(key),
            path=self.path,
            discriminator=discriminator,
        )

    @property
    def is_imported(self) -> bool:
        """Whether it is in a struct that the message imports, and other messages may, too."""
        struct = self.message.structs.get(self.within[0]) if self.within else None
        return struct is not None and struct.path != ""


@dataclass
class OneStruct(Part):
    """A single struct, or the top level of a message (path ""); common structs have their name as
    path.

    `name` is that of the struct or message; `reserved` are the tags that releases gave to its
    fields, each with the name of the field.
    """

    message: Message
    path: str
    name: str
    fields: tuple[Field, ...]
    written: SourceNode
    reserved: Mapping[int, str]

    @property
    def nodes(self) -> Nodes:
        return self.written, None

    def free_tags(self) -> Iterator[int]:
        """The tags that no field has and that no release gave to one, the lowest first."""
        used = {each.tag for each in self.fields} | self.reserved.keys()
        yield from (tag for tag in count() if tag not in used)


def walk(messages: MessagePair) -> Iterator[MessagePair | StructPair | FieldPair | DeletedField]:
    """Every part of two matched messages, from the top down; a struct on two paths appears once."""
    yield messages
    for struct in structs(messages):
        yield struct
        for base, head in struct.pairs:
            if base is not None and head is not None:
                yield FieldPair(struct, base, head)
            elif base is not None:
                yield DeletedField(struct, base)


def structs(messages: MessagePair) -> list[StructPair]:
    """Every pair of matched structs once, from the top down, with the versions of all paths to it.

    The elements of an array are not the struct that a field of its name was.
    """
    pairs: dict[tuple[int, int], StructPair] = {}
    stack = [
        (
            top_level(messages.base),
            top_level(messages.head),
            "",
            messages.base_versions,
            messages.head_versions,
        )
    ]
    while stack:
        base, head, path, of_base, of_head = stack.pop()
        key = (base.order, head.order)
        both = of_base & of_head
        if key not in pairs:
            pairs[key] = StructPair(messages, path, match_declared(base, head))
        elif (
            both <= pairs[key].versions
            and of_base <= pairs[key].base_versions
            and of_head <= pairs[key].head_versions
        ):
            # Of many paths to a struct, one in the versions of another leads to nothing new.
            continue
        struct = pairs[key]
        struct.versions |= both
        struct.base_versions |= of_base
        struct.head_versions |= of_head
        # A spec may declare a name twice, for different versions: to readers that is one field.
        named = {each.name: each for each, _ in reversed(struct.pairs) if each is not None}
        for before, after in reversed(struct.pairs):
            if before is None and after is not None:
                before = named.get(after.name)
            if before is None or after is None or before.is_array != after.is_array:
                continue
            one = definition_of(messages.base, before)
            other = definition_of(messages.head, after)
            if one is not None and other is not None:
                stack.append(
                    (
                        one,
                        other,
                        path_to(path, after),
                        versions_in(of_base, before.present),
                        versions_in(of_head, after.present),
                    )
                )
    return list(pairs.values())


def walk_fields(message: Message, *, everything: bool = False) -> Iterator[OneField]:
    """Every field of a message as written, from the top down; paths in common structs begin with
    its name.

    Without `everything`, fields of imported structs that exist in no version of this message are
    left out.
    """

    def inside(
        fields: tuple[Field, ...],
        above: str,
        versions: Versions,
        within: tuple[str, ...],
        limit: Versions | None,
    ) -> Iterator[OneField]:
        for each in fields:
            if limit is None or each.present & limit:
                path = path_to(above, each)
                yield OneField(message, path, each, fields, versions, within)
                names = (*within, each.element)
                yield from inside(each.fields or (), path, versions & each.present, names, limit)

    yield from inside(message.fields, "", message.valid_versions, (), None)
    for struct in message.common_structs:
        versions = message.valid_versions & struct.versions
        limit = versions if struct.path and not everything else None
        yield from inside(struct.fields, struct.name, versions, (struct.name,), limit)


def walk_structs(
    message: Message, reserved: Mapping[str, Mapping[int, str]] = {}
) -> Iterator[OneStruct]:
    """The top level and every struct of a message as written, with the tags that releases gave."""
    tags = reserved.get("", {})
    yield OneStruct(message, "", message.name, message.fields, message.written, tags)
    for struct in message.common_structs:
        tags = reserved.get(struct.name, {})
        yield OneStruct(message, struct.name, struct.name, struct.fields, struct.written, tags)
    for member in walk_fields(message, everything=True):
        field = member.field
        own = definition_of(message, field)
        if own is not None and own.order == field.written.order:
            tags = reserved.get(field.element, {})
            yield OneStruct(message, member.path, field.element, own.fields, field.written, tags)


def reserved_tags(specs: Sequence[ReleasedSpec]) -> Reserved:
    """The tags that releases gave to fields in stable versions, each with the first name."""
    reserved: dict[str, dict[int, str]] = {}
    for spec in specs:
        for member in walk_fields(spec.message):
            field = member.field
            struct = member.within[-1] if member.within else ""
            if field.tag is not None and any(at in field.tagged_versions for at in spec.stable):
                reserved.setdefault(struct, {}).setdefault(field.tag, field.name)
    return reserved


def apis(protocol: Protocol) -> Iterator[ApiPair]:
    """The APIs with exactly one request and one response; of two, the intended one is unknown."""
    by_identity: dict[Identity, list[Message]] = {}
    for message in protocol:
        by_identity.setdefault(message.identity, []).append(message)
    for (kind, key), answers in by_identity.items():
        requests = by_identity.get(("request", key), []) if kind == "response" else []
        if len(answers) == len(requests) == 1:
            yield ApiPair(requests[0], answers[0])
