"""Which commit a verdict is about: names of refs, and histories with several best merge bases."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.repositories import FOLDER, Repo, broken, request, started
from tests.rules.check.running import Run
from wirebook.cli.main import main

MESSAGES = ("FetchRequest", "OtherRequest")


@pytest.fixture
def repo(tmp_path: Path) -> Repo:
    """A clone on a branch that breaks a field of origin/main."""
    made = started(tmp_path / "repo")
    made.git("update-ref", "refs/remotes/origin/main", "HEAD")
    made.git("checkout", "-q", "-b", "topic")
    made.spec(broken())
    made.commit("break")
    return made


@pytest.mark.share(3)
@pytest.mark.parametrize(
    "arguments",
    [
        ["--against", "origin/main..."],
        ["--against", "origin/main..HEAD"],
        ["--against", "HEAD...origin/main"],
        ["--against", "origin/main"],
        ["--against", "git:origin/main"],
        ["--against", "git:origin/main:clients"],
        ["--against", ".@origin/main"],
        ["--old", "git:origin/main", "--new", "clients"],
        ["--staged", "--against", "origin/main"],
        ["--branch", "origin/main"],
        ["--released", "git:origin/main"],
    ],
)
@pytest.mark.parametrize("shadow", ["refs/tags/origin/main", "refs/heads/origin/main", "refs/origin/main"])
def test_a_name_of_two_refs_is_not_checked(
    repo: Repo,
    check: Run,
    arguments: list[str],
    shadow: str,
) -> None:
    repo.git("update-ref", shadow, "HEAD")
    found = check(repo.folder, *arguments)
    assert found.code == 2
    assert "refs/remotes/origin/main" in found.err
    assert shadow in found.err
    assert found.err.count("\n") == 1
    assert check(repo.folder, "--against", "refs/remotes/origin/main...").code == 1
    assert check(repo.folder, "--branch", "main").code == 1


@pytest.mark.parametrize("setting", ['against = "origin/main"', 'branch = "origin/main"'])
def test_a_name_of_two_refs_in_the_configuration(repo: Repo, check: Run, setting: str) -> None:
    repo.git("checkout", "-q", "--detach", "origin/main")
    repo.write("wirebook.toml", f"{setting}\n")
    repo.git("update-ref", "refs/remotes/origin/main", repo.commit("a baseline"))
    repo.git("checkout", "-q", "-b", "other")
    repo.spec(broken())
    repo.commit("break")
    found = check(repo.folder, "--format", "json")
    assert found.code == 1
    base = json.loads(found.out)["base"]
    assert (base["ref"], base["origin"]) == ("refs/remotes/origin/main", "wirebook.toml:1")
    repo.git("tag", "origin/main")
    assert check(repo.folder).code == 2


@pytest.mark.parametrize("name", ["HEAD", "main", "refs/remotes/origin/trunk"])
def test_tags_do_not_change_what_is_detected(repo: Repo, check: Run, name: str) -> None:
    repo.git("update-ref", f"refs/tags/{name}", "HEAD")
    found = check(repo.folder)
    assert (found.code, "refs/remotes/origin/main" in found.first) == (1, True)


def test_a_tag_named_like_a_ref_that_is_missing_is_not_detected(repo: Repo, check: Run) -> None:
    repo.git("update-ref", "refs/tags/refs/remotes/origin/HEAD", "HEAD")
    found = check(repo.folder)
    assert found.code == 2
    assert 'there is no ref "refs/remotes/origin/HEAD" here' in found.err


@pytest.mark.parametrize("form", ["text", "json", "sarif", "github", "markdown"])
def test_each_format_names_the_base(repo: Repo, check: Run, form: str) -> None:
    base = repo.git("rev-parse", "origin/main")
    found = check(repo.folder, "--against", "origin/main...", "--format", form)
    assert f"its merge base with refs/remotes/origin/main ({base[:12]}; command line)" in found.out


def test_the_base_as_data(repo: Repo, check: Run) -> None:
    base = repo.git("rev-parse", "origin/main")
    found = check(repo.folder, "--against", "origin/main...", "--format", "json")
    assert json.loads(found.out)["base"] == {
        "name": "origin/main",
        "ref": "refs/remotes/origin/main",
        "commit": base,
        "origin": "command line",
        "role": "its merge base with",
    }
    outside = check(repo.folder, "--against", "./clients", "--format", "json")
    assert json.loads(outside.out)["base"] is None


@pytest.mark.parametrize("arguments", [[], ["--staged"], ["--against", "HEAD"], ["--against", "HEAD..HEAD"]])
def test_two_sides_that_are_the_same(repo: Repo, check: Run, arguments: list[str]) -> None:
    repo.git("update-ref", "refs/remotes/origin/main", "HEAD")
    found = check(repo.folder, *arguments)
    words = "0 specs differ; both sides are the same, so nothing was compared"
    assert (found.code, found.first.endswith(words)) == (0, True)
    # With --all, every spec is checked by itself.
    assert check(repo.folder, *arguments, "--all").first.endswith(": 0 specs differ")
    repo.write("notes.txt", "words")
    repo.commit("no spec")
    assert check(repo.folder).first.endswith(": 0 specs differ")


def field(kind: str) -> dict[str, Any]:
    return {"name": "More", "type": kind, "versions": "3+", "about": "More."}


def message(name: str, kind: str | None) -> dict[str, Any]:
    """A request with or without a version 3, which has a field of a type."""
    key = MESSAGES.index(name) + 1
    if kind is None:
        return request(name=name, apiKey=key)
    return request(name=name, apiKey=key, validVersions="0-3", fields=[*request()["fields"], field(kind)])


@pytest.fixture
def crossed(tmp_path: Path) -> Repo:
    """Two sides that both merged x1 and x2, each of which adds a version of one message."""
    repo = Repo(tmp_path / "crossed")
    repo.write("package.json", "{}")
    for name in MESSAGES:
        repo.spec(message(name, None))
    repo.commit("base")
    for number, name in enumerate(MESSAGES, 1):
        repo.git("checkout", "-q", "-b", f"x{number}", "main")
        repo.spec(message(name, "int32"))
        repo.commit(f"x{number}")
    for start, other, branch in (("x1", "x2", "main"), ("x2", "x1", "topic")):
        repo.git("checkout", "-q", "-B", branch, start)
        repo.git("-c", "user.name=A", "-c", "user.email=a@b.invalid", "merge", "-q", "--no-edit", other)
    assert len(repo.git("merge-base", "--all", "main", "topic").split()) == 2
    return repo


@pytest.mark.parametrize("name", MESSAGES)
@pytest.mark.parametrize(
    "arguments", [[], ["--against", "main..."], ["--against", "main...topic"], ["--branch", "main"]]
)
def test_a_break_of_either_merge_base(
    crossed: Repo,
    check: Run,
    name: str,
    arguments: list[str],
) -> None:
    assert check(crossed.folder, *arguments).code == 0
    crossed.spec(message(name, "int64"))
    crossed.commit("redefine")
    found = check(crossed.folder, *arguments, "--format", "json")
    assert found.code == 1
    document = json.loads(found.out)
    (only,) = document["findings"]
    assert (only["rule"], only["message_name"]) == ("type-changed", name)
    for base in crossed.git("merge-base", "--all", "main", "topic").split():
        assert base[:12] in document["compared"]
    assert "merge base 1 of 2" in document["compared"]
    assert "merge base 2 of 2" in document["compared"]


@pytest.mark.parametrize("attempt", range(4))
def test_each_merge_base_is_judged_whatever_the_settings_of_the_first_one_name(
    tmp_path: Path, check: Run, attempt: int
) -> None:
    """Which of two is the first depends on their hashes."""
    repo = started(tmp_path / "repo")
    repo.git("branch", "old")
    repo.git("checkout", "-q", "-b", "topic")
    field = {"name": "Added", "type": "int8", "versions": "3+", "about": "It is new."}
    spec = request(validVersions="0-3")
    repo.spec({**spec, "fields": [*spec["fields"], field]})
    repo.commit(f"topic {attempt}")
    repo.git("checkout", "-q", "main")
    repo.write("wirebook.toml", 'branch = "old"\n')
    repo.commit(f"main {attempt}")
    main, topic = (repo.git("rev-parse", name) for name in ("main", "topic"))
    for branch, other in (("main", topic), ("topic", main)):
        repo.git("checkout", "-q", branch)
        repo.git("merge", "-q", "--no-edit", other)
    repo.spec({**spec, "fields": [*spec["fields"], {**field, "type": "int16"}]})
    outcome = check(repo.folder)
    assert (outcome.code, "error[type-changed] FetchRequest · Added" in outcome.out) == (1, True)


def test_a_break_of_both_merge_bases_is_one_finding(crossed: Repo, check: Run) -> None:
    spec = message("FetchRequest", "int32")
    spec["fields"][0] = {**spec["fields"][0], "type": "int64"}
    crossed.spec(spec)
    crossed.commit("break")
    found = check(crossed.folder, "--format", "json")
    assert [item["rule"] for item in json.loads(found.out)["findings"]] == ["type-changed"]
    waived = check(crossed.folder, "--waive").out
    crossed.write(
        "waivers.toml", waived.replace('reason = ""', 'reason = "x"').replace('by = ""', 'by = "x"')
    )
    crossed.commit("accept")
    found = check(crossed.folder)
    assert (found.code, "1 waived" in found.out, "stale-waiver" in found.out) == (0, True, False)


def test_a_waiver_of_a_finding_on_one_merge_base_is_not_stale(crossed: Repo, check: Run) -> None:
    crossed.spec(message("OtherRequest", "int64"))
    crossed.commit("redefine")
    waived = check(crossed.folder, "--waive").out
    crossed.write(
        "waivers.toml", waived.replace('reason = ""', 'reason = "x"').replace('by = ""', 'by = "x"')
    )
    crossed.commit("accept")
    found = check(crossed.folder)
    assert (found.code, "1 waived" in found.out, "stale-waiver" in found.out) == (0, True, False)
    crossed.spec(message("OtherRequest", "int32"))
    crossed.commit("as it was")
    assert "stale-waiver" in check(crossed.folder).out


def test_a_waiver_beside_one_that_counts_is_stale_on_each_merge_base(crossed: Repo, check: Run) -> None:
    crossed.spec(message("OtherRequest", "int64"))
    crossed.commit("redefine")
    entry = check(crossed.folder, "--waive").out
    entry = entry.replace('reason = ""', 'reason = "x"').replace('by = ""', 'by = "x"')
    assert 'versions = "3"' in entry
    crossed.write("waivers.toml", entry + "\n" + entry.replace('versions = "3"', 'versions = "2"'))
    crossed.commit("accept, and something else")
    document = json.loads(check(crossed.folder, "--format", "json").out)
    assert document["summary"]["waived"] == 1
    stale = [each["message"] for each in document["findings"] if each["rule"] == "stale-waiver"]
    assert stale == ["the waiver of type-changed for OtherRequest.More 2 matches no finding"]
    # A waiver that expired is not stale as well.
    crossed.write("waivers.toml", entry.replace("# expires = 2030-12-31", "expires = 2020-12-31"))
    crossed.commit("expired")
    document = json.loads(check(crossed.folder, "--format", "json").out)
    assert [each["rule"] for each in document["findings"]] == ["type-changed", "expired-waiver"]


@pytest.fixture
def report(
    crossed: Repo, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Callable[[], dict[str, Any]]:
    """`wirebook report` in the crossed repository, as data."""
    monkeypatch.chdir(crossed.folder)

    def run() -> dict[str, Any]:
        assert main(["report", "--against", "main...", "--format", "json"]) == 0
        document: dict[str, Any] = json.loads(capsys.readouterr().out)
        return document

    return run


def test_a_review_has_the_findings_on_each_merge_base(
    crossed: Repo, report: Callable[[], dict[str, Any]]
) -> None:
    crossed.spec(message("OtherRequest", "int64"))
    crossed.commit("redefine")
    document = report()
    assert document["verdict"]["words"] == "This change breaks what was promised: 1 error."
    assert "merge base 2 of 2" in document["compared"]


def test_a_review_names_the_one_merge_base_that_it_describes_the_change_from(
    crossed: Repo, report: Callable[[], dict[str, Any]]
) -> None:
    document = report()
    (notice,) = document["notices"]
    assert notice.startswith("the findings are those against every old side; what changed")
    assert "merge base 1 of 2" in notice
    # Each merge base lacks a version of another message.
    assert document["summary"]["messages_checked"] == 2


def test_a_review_describes_the_change_from_a_merge_base_that_differs(
    crossed: Repo, report: Callable[[], dict[str, Any]]
) -> None:
    first = report()["base"]["commit"]
    crossed.git("checkout", "-q", first, "--", FOLDER)
    crossed.commit("as in the first merge base")
    document = report()
    assert document["verdict"]["state"] != "unchanged"
    assert document["changes"]
    assert "merge base 2 of 2" in document["notices"][-1]


def test_too_many_merge_bases(tmp_path: Path, check: Run) -> None:
    repo = Repo(tmp_path / "repo")
    repo.write("package.json", "{}")
    repo.spec(request())
    root = repo.commit("base")
    tree = repo.git("rev-parse", f"{root}^{{tree}}")
    new = ("-c", "user.name=A", "-c", "user.email=a@b.invalid", "commit-tree")
    tips = [repo.git(*new, "-p", root, "-m", str(number), tree) for number in range(17)]
    parents = [word for tip in tips for word in ("-p", tip)]
    for branch in ("main", "topic"):
        tip = repo.git(*new, *parents, "-m", branch, tree)
        repo.git("update-ref", f"refs/heads/{branch}", tip)
    repo.git("checkout", "-q", "-f", "topic")
    found = check(repo.folder)
    assert (found.code, "have 17 best merge bases; name the commit" in found.err) == (2, True)
    assert (repo.folder / FOLDER).is_dir()
