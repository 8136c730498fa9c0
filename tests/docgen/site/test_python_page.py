"""The page on the Python API documents every function and type that `import wirebook` offers."""

from __future__ import annotations

import doctest
import re

import pytest

from tests.docgen.sites import own_site, read_pages
from tests.support import ROOT
from wirebook import api

pytestmark = pytest.mark.xdist_group("site")


def test_every_name_of_the_api_is_documented_with_its_signature() -> None:
    page = read_pages(own_site())["python/"]
    names = set(api.__all__) - {"__version__"}
    assert {f"wirebook.api.{name}" for name in names} <= set(page.ids)
    text = "".join("".join(page.words).split())
    assert "load(source=None)" in text
    assert "encode(message,value,version=None,*,source=None)" in text
    assert "Layout|Message|str" in text
    for word in ("Parameters:", "Returns:", "Raises:", "Examples:"):
        assert word in text


def test_the_page_does_not_depend_on_the_formatters_that_are_installed() -> None:
    # Blocks with signatures are laid out by ruff or black, and a build fails if ruff lacks its
    # program.
    assert "doc-signature" not in (own_site() / "python" / "index.html").read_text(encoding="utf-8")


def test_the_examples_of_the_page_run() -> None:
    text = (ROOT / "site_src" / "python.md").read_text(encoding="utf-8")
    blocks = re.findall(r"^```pycon\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    assert len(blocks) >= 3
    parsed = doctest.DocTestParser().get_doctest("\n".join(blocks), {}, "python.md", "python.md", 0)
    outcome = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS).run(parsed)
    assert (outcome.failed, outcome.attempted > 5) == (0, True)
