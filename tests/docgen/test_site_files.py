"""The files of a site that a profile names, read from a commit."""

from __future__ import annotations

import shutil
from pathlib import Path

from tests.docgen.site_requests import site_request
from tests.repositories import Repo
from tests.support import ROOT
from wirebook.docgen.pipeline.inputs import gather


def test_the_guides_of_a_commit_are_those_that_it_has(tmp_path: Path) -> None:
    repo = Repo(tmp_path / "otter")
    shutil.copytree(ROOT / "examples" / "otter", repo.folder, dirs_exist_ok=True)
    repo.write("profile.toml", 'name = "otter"\n[site]\nhome = "docs/index.md"\nguides = ["docs"]\n')
    repo.write("docs/.hidden/page.md", "# Hidden\n")
    repo.commit()
    repo.git("tag", "v1")
    repo.write("docs/later.md", "# Later\n")
    repo.commit()
    for source, guides in ((f"{repo.folder}@v1", ("session.md",)), (repo.folder, ("later.md", "session.md"))):
        site = gather(site_request(source)).site
        assert site.record.guides == guides
        assert set(site.files) == {"index.md", *guides, "assets/logo.svg"}
