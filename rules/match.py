"""The only matcher: which message, struct and field of one side corresponds to which of another.

A side is a protocol, or a layout of a message, whose fields are matched as their declarations are.
"""

from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Container, Hashable, Iterator, Mapping, Sequence, Set
from itertools import chain, pairwise
from typing import NamedTuple, TypeVar

from wirebook.specs.model import Field, Identity, Message, Protocol
from wirebook.specs.problems import InputError
from wirebook.specs.versions import Versions
from wirebook.specs.wire.layout import Layout, LayoutField, layout

SpecFields = Sequence[Field]
PartnerIndexes = dict[int, int]  # the indexes of new fields, each with that of the old one
PEERS = ("request", "response", "header")
_BYTES_OF = {"records": "bytes", "uint16": "int16", "uint32": "int32"}


def bytes_of(element: str) -> str:
    """The type that represents all types with the same bytes: signed numbers, and plain bytes."""
    return _BYTES_OF.get(element, element)


def match_messages(old: Protocol, new: Protocol) -> Iterator[tuple[Message | None, Message | None]]:
    """Match messages: each of the new side with its old version or None, then those that were removed."""
    before: dict[tuple[str, int | str], Message] = {}
    for message in old:
        # Two files with one API key are a finding; each still has its old version, by name.
        twice = message.identity in before
        before[(message.type, message.name) if twice else message.identity] = message
    names = {(message.identity, message.name) for message in new}
    identities = {identity for identity, _ in names}
    for message in new:
        key, name = message.identity, (message.type, message.name)
        first = before.get(key)
        if first is None or (first.name != message.name and (name in before or (key, first.name) in names)):
            # Of two with one API key, each is matched by name.
            key = name
        partner = before.pop(key, None) or _renamed(message, before, identities)
        if partner is not None and before.get(partner.identity) is partner:
            del before[partner.identity]
        yield partner, message
    for message in before.values():
        yield message, None


def _renamed(
    message: Message, before: Mapping[tuple[str, int | str], Message], identities: Set[tuple[str, int | str]]
) -> Message | None:
    """The old message that became another one: its key, its type or its name changed.

    `identities` are those of the new side, which belong to other messages.
    """
    candidates = [other for other in before.values() if other.identity not in identities]
    for is_same in (_changes_key, _becomes_record, _changes_type, _is_same_record, _alike):
        for other in candidates:
            if is_same(other, message):
                return other
    return None


def _changes_key(old: Message, new: Message) -> bool:
    return old.name == new.name and old.type == new.type


def _becomes_record(old: Message, new: Message) -> bool:
    """Whether plain data becomes a record of another type, with a key: the bytes stay the same."""
    return old.name == new.name and old.type not in PEERS and new.type not in PEERS


def _changes_type(old: Message, new: Message) -> bool:
    return old.name == new.name and old.api_key is not None and old.api_key == new.api_key


def _is_same_record(old: Message, new: Message) -> bool:
    """Whether both are a record of the metadata log, which its key identifies; coordinators share keys."""
    is_record = new.type == old.type == "metadata" and new.api_key is not None
    return is_record and old.api_key == new.api_key


def may_be_renamed(one: Identity, other: Identity) -> bool:
    """Whether two identities are names of one type, one of which begins with the other."""
    (kind, name), (type_, longer) = one, other
    if kind != type_ or one == other or not isinstance(name, str) or not isinstance(longer, str):
        return False
    return name.startswith(longer) or longer.startswith(name)


def _alike(old: Message, new: Message) -> bool:
    """Whether two messages without a key are the same, under a longer or shorter name."""
    if old.api_key is not None or new.api_key is not None:
        return False
    return may_be_renamed(old.identity, new.identity) and is_laid_out_alike(old, new)


def is_laid_out_alike(old: Message, new: Message) -> bool:
    """Whether two messages have the same fields in all versions that both have."""
    both = old.valid_versions & new.valid_versions
    try:
        return bool(both) and all(
            layout(old, one).fingerprint == layout(new, one).fingerprint for one in both
        )
    except InputError:
        return False


class FieldMatch(NamedTuple):
    """Two corresponding fields; None for the side that has none."""

    old: Field | None
    new: Field | None


