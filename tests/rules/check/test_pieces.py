"""Parts of the check by themselves: the command line, the scope, what could not be read, frozen releases."""

from __future__ import annotations

import hashlib
import json
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from tests.repositories import FOLDER, Repo, broken, request, response, started
from wirebook.rules.check.frozen import freeze, is_frozen, parse_frozen, read_frozen
from wirebook.rules.check.reading import ReadSide
from wirebook.rules.check.request import CheckRequest
from wirebook.rules.check.run import judge
from wirebook.rules.check.scope import Scope
from wirebook.rules.finding import Place
from wirebook.specs.problems import InputError, Position

# --- the command line -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("asked", "command"),
    [
        ({}, ""),
        ({"against": "HEAD"}, "--against HEAD"),
        ({"old": "a", "new": "b c"}, "--old a --new 'b c'"),
        (
            {"branch": "x", "config": Path("c.toml")},
            "--branch x --config c.toml",
        ),
        ({"released": ("v*", "w")}, "--released 'v*' --released w"),
        ({"staged": True}, "--staged"),
        ({"everything": True}, "--all"),
        ({"files": ("a", "$b")}, "a '$b'"),
        ({"verbose": True, "cwd": Path("x")}, ""),
        (
            {"files": ("a",), "against": "b", "staged": True, "released": ("c",)},
            "--against b --released c --staged a",
        ),
    ],
)
def test_a_request_is_a_command_line(asked: dict[str, Any], command: str) -> None:
    assert CheckRequest(**asked).command == f"wirebook check {command}".rstrip()


# --- what could not be read -------------------------------------------------------------------------------


def test_what_cannot_be_read_has_a_place_if_its_file_is_known() -> None:
    side = ReadSide()
    side.refuse(InputError("one", "a.json", Position(3, 7)))
    side.refuse(InputError("two", "b.json"))
    side.refuse(InputError("three"))
    assert side.unread == ["a.json:3:7: one", "b.json: two", "three"]
    assert side.places == {
        "a.json:3:7: one": Place("a.json", 3, 7),
        "b.json: two": Place("b.json", 1, 1),
    }


# --- the scope --------------------------------------------------------------------------------------------


@pytest.fixture
def repo(tmp_path: Path) -> Repo:
    made = started(tmp_path / "repo")
    (made.folder / "docs" / "deep").mkdir(parents=True)
    return made


def scope(repo: Repo, folder: str = ".", **asked: Any) -> Scope:
    with ExitStack() as stack:
        return Scope(CheckRequest(cwd=repo.folder / folder, **asked), stack)


@pytest.mark.parametrize(
    ("folder", "name", "path"),
    [
        (".", "a.json", "a.json"),
        (".", "./a/b.json", "a/b.json"),
        (".", ".", "."),
        ("docs", ".", "docs"),
        ("docs", "..", "."),
        ("docs", "../a.json", "a.json"),
        ("docs", "deep/", "docs/deep"),
        ("docs", "deep/..", "docs"),
        ("docs", "../../a.json", "../a.json"),
        ("docs/deep", "../../x/y.json", "x/y.json"),
    ],
)
def test_a_file_is_named_from_the_current_folder(repo: Repo, folder: str, name: str, path: str) -> None:
    assert scope(repo, folder).from_top(name) == path


def test_a_folder_that_is_a_link_is_followed_and_a_file_that_is_one_is_not(repo: Repo) -> None:
    (repo.folder / "link").symlink_to("docs")
    (repo.folder / "docs" / "a.json").symlink_to("b.json")
    assert scope(repo).from_top("link/a.json") == "docs/a.json"
    assert scope(repo, "link").from_top("a.json") == "docs/a.json"
    assert scope(repo).inside(repo.folder / "link" / "a.json") == "docs/a.json"
    assert scope(repo).inside(repo.folder / "docs" / ".." / "x") == "x"
    assert scope(repo).inside(repo.folder.parent / "x") is None
    assert scope(repo).inside(repo.folder.parent / "repo2" / "x") is None
    assert scope(repo).inside(repo.folder / "..x") == "..x"


