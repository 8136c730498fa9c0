"""The only matcher: which message, struct and field of one side corresponds to which of another.

A side is a protocol, or a layout of a message, whose fields are matched as their declarations are.
"""

from bisect import bisect_left
from collections.abc import Callable, Iterator, Mapping, Sequence
from operator import attrgetter
from typing import NamedTuple

from wirebook.specs.layout import Layout, LayoutField
from wirebook.specs.model import Field, Message, Protocol

SpecFields = Sequence[Field]
PEERS = ("request", "response", "header")
# The type that represents all types with the same bytes: signed numbers, and plain bytes.
_BYTES_OF = {"records": "bytes", "uint16": "int16", "uint32": "int32"}

# By what a message is found again, the surest first: its type and name, also if its key changed,
# what a header says of it, the name or the key of a record, its name without that ending of a
# class. Of two with one API key or one name, both decide.
_KEYS: Sequence[Callable[[Message], object]] = (
    lambda message: (message.identity, message.name),
    lambda message: (message.type, message.name),
    lambda message: message.identity,
    lambda message: None if message.type in PEERS else message.name,
    lambda message: None if message.api_key is None else (message.name, message.api_key),
    # A key identifies a record of the metadata log; coordinators share keys.
    lambda message: message.api_key if message.type == "metadata" else None,
    lambda message: (message.type, message.name.removesuffix("Data")),
)


def match_messages(
    base: Protocol, head: Protocol
) -> Iterator[tuple[Message | None, Message | None]]:
    """Match messages: each of head with its old version or None, then those that were
    removed."""
    left = {id(message): message for message in base}
    partners: dict[int, Message] = {}
    for key_of in _KEYS:
        by_key = {key_of(message): message for message in reversed(left.values())}
        for message in head:
            key = key_of(message)
            partner = None if key is None else by_key.get(key)
            if partner is not None and id(partner) in left and id(message) not in partners:
                partners[id(message)] = left.pop(id(partner))
    for message in head:
        yield partners.get(id(message)), message
    for message in left.values():
        yield message, None


class FieldMatch(NamedTuple):
    """Two corresponding fields; None for the side that has none."""

    base: Field | None
    head: Field | None


class Declaration(NamedTuple):
    """The declaration of the fields of a struct: in a field, in a common struct, or at the top of a
    message.

    `order` is that of the node that declares them, which is unique in the spec; empty lists of
    fields, in contrast, are all the same object.
    """

    order: int
    fields: tuple[Field, ...]


def top_level(message: Message) -> Declaration:
    """The declaration of a message's own fields."""
    return Declaration(message.written.order, message.fields)


def definition_of(message: Message, field: Field) -> Declaration | None:
    """The declaration of a field's struct: its own, or that of the common struct that it names."""
    if not field.is_struct:
        return None
    shared = message.structs.get(field.element)
    if field.fields or (shared is None and field.fields is not None):
        return Declaration(field.written.order, field.fields or ())
    return None if shared is None else Declaration(shared.written.order, shared.fields)


class FieldMatcher:
    """Matches the fields of two specs of a message, struct by struct."""

    def __init__(self, base: Message, head: Message) -> None:
        self.base = base
        self.head = head
        self.same = base is head or base == head
        self.common = base.valid_versions & head.valid_versions

    def match(self, base: Declaration, head: Declaration) -> tuple[FieldMatch, ...]:
        """Match the fields of one struct: by name in a common version, by tag, by place, then by
        name.

        A place is among the matched fields that share a version with a field. Fields matched by tag
        or place have a version and a type in common; structs also have their name or most of their
        fields in common. If no common version has a name on both sides, the name is irrelevant on
        the wire, so that a tag or place takes precedence over it. The order is that of the new
        side; removed fields are inserted where they were.
        """
        if self.same:
            return tuple(map(FieldMatch, base.fields, head.fields))
        partners: dict[int, int] = {}
        name_of, tag_of = attrgetter("name"), attrgetter("tag")
        self._add(partners, base.fields, head.fields, name_of, self._coexist)
        self._add(partners, base.fields, head.fields, tag_of, self._may_be_renamed)
        self._add(partners, base.fields, head.fields, _place_of, self._may_be_renamed)
        self._add(partners, base.fields, head.fields, name_of, lambda *_: True)
        pairs = [
            FieldMatch(base.fields[partners[index]] if index in partners else None, field)
            for index, field in enumerate(head.fields)
        ]
        matched = set(partners.values())
        for index, field in enumerate(base.fields):
            if index not in matched:
                pairs.insert(min(index, len(pairs)), FieldMatch(field, None))
        return tuple(pairs)

    def _add(
        self,
        partners: dict[int, int],
        base: SpecFields,
        head: SpecFields,
        key_of: Callable[[Field], object],
        is_partner: Callable[[Field, Field], bool],
    ) -> None:
        """Add the partners of unmatched fields of head with the same key, by index: those of the
        same type first."""
        taken = {*partners.values()}
        left: dict[object, list[int]] = {}
        for at, field in enumerate(base):
            if at not in taken:
                left.setdefault(key_of(field), []).append(at)
        for index, field in enumerate(head):
            key = key_of(field)
            if index in partners or key is None:
                continue
            matching = [at for at in left.get(key, []) if is_partner(base[at], field)]
            if key_of is _place_of:
                matching = [at for at in matching if _is_between(partners, base, head, at, index)]
            if matching:
                partners[index] = min(matching, key=lambda at: base[at].type != field.type)
                left[key].remove(partners[index])

    def _coexist(self, base: Field, head: Field) -> bool:
        """Whether some version has both fields."""
        return bool(base.present & head.present & self.common)

    def _may_be_renamed(self, base: Field, head: Field) -> bool:
        """Whether one field may be the other one renamed: some version has both, and both have the
        same values, or structs with one name or mostly the same fields."""
        if _kind(base) != _kind(head) or not self._coexist(base, head):
            return False
        if not base.is_struct or base.element == head.element:
            return True
        names, others = (
            {each.name for each in message.fields_of(field) or () if each.present & self.common}
            for message, field in ((self.base, base), (self.head, head))
        )
        return 2 * len(names & others) > max(len(names), len(others)) or not names | others


