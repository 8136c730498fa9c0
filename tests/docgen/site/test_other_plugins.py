"""A site whose mkdocs.yml is its own: what other plugins see of it, and its title."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.docgen.sites import WITHOUT_SPARK
from tests.repositories import Repo, request, response
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


@pytest.mark.xdist_group("site")
def test_a_home_page_that_is_still_to_be_written_is_named(tmp_path: Path) -> None:
    repo = Repo(tmp_path / "repo")
    start(StartRequest(survey(repo.folder), "Orders protocol", "wirebook"))
    (repo.folder / "mkdocs.yml").write_text('site_name: ""\ntheme: mkdocs\nplugins: [wirebook]\n')
    words = "wirebook: docs/index.md still has a TODO of `wirebook init`\n"
    done = build(repo)
    assert done.returncode == 0, done.stderr
    assert done.stderr.count(words) == 1


@pytest.mark.xdist_group("site")
def test_a_plugin_that_reads_every_source_file_gets_no_generated_page(tmp_path: Path) -> None:
    repo = Repo(tmp_path / "repo")
    repo.spec(request(), "messages")
    repo.spec(response(), "messages")
    repo.write("profile.toml", 'name = "orders"\ntitle = "Orders protocol"\n')
    repo.write("hook.py", HOOK)
    repo.write("docs/index.md", "# Home\n\n<!-- wirebook: home -->\n")
    repo.write("mkdocs.yml", 'site_name: ""\nplugins: [wirebook]\nhooks: [hook.py]\n')
    done = build(repo)
    assert done.returncode == 0, done.stderr
    home = (repo.folder / "site/index.html").read_text(encoding="utf-8")
    assert (repo.folder / "site/api/fetch/index.html").exists()
    # A site without a name has that of the protocol.
    assert "Orders protocol" in home


@pytest.mark.xdist_group("site")
def test_a_link_to_the_top_of_a_page_is_not_missing(tmp_path: Path) -> None:
    repo = Repo(tmp_path / "repo")
    start(StartRequest(survey(repo.folder), "Orders protocol", "wirebook"))
    repo.write(
        "mkdocs.yml",
        'site_name: ""\ntheme: mkdocs\nplugins: [wirebook]\nstrict: true\n'
        "validation: {links: {anchors: warn}}\n",
    )
    repo.write("docs/index.md", "# Home\n\n[Up](#top) [API](api/get-note/index.md#top) [Not](#bottom)\n")
    done = build(repo)
    assert "#bottom" in done.stderr
    assert "TODO" not in done.stderr
    assert "more)" not in done.stderr
