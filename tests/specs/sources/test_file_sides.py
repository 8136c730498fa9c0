"""The files of an index and a working tree: which count, by which digest, and which are read elsewhere."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import pytest

from tests.repositories import Repo, request, started
from wirebook.specs.problems import InputError
from wirebook.specs.sources import filesets
from wirebook.specs.sources.filesets import (
    FileSet,
    IndexChange,
    commit_files,
    index_changes,
    index_files,
    index_paths,
    working_files,
)
from wirebook.specs.sources.repository import Repository, find_repository

TEXT = json.dumps(request()) + "\n"


@pytest.fixture
def repo(tmp_path: Path) -> Repo:
    """A repository with two specs and other files."""
    made = Repo(tmp_path / "repo")
    made.write("a/FooRequest.json", TEXT)
    made.write("test/BarRequest.json", TEXT + " ")
    made.write("build/BazRequest.json", TEXT)
    made.write("a/notes.txt", "words")
    made.commit()
    return made


def blob(text: str | bytes, make: str = "sha1") -> str:
    """The name that git gives to a text."""
    data = text.encode() if isinstance(text, str) else text
    return hashlib.new(make, b"blob %d\0" % len(data) + data).hexdigest()


def texts(files: FileSet) -> dict[str, bytes | str]:
    read = files.read(files.files)
    return {path: text.message if isinstance(text, InputError) else text for path, text in read.items()}


def test_tracked_and_new_files_of_the_working_tree_count(repo: Repo, opened: Repository) -> None:
    repo.write(".gitignore", "*.tmp.json\n")
    repo.write("new/QuxRequest.json", "{}")
    repo.write("new/x.tmp.json", "{}")
    repo.write("a/FooRequest.json", TEXT + "\n")
    found = working_files(opened)
    assert dict(found.files) == {
        "a/FooRequest.json": blob(TEXT + "\n"),
        "test/BarRequest.json": blob(TEXT + " "),
        "new/QuxRequest.json": blob("{}"),
    }
    assert texts(found)["new/QuxRequest.json"] == b"{}"
    assert found.every_path is not None
    assert set(found.every_path()) == {
        "a/FooRequest.json", "test/BarRequest.json", "build/BazRequest.json", "new/QuxRequest.json",
    }  # fmt: skip
    (repo.folder / "a/FooRequest.json").unlink()
    gone = working_files(opened)
    assert "a/FooRequest.json" not in gone.files
    assert gone.every_path is not None
    assert "a/FooRequest.json" not in gone.every_path()
    assert (found.unread, dict(found.places), dict(found.closed)) == ((), {}, {})


def test_a_text_that_differs_in_its_line_ends_only_has_the_digest_of_the_index(
    repo: Repo, opened: Repository
) -> None:
    repo.write("a/FooRequest.json", TEXT.replace("\n", "\r\n"))
    assert working_files(opened).files["a/FooRequest.json"] == blob(TEXT)
    other = TEXT.replace("\n", "\r\n") + " "
    repo.write("a/FooRequest.json", other)
    assert working_files(opened).files["a/FooRequest.json"] == blob(other)
    # A text with such line ends in the index has them.
    repo.git("-c", "core.autocrlf=false", "add", "-A")
    assert working_files(opened).files["a/FooRequest.json"] == blob(other)


def test_a_repository_with_long_names_has_long_digests(tmp_path: Path) -> None:
    folder = tmp_path / "long"
    folder.mkdir()
    repo = Repo.__new__(Repo)
    repo.folder = folder
    repo.git("init", "-q", "-b", "main", "--object-format=sha256")
    repo.write("FooRequest.json", TEXT)
    repo.commit()
    found = find_repository(folder)
    assert found is not None
    assert dict(working_files(found).files) == {"FooRequest.json": blob(TEXT, "sha256")}
    assert dict(index_files(found, str(folder)).files) == {"FooRequest.json": blob(TEXT, "sha256")}
    found.close()


def test_a_file_that_is_too_large_or_cannot_be_read_is_said(
    repo: Repo, opened: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(filesets, "MAX_TEXT", len(TEXT))
    found = working_files(opened)
    assert found.files["test/BarRequest.json"] == blob(TEXT + " ")
    assert texts(found)["test/BarRequest.json"] == "larger than any spec"
    assert texts(found)["a/FooRequest.json"] == TEXT.encode()
    repo.write("deep/FooRequest.json", TEXT)
    place = repo.folder / "a" / "FooRequest.json"
    real = filesets.read_regular

    def failing(path: str, limit: int | None = None) -> tuple[bool, bytes | None]:
        if path == str(place):
            raise InputError("Permission denied", path)
        return real(path, limit)

    monkeypatch.setattr(filesets, "read_regular", failing)
    found = working_files(opened)
    assert found.unread == ("a/FooRequest.json: Permission denied",)
    assert "a/FooRequest.json" not in found.files
    assert "deep/FooRequest.json" in found.files


def test_links_are_read_where_they_lead(repo: Repo, opened: Repository) -> None:
    (repo.folder / "b").symlink_to("a")
    (repo.folder / "LinkRequest.json").symlink_to("a/FooRequest.json")
    (repo.folder / "LostRequest.json").symlink_to("nowhere.json")
    for found in (working_files(opened), (repo.git("add", "-A"), index_files(opened, str(repo.folder)))[1]):
        assert found.files["b/FooRequest.json"] == found.files["LinkRequest.json"] == blob(TEXT)
        assert dict(found.places) == {
            "b/FooRequest.json": "a/FooRequest.json",
            "LinkRequest.json": "a/FooRequest.json",
        }
        assert texts(found)["LinkRequest.json"] == TEXT.encode()
        assert dict(found.closed) == {"LostRequest.json": "a link"}
        only = found.taken(lambda path: path.endswith("Request.json") and "/" not in path)
        assert list(only.files) == ["LinkRequest.json"]
        # What counts at its own path does not count again through a link.
        both = found.taken(lambda path: not path.startswith("test/"))
        assert list(both.files) == ["a/FooRequest.json"]
    # The files behind a link to a folder are not those of a folder.
    repo.write("a/deep/QuxRequest.json", "{}")
    repo.write("test/deep/QuxRequest.json", "{}")
    repo.commit()
    (repo.folder / "test" / "deep" / "QuxRequest.json").unlink()
    (repo.folder / "test" / "deep").rmdir()
    (repo.folder / "test" / "BarRequest.json").unlink()
    (repo.folder / "test").rmdir()
    (repo.folder / "test").symlink_to("a")
    later = working_files(opened)
    assert "test/BarRequest.json" not in later.files
    assert later.files["test/FooRequest.json"] == blob(TEXT)
    assert later.places["test/deep/QuxRequest.json"] == "a/deep/QuxRequest.json"


def test_a_submodule_is_closed(repo: Repo, opened: Repository, tmp_path: Path) -> None:
    inner = started(tmp_path / "inner")
    repo.git("submodule", "add", "-q", str(inner.folder), "sub")
    other = Repo(repo.folder / "own")
    other.write("FooRequest.json", TEXT)
    other.commit()
    assert dict(working_files(opened).closed) == {"sub": "a submodule", "own": "a submodule"}
    assert dict(index_files(opened, str(repo.folder)).closed) == {"sub": "a submodule"}


def test_what_a_sparse_working_tree_omits_is_still_there(repo: Repo, opened: Repository) -> None:
    repo.git("sparse-checkout", "set", "--no-cone", "/test/", "/.gitignore")
    assert not (repo.folder / "a").exists()
    found = working_files(opened)
    assert found.files["a/FooRequest.json"] == blob(TEXT)
    assert texts(found)["a/FooRequest.json"] == TEXT.encode()
    assert texts(found)["test/BarRequest.json"] == TEXT.encode() + b" "
    assert found.every_path is not None
    assert "a/FooRequest.json" not in found.every_path()


def test_the_index_has_what_is_staged(repo: Repo, opened: Repository) -> None:
    repo.write("a/FooRequest.json", TEXT + "\n")
    before = index_files(opened, str(repo.folder))
    assert before.files["a/FooRequest.json"] == blob(TEXT)
    repo.git("add", "-A")
    after = index_files(opened, str(repo.folder))
    assert after.files["a/FooRequest.json"] == blob(TEXT + "\n")
    assert texts(after)["a/FooRequest.json"] == (TEXT + "\n").encode()
    assert "build/BazRequest.json" not in after.files
    assert after.every_path is not None
    assert "build/BazRequest.json" in after.every_path() == index_paths(str(repo.folder))
    assert after.unread == ()


def test_the_attributes_of_each_side_are_listed(repo: Repo, opened: Repository) -> None:
    repo.write("a/.gitattributes", "*.json filter=x\n")
    repo.git("add", "-A")
    staged = index_files(opened, str(repo.folder)).attributes
    on_disk = working_files(opened).attributes
    committed = commit_files(opened.git, opened.git.resolve("HEAD")).attributes
    assert staged is not None
    assert on_disk is not None
    assert committed is not None
    assert staged().listed == on_disk().listed == {"a/.gitattributes": blob("*.json filter=x\n")}
    assert committed().listed == {}
    assert staged().values(["a/FooRequest.json"]) == {"a/FooRequest.json": {"filter": "x"}}
    assert [staged().is_checked_out, on_disk().is_checked_out] == [False, True]


def changes(repo: Repo, ref: str = "HEAD") -> dict[str, IndexChange]:
    return {change.path: change for change in index_changes(str(repo.folder), ref)[0]}


def test_the_changes_of_the_index(repo: Repo) -> None:
    assert changes(repo) == {}
    repo.write("a/FooRequest.json", TEXT + "\n")
    repo.write("new/BarRequest.json", "{}")
    repo.write("profile.toml", "")
    repo.write("words.txt", "")
    repo.write("build/x.json", "{}")
    repo.write("deep/.gitattributes", "")
    (repo.folder / "link").symlink_to("a")
    repo.git("rm", "-q", "--cached", "test/BarRequest.json")
    (repo.folder / "test/BarRequest.json").unlink()
    repo.git("add", "-A")
    repo.write("later/FooRequest.json", "{}")
    repo.git("add", "-N", "later")
    assert changes(repo) == {
        "a/FooRequest.json": IndexChange("a/FooRequest.json", blob(TEXT), blob(TEXT + "\n"), False),
        "new/BarRequest.json": IndexChange("new/BarRequest.json", None, blob("{}"), False, is_added=True),
        "profile.toml": IndexChange("profile.toml", None, blob(""), False, is_added=True),
        "test/BarRequest.json": IndexChange("test/BarRequest.json", blob(TEXT + " "), None, False),
        "deep/.gitattributes": IndexChange("deep/.gitattributes", None, blob(""), False, True, True),
        "link": IndexChange("link", None, None, False, True, True),
    }
    repo.commit()
    repo.git("rm", "-q", "link", "deep/.gitattributes")
    assert changes(repo) == {
        "link": IndexChange("link", None, None, False, True),
        "deep/.gitattributes": IndexChange("deep/.gitattributes", blob(""), None, False, True),
    }


def test_files_in_a_merge_conflict_are_unread(repo: Repo, opened: Repository) -> None:
    for name, text in (("other", "1"), ("main", "2")):
        repo.git("checkout", "-q", "-B", name, *(["HEAD~1"] if name == "main" else []))
        for path in ("a/FooRequest.json", "profile.toml", "words.txt"):
            repo.write(path, text)
        repo.commit()
    repo.git("merge", "-q", "other", check=False)
    found = index_files(opened, str(repo.folder))
    conflicts = ("a/FooRequest.json", "profile.toml")
    assert found.unread == tuple(f"{path}: this file has a merge conflict" for path in conflicts)
    assert "a/FooRequest.json" not in found.files
    unmerged = {path: change.is_unmerged for path, change in changes(repo).items()}
    assert unmerged == dict.fromkeys(conflicts, True)
    for read in (opened.git.text, lambda side, path: opened.git.existing(side, [path])):
        with pytest.raises(InputError, match=r"words\.txt: this file has a merge conflict"):
            read("", "words.txt")
