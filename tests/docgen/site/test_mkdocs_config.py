"""Which mkdocs.yml a site is built with."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from tests.support import ROOT
from wirebook.docgen.catalog import files as output
from wirebook.docgen.catalog.catalog import Manifest
from wirebook.docgen.catalog.protocol import LevelRecords, protocol_record
from wirebook.docgen.catalog.records import Snapshots, Tool
from wirebook.docgen.site.mkdocs_config import builtin_config, find_config
from wirebook.docgen.site.own_config import fitted_settings
from wirebook.specs.kafka import KAFKA
from wirebook.specs.kafka.profile import embedded_profile
from wirebook.specs.problems import InputError
from wirebook.specs.profile import Profile, SiteProfile

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


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("plugins: [wirebook\n", "error parsing the configuration file"),
        ("- a\n", "is not a MkDocs configuration"),
        ("INHERIT: nowhere.yml\n", "Inherited config file 'nowhere.yml' does not exist"),
        ("plugins: [wirebook, search, search]\n", 'names the plugin "search" twice'),
    ],
)
def test_a_file_that_cannot_be_used_is_refused_in_one_line(
    tmp_path: Path, text: str, words: str
) -> None:
    (tmp_path / "mkdocs.yml").write_text(text)
    with pytest.raises(InputError, match=words) as caught:
        find_config(tmp_path)
    assert "\n" not in str(caught.value)
    assert "mkdocs.yml" in str(caught.value)


def catalog(folder: Path, profile: Profile, accent: str = "", is_embedded: bool = True) -> Path:
    """As much of a catalog as says how its protocol presents itself."""
    output.write_json(folder / "manifest.json", Manifest(Tool("wirebook", "0"), ()))
    site = SiteProfile(title=profile.site.title, accent=accent)
    record = protocol_record(profile, site, is_embedded)
    output.write_json(folder / "protocol.json", record)
    return folder


def test_a_fork_has_its_own_pages_title_and_look(tmp_path: Path) -> None:
    fork = replace(embedded_profile(KAFKA), name="fork", title="The fork")
    folder = catalog(tmp_path, fork, accent="#009485", is_embedded=False)
    output.write_json(folder / "snapshots.json", Snapshots(()))
    output.write_json(folder / "levels.json", LevelRecords(()))
    with fitted_settings(folder, builtin_config()) as settings:
        assert settings["site_name"] == "The fork"
        assert {"Home": "index.md"} in settings["nav"]
        docs = Path(settings["docs_dir"])
        assert not (docs / "kip-35.md").exists()
        assert "#009485" in (docs / settings["extra_css"][-1]).read_text()
    assert not docs.exists()


@pytest.mark.parametrize("wrong", ["#12", "teal", "red; }", "url(x)"])
def test_a_colour_that_is_none_is_refused(tmp_path: Path, wrong: str) -> None:
    fork = replace(embedded_profile(KAFKA), name="fork")
    folder = catalog(tmp_path, fork, accent=wrong, is_embedded=False)
    with (
        pytest.raises(InputError, match="is not #rrggbb"),
        fitted_settings(folder, builtin_config()),
    ):
        pass
