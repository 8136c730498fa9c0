"""Settings with every key explained, and fixes applied to texts, part by part."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path
from typing import Any

import pytest

from tests.rules.reports import some_finding
from wirebook.rules.authoring.explained import explained, toml
from wirebook.rules.authoring.fixing import FixedFile, diff, fixes_of, write_fixes
from wirebook.rules.finding import Finding, Repair
from wirebook.specs.problems import InputError
from wirebook.specs.reading.reader import read_message

BOM = b"\xef\xbb\xbf"
SCHEMA = {
    "properties": {
        "table": {"description": "A table.", "examples": [{"a": 1, "b": ["x"]}]},
        "word": {"description": "A word.", "default": "plain", "examples": ["other"]},
        "list": {"description": "A list.", "default": [], "examples": [["a", "b"]]},
        "tables": {"description": "Tables.", "examples": [[{"name": "x"}, {"name": "y"}]]},
        "flag": {"description": "A flag.", "default": False, "examples": [True]},
        "number": {"description": "A number.", "default": 0, "examples": [1]},
        "none": {"description": "None.", "default": None, "examples": ["z"]},
    }
}


def test_every_key_is_explained_and_tables_come_last() -> None:
    assert explained(SCHEMA, {}).split("\n\n") == [
        '# A word.\n# word = "plain"',
        '# A list.\n# list = ["a", "b"]',
        "# A flag.\n# flag = false",
        "# A number.\n# number = 0",
        '# None.\n# none = "z"',
        '# A table.\n# [table]\n# a = 1\n# b = ["x"]',
        '# Tables.\n# [[tables]]\n# name = "x"\n# [[tables]]\n# name = "y"\n',
    ]


def test_keys_that_are_given_have_effect() -> None:
    text = explained(SCHEMA, {"word": "ours", "list": [], "tables": [{"name": "z"}], "table": {"a": True}})
    assert tomllib.loads(text) == {
        "word": "ours",
        "list": [],
        "tables": [{"name": "z"}],
        "table": {"a": True},
    }
    assert '# A word.\nword = "ours"\n' in text


@pytest.mark.parametrize(("words", "lines"), [(49, 1), (50, 2), (98, 2), (99, 3)])
def test_a_description_is_wrapped_at_a_hundred_characters(words: int, lines: int) -> None:
    text = explained({"properties": {"a": {"description": " ".join("x" * words), "default": "y"}}}, {})
    shown = text.splitlines()[:-1]
    assert len(shown) == lines
    assert max(map(len, shown)) <= 100


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("é\t", '"é\\t"'),
        (True, "true"),
        (7, "7"),
        ([], "[]"),
        (["a", 1], '["a", 1]'),
        ({"a": 1, "b": [{"c": "d"}]}, '{ a = 1, b = [{ c = "d" }] }'),
    ],
)
def test_a_value_is_one_line_of_toml(value: object, text: str) -> None:
    assert toml(value) == text
    assert tomllib.loads(f"x = {text}") == {"x": value}


# --- fixes ------------------------------------------------------------------------------------------------

SPEC = '{\n  "type": "data",\n  "name": "Foo",\n  "validVersions": "0-1",\n  "fields": []\n}\n'


def repaired(folder: Path, *changes: tuple[str, Any], path: str = "a.json", **more: Any) -> Finding:
    """A finding whose repairs set keys of a spec."""
    place = folder / path
    if not place.exists():
        place.write_text(SPEC)
    node = read_message(place.read_bytes(), path, strict=False).written
    made = tuple(Repair(path, node, key, value, "validVersions") for key, value in changes)
    return some_finding(repairs=made, **more)


def test_repairs_change_keys_and_nothing_else(tmp_path: Path) -> None:
    found = repaired(tmp_path, ("validVersions", "0-2"), ("flexibleVersions", "none"))
    fixes = fixes_of([found], tmp_path)
    assert fixes.findings == (found,)
    (item,) = fixes.files
    assert (item.path, item.file, item.before) == ("a.json", tmp_path / "a.json", SPEC)
    assert json.loads(item.after) == {**json.loads(SPEC), "validVersions": "0-2", "flexibleVersions": "none"}
    assert list(json.loads(item.after))[2:4] == ["validVersions", "flexibleVersions"]
    assert (tmp_path / "a.json").read_text() == SPEC
    write_fixes(fixes.files)
    assert (tmp_path / "a.json").read_text() == item.after


def test_findings_without_repairs_and_waived_ones_stay(tmp_path: Path) -> None:
    found = repaired(tmp_path, ("validVersions", "0-2"))
    assert fixes_of([found._replace(waived="so"), found._replace(repairs=())], tmp_path) == ((), (), ())


def test_the_first_of_two_that_contradict_each_other_is_applied(tmp_path: Path) -> None:
    first = repaired(tmp_path, ("validVersions", "0-2"))
    second = repaired(tmp_path, ("validVersions", "0-3"), ("name", "Bar"))
    third = repaired(tmp_path, ("name", "Baz"))
    other = repaired(tmp_path, ("name", "Other"), path="b.json")
    fixes = fixes_of([first, second, third, other], tmp_path)
    assert fixes.findings == (first, third, other)
    assert [(item.path, json.loads(item.after)["name"]) for item in fixes.files] == [
        ("a.json", "Baz"),
        ("b.json", "Other"),
    ]
    assert json.loads(fixes.files[0].after)["validVersions"] == "0-2"


@pytest.mark.parametrize("mark", [b"", BOM])
def test_a_byte_order_mark_is_kept(tmp_path: Path, mark: bytes) -> None:
    place = tmp_path / "a.json"
    place.write_bytes(mark + SPEC.encode())
    write_fixes(fixes_of([repaired(tmp_path, ("validVersions", "0-2"))], tmp_path).files)
    assert place.read_bytes() == mark + SPEC.replace("0-1", "0-2").encode()


@pytest.mark.parametrize("change", ["text", "mark", "gone", "link"])
def test_a_file_that_changes_meanwhile_is_not_written(tmp_path: Path, change: str) -> None:
    found = repaired(tmp_path, ("validVersions", "0-2"))
    place = tmp_path / "a.json"
    fixes = fixes_of([found], tmp_path)
    if change == "text":
        place.write_text(SPEC + "\n")
    elif change == "mark":
        place.write_bytes(BOM + BOM + SPEC.encode())
    else:
        place.rename(tmp_path / "other.json")
        if change == "link":
            place.symlink_to("other.json")
    with pytest.raises(InputError):
        fixes_of([found], tmp_path)
    with pytest.raises(InputError) as error:
        write_fixes(fixes.files)
    assert error.value.path == "a.json"
    said = "No such file or directory" if change == "gone" else "has changed since it was checked; it is not"
    assert error.value.message.startswith(said)


@pytest.mark.parametrize(
    ("before", "hunk"),
    [
        ("a\n\x0cb\nc\n", "@@ -1,3 +1,3 @@\n a\n \x0cb\n-c\n+d\n"),
        ("a\r\nc\r\n", "@@ -1,2 +1,2 @@\n a\n-c\n+d\n"),
        ("c\nb", "@@ -1,2 +1,2 @@\n-c\n+d\n b\n\\ No newline at end of file\n"),
        (
            "b\nc",
            "@@ -1,2 +1,2 @@\n b\n-c\n\\ No newline at end of file\n+d\n\\ No newline at end of file\n",
        ),
    ],
)
def test_a_diff_has_the_lines_of_the_files(before: str, hunk: str, tmp_path: Path) -> None:
    fix = FixedFile("x/a.json", tmp_path / "a.json", before, before.replace("c", "d"))
    assert diff([fix]) == f"--- a/x/a.json\n+++ b/x/a.json\n{hunk}"
    assert diff([]) == ""
    assert diff([fix._replace(after=before)]) == ""
