"""Two layouts side by side: the lines of their grammar that differ, with a little around them."""

from __future__ import annotations

import json
from collections.abc import Iterator
from difflib import SequenceMatcher
from typing import NamedTuple

from wirebook.docgen.catalog.bnf import bnf_lines, spelling
from wirebook.specs.wire.layout import Layout, LayoutField

CONTEXT = 1  # equal lines that are shown on each side of lines that differ


class SidesRow(NamedTuple):
    """A line of both sides, None for a side that lacks it; `same` if it is one line of both.

    A row without either is a gap: equal lines between lines that differ are left out.
    """

    old: str | None
    new: str | None
    same: bool = False


def sides(old: Layout, new: Layout) -> list[SidesRow]:
    """The rows that a reviewer has to see; [] if the grammar is the same."""
    before, after = _lines(old), _lines(new)
    rows: list[SidesRow] = []
    for word, a, b, c, d in SequenceMatcher(None, before, after, autojunk=False).get_opcodes():
        if word == "equal":
            rows += [SidesRow(line, line, True) for line in before[a:b]]
            continue
        lines = max(b - a, d - c)
        left = [*before[a:b], *[None] * lines][:lines]
        right = [*after[c:d], *[None] * lines][:lines]
        rows += map(SidesRow, left, right)
    return list(_near(rows)) if before != after else []


def _near(rows: list[SidesRow]) -> Iterator[SidesRow]:
    near = {
        at
        for number, row in enumerate(rows)
        if not row.same
        for at in range(number - CONTEXT, number + CONTEXT + 1)
    }
    last = max(near)
    for number, row in enumerate(rows):
        if number in near:
            yield row
        elif number - 1 in near and number < last:
            yield SidesRow(None, None)


def _lines(layout: Layout) -> list[str]:
    # The title is without the number of the version, in which the two always differ.
    spell = spelling(layout.message.profile.family)
    lines = bnf_lines(layout.name, layout.fields, layout.flexible, spell)
    return ["".join(token.text for token in line) for line in lines]


def type_of(field: LayoutField) -> str:
    """The wire type in words."""
    if field.element is None:
        return field.type
    return f"{field.type} of {field.struct if field.element == 'STRUCT' else field.element}"


def default_of(field: LayoutField) -> str:
    """The value that an absent field reads as, in words."""
    if field.default in ([], {}):
        return ""
    return json.dumps(field.default, ensure_ascii=False)
