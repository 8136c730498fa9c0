"""The same struct, pasted into the specs of several messages, on both sides."""

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from wirebook.rules.match import match_messages
from wirebook.specs.model import Field, Message, Protocol, SourceNode, are_same_at_top

_FEWEST = 2  # fields of a struct that is compared: one field is alike in many structs


class DefinedStruct(NamedTuple):
    """A struct that a message defines itself: its path, its node, and its fields."""

    path: str
    written: SourceNode
    fields: tuple[Field, ...]


class CopiedStruct(NamedTuple):
    """A struct that several messages had with the same fields, and that no longer has the same in all.

    `new` is the message on the new side; `path` and `written` are those of the struct in it. `others` are the
    messages whose copies differ from it now, and `differing` the names of the fields that do.
    """

    name: str
    path: str
    new: Message
    written: SourceNode
    others: tuple[Message, ...]
    differing: tuple[str, ...]


def defined_structs(message: Message) -> Mapping[str, DefinedStruct]:
    """The structs that a message defines itself, by name; of two with a name, the first."""
    structs: dict[str, DefinedStruct] = {}

    def add(fields: tuple[Field, ...], above: str) -> None:
        for field in fields:
            if field.fields and field.is_struct:
                path = f"{above}.{field.name}" if above else field.name
                structs.setdefault(field.element, DefinedStruct(path, field.written, field.fields))
                add(field.fields, path)

    for struct in message.common_structs:
        if not struct.path:
            structs.setdefault(struct.name, DefinedStruct(struct.name, struct.written, struct.fields))
            add(struct.fields, struct.name)
    add(message.fields, "")
    return structs


def copied_structs(old: Protocol, new: Protocol) -> Iterator[CopiedStruct]:
    """The structs whose copies were the same on the old side and differ on the new one, each once."""
    copies: dict[str, list[tuple[DefinedStruct, DefinedStruct, Message]]] = {}
    for one, other in _matched(old, new):
        structs = defined_structs(other)
        for name, struct in defined_structs(one).items():
            if name in structs and len(struct.fields) >= _FEWEST:
                copies.setdefault(name, []).append((struct, structs[name], other))
    for name, holders in copies.items():
        reported: set[str] = set()
        for before, after, message in holders:
            if _is_alike(before, after) or message.name in reported:
                continue
            others = [
                (now, other)
                for then, now, other in holders
                if other is not message and _is_alike(then, before) and not _is_alike(now, after)
            ]
            reported |= {other.name for _, other in others}
            if others:
                differing = _differing(after, others[0][0])
                messages = tuple(other for _, other in others)
                yield CopiedStruct(name, after.path, message, after.written, messages, differing)


def _matched(old: Protocol, new: Protocol) -> Iterator[tuple[Message, Message]]:
    """The messages that both sides have, of a protocol that could share structs."""
    if any(message.profile.family for message in new):
        return
    for one, other in match_messages(old, new):
        if one is not None and other is not None:
            yield one, other


def _is_alike(one: DefinedStruct, other: DefinedStruct) -> bool:
    """Whether two structs have the same fields, whatever is inside these: that is another struct."""
    return are_same_at_top(one.fields, other.fields)


def _differing(one: DefinedStruct, other: DefinedStruct) -> tuple[str, ...]:
    """The names of the fields that differ, in order."""
    sides = [{field.name: field for field in each.fields} for each in (one, other)]
    names = [
        name
        for name in dict.fromkeys((*sides[0], *sides[1]))
        if name not in sides[0]
        or name not in sides[1]
        or not are_same_at_top((sides[0][name],), (sides[1][name],))
    ]
    return tuple(names)
