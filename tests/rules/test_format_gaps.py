"""The page on what the format cannot describe: each row reports what the check reports."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.support import ROOT
from wirebook.rules.engine import judge_files
from wirebook.specs.model import Protocol
from wirebook.specs.reading.reader import read_message

PAGE = ROOT / "site_src" / "format-gaps.md"
NODES = [{"name": "Kids", "type": "[]Node", "versions": "0+"}]


def found(type_: str = "int8", message: dict[str, Any] | None = None, **field: Any) -> list[str]:
    """The rules that report a message with one field of a type."""
    spec: dict[str, Any] = {
        "apiKey": 1, "type": "request", "name": "FooRequest", "validVersions": "0", "flexibleVersions": "0+",
        "fields": [{"name": "A", "type": type_, "versions": "0+", **field}],
    }  # fmt: skip
    spec |= message or {}
    text = json.dumps({key: value for key, value in spec.items() if value is not None})
    made = read_message(text, "FooRequest.json", strict=False)
    return sorted({finding.rule for finding in judge_files(Protocol((made,)))})


@pytest.mark.parametrize(
    ("row", "reported"),
    [
        ("little-endian numbers", found("int32", endian="little")),
        ("`uint8`, `uint64`, `int24`", found("uint8")),
        ("`uint8`, `uint64`, `int24`", found("int24")),
        ("varints as fields", found("varint")),
        ("`float16`, `float32`", found("float32")),
        ("decimals, timestamps", found("timestamp")),
        ("types for enumerations and flags", found("flags")),
        ("types for enumerations and flags", found("enum")),
        ("strings of which only some", found("string", enum=["a", "b"])),
        ("a field of several bits", found("int32", bits="4-6")),
        ("numbers that may be null", found("int32", nullableVersions="0+")),
        ("bytes of a fixed size", found("bytes[4]")),
        ("bytes of a fixed size", found("bytes", size=4)),
        ("arrays of a fixed size", found("[4]int32")),
        ("lengths of one byte", found("string", lengthType="uint8")),
        ("arrays of arrays", found("[][]int32")),
        ("maps", found("map")),
        ("padding, alignment", found(align=4)),
        ("unions, `oneof`", found(oneof=["B", "C"])),
        ("fields that are there only if", found(presentIf="B")),
        ("recursion", found("[]Node", fields=NODES)),
        ("messages without versions", found(message={"validVersions": None})),
        ("API keys below 0 or above 32,767", found(message={"apiKey": 40_000})),
        ("names with `_` or `-`", found(name="set_point")),
    ],
)
def test_a_row_names_what_the_check_reports(row: str, reported: list[str]) -> None:
    (line,) = [line for line in PAGE.read_text("utf-8").splitlines() if line.startswith(f"| {row}")]
    assert reported
    assert all(f"`{rule}`" in line for rule in reported), reported


def test_keys_of_other_tools_are_free() -> None:
    assert found("int8", {"x-team": "a"}, **{"x-unit": "mm"}) == []
