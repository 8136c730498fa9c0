"""Whether a new side puts back a version as a release had it."""

from __future__ import annotations

import json

import pytest

from tests.kafka import read_kafka
from wirebook.rules.pairs.equality import put_back
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
