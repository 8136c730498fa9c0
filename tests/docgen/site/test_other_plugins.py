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


@pytest.mark.xdist_group("site")
def test_a_plugin_that_reads_every_source_file_gets_no_generated_page(tmp_path: Path) -> None:
    repo = Repo(tmp_path / "repo")
    repo.spec(request(), "messages")
    repo.spec(response(), "messages")
    repo.write("profile.toml", 'name = "orders"\ntitle = "Orders protocol"\n')
    repo.write("hook.py", HOOK)
    repo.write("docs/index.md", "# Home\n\n<!-- wirebook: home -->\n")
    repo.write("mkdocs.yml", 'site_name: ""\nplugins: [wirebook]\nhooks: [hook.py]\n')
    done = subprocess.run(
        [sys.executable, "-m", WITHOUT_SPARK, "build"],
        cwd=repo.folder,
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    home = (repo.folder / "site/index.html").read_text(encoding="utf-8")
    assert (repo.folder / "site/api/fetch/index.html").exists()
    # A site without a name has that of the protocol.
    assert "Orders protocol" in home
