"""How equal two specs of a message are at a version: the same bytes, and each field at the same place."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from wirebook.specs.model import Field, Message
from wirebook.specs.problems import InputError
from wirebook.specs.versions import Versions
from wirebook.specs.wire.layout import Layout, LayoutField, layout


class LayoutEquality(NamedTuple):
    """What two specs have in common at a version: `bytes` is whether they mean the same bytes (None where one
    has no layout); `old` and `new` are the untagged fields of each side, by the order of their nodes, that
    lie among the same bytes as on the other side, each field that both name at the same place.
    """

    bytes: bool | None
    old: frozenset[int] = frozenset()
    new: frozenset[int] = frozenset()


def layout_equality(old: Message, new: Message, version: int) -> LayoutEquality:
    """How equal two specs are at a version, new tags aside.

    Readers step over tags that they do not know: new ones change no byte that counts.
    """
    try:
        before, after = layout(old, version), layout(new, version)
    except InputError:
        return LayoutEquality(None)
    kept = after._replace(fields=_without_new_tags(before.fields, after.fields))
    same = before.grammar == kept.grammar
    if before.flexible is not after.flexible:
        return LayoutEquality(same)
    places = _Places(before)
    places.compare(before.fields, after.fields, absent=False)
    return LayoutEquality(same, *(frozenset(places.alike[n] - places.unlike[n]) for n in (0, 1)))


def same_bytes(old: Message, new: Message, version: int) -> bool | None:
    """Whether two specs mean the same bytes at a version, new tags aside; None where one has no layout."""
    return layout_equality(old, new, version).bytes


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
    add(item.versions for item in message.header_versions or ())
    inside(message.fields)
    for struct in message.common_structs:
        inside(struct.fields)
    return found


# A field as it stands among those of a struct: its name below those of structs that nothing sets off.
_Placed = tuple[tuple[str, ...], LayoutField]


class _Places:
    """Compares the untagged fields of each struct of two layouts, place by place.

    A struct is judged by itself: what changes in one is no reason to see another's fields as others.
    """

    def __init__(self, frame: Layout) -> None:
        self.frame = frame
        self.alike: tuple[set[int], set[int]] = (set(), set())
        self.unlike: tuple[set[int], set[int]] = (set(), set())

    def compare(self, old: tuple[LayoutField, ...], new: tuple[LayoutField, ...], *, absent: bool) -> None:
        """Compare the fields of one struct, and of the structs inside that are the same.

        `absent` is whether the struct is tagged, or stands in one that is: not sent, it reads as its
        defaults.
        """
        first, second = ([*self.in_line(fields)] for fields in (old, new))
        same = self.same_line(first, second)
        for side, fields in enumerate((old, new)):
            (self.alike if same else self.unlike)[side].update(self.nodes(fields))
        if same:
            pairs = [(before, after) for (_, before), (_, after) in zip(first, second, strict=True)]
            for before, after in pairs if absent else ():
                if before.default != after.default:
                    self.unlike[0].add(before.field.written.order)
                    self.unlike[1].add(after.field.written.order)
        else:
            named = dict(first)
            pairs = [(named[path], item) for path, item in second if path in named]
        tags = {item.tag: item for item in old if item.tag is not None}
        pairs += [(tags[item.tag], item) for item in new if item.tag in tags]
        for before, after in pairs:
            if before.fields and after.fields and (before.element is None) is (after.element is None):
                inside = before.element is None and (absent or before.tag is not None)
                self.compare(before.fields, after.fields, absent=inside)

    def in_line(self, fields: tuple[LayoutField, ...], above: tuple[str, ...] = ()) -> Iterator[_Placed]:
        """The untagged fields as the wire has them: a struct that nothing sets off is but its fields."""
        for item in fields:
            path = (*above, item.name)
            if item.tag is None and self.is_plain(item):
                yield from self.in_line(item.fields or (), path)
            elif item.tag is None:
                yield path, item

    def nodes(self, fields: tuple[LayoutField, ...]) -> Iterator[int]:
        """These fields, and the structs around them that nothing sets off."""
        for item in fields:
            if item.tag is None:
                yield item.field.written.order
                if self.is_plain(item):
                    yield from self.nodes(item.fields or ())

    def is_plain(self, item: LayoutField) -> bool:
        """Whether a struct leaves no byte of its own."""
        return item.type == "STRUCT" and not self.frame.flexible

    def same_line(self, old: list[_Placed], new: list[_Placed]) -> bool:
        """Whether untagged fields are the same bytes, each name at the same place."""
        places: dict[str, set[int]] = {}
        for place, (_, item) in enumerate(old):
            # Structs that nothing sets off bring names of their own, which others may have too.
            places.setdefault(item.name, set()).add(place)
        return len(old) == len(new) and all(
            place in places.get(path[-1], (place,)) and self.same_step(before, (path, after))
            for place, (before, (path, after)) in enumerate(zip(old, new, strict=True))
        )

    def same_step(self, old: _Placed, new: _Placed) -> bool:
        """Whether two fields are the same bytes; a struct that keeps its name is compared by itself."""
        (path, before), (other, after) = old, new
        if path == other and before.fields and after.fields:
            return (before.type, before.element) == (after.type, after.element)
        kept = _without_new_tags((before,), (after,))
        return self.frame._replace(fields=(before,)).grammar == self.frame._replace(fields=kept).grammar


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