def longest_run(places: Sequence[int]) -> set[int]:
    """The indexes of a longest increasing subsequence of distinct numbers (patience sorting).

    The fields outside it are the fewest whose move explains a new order.
    """
    tops: list[int] = []
    ends: list[int] = []
    before: list[int] = []
    for index, number in enumerate(places):
        level = bisect_left(tops, number)
        before.append(ends[level - 1] if level else -1)
        tops[level : level + 1] = [number]
        ends[level : level + 1] = [index]
    run: set[int] = set()
    at = ends[-1] if ends else -1
    while at >= 0:
        run.add(at)
        at = before[at]
    return run


def _kind(field: Field) -> tuple[bool, str]:
    """Whether a field is an array, and what its values have in common: their bytes, or "" for
    structs."""
    return field.is_array, "" if field.is_struct else _BYTES_OF.get(field.element, field.element)


def _place_of(field: Field) -> tuple[bool, str] | None:
    """The kind of a field that has its own place in some version."""
    return _kind(field) if field.present - field.tagged_versions else None


def _is_between(
    partners: Mapping[int, int], base: SpecFields, head: SpecFields, at: int, index: int
) -> bool:
    """Whether two fields have the same place among the matched ones that share a version with
    them."""
    common = base[at].present & head[index].present
    return all(
        (other < at) == (number < index)
        for number, other in partners.items()
        if base[other].present & head[number].present & common
    )


class LayoutMatch(NamedTuple):
    """Two corresponding fields of layouts and, if both contain structs, the fields inside.

    Of a field that only one side carries, `declared` is what the other one declares for other
    versions. `is_moved` is whether an untagged field is at another place among those of both sides.
    """

    base: LayoutField | None
    head: LayoutField | None
    declared: Field | None = None
    is_moved: bool = False
    inner: tuple["LayoutMatch", ...] = ()


def match_layouts(base: Layout, head: Layout) -> tuple[LayoutMatch, ...]:
    """The fields of two layouts of a message, matched like those of the two specs.

    Within one spec, a field with another name is another field, even in the same place.
    """
    matcher = FieldMatcher(base.message, head.message)
    of_base, of_head = top_level(base.message), top_level(head.message)
    return _with_inner(matcher, match_fields(matcher, base.fields, head.fields, of_base, of_head))


def _with_inner(matcher: FieldMatcher, matches: Sequence[LayoutMatch]) -> tuple[LayoutMatch, ...]:
    """Matched fields with those of the structs inside."""
    found = []
    for match in matches:
        base, head = match.base, match.head
        if base is not None and head is not None and base.fields and head.fields:
            of_base = definition_of(matcher.base, base.field)
            of_head = definition_of(matcher.head, head.field)
            assert of_base is not None
            assert of_head is not None
            inner = match_fields(matcher, base.fields, head.fields, of_base, of_head)
            match = match._replace(inner=_with_inner(matcher, inner))
        found.append(match)
    return tuple(found)


def match_fields(
    matcher: FieldMatcher,
    base: Sequence[LayoutField],
    head: Sequence[LayoutField],
    of_base: Declaration,
    of_head: Declaration,
) -> list[LayoutMatch]:
    """The matched fields of a struct in the layouts of two versions, in the order of `head`."""
    before = {each.field.written.order: each for each in base}
    after = {each.field.written.order: each for each in head}
    found: list[LayoutMatch] = []
    for one, other in matcher.match(of_base, of_head):
        was = None if one is None else before.get(one.written.order)
        now = None if other is None else after.get(other.written.order)
        if was is not None and now is not None:
            found.append(LayoutMatch(was, now))
        elif was is not None or now is not None:
            found.append(LayoutMatch(was, now, one if was is None else other))
    # A spec may declare a name twice, for different versions: to readers that is one field.
    left = {each.base.name: each for each in found if each.base and each.head is None}
    for match in [each for each in found if each.base is None]:
        twin = None if match.head is None else left.pop(match.head.name, None)
        if twin is not None:
            found.remove(twin)
            found[found.index(match)] = LayoutMatch(twin.base, match.head)
    # Layouts of two versions may share a field.
    base_places = {id(each): at for at, each in enumerate(base)}
    head_places = {id(each): at for at, each in enumerate(head)}

    def place(match: LayoutMatch) -> tuple[int, bool]:
        if match.head is None:
            return base_places[id(match.base)], False
        return head_places[id(match.head)], True

    found.sort(key=place)
    # Tagged fields have no place.
    placed = [
        each for each in found if all(side and side.tag is None for side in (each.base, each.head))
    ]
    stayed = longest_run([base_places[id(each.base)] for each in placed])
    moved = {id(each.head) for at, each in enumerate(placed) if at not in stayed}
    return [each._replace(is_moved=id(each.head) in moved) for each in found]
