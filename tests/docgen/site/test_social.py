"""The picture in previews of links: which one, where it is, and its size."""

from __future__ import annotations

import struct
from types import SimpleNamespace
from typing import Any

import pytest
from mkdocs.exceptions import PluginError
from mkdocs.structure.files import InclusionLevel

from tests.docgen.sites import own_site
from tools import social_cards
from wirebook.docgen.catalog.protocol import NEUTRAL_PROTOCOL, ProtocolRecord, SiteRecord
from wirebook.docgen.site.head import with_head
from wirebook.docgen.site.social import (
    ANY,
    CARDS,
    PLACE,
    SIZE,
    Card,
    Picture,
    card_of,
    named_picture,
    own_picture,
    size_of,
)
from wirebook.specs.profile_choice import EMBEDDED, embedded_profile

pytestmark = pytest.mark.xdist_group("site")

PNG = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR" + struct.pack(">II", 800, 400)
# A comment, a table of which the number is between those of frames, fill bytes, the frame.
JPEG = b"\xff\xd8\xff\xfe\0\x04ab\xff\xc4\0\x03x\xff\xff\xc0\0\x0b\x08" + struct.pack(">HH", 630, 1200)


@pytest.mark.parametrize("card", [*CARDS.values(), ANY])
def test_a_picture_of_ours_is_that_of_the_present_drawing(card: Card) -> None:
    data = (PLACE / card.file).read_bytes()
    assert size_of(data) == SIZE
    assert len(data) < 60_000
    words = dict(part.split(b"\0") for kind, part in social_cards.chunks(data) if kind == b"tEXt")
    assert words == {social_cards.KEYWORD: social_cards.digest(card)}, "run tools/social_cards.py"


def test_only_the_embedded_protocol_is_named() -> None:
    profile = embedded_profile("kafka")
    ours = ProtocolRecord(title=profile.title, family="kafka", site=SiteRecord(title=profile.site.title))
    assert set(EMBEDDED) == set(CARDS)
    assert card_of(ours) == CARDS["kafka"]
    fork = ProtocolRecord(title=profile.title, family="kafka", site=SiteRecord(title="Our broker"))
    named = ProtocolRecord(title="Ours", family="kafka", site=SiteRecord(title=profile.site.title))
    assert {card_of(each) for each in (fork, named, NEUTRAL_PROTOCOL)} == {ANY}
    drawn = social_cards.drawing(ANY).lower()
    assert not [word for word in ("kafka", "api", "wirebook", "broker") if f">{word}" in drawn]


def test_a_site_without_an_address_has_no_picture() -> None:
    assert own_picture(ANY, "", "wire/") is None
    home = (own_site() / "index.html").read_text(encoding="utf-8")
    assert "og:title" in home
    assert "og:image" not in home
    assert not (own_site() / "assets/card.png").exists()


def files(**content: bytes) -> Any:
    found = {
        f"{name}.png": SimpleNamespace(
            url=f"{name}%20.png", content_bytes=data, inclusion=InclusionLevel.INCLUDED
        )
        for name, data in content.items()
    }
    return SimpleNamespace(get_file_from_path=found.get)


def test_a_file_of_the_site_has_its_address_and_its_size() -> None:
    site = files(a=PNG, b=JPEG)
    assert named_picture("a.png", "https://e.org/x/", site, "Ours") == Picture(
        "https://e.org/x/a%20.png", "Ours", (800, 400)
    )
    assert named_picture("b.png", "", site, "Ours") is None
    there = "https://cdn.example.org/card.webp?a=1"
    assert named_picture(there, "", site, "Ours") == Picture(there, "Ours", None)


@pytest.mark.parametrize("image", ["c.png", "", "../a.png", "http://", "https://[", "ftp://e.org/a.png"])
def test_what_is_neither_an_address_nor_a_file_is_refused(image: str) -> None:
    with pytest.raises(PluginError, match=r'"social_image" is neither an address nor a file'):
        named_picture(image, "", files(a=PNG), "Ours")


def test_only_pictures_that_every_reader_shows_are_accepted() -> None:
    with pytest.raises(PluginError, match=r'neither a PNG nor a JPEG file: "a\.png"'):
        named_picture("a.png", "", files(a=b"<svg/>"), "Ours")
    draft = files(a=PNG)
    draft.get_file_from_path("a.png").inclusion = InclusionLevel.EXCLUDED
    with pytest.raises(PluginError, match="neither an address nor a file"):
        named_picture("a.png", "", draft, "Ours")


def test_the_size_is_read_or_unknown_wherever_the_file_ends() -> None:
    assert size_of(PNG) == (800, 400)
    assert size_of(JPEG) == (1200, 630)
    for whole in (PNG, JPEG):
        assert {size_of(whole[:end]) for end in range(len(whole))} == {None}


def test_the_head_names_the_picture_escaped_unless_it_has_its_own() -> None:
    page: Any = SimpleNamespace(url="", meta={}, title="A", is_homepage=True, canonical_url=None)
    config: Any = SimpleNamespace(site_name="Wire", site_description="")
    picture = Picture('https://e.org/a.png?b="&c', 'Ours & "theirs"', (800, 400))
    made = with_head("<head></head>", page, config, [], picture=picture)
    for line in (
        '<meta property="og:image" content="https://e.org/a.png?b=&quot;&amp;c">',
        '<meta property="og:image:width" content="800">',
        '<meta property="og:image:height" content="400">',
        '<meta property="og:image:alt" content="Ours &amp; &quot;theirs&quot;">',
        '<meta name="twitter:card" content="summary_large_image">',
    ):
        assert made.count(line) == 1
    assert 'content="summary">' in with_head("<head></head>", page, config, [])
    # As the plugin `social` of Material for MkDocs writes it.
    own = '<head><meta  property="og:image"  content="https://e.org/own.png" ></head>'
    assert with_head(own, page, config, [], picture=picture) == own
