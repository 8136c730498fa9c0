"""Trees as git stores them: which entries count, and bytes that are no tree."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import pytest

from wirebook.specs.limits import MAX_FOLDERS
from wirebook.specs.problems import InputError
from wirebook.specs.sources import git_trees
from wirebook.specs.sources.git_objects import GitObject
from wirebook.specs.sources.git_trees import TreeFiles, TreeReader


class Objects:
    """Objects in memory, which notes the names that are asked for."""

    path = "repo"

    def __init__(self, trees: dict[str, bytes]) -> None:
        self.trees = trees
        self.asked: list[str] = []

    def query(self, names: Iterable[str]) -> Iterator[GitObject]:
        for name in names:
            self.asked.append(name)
            yield GitObject(name, "tree" if name in self.trees else "", self.trees.get(name, b""))

    def damaged(self, name: str) -> InputError:
        return InputError(f"{name} is damaged", self.path)


def digest(number: int, width: int = 20) -> str:
    return f"{number:0{2 * width}x}"


def entry(mode: str, name: str, number: int, width: int = 20) -> bytes:
    return f"{mode} {name}".encode() + b"\0" + bytes.fromhex(digest(number, width))


def files(trees: dict[int, bytes], *, tests: bool = False, width: int = 20) -> TreeFiles:
    """The files of the tree with the number 1."""
    reader = TreeReader(Objects({digest(at, width): data for at, data in trees.items()}))  # type: ignore[arg-type]
    return reader.files(digest(1, width), "the tree", tests=tests)


@pytest.mark.parametrize("width", [20, 32])
def test_the_entries_that_count(width: int) -> None:
    tree = b"".join(
        entry(*row, width)
        for row in [
            ("100644", "a.json", 10),
            ("100755", "b.json", 11),
            ("100644", "c.txt", 12),
            ("100644", ".gitattributes", 13),
            ("120000", "link", 14),
            ("120000", "link.json", 15),
            ("120000", "build", 16),
            ("160000", "sub", 17),
            ("160000", ".sub", 18),
            ("40000", "in", 2),
            ("040000", "old", 2),
            ("40000", "build", 3),
            ("40000", "test", 4),
            ("10644", "odd.json", 19),
            # git takes other bits for the nearest mode that it writes.
            ("100600", "e.json", 23),
            ("120777", "odd", 24),
            ("40755", "more", 2),
            ("1000644", "f.json", 25),
            ("1" + "0" * 30 + "100644", "g.json", 26),
        ]
    )
    inner = entry("100644", "d.json", 20, width) + entry("160000", "deep", 21, width)
    trees = {1: tree, 2: inner, 3: inner, 4: entry("100644", "t.json", 22, width)}
    plain, tested = files(trees, width=width), files(trees, tests=True, width=width)
    expected = {"a.json": 10, "b.json": 11, "in/d.json": 20, "old/d.json": 20, "e.json": 23}
    expected |= {"more/d.json": 20, "g.json": 26}
    assert plain.files == {path: digest(number, width) for path, number in expected.items()}
    assert tested.files == plain.files | {"test/t.json": digest(22, width)}
    assert plain.attributes == {".gitattributes": digest(13, width)}
    assert plain.submodules == ("sub", "in/deep", "old/deep", "odd.json", "more/deep", "f.json")
    assert plain.has_links


def test_only_links_in_the_place_of_specs_or_folders_are_links() -> None:
    assert not files({1: entry("120000", "build", 9)}).has_links
    assert not files({1: entry("160000", "sub", 9)}).has_links
    assert files({1: entry("120777", "link", 9)}).has_links
    assert files({1: entry("120000", "x", 9) + entry("100644", "a.json", 9)}).has_links
    assert not files({1: b""}).has_links


@pytest.mark.parametrize(
    "data",
    [
        b" a.json\0" + bytes(20),
        b"100644a.json\0" + bytes(20),
        b"100648 a.json\0" + bytes(20),
        b"-100644 a.json\0" + bytes(20),
        b"100644 a.json",
        b"100644 a.json\0" + bytes(19),
        b"\x00100644 a.json" + bytes(20),
        b"100644 a.json\0" + bytes(20) + b"x",
        b"100644 a.json\0" + bytes(21),
    ],
)
def test_bytes_that_are_no_tree_are_damaged(data: bytes) -> None:
    with pytest.raises(InputError) as caught:
        files({1: data})
    assert str(caught.value) == f"repo: {digest(1)} is damaged"
    assert files({1: b"100644 a.json\0" + bytes(20)}).files == {"a.json": "00" * 20}
    with pytest.raises(InputError, match=f"{digest(2)} is damaged"):
        files({1: entry("40000", "missing", 2)})


def test_a_tree_is_read_once_and_one_without_specs_is_not_walked() -> None:
    trees = {
        1: entry("40000", "a", 2) + entry("40000", "b", 2) + entry("40000", "c", 3),
        2: entry("100644", "x.json", 9),
        3: entry("40000", "d", 4),
        4: entry("100644", "y.txt", 9),
    }
    objects = Objects({digest(at): data for at, data in trees.items()})
    reader = TreeReader(objects)  # type: ignore[arg-type]
    for _ in range(2):
        assert list(reader.files(digest(1), "the tree", tests=False).files) == ["a/x.json", "b/x.json"]
    assert objects.asked == [digest(number) for number in (1, 2, 3, 4)]
    reader.files(digest(1), "the tree", tests=True)
    assert len(objects.asked) == 8


def test_limits_of_a_tree(monkeypatch: pytest.MonkeyPatch) -> None:
    many = b"".join(entry("100644", f"{number}.json", number) for number in range(3))
    monkeypatch.setattr(git_trees, "MAX_FILES", 3)
    assert len(files({1: many}).files) == 3
    with pytest.raises(InputError, match=r"^repo: the tree has more than 3 JSON files$"):
        files({1: many + entry("100644", "x.json", 9)})
    with pytest.raises(InputError, match=r"^repo: 'a.json' is in it twice$"):
        files({1: entry("100644", "a.json", 1) * 2})


@pytest.mark.parametrize(("depth", "is_read"), [(MAX_FOLDERS, True), (MAX_FOLDERS + 1, False)])
def test_folders_are_nested_up_to_a_limit(depth: int, is_read: bool) -> None:
    trees = {number: entry("40000", "d", number + 1) for number in range(1, depth + 1)}
    trees[depth + 1] = entry("100644", "a.json", 9)
    if is_read:
        assert files(trees).files == {"d/" * depth + "a.json": digest(9)}
    else:
        with pytest.raises(InputError, match="folders are nested more than 100 deep in it"):
            files(trees)
