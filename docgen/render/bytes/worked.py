"""Worked examples on hand-written pages: tables, and bytes beside their meaning."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from markupsafe import Markup

from wirebook.docgen.catalog.rows import slug_of
from wirebook.docgen.render.bytes.hexview import HexPart, Keys, hex_block, range_table
from wirebook.docgen.render.kit.environment import breakable, render


def table(
    caption: str, columns: Sequence[str], rows: Iterable[Sequence[object]], *, cards: bool = False
) -> Markup:
    """A table; the first cell of a row is its heading. On a small screen each row may be a card instead."""
    return render("worked.html.jinja", caption=caption, columns=columns, rows=list(rows), cards=cards)


def hex_cell(data: bytes) -> Markup:
    """Bytes for a cell."""
    return Markup("<code>{}</code>").format(data.hex(" "))


def page_link(name: str, text: str = "") -> Markup:
    """A link from a hand-written page to that of a message; its name, unless a text is given."""
    return Markup('<a href="../api/{}/">{}</a>').format(slug_of(name), text or breakable(name))


def explained(
    prefix: str, caption: str, parts: Sequence[HexPart], grammar: Markup | str = "", keys: Keys | None = None
) -> Markup:
    """The bytes of some parts, a row for each range of them, and a grammar; `prefix` begins their ids.

    `keys` are those that the words of the grammar have.
    """
    keys = keys or Keys(f"{prefix}-")
    return render(
        "worked_bytes.html.jinja",
        grammar=grammar,
        block=hex_block(parts, prefix, keys),
        table=range_table(parts, prefix, keys, caption),
    )
