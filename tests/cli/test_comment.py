"""`wirebook comment`: where it posts, what it posts, and one line for what is missing."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cli.posting.apis import NUMBER, PROJECT, REPOSITORY, TOKEN, Api, Failure, serving
from wirebook.cli.main import main
from wirebook.cli.posting.github import GitHub
from wirebook.cli.posting.gitlab import GitLab
from wirebook.cli.posting.place import Wanted, target
from wirebook.docgen.render.review.markdown import MARK
from wirebook.specs.problems import InputError

PULL = json.dumps({"pull_request": {"number": 7}})
ISSUE = '{"issue": {"number": 7}}'


@pytest.fixture(autouse=True)
def nowhere(monkeypatch: pytest.MonkeyPatch) -> None:
    """No job of any CI, whatever runs these tests."""
    for name in ("GITHUB_REPOSITORY", "GITHUB_EVENT_PATH", "GITHUB_API_URL", "GITHUB_TOKEN", "GH_TOKEN"):
        monkeypatch.delenv(name, raising=False)
    for name in ("CI_PROJECT_ID", "CI_API_V4_URL", "CI_MERGE_REQUEST_IID", "GITLAB_TOKEN"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("no_proxy", "127.0.0.1")


@pytest.fixture
def api() -> Iterator[Api]:
    with serving(Api()) as served:
        yield served


@pytest.fixture
def job(api: Api, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The variables of a job of GitHub; its folder."""
    event = tmp_path / "event.json"
    event.write_text(json.dumps({"action": "synchronize", "pull_request": {"number": NUMBER}}))
    monkeypatch.setenv("GITHUB_REPOSITORY", REPOSITORY)
    monkeypatch.setenv("GITHUB_API_URL", api.url)
    monkeypatch.setenv("GITHUB_EVENT_PATH", str(event))
    monkeypatch.setenv("GITHUB_TOKEN", TOKEN)
    return tmp_path


def test_a_job_of_github_needs_no_options(api: Api, job: Path, capsys: pytest.CaptureFixture[str]) -> None:
    report = job / "report.md"
    report.write_text(f"{MARK}\nwords\n")
    assert main(["comment", str(report)]) == 0
    assert capsys.readouterr().out == "wirebook: posted the comment\n"
    assert api.bodies == [f"{MARK}\nwords"]
    report.write_text("")
    assert main(["comment", str(report)]) == 0
    assert capsys.readouterr().out == "wirebook: removed the comment\n"
    assert api.bodies == []


