"""Which mkdocs.yml a site is built with."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support import ROOT
from wirebook.docgen.site.mkdocs_config import builtin_config, find_config
from wirebook.specs.problems import InputError

OWN = "site_name: Ours\nsite_dir: public\ntheme: readthedocs\nplugins:\n  - search\n"


def test_without_a_file_it_is_the_built_in_one(tmp_path: Path) -> None:
    found = find_config(tmp_path)
    assert found.file == ROOT / "mkdocs.yml"
    assert found.site_dir == tmp_path / "site"
    assert found.plugins == builtin_config().plugins


def test_a_file_that_does_not_name_the_plugin_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "mkdocs.yml").write_text(OWN)
    assert find_config(tmp_path).file == ROOT / "mkdocs.yml"


@pytest.mark.parametrize(
    ("name", "plugins"),
    [
        ("mkdocs.yml", "  - wirebook\n"),
        ("mkdocs.yaml", "  - wirebook\n"),
        ("mkdocs.yml", "  - wirebook:\n      nav: false\n"),
        ("mkdocs.yml", '  - wirebook: {catalog: !ENV [NO_SUCH, "a"]}\n'),
    ],
)
def test_a_file_that_names_the_plugin_is_used(tmp_path: Path, name: str, plugins: str) -> None:
    (tmp_path / name).write_text(OWN + plugins)
    found = find_config(tmp_path)
    assert found.file == tmp_path / name
    assert found.site_dir == tmp_path / "public"
    assert list(found.plugins) == ["search", "wirebook"]


def test_plugins_may_be_a_mapping_and_inherited(tmp_path: Path) -> None:
    (tmp_path / "base.yml").write_text("plugins:\n  search: {}\n  wirebook:\n    nav: Wire\n")
    (tmp_path / "mkdocs.yml").write_text("INHERIT: base.yml\nsite_name: Ours\n")
    found = find_config(tmp_path)
    assert found.file == tmp_path / "mkdocs.yml"
    assert found.with_options(catalog="c")["wirebook"] == {"nav": "Wire", "catalog": "c"}
    assert found.plugins["wirebook"] == {"nav": "Wire"}, "the options that are added are not kept"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("plugins: [wirebook\n", "error parsing the configuration file"),
        ("- a\n", "is not a MkDocs configuration"),
        ("INHERIT: nowhere.yml\n", "Inherited config file 'nowhere.yml' does not exist"),
        ("plugins: [wirebook, search, search]\n", 'names the plugin "search" twice'),
    ],
)
def test_a_file_that_cannot_be_used_is_refused_in_one_line(tmp_path: Path, text: str, words: str) -> None:
    (tmp_path / "mkdocs.yml").write_text(text)
    with pytest.raises(InputError, match=words) as caught:
        find_config(tmp_path)
    assert "\n" not in str(caught.value)
    assert "mkdocs.yml" in str(caught.value)