@pytest.mark.parametrize(
    ("files", "wanted", "others"),
    [
        ((), ["a.json", "b/c.json"], []),
        ((".",), ["a.json", "b/c.json"], []),
        (("a.json",), ["a.json"], ["b/a.json", "a.jsonx"]),
        (("b",), ["b/c.json", "b/c/d.json"], ["bc/d.json", "a/b/c.json"]),
        (("b/", "a.json"), ["b/c.json", "a.json"], ["c.json"]),
    ],
)
def test_files_limit_a_check(
    repo: Repo, files: tuple[str, ...], wanted: list[str], others: list[str]
) -> None:
    made = scope(repo, files=files)
    assert [path for path in wanted if not made.wants(path)] == []
    assert [path for path in others if made.wants(path)] == []


def test_a_file_is_in_scope_by_its_configuration_or_its_name(repo: Repo) -> None:
    inside, test = f"{FOLDER}/A.json", "src/test/A.json"
    assert [scope(repo).takes(path) for path in (inside, test, "a.txt")] == [True, False, False]
    assert scope(repo, files=(test,)).takes(test)
    assert scope(repo, files=("a.txt",)).takes("a.txt")
    repo.write("wirebook.toml", 'paths = ["src/test"]\nexclude = ["B*"]\n')
    made = scope(repo)
    assert [made.takes(path) for path in (inside, test, "src/test/B.json")] == [False, True, False]
    # The registry lies beside what the paths name.
    registry = "api_versions.json"
    assert [made.takes(path) for path in (registry, f"src/{registry}")] == [True, True]
    repo.write("wirebook.toml", f'exclude = ["{registry}"]\n')
    assert not scope(repo).takes(registry)


def test_a_configuration_in_a_folder_counts_there(repo: Repo) -> None:
    repo.write("docs/wirebook.toml", 'exclude = ["deep"]\nbranch = "x"\n')
    assert scope(repo).config.branch.value is None
    for folder in ("docs", "docs/deep"):
        made = scope(repo, folder)
        assert made.config.branch.value == "x"
        assert made.config_folder == (repo.folder / "docs").resolve()
        assert [made.takes(path) for path in ("docs/deep/A.json", "deep/A.json")] == [False, True]
    other = scope(repo, config=Path("docs/wirebook.toml"))
    assert other.config.branch.value == "x"
    assert scope(repo, "docs", branch="y").config.branch.value == "y"


# --- frozen releases --------------------------------------------------------------------------------------


def text(**keys: Any) -> bytes:
    return json.dumps({**request(), **keys}).encode()


def content(*releases: tuple[str, str], days: dict[str, str] | None = None) -> bytes:
    """The file for some releases, each with the names of its specs."""
    made = [
        (name, [(f"{spec}.json", spec * 40, text(name=f"{spec}Request")) for spec in specs])
        for name, specs in releases
    ]
    return freeze(made, days)


def test_a_frozen_file_has_the_specs_of_each_release() -> None:
    frozen = parse_frozen(content(("1.0", "A"), ("1.1", "AB"), ("1.2", "B"), ("2.0", "AB")), "r.wirebook")
    assert frozen.releases == ("1.0", "1.1", "1.2", "2.0")
    paths = [[path for path, _, _ in frozen.texts(number, lambda path: True)] for number in range(4)]
    assert paths == [["A.json"], ["A.json", "B.json"], ["B.json"], ["A.json", "B.json"]]
    assert [path for path, *_ in frozen.texts(1, lambda path: path != "A.json")] == ["B.json"]
    (spec,) = frozen.specs[0]
    assert (spec.path, spec.digest) == ("A.json", "A" * 40)
    assert json.loads(spec.text)["name"] == "ARequest"
    assert b"about" not in spec.text
    ranges = [
        json.loads(line)["releases"]
        for line in content(("1", "A"), ("2", "B"), ("3", "A"), ("4", "A")).splitlines()[1:]
    ]
    assert ranges == [[[0, 0], [2, 3]], [[1, 1]]]


def test_a_frozen_file_has_the_days_that_are_known() -> None:
    made = content(("1.0", "A"), ("1.1", "A"), days={"1.1": "2024-02-29"})
    frozen = parse_frozen(made, "r.wirebook")
    assert [frozen.day(name) for name in ("1.0", "1.1", "9.9")] == ["", "2024-02-29", ""]
    assert b'"days"' not in content(("1.0", "A"), days={})
    assert frozen.key == hashlib.sha256(made).hexdigest()
    with pytest.raises(InputError, match="r: this frozen baseline is damaged"):
        parse_frozen(made.replace(b"2024-02-29", b"2024-02-30"), "r")


