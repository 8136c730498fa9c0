"""A site whose mkdocs.yml is its own: what other plugins see of it, and its title."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.docgen.sites import WITHOUT_SPARK
from tests.repositories import Repo
from tests.support import ROOT
from wirebook.rules.authoring.starting import StartRequest, start
from wirebook.rules.authoring.survey import survey

# As plugins for translations do, last of all.
HOOK = """
import os
from mkdocs.plugins import event_priority

@event_priority(-100)
def on_files(files, config):
    for file in files:
        os.fspath(file.abs_src_path)
    return files
"""


def build(repo: Repo) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", WITHOUT_SPARK, "build"],
        cwd=repo.folder,
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=False,
    )


pytestmark = pytest.mark.xdist_group("site")


@pytest.fixture(scope="module")
def begun(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, subprocess.CompletedProcess[str]]:
    """The folder and the build of a site that `wirebook init` has begun, without a name, beside a plugin."""
    repo = Repo(tmp_path_factory.mktemp("begun") / "repo")
    start(StartRequest(survey(repo.folder), "Orders protocol", "wirebook"))
    repo.write("hook.py", HOOK)
    repo.write("mkdocs.yml", 'site_name: ""\ntheme: mkdocs\nplugins: [wirebook]\nhooks: [hook.py]\n')
    done = build(repo)
    assert done.returncode == 0, done.stderr
    return repo.folder, done


def test_a_home_page_that_is_still_to_be_written_is_named(
    begun: tuple[Path, subprocess.CompletedProcess[str]],
) -> None:
    words = "wirebook: docs/index.md still has a TODO of `wirebook init`\n"
    assert begun[1].stderr.count(words) == 1


def test_a_plugin_that_reads_every_source_file_gets_no_generated_page(
    begun: tuple[Path, subprocess.CompletedProcess[str]],
) -> None:
    site = begun[0] / "site"
    assert (site / "api/get-note/index.html").exists()
    # A site without a name has that of the protocol.
    assert "<title>Orders protocol</title>" in (site / "index.html").read_text(encoding="utf-8")


def test_a_home_page_that_is_written_links_to_the_top_of_pages(tmp_path: Path) -> None:
    repo = Repo(tmp_path / "repo")
    start(StartRequest(survey(repo.folder), "Orders protocol", "wirebook"))
    repo.write(
        "mkdocs.yml",
        'site_name: ""\ntheme: mkdocs\nplugins: [wirebook]\nstrict: true\n'
        "validation: {links: {anchors: warn}}\n",
    )
    home = repo.folder / "docs" / "index.md"
    text = home.read_text(encoding="utf-8")
    assert "TODO: what the protocol" in text
    text = text.replace("TODO: what the protocol", "Notes: what the protocol")
    home.write_text(f"{text}\n[Up](#top) [API](api/get-note/index.md#top) [Not](#bottom)\n", encoding="utf-8")
    done = build(repo)
    assert "#bottom" in done.stderr
    assert "TODO" not in done.stderr
    assert "more)" not in done.stderr
