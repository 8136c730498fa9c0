"""Draws the pictures for previews of links, docgen/site/theme/cards/: `python -m tools.social_cards FONTS`.

FONTS is the unpacked npm package @fontsource/inter (`npm pack @fontsource/inter`; SIL Open Font License);
chromium turns the drawing into a PNG, which holds the hash of the drawing so that a test sees an old one.
"""

from __future__ import annotations

import base64
import hashlib
import shutil
import struct
import sys
import zlib
from collections.abc import Iterator, Mapping
from html import escape
from pathlib import Path

from wirebook.docgen.site.social import ANY, CARDS, PLACE, SIZE, Card

WIDTH, HEIGHT = SIZE
KEYWORD = b"Drawing"
_SIGNATURE = b"\x89PNG\r\n\x1a\n"
_CELL, _GAP, _LEFT = 44, 4, 74
_COLOURS = ("#8fa6cc", "#ffcf5c", "#7fc4ff", "#8fdcb0", "#e9a6d6")


# The bytes of a message, by the name of each part.
Message = Mapping[str, bytes]

DRAWN: Mapping[Card, Message] = {
    # A whole ApiVersions request, version 0.
    CARDS["kafka"]: {
        "length": b"\0\0\0\x12",
        "API key": b"\0\x12",
        "version": b"\0\0",
        "correlation id": b"\0\0\0\x01",
        "client id": b"\0\x08wirebook",
    },
    ANY: {
        "length": b"\0\0\0\x12",
        "key": b"\0\x07",
        "version": b"\0\x03",
        "id": b"\0\0\0\x01",
        "name": b"\0\x08protocol",
    },
}


def drawing(card: Card) -> str:
    """The picture as SVG, with its words in the fonts Inter and, for bytes, DejaVu Sans Mono."""
    # A site of somebody else does not get our name.
    top = 0 if card.has_logo else -84
    return "\n".join(
        (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" '
            'font-family="Inter" fill="#fff">',
            f'<rect width="{WIDTH}" height="{HEIGHT}" fill="#16233f"/>',
            f'<rect width="{WIDTH}" height="12" fill="#1a63c4"/>',
            *(_name() if card.has_logo else ()),
            f'<g transform="translate(0 {top})">',
            f'<text x="{_LEFT - 4}" y="304" font-size="86" font-weight="700" letter-spacing="-2.5">'
            f"{escape(card.title)}</text>",
            f'<text x="{_LEFT}" y="370" font-size="38" fill="#c3d3ee">{escape(card.line)}</text>',
            *_cells(DRAWN[card]),
            "</g></svg>",
        )
    )


def _name() -> Iterator[str]:
    icon = (PLACE.parent / "overrides" / "assets" / "favicon.svg").read_text(encoding="utf-8")
    logo = icon[icon.index("-->") + 3 : icon.rindex("</svg>")].strip()
    yield f'<svg x="{_LEFT}" y="76" width="92" height="92" viewBox="0 0 32 32">{logo}</svg>'
    yield f'<text x="{_LEFT + 116}" y="138" font-size="46" font-weight="600">wirebook</text>'


def _cells(message: Message) -> Iterator[str]:
    x, top = _LEFT, 458
    for colour, (name, data) in zip(_COLOURS, message.items(), strict=True):
        wide = len(data) * (_CELL + _GAP) - _GAP
        for byte in data:
            yield f'<rect x="{x}" y="{top}" width="{_CELL}" height="56" rx="5" fill="#24365c"/>'
            yield (
                f'<text x="{x + _CELL // 2}" y="{top + 37}" font-family="DejaVu Sans Mono" font-size="25" '
                f'text-anchor="middle" fill="{colour}">{byte:02x}</text>'
            )
            x += _CELL + _GAP
        start = x - wide - _GAP
        yield f'<rect x="{start}" y="{top + 64}" width="{wide}" height="5" rx="2.5" fill="{colour}"/>'
        yield f'<text x="{start}" y="{top + 102}" font-size="24" fill="{colour}">{escape(name)}</text>'


def digest(card: Card) -> bytes:
    """What a picture of this card carries: the hash of its drawing."""
    return hashlib.sha256(drawing(card).encode()).hexdigest().encode()


def chunks(png: bytes) -> Iterator[tuple[bytes, bytes]]:
    """The parts of a PNG: type and content."""
    at = len(_SIGNATURE)
    while at < len(png):
        (size,) = struct.unpack_from(">I", png, at)
        yield png[at + 4 : at + 8], png[at + 8 : at + 8 + size]
        at += 12 + size


def _packed(png: bytes, card: Card) -> bytes:
    """A PNG with only what a reader needs, compressed as well as zlib can, and the hash of its drawing."""
    parts = list(chunks(png))
    pixels = zlib.decompress(b"".join(data for kind, data in parts if kind == b"IDAT"))
    ready = [
        *((kind, data) for kind, data in parts if kind == b"IHDR"),
        (b"tEXt", KEYWORD + b"\0" + digest(card)),
        (b"IDAT", zlib.compress(pixels, 9)),
        (b"IEND", b""),
    ]
    return _SIGNATURE + b"".join(
        struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
        for kind, data in ready
    )


def _faces(fonts: Path) -> str:
    rules = []
    for weight in (400, 600, 700):
        data = (fonts / "files" / f"inter-latin-{weight}-normal.woff2").read_bytes()
        source = f"data:font/woff2;base64,{base64.b64encode(data).decode()}"
        rules.append(f"@font-face {{ font-family: Inter; font-weight: {weight}; src: url({source}); }}")
    return "\n".join(rules)


def main() -> int:
    """Draw both pictures; the folder of the fonts is the argument."""
    from playwright.sync_api import sync_playwright

    style = f"{_faces(Path(sys.argv[1]))} body {{ margin: 0 }} svg {{ display: block }}"
    program = shutil.which("chromium") or shutil.which("chromium-browser")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=["--no-sandbox"])
        page = browser.new_page(viewport={"width": WIDTH, "height": HEIGHT})
        for card in DRAWN:
            page.set_content(f"<style>{style}</style>{drawing(card)}")
            page.evaluate("document.fonts.ready")
            picture = _packed(page.screenshot(), card)
            (PLACE / card.file).write_bytes(picture)
            print(f"{card.file}: {len(picture) / 1024:.0f} KB")
        browser.close()
    return 0


if __name__ == "__main__":
    sys.exit(main())
