"""Sets of files: what differs between two, and which files of the index and the working tree are in one."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.repositories import FOLDER, Repo, broken, request, started
from wirebook.specs.problems import InputError
from wirebook.specs.sources.filesets import differing, index_changes, may_have_links, read_regular
from wirebook.specs.sources.repository import find_repository
from wirebook.specs.sources.revisions import compare_staged


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ({"a": "1", "b": "2"}, {"a": "1", "b": "2"}, ([], [], False)),
        ({"a": "1"}, {"a": "2"}, (["a"], ["a"], False)),
        ({"a": "1"}, {"a": "1", "b": "2"}, ([], ["b"], True)),
        ({"a": "1", "b": "2"}, {"a": "1"}, (["b"], [], True)),
        # A file that only moves has not changed, but one that takes the text of another has.
        ({"a": "1"}, {"b": "1"}, ([], [], True)),
        ({"a": "1", "b": "2"}, {"b": "1"}, (["a", "b"], ["b"], True)),
        ({"a": "1", "b": "2"}, {"a": "2", "b": "1"}, (["a", "b"], ["a", "b"], False)),
        ({"a": "1"}, {"b": "1", "c": "1"}, ([], ["c"], True)),
        ({"a": "1", "b": "1"}, {"c": "1"}, (["a"], [], True)),
    ],
)
def test_what_differs(
    old: dict[str, str], new: dict[str, str], expected: tuple[list[str], list[str], bool]
) -> None:
    assert differing(old, new) == expected


FILES = st.dictionaries(st.sampled_from("abcdef"), st.sampled_from("123"), max_size=6)


@given(FILES, FILES)
def test_what_differs_is_all_that_changes_the_texts(old: dict[str, str], new: dict[str, str]) -> None:
    removed, added, moved = differing(old, new)
    assert moved == (old.keys() != new.keys())
    # Both sides without what differs hold the same texts.
    left = [
        sorted(side[path] for path in side.keys() - set(paths))
        for side, paths in ((old, removed), (new, added))
    ]
    assert left[0] == left[1]
    assert not [path for path in removed if new.get(path) == old[path]]
    assert not [path for path in added if old.get(path) == new[path]]
    assert differing(new, old)[2] == moved


def test_files_of_test_trees_are_in_the_index_too(tmp_path: Path) -> None:
    repo = started(tmp_path / "repo")
    where = "src/test/resources/message"
    repo.spec(request(), where)
    repo.commit()
    repo.spec(broken(), where)
    repo.spec(broken())
    repo.git("add", "-A")
    wanted = {f"{FOLDER}/FetchRequest.json", f"{where}/FetchRequest.json"}
    assert {change.path for change in index_changes(str(repo.folder), "HEAD").changes} == wanted
    repository = find_repository(repo.folder)
    assert repository is not None
    sides = compare_staged(repository, repo.folder)
    repository.close()
    assert sides.old is not None
    assert set(sides.old.files) == set(sides.new.files) == wanted


def test_the_repository_of_a_hook_is_for_staged_checks_only(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    mine, other = Repo(tmp_path / "mine"), Repo(tmp_path / "other")
    monkeypatch.setenv("GIT_DIR", str(other.folder / ".git"))
    monkeypatch.setenv("GIT_WORK_TREE", str(other.folder))
    found, hooked = find_repository(mine.folder), find_repository(mine.folder, index=True)
    assert found is not None
    assert hooked is not None
    assert (found.top, found.folder) == (mine.folder, mine.folder / ".git")
    assert (hooked.top, hooked.folder) == (other.folder, other.folder / ".git")
    monkeypatch.delenv("GIT_DIR")
    again = find_repository(mine.folder, index=True)
    assert again is not None
    assert again.top == mine.folder


@pytest.mark.parametrize(
    ("files", "is_one"),
    [
        (["HEAD", "refs/x"], True),
        (["HEAD", "commondir"], True),
        (["HEAD", "commondir", "refs/x"], True),
        (["HEAD"], False),
        (["refs/x"], False),
        (["commondir"], False),
        (["HEAD", "refs"], False),
        (["HEAD/x", "refs/x"], False),
    ],
)
def test_a_git_folder_has_a_head_and_refs_of_its_own_or_of_another(
    files: list[str], is_one: bool, tmp_path: Path
) -> None:
    for name in files:
        path = tmp_path / ".git" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("x")
    if is_one:
        found = find_repository(tmp_path)
        assert found is not None
        assert found.top == tmp_path
    else:
        with pytest.raises(InputError, match="not a git repository, or a damaged one"):
            find_repository(tmp_path)


def test_the_working_tree_may_be_elsewhere(tmp_path: Path) -> None:
    repo = started(tmp_path / "repo")
    tree = tmp_path / "tree"
    tree.mkdir()
    repo.git("config", "core.worktree", "../../tree")
    found = find_repository(repo.folder)
    assert found is not None
    assert (found.top, found.place) == (tree, repo.folder)
    assert not found.is_unborn()
    repo.git("config", "--unset", "core.worktree")
    repo.git("config", "user.name", "worktree")
    again = find_repository(repo.folder)
    assert again is not None
    assert again.top == repo.folder


def test_an_index_may_have_links_only_if_it_is_there(tmp_path: Path) -> None:
    assert not may_have_links(tmp_path / "index")
    repo = started(tmp_path / "repo")
    index = repo.folder / ".git" / "index"
    assert not may_have_links(index)
    (repo.folder / "link").symlink_to("elsewhere")
    repo.git("add", "link")
    assert may_have_links(index)


@pytest.mark.parametrize("command", ["update-index --split", "sparse-checkout set --cone --sparse"])
def test_an_index_that_omits_entries_may_have_links(command: str, tmp_path: Path) -> None:
    repo = started(tmp_path / "repo")
    repo.git(*f"{command}-index".split())
    assert may_have_links(repo.folder / ".git" / "index")


def test_a_file_that_cannot_be_read_is_reported(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"x")
    assert read_regular(str(tmp_path / "a")) == (True, b"x")
    assert read_regular(str(tmp_path / "b")) == read_regular(str(tmp_path / "a" / "b")) == (False, None)
    with pytest.raises(InputError, match="File name too long"):
        read_regular(str(tmp_path / ("a" * 300)))
