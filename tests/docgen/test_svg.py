"""SVG images of a checkout: drawings pass, whatever runs or loads something does not."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.docgen.site_requests import site_request
from tests.support import ROOT
from wirebook.docgen.pipeline.inputs import gather
from wirebook.docgen.svg import check_svg
from wirebook.specs.problems import InputError

OPEN = '<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink">'


def svg(inside: str) -> bytes:
    return f"{OPEN}\n  {inside}\n</svg>".encode()


@pytest.mark.parametrize(
    "inside",
    [
        '<defs><linearGradient id="a"><stop offset="0"/></linearGradient></defs><rect fill="url(#a)"/>',
        '<use xlink:href="#a"/><use href="#b"/>',
        '<image href="data:image/png;base64,iVBORw0KGgo="/>',
        "<style>.a { fill: url('#a'); color: red }</style><g class='a' style='fill: url(#b)'/>",
        '<title>An online &amp; on-call otter, src: https://otter.example</title>',
        '<i:grid xmlns:i="http://www.inkscape.org/namespaces/inkscape" i:label="on"/>',
        r'<g xmlns:i="http://www.inkscape.org/namespaces/inkscape" i:export-filename="C:\a(1).png"/>',
        '<g transform="translate(1,2) rotate (3) matrix(1 0 0 1 0 0)" fill="rgba(1, 2, 3, 0.5)"/>',
        '<g style="fill: hsl(1, 2%, 3%); filter: blur(2px) drop-shadow(0 0 1px #000)"/>',
        "<style>@media (prefers-color-scheme: dark) { .a:not(.b) { fill: var(--c, rgb(1 2 3)) } }</style>",
        '<g aria-label="An otter (swimming)"/>',
    ],
)  # fmt: skip
def test_a_drawing_passes(inside: str) -> None:
    check_svg(svg(inside), "a.svg")


@pytest.mark.parametrize(
    ("inside", "words"),
    [
        ("<script>1</script>", "the element <script>"),
        ("<a:script xmlns:a='http://www.w3.org/2000/svg'/>", "the element <script>"),
        ("<script xmlns='http://www.w3.org/1999/xhtml'/>", 'the element <script> of "http://www.w3.org/1999/xhtml"'),
        ("<foreignObject/>", "the element <foreignObject>"),
        ("<animate attributeName='href' to='javascript:1'/>", "the element <animate>"),
        ("<set attributeName='onload' to='1'/>", "the element <set>"),
        ("<a href='#'/>", "the element <a>"),
        ("<x xmlns=''/>", 'the element <x> of ""'),
        ("<rect onload='1'/>", 'the attribute "onload"'),
        ("<rect ONCLICK='1'/>", 'the attribute "ONCLICK"'),
        ("<g xml:base='https://x/'/>", 'the attribute "base"'),
        ("<image href='https://x/a.png'/>", 'a reference to another file ("href")'),
        ("<image href='//x/a.png'/>", 'a reference to another file ("href")'),
        ("<image href='data:image/svg+xml;base64,AA=='/>", 'a reference to another file ("href")'),
        ("<use xlink:href='b.svg#a'/>", 'a reference to another file ("href")'),
        ("<use href=' java&#10;script:1'/>", 'a reference to another file ("href")'),
        ("<g other='java&#9;Script:1'/>", 'a reference to another file ("other")'),
        ("<rect fill='url(https://x/#a)'/>", 'a reference to another file ("fill")'),
        ("<rect style='fill: URL( \"//x/#a\")'/>", 'a reference to another file ("style")'),
        ("<rect style='fill: u\\72l(//x)'/>", 'a backslash in "style"'),
        ("<style>@import 'https://x'</style>", "styles with comments, imports"),
        ("<style>a { b: c/**/ }</style>", "styles with comments, imports"),
        ("<style>a { b: url(<![CDATA[https:]]>//x) }</style>", "a reference to another file in a style"),
        ("<style>a { b: image-set('https://x' 1x) }</style>", 'the function "image-set" in a style'),
        ("<style><title/>@import 'https://x'</style>", "elements within a style"),
        ("<style>a { b: c }<desc/></style>", "elements within a style"),
        ("<style>a { b: u\\72l(https://x) }</style>", "a backslash in a style"),
        ("<rect fill='u\\72l(https://x/#a)'/>", 'a backslash in "fill"'),
        ("<rect mask='image-set(\"https://x\" 1x)'/>", 'the function "image-set" in "mask"'),
        ("<rect fill='cross-fade(\"https://x\", red)'/>", 'the function "cross-fade" in "fill"'),
        ("<g style='fill: -webkit-Image-Set(\"https://x\")'/>", 'function "-webkit-Image-Set" in "style"'),
        ("<style>a { b: src('https://x') }</style>", 'the function "src" in a style'),
        ("<?xml-stylesheet href='https://x'?>", "processing instructions"),
    ],
)  # fmt: skip
def test_whatever_runs_or_loads_is_refused(inside: str, words: str) -> None:
    # An element is reported where it begins; a style where it ends.
    with pytest.raises(
        InputError, match=r"^assets/a\.svg:2:[0-9]+: an SVG image of a site must not have "
    ) as caught:
        check_svg(svg(inside), "assets/a.svg")
    assert words in caught.value.message


def test_a_logo_and_the_images_of_guides_are_checked(tmp_path: Path) -> None:
    shutil.copytree(ROOT / "examples" / "otter", tmp_path, dirs_exist_ok=True)
    logo = tmp_path / "docs" / "assets" / "logo.svg"
    logo.write_bytes(svg("<script>alert(1)</script>"))
    with pytest.raises(InputError, match=r"^docs/assets/logo.svg:2:3: .*<script>$"):
        gather(site_request(tmp_path))
    (tmp_path / "profile.toml").write_text(
        'name = "otter"\n[site]\nguides = ["docs"]\nhome = "docs/index.md"\n'
    )
    with pytest.raises(InputError, match=r"^docs/assets/logo.svg:2:3: .*<script>$"):
        gather(site_request(tmp_path))