def test_releases_without_specs_are_not_frozen() -> None:
    with pytest.raises(InputError, match="there are no message specs in these releases"):
        content(("1.0", ""), ("1.1", ""))
    assert parse_frozen(content(("1.0", ""), ("1.1", "A")), "r").releases == ("1.0", "1.1")
    with pytest.raises(InputError, match=r"a\.json:1:"):
        freeze([("1.0", [("a.json", "x", b"{")])])


def headed(body: bytes, **keys: Any) -> bytes:
    head = {"schema": "wirebook/released/1", "sha256": hashlib.sha256(body).hexdigest(), "bytes": len(body)}
    head |= {"releases": ["1.0"], **keys}
    return json.dumps(head, separators=(",", ":")).encode() + b"\n" + body


LINE = b'{"path":"A.json","digest":"x","releases":[[0,0]],"spec":{}}\n'


@pytest.mark.parametrize(
    ("made", "words"),
    [
        (headed(LINE, schema="wirebook/released/3"), "is of version 3, not 2"),
        (headed(LINE, bytes="9"), "is truncated"),
        (headed(LINE, bytes=len(LINE) + 1), "is truncated"),
        (headed(LINE, sha256="0"), "is damaged"),
        (headed(LINE, releases=[]), "is damaged"),
        (headed(LINE, releases=7), "is damaged"),
        (headed(LINE, days=["1.0"]), "is damaged"),
        (headed(LINE, days={"1.0": 7}), "is damaged"),
        (b'{"schema":"wirebook/released/1"}', "is truncated"),
        (b'{"schema":"wirebook/released/1"}\n', "is damaged"),
        (b'{"schema":"wirebook/released/3"\n', "is of version 3, not 2"),
        (b'{"schema":"wirebook/released/3"', "is truncated"),
        (b'{"schema":"wirebook/released/x"\n', "is damaged"),
    ],
)
def test_a_file_that_is_no_frozen_baseline_says_why(made: bytes, words: str) -> None:
    with pytest.raises(InputError) as error:
        parse_frozen(made, "r")
    assert (error.value.path, words in error.value.message) == ("r", True)


@pytest.mark.parametrize("releases", ["[[0,1]]", "[[1,1]]", '[["0",0]]', "[0]", "[[0]]"])
def test_a_spec_belongs_to_releases_of_the_file(releases: str) -> None:
    frozen = parse_frozen(headed(LINE.replace(b"[[0,0]]", releases.encode())), "r")
    with pytest.raises(InputError, match="this frozen baseline is damaged"):
        assert frozen.specs
    assert len(parse_frozen(headed(LINE), "r").specs[0]) == 1


def test_a_frozen_file_is_known_by_its_beginning_or_its_name(tmp_path: Path) -> None:
    place = tmp_path / "r.json"
    for head, known in ((b'{"schema":"wirebook/released/9"}', True), (b'{"schema":"other"}', False)):
        place.write_bytes(head)
        assert is_frozen(place) == known
    (tmp_path / "r.wirebook").write_bytes(b"")
    assert is_frozen(tmp_path / "r.wirebook")
    assert not is_frozen(tmp_path / "none.wirebook")
    (tmp_path / "f.wirebook").mkdir()
    assert not is_frozen(tmp_path / "f.wirebook")
    place.write_bytes(content(("1.0", "A")))
    assert read_frozen(place, "shown").path == "shown"


def test_a_frozen_file_stands_for_its_releases(repo: Repo, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(repo.folder.parent / "cache"))
    specs = [
        (f"{FOLDER}/Fetch{kind}.json", kind * 9, json.dumps(spec).encode())
        for kind, spec in (("Request", request()), ("Response", response()))
    ]
    (repo.folder / "old.wirebook").write_bytes(freeze([("1.0", []), ("1.1", specs)]))
    repo.spec(broken())
    for _ in range(2):
        found = judge(CheckRequest(cwd=repo.folder, against="HEAD", released=("old.wirebook",), verbose=True))
        assert [item.released_in for item in found.report.findings] == ["1.1"]
        assert "released: 2 releases (1.0 to 1.1)" in found.report.compared
        assert found.report.notices == ("no message specs in: 1.0",)
