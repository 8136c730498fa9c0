"""The answers of git about objects: complete, cut off, missing, or of another kind."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.repositories import Repo
from wirebook.specs.problems import InputError
from wirebook.specs.sources import git_objects
from wirebook.specs.sources.git_objects import _AHEAD, ObjectReader


@pytest.fixture
def repo(tmp_path: Path) -> Repo:
    made = Repo(tmp_path / "repo")
    for number in range(2 * _AHEAD + 1):
        made.write(f"{number}.json", str(number))
    made.commit()
    return made


@pytest.fixture
def reader(repo: Repo) -> Iterator[ObjectReader]:
    made = ObjectReader(repo.folder)
    yield made
    made.close()


@pytest.mark.parametrize("count", [0, 1, _AHEAD - 1, _AHEAD, _AHEAD + 1, 2 * _AHEAD + 1])
def test_objects_are_answered_in_order(reader: ObjectReader, count: int) -> None:
    found = list(reader.query(f"HEAD:{number}.json" for number in range(count)))
    assert [item.data for item in found] == [str(number).encode() for number in range(count)]
    assert all(item.kind == "blob" and item.is_complete and len(item.name) == 40 for item in found)
    assert reader.is_running is (count > 0)


def test_a_caller_may_stop_and_ask_again(reader: ObjectReader) -> None:
    names = [f"HEAD:{number}.json" for number in range(2 * _AHEAD)]
    for item in reader.query(names):
        assert item.data == b"0"
        break
    assert reader.query_one("HEAD:7.json").data == b"7"


def test_each_kind_and_what_is_missing(reader: ObjectReader, repo: Repo) -> None:
    repo.git("tag", "-a", "-m", "x", "1.0")
    names = ["HEAD", "HEAD^{tree}", "1.0", "HEAD:0.json", "nothing", "HEAD:none", "0" * 40]
    assert [item.kind for item in reader.query(names)] == ["commit", "tree", "tag", "blob", "", "", ""]
    missing = reader.query_one("nothing")
    assert (missing.name, missing.data, missing.is_complete) == ("nothing", b"", True)


def test_of_a_large_text_only_the_beginning_is_read(
    reader: ObjectReader, repo: Repo, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(git_objects, "MAX_TEXT", 5)
    monkeypatch.setattr(git_objects, "HEAD", 3)
    for text in ("12345", "123456", "1" * 1000):
        repo.write("x", text)
        repo.commit()
        item, after = reader.query([repo.git("rev-parse", "HEAD:x"), "HEAD:0.json"])
        assert (item.data.decode(), item.is_complete) == (text if len(text) < 6 else text[:3], len(text) < 6)
        assert after.data == b"0"


def test_a_damaged_object_is_that_of_a_partial_clone_or_named(repo: Repo) -> None:
    reader = ObjectReader(repo.folder)
    assert str(reader.damaged("x")) == f"{repo.folder}: the object x is missing or damaged"
    repo.git("config", "remote.origin.promisor", "true")
    # A repository is asked once.
    assert "damaged" in reader.damaged("y").message
    words = "this is a partial clone that lacks some texts; to get them: git fetch --refetch --no-filter"
    assert ObjectReader(repo.folder).damaged("x").message == words


def test_a_reader_can_be_closed_twice_and_opened_again(reader: ObjectReader, repo: Repo) -> None:
    assert not reader.is_running
    reader.close()
    assert reader.query_one("HEAD").kind == "commit"
    assert reader.is_running
    assert not reader.is_bundle
    reader.close()
    reader.close()
    assert not reader.is_running
    assert reader.query_one("HEAD").kind == "commit"
    with pytest.raises(InputError, match="there is no such repository"):
        ObjectReader(repo.folder / "none").query_one("HEAD")


def test_a_bundle_is_unpacked_until_it_is_closed(repo: Repo, tmp_path: Path) -> None:
    path = tmp_path / "a.bundle"
    repo.git("bundle", "create", "-q", str(path), "--all", "HEAD")
    reader = ObjectReader(path)
    assert not reader.is_bundle
    folder = reader.folder
    assert (reader.is_bundle, reader.folder, folder.is_dir()) == (True, folder, True)
    assert reader.query_one("main:0.json").data == b"0"
    reader.close()
    assert (reader.is_bundle, folder.exists()) == (False, False)
    path.write_bytes(b"words")
    with pytest.raises(InputError, match="this git bundle cannot be read"):
        reader.query_one("HEAD")
    assert not reader.is_bundle


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (b"", "git: git stopped"),
        (b"\n", "git: git stopped"),
        (b"abc blob 3", "git: git stopped"),
        (b"abc blob 3\nab", "git: git stopped"),
        (b"abc blob 3\nabc", "git: git stopped"),
        (b"HEAD ambiguous\n", '"HEAD" is the beginning of several names'),
    ],
)
def test_an_answer_that_is_cut_off(reader: ObjectReader, answer: bytes, words: str, tmp_path: Path) -> None:
    place = tmp_path / "answer"
    place.write_bytes(answer)
    assert reader.query_one("HEAD").kind == "commit"
    reader._answers = place.open("rb")
    with pytest.raises(InputError) as caught:
        reader.query_one("HEAD")
    assert caught.value.message == words
    # A process that has died is started again.
    assert "several" in words or reader.query_one("HEAD").kind == "commit"


@pytest.mark.parametrize("answer", [b"HEAD missing\n", b"abc blob\n", b"abc blob x\n", b"abc word 3\n"])
def test_other_answers_are_a_missing_object(reader: ObjectReader, answer: bytes, tmp_path: Path) -> None:
    place = tmp_path / "answer"
    place.write_bytes(answer)
    assert reader.query_one("HEAD").kind == "commit"
    reader._answers = place.open("rb")
    assert reader.query_one("HEAD") == ("HEAD", "", b"", True)


def test_another_object_than_the_one_of_a_full_name_is_noticed(reader: ObjectReader, tmp_path: Path) -> None:
    assert reader.query_one("HEAD").kind == "commit"
    name, other = "a" * 40, "b" * 40
    for asked, answer, is_right in (
        (name, name, True),
        (name, other, False),
        ("a" * 39, other, True),
        ("g" * 40, other, True),
    ):
        place = tmp_path / "answer"
        place.write_bytes(answer.encode() + b" blob 1\nx\n")
        assert reader.query_one("HEAD").kind == "commit"
        reader._answers = place.open("rb")
        if is_right:
            assert reader.query_one(asked) == (answer, "blob", b"x", True)
        else:
            with pytest.raises(InputError, match="git stopped"):
                reader.query_one(asked)
        reader.close()
