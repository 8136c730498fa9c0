"""The action for pull requests: its steps, as GitHub's runner runs them, with a program that plays `gh`."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from pathlib import Path

import pytest
import yaml  # type: ignore[import-untyped]

from tests.e2e.posting import Posting
from tests.e2e.runner import TOKEN, Runner, action, evaluated, pull_request, push
from tests.repositories import FOLDER, Repo, broken, request, response, started
from tests.support import ROOT
from wirebook import __version__
from wirebook.docgen.render.review.markdown import MARK

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


@pytest.mark.parametrize(
    "shadow",
    [
        "refs/heads/origin/main",
        *(
            pytest.param(name, marks=pytest.mark.long)
            for name in ("refs/tags/origin/main", "refs/origin/main")
        ),
    ],
)
def test_no_other_ref_takes_the_place_of_the_base(repo: Repo, runner: Runner, shadow: str) -> None:
    breaks(repo)
    repo.git("update-ref", shadow, "HEAD")
    ran = runner.run()
    assert ran.code == 1, ran.log
    assert "against refs/remotes/origin/main" in ran.log
    # Whoever names the base decides which one is meant.
    ran = runner.run(against="origin/main...")
    assert ran.code == 2, ran.log
    assert f"refs/remotes/origin/main and {shadow}" in ran.log or f"{shadow} and refs/remotes" in ran.log


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


def test_a_comment_that_may_not_be_posted_stops_nothing(repo: Repo, runner: Runner, api: Posting) -> None:
    breaks(repo)
    api.refuse()
    ran = runner.run(comment="true")
    assert ran.code == 1
    (warning,) = [line for line in ran.log.splitlines() if line.startswith("::warning title=wirebook::")]
    assert "403: Resource not accessible by integration" in warning
    assert TOKEN not in ran.log
    assert "::error file=" in ran.log
    assert api.posted == ""


def test_what_cannot_be_compared_is_said_with_the_reason(repo: Repo, runner: Runner, api: Posting) -> None:
    ran = runner.run(against="nowhere", comment="true")
    assert ran.code == 2
    assert "could not check this change" in ran.summary
    assert "nowhere" in ran.summary
    assert api.posted == ran.summary
    assert re.search("^::error title=could not be checked::.*nowhere", ran.log, re.MULTILINE)
    # And it does not stay there.
    assert runner.run(comment="true").code == 0
    assert "does not change the protocol" in api.posted


def test_a_spec_that_is_no_json_is_annotated_at_its_line(repo: Repo, runner: Runner, api: Posting) -> None:
    repo.write(f"{FOLDER}/FetchRequest.json", '{\n  "apiKey": 1,\n  "type" "request"\n}\n')
    repo.commit("a mistake")
    ran = runner.run(comment="true")
    assert ran.code == 2
    place = f"::error file={FOLDER}/FetchRequest.json,line=3,col=10,title=could not be checked::"
    assert place in ran.log
    assert "Could not be checked" in api.posted
    assert "FetchRequest.json:3:10" in api.posted.replace("\\", "")


@pytest.mark.parametrize("config", ["", pytest.param("wirebook.toml", marks=pytest.mark.long)])
def test_a_configuration_that_is_no_toml_is_annotated_at_its_line(
    repo: Repo, runner: Runner, api: Posting, config: str
) -> None:
    repo.write("wirebook.toml", "[check]\nagainst = \n")
    repo.commit("a mistake")
    ran = runner.run(comment="true", config=config)
    assert ran.code == 2
    assert re.search(r"^::error file=wirebook\.toml,line=2,col=\d+,", ran.log, re.MULTILINE)
    assert "wirebook.toml" in api.posted


@pytest.mark.long
def test_a_report_that_is_killed_is_no_silence(
    repo: Repo, runner: Runner, api: Posting, tmp_path: Path
) -> None:
    breaks(repo)
    killed = tmp_path / "python"
    killed.write_text(
        f'#!/bin/sh\ncase "$*" in *" report "*) kill -9 $$ ;; esac\nexec {runner.python} "$@"\n'
    )
    killed.chmod(0o755)
    runner.python = str(killed)
    ran = runner.run(comment="true")
    assert ran.code == 1
    assert "could not check this change" in ran.summary
    assert "could not check this change" in api.posted


@pytest.mark.long
def test_more_findings_than_github_shows_are_in_the_summary(repo: Repo, runner: Runner) -> None:
    breaks(repo, fields=14)
    ran = runner.run()
    assert ran.code == 1
    assert len(re.findall("^::error file=", ran.log, re.MULTILINE)) == 14
    said = "10 of 14 are shown in the changed files"
    assert said in ran.log
    assert said in ran.summary
    assert said not in ran.report
    assert all(f"Field{number}" in ran.summary for number in range(14))


@pytest.mark.parametrize(
    ("fail_on", "code"),
    [("never", 0), *(pytest.param(name, 1, marks=pytest.mark.long) for name in ("error", "warning"))],
)
def test_errors_fail_unless_nothing_does(repo: Repo, runner: Runner, fail_on: str, code: int) -> None:
    breaks(repo)
    ran = runner.run(fail_on=fail_on)
    assert ran.code == code
    assert "::error file=" in ran.log


@pytest.mark.parametrize(
    ("fail_on", "code"),
    [*(pytest.param(name, 0, marks=pytest.mark.long) for name in ("never", "error")), ("warning", 1)],
)
def test_warnings_fail_where_they_are_meant_to(repo: Repo, runner: Runner, fail_on: str, code: int) -> None:
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


@pytest.mark.long
@pytest.mark.parametrize("fail_on", ["never", "error", "warning"])
def test_what_could_not_be_checked_always_fails(repo: Repo, runner: Runner, fail_on: str) -> None:
    repo.write(f"{FOLDER}/FetchRequest.json", "{")
    repo.commit("a mistake")
    assert runner.run(fail_on=fail_on).code == 2


@pytest.mark.parametrize("given", [{"fail_on": "sometimes"}, {"comment": "yes"}, {"sarif": "1"}])
def test_an_input_that_is_misspelt_fails(
    repo: Repo, runner: Runner, given: dict[str, str], api: Posting
) -> None:
    ran = runner.run(**given)
    assert ran.code == 2
    assert "sometimes" in ran.log or "true or false" in ran.log
    assert api.posted == ""


def test_sarif_is_uploaded_and_names_the_version(repo: Repo, runner: Runner) -> None:
    # A runner has a checkout of the action and a Python without wirebook: no metadata of a distribution.
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


@pytest.mark.long
def test_the_verdict_does_not_depend_on_the_upload(repo: Repo, runner: Runner) -> None:
    breaks(repo)
    runner.fails = frozenset({"upload"})
    ran = runner.run(sarif="true")
    assert ran.steps[-1] == "verdict"
    assert ran.code == 1


def test_a_push_of_two_commits_is_judged_from_where_the_branch_was(repo: Repo, runner: Runner) -> None:
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
def test_a_push_to_a_branch_is_judged_from_where_it_left_the_default_branch(
    repo: Repo, runner: Runner
) -> None:
    base = repo.git("rev-parse", "main")
    repo.git("update-ref", "-d", "refs/remotes/origin/main")
    repo.git("branch", "-q", "-D", "main")
    breaks(repo)
    repo.write("README.md", "words\n")
    repo.commit("words")
    repo.git("update-ref", "refs/remotes/origin/topic", "HEAD")
    runner.github = push("0" * 40, "topic", default="develop")
    ran = runner.run()
    assert (ran.code, 'CI_DEFAULT_BRANCH is "develop"' in ran.log) == (2, True)
    repo.git("update-ref", "refs/remotes/origin/develop", base)
    ran = runner.run()
    assert (ran.code, "type-changed" in ran.log) == (1, True)


@pytest.mark.long
def test_a_merge_queue_is_judged_against_its_base(repo: Repo, runner: Runner) -> None:
    base = repo.git("rev-parse", "main")
    breaks(repo)
    runner.github = {**push("", "gh-readonly-queue/main/pr-7"), "event_name": "merge_group"}
    runner.github["event"] = {"merge_group": {"base_sha": base}}
    assert runner.run().code == 1


@pytest.mark.long
def test_each_line_of_released_is_a_glob(repo: Repo, runner: Runner) -> None:
    repo.git("tag", "1.0.0", "origin/main")
    repo.git("tag", "v2.0.0", "origin/main")
    breaks(repo)
    ran = runner.run(released="[0-9]*\n\nv*\n")
    assert ran.code == 1
    assert "1.0.0" in ran.summary
    assert "v2.0.0" in ran.summary


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


def test_only_the_comment_has_the_token(repo: Repo, runner: Runner) -> None:
    breaks(repo)
    ran = runner.run(comment="true", sarif="true")
    assert ran.steps == ["python", "check", "comment", "upload", "verdict"]
    assert {name for name, values in ran.environments.items() if TOKEN in values.values()} == {"comment"}
    assert [name for name, values in ran.given.items() if TOKEN in values.values()] == []
    # The Python action takes the token of the job unless it is given another.
    assert ran.given["python"]["token"] == ""


def test_nothing_of_an_event_is_written_into_a_script() -> None:
    scripts = [step["run"] for step in action()["runs"]["steps"] if "run" in step]
    assert len(scripts) == 3
    assert [script for script in scripts if "${{" in script] == []


def test_the_token_is_written_only_into_the_step_that_posts() -> None:
    steps = {step["id"]: step for step in action()["runs"]["steps"]}
    named = {name for name, step in steps.items() if "github.token" in str(step) or "secrets." in str(step)}
    assert named == {"comment"}
    assert "pull_request" not in steps["comment"]["run"]
    assert next(iter(steps)) == "python"
    assert steps["python"]["uses"].startswith("actions/setup-python@")
    ours = [step for step in steps.values() if "wirebook.cli.main" in step.get("run", "")]
    assert len(ours) == 1
    # The Python that was set up, and no folder of the pull request before our own.
    assert all(step["env"]["PYTHON"] == "${{ steps.python.outputs.python-path }}" for step in ours)
    assert all('"$PYTHON" -P -m wirebook.cli.main' in step["run"] for step in ours)


def test_the_page_gives_each_permission_to_the_input_that_needs_it() -> None:
    text = PAGE.read_text(encoding="utf-8")
    workflow = yaml.safe_load(text.partition("```yaml\n")[2].partition("```")[0])
    assert workflow["permissions"] == {"contents": "read"}
    (job,) = workflow["jobs"].values()
    assert job["permissions"].pop("contents") == "read"
    needed = {"pull-requests": "comment", "security-events": "sarif"}
    assert job["permissions"] == dict.fromkeys(needed, "write")
    for permission, name in needed.items():
        assert f"{permission}: write # for {name}\n" in text
        assert job["steps"][-1]["with"][name] is True
        assert f"permission {permission} write" in action()["inputs"][name]["description"]
    assert job["steps"][0]["with"]["persist-credentials"] is False


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


def test_one_release_of_an_action_is_used_everywhere() -> None:
    named = {line for path in (ROOT / "action.yml", *WORKFLOWS) for line in used(path)}
    names = [line.partition("@")[0] for line in named]
    assert len(names) == len(set(names))
    shown = {line for line in used(PAGE) if not line.startswith("OWNER/")}
    assert shown
    assert shown <= named


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
    wider = {name: job["permissions"] for name, job in workflow["jobs"].items() if "permissions" in job}
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
    workflow = yaml.safe_load((ROOT / ".github" / "workflows" / "ci.yml").read_text(encoding="utf-8"))
    jobs = {
        name: [step.get("run") or step.get("uses") for step in job["steps"]]
        for name, job in workflow["jobs"].items()
    }
    assert jobs["test"][-1] == ".ci/run"
    assert jobs["protocol"][-1] == "./"


@pytest.mark.long
def test_our_own_specs_are_judged(tmp_path: Path, api: Posting) -> None:
    clone = tmp_path / "clone"
    made = subprocess.run(
        ["git", "clone", "-q", "--shared", str(ROOT), str(clone)], capture_output=True, check=False
    )
    if made.returncode:
        pytest.skip("needs a clone")
    repo = Repo(clone)
    repo.git("update-ref", "refs/remotes/origin/main", "HEAD")
    ours = Runner(clone, tmp_path / "runner", tools=api.folder)
    ran = ours.run()
    assert (ran.code, ran.summary) == (0, ""), ran.log
    place = clone / "specs" / "kafka" / "messages" / "HeartbeatRequest.json"
    place.write_text(place.read_text(encoding="utf-8").replace('"int32"', '"int64"', 1), encoding="utf-8")
    repo.commit("a change")
    ran = ours.run()
    assert ran.code == 1
    assert "::error file=specs/kafka/messages/HeartbeatRequest.json,line=" in ran.log


def rows(after: str) -> list[list[str]]:
    """The cells of the first table of the page behind some text."""
    table = PAGE.read_text(encoding="utf-8").partition(after)[2].partition("\n|")[2].partition("\n\n")[0]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in table.splitlines()[2:]]


def test_the_page_lists_the_inputs() -> None:
    shown = {name.strip("`"): default.strip("`") for name, _, default in rows("contents: read`.")}
    declared = {name: item["default"] for name, item in action()["inputs"].items()}
    assert shown.keys() == declared.keys()
    assert {name: value for name, value in declared.items() if value} == {
        name: shown[name] for name, value in declared.items() if value
    }


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        ("a.b == 'x' && c || ''", "yes"),
        ("a.b == 'y' && c || ''", ""),
        ("!cancelled()", True),
        ("a.none", ""),
        ("a.b != 'x'", False),
        ("(a.b == 'y' || c) && a.b", "x"),
    ],
)
def test_the_runner_reads_expressions(expression: str, value: object) -> None:
    # The tests above prove nothing if conditions are misread.
    assert evaluated(expression, {"a": {"b": "x"}, "c": "yes"}) == value
