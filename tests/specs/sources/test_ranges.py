"""Which commits are compared: ranges, first commits, pushes, and histories that are cut off."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.repositories import FOLDER, Repo, request, started
from wirebook.specs.problems import InputError
from wirebook.specs.sources.repository import Repository, find_repository
from wirebook.specs.sources.revisions import (
    CommitRange,
    ComparedSides,
    compare_range,
    compare_staged,
    compare_working,
    new_side,
)
from wirebook.specs.sources.targets import BEFORE, BRANCH

SPEC = f"{FOLDER}/FetchRequest.json"


@pytest.fixture(autouse=True)
def _no_push(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in (*BEFORE, BRANCH, "GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def repo(tmp_path: Path) -> Repo:
    """A repository whose branch main has three commits, and side two after the first."""
    made = started(tmp_path / "repo")
    made.git("tag", "first")
    made.git("checkout", "-q", "-b", "side")
    made.write("a/BarRequest.json", "1")
    made.commit("side")
    made.git("checkout", "-q", "main")
    for text in ("1", "2"):
        made.write("b/BazRequest.json", text)
        made.commit(text)
    return made


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("a..b", True), ("a...b", True), ("a..", True), ("HEAD~2...HEAD", True),
        ("../other", False), ("a/../b", False), ("a", False), ("a.b", False), ("../a..b", False),
        ("a.../b", True),
    ],
)  # fmt: skip
def test_what_is_written_as_a_range(text: str, found: bool) -> None:
    assert (CommitRange.parse(text) is not None) is found


@pytest.mark.parametrize(
    ("text", "ends"),
    [
        ("a..b", ("a", "b", False)), ("a...b", ("a", "b", True)), ("a..", ("a", "HEAD", False)),
        ("a...", ("a", "HEAD", True)), ("a.b..c.d", ("a.b", "c.d", False)),
    ],
)  # fmt: skip
def test_the_ends_of_a_range(text: str, ends: tuple[str, str, bool]) -> None:
    assert CommitRange.parse(text) == ends


@pytest.mark.parametrize("text", ["..b", "...b", ".."])
def test_a_range_has_a_start(text: str) -> None:
    with pytest.raises(InputError) as caught:
        CommitRange.parse(text)
    assert (
        str(caught.value) == f'"{text}" is a range without a start; for the current commit, write HEAD{text}'
    )


def compared(repository: Repository, text: str) -> ComparedSides:
    """The sides of a range in its written form."""
    named = CommitRange.parse(text)
    assert named is not None
    return compare_range(repository, named)


def commits(found: ComparedSides) -> tuple[str | None, str | None]:
    return found.base, found.tip


def test_a_range_compares_its_ends_or_with_their_merge_base(repo: Repo, opened: Repository) -> None:
    first, main, side = (repo.git("rev-parse", name) for name in ("first", "main", "side"))
    two, three = compared(opened, "side..main"), compared(opened, "side...main")
    assert commits(two) == (side, main)
    assert commits(three) == (first, main)
    assert two.words == f"refs/heads/main ({main[:12]}) against refs/heads/side ({side[:12]}; default)"
    assert three.words == (
        f"refs/heads/main ({main[:12]}) against its merge base with refs/heads/side ({first[:12]}; default)"
    )
    assert two.old is not None
    assert three.old is not None
    assert set(two.old.files) - set(three.old.files) == {"a/BarRequest.json"}
    assert set(two.new.files) - set(three.old.files) == {"b/BazRequest.json"}
    # A commit is its own merge base with what follows it.
    assert commits(compared(opened, "first...")) == (first, main)
    assert commits(compared(opened, "main~1...main")) == (repo.git("rev-parse", "main~1"), main)
    repo.git("checkout", "-q", "--orphan", "other")
    repo.commit("other")
    with pytest.raises(InputError, match="other and main have no common commit here; name one side"):
        compared(opened, "main...other")


def test_a_merge_base_far_away_is_that_of_git(repo: Repo, opened: Repository) -> None:
    base = repo.git("rev-parse", "main")
    for number in range(20):
        repo.git("commit", "-q", "--allow-empty", "-m", str(number))
    for distance in (15, 16, 17, 20):
        target = repo.git("rev-parse", f"main~{distance}")
        assert compared(opened, f"main~{distance}...main").base == target
    assert repo.git("rev-parse", "main~20") == base


def test_the_first_commit_is_compared_with_nothing(tmp_path: Path) -> None:
    repo = Repo(tmp_path / "new")
    repo.spec(request())
    opened = find_repository(repo.folder)
    assert opened is not None
    assert (
        compare_working(opened, repo.folder).words
        == "the working tree against nothing: there is no commit yet"
    )
    repo.git("add", "-A")
    staged = compare_staged(opened, repo.folder)
    assert (staged.words, staged.old) == ("the index against nothing: this is the first commit", None)
    assert set(staged.new.files) == {SPEC}
    with pytest.raises(InputError):
        compare_staged(opened, repo.folder, "main")
    head = repo.commit()
    opened.close()
    only = compare_working(opened, repo.folder)
    assert (only.words, only.old) == ("the working tree against nothing: this is the first commit", None)
    repo.write(SPEC, "{}")
    changed = compare_working(opened, repo.folder)
    assert changed.words == f"the working tree against HEAD ({head[:12]}; the first commit)"
    assert (changed.base, changed.tip) == (head, None)
    opened.close()


def test_head_of_the_default_branch_is_compared_with_its_parent_or_the_push(
    repo: Repo, opened: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    head, parent, first = (repo.git("rev-parse", name) for name in ("main", "main~1", "first"))
    found = compare_working(opened, repo.folder)
    assert (found.words, found.base) == (
        f"the working tree against the first parent of HEAD ({parent[:12]}; on the branch refs/heads/main)",
        parent,
    )
    for value, base in ((first, first), (head, parent), ("0" * 40, parent), ("x", parent), ("", parent)):
        for name in BEFORE:
            monkeypatch.setenv(name, value)
            assert compare_working(opened, repo.folder).base == base
            monkeypatch.delenv(name)
    monkeypatch.setenv(BEFORE[0], first)
    assert "against the branch before the push" in compare_working(opened, repo.folder).words
    # The first of the two counts, if it names a commit.
    monkeypatch.setenv(BEFORE[1], parent)
    assert compare_working(opened, repo.folder).base == first
    monkeypatch.setenv(BEFORE[0], "")
    assert compare_working(opened, repo.folder).base == parent
    monkeypatch.setenv(BEFORE[0], "a" * 40)
    with pytest.raises(InputError) as caught:
        compare_working(opened, repo.folder)
    assert caught.value.message == (
        f"the commit before the push ({BEFORE[0]}) is not here: git fetch origin {'a' * 40}"
    )


def test_a_push_that_another_one_has_overtaken(repo: Repo, monkeypatch: pytest.MonkeyPatch) -> None:
    """GitLab checks out the commit of a pipeline; the branch may already be further."""
    pushed, before = repo.git("rev-parse", "main~1"), repo.git("rev-parse", "first")
    repo.git("checkout", "-q", "--detach", pushed)
    detached = find_repository(repo.folder)
    assert detached is not None
    monkeypatch.setenv(BEFORE[1], before)
    assert compare_working(detached, repo.folder).is_same
    monkeypatch.setenv(BRANCH, "main")
    found = compare_working(detached, repo.folder)
    assert (found.base, found.is_same) == (before, False)
    monkeypatch.setenv(BRANCH, "topic")
    assert compare_working(detached, repo.folder).is_same
    detached.close()


def test_a_branch_is_compared_with_where_it_left(repo: Repo, opened: Repository) -> None:
    first, side = repo.git("rev-parse", "first"), repo.git("rev-parse", "side")
    repo.git("checkout", "-q", "side")
    found = compare_working(opened, repo.folder)
    assert (found.words, found.base) == (
        f"the working tree against the merge base of HEAD and refs/heads/main "
        f"({first[:12]}; a usual default branch)",
        first,
    )
    named = compare_working(opened, repo.folder, branch="main")
    assert (named.words, named.base) == (found.words.replace("a usual default branch", "default"), first)
    with pytest.raises(InputError, match='there is no branch "none" here; git fetch origin none'):
        compare_working(opened, repo.folder, branch="none")
    against = compare_working(opened, repo.folder, against="main~1")
    assert against.words.startswith("the working tree against refs/heads/main~1 (")
    opened.close()
    repo.git("checkout", "-q", "-b", "behind", "first")
    behind = find_repository(repo.folder)
    assert behind is not None
    assert compare_working(behind, repo.folder).words == (
        f"the working tree against HEAD, which is its merge base with refs/heads/main ({first[:12]}; "
        "a usual default branch)"
    )
    behind.close()
    repo.git("checkout", "-q", "--detach", side)
    detached = find_repository(repo.folder)
    assert detached is not None
    assert compare_working(detached, repo.folder).base == first
    detached.close()


def test_without_a_default_branch_there_is_a_notice_on_the_only_branch(repo: Repo) -> None:
    repo.git("branch", "-m", "main", "x")
    opened = find_repository(repo.folder)
    assert opened is not None
    with pytest.raises(InputError, match="no branch to compare with was found"):
        compare_working(opened, repo.folder)
    repo.git("branch", "-q", "-D", "side")
    found = compare_working(opened, repo.folder)
    assert found.base == repo.git("rev-parse", "x~1")
    assert found.notices == ("no default branch was found: HEAD is compared with the commit before it",)
    opened.close()


def test_a_bare_repository_has_no_index_and_head_is_its_new_side(repo: Repo, tmp_path: Path) -> None:
    bare = tmp_path / "bare.git"
    repo.git("clone", "-q", "--bare", str(repo.folder), str(bare))
    opened = find_repository(bare)
    assert opened is not None
    head = repo.git("rev-parse", "HEAD")
    side = new_side(opened, bare, staged=False)
    assert (side.words, side.tip) == ("HEAD", head)
    found = compare_working(opened, bare)
    assert (found.words, found.tip) == (
        f"HEAD against the first parent of HEAD ({repo.git('rev-parse', 'HEAD~1')[:12]}; "
        "on the branch refs/heads/main)",
        head,
    )
    with pytest.raises(InputError, match="a bare repository has no index"):
        compare_staged(opened, bare)
    opened.close()


def test_a_shallow_repository_says_what_is_missing(repo: Repo, tmp_path: Path) -> None:
    merged = repo.git("merge", "-q", "--no-ff", "-m", "merge", "side")
    assert merged == ""
    shallow = tmp_path / "shallow"
    repo.git("clone", "-q", "--depth=1", f"file://{repo.folder}", str(shallow))
    opened = find_repository(shallow)
    assert opened is not None
    assert opened.is_shallow()
    with pytest.raises(InputError) as caught:
        compare_working(opened, shallow)
    words = "the commit before HEAD is not here, the repository is shallow: git fetch --deepen=1"
    assert caught.value.message == words
    # Its second parent may be here.
    own = Repo.__new__(Repo)
    own.folder = shallow
    own.git("fetch", "-q", "--depth=1", "origin", "side")
    with pytest.raises(InputError, match=r"git fetch --deepen=1"):
        compare_working(opened, shallow)
    opened.close()


def test_the_index_is_compared_by_what_differs(repo: Repo, opened: Repository) -> None:
    repo.write("b/BazRequest.json", "3")
    repo.write("c/QuxRequest.json", "4")
    repo.git("add", "-A")
    repo.git("rm", "-q", "--cached", SPEC)
    found = compare_staged(opened, repo.folder)
    assert found.words == f"the index against HEAD ({repo.git('rev-parse', 'HEAD')[:12]}; default)"
    assert found.old is not None
    assert set(found.old.files) == {"b/BazRequest.json", SPEC}
    assert set(found.new.files) == {"b/BazRequest.json", "c/QuxRequest.json"}
    assert found.new.read(["c/QuxRequest.json"]) == {"c/QuxRequest.json": b"4"}
    assert found.rest is not None
    assert found.some is not None
    assert set(found.some(["package.json", "x", "c/QuxRequest.json"]).files) == {"package.json"}
    rest = set(found.rest().files)
    assert "package.json" in rest
    assert not rest & {"b/BazRequest.json", "c/QuxRequest.json", SPEC}
    assert found.may_add("profile.json")
    assert not found.may_add("profile.toml")
    assert not found.may_add("b/wirebook.toml")
    assert found.new.every_path is not None
    assert "package.json" in found.new.every_path()
    older = compare_staged(opened, repo.folder, "first")
    first = repo.git("rev-parse", "first")
    assert (older.words, older.base) == (
        f"the index against refs/tags/first ({first[:12]}; default)",
        first,
    )
    assert compare_working(opened, repo.folder).may_add("profile.toml")
