"""A release that holds the checked state, or a later one, was no release before the change."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.repositories import Repo
from tests.rules.check.running import Run

PROFILE = 'name = "otter"\n[headers]\nrequest = [1, 2]\nresponse = [0, 1]\n'
OTHER_HEADERS = PROFILE.replace("[1, 2]", "[3, 4]")
TWO = """\
[[protocol]]
name = "otter"
paths = ["/messages"]

[[protocol]]
name = "newt"
paths = ["/newt"]
"""
NONE, GLOB = 'released = "none"\n', 'released = ["v*"]\n'
OF_ONE = TWO.replace('"/messages"]\n', f'"/messages"]\n{GLOB}')

Steps = Callable[[Repo], object]


def spec(
    name: str = "DiveRequest", key: int = 7, versions: str = "0", **changed: object
) -> dict[str, object]:
    """A message of two fields."""
    fields = [
        {"name": field, "type": "int32", "versions": "0+", "about": f"The {field}."}
        for field in ("Id", "Size")
    ]
    return {
        "apiKey": key,
        "type": "request" if name.endswith("Request") else "response",
        "name": name,
        "validVersions": versions,
        "flexibleVersions": "0+",
        "fields": fields,
        **changed,
    }


def extended(kind: str = "int32") -> dict[str, object]:
    """The request with a second version, which has one more field."""
    fields = [*spec()["fields"], {"name": "More", "type": kind, "versions": "1+", "about": "More."}]  # type: ignore[misc]
    return spec(versions="0-1", fields=fields)


def broken() -> dict[str, object]:
    """The request with a field less."""
    return spec(fields=spec()["fields"][:1])  # type: ignore[index]


def messages(
    repo: Repo, name: str = "Dive", folder: str = "messages", key: int = 7, versions: str = "0"
) -> None:
    """A request and its response."""
    for kind in ("Request", "Response"):
        repo.spec(spec(f"{name}{kind}", key, versions), folder)


def tagged(repo: Repo, *names: str) -> None:
    repo.commit()
    for name in names:
        repo.git("tag", name)


@pytest.fixture
def start(tmp_path: Path) -> Repo:
    """A protocol with examples, of which nothing is released."""
    repo = Repo(tmp_path / "otter")
    repo.write("profile.toml", PROFILE)
    repo.write("wirebook.toml", NONE)
    messages(repo, "Example", key=0)
    repo.commit()
    return repo


@pytest.fixture
def out(tmp_path: Path) -> Repo:
    """A protocol with one release, of HEAD."""
    repo = Repo(tmp_path / "otter")
    repo.write("profile.toml", PROFILE)
    repo.write("wirebook.toml", GLOB)
    messages(repo)
    tagged(repo, "v1.0.0")
    return repo


def own(repo: Repo) -> None:
    """Messages in place of the examples."""
    repo.git("rm", "-rq", "messages")
    messages(repo)


def own_headers(repo: Repo) -> None:
    own(repo)
    repo.write("profile.toml", OTHER_HEADERS)


def first_release(repo: Repo) -> None:
    own_headers(repo)
    tagged(repo, "v1.0.0")


def named(repo: Repo) -> None:
    own_headers(repo)
    repo.write("wirebook.toml", GLOB)
    tagged(repo, "v1.0.0")


def named_before(repo: Repo) -> None:
    repo.write("wirebook.toml", GLOB)
    repo.commit()
    first_release(repo)


def annotated(repo: Repo) -> None:
    own_headers(repo)
    repo.commit()
    repo.git("tag", "-a", "-m", "first", "v1.0.0")


def twice(repo: Repo) -> None:
    own_headers(repo)
    tagged(repo, "v1.0.0", "v1.0.1")


def moved(repo: Repo) -> None:
    repo.git("mv", "messages", "specs")
    own_headers_in(repo, "specs")
    tagged(repo, "v1.0.0")


def own_headers_in(repo: Repo, folder: str) -> None:
    repo.git("rm", "-rqf", folder)
    messages(repo, folder=folder)
    repo.write("profile.toml", OTHER_HEADERS)


def after_tags_without_specs(repo: Repo) -> None:
    repo.git("checkout", "-q", "--orphan", "old")
    repo.git("rm", "-rqf", ".")
    repo.write("README.md", "")
    tagged(repo, "v0.1.0")
    repo.git("checkout", "-q", "main")
    named_before(repo)


def merged(repo: Repo) -> None:
    repo.git("checkout", "-q", "-b", "own")
    own_headers(repo)
    repo.commit()
    repo.git("checkout", "-q", "main")
    repo.git("merge", "-q", "--no-ff", "-m", "merge", "own")
    repo.git("branch", "-D", "-q", "own")
    repo.git("tag", "v1.0.0")


def rewritten(repo: Repo) -> None:
    """Files that git holds for changed until it reads them."""
    first_release(repo)
    for path in repo.folder.glob("**/*.*"):
        if ".git" not in path.parts:
            os.utime(path, (1, 1))


def with_other_files(repo: Repo) -> None:
    first_release(repo)
    repo.write("README.md", "not committed")
    repo.write("findings.json", '{"schema": "wirebook/findings/1", "findings": []}')


def with_structs(repo: Repo) -> None:
    repo.write("messages/Common.json", {"structs": [{"name": "Pair", "versions": "0+", "fields": [
        {"name": "One", "type": "int32", "versions": "0+", "about": "One."}]}]})  # fmt: skip
    repo.commit()
    first_release(repo)


@pytest.mark.share(3)
@pytest.mark.parametrize("arguments", [[], ["--all"], ["--hook"]], ids=["check", "all", "hook"])
@pytest.mark.parametrize(
    "release",
    [
        first_release,
        named,
        named_before,
        annotated,
        twice,
        moved,
        after_tags_without_specs,
        merged,
        rewritten,
        with_other_files,
        with_structs,
    ],
)
def test_the_first_release_breaks_nothing(
    start: Repo, check: Run, release: Steps, arguments: list[str]
) -> None:
    release(start)
    outcome = check(start.folder, *arguments)
    assert outcome.code == 0, outcome.out + outcome.err
    assert "released: nothing before v1.0.0" in outcome.first or "both sides are the same" in outcome.first
    assert "warning[" not in outcome.out


def test_the_settings_are_to_name_the_first_release(start: Repo, check: Run) -> None:
    first_release(start)
    words = " ".join(check(start.folder).out.split())
    assert 'released is "none", but v1.0.0 has specs, which are frozen' in words
    assert 'such as released = ["v*"]' in words


@pytest.mark.parametrize("span", ["HEAD~2..HEAD~1", "HEAD~2...HEAD~1"])
def test_a_release_of_a_later_commit_is_later(start: Repo, check: Run, span: str) -> None:
    own_headers(start)
    start.commit()
    start.write("README.md", "")
    tagged(start, "v1.0.0")
    outcome = check(start.folder, "--against", span)
    assert (outcome.code, "warning[" in outcome.out) == (0, False), outcome.out
    assert "released: nothing before v1.0.0" in outcome.first


@pytest.mark.parametrize("tag", [("v1.0.0",), ("-am", "first", "v1.0.0")])
def test_a_later_release_with_an_earlier_date_is_later(start: Repo, check: Run, tag: tuple[str, ...]) -> None:
    """A committer may have a wrong clock, and a rewritten history old dates."""
    own_headers(start)
    start.commit()
    start.write("README.md", "")
    start.git("add", "-A")
    past = "2001-01-01T00:00:00Z"
    start.git("commit", "-qm", "later", GIT_COMMITTER_DATE=past)
    start.git("tag", *tag, GIT_COMMITTER_DATE=past)
    outcome = check(start.folder, "--against", "HEAD~2..HEAD~1")
    assert (outcome.code, "warning[" in outcome.out) == (0, False), outcome.out
    assert "released: nothing before v1.0.0" in outcome.first


def test_a_bare_repository_with_its_first_release(start: Repo, check: Run, tmp_path: Path) -> None:
    first_release(start)
    start.git("clone", "-q", "--bare", ".", str(tmp_path / "bare.git"))
    outcome = check(tmp_path / "bare.git")
    assert (outcome.code, "warning[" in outcome.out) == (0, False), outcome.out
    assert "released: nothing before v1.0.0" in outcome.first


def test_a_shallow_clone_may_lack_the_releases_before(start: Repo, check: Run, tmp_path: Path) -> None:
    named(start)
    start.git("clone", "-q", "--depth=2", f"file://{start.folder}", str(tmp_path / "shallow"))
    outcome = check(tmp_path / "shallow", "--against", "HEAD^")
    words = " ".join(outcome.out.split())
    assert (outcome.code, "warning[" in outcome.out) == (0, False), outcome.out
    assert "nothing is frozen: no tag of a version before v1.0.0 was seen" in words


def test_a_protocol_that_is_released_as_it_is_added(out: Repo, check: Run) -> None:
    out.write("wirebook.toml", GLOB + TWO)
    messages(out, "Example", "newt", key=0)
    out.commit()
    out.git("rm", "-rq", "newt")
    messages(out, "Newt", "newt")
    out.write("newt/profile.toml", OTHER_HEADERS.replace("otter", "newt"))
    tagged(out, "v1.1.0")
    for arguments in ([], ["--all"]):
        outcome = check(out.folder, *arguments)
        assert (outcome.code, "warning[" in outcome.out) == (0, False), outcome.out
        assert "newt: in no release before v1.1.0" in outcome.out
        assert "[newt]; released: nothing before v1.1.0" in outcome.out.replace("\n", " ")


def test_one_walk_finds_the_later_releases_of_all_protocols(
    out: Repo, check: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(20):
        out.commit(str(number))  # a release that is near needs no walk
    out.write("wirebook.toml", 'released = ["v*", "otter-*"]\n' + TWO)
    messages(out, "Newt", "newt", key=0)
    out.write("newt/profile.toml", OTHER_HEADERS.replace("otter", "newt"))
    tagged(out, "otter-1.0.0", "v1.1.0")
    walks: list[list[str]] = []
    start = subprocess.Popen.__init__

    def seen(self: subprocess.Popen[bytes], command: list[str], *rest: Any, **named: Any) -> None:
        walks.extend([command] if "tag" in command else [])
        start(self, command, *rest, **named)

    monkeypatch.setattr(subprocess.Popen, "__init__", seen)
    assert "[newt]; released: nothing before v1.1.0" in check(out.folder).out.replace("\n", " ")
    assert len(walks) == 1


@pytest.mark.parametrize("release", [first_release, named, annotated, twice])
def test_an_edit_after_a_release_is_compared_with_it(start: Repo, check: Run, release: Steps) -> None:
    release(start)
    start.spec(extended(), "messages")
    start.spec(spec("DiveResponse", versions="0-1"), "messages")
    outcome = check(start.folder)
    assert outcome.code == 0, outcome.out
    assert "against HEAD" in outcome.first
    assert "; the release v1.0." in outcome.first
    assert "warning[" not in outcome.out


def test_a_version_is_removed_in_the_tree_after_the_release_that_deprecates_it(out: Repo, check: Run) -> None:
    out.spec(extended(), "messages")
    out.spec(spec("DiveResponse", versions="0-1"), "messages")
    tagged(out, "v1.1.0")
    out.spec({**extended(), "deprecatedVersions": "0"}, "messages")
    out.spec({**spec("DiveResponse", versions="0-1"), "deprecatedVersions": "0"}, "messages")
    tagged(out, "v1.2.0")
    out.spec({**extended(), "validVersions": "1"}, "messages")
    out.spec(spec("DiveResponse", versions="1"), "messages")
    outcome = check(out.folder)
    assert (outcome.code, "warning[" in outcome.out) == (0, False), outcome.out
    assert "deprecated since v1.2.0" in outcome.out


def test_a_break_in_the_tree_is_reported_once(out: Repo, check: Run) -> None:
    out.spec(extended(), "messages")
    out.spec(spec("DiveResponse", versions="0-1"), "messages")
    tagged(out, "v1.1.0")
    out.write("profile.toml", OTHER_HEADERS)
    outcome = check(out.folder, "--format", "json")
    findings = json.loads(outcome.out)["findings"]
    assert len({(each["rule"], each["message"]) for each in findings}) == len(findings), outcome.out


# --- breaks ------------------------------------------------------------------------------------------------


def at_once(repo: Repo) -> None:
    repo.spec(broken(), "messages")
    tagged(repo, "v1.1.0")


def at_once_annotated(repo: Repo) -> None:
    repo.spec(broken(), "messages")
    repo.commit()
    repo.git("tag", "-am", "second", "v1.1.0")


def at_once_twice(repo: Repo) -> None:
    repo.spec(broken(), "messages")
    tagged(repo, "v1.1.0", "v2.0.0")


def at_once_prerelease(repo: Repo) -> None:
    repo.spec(broken(), "messages")
    tagged(repo, "v1.1.0-rc1")


def at_once_with_other_edits(repo: Repo) -> None:
    at_once(repo)
    repo.write("README.md", "not committed")


def deleted(repo: Repo) -> None:
    repo.git("rm", "-q", "messages/DiveRequest.json", "messages/DiveResponse.json")
    messages(repo, "Swim", key=8)
    tagged(repo, "v1.1.0")


def moved_and_broken(repo: Repo) -> None:
    repo.git("mv", "messages", "specs")
    repo.spec(broken(), "specs")
    tagged(repo, "v1.1.0")


def narrowed_and_broken(repo: Repo) -> None:
    repo.write("wirebook.toml", GLOB + 'paths = ["specs"]\n')
    moved_and_broken(repo)


def other_headers(repo: Repo) -> None:
    repo.write("profile.toml", OTHER_HEADERS)
    tagged(repo, "v1.1.0")


def other_frame(repo: Repo) -> None:
    repo.write("profile.toml", f"frame_length = 2\n{PROFILE}")
    tagged(repo, "v1.1.0")


def beside_a_new_protocol(repo: Repo) -> None:
    repo.write("wirebook.toml", GLOB + TWO)
    messages(repo, "Newt", "newt")
    at_once(repo)


def amended(repo: Repo) -> None:
    repo.spec(extended(), "messages")
    tagged(repo, "v1.1.0")
    repo.spec(extended("int64"), "messages")
    repo.git("commit", "-q", "-a", "--amend", "-m", "amended")


def moved_tag(repo: Repo) -> None:
    repo.spec(extended(), "messages")
    tagged(repo, "v1.1.0")
    repo.spec(broken(), "messages")
    repo.commit()
    repo.git("tag", "-f", "v1.1.0")


def on_a_release_branch(repo: Repo) -> None:
    repo.git("checkout", "-q", "-b", "1.x")
    repo.spec(extended(), "messages")
    tagged(repo, "v1.1.0")
    repo.git("checkout", "-q", "main")
    repo.git("branch", "-D", "-q", "1.x")
    repo.spec(extended("int64"), "messages")
    tagged(repo, "v2.0.0")


def by_a_merge(repo: Repo) -> None:
    repo.git("checkout", "-q", "-b", "1.x")
    repo.spec(extended(), "messages")
    tagged(repo, "v1.1.0")
    repo.git("checkout", "-q", "main")
    repo.git("merge", "-q", "--no-ff", "--no-commit", "1.x")
    repo.git("branch", "-D", "-q", "1.x")
    repo.spec(extended("int64"), "messages")
    tagged(repo, "v2.0.0")


def in_the_tree(repo: Repo) -> None:
    repo.spec(extended(), "messages")
    tagged(repo, "v1.1.0")
    repo.spec(extended("int64"), "messages")


def in_the_tree_and_the_index(repo: Repo) -> None:
    in_the_tree(repo)
    repo.git("add", "-A")


def headers_in_the_tree(repo: Repo) -> None:
    repo.write("profile.toml", OTHER_HEADERS)


def headers_in_a_new_file(repo: Repo) -> None:
    repo.write("messages/profile.toml", OTHER_HEADERS)


def headers_without_a_file(repo: Repo) -> None:
    repo.write("profile.toml", OTHER_HEADERS)
    repo.commit()
    repo.git("tag", "-f", "v1.0.0")
    (repo.folder / "profile.toml").unlink()


def at_once_before_an_edit(repo: Repo) -> None:
    at_once(repo)
    messages(repo, "Swim", key=8)


def deleted_in_the_tree(repo: Repo) -> None:
    messages(repo, "Swim", key=8)
    tagged(repo, "v1.1.0")
    for kind in ("Request", "Response"):
        (repo.folder / f"messages/Swim{kind}.json").unlink()


@pytest.mark.parametrize(
    ("change", "release"),
    [
        (at_once, "v1.0.0"),
        (at_once_annotated, "v1.0.0"),
        (at_once_twice, "v1.0.0"),
        (at_once_prerelease, "v1.0.0"),
        (at_once_with_other_edits, "v1.0.0"),
        (deleted, "v1.0.0"),
        (moved_and_broken, "v1.0.0"),
        (narrowed_and_broken, "v1.0.0"),
        (other_headers, "v1.0.0"),
        (other_frame, "v1.0.0"),
        (beside_a_new_protocol, "v1.0.0"),
        (amended, "v1.1.0"),
        (moved_tag, "v1.0.0"),
        (on_a_release_branch, "v1.1.0"),
        (by_a_merge, "v1.1.0"),
        (in_the_tree, "v1.1.0"),
        (in_the_tree_and_the_index, "v1.1.0"),
        (headers_in_the_tree, "v1.0.0"),
        (headers_in_a_new_file, "v1.0.0"),
        (headers_without_a_file, "v1.0.0"),
        (deleted_in_the_tree, "v1.1.0"),
        (at_once_before_an_edit, "v1.0.0"),
    ],
)
def test_a_break_of_a_release_before_is_an_error(out: Repo, check: Run, change: Steps, release: str) -> None:
    out.write("README.md", "")
    out.commit()
    out.git("tag", "-f", "v1.0.0")
    change(out)
    outcome = check(out.folder)
    assert (outcome.code, f"released in {release}" in outcome.out) == (1, True), outcome.out


@pytest.mark.parametrize("arguments", [["--staged"], ["--hook"]])
def test_a_staged_break_of_the_release_at_head(out: Repo, check: Run, arguments: list[str]) -> None:
    in_the_tree_and_the_index(out)
    # The tree is that of HEAD again.
    out.spec(extended(), "messages")
    outcome = check(out.folder, *arguments)
    assert (outcome.code, "released in v1.1.0" in outcome.out) == (1, True), outcome.out


@pytest.mark.parametrize("against", ["v1.1.0", "v1.1.0..v1.0.0"])
def test_a_change_that_goes_back_behind_a_release(out: Repo, check: Run, against: str) -> None:
    out.spec(extended(), "messages")
    tagged(out, "v1.1.0")
    out.git("checkout", "-q", "v1.0.0")
    outcome = check(out.folder, "--against", against)
    assert (outcome.code, "released in v1.1.0" in outcome.out) == (1, True), outcome.out


def test_a_range_between_two_releases(out: Repo, check: Run) -> None:
    at_once(out)
    messages(out, "Swim", key=8)
    tagged(out, "v1.2.0")
    outcome = check(out.folder, "--against", "v1.0.0..v1.1.0")
    assert "released: v1.0.0: " in outcome.first
    assert (outcome.code, "released in v1.0.0" in outcome.out) == (1, True), outcome.out


def test_an_old_side_outside_the_repository_has_all_releases(out: Repo, check: Run, tmp_path: Path) -> None:
    """It may be a newer state than HEAD."""
    copy = tmp_path / "copy"
    (copy / "messages").mkdir(parents=True)
    for path in out.folder.glob("messages/*.json"):
        (copy / "messages" / path.name).write_bytes(path.read_bytes())
    out.spec(broken(), "messages")
    out.commit()
    outcome = check(out.folder, "--against", str(copy))
    assert (outcome.code, "released in v1.0.0" in outcome.out) == (1, True), outcome.out


def test_moved_specs_of_a_release_are_not_new_with_the_next_one(out: Repo, check: Run) -> None:
    """The paths were changed before: no release has specs in them, but one has the messages."""
    out.write("wirebook.toml", GLOB + 'paths = ["specs"]\n')
    out.write("specs/README.md", "")
    out.commit()
    (out.folder / "README.md").touch()
    moved_and_broken(out)
    assert check(out.folder).code == 2


def tagged_and_deleted(repo: Repo) -> None:
    """A release adds a message, which the next state lacks."""
    messages(repo, "Swim", key=8)
    tagged(repo, "v1.1.0")
    repo.git("rm", "-q", "messages/SwimRequest.json", "messages/SwimResponse.json")


def deleted_on_a_branch(repo: Repo) -> None:
    repo.git("checkout", "-q", "-b", "change")
    tagged_and_deleted(repo)


def deleted_in_a_commit_of_a_branch(repo: Repo) -> None:
    deleted_on_a_branch(repo)
    repo.commit()


def deleted_in_a_merge(repo: Repo) -> None:
    repo.git("checkout", "-q", "-b", "1.x")
    messages(repo, "Swim", key=8)
    tagged(repo, "v1.1.0")
    repo.git("checkout", "-q", "main")
    repo.git("merge", "-q", "--no-ff", "--no-commit", "1.x")
    repo.git("rm", "-fq", "messages/SwimRequest.json", "messages/SwimResponse.json")
    repo.commit()


def deleted_in_a_merge_of_two(repo: Repo) -> None:
    deleted_on_a_branch(repo)
    repo.git("reset", "-q", "--hard")
    repo.git("checkout", "-q", "-b", "other", "main")
    messages(repo, "Run", key=9)
    tagged(repo, "v1.2.0")
    repo.git("merge", "-q", "--no-ff", "--no-commit", "change")
    repo.git("rm", "-fq", "messages/SwimRequest.json", "messages/SwimResponse.json")
    repo.commit()


def deleted_in_a_later_commit(repo: Repo) -> None:
    tagged_and_deleted(repo)
    repo.commit()


@pytest.mark.parametrize(
    ("change", "arguments"),
    [
        (deleted_on_a_branch, ()),
        (deleted_on_a_branch, ("--against", "main")),
        (deleted_on_a_branch, ("--staged", "--against", "main")),
        (deleted_in_a_commit_of_a_branch, ()),
        (deleted_in_a_commit_of_a_branch, ("--against", "main..HEAD")),
        (deleted_in_a_commit_of_a_branch, ("--against", "main...HEAD")),
        (deleted_in_a_merge, ()),
        (deleted_in_a_merge_of_two, ()),
        (deleted_in_a_later_commit, ("--against", "v1.0.0")),
        (deleted_in_a_later_commit, ("--against", "v1.0.0..HEAD")),
        (tagged_and_deleted, ("--against", "HEAD~1")),
        (tagged_and_deleted, ("--staged", "--against", "HEAD~1")),
    ],
)
def test_a_change_that_passes_through_a_release(
    out: Repo, check: Run, change: Steps, arguments: tuple[str, ...]
) -> None:
    change(out)
    outcome = check(out.folder, *arguments)
    assert (outcome.code, "released in v1.1.0" in outcome.out) == (1, True), outcome.out
    assert "; the release v1.1.0" in outcome.first


@pytest.mark.parametrize(
    "settings",
    [
        GLOB,
        'released = ["v1.0.0"]\n',
        OF_ONE,
        'released = ["*"]\nprerelease = ["tool-*"]\n',
    ],
)
@pytest.mark.parametrize("change", [deleted_on_a_branch, deleted_in_a_commit_of_a_branch])
def test_a_tag_that_the_settings_do_not_name_is_no_old_side(
    out: Repo, check: Run, settings: str, change: Steps
) -> None:
    out.write("wirebook.toml", settings)
    out.commit()
    out.git("tag", "-f", "v1.0.0")
    change(out)
    out.git("tag", "tool-1.1.0", "v1.1.0")
    out.git("tag", "-d", "v1.1.0")
    outcome = check(out.folder)
    assert "; the release" not in outcome.first
    assert outcome.code == 0, outcome.out


def test_a_tag_that_the_settings_do_not_name_hides_no_finding(out: Repo, check: Run) -> None:
    """Below a changed tree, a release at HEAD replaces what was in no release before."""
    messages(out, "Swim", key=8)
    out.commit()
    out.git("checkout", "-q", "-b", "change")
    out.write("README.md", "")
    out.commit()
    out.git("rm", "-q", "messages/SwimRequest.json", "messages/SwimResponse.json")
    before = check(out.folder)
    out.git("tag", "tool-1.1.0")
    after = check(out.folder)
    assert (after.code, after.out) == (before.code, before.out)
    assert "1 warning (and 1 that follows from it)" in after.out


@pytest.mark.parametrize("settings", ["", NONE, NONE + OF_ONE])
def test_without_names_of_tags_every_version_is_an_old_side(
    out: Repo, check: Run, monkeypatch: pytest.MonkeyPatch, settings: str
) -> None:
    monkeypatch.chdir(out.folder)
    out.write("wirebook.toml", settings)
    out.commit()
    deleted_on_a_branch(out)
    assert "; the release v1.1.0" in check(out.folder).first


@pytest.mark.parametrize("arguments", [(), ("--against", "v1.0.0"), ("--against", "v1.0.0..HEAD")])
def test_a_change_that_keeps_a_release_that_it_passes_through(
    out: Repo, check: Run, arguments: tuple[str, ...]
) -> None:
    out.git("checkout", "-q", "-b", "change")
    messages(out, "Swim", key=8)
    tagged(out, "v1.1.0")
    messages(out, "Run", key=9)
    out.commit()
    outcome = check(out.folder, *arguments)
    assert outcome.code == 0, outcome.out
    assert "error" not in outcome.out.replace("0 errors", "")


def test_a_release_whose_settings_name_another_old_side(out: Repo, check: Run) -> None:
    out.git("checkout", "-q", "-b", "change")
    out.write("wirebook.toml", GLOB + 'against = "HEAD"\n')
    tagged(out, "v1.1.0")
    out.write("wirebook.toml", GLOB)
    out.spec(broken(), "messages")
    out.commit()
    outcome = check(out.folder)
    assert (outcome.code, "released in v1.0.0" in outcome.out) == (1, True), outcome.out


def test_a_break_of_an_older_release_counts_though_the_settings_make_it_a_warning(
    out: Repo, check: Run
) -> None:
    out.write("wirebook.toml", f'{GLOB}[severities]\ntype-changed = "warning"\n')
    out.commit()
    out.git("checkout", "-q", "-b", "topic")
    fields = spec()["fields"]
    out.spec(spec(fields=[{**fields[0], "type": "string"}, fields[1]]), "messages")  # type: ignore[index]
    tagged(out, "v2.0.0")
    arguments = ("--fail-on", "warning", "--branch", "main")
    assert check(out.folder, *arguments).code == 1
    path = out.folder / "messages" / "DiveRequest.json"
    path.write_text(f"{path.read_text()}\n")
    assert check(out.folder, *arguments).code == 1
