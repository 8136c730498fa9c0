"""Links of a tree, and files that git converts, without a repository."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from wirebook.specs.problems import InputError
from wirebook.specs.sources import links as link_reader
from wirebook.specs.sources.git_objects import LINK, SUBMODULE, TreeEntry
from wirebook.specs.sources.links import LinkedFiles, linked_files, linked_on_disk


def linked(links: Mapping[str, str], *files: str) -> LinkedFiles:
    """The files behind links of a tree with these files; each file has its own path as its object."""
    entries = {name.encode(): TreeEntry("100644", name) for name in files}
    entries |= {name.encode(): TreeEntry(LINK, name) for name in links}
    targets = {name.encode(): target.encode() for name, target in links.items() if target}
    return linked_files(entries, targets, "tree")


@pytest.mark.parametrize(
    ("links", "expected"),
    [
        ({"b.json": "a.json"}, {"b.json": "a.json"}),
        ({"x/b.json": "../a.json"}, {"x/b.json": "a.json"}),
        ({"x/b.json": ".././/a.json"}, {"x/b.json": "a.json"}),
        ({"x": "in"}, {"x/c.json": "in/c.json"}),
        ({"x": "in", "b.json": "x/c.json"}, {"b.json": "in/c.json", "x/c.json": "in/c.json"}),
        # What is no spec by its name is not read.
        ({"b.txt": "a.json"}, {}),
    ],
)
def test_files_are_read_through_links(links: dict[str, str], expected: dict[str, str]) -> None:
    found = linked(links, "a.json", "in/c.json")
    assert found.objects == found.places == expected
    assert found.lost == ()


@pytest.mark.parametrize("target", ["../a.json", "/a.json", "b.json", "none.json", "x/../../a.json"])
def test_a_link_to_nothing_or_out_of_the_tree_is_lost(target: str) -> None:
    found = linked({"b.json": target}, "a.json")
    assert found == LinkedFiles({}, {}, ("b.json",))


DEEP = {"x": "d0", **{f"d{number}/next": f"../d{number + 1}" for number in range(5)}}


def on_disk(top: Path, links: Mapping[str, str], *files: str) -> dict[str, str]:
    """The files behind links below a folder, by their own paths."""
    for path in (*files, *links):
        (top / path).parent.mkdir(parents=True, exist_ok=True)
    for path in files:
        (top / path).write_text(path)
    for path, target in links.items():
        (top / path).symlink_to(target)
    behind_links = linked_on_disk(str(top), {path: str(top / path) for path in links})
    return {path: str(Path(file).relative_to(top)) for path, file in behind_links.items()}


@pytest.mark.parametrize(
    ("links", "files"),
    [
        ({"b.json": "a.json", "x/b.json": "../a.json"}, ["a.json"]),
        ({"x": "in", "b.json": "x/c.json"}, ["in/c.json", "in/deep/d.json"]),
        ({"x": "in", "in/b.json": "c.json"}, ["in/c.json"]),
        ({"b.json": "none.json", "x": "../outside"}, ["a.json"]),
        # The name of a folder may begin with that of another.
        ({"ab/in": "../a"}, ["a/f.json"]),
        (DEEP, [f"d{number}/f.json" for number in range(6)]),
    ],
)
def test_links_on_disk_lead_where_those_of_a_tree_do(
    tmp_path: Path, links: dict[str, str], files: list[str]
) -> None:
    assert on_disk(tmp_path / "top", links, *files) == linked(links, *files).objects


def test_a_link_out_of_the_folder_is_refused_on_disk(tmp_path: Path) -> None:
    (tmp_path / "top2").mkdir()
    for target in ("../top2", "/"):
        with pytest.raises(InputError, match="this link leads out of the folder"):
            on_disk(tmp_path / "top", {f"x{len(target)}": target}, "a/f.json")


def test_a_link_to_a_folder_around_it_is_not_followed_on_disk(tmp_path: Path) -> None:
    assert on_disk(tmp_path, {"d/up": "..", "y": "d"}, "d/f.json") == {"y/f.json": "d/f.json"}


def chain(length: int) -> dict[str, str]:
    """Links of which each leads to the next, the last one to a file."""
    names = [f"l{number}.json" for number in range(length)]
    return dict(zip(names, [*names[1:], "a.json"], strict=True))


def test_a_path_may_go_through_forty_links() -> None:
    assert linked(chain(40), "a.json").lost == ()
    assert linked(chain(41), "a.json").lost == ("l0.json",)


def test_links_inside_a_linked_folder_are_followed_three_times() -> None:
    found = linked(DEEP, *(f"d{number}/f.json" for number in range(6)))
    assert [path for path in found.objects if path.startswith("x/")] == [
        "x/f.json",
        "x/next/f.json",
        "x/next/next/f.json",
        "x/next/next/next/f.json",
    ]
    # A link to a folder around it would not end.
    assert linked({"d/up": "..", "y": "d"}, "d/f.json").objects["y/f.json"] == "d/f.json"


def test_submodules_have_no_files() -> None:
    entries = {
        b"d/f.json": TreeEntry("100644", "1"),
        b"d/sub.json": TreeEntry(SUBMODULE, "2"),
        b"x": TreeEntry(LINK, "3"),
    }
    assert linked_files(entries, {b"x": b"d"}, "tree").objects == {"x/f.json": "1"}


def test_too_many_files_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    files = [f"d/{number}.json" for number in range(4)]
    monkeypatch.setattr(link_reader, "MAX_FILES", 4)
    assert len(linked({"x": "d"}, *files).objects) == 4
    monkeypatch.setattr(link_reader, "MAX_FILES", 3)
    with pytest.raises(InputError, match="lead to more than"):
        linked({"x": "d"}, *files)
    monkeypatch.undo()
    monkeypatch.setattr(link_reader, "_STEPS", 4)
    assert len(linked({"x": "d"}, *files).objects) == 4
    monkeypatch.setattr(link_reader, "_STEPS", 3)
    with pytest.raises(InputError, match="lead to more than"):
        linked({"x": "d"}, *files)


def test_links_on_disk_lead_to_a_limited_number_of_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # A folder counts with itself, its folders and its files: 1 + 2 + 1, and 1 + 0 + 1 for each below.
    files = ["in/f.json", "in/a/f.json", "in/b/f.json"]
    monkeypatch.setattr(link_reader, "_STEPS", 8)
    assert len(on_disk(tmp_path / "one", {"x": "in"}, *files)) == 3
    for name in ("_STEPS", "MAX_FILES"):
        with monkeypatch.context() as patch:
            patch.setattr(link_reader, name, 7)
            with pytest.raises(InputError, match="lead to more than"):
                on_disk(tmp_path / name, {"x": "in"}, *files)
