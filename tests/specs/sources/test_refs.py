"""The refs of a repository: the branch that is checked out, what it tracks, every tag, and names in full."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.repositories import Repo, started
from wirebook.specs.problems import InputError
from wirebook.specs.sources.git import GitRepo
from wirebook.specs.sources.refs import Refs, Tracking, read_refs


def test_a_branch_with_what_it_tracks_and_every_tag(tmp_path: Path) -> None:
    origin = started(tmp_path / "origin", branch="trunk")
    origin.git("tag", "1.0")
    origin.git("tag", "-a", "-m", "x", "release/2.0")
    folder = tmp_path / "clone"
    origin.git("clone", "-q", str(origin.folder), str(folder))
    clone = Repo(folder)
    head = origin.git("rev-parse", "HEAD")
    trunk = Tracking("refs/remotes/origin/trunk", "trunk", "refs/remotes/origin/trunk")
    listed = Refs("trunk", {"trunk": trunk}, "refs/remotes/origin/trunk", "", ("1.0", "release/2.0"))
    assert read_refs(folder, index=False) == listed
    # Branches before and after the one that is checked out say nothing.
    clone.git("branch", "--no-track", "a", head)
    clone.git("checkout", "-q", "-b", "my/branch", "--track", "origin/trunk")
    clone.git("branch", "--no-track", "z", head)
    refs = read_refs(folder, index=False)
    assert (refs.branch, set(refs.tracking)) == ("my/branch", {"my/branch", "trunk"})
    assert refs.tracked("my/branch")[:2] == ("refs/remotes/origin/trunk", "trunk")
    assert refs.tracked("a") == refs.tracked(None) == Tracking()
    own = ("refs/heads/x", "refs/remotes/origin/x")
    assert refs.copies("x") == own
    assert refs._replace(elsewhere="refs/remotes/b/y/x").copies("x") == (*own, "refs/remotes/b/x")
    clone.git("checkout", "-q", "z")
    assert read_refs(folder, index=False) == Refs("z", refs.tracking, listed.default, "", listed.tags)
    clone.git("checkout", "-q", "--detach")
    (folder / ".git" / "refs" / "tags" / "broken").write_text("nothing\n")
    (folder / ".git" / "refs" / "remotes" / "origin" / "HEAD").unlink()
    assert read_refs(folder, index=False) == Refs(
        None, refs.tracking, "refs/remotes/origin/HEAD", "", ("1.0", "broken", "release/2.0")
    )


def test_a_repository_without_a_commit_has_no_refs(tmp_path: Path) -> None:
    repo = Repo(tmp_path / "repo")
    assert read_refs(repo.folder, index=False) == Refs(None, {}, "refs/remotes/origin/HEAD", "", ())


@pytest.fixture
def repo(tmp_path: Path) -> Repo:
    """A repository with two commits on main, of which the first is origin/main, and a tag."""
    made = started(tmp_path / "repo")
    made.git("update-ref", "refs/remotes/origin/main", "HEAD")
    made.git("symbolic-ref", "refs/remotes/origin/HEAD", "refs/remotes/origin/main")
    made.commit("second")
    made.git("tag", "-a", "-m", "x", "1.0", "HEAD~1")
    return made


def named(repo: Repo, name: str) -> tuple[str, str]:
    with GitRepo(repo.folder) as opened:
        return opened.named(name)


def refused(repo: Repo, name: str) -> str:
    with pytest.raises(InputError) as caught:
        named(repo, name)
    return caught.value.message


@pytest.mark.parametrize(
    ("name", "full"),
    [
        ("main", "refs/heads/main"),
        ("heads/main", "refs/heads/main"),
        ("refs/heads/main", "refs/heads/main"),
        ("main~1", "refs/heads/main~1"),
        ("main@{0}", "refs/heads/main@{0}"),
        ("main^{/second}", "refs/heads/main^{/second}"),
        ("origin/main", "refs/remotes/origin/main"),
        ("origin", "refs/remotes/origin/HEAD"),
        ("1.0", "refs/tags/1.0"),
        ("1.0^{}", "refs/tags/1.0^{}"),
        ("HEAD", "HEAD"),
        ("@", "@"),
        ("HEAD~1", "HEAD~1"),
        ("HEAD^{/second}", "HEAD^{/second}"),
    ],
)
def test_a_name_in_full(repo: Repo, name: str, full: str) -> None:
    assert named(repo, name) == (full, repo.git("rev-parse", f"{name}^{{commit}}"))


@pytest.mark.share(2)
@pytest.mark.parametrize("other", ["refs/tags/", "refs/heads/", "refs/"])
@pytest.mark.parametrize("suffix", ["", "~0", "^{commit}", "@{0}"])
@pytest.mark.parametrize("target", ["HEAD", "refs/remotes/origin/main"])
def test_a_ref_beside_a_remote_tracking_branch(repo: Repo, other: str, suffix: str, target: str) -> None:
    """Also on the same commit: a tag or a branch may move between two runs."""
    repo.git("update-ref", f"{other}origin/main", target)
    both = " and ".join(sorted(["refs/remotes/origin/main", f"{other}origin/main"]))
    assert sorted(refused(repo, f"origin/main{suffix}").split(": ")[1].split("; ")[0].split(" and ")) == (
        both.split(" and ")
    )
    # The full names mean what they say.
    full = "refs/remotes/origin/main"
    assert named(repo, full) == (full, repo.git("rev-parse", full))
    assert named(repo, f"{other}origin/main")[0] == f"{other}origin/main"


def test_a_tag_and_a_branch_of_one_name(repo: Repo) -> None:
    repo.git("branch", "1.0")
    assert refused(repo, "1.0") == (
        '"1.0" is ambiguous: refs/heads/1.0 and refs/tags/1.0; write the one that you mean'
    )
    repo.git("update-ref", "refs/tags/HEAD", "HEAD~1")
    assert named(repo, "HEAD") == ("HEAD", repo.git("rev-parse", "refs/heads/main"))
    assert named(repo, "@")[1] == repo.git("rev-parse", "refs/heads/main")


def test_a_ref_named_like_a_hash(repo: Repo) -> None:
    head = repo.git("rev-parse", "HEAD")
    short, other = head[:9], repo.git("rev-parse", "HEAD~1")
    assert named(repo, short) == (short, head)
    repo.git("update-ref", f"refs/tags/{short}", other)
    assert refused(repo, short) == (
        f'"{short}" is ambiguous: refs/tags/{short} and {head}; write the one that you mean'
    )
    described = f"1.0-1-g{short}"
    assert named(repo, described) == (described, head)
    repo.git("update-ref", f"refs/heads/{described}", other)
    assert f"refs/heads/{described} and {head}" in refused(repo, described)
    # git takes a full hash for the object.
    repo.git("update-ref", f"refs/tags/{head}", other)
    assert named(repo, head) == (head, head)
    # Digits that are no hash of a commit.
    repo.git("tag", "20240301")
    assert named(repo, "20240301") == ("refs/tags/20240301", head)


def test_a_full_name_does_not_mean_another_ref(repo: Repo) -> None:
    missing = "refs/remotes/origin/topic"
    repo.git("update-ref", f"refs/tags/{missing}", "HEAD")
    assert repo.git("rev-parse", missing) == repo.git("rev-parse", "HEAD")
    assert refused(repo, missing) == f'there is no ref "{missing}" here, only refs/tags/{missing}'
    repo.git("update-ref", missing, "HEAD~1")
    assert named(repo, missing) == (missing, repo.git("rev-parse", "HEAD~1"))
    # A ref that only looks like one of the places of a name does not make it ambiguous.
    repo.git("update-ref", "refs/tags/refs/heads/origin/main", "HEAD")
    assert named(repo, "origin/main")[0] == "refs/remotes/origin/main"


def test_a_name_of_the_git_directory_and_of_a_tag(repo: Repo) -> None:
    repo.git("fetch", "-q", ".", "refs/remotes/origin/main")
    assert named(repo, "FETCH_HEAD") == ("FETCH_HEAD", repo.git("rev-parse", "main~1"))
    repo.git("update-ref", "refs/tags/FETCH_HEAD", "HEAD")
    assert '"FETCH_HEAD" is ambiguous: refs/tags/FETCH_HEAD and ' in refused(repo, "FETCH_HEAD")


def test_a_repository_with_longer_hashes(tmp_path: Path) -> None:
    """There, 40 digits are an abbreviation."""
    repo = Repo.__new__(Repo)
    repo.folder = tmp_path
    repo.git("init", "-q", "-b", "main", "--object-format=sha256")
    for message in ("first", "second"):
        repo.git("commit", "-q", "--allow-empty", "-m", message)
    head = repo.git("rev-parse", "HEAD")
    assert len(head) == 64
    assert named(repo, "main") == ("refs/heads/main", head)
    assert named(repo, head) == (head, head)
    repo.git("update-ref", f"refs/tags/{head[:40]}", "HEAD~1")
    assert f"refs/tags/{head[:40]} and {head}" in refused(repo, head[:40])