def test_a_job_of_gitlab_needs_no_options(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    with serving(Api(gitlab=True, account="project_1_bot")) as api:
        monkeypatch.setenv("CI_PROJECT_ID", PROJECT)
        monkeypatch.setenv("CI_MERGE_REQUEST_IID", str(NUMBER))
        monkeypatch.setenv("CI_API_V4_URL", api.url)
        monkeypatch.setenv("GITLAB_TOKEN", TOKEN)
        (tmp_path / "report.md").write_text(f"{MARK}\nwords\n")
        assert main(["comment", str(tmp_path / "report.md")]) == 0
        assert api.bodies == [f"{MARK}\nwords"]
    assert capsys.readouterr().out == "wirebook: posted the comment\n"


def test_any_ci_names_the_request(api: Api, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GH_TOKEN", f"{TOKEN}\n")
    (tmp_path / "report.md").write_text("words without a mark\n")
    where = ["--github", REPOSITORY, "--number", str(NUMBER), "--api", f"{api.url}/"]
    assert main(["comment", str(tmp_path / "report.md"), *where]) == 0
    assert main(["comment", str(tmp_path / "report.md"), *where]) == 0
    assert api.bodies == [f"{MARK}\nwords without a mark"]


def test_a_report_that_was_not_written_could_not_be_checked(api: Api, job: Path) -> None:
    assert main(["comment", str(job / "report.md")]) == 0
    assert "could not check this change" in api.bodies[0]
    assert "the report was not written" in api.bodies[0]


def test_a_refusal_is_one_line_and_exit_2(api: Api, job: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (job / "report.md").write_text(f"{MARK}\nwords\n")
    api.failures.append(Failure("POST", 403, {"message": "Resource not accessible by integration"}))
    assert main(["comment", str(job / "report.md")]) == 2
    printed = capsys.readouterr()
    assert printed.out == ""
    (line,) = printed.err.splitlines()
    assert "403 Forbidden: Resource not accessible by integration; the token needs the permission" in line
    assert TOKEN not in line


def test_a_wrong_token_posts_nothing(
    api: Api, job: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("GITHUB_TOKEN", "another-secret")
    (job / "report.md").write_text(f"{MARK}\nwords\n")
    assert main(["comment", str(job / "report.md")]) == 2
    printed = capsys.readouterr().err
    assert "401" in printed
    assert "another-secret" not in printed
    assert api.bodies == []


@pytest.mark.skipif(not Path("/dev/zero").exists(), reason="needs a device that never ends")
def test_a_report_that_never_ends_is_given_up(
    api: Api, job: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["comment", "/dev/zero"]) == 2
    assert "/dev/zero: the file is larger than 16 MiB" in capsys.readouterr().err
    assert api.bodies == []


@pytest.mark.parametrize(
    ("content", "words"),
    [(b"\xff\xfe", "not UTF-8"), (b"x" * 70_000, "at most 65,536")],
)
def test_a_report_that_is_no_comment_is_refused(
    api: Api, job: Path, content: bytes, words: str, capsys: pytest.CaptureFixture[str]
) -> None:
    (job / "report.md").write_bytes(content)
    assert main(["comment", str(job / "report.md")]) == 2
    assert words in capsys.readouterr().err
    assert "POST" not in api.methods


@pytest.mark.parametrize(
    ("wanted", "environ", "words"),
    [
        (Wanted(), {}, "neither a GitHub nor a GitLab"),
        (Wanted(github="o/n", number=1), {}, "no token"),
        (Wanted(github="o/n", number=1), {"GITHUB_TOKEN": " "}, "no token"),
        (Wanted(github="o/n", number=1), {"GITHUB_TOKEN": "a b"}, "does not contain a token"),
        (Wanted(github="o/n", number=1), {"GITHUB_TOKEN": "a\nb"}, "does not contain a token"),
        (Wanted(github="o/n/../x", number=1), {"GITHUB_TOKEN": "t"}, "OWNER/NAME"),
        (Wanted(github="o/n"), {"GITHUB_TOKEN": "t"}, "not a job of a pull request"),
        (Wanted(gitlab="p"), {"GITLAB_TOKEN": "t"}, "not a job of a merge request"),
        (Wanted(gitlab="p"), {"GITLAB_TOKEN": "t", "CI_MERGE_REQUEST_IID": "../1"}, "not a job"),
        (Wanted(gitlab="p", number=1, api="http://example.com"), {"GITLAB_TOKEN": "t"}, "without TLS"),
        (Wanted(github="o/n", gitlab=None), {"GITHUB_TOKEN": "t", "GITHUB_EVENT_PATH": "{}"}, "not about"),
        (Wanted(github="o/n"), {"GITHUB_TOKEN": "t", "GITHUB_EVENT_PATH": "[]"}, "not about"),
        (Wanted(github="o/n"), {"GITHUB_TOKEN": "t", "GITHUB_EVENT_PATH": "{"}, "not a GitHub event"),
        (Wanted(github="o/other"),
         {"GITHUB_TOKEN": "t", "GITHUB_EVENT_PATH": PULL, "GITHUB_REPOSITORY": "o/n"},
         "'o/other' is not the repository of this job: add --number"),
        (Wanted(gitlab="8"), {"GITLAB_TOKEN": "t", "CI_MERGE_REQUEST_IID": "1", "CI_PROJECT_ID": "7"},
         "'8' is not the repository of this job: add --number"),
        # A plain issue has no report.
        (Wanted(github="o/n"), {"GITHUB_TOKEN": "t", "GITHUB_EVENT_PATH": ISSUE}, "not about"),
    ],
)  # fmt: skip
def test_what_is_missing_is_named(
    wanted: Wanted, environ: dict[str, str], words: str, tmp_path: Path
) -> None:
    if "GITHUB_EVENT_PATH" in environ:
        event = tmp_path / "event.json"
        event.write_text(environ["GITHUB_EVENT_PATH"])
        environ = {**environ, "GITHUB_EVENT_PATH": str(event)}
    with pytest.raises(InputError, match=words):
        target(wanted, environ)


def test_a_comment_on_a_pull_request_is_an_event_about_it(tmp_path: Path) -> None:
    event = tmp_path / "event.json"
    event.write_text(json.dumps({"issue": {"number": 7, "pull_request": {"url": "https://a.example"}}}))
    place = target(Wanted(github="o/n"), {"GITHUB_TOKEN": "t", "GITHUB_EVENT_PATH": str(event)})
    assert isinstance(place.thread, GitHub)
    assert place.thread.thread == "/repos/o/n/issues/7/comments"


@pytest.mark.parametrize("project", ["7", "Group/Name", "9"])
def test_a_job_knows_its_project_by_any_name(project: str) -> None:
    job = {"CI_PROJECT_ID": "7", "CI_PROJECT_PATH": "group/name", "CI_MERGE_REQUEST_PROJECT_ID": "9"}
    environ = {**job, "GITLAB_TOKEN": "t", "CI_MERGE_REQUEST_IID": "3"}
    thread = target(Wanted(gitlab=project), environ).thread
    assert isinstance(thread, GitLab)
    assert thread.notes.endswith("/merge_requests/3/notes")


@pytest.mark.parametrize("number", ["0", "-1", "x", ""])
def test_a_number_is_above_zero(number: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as caught:
        main(["comment", "report.md", f"--number={number}"])
    assert caught.value.code == 2
    assert "not a number above 0" in capsys.readouterr().err