class Declaration(NamedTuple):
    """The declaration of the fields of a struct: in a field, in a common struct, or at the top of a message.

    `order` is that of the node that declares them, which is unique in the spec; empty lists of fields, in
    contrast, are all the same object.
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
    shared = message.struct(field.element)
    if field.fields or (shared is None and field.fields is not None):
        return Declaration(field.written.order, field.fields or ())
    return None if shared is None else Declaration(shared.written.order, shared.fields)


class FieldMatcher:
    """Matches the fields of two specs of a message, struct by struct, in all common versions."""

    def __init__(self, old: Message, new: Message) -> None:
        self.old = old
        self.new = new
        self.same = old is new or old == new
        self.common = old.valid_versions & new.valid_versions
        self._known: dict[tuple[int, int], bool] = {}

    def match(self, old: Declaration, new: Declaration) -> tuple[FieldMatch, ...]:
        """Match the fields of one struct: by name in a common version, by tag, by place, then by name.

        A place is the last untagged field before it that both sides have in a version, and the number of
        fields of the same type in between. Fields matched by tag or place have a version and a type in
        common; structs also have their name, most of their fields, or their shape in common. If no common
        version has a name on both sides, the name is irrelevant on the wire, so a tag or place takes
        precedence over it. The order is that of the new side; removed fields are inserted where they were.
        The result is the same in both directions.
        """
        if self.same:
            return tuple(map(FieldMatch, old.fields, new.fields))
        partners: dict[int, int] = {}
        for partners_of in (self._by_name, self._by_tag, self._by_place, _by_name):
            partners |= partners_of(old.fields, new.fields, partners)
        return tuple(FieldMatch(*pair) for pair in in_order(old.fields, new.fields, partners))

    def _by_name(self, old: SpecFields, new: SpecFields, partners: PartnerIndexes) -> PartnerIndexes:
        """The fields with the same name that have a version in common, of those valid on both sides."""
        return _by_name(old, new, partners, self.common)

    def _by_tag(self, old: SpecFields, new: SpecFields, partners: PartnerIndexes) -> PartnerIndexes:
        """Match the remaining fields by tag."""
        left = _tags(old, {*partners.values()})
        return {
            index: left[tag]
            for tag, index in _tags(new, partners).items()
            if tag in left and self._may_be_renamed(old[left[tag]], new[index])
        }

    def _by_place(self, old: SpecFields, new: SpecFields, partners: PartnerIndexes) -> PartnerIndexes:
        """Match the remaining untagged fields by place, those with the same versions first.

        Then come those that have the same place in the most versions, and those with the same default.
        """
        if len(partners) in (len(old), len(new)):
            return {}
        shared: Counter[tuple[int, int]] = Counter()
        for version, count in self._eras(old, new):
            pairs = [
                (other, index)
                for index, other in partners.items()
                if is_untagged(old[other], version) and is_untagged(new[index], version)
            ]
            others = _places(old, {*partners.values()}, {pair[0]: pair for pair in pairs}, version)
            for key, index in _places(new, {*partners}, {pair[1]: pair for pair in pairs}, version).items():
                if key in others:
                    shared[others[key], index] += count
        additions: PartnerIndexes = {}
        matched: set[int] = set()
        for other, index in sorted(shared, key=lambda pair: _rank(old, new, pair, shared[pair])):
            if index not in additions and other not in matched and self._alike(old[other], new[index]):
                additions[index] = other
                matched.add(other)
        return additions

    def _eras(self, old: SpecFields, new: SpecFields) -> Iterator[tuple[int, int]]:
        """The first version of each run in which no field of either side begins or ends, and its length."""
        begins = {self.common.lowest, self.common.highest + 1}
        for field in (*old, *new):
            for part in (field.present, field.tagged_versions):
                begins |= {version for version in (part.lowest, part.highest + 1) if version in self.common}
        for begin, end in pairwise(sorted(begins)):
            yield begin, end - begin

    def _may_be_renamed(self, old: Field, new: Field) -> bool:
        """Whether versions and types allow one field to be the other one renamed."""
        return bool(old.present & new.present & self.common) and self._alike(old, new)

    def _alike(self, old: Field, new: Field) -> bool:
        """Whether two types correspond: the same values, or structs with equal name, field names or shape."""
        if old.is_array != new.is_array:
            return False
        inner_old, inner_new = definition_of(self.old, old), definition_of(self.new, new)
        if inner_old is None or inner_new is None:
            return inner_old is inner_new and bytes_of(old.element) == bytes_of(new.element)
        if old.element == new.element:
            return True
        key = (inner_old.order, inner_new.order)
        if key not in self._known:
            self._known[key] = False  # for structs that contain themselves
            self._known[key] = self._alike_inside(inner_old.fields, inner_new.fields)
        return self._known[key]

    def _alike_inside(self, old: tuple[Field, ...], new: tuple[Field, ...]) -> bool:
        old = tuple(field for field in old if field.present & self.common)
        new = tuple(field for field in new if field.present & self.common)
        # Tagged fields are added and removed without other changes.
        plain = tuple(filter(_has_place, old)), tuple(filter(_has_place, new))
        return self._most_alike(old, new) or (all(plain) and self._most_alike(*plain))

    def _most_alike(self, old: tuple[Field, ...], new: tuple[Field, ...]) -> bool:
        names = {field.name for field in old} & {field.name for field in new}
        return 2 * len(names) > max(len(old), len(new)) or (
            len(old) == len(new) and all(map(self._alike, old, new))
        )


def longest_run(places: Sequence[int], steady: Container[int] = ()) -> set[int]:
    """The indexes of a longest increasing subsequence of distinct numbers (patience sorting).

    The fields outside it are the fewest whose move explains a new order. Of several, it is one with the most
    indexes that are `steady`, and then one with low numbers: the field that was the first stays.
    """
    tops: list[int] = []
    # Without the indexes that a later one of their pile replaces: that has a lower number, and as good a run.
    piles: list[list[int]] = []
    before: list[int] = []
    counts: list[int] = []
    for index, number in enumerate(places):
        level = bisect_left(tops, number)
        last, count = -1, int(index in steady)
        if level:
            below = piles[level - 1]
            last = below[bisect_right(below, -number, key=lambda at: -places[at])]
            count += counts[last]
        before.append(last)
        counts.append(count)
        if level == len(tops):
            tops.append(number)
            piles.append([])
        tops[level] = number
        while piles[level] and counts[piles[level][-1]] <= count:
            piles[level].pop()
        piles[level].append(index)
    run: set[int] = set()
    at = piles[-1][0] if piles else -1
    while at >= 0:
        run.add(at)
        at = before[at]
    return run


def _left(fields: SpecFields, matched: Container[int]) -> Iterator[tuple[int, Field]]:
    """The unmatched fields, with their indexes."""
    return ((index, field) for index, field in enumerate(fields) if index not in matched)


def _by_name(
    old: SpecFields, new: SpecFields, matched: PartnerIndexes, common: Versions | None = None
) -> PartnerIndexes:
    """The indexes of the unmatched new fields, each with that of the old field of the same name.

    If a name is declared twice, each field is matched with one that has a version in common, if possible of
    its type, else with the first; with `common`, only if they have one of these versions in common.
    """
    # Ordered sets, so that a name that is declared thousands of times costs no search for each.
    named: dict[str, dict[int, None]] = {}
    typed: dict[tuple[str, str], dict[int, None]] = {}
    for index, field in _left(old, {*matched.values()}):
        named.setdefault(field.name, {})[index] = None
        typed.setdefault((field.name, field.type), {})[index] = None
    partners: PartnerIndexes = {}
    fields = [(index, field) for index, field in _left(new, matched) if field.name in named]
    if len({field.name for _, field in fields}) < len(fields):
        fields.sort(key=lambda pair: (pair[1].name, pair[1].type) not in typed)
    for index, field in fields:
        left = named[field.name]
        same = typed.get((field.name, field.type), {})
        versions = field.present if common is None else field.present & common
        near = (other for other in chain(same, left) if old[other].present & versions)
        best = next(chain(near, *((same, left) if common is None else ())), None)
        if best is not None:
            partners[index] = best
            del left[best]
            del typed[field.name, old[best].type][best]
    return partners


def _has_place(field: Field) -> bool:
    """Whether the field has its own place in some version."""
    return bool(field.present - field.tagged_versions)


def is_untagged(field: Field, version: int) -> bool:
    """Whether the field has its own place in a version."""
    return version in field.present and version not in field.tagged_versions


def _tags(fields: SpecFields, matched: Container[int]) -> dict[int, int]:
    """The unmatched fields by tag."""
    tags: dict[int, int] = {}
    for index, field in _left(fields, matched):
        if field.tag is not None:
            tags.setdefault(field.tag, index)
    return tags


def _places(
    fields: SpecFields, matched: Container[int], anchors: Mapping[int, tuple[int, int]], version: int
) -> dict[Hashable, int]:
    """The unmatched untagged fields of a version by place (see FieldMatcher.match)."""
    places: dict[Hashable, int] = {}
    anchor: tuple[int, int] | None = None
    counts: Counter[Hashable] = Counter()
    for index, field in enumerate(fields):
        if index in anchors:
            anchor = anchors[index]
        elif index not in matched and is_untagged(field, version):
            key = (anchor, field.is_array, "struct" if field.is_struct else bytes_of(field.element))
            places[key, counts[key]] = index
            counts[key] += 1
    return places


def _rank(
    old: SpecFields, new: SpecFields, pair: tuple[int, int], shared: int
) -> tuple[bool, int, bool, int, int]:
    """The rank of a pair of fields in one place; the same in both directions."""
    before, after = old[pair[0]], new[pair[1]]
    return before.present != after.present, -shared, before.default != after.default, min(pair), sum(pair)


Item = TypeVar("Item")


def in_order(
    old: Sequence[Item], new: Sequence[Item], partners: Mapping[int, int]
) -> list[tuple[Item | None, Item | None]]:
    """The items of both sides in the order of `new`; removed ones are inserted where they were."""
    pairs: list[tuple[Item | None, Item | None]] = [
        (old[partners[index]] if index in partners else None, item) for index, item in enumerate(new)
    ]
    matched = set(partners.values())
    for index, item in enumerate(old):
        if index not in matched:
            pairs.insert(min(index, len(pairs)), (item, None))
    return pairs


class LayoutMatch(NamedTuple):
    """Two corresponding fields of layouts and, if both contain structs, the fields inside."""

    old: LayoutField | None
    new: LayoutField | None
    inner: tuple["LayoutMatch", ...] = ()


def match_layouts(old: Layout, new: Layout) -> tuple[LayoutMatch, ...]:
    """The fields of two layouts of a message, matched like those of the two specs.

    Within one spec, a field with another name is another field, even in the same place.
    """
    matcher = FieldMatcher(old.message, new.message)
    return _matched(matcher, old.fields, new.fields, top_level(old.message), top_level(new.message))


def _matched(
    matcher: FieldMatcher,
    old: tuple[LayoutField, ...],
    new: tuple[LayoutField, ...],
    of_old: Declaration,
    of_new: Declaration,
) -> tuple[LayoutMatch, ...]:
    """The matched fields of a struct in the layouts of two versions, and of the structs inside."""
    indexes = {field.field.written.order: index for index, field in enumerate(old)}
    partner_of = {
        match.new.written.order: indexes[match.old.written.order]
        for match in matcher.match(of_old, of_new)
        if match.old is not None and match.new is not None and match.old.written.order in indexes
    }
    partners = {
        index: partner_of[field.field.written.order]
        for index, field in enumerate(new)
        if field.field.written.order in partner_of
    }
    # A spec may declare a name twice, for different versions: to readers that is one field.
    matched = set(partners.values())
    left = {field.name: index for index, field in enumerate(old) if index not in matched}
    for index, field in enumerate(new):
        if index not in partners and field.name in left:
            partners[index] = left[field.name]
    return tuple(
        LayoutMatch(before, after, _inside(matcher, before, after))
        for before, after in in_order(old, new, partners)
    )


def _inside(
    matcher: FieldMatcher, old: LayoutField | None, new: LayoutField | None
) -> tuple[LayoutMatch, ...]:
    if old is None or new is None or old.fields is None or new.fields is None:
        return ()
    of_old, of_new = definition_of(matcher.old, old.field), definition_of(matcher.new, new.field)
    if of_old is None or of_new is None:
        return ()
    return _matched(matcher, old.fields, new.fields, of_old, of_new)
