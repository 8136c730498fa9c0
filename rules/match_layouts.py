"""Matches the fields of two layouts of a message, as their declarations are matched."""

from typing import NamedTuple

from wirebook.rules.match import Declaration, FieldMatcher, definition_of, in_order, top_level
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
