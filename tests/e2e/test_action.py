"""The action for pull requests: its steps, as GitHub's runner runs them, with a program that plays
`gh`."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path

import pytest
import yaml  # type: ignore[import-untyped]

from tests.e2e.posting import Posting
from tests.e2e.runner import TOKEN, Runner, action, pull_request, push
from tests.repositories import FOLDER, Repo, broken, request, response, started
from tests.support import ROOT
from wirebook import __version__
from wirebook.rules.report.markdown import MARK

pytestmark = pytest.mark.skipif(shutil.which("bash") is None, reason="needs bash")


@pytest.fixture
def api(tmp_path: Path) -> Posting:
    return Posting(tmp_path / "posting")


@pytest.fixture
def repo(tmp_path: Path) -> Repo:
    """The clone that a runner has of a pull request: on a branch, its base as origin/main."""
    repo = started(tmp_path / "repo")
    repo.git("update-ref", "refs/remotes/origin/main", "HEAD")
    repo.git("checkout", "-q", "-b", "topic")
    # What would run instead of wirebook, were the folder of the pull request to come first.
    for name in ("wirebook/__init__.py", "wirebook/cli/__init__.py", "wirebook/cli/main.py"):
        repo.write(name, "raise SystemExit('the code of a pull request ran')\n")
    repo.commit("words")
    return repo


@pytest.fixture
def runner(repo: Repo, tmp_path: Path, api: Posting) -> Runner:
    return Runner(repo.folder, tmp_path / "runner", tools=api.folder)


def breaks(repo: Repo, fields: int = 1) -> None:
    """Commit a change that retypes some fields of released versions."""
    base, spec = request(), request()
    if fields > 1:
        more = [
            {"name": f"Field{number}", "type": "int32", "versions": "0+", "about": "A number."}
            for number in range(fields)
        ]
        base["fields"] += more
        spec["fields"] += [{**item, "type": "int64"} for item in more]
        repo.git("checkout", "-q", "-b", "base", "origin/main")
        repo.spec(base)
        repo.git("update-ref", "refs/remotes/origin/main", repo.commit("more fields"))
        repo.git("checkout", "-q", "-b", "wide")
    repo.spec(spec if fields > 1 else broken())
    repo.commit("a change")


def test_a_breaking_change_fails_and_is_reported_in_the_summary(
    repo: Repo, runner: Runner, api: Posting
) -> None:
    breaks(repo)
    ran = runner.run()
    assert ran.code == 1, ran.log
    assert re.search(rf"^::error file={FOLDER}/FetchRequest.json,line=\d+,", ran.log, re.MULTILINE)
    assert ran.summary.startswith(MARK)
    assert ran.report == ran.summary
    assert ran.steps == ["python", "check", "verdict"]
    assert api.calls == []


@pytest.mark.long
def test_a_change_without_specs_says_nothing(runner: Runner, api: Posting) -> None:
    ran = runner.run(comment="true")
    assert ran.code == 0, ran.log
    assert (ran.summary, ran.report) == ("", "")
    assert "::" not in ran.log
    assert api.posted == ""


def test_the_comment_follows_the_pull_request(repo: Repo, runner: Runner, api: Posting) -> None:
    breaks(repo)
    assert runner.run(comment="true").code == 1
    assert "This change breaks what was promised" in api.posted
    (call,) = api.calls
    assert call.startswith("pr comment 7 --edit-last --create-if-none --body-file ")
    repo.spec(request())
    repo.commit("nothing is left of it")
    ran = runner.run(comment="true")
    assert (ran.code, ran.summary) == (0, "")
    assert api.posted == f"{MARK} This change does not change the protocol.\n"


def test_a_comment_that_may_not_be_posted_stops_nothing(
    repo: Repo, runner: Runner, api: Posting
) -> None:
    breaks(repo)
    api.refuse()
    ran = runner.run(comment="true")
    assert ran.code == 1
    (warning,) = [
        line for line in ran.log.splitlines() if line.startswith("::warning title=wirebook::")
    ]
    assert "403: Resource not accessible by integration" in warning
    assert TOKEN not in ran.log
    assert "::error file=" in ran.log
    assert api.posted == ""


def test_what_cannot_be_compared_is_said_with_the_reason(
    repo: Repo, runner: Runner, api: Posting
) -> None:
    ran = runner.run(against="nowhere", comment="true")
    assert ran.code == 2
    assert "could not check this change" in ran.summary
    assert "nowhere" in ran.summary
    assert api.posted == ran.summary
    assert re.search("^::error title=could not be checked::.*nowhere", ran.log, re.MULTILINE)
    # And it does not stay there.
    assert runner.run(comment="true").code == 0
    assert "does not change the protocol" in api.posted


def test_a_spec_that_is_no_json_is_annotated_at_its_line(
    repo: Repo, runner: Runner, api: Posting
) -> None:
    repo.write(f"{FOLDER}/FetchRequest.json", '{\n  "apiKey": 1,\n  "type" "request"\n}\n')
    repo.commit("a mistake")
    ran = runner.run(comment="true")
    assert ran.code == 2
    place = f"::error file={FOLDER}/FetchRequest.json,line=3,col=10,title=could not be checked::"
    assert place in ran.log
    assert "Could not be checked" in api.posted
    assert "FetchRequest.json:3:10" in api.posted.replace("\\", "")


@pytest.mark.parametrize(
    ("fail_on", "code"),
    [
        *(pytest.param(name, 0, marks=pytest.mark.long) for name in ("never", "error")),
        ("warning", 1),
    ],
)
def test_warnings_fail_where_they_are_meant_to(
    repo: Repo, runner: Runner, fail_on: str, code: int
) -> None:
    # A version that no release has may still change.
    repo.git("tag", "1.0.0", "origin/main")
    for kind in ("int32", "int64"):
        for spec in (request(validVersions="0-3"), response(validVersions="0-3")):
            if spec["type"] == "request":
                rack = {"name": "Rack", "type": kind, "versions": "3+", "about": "The rack."}
                spec["fields"].append(rack)
            repo.spec(spec)
        repo.commit(f"a field of type {kind}")
        if kind == "int32":
            repo.git("update-ref", "refs/remotes/origin/main", "HEAD")
    ran = runner.run(fail_on=fail_on, released="[0-9]*")
    assert "::warning file=" in ran.log
    assert "::error" not in ran.log
    assert ran.code == code


@pytest.mark.parametrize("given", [{"fail_on": "sometimes"}, {"comment": "yes"}, {"sarif": "1"}])
def test_an_input_that_is_misspelt_fails(
    repo: Repo, runner: Runner, given: dict[str, str], api: Posting
) -> None:
    ran = runner.run(**given)
    assert ran.code == 2
    assert "sometimes" in ran.log or "true or false" in ran.log
    assert api.posted == ""


def test_sarif_is_uploaded_and_names_the_version(repo: Repo, runner: Runner) -> None:
    # A runner has a checkout of the action and a Python without wirebook: no metadata of a
    # distribution.
    breaks(repo)
    ran = runner.run(sarif="true")
    assert ran.code == 1
    assert ran.steps == ["python", "check", "upload", "verdict"]
    assert ran.given["upload"]["sarif_file"] == ran.outputs["sarif"]
    (only,) = json.loads(Path(ran.outputs["sarif"]).read_text())["runs"]
    assert only["tool"]["driver"]["version"] == __version__
    assert re.fullmatch(r"\d+\.\d+\.\d+", __version__)
    assert [item["ruleId"] for item in only["results"]] == ["type-changed"]
    # Without it nothing is written, and nothing uploaded.
    assert runner.run().outputs["sarif"] == ""


def test_a_push_of_two_commits_is_judged_from_where_the_branch_was(
    repo: Repo, runner: Runner
) -> None:
    repo.git("checkout", "-q", "main")
    before = repo.git("rev-parse", "HEAD")
    breaks(repo)
    repo.write("README.md", "words\n")
    repo.commit("words")
    repo.git("update-ref", "refs/remotes/origin/main", "HEAD")
    runner.github = push(before)
    ran = runner.run(comment="true")
    assert ran.code == 1
    assert "comment" not in ran.steps
    runner.github = push("0" * 40)
    assert runner.run().code == 0


@pytest.mark.long
def test_a_merge_queue_is_judged_against_its_base(repo: Repo, runner: Runner) -> None:
    base = repo.git("rev-parse", "main")
    breaks(repo)
    runner.github = {**push("", "gh-readonly-queue/main/pr-7"), "event_name": "merge_group"}
    runner.github["event"] = {"merge_group": {"base_sha": base}}
    assert runner.run().code == 1


@pytest.mark.parametrize(
    "name",
    [
        "$(touch ran)",
        *(
            pytest.param(name, marks=pytest.mark.long)
            for name in ("--output=/tmp/x", "a; touch ran", "`touch ran`")
        ),
    ],
)
def test_a_name_is_never_a_command(repo: Repo, runner: Runner, name: str) -> None:
    assert runner.run(against=name).code == 2
    runner.github = pull_request(base=name)
    assert runner.run().code == 2
    assert not list(repo.folder.parent.rglob("ran"))


def test_the_token_is_written_only_into_the_step_that_posts() -> None:
    steps = {step["id"]: step for step in action()["runs"]["steps"]}
    named = {
        name
        for name, step in steps.items()
        if "github.token" in str(step) or "secrets." in str(step)
    }
    assert named == {"comment"}
    assert "pull_request" not in steps["comment"]["run"]
    assert next(iter(steps)) == "python"
    assert steps["python"]["uses"].startswith("actions/setup-python@")
    ours = [step for step in steps.values() if "wirebook.cli.main" in step.get("run", "")]
    assert len(ours) == 1
    # The Python that was set up, and no folder of the pull request before our own.
    assert all(step["env"]["PYTHON"] == "${{ steps.python.outputs.python-path }}" for step in ours)
    assert all('"$PYTHON" -P -m wirebook.cli.main' in step["run"] for step in ours)


WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
PAGE = ROOT / "site_src" / "ci.md"


def used(path: Path) -> list[str]:
    """The actions that a file names."""
    return re.findall("uses: (.+)", path.read_text(encoding="utf-8"))


@pytest.mark.parametrize("path", [ROOT / "action.yml", *WORKFLOWS], ids=lambda path: path.name)
def test_other_actions_are_pinned_by_commit(path: Path) -> None:
    pinned = re.compile(
        r"[\w-]+/[\w/-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+|\./(?:\.github/workflows/(?:ci|long)\.yml)?"
    )
    assert used(path)
    assert [line for line in used(path) if not pinned.fullmatch(line)] == []


MAY_WRITE = {
    "pages.yml": {"deploy": {"pages": "write", "id-token": "write"}},
    "release.yml": {
        "attest": {"attestations": "write", "id-token": "write"},
        "publish": {"id-token": "write"},
    },
}


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.name)
def test_our_workflows_may_write_only_where_they_publish(path: Path) -> None:
    workflow = yaml.safe_load(path.read_text(encoding="utf-8"))
    assert workflow["permissions"] == {"contents": "read"}
    jobs = {name: job for name, job in workflow["jobs"].items() if "uses" not in job}
    wider = {
        name: job["permissions"] for name, job in workflow["jobs"].items() if "permissions" in job
    }
    assert wider == MAY_WRITE.get(path.name, {})
    # A job that may write runs actions only: no code of the checkout, and none of a package.
    assert [step for name in wider for step in jobs[name]["steps"] if "run" in step] == []
    steps = [step for job in jobs.values() for step in job["steps"]]
    checkouts = [step["with"] for step in steps if "checkout@" in step.get("uses", "")]
    assert checkouts
    assert all(given["persist-credentials"] is False for given in checkouts)
    # Whatever Python the runner has, ours runs by the one that is set up.
    for job in jobs.values():
        runs = [step["run"] for step in job["steps"] if "run" in step]
        setups = [step for step in job["steps"] if "setup-python@" in step.get("uses", "")]
        assert len(setups) == bool(runs)
    assert "${{" not in "".join(step.get("run", "") for step in steps)


def test_ci_runs_the_tests_and_our_action() -> None:
    workflow = yaml.safe_load(
        (ROOT / ".github" / "workflows" / "ci.yml").read_text(encoding="utf-8")
    )
    jobs = {
        name: [step.get("run") or step.get("uses") for step in job["steps"]]
        for name, job in workflow["jobs"].items()
    }
    assert jobs["test"][-1] == ".ci/run"
    assert jobs["protocol"][-1] == "./"


def rows(after: str) -> list[list[str]]:
    """The cells of the first table of the page behind some text."""
    table = (
        PAGE.read_text(encoding="utf-8")
        .partition(after)[2]
        .partition("\n|")[2]
        .partition("\n\n")[0]
    )
    return [
        [cell.strip() for cell in line.strip("|").split("|")] for line in table.splitlines()[2:]
    ]


def test_the_page_lists_the_inputs() -> None:
    shown = {name.strip("`"): default.strip("`") for name, _, default in rows("contents: read`.")}
    declared = {name: item["default"] for name, item in action()["inputs"].items()}
    assert shown.keys() == declared.keys()
    assert {name: value for name, value in declared.items() if value} == {
        name: shown[name] for name, value in declared.items() if value
    }
