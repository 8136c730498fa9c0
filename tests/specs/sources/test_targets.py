"""The branch that a change is compared with: named by variables of CI, detected, or unknown."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.repositories import Repo, broken, started
from tests.rules.check.running import PATH, Run
from wirebook.specs.sources.targets import CI, DEFAULT_NAME, DIFF_BASE, TARGETS


class Clone(Repo):
    """The clone of a job of CI: HEAD is detached, and only the branch of the change was fetched."""

    base: str  # the commit of develop where the change left it

    def fetch(self, branch: str) -> None:
        self.git("fetch", "-q", "origin", f"{branch}:refs/remotes/origin/{branch}")


@pytest.fixture
def clone(tmp_path: Path) -> Clone:
    """A change of two commits for the branch develop, of which the first breaks what develop has."""
    upstream = started(tmp_path / "upstream")
    upstream.git("checkout", "-q", "-b", "develop")
    upstream.spec(added("int32"))
    base = upstream.commit("a message that main lacks")
    upstream.git("checkout", "-q", "-b", "topic")
    upstream.spec(added("int64"))
    upstream.commit("break")
    upstream.write("notes.txt", "words")
    upstream.commit("words")
    clone = Clone(tmp_path / "clone")
    clone.base = base
    clone.git("remote", "add", "origin", upstream.folder.as_uri())
    clone.fetch("topic")
    clone.git("checkout", "-q", "--detach", "refs/remotes/origin/topic")
    return clone


@pytest.fixture(params=[[], ["--hook"]], ids=["check", "hook"])
def given(request: pytest.FixtureRequest) -> list[str]:
    """The arguments: the branch is judged with and without pre-commit."""
    arguments: list[str] = request.param
    return arguments


def test_no_commit_of_a_detached_change_is_its_own_base(clone: Clone, check: Run, given: list[str]) -> None:
    found = check(clone.folder, *given)
    assert (found.code, found.out, found.err.count("\n")) == (2, "", 1)
    assert "no branch to compare with was found" in found.err
    assert (
        "--branch BRANCH or --against REF..., after git fetch origin BRANCH:refs/remotes/origin/BRANCH"
        in (found.err)
    )


def test_an_orphan_is_no_first_commit(clone: Clone, check: Run, given: list[str]) -> None:
    clone.git("checkout", "-q", "--orphan", "new")
    clone.commit("all files")
    clone.git("checkout", "-q", "--detach")
    clone.git("branch", "-q", "-D", "new")
    found = check(clone.folder, *given)
    assert (found.code, "no branch to compare with was found" in found.err) == (2, True)


@pytest.mark.parametrize("variable", [*TARGETS, DEFAULT_NAME])
def test_ci_names_the_branch(
    variable: str, clone: Clone, check: Run, given: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(variable, "develop")
    found = check(clone.folder, *given)
    assert (found.code, found.out, found.err.count("\n")) == (2, "", 1)
    assert f'{variable} is "develop"' in found.err
    command = "git fetch origin develop:refs/remotes/origin/develop"
    assert command in found.err
    clone.git(*command.split()[1:])
    found = check(clone.folder, *given)
    assert (found.code, "type-changed" in found.out) == (1, True)
    words = f"the merge base of HEAD and refs/remotes/origin/develop ({clone.base[:12]}; {variable})"
    assert words in found.first


@pytest.mark.parametrize("variable", [*TARGETS, DEFAULT_NAME])
def test_no_other_branch_takes_the_place_of_the_one_that_ci_names(
    variable: str, clone: Clone, check: Run, given: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The change does not break main, which lacks the message."""
    clone.fetch("main")
    assert check(clone.folder, *given).code == 0
    monkeypatch.setenv(variable, "develop")
    found = check(clone.folder, *given)
    assert (found.code, f'{variable} is "develop"' in found.err) == (2, True)


