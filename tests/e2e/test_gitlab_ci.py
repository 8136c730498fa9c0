"""ci/gitlab.yml: its script, as GitLab's runner runs it, with a program that plays `glab`."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml  # type: ignore[import-untyped]

from tests.e2e.posting import Posting
from tests.e2e.runner import NUMBER, TOKEN
from tests.repositories import FOLDER, Repo, broken, started
from tests.support import ROOT

pytestmark = pytest.mark.skipif(shutil.which("bash") is None, reason="needs bash")


def job() -> dict[str, Any]:
    """The job of the file, read."""
    loaded = yaml.safe_load((ROOT / "ci" / "gitlab.yml").read_text(encoding="utf-8"))
    only: dict[str, Any] = loaded["wirebook"]
    return only


@pytest.fixture
def api(tmp_path: Path) -> Posting:
    return Posting(tmp_path / "posting")


@pytest.fixture
def repo(tmp_path: Path) -> Repo:
    """The clone of a job: the commit of the merge request, and where to fetch the target branch."""
    upstream = started(tmp_path / "upstream")
    upstream.git("checkout", "-q", "-b", "topic")
    upstream.spec(broken())
    upstream.commit("a change")
    repo = Repo(tmp_path / "clone")
    repo.git("remote", "add", "origin", str(upstream.folder))
    repo.git("fetch", "-q", "origin", "refs/heads/topic")
    repo.git("checkout", "-q", "FETCH_HEAD")
    return repo


def run(
    repo: Repo, api: Posting, tmp_path: Path, **variables: str
) -> subprocess.CompletedProcess[str]:
    """Run before_script, in which pip installs nothing, and script."""
    tools = tmp_path / "tools"
    tools.mkdir(exist_ok=True)
    tool = tools / "wirebook"
    # What the check may not see is written down.
    seen = 'if [ -n "$GITLAB_TOKEN" ]; then echo leaked; fi\n'
    tool.write_text(
        f'#!/bin/sh\n{seen}PYTHONPATH={ROOT} exec {sys.executable} -P -m wirebook.cli.main "$@"\n'
    )
    tool.chmod(0o755)
    pip = tools / "pip"
    pip.write_text(
        '#!/bin/sh\n[ "$*" = "install --quiet wirebook-of-the-test" ] && [ -z "$GITLAB_TOKEN" ]\n'
    )
    pip.chmod(0o755)
    given = {key: str(value) for key, value in job()["variables"].items()}
    environment = {
        "PATH": f"{tools}:{api.folder}:{os.environ['PATH']}",
        "HOME": str(tmp_path),
        "GIT_CONFIG_GLOBAL": os.devnull,
        **given,
        "WIREBOOK": "wirebook-of-the-test",
        "CI": "true",
        "CI_SERVER_URL": "https://gitlab.example",
        "CI_PROJECT_URL": "https://gitlab.example/group/project",
        "CI_MERGE_REQUEST_IID": str(NUMBER),
        "CI_MERGE_REQUEST_TARGET_BRANCH_NAME": "main",
        **variables,
    }
    script = "\n".join([*job()["before_script"], *job()["script"]])
    return subprocess.run(
        ["bash", "-eo", "pipefail", "-c", script],
        cwd=repo.folder,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )


def test_a_breaking_change_fails_with_a_quality_report_and_a_note(
    repo: Repo, api: Posting, tmp_path: Path
) -> None:
    done = run(repo, api, tmp_path, GITLAB_TOKEN=TOKEN)
    assert done.returncode == 1, done.stderr
    assert "type-changed" in done.stdout
    assert "leaked" not in done.stdout
    (issue,) = json.loads((repo.folder / "wirebook-quality.json").read_text())
    assert issue["check_name"] == "type-changed"
    assert issue["location"]["path"] == f"{FOLDER}/FetchRequest.json"
    assert "This change breaks what was promised" in api.posted
    assert api.posted == (repo.folder / "wirebook.md").read_text(encoding="utf-8")


@pytest.mark.long
def test_without_a_token_nothing_is_posted(repo: Repo, api: Posting, tmp_path: Path) -> None:
    assert run(repo, api, tmp_path).returncode == 1
    assert run(repo, api, tmp_path, WIREBOOK_FAIL_ON="never").returncode == 0
    assert api.calls == []


@pytest.mark.long
def test_tags_of_the_project_are_releases(repo: Repo, api: Posting, tmp_path: Path) -> None:
    upstream = Path(repo.git("remote", "get-url", "origin"))
    Repo(upstream, branch="main").git("tag", "1.0.0", "main")
    done = run(repo, api, tmp_path, WIREBOOK_RELEASED="[0-9]*")
    assert done.returncode == 1
    assert re.search(r"released: .*1\.0\.0", done.stdout)


def test_the_artifacts_are_what_the_script_writes() -> None:
    artifacts = job()["artifacts"]
    assert artifacts["when"] == "always"
    script = "\n".join(job()["script"])
    names = [artifacts["reports"]["codequality"], *artifacts["paths"]]
    assert [name for name in names if f"--output=$folder/{name}" not in script] == []
    assert sorted(re.findall(r"for name in (.*);", script)[0].split()) == sorted(names)
