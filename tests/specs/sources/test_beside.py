"""Files beside specs: where they are looked for, which one counts, and which are out of reach."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.repositories import Repo
from wirebook.specs.limits import MAX_TEXT
from wirebook.specs.problems import InputError
from wirebook.specs.sources import beside
from wirebook.specs.sources.beside import (
    folders_above,
    nearest_beside,
    places_beside,
    registry_text,
    text_beside,
    texts_beside,
)
from wirebook.specs.sources.git import GitRepo
from wirebook.specs.sources.source import Source, open_source


@pytest.fixture
def repo(tmp_path: Path) -> Repo:
    made = Repo(tmp_path / "repo")
    for name in ("x.toml", "a/x.toml", "a/b/y.toml", "a/b/c/F.json", "a/api_versions.json"):
        made.write(name, name)
    made.commit()
    return made


def sources(repo: Repo, below: str) -> list[Source]:
    """A folder of the working tree, and the same folder of a commit."""
    folder = repo.folder / below if below else repo.folder
    commit = repo.git("rev-parse", "HEAD")
    return [
        Source("directory", str(folder), ""),
        Source("git", str(repo.folder), "", commit, below, repository=GitRepo(repo.folder)),
        Source("git", str(repo.folder), "", None, below, repository=GitRepo(repo.folder)),
    ]


@pytest.mark.parametrize(("below", "number"), [("", 0), ("a", 1), ("a/b/c", 3)])
def test_the_folders_above_belong_to_the_repository(
    repo: Repo, below: str, number: int, tmp_path: Path
) -> None:
    for source in sources(repo, below):
        assert folders_above(source) == number
    assert folders_above(Source("git", "", "", None, f"/{below}/")) == number
    assert folders_above(Source("directory", str(tmp_path), "")) == 0
    assert folders_above(Source("archive", str(repo.folder / "a"), "")) == 0


def test_places_are_listed_from_the_nearest(repo: Repo) -> None:
    for source in sources(repo, "a/b"):
        assert places_beside(source, ["c/d/F.json", "c/G.json", "H.json"], "x") == [
            "c/d/x", "c/x", "x", "../x", "../../x",
        ]  # fmt: skip


def test_a_file_is_read_by_its_place(repo: Repo) -> None:
    for source in sources(repo, "a/b"):
        places = ["../../x.toml", "y.toml", "z.toml", "../x.toml"]
        found = [(text.path, text.text) for text in texts_beside(source, places)]
        assert found == [
            ("../../x.toml", b"x.toml"),
            ("y.toml", b"a/b/y.toml"),
            ("../x.toml", b"a/x.toml"),
        ]
    for source in sources(repo, ""):
        found = [(text.path, text.text) for text in texts_beside(source, ["a/x.toml", "q", "x.toml"])]
        assert found == [("a/x.toml", b"a/x.toml"), ("x.toml", b"x.toml")]
    assert list(texts_beside(Source("archive", str(repo.folder), ""), ["x.toml"])) == []
    assert list(texts_beside(Source("git", str(repo.folder), ""), ["x.toml"])) == []
    assert text_beside(repo.folder / "a", "x.toml") == b"a/x.toml"
    assert text_beside(repo.folder / "a", "z.toml") is None


def test_the_nearest_of_each_name_counts(repo: Repo) -> None:
    for source in sources(repo, ""):
        found = nearest_beside(source, ["a/b/c/F.json"], "x.toml", "y.toml", "z.toml")
        assert [text.path for text in found] == ["a/b/y.toml", "a/x.toml"]
        registry = registry_text(source, ["a/b/c/F.json"])
        assert registry is not None
        assert registry.path == "a/api_versions.json"
        assert registry_text(source, ["F.json"]) is None


def test_what_is_outside_is_not_read(repo: Repo, tmp_path: Path) -> None:
    (tmp_path / "secret.toml").write_text("secret")
    (repo.folder / "out.toml").symlink_to("../secret.toml")
    (repo.folder / "in.toml").symlink_to("a/x.toml")
    (repo.folder / "loop.toml").symlink_to("loop.toml")
    (repo.folder / "missing.toml").symlink_to("nothing")
    (repo.folder / "folder.toml").mkdir()
    os.mkfifo(repo.folder / "pipe.toml")
    outside = "this is outside the repository, or outside the folder of the specs"
    for place, words in (
        ("out.toml", outside),
        ("../secret.toml", outside),
        ("loop.toml", "links lead in a circle"),
        ("folder.toml", "this is not a regular file"),
        ("pipe.toml", "this is not a regular file"),
    ):
        with pytest.raises(InputError) as caught:
            text_beside(repo.folder, place)
        assert str(caught.value) in (f"{place}: {words}", f"{place}: {os.strerror(40)}")
    assert text_beside(repo.folder, "in.toml") == b"a/x.toml"
    assert text_beside(repo.folder, "missing.toml") is None
    # Without a repository, the folder of the specs is the top.
    plain = tmp_path / "plain" / "specs"
    plain.mkdir(parents=True)
    (plain.parent / "x.toml").write_text("x")
    (plain / "x.toml").write_text("y")
    assert text_beside(plain, "x.toml") == b"y"
    with pytest.raises(InputError, match=outside):
        text_beside(plain, "../x.toml")


def test_a_file_that_is_too_large_is_refused(repo: Repo, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(beside, "MAX_TEXT", 6)
    assert text_beside(repo.folder, "x.toml") == b"x.toml"
    monkeypatch.setattr(beside, "MAX_TEXT", 5)
    with pytest.raises(InputError, match=r"^x.toml: this is larger than 0 MiB$"):
        text_beside(repo.folder, "x.toml")
    repo.write("large.toml", b"x" * (MAX_TEXT + 1))
    repo.commit()
    with pytest.raises(InputError, match=r"large\.toml: larger than 16 MiB"):
        list(texts_beside(open_source(f"{repo.folder}@main"), ["large.toml"]))


def test_links_of_a_commit_are_followed(repo: Repo, tmp_path: Path) -> None:
    (repo.folder / "a/b/in.toml").symlink_to("../x.toml")
    (repo.folder / "missing.toml").symlink_to("nothing")
    repo.commit()
    for source in sources(repo, "a"):
        assert [text.text for text in texts_beside(source, ["b/in.toml", "../missing.toml"])] == [b"a/x.toml"]
    (repo.folder / "out.toml").symlink_to("../secret.toml")
    repo.commit()
    with pytest.raises(InputError, match="outside the repository"):
        list(texts_beside(open_source(f"{repo.folder}@main"), ["out.toml"]))
