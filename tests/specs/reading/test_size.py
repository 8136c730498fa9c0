"""The size of a message: each limit is allowed, one more is refused at its place."""

from __future__ import annotations

import json
from typing import Any

import pytest

from wirebook.specs.limits import MAX_LAID_OUT, MAX_STRUCT_DEPTH
from wirebook.specs.problems import InputError
from wirebook.specs.reading.reader import read_message


def field(name: str, kind: str = "int8", fields: list[Any] | None = None) -> dict[str, Any]:
    node: dict[str, Any] = {"name": name, "type": kind, "versions": "0+"}
    return node if fields is None else node | {"fields": fields}


def refusal(fields: list[Any], valid: Any = "0", **structs: Any) -> str:
    """The error for a message with these fields and common structs; "" if it is read."""
    spec = {
        "type": "data", "name": "Foo", "validVersions": valid, "flexibleVersions": "none",
        "commonStructs": [
            {"name": name, "versions": "0+", "fields": inner} for name, inner in structs.items()
        ],
        "fields": fields,
    }  # fmt: skip
    text = json.dumps(spec, indent=0)
    try:
        read_message(text, "x.json")
    except InputError as error:
        line = 0 if error.position is None else error.position.line
        return f"{text.split(chr(10))[line - 1]} {error.message}"
    return ""


def several(number: int, kind: str) -> list[dict[str, Any]]:
    return [field(f"F{at}", kind) for at in range(number)]


def chain(length: int) -> dict[str, list[Any]]:
    """Structs that each contain the next one."""
    last = {f"S{length - 1}": [field("Last")]}
    return {f"S{at}": [field("Next", f"S{at + 1}")] for at in range(length - 1)} | last


@pytest.mark.parametrize("backwards", [False, True])
def test_structs_are_nested_up_to_a_depth(backwards: bool) -> None:
    words = f"more than {MAX_STRUCT_DEPTH} structs contain each other in turn"
    for length, is_read in ((MAX_STRUCT_DEPTH, True), (MAX_STRUCT_DEPTH + 1, False)):
        structs = chain(length)
        ordered = dict(reversed(structs.items())) if backwards else structs
        found = refusal([field("First", "S0")], **ordered)
        assert (found == "") is is_read
        assert is_read or found.endswith(words)


def test_fields_times_versions_have_a_limit() -> None:
    inner = several(99, "int8")
    fields = several(10, "Inner")
    assert MAX_LAID_OUT == 1_000 * 1_000
    assert refusal(fields, "0-999", Inner=inner) == ""
    words = "1,000 fields in 1,001 versions are above the limit of 1,000,000 in all"
    assert refusal(fields, "0-1000", Inner=inner) == f'"validVersions": "0-1000", {words}'
    open_words = "1,000 fields in 32,768 versions are above the limit of 1,000,000 in all"
    assert refusal(fields, "0+", Inner=inner) == (
        f'"validVersions": "0+", {open_words}; name the last version, as in "0-9"'
    )
    # Without common structs, a short text is only measured if it is not small in any case.
    assert refusal(several(30, "int8"), "0+") == ""
    assert refusal(several(31, "int8"), "0+").startswith('"validVersions": "0+", 31 fields in 32,768')


def test_a_struct_that_contains_itself_counts_up_to_its_recurrence() -> None:
    assert refusal([field("A", "S")], S=[field("Again", "[]S"), field("B")]) == ""
