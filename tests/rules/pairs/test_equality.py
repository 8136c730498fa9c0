"""Whether a new side puts back a version as a release had it."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.kafka import read_kafka
from wirebook.rules.pairs.equality import layout_equality, put_back
from wirebook.rules.pairs.walk import walk_fields
from wirebook.specs.model import Message

A, B, C, WIDE = "A int32", "B int32", "C int32", "A int64"


def spec(*fields: str, flexible: str = "none") -> Message:
    """A request with fields such as "A int32", or "S: A int32" for one in a struct."""
    written: list[dict[str, object]] = []
    for field in fields:
        around, _, inner = field.rpartition(": ")
        parts = [part.split(" ") for part in inner.split(", ")]
        plain: list[dict[str, object]] = [{"name": name, "type": of, "versions": "0+"} for name, of in parts]
        if around:
            written.append({"name": around, "type": "Part", "versions": "0+", "fields": plain})
        else:
            written += plain
    text: dict[str, object] = {"apiKey": 900, "type": "request", "name": "FooRequest", "validVersions": "0"}
    return read_kafka(
        json.dumps({**text, "flexibleVersions": flexible, "fields": written}), "FooRequest.json"
    )


@pytest.mark.parametrize(
    ("release", "old", "new", "expected"),
    [
        pytest.param([A], [WIDE], [WIDE], False, id="the bytes are not those of the release"),
        pytest.param([A], [WIDE], [A], True, id="a type"),
        pytest.param([A], [A], [A], False, id="nothing was to be put back"),
        pytest.param([A, B], [B, A], [A, B], True, id="an order"),
        pytest.param([A, B], [A, B], [B, A], False, id="an order that the release does not have"),
        pytest.param([A, B], [B, WIDE], [B, A], True, id="a type, in the order of the old side"),
    ],
)
def test_a_version_is_put_back_as_the_release_had_it(
    release: list[str], old: list[str], new: list[str], expected: bool
) -> None:
    assert put_back(spec(*release), spec(*old), spec(*new), 0) == expected


def test_a_struct_has_no_place_of_its_own_unless_the_release_is_flexible() -> None:
    release, old, new = ("S: A int32", C, B), ("S: A int32, B int32", C), ("S: A int32", B, C)
    assert put_back(spec(*release), spec(*old, flexible="0+"), spec(*new), 0)


# --- the fields that have the same bytes around them ------------------------------------------------------


def f(kind: str, name: str) -> dict[str, Any]:
    return {"name": name, "type": kind, "versions": "0+"}


def struct(name: str, *fields: dict[str, Any], array: str = "[]", **more: Any) -> dict[str, Any]:
    return {**f(f"{array}S{name}", name), "fields": list(fields), **more}


AA, BB, X, Y, WA = f("int8", "A"), f("int8", "B"), f("int8", "X"), f("int8", "Y"), f("int64", "A")
NULL = {"array": "", "nullableVersions": "0+"}


@pytest.mark.parametrize(
    ("old", "new", "plain", "flexible"),
    [
        pytest.param(
            [X, struct("S", AA), Y],
            [X, struct("S", AA), Y],
            (True, "S S.A X Y"),
            (True, "S S.A X Y"),
            id="all",
        ),
        pytest.param(
            [X, struct("S", AA, BB), Y],
            [X, struct("S", WA, BB), Y],
            (False, "S X Y"),
            (False, "S X Y"),
            id="a type inside an array of structs",
        ),
        pytest.param(
            [X, struct("S", AA, BB), Y],
            [X, struct("S", BB), Y],
            (False, "S X Y"),
            (False, "S X Y"),
            id="a field is gone inside an array of structs",
        ),
        pytest.param(
            [AA, struct("S", X)], [WA, struct("S", X)], (False, "S.X"), (False, "S.X"), id="a type beside it"
        ),
        pytest.param(
            [AA, struct("S", X), BB],
            [BB, struct("S", X), AA],
            (True, "S.X"),
            (True, "S.X"),
            id="fields with the same bytes trade places",
        ),
        pytest.param(
            [X, struct("S", AA, array="")],
            [X, struct("S", AA, **NULL)],
            (False, ""),
            (False, "S.A"),
            id="a struct that may be null",
        ),
        pytest.param(
            [X, struct("S", AA, array="")],
            [X, struct("S", AA)],
            (False, ""),
            (False, ""),
            id="an array of it",
        ),
        pytest.param(
            [X, struct("S", AA, BB, array=""), Y],
            [X, struct("S", WA, BB, array=""), Y],
            (False, ""),
            (False, "S X Y"),
            id="a type inside a struct without bytes of its own",
        ),
        pytest.param(
            [X, struct("S", AA, BB, **NULL), Y],
            [X, struct("S", WA, BB, **NULL), Y],
            (False, "S X Y"),
            (False, "S X Y"),
            id="a type inside a struct that may be null",
        ),
        pytest.param(
            [X, struct("S", struct("T", AA), BB)],
            [X, struct("S", struct("T", WA), BB)],
            (False, "S S.B S.T X"),
            (False, "S S.B S.T X"),
            id="a type two structs deep",
        ),
        pytest.param(
            [X, struct("S", AA)],
            [X, struct("R", AA)],
            (True, "S S.A X"),
            (True, "S S.A X"),
            id="another name",
        ),
        pytest.param(
            [X, struct("S", AA)], [X, struct("R", WA)], (False, ""), (False, ""), id="another name and type"
        ),
        pytest.param(
            [AA, BB], [struct("S", AA, BB, array="")], (True, "A B"), (False, ""), id="a struct around them"
        ),
    ],
)
def test_the_fields_that_have_the_same_bytes_around_them(
    old: list[dict[str, Any]], new: list[dict[str, Any]], plain: tuple[bool, str], flexible: tuple[bool, str]
) -> None:
    top: dict[str, Any] = {"apiKey": 900, "type": "request", "name": "FooRequest", "validVersions": "0"}
    for versions, expected in (("none", plain), ("0+", flexible)):
        keys = {**top, "flexibleVersions": versions}
        before, after = (read_kafka(json.dumps({**keys, "fields": side}), "F.json") for side in (old, new))
        found = layout_equality(before, after, 0)
        paths = {item.field.written.order: item.path for item in walk_fields(before)}
        assert (found.bytes, " ".join(sorted(paths[order] for order in found.old))) == expected
        back = layout_equality(after, before, 0)
        assert (back.bytes, back.new) == (found.bytes, found.old)
