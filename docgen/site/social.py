"""The picture that previews of links show: one of ours, or the one that the option `social_image` names."""

from __future__ import annotations

import struct
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urljoin, urlsplit

from mkdocs.exceptions import PluginError
from mkdocs.structure.files import Files, InclusionLevel

from wirebook.docgen.catalog.protocol import ProtocolRecord
from wirebook.specs.profile_choice import embedded_profile

PLACE = Path(__file__).resolve().parent / "theme" / "cards"
# Where a site has ours, in the folder of its generated pages.
NAME = "assets/card.png"
SIZE = (1200, 630)
_PNG, _JPEG = b"\x89PNG\r\n\x1a\n", b"\xff\xd8"
_NO_SIZE = (0xC4, 0xC8, 0xCC)  # segments of a JPEG between those that begin a frame
_OPTION = 'wirebook: the option "social_image" is'


@dataclass(frozen=True)
class Card:
    """A picture that tools/social_cards.py draws: its file, its words, and whether it has our logo."""

    file: str
    title: str
    line: str
    has_logo: bool = False

    @property
    def alt(self) -> str:
        """The picture in words."""
        return f"{self.title}: {self.line[0].lower()}{self.line[1:]}"


ANY = Card("any.png", "Protocol reference", "Every message, every version, every field, every byte")
# By the embedded profile that the picture is about.
CARDS = {
    "kafka": Card(
        "kafka.png",
        "Kafka protocol reference",
        "Every API, every version, every field, every byte",
        has_logo=True,
    )
}


@dataclass(frozen=True)
class Picture:
    """A picture as pages name it; `size` is (width, height), None if unknown."""

    url: str
    alt: str
    size: tuple[int, int] | None


def card_of(protocol: ProtocolRecord) -> Card:
    """Our picture for a protocol; a fork with a title of its own has the one that names no protocol."""
    if protocol.family not in CARDS:
        return ANY
    embedded = embedded_profile(protocol.family)
    is_own = protocol.site.title != embedded.site.title or protocol.title != embedded.title
    return ANY if is_own else CARDS[protocol.family]


def own_picture(card: Card, site: str, folder: str) -> Picture | None:
    """Our picture in the folder of the generated pages; None without an address of the site."""
    return Picture(urljoin(site, f"{folder}{NAME}"), card.alt, SIZE) if site else None


def named_picture(image: str, site: str, files: Files, alt: str) -> Picture | None:
    """The picture at an address, or that of a file of the site; None for a file if the site has no address.

    Raises PluginError if the site has no such file, or the file is neither PNG nor JPEG.
    """
    if _is_address(image):
        return Picture(image, alt, None)
    file = files.get_file_from_path(image) if image else None
    if file is None or file.inclusion in (InclusionLevel.EXCLUDED, InclusionLevel.DRAFT):
        raise PluginError(f'{_OPTION} neither an address nor a file in the folder of pages: "{image}"')
    size = size_of(file.content_bytes)
    if size is None:
        raise PluginError(f'{_OPTION} neither a PNG nor a JPEG file: "{image}"')
    return Picture(urljoin(site, file.url), alt, size) if site else None


def size_of(image: bytes) -> tuple[int, int] | None:
    """Width and height of a PNG or JPEG; None for anything else."""
    if image.startswith(_PNG):
        return struct.unpack_from(">II", image, 16) if len(image) >= 24 else None
    at = len(_JPEG)
    while image.startswith(_JPEG) and len(image) >= at + 9 and image[at] == 0xFF:
        kind = image[at + 1]
        if 0xC0 <= kind <= 0xCF and kind not in _NO_SIZE:
            height, width = struct.unpack_from(">HH", image, at + 5)
            return width, height
        # A segment may begin with any number of 0xFF.
        at += 1 if kind == 0xFF else 2 + int.from_bytes(image[at + 2 : at + 4], "big")
    return None


def _is_address(text: str) -> bool:
    try:
        parts = urlsplit(text)
    except ValueError:
        return False
    return parts.scheme in ("http", "https") and bool(parts.netloc)
