"""The size of a message: each limit is allowed, one more is refused at its place."""

from __future__ import annotations

import json
from typing import Any

import pytest

from wirebook.specs.limits import MAX_FIELDS, MAX_LAID_OUT, MAX_PATHS, MAX_STRUCT_DEPTH
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


MANY = f"more than {MAX_FIELDS:,} fields, those of a struct counted wherever it is used"


def test_fields_of_structs_count_wherever_they_are_used() -> None:
    inner = several(99, "int8")
    # 200 times 1 field and the 99 of its struct.
    assert MAX_FIELDS == 200 * 100
    assert refusal(several(200, "Inner"), Inner=inner) == ""
    assert refusal([*several(200, "[]Inner"), field("Last")], Inner=inner) == f'"fields": [ {MANY}'
    # A struct that nothing uses is measured, too; the place is its name.
    outer = [*several(200, "Inner"), field("Last")]
    assert refusal([], Inner=inner, Outer=several(200, "Inner")) == ""
    assert refusal([], Inner=inner, Outer=outer) == f'"name": "Outer", {MANY}'
    nested = field("Held", "Held", outer)
    assert refusal([nested], Inner=inner) == f'"name": "Held", {MANY}'


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


def test_paths_have_a_length_together() -> None:
    # Each field below has a path with this name, its own and two dots.
    inner = several(9_000, "int8")
    own = sum(len(each["name"]) + 1 for each in inner)
    name = "N" * ((MAX_PATHS // 2 - own) // 9_001 - 1)
    each = (len(name) + 1) * 9_001 + own
    fields = [field(name, "Inner"), field(name[:-1] + "M", "Inner")]
    assert refusal(fields, Inner=inner) == ""
    rest = MAX_PATHS - 2 * each
    assert refusal([*fields, field("L" * (rest - 1))], Inner=inner) == ""
    words = f"the paths of the fields in this are longer than {MAX_PATHS:,} characters together"
    assert refusal([*fields, field("L" * rest)], Inner=inner) == f'"fields": [ {words}'


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
    some = {f"T{at}": [field("X")] for at in range(MAX_STRUCT_DEPTH - 1)}
    own = [field("Again", "S")]
    assert refusal([], **some, S=own) == ""
    words = f"S contains itself, with over {MAX_STRUCT_DEPTH} common structs"
    assert refusal([], **some, More=[], S=own) == f'"type": "S", {words}'
