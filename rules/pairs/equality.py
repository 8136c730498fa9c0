"""How equal two specs of a message are at a version: the same bytes, and each field at the same place."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from wirebook.specs.model import Field, Message
from wirebook.specs.problems import InputError
from wirebook.specs.versions import Versions
from wirebook.specs.wire.layout import LayoutField, layout


class LayoutEquality(NamedTuple):
    """What two specs have in common at a version: `bytes` is whether they mean the same bytes (None where one
    has no layout), `places` whether every field that both name also lies at the same place of them.
    """

    bytes: bool | None
    places: bool


def layout_equality(old: Message, new: Message, version: int) -> LayoutEquality:
    """How equal two specs are at a version, new tags aside.

    Readers step over tags that they do not know: new ones change no byte that counts.
    """
    try:
        before, after = layout(old, version), layout(new, version)
    except InputError:
        return LayoutEquality(None, False)
    kept = after._replace(fields=_without_new_tags(before.fields, after.fields))
    same = before.grammar == kept.grammar
    return LayoutEquality(same, same and _same_places(before.fields, after.fields, before.flexible))


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
    inside(message.fields)
    for struct in message.common_structs:
        inside(struct.fields)
    return found


def _same_places(old: tuple[LayoutField, ...], new: tuple[LayoutField, ...], flexible: bool) -> bool:
    first, second = (list(_in_line(fields, flexible)) for fields in (old, new))
    if len(first) != len(second):
        return False
    places: dict[str, set[int]] = {}
    for place, item in enumerate(first):
        # Structs that nothing sets off bring names of their own, which others may have too.
        places.setdefault(item.name, set()).add(place)
    for place, (before, after) in enumerate(zip(first, second, strict=True)):
        if place not in places.get(after.name, (place,)):
            return False
        if before.fields and after.fields and not _same_places(before.fields, after.fields, flexible):
            return False
    return True


def _in_line(fields: tuple[LayoutField, ...], flexible: bool) -> Iterator[LayoutField]:
    """The untagged fields as the wire has them: a struct that nothing sets off is but its fields."""
    for item in fields:
        if item.tag is not None:
            continue
        if item.type == "STRUCT" and not flexible:
            yield from _in_line(item.fields or (), flexible)
        else:
            yield item


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
