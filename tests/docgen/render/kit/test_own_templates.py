"""Templates of a folder in place of ours: what they replace, and how errors in them are reported."""

from __future__ import annotations

from pathlib import Path

import pytest
from mkdocs.commands.build import build as build_site
from mkdocs.config import load_config
from mkdocs.exceptions import Abort

from tests.docgen.histories import field, inputs, request
from wirebook.docgen.pipeline.run import build
from wirebook.docgen.render.book import Book
from wirebook.docgen.render.kit.environment import own_templates
from wirebook.specs.problems import InputError


@pytest.fixture
def site(tmp_path: Path) -> Path:
    """A folder with a catalog, a folder of templates, and a configuration of MkDocs that names it."""
    (tmp_path / "build/catalog").mkdir(parents=True)
    build(inputs({"1.0.0": [request("Foo", 3, "0", field("A", about="<b>"))]}), tmp_path / "build/catalog")
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs/index.md").write_text("# Home\n")
    (tmp_path / "mkdocs.yml").write_text(
        "site_name: Foo\ntheme: readthedocs\nplugins:\n  - wirebook:\n      templates: mine\n"
    )
    (tmp_path / "mine").mkdir()
    return tmp_path


def built(site: Path) -> str:
    build_site(load_config(str(site / "mkdocs.yml")))
    return (site / "site/api/foo/index.html").read_text(encoding="utf-8")


def test_a_template_replaces_ours_and_may_include_it(site: Path) -> None:
    pages = {each.path: str(each.html) for each in Book.of(site / "build/catalog").pages()}
    (site / "mine/api.html.jinja").write_text(
        '{% include "wirebook/api.html.jinja" %}<p id="mine">{{ document.messages[0].fields[0].about }}</p>'
    )
    page = built(site)
    assert '<p id="mine">&lt;b&gt;</p>' in page
    assert pages["api/foo/"][-200:] in page
    assert "mine" not in (site / "site/matrix/index.html").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("name", "text", "words"),
    [
        (
            "api.html.jinja",
            "{% if %}",
            "api.html.jinja:1:1: TemplateSyntaxError: Expected",
        ),
        ("api.html.jinja", "a\n{{ document.nothing }}", "api.html.jinja: UndefinedError: "),
        (
            "api.html.jinja",
            '{% include "other.jinja" %}',
            "api.html.jinja: TemplateNotFound: other.jinja",
        ),
        ("apis.html.jinja", "", "apis.html.jinja: no generated page has a template of this name"),
    ],
)
def test_an_error_in_a_template_is_one_line(
    site: Path, name: str, text: str, words: str, caplog: pytest.LogCaptureFixture
) -> None:
    (site / "mine" / name).write_text(text)
    with pytest.raises(Abort):
        built(site)
    (message,) = [each.message for each in caplog.records if each.levelname == "ERROR"]
    assert message.startswith(f"wirebook: {site / 'mine'}/{words}")
    assert "\n" not in message


def test_a_folder_that_does_not_exist_is_reported(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no such folder of templates"), own_templates(tmp_path / "none"):
        pass
