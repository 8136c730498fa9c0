"""Matches the fields of two layouts of a message, as their declarations are matched."""

from typing import NamedTuple

from wirebook.rules.match import Definition, FieldMatcher, definition_of, in_order, top_level
from wirebook.specs.wire.layout import Layout, LayoutField


class LayoutMatch(NamedTuple):
    """Two corresponding fields of layouts and, if both contain structs, the fields inside."""

    old: LayoutField | None
    new: LayoutField | None
    inner: "tuple[LayoutMatch, ...]" = ()


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
    of_old: Definition,
    of_new: Definition,
) -> tuple[LayoutMatch, ...]:
    """The matched fields of a struct in the layouts of two versions, and of the structs inside."""
    there = {item.field.written.order: place for place, item in enumerate(old)}
    partner_of = {
        match.new.written.order: there[match.old.written.order]
        for match in matcher.match(of_old, of_new)
        if match.old is not None and match.new is not None and match.old.written.order in there
    }
    partners = {
        place: partner_of[item.field.written.order]
        for place, item in enumerate(new)
        if item.field.written.order in partner_of
    }
    # A spec may declare a name twice, for different versions: to readers that is one field.
    taken = set(partners.values())
    left = {item.name: place for place, item in enumerate(old) if place not in taken}
    for place, item in enumerate(new):
        if place not in partners and item.name in left:
            partners[place] = left[item.name]
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
