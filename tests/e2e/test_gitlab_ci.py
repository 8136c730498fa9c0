"""ci/gitlab.yml: its script, as GitLab's runner runs it, with a local server that plays GitLab's API."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml  # type: ignore[import-untyped]

from tests.cli.posting.apis import NUMBER, PROJECT, TOKEN, Api, serving
from tests.repositories import FOLDER, Repo, broken, request, started
from tests.support import ROOT

pytestmark = pytest.mark.skipif(shutil.which("bash") is None, reason="needs bash")


def job() -> dict[str, Any]:
    """The job of the file, read."""
    loaded = yaml.safe_load((ROOT / "ci" / "gitlab.yml").read_text(encoding="utf-8"))
    only: dict[str, Any] = loaded["wirebook"]
    return only


@pytest.fixture
def api() -> Iterator[Api]:
    with serving(Api(gitlab=True, account="project_1_bot")) as served:
        yield served


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


def run(repo: Repo, api: Api, tmp_path: Path, **variables: str) -> subprocess.CompletedProcess[str]:
    """Run before_script, in which pip installs nothing, and script."""
    tools = tmp_path / "tools"
    tools.mkdir(exist_ok=True)
    tool = tools / "wirebook"
    # What the check may not see is written down.
    seen = 'if [ "$1" != comment ] && [ -n "$GITLAB_TOKEN" ]; then echo leaked; fi\n'
    tool.write_text(
        f'#!/bin/sh\n{seen}PYTHONPATH={ROOT} exec {sys.executable} -P -m wirebook.cli.main "$@"\n'
    )
    tool.chmod(0o755)
    pip = tools / "pip"
    pip.write_text('#!/bin/sh\n[ "$*" = "install --quiet wirebook-of-the-test" ] && [ -z "$GITLAB_TOKEN" ]\n')
    pip.chmod(0o755)
    given = {key: str(value) for key, value in job()["variables"].items()}
    environment = {
        "PATH": f"{tools}:{os.environ['PATH']}",
        "HOME": str(tmp_path),
        "GIT_CONFIG_GLOBAL": os.devnull,
        "no_proxy": "127.0.0.1",
        **given,
        "WIREBOOK": "wirebook-of-the-test",
        "CI": "true",
        "CI_API_V4_URL": api.url,
        "CI_PROJECT_ID": PROJECT,
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
    repo: Repo, api: Api, tmp_path: Path
) -> None:
    done = run(repo, api, tmp_path, GITLAB_TOKEN=TOKEN)
    assert done.returncode == 1, done.stderr
    assert "type-changed" in done.stdout
    assert "leaked" not in done.stdout
    (issue,) = json.loads((repo.folder / "wirebook-quality.json").read_text())
    assert issue["check_name"] == "type-changed"
    assert issue["location"]["path"] == f"{FOLDER}/FetchRequest.json"
    assert "This change breaks what was promised" in api.bodies[0]
    assert api.bodies[0] == (repo.folder / "wirebook.md").read_text(encoding="utf-8").strip()


def test_the_note_is_removed_with_what_it_is_about(repo: Repo, api: Api, tmp_path: Path) -> None:
    assert run(repo, api, tmp_path, GITLAB_TOKEN=TOKEN).returncode == 1
    assert len(api.bodies) == 1
    repo.spec(request())
    repo.commit("back")
    done = run(repo, api, tmp_path, GITLAB_TOKEN=TOKEN)
    assert done.returncode == 0, done.stderr
    assert api.bodies == []
    assert json.loads((repo.folder / "wirebook-quality.json").read_text()) == []


@pytest.mark.long
def test_without_a_token_nothing_is_posted(repo: Repo, api: Api, tmp_path: Path) -> None:
    assert run(repo, api, tmp_path).returncode == 1
    assert run(repo, api, tmp_path, WIREBOOK_FAIL_ON="never").returncode == 0
    assert api.requests == []


@pytest.mark.long
def test_a_note_that_is_refused_stops_nothing(repo: Repo, api: Api, tmp_path: Path) -> None:
    done = run(repo, api, tmp_path, GITLAB_TOKEN="another")
    assert done.returncode == 1
    assert "could not be posted" in done.stdout
    assert "the token needs the scope api" in done.stderr


@pytest.mark.long
def test_a_syntax_error_is_at_its_line(repo: Repo, api: Api, tmp_path: Path) -> None:
    repo.write(f"{FOLDER}/FetchRequest.json", '{\n  "apiKey": 1,\n  "type" "request"\n}\n')
    repo.commit("a mistake")
    done = run(repo, api, tmp_path, GITLAB_TOKEN=TOKEN)
    assert done.returncode == 2
    (issue,) = json.loads((repo.folder / "wirebook-quality.json").read_text())
    assert issue["location"] == {"path": f"{FOLDER}/FetchRequest.json", "lines": {"begin": 3}}
    assert "Could not be checked" in api.bodies[0]


@pytest.mark.long
def test_tags_of_the_project_are_releases(repo: Repo, api: Api, tmp_path: Path) -> None:
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


@pytest.mark.long
def test_links_of_the_merge_request_do_not_swallow_the_report(repo: Repo, api: Api, tmp_path: Path) -> None:
    for name in ("wirebook.md", "wirebook-quality.json"):
        (repo.folder / name).symlink_to("/dev/null")
    repo.commit("links")
    done = run(repo, api, tmp_path)
    assert done.returncode == 1
    for name in ("wirebook.md", "wirebook-quality.json"):
        assert not (repo.folder / name).is_symlink()
        assert (repo.folder / name).stat().st_size > 0