@pytest.mark.parametrize("variable", TARGETS)
def test_a_request_without_a_commit_of_its_own(
    variable: str, clone: Clone, check: Run, given: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The last commit of the target is not judged again."""
    clone.git("update-ref", "refs/remotes/origin/develop", "HEAD")
    monkeypatch.setenv(variable, "develop")
    for branch in ("", "develop"):
        if branch:
            clone.git("checkout", "-q", "-b", branch)
        found = check(clone.folder, *given)
        assert (found.code, "nothing was compared" in found.first) == (0, True)
        assert "HEAD, which is its merge base with refs/remotes/origin/develop (" in found.first


@pytest.mark.parametrize("value", ["a\nb", "-x", "a..b", "$(true)", "develop:x"])
def test_a_variable_that_names_no_branch(
    value: str, clone: Clone, check: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    clone.fetch("develop")
    for variable in (*TARGETS, DEFAULT_NAME):
        monkeypatch.setenv(variable, value)
        found = check(clone.folder)
        assert (found.code, found.out, found.err.count("\n")) == (2, "", 1), found.err
        assert f"{variable} is " in found.err
        monkeypatch.delenv(variable)


@pytest.mark.parametrize("variable", TARGETS)
def test_a_branch_of_the_change_is_not_its_target(
    variable: str, clone: Clone, check: Run, given: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A pull request of a fork may come from a branch with the name of the target."""
    clone.git("checkout", "-q", "-b", "develop")
    clone.git("tag", "origin/develop")
    monkeypatch.setenv(variable, "develop")
    assert check(clone.folder, *given).code == 2
    clone.fetch("develop")
    found = check(clone.folder, *given)
    assert (found.code, "refs/remotes/origin/develop" in found.first) == (1, True)


def test_the_target_of_a_request_counts_before_other_branches(
    clone: Clone, check: Run, given: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    clone.fetch("main")
    clone.fetch("develop")
    clone.git("symbolic-ref", "refs/remotes/origin/HEAD", "refs/remotes/origin/main")
    monkeypatch.setenv(TARGETS[1], "develop")
    monkeypatch.setenv(DEFAULT_NAME, "main")
    found = check(clone.folder, *given)
    assert (found.code, f"; {TARGETS[1]})" in found.first) == (1, True)
    # What a person names counts first.
    against = [] if given else [["--against", "refs/remotes/origin/main..."]]
    for named in (["--branch", "main"], *against):
        found = check(clone.folder, *given, *named)
        assert (found.code, "refs/remotes/origin/main" in found.first) == (0, True), found.err
    monkeypatch.delenv(TARGETS[1])
    found = check(clone.folder, *given)
    assert (found.code, f"; {DEFAULT_NAME})" in found.first) == (0, True)


def test_the_commit_where_a_merge_request_left_its_target(
    clone: Clone, check: Run, given: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The clone has it without the target branch."""
    monkeypatch.setenv(TARGETS[1], "develop")
    for other in ("", "develop", "a" * 40):
        monkeypatch.setenv(DIFF_BASE, other)
        assert check(clone.folder, *given).code == 2
    monkeypatch.setenv(DIFF_BASE, clone.base)
    found = check(clone.folder, *given)
    assert (found.code, f"({clone.base[:12]}; {DIFF_BASE})" in found.first) == (1, True), found.err
    # The branch itself is newer.
    clone.fetch("develop")
    assert f"; {TARGETS[1]})" in check(clone.folder, *given).first


def test_the_target_of_a_shallow_clone(
    clone: Clone, check: Run, given: list[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    shallow = Repo(tmp_path / "shallow")
    shallow.git("remote", "add", "origin", clone.git("remote", "get-url", "origin"))
    shallow.git("fetch", "-q", "--depth=1", "origin", "topic")
    shallow.git("checkout", "-q", "FETCH_HEAD")
    monkeypatch.setenv(TARGETS[0], "develop")
    codes = []
    for _ in range(3):
        found = check(shallow.folder, *given)
        codes.append(found.code)
        if found.code == 2:
            shallow.git(*found.err[found.err.index("git fetch") :].split()[1:])
    assert codes == [2, 2, 1]


@pytest.mark.parametrize("value", ["true", "1", "True"])
def test_in_ci_a_branch_is_not_compared_with_itself(
    value: str, tmp_path: Path, check: Run, given: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    repo = two_commits(tmp_path / "repo")
    found = check(repo.folder, *given)
    assert (found.code, "no default branch was found" in found.out) == (0, True)
    for other in ("", "false", "0"):
        monkeypatch.setenv(CI, other)
        assert check(repo.folder, *given).code == 0
    monkeypatch.setenv(CI, value)
    found = check(repo.folder, *given)
    assert (found.code, found.out, found.err.count("\n")) == (2, "", 1)
    assert "git fetch" not in found.err, "there is nowhere to fetch from"
    # A commit is compared with HEAD, in CI as well.
    repo.write("more.txt", "words")
    repo.git("add", "-A")
    assert check(repo.folder, "--staged").code == 0


@pytest.mark.parametrize("other", ["refs/heads/other", "refs/remotes/origin/work", "refs/remotes/company/x"])
def test_another_branch_may_be_the_target(tmp_path: Path, check: Run, given: list[str], other: str) -> None:
    repo = two_commits(tmp_path / "repo")
    repo.git("update-ref", other, "HEAD")
    found = check(repo.folder, *given)
    assert (found.code, found.err.count("\n")) == (2, 1)
    assert "--branch" in found.err
    if other == "refs/heads/other":
        assert check(repo.folder, *given, "--branch", "other").code == 0


@pytest.mark.parametrize("with_local", [True, False])
def test_the_remote_of_a_clone_may_have_another_name(
    tmp_path: Path, check: Run, given: list[str], with_local: bool
) -> None:
    """The local copy of the default branch is older than what the change begins at."""
    upstream = started(tmp_path / "upstream")
    clone = Repo(tmp_path / "clone")
    clone.git("remote", "add", "company", upstream.folder.as_uri())
    clone.git("fetch", "-q", "company")
    if with_local:
        clone.git("branch", "-q", "main", "company/main")
    upstream.spec(added("int32"))
    upstream.commit("a message")
    clone.git("fetch", "-q", "company")
    clone.git("remote", "set-head", "company", "main")
    clone.git("checkout", "-q", "-b", "topic", "--no-track", "company/main")
    clone.spec(added("int64"))
    clone.commit("break")
    outcome = check(clone.folder, *given)
    assert (outcome.code, "HEAD and refs/remotes/company/main (" in outcome.first) == (1, True), outcome.err
    upstream.git("branch", "-q", "other")
    clone.git("remote", "add", "fork", upstream.folder.as_uri())
    clone.git("fetch", "-q", "fork")
    clone.git("remote", "set-head", "fork", "other")
    outcome = check(clone.folder, *given)
    assert "refs/remotes/" not in outcome.first, "one of two remotes is a guess"


def test_a_commit_with_an_unknown_target_is_compared_with_head(
    clone: Clone, check: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GIT_INDEX_FILE", str(clone.folder / ".git" / "index"))
    clone.write("more.txt", "words")
    clone.git("add", "-A")
    found = check(clone.folder, "--hook")
    assert (found.code, "the index against HEAD" in found.first) == (0, True), found.err


def added(kind: str) -> dict[str, Any]:
    """A message with a field of a type."""
    field = {"name": "Count", "type": kind, "versions": "0+", "about": "The count."}
    return {
        "type": "data",
        "name": "AddedValue",
        "validVersions": "0",
        "flexibleVersions": "none",
        "fields": [field],
    }


def two_commits(folder: Path) -> Repo:
    """A repository whose only branch is not called main; its last commit but one breaks."""
    repo = started(folder, branch="work")
    repo.spec(broken())
    repo.commit("break")
    repo.write("notes.txt", "words")
    repo.commit("words")
    assert PATH in repo.git("ls-files")
    return repo
