"""What a check compares is found by git's own word: settings, refs and branches as git reads them."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.repositories import FOLDER, Repo, broken, request, started
from wirebook.specs.problems import InputError
from wirebook.specs.sources.repository import find_repository
from wirebook.specs.sources.revisions import compare_staged, compare_working

UPSTREAM = "refs/heads/release"
GIT_COMMANDS = {"cat-file", "diff-index", "for-each-ref", "log", "ls-files", "merge-base", "rev-parse"}


@pytest.fixture(autouse=True)
def _no_hook(monkeypatch: pytest.MonkeyPatch) -> None:
    """Tests may run in a hook; these repositories are not the one that it works on."""
    for name in ("GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_PREFIX"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def clone(tmp_path: Path) -> Repo:
    """A clone on the branch topic, one commit after main, with the branch release two commits before main."""
    origin = started(tmp_path / "origin")
    origin.git("branch", "release")
    origin.git("branch", "fix/topic")
    for message in ("second", "third"):
        origin.commit(message)
    origin.git("clone", "-q", str(origin.folder), str(tmp_path / "clone"))
    clone = Repo.__new__(Repo)
    clone.folder = tmp_path / "clone"
    clone.git("checkout", "-q", "-b", "topic", "--no-track")
    clone.spec(broken())
    clone.commit("on topic")
    return clone


def words(folder: Path) -> str:
    """What is compared with what."""
    repository = find_repository(folder)
    assert repository is not None
    try:
        return compare_working(repository, folder).words
    finally:
        repository.close()


def tags(folder: Path) -> list[str]:
    repository = find_repository(folder)
    assert repository is not None
    try:
        return list(repository.tags())
    finally:
        repository.close()


def configure(repo: Repo, text: str) -> None:
    """Add to the configuration of a repository by hand."""
    with open(repo.folder / ".git" / "config", "a", encoding="utf-8") as file:
        file.write(text)


def test_without_an_upstream_the_default_branch(clone: Repo) -> None:
    assert "against the merge base of HEAD and refs/remotes/origin/main (" in words(clone.folder)


@pytest.mark.parametrize(
    "text",
    [
        f'[branch "topic"]\n\tremote = origin\n\tmerge = {UPSTREAM}\n',
        f'[branch "topic"]\n\tremote = "origin" # words\n\tmerge = "{UPSTREAM}"\n',
        f'[branch "topic"] remote = origin\n[branch "topic"] merge = {UPSTREAM}\n',
        f"[BRANCH.topic]\n\tREMOTE = origin\n\tMerge = {UPSTREAM}\n",
        '[branch "to\\pic"]\n\tremote = origin\n\tmerge = refs/\\\nheads/release\n',
    ],
    ids=["plain", "quoted", "one line", "dotted", "continued"],
)
@pytest.mark.parametrize("included", [False, True])
def test_the_upstream_is_the_one_that_git_reads(clone: Repo, text: str, included: bool) -> None:
    if included:
        clone.write(".git/more", text)
        text = "[include]\n\tpath = more\n"
    configure(clone, text)
    assert clone.git("rev-parse", "--symbolic-full-name", "@{u}") == "refs/remotes/origin/release"
    assert "against the merge base of HEAD and refs/remotes/origin/release (" in words(clone.folder)


def test_the_upstream_of_a_condition_and_of_a_linked_tree(clone: Repo, tmp_path: Path) -> None:
    clone.write(".git/more", f'[branch "topic"]\n\tremote = origin\n\tmerge = {UPSTREAM}\n')
    configure(clone, '[includeIf "onbranch:other"]\n\tpath = more\n')
    assert "HEAD and refs/remotes/origin/main (" in words(clone.folder)
    configure(clone, '[includeIf "onbranch:topic"]\n\tpath = more\n')
    assert "HEAD and refs/remotes/origin/release (" in words(clone.folder)
    clone.git("worktree", "add", "-q", "-b", "linked", str(tmp_path / "linked"), "origin/main")
    clone.git("branch", "-q", "--unset-upstream", "linked")
    clone.git("config", "extensions.worktreeConfig", "true")
    linked = Repo.__new__(Repo)
    linked.folder = tmp_path / "linked"
    linked.spec(broken())
    linked.commit()
    linked.git("config", "--worktree", "branch.linked.remote", "origin")
    linked.git("config", "--worktree", "branch.linked.merge", UPSTREAM)
    assert "HEAD and refs/remotes/origin/release (" in words(linked.folder)


def test_a_setting_that_is_overridden_later_is_the_later_one(clone: Repo) -> None:
    configure(clone, f'[branch "topic"]\n\tremote = origin\n\tmerge = {UPSTREAM}\n[include]\n\tpath = more\n')
    clone.write(".git/more", '[branch "topic"]\n\tremote = .\n')
    clone.git("branch", "release", "origin/release")
    assert "HEAD and refs/heads/release (" in words(clone.folder)


@pytest.mark.parametrize("remote", ["origin", "my/fork"])
def test_a_pushed_copy_is_known_whatever_the_remote_is_called(clone: Repo, remote: str) -> None:
    if remote != "origin":
        clone.git("remote", "add", remote, str(clone.folder.parent / "origin"))
    clone.git("push", "-q", "-u", remote, "topic")
    assert "HEAD and refs/remotes/origin/main (" in words(clone.folder)
    # A branch that only ends in the same name is another.
    clone.git("branch", "-q", "-u", "origin/fix/topic")
    assert "HEAD and refs/remotes/origin/fix/topic (" in words(clone.folder)


def test_a_copy_that_was_pushed_under_another_name_is_known(clone: Repo) -> None:
    clone.git("push", "-q", "-u", "origin", "topic:alice/topic")
    assert "HEAD and refs/remotes/origin/main (" in words(clone.folder)
    clone.commit("not pushed")
    assert "HEAD and refs/remotes/origin/main (" in words(clone.folder)
    # Without a record of the push, the upstream may be the branch that the change is meant for.
    (clone.folder / ".git/logs/refs/remotes/origin/alice/topic").unlink()
    assert "HEAD and refs/remotes/origin/alice/topic (" in words(clone.folder)


def test_a_branch_that_began_at_its_upstream_is_meant_for_it(clone: Repo) -> None:
    """Also if its maintainer pushes to that upstream."""
    clone.git("checkout", "-q", "release")
    clone.commit("on release")
    clone.git("push", "-q", "origin", "release")
    for number, start in enumerate(("origin/release", "refs/remotes/origin/release")):
        clone.git("checkout", "-q", "-b", f"fix-{number}", start)
        clone.commit("a fix")
        assert "HEAD and refs/remotes/origin/release (" in words(clone.folder)


def test_an_upstream_that_was_pushed_to_from_another_branch_is_no_copy(clone: Repo) -> None:
    """A maintainer pushes release, and then bases fixes on it with `git branch -u`."""
    early, late, later = ("1700000000 +0000", "1700000100 +0000", "1700000200 +0000")
    clone.git("checkout", "-q", "release")
    clone.commit("on release")
    clone.git("push", "-q", "origin", "release", GIT_COMMITTER_DATE=early)
    clone.git("checkout", "-q", "-b", "fix", GIT_COMMITTER_DATE=late)
    clone.git("branch", "-q", "-u", "origin/release")
    clone.git("commit", "-q", "--allow-empty", "-m", "a fix", GIT_COMMITTER_DATE=late)
    assert "HEAD and refs/remotes/origin/release (" in words(clone.folder)
    # Also if the branch is older than what was pushed.
    clone.git(
        "checkout", "-q", "--no-track", "-b", "old", "origin/release~1", GIT_COMMITTER_DATE="1699999999 +0000"
    )
    clone.git("branch", "-q", "-u", "origin/release")
    clone.git("merge", "-q", "--ff-only", "origin/release", GIT_COMMITTER_DATE=late)
    clone.git("commit", "-q", "--allow-empty", "-m", "another fix", GIT_COMMITTER_DATE=late)
    assert "HEAD and refs/remotes/origin/release (" in words(clone.folder)
    # Once it has commits of the branch, it is a copy.
    clone.git("push", "-q", "origin", "old:release", GIT_COMMITTER_DATE=later)
    assert "HEAD and refs/remotes/origin/main (" in words(clone.folder)


def test_a_branch_that_was_pushed_as_it_began_has_a_copy(clone: Repo) -> None:
    """Its commits are those of another branch of this clone."""
    clone.git("checkout", "-q", "-b", "second", GIT_COMMITTER_DATE="1700000000 +0000")
    clone.git("push", "-q", "-u", "origin", "second:alice/second", GIT_COMMITTER_DATE="1700000100 +0000")
    assert "HEAD and refs/remotes/origin/main (" in words(clone.folder)


def test_a_reflog_has_lines_of_git_and_not_of_python(clone: Repo) -> None:
    clone.git("checkout", "-q", "-b", "second", GIT_COMMITTER_DATE="1700000000 +0000")
    clone.commit("a \u2028 b \x85 c \x0c d")
    clone.git("push", "-q", "-u", "origin", "second:alice/second")
    assert "HEAD and refs/remotes/origin/main (" in words(clone.folder)


def test_packed_refs_are_refs(clone: Repo) -> None:
    clone.git("tag", "1.0.0", "origin/release")
    clone.git("tag", "-a", "-m", "x", "rel/2.0.0", "origin/main")
    clone.git("remote", "set-head", "origin", "release")
    clone.git("pack-refs", "--all", "--prune")
    clone.git("tag", "3.0.0")
    assert not (clone.folder / ".git/refs/tags/1.0.0").exists()
    assert tags(clone.folder) == ["1.0.0", "3.0.0", "rel/2.0.0"]
    assert "HEAD and refs/remotes/origin/release (" in words(clone.folder)
    clone.git("checkout", "-q", "--detach")
    assert "HEAD and refs/remotes/origin/release (" in words(clone.folder)


def test_what_git_stores_as_a_table_is_read(tmp_path: Path) -> None:
    made = subprocess.run(
        ["git", "init", "-q", "-b", "main", "--ref-format=reftable", str(tmp_path / "repo")],
        capture_output=True,
        check=False,
    )
    if made.returncode:
        pytest.skip("this git has no reftables")
    repo = Repo.__new__(Repo)
    repo.folder = tmp_path / "repo"
    assert "there is no commit yet" in words(repo.folder)
    repo.spec(request())
    repo.commit()
    repo.git("tag", "1.0.0")
    repo.git("checkout", "-q", "-b", "topic")
    repo.spec(broken())
    repo.commit()
    assert tags(repo.folder) == ["1.0.0"]
    assert "HEAD and refs/heads/main (" in words(repo.folder)


def test_a_damaged_tag_is_not_passed_over(clone: Repo) -> None:
    clone.git("tag", "1.0.0")
    clone.git("tag", "2.0.0")
    clone.write(".git/refs/tags/2.0.0", "")
    assert tags(clone.folder) == ["1.0.0", "2.0.0"]


def test_a_branch_that_cannot_be_read_has_a_commit(tmp_path: Path) -> None:
    repo = Repo(tmp_path / "repo")
    repo.spec(request())
    repo.git("add", "-A")
    repository = find_repository(repo.folder)
    assert repository is not None
    assert compare_staged(repository, repo.folder).old is None
    assert "there is no commit yet" in words(repo.folder)
    repo.write(".git/refs/heads/main", "no commit\n")
    with pytest.raises(InputError, match="HEAD"):
        compare_staged(repository, repo.folder)
    with pytest.raises(InputError, match="HEAD does not name a commit here"):
        words(repo.folder)
    repository.close()


def test_no_program_of_a_repository_is_run_to_read_its_refs(clone: Repo, tmp_path: Path) -> None:
    mark, program = tmp_path / "ran", tmp_path / "program"
    program.write_text(f"#!/bin/sh\n: > '{mark}'\n")
    program.chmod(0o755)
    for name in ("core.fsmonitor", "core.pager", "pager.log", "pager.for-each-ref", "gpg.program",
                 "core.sshCommand", "diff.external", "core.askPass", "credential.helper"):  # fmt: skip
        clone.git("config", name, str(program))
    clone.git("config", "alias.for-each-ref", f"!{program}")
    clone.git("config", "log.showSignature", "true")
    clone.git("tag", "1.0.0")
    words(clone.folder)
    assert tags(clone.folder) == ["1.0.0"]
    clone.git("checkout", "-q", "--orphan", "unborn")
    mark.unlink(missing_ok=True)
    assert "there is no commit yet" in words(clone.folder)
    assert not mark.exists()


def test_a_merge_base_that_is_near_needs_no_process(clone: Repo, monkeypatch: pytest.MonkeyPatch) -> None:
    started_processes: list[str] = []
    start = subprocess.Popen.__init__

    def seen(self: subprocess.Popen[bytes], command: list[str], *rest: Any, **named: Any) -> None:
        started_processes.append(next(word for word in command[1:] if word in GIT_COMMANDS))
        start(self, command, *rest, **named)

    monkeypatch.setattr(subprocess.Popen, "__init__", seen)
    near = words(clone.folder)
    assert sorted(started_processes) == ["cat-file", "for-each-ref", "ls-files"]
    monkeypatch.undo()
    base = clone.git("merge-base", "HEAD", "origin/main")
    assert f"refs/remotes/origin/main ({base[:12]}; " in near
    # The default branch has moved on: its end is no ancestor.
    later = clone.git("commit-tree", "-p", base, "-m", "x", f"{base}^{{tree}}")
    clone.git("update-ref", "refs/remotes/origin/main", later)
    monkeypatch.setattr(subprocess.Popen, "__init__", seen)
    started_processes.clear()
    assert words(clone.folder) == near
    assert sorted(started_processes) == ["cat-file", "for-each-ref", "ls-files", "merge-base"]
    monkeypatch.undo()
    clone.git("checkout", "-q", "-B", "topic", "origin/main", "--no-track")
    monkeypatch.setattr(subprocess.Popen, "__init__", seen)
    started_processes.clear()
    assert "HEAD, which is its merge base with refs/remotes/origin/main (" in words(clone.folder)
    assert sorted(started_processes) == ["cat-file", "for-each-ref", "ls-files"]


def test_a_merge_base_is_that_of_git_through_merges_and_long_lines(clone: Repo) -> None:
    base = clone.git("merge-base", "HEAD", "origin/main")
    for number in range(20):
        clone.commit(f"step {number}")
    assert f"refs/remotes/origin/main ({base[:12]}; " in words(clone.folder)
    clone.git("checkout", "-q", "--no-track", "-b", "side", "origin/release")
    clone.commit("aside")
    clone.git("merge", "-q", "--no-edit", "origin/main")
    assert clone.git("rev-parse", "HEAD^2") == base
    assert f"refs/remotes/origin/main ({base[:12]}; " in words(clone.folder)


def test_without_a_common_commit_the_hint_depends_on_the_clone(clone: Repo, tmp_path: Path) -> None:
    clone.commit("two commits after main")
    clone.git("checkout", "-q", "--orphan", "other")
    clone.commit("another root")
    with pytest.raises(
        InputError, match=r"refs/remotes/origin/main have no common commit here; name one side$"
    ):
        words(clone.folder)
    clone.git(
        "clone", "-q", "--depth=1", "--branch=topic", f"file://{clone.folder}", str(tmp_path / "shallow")
    )
    shallow = Repo.__new__(Repo)
    shallow.folder = tmp_path / "shallow"
    shallow.git("checkout", "-q", "-b", "mine", "--no-track")
    shallow.git("fetch", "-q", "--depth=1", "origin", "main:refs/remotes/origin/main")
    with pytest.raises(InputError, match=r"here; the repository is shallow: git fetch --unshallow$"):
        words(shallow.folder)


def test_a_default_branch_is_compared_with_its_own_copy(clone: Repo) -> None:
    """It is not a copy that was pushed, even where the remote's default branch is another."""
    clone.git("remote", "set-head", "origin", "release")
    clone.git("checkout", "-q", "main")
    clone.commit("on main")
    assert "HEAD and refs/remotes/origin/main (" in words(clone.folder)


def test_what_the_index_and_a_commit_have_alike_is_without_what_differs(clone: Repo) -> None:
    clone.spec(request())
    clone.git("add", "-A")
    changed, same = f"{FOLDER}/FetchRequest.json", f"{FOLDER}/FetchResponse.json"
    repository = find_repository(clone.folder)
    assert repository is not None
    sides = compare_staged(repository, clone.folder)
    assert sides.some is not None
    assert sides.rest is not None
    assert set(sides.new.files) == {changed}
    assert set(sides.some([changed, same, "none.json"]).files) == {same}
    assert changed not in sides.rest().files
    assert sides.rest().files[same] == sides.some([same]).files[same]
    repository.close()
