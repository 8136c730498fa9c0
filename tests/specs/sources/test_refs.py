"""The refs of a repository: the branch that is checked out, what it tracks, and every tag."""

from __future__ import annotations

from pathlib import Path

from tests.repositories import Repo, started
from wirebook.specs.sources.refs import Refs, read_refs


def test_a_branch_with_what_it_tracks_and_every_tag(tmp_path: Path) -> None:
    origin = started(tmp_path / "origin", branch="trunk")
    origin.git("tag", "1.0")
    origin.git("tag", "-a", "-m", "x", "release/2.0")
    folder = tmp_path / "clone"
    origin.git("clone", "-q", str(origin.folder), str(folder))
    clone = Repo(folder)
    head = origin.git("rev-parse", "HEAD")
    listed = Refs("trunk", "refs/remotes/origin/trunk", "trunk", "refs/remotes/origin/trunk",
                  "refs/remotes/origin/trunk", ("1.0", "release/2.0"))  # fmt: skip
    assert read_refs(folder, index=False) == listed
    # Branches before and after the one that is checked out say nothing.
    clone.git("branch", "--no-track", "a", head)
    clone.git("checkout", "-q", "-b", "my/branch", "--track", "origin/trunk")
    clone.git("branch", "--no-track", "z", head)
    found = read_refs(folder, index=False)
    assert (found.branch, found.upstream, found.upstream_branch) == (
        "my/branch",
        "refs/remotes/origin/trunk",
        "trunk",
    )
    clone.git("checkout", "-q", "z")
    assert read_refs(folder, index=False) == Refs("z", "", "", "", listed.default, listed.tags)
    clone.git("checkout", "-q", "--detach")
    (folder / ".git" / "refs" / "tags" / "broken").write_text("nothing\n")
    (folder / ".git" / "refs" / "remotes" / "origin" / "HEAD").unlink()
    assert read_refs(folder, index=False) == Refs(
        None, "", "", "", "refs/remotes/origin/HEAD", ("1.0", "broken", "release/2.0")
    )


def test_a_repository_without_a_commit_has_no_refs(tmp_path: Path) -> None:
    repo = Repo(tmp_path / "repo")
    assert read_refs(repo.folder, index=False) == Refs(None, "", "", "", "refs/remotes/origin/HEAD", ())
