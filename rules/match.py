"""The only matcher: which message, struct and field of one side corresponds to which of another.

A side is a protocol, or a layout of a message, whose fields are matched as their declarations are.
"""

from bisect import bisect_left
from collections.abc import Callable, Iterator, Sequence
from operator import attrgetter
from typing import NamedTuple

from wirebook.specs.layout import Layout, LayoutField
from wirebook.specs.model import Field, Message, Protocol
from wirebook.specs.versions import Versions

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
    unmatched = {id(message): message for message in base}
    partners: dict[int, Message] = {}
    for key_of in _KEYS:
        by_key = {key_of(message): message for message in reversed(unmatched.values())}
        for message in head:
            key = key_of(message)
            partner = None if key is None else by_key.get(key)
            if partner is not None and id(partner) in unmatched and id(message) not in partners:
                partners[id(message)] = unmatched.pop(id(partner))
    for message in head:
        yield partners.get(id(message)), message
    for message in unmatched.values():
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

    message: Message
    order: int
    fields: tuple[Field, ...]


def top_level(message: Message) -> Declaration:
    """The declaration of a message's own fields."""
    return Declaration(message, message.written.order, message.fields)


def definition_of(message: Message, field: Field) -> Declaration | None:
    """The declaration of a field's struct: its own, or that of the common struct that it names."""
    if not field.is_struct:
        return None
    shared = message.structs.get(field.element)
    if field.fields or (shared is None and field.fields is not None):
        return Declaration(message, field.written.order, field.fields or ())
    return None if shared is None else Declaration(message, shared.written.order, shared.fields)


def match_declared(base: Declaration, head: Declaration) -> list[FieldMatch]:
    """Match the fields of a struct of two specs: by name in a common version, by tag, by place,
    then by name.

    A place is among the matched fields that share a version with a field. Fields matched by tag or
    place have a version and a type in common; structs also have their name or most of their fields
    in common. If no common version has a name on both sides, the name is irrelevant on the wire, so
    that a tag or place takes precedence over it. Of several partners, those of the same type come
    first. The order is that of the new side; removed fields are inserted where they were.
    """
    common = base.message.valid_versions & head.message.valid_versions
    matched: list[tuple[Field, Field]] = []

    def coexist(was: Field, now: Field) -> bool:
        return bool(was.present & now.present & common)

    def may_be_renamed(was: Field, now: Field) -> bool:
        if _kind(was) != _kind(now) or not coexist(was, now):
            return False
        if not was.is_struct or was.element == now.element:
            return True
        names = _names(base.message, was, common)
        others = _names(head.message, now, common)
        return 2 * len(names & others) > max(len(names), len(others)) or not names | others

    def is_in_place(was: Field, now: Field) -> bool:
        shared = was.present & now.present
        return may_be_renamed(was, now) and all(
            (before.written.order < was.written.order) == (after.written.order < now.written.order)
            or not before.present & after.present & shared
            for before, after in matched
        )

    _add(matched, base.fields, head.fields, attrgetter("name"), coexist)
    _add(matched, base.fields, head.fields, attrgetter("tag"), may_be_renamed)
    _add(matched, base.fields, head.fields, _place_of, is_in_place)
    _add(matched, base.fields, head.fields, attrgetter("name"), lambda *_: True)
    partners = {after.written.order: before for before, after in matched}
    pairs = [FieldMatch(partners.get(field.written.order), field) for field in head.fields]
    kept = {before.written.order for before, _ in matched}
    for place, field in enumerate(base.fields):
        if field.written.order not in kept:
            pairs.insert(place, FieldMatch(field, None))
    return pairs


def _names(message: Message, holder: Field, versions: Versions) -> set[str]:
    """The names of the fields of a struct that some versions have."""
    return {each.name for each in message.fields_of(holder) or () if each.present & versions}


