"""Which mkdocs.yml a site is built with."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from tests.support import ROOT
from wirebook.docgen.catalog import files as output
from wirebook.docgen.catalog.catalog import Manifest
from wirebook.docgen.catalog.protocol import LevelRecords, protocol_record
from wirebook.docgen.catalog.records import Tool
from wirebook.docgen.pages.book import Book
from wirebook.docgen.site.build import read_config
from wirebook.docgen.site.mkdocs_config import BUILTIN, find_config
from wirebook.docgen.site.own_config import fit, style
from wirebook.specs.kafka import KAFKA
from wirebook.specs.kafka.profile import embedded_profile
from wirebook.specs.problems import InputError
from wirebook.specs.profile import SiteProfile

OWN = "site_name: Ours\nsite_dir: public\ntheme: readthedocs\nplugins:\n  - search\n"


def test_without_a_file_it_is_the_built_in_one(tmp_path: Path) -> None:
    assert find_config(tmp_path) == BUILTIN == ROOT / "mkdocs.yml"


def test_a_file_that_does_not_name_the_plugin_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "mkdocs.yml").write_text(OWN)
    assert find_config(tmp_path) == BUILTIN


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
    (tmp_path / "docs").mkdir()
    (tmp_path / name).write_text(OWN + plugins)
    found = find_config(tmp_path)
    assert found == tmp_path / name
    config = read_config(found)
    assert Path(config.site_dir) == tmp_path / "public"
    assert list(config.plugins) == ["search", "wirebook"]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("plugins: [wirebook\n", "while parsing a flow sequence"),
        ("plugins: [wirebook]\nINHERIT: nowhere.yml\n", "'nowhere.yml' does not exist"),
        ("plugins: [wirebook]\nsite_name: x\n", "isn't an existing directory"),
    ],
)
def test_a_file_that_cannot_be_used_is_refused_in_one_line(
    tmp_path: Path, text: str, words: str
) -> None:
    (tmp_path / "mkdocs.yml").write_text(text)
    with pytest.raises(InputError, match=words) as caught:
        read_config(find_config(tmp_path))
    assert "\n" not in str(caught.value)


def test_a_fork_has_its_own_pages_title_and_look(tmp_path: Path) -> None:
    fork = replace(embedded_profile(KAFKA), name="fork", title="The fork")
    record = protocol_record(fork, SiteProfile(title="The fork", accent="#009485"), False)
    output.write_json(tmp_path / "manifest.json", Manifest(Tool("wirebook", "0"), ()))
    output.write_json(tmp_path / "protocol.json", record)
    output.write_json(tmp_path / "levels.json", LevelRecords(()))
    config = read_config()
    fit(config, Book.open(tmp_path))
    assert config.site_name == "The fork"
    assert config.nav is not None
    assert {"Home": "index.md"} in config.nav
    assert Path(config.docs_dir) == tmp_path / "site"
    assert "#009485" in style(record.site)