def _add(
    matched: list[tuple[Field, Field]],
    base: Sequence[Field],
    head: Sequence[Field],
    key_of: Callable[[Field], object],
    are_partners: Callable[[Field, Field], bool],
) -> None:
    """Add the unmatched fields of both sides that have one key and are partners."""
    kept = {before.written.order for before, _ in matched}
    known = {after.written.order for _, after in matched}
    left: dict[object, list[Field]] = {}
    for field in base:
        if field.written.order not in kept:
            left.setdefault(key_of(field), []).append(field)
    for field in head:
        key = key_of(field)
        if key is None or field.written.order in known:
            continue
        # Of several partners, those of the same type come first.
        candidates = sorted(left.get(key, ()), key=lambda each: each.type != field.type)
        partner = next((each for each in candidates if are_partners(each, field)), None)
        if partner is not None:
            matched.append((partner, field))
            left[key] = [each for each in left[key] if each is not partner]


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


class LayoutMatch(NamedTuple):
    """Two corresponding fields of layouts.

    Of a field that only one side carries, `declared` is what the other one declares for other
    versions. `moved` are the places from which and to which an untagged field moves among all
    fields of its struct, counted from 1; None if it stays.
    """

    base: LayoutField | None
    head: LayoutField | None
    declared: Field | None = None
    moved: tuple[int, int] | None = None


def match_layouts(base: Layout, head: Layout) -> Iterator[LayoutMatch]:
    """The fields of two layouts of a message, matched like those of the two specs, each before
    those inside it.

    Within one spec, a field with another name is another field, even in the same place.
    """
    yield from _inside(top_level(base.message), top_level(head.message), base.fields, head.fields)


def _inside(
    of_base: Declaration,
    of_head: Declaration,
    base: Sequence[LayoutField],
    head: Sequence[LayoutField],
) -> Iterator[LayoutMatch]:
    """The matched fields of a struct, each before those inside it."""
    for match in match_fields(of_base, of_head, base, head):
        yield match
        was = match.base
        now = match.head
        if was is not None and now is not None and was.fields and now.fields:
            one = definition_of(of_base.message, was.field)
            other = definition_of(of_head.message, now.field)
            assert one is not None
            assert other is not None
            yield from _inside(one, other, was.fields, now.fields)


def match_fields(
    of_base: Declaration,
    of_head: Declaration,
    base: Sequence[LayoutField],
    head: Sequence[LayoutField],
) -> list[LayoutMatch]:
    """The matched fields of a struct in the layouts of two versions, in the order of `head`."""
    before = {each.field.written.order: each for each in base}
    after = {each.field.written.order: each for each in head}
    matches: list[LayoutMatch] = []
    for one, other in match_declared(of_base, of_head):
        was = None if one is None else before.get(one.written.order)
        now = None if other is None else after.get(other.written.order)
        if was is not None and now is not None:
            matches.append(LayoutMatch(was, now))
        elif was is not None or now is not None:
            matches.append(LayoutMatch(was, now, one if was is None else other))
    # A spec may declare a name twice, for different versions: to readers that is one field.
    removed = {each.base.name: each for each in matches if each.base and each.head is None}
    for match in [each for each in matches if each.base is None]:
        twin = None if match.head is None else removed.pop(match.head.name, None)
        if twin is not None:
            matches.remove(twin)
            matches[matches.index(match)] = LayoutMatch(twin.base, match.head)
    # Layouts of two versions may share a field.
    base_places = {id(each): at for at, each in enumerate(base, 1)}
    head_places = {id(each): at for at, each in enumerate(head, 1)}

    def places(match: LayoutMatch) -> tuple[int, int]:
        return base_places.get(id(match.base), 0), head_places.get(id(match.head), 0)

    matches.sort(key=lambda each: (places(each)[1] or places(each)[0], each.head is not None))
    # Tagged fields have no place.
    placed = [
        each
        for each in matches
        if all(side is not None and side.tag is None for side in (each.base, each.head))
    ]
    stayed = longest_run([places(each)[0] for each in placed])
    moved = {id(each.head) for at, each in enumerate(placed) if at not in stayed}
    return [
        each._replace(moved=places(each)) if id(each.head) in moved else each for each in matches
    ]
