"""Verdicts that reviewers found wrong, each as a smallest change with what it does to peers."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.kafka import read_kafka
from wirebook.rules.engine import check
from wirebook.rules.finding import Finding
from wirebook.rules.released import Baseline
from wirebook.specs.model import Protocol

Spec = dict[str, Any]


def field(name: str, kind: str = "int32", versions: str = "0+", **keys: Any) -> Spec:
    return {"name": name, "type": kind, "versions": versions, **keys}


ID = field("Id")


def message(*fields: Spec, structs: list[Spec] | None = None, **keys: Any) -> Protocol:
    spec = {
        "apiKey": 900,
        "type": "request",
        "name": "FooRequest",
        "validVersions": "0-4",
        "flexibleVersions": "3+",
        **keys,
        "fields": list(fields),
        **({} if structs is None else {"commonStructs": structs}),
    }
    return Protocol.of([read_kafka(json.dumps(spec), "FooRequest.json", strict=False)])


def findings(old: Protocol, new: Protocol, *released: Protocol) -> list[Finding]:
    return check(
        old, new, [Baseline(f"1.{number}.0", spec) for number, spec in enumerate(released)]
    )


def verdicts(old: Protocol, new: Protocol, *released: Protocol) -> list[tuple[str, str]]:
    return [(item.severity.value, item.rule) for item in findings(old, new, *released)]


def test_no_advice_breaks_a_released_field() -> None:
    old = message(field("S", "string"))
    tagged = field(
        "S", "string", nullableVersions="5+", taggedVersions="5+", tag=0, default="null"
    )  # in all versions, but null only in the next one
    (item,) = (
        each
        for each in findings(old, message(tagged, validVersions="0-5"), old)
        if each.rule == "bad-default"
    )
    assert item.fix.startswith("use another default; if no release has the field, ")


def test_a_change_of_a_shared_struct_names_the_field_that_has_the_versions() -> None:
    def shared(kind: str) -> Protocol:
        struct = {"name": "C", "versions": "0+", "fields": [field("X", kind)]}
        return message(ID, field("A", "[]C", "2+"), field("B", "C"), structs=[struct])

    (item,) = findings(shared("int32"), shared("int64"))
    assert (item.rule, item.field, item.versions.text) == ("type-changed", "B.X", "0-4")
    assert "(also A.X)" in item.message


@pytest.mark.parametrize("kinds", [("int16", "uint16"), ("uint32", "int32")])
def test_another_sign_is_another_value(kinds: tuple[str, str]) -> None:
    old, new = (message(field("A", kind)) for kind in kinds)
    assert verdicts(old, new) == [("error", "type-changed")]


def test_a_tag_that_only_an_unstable_version_had_is_free() -> None:
    released = message(ID, validVersions="0-3")
    tagged = field("T", versions="4+", taggedVersions="4+", tag=0)
    old, new = (
        message(ID, tagged, latestVersionUnstable=True),
        message(ID, latestVersionUnstable=True),
    )
    assert verdicts(old, new, released) == [("info", "definition-deleted")]
    # A stable version of it may be in use, though no release has it.
    stable = message(ID, tagged), message(ID)
    assert verdicts(*stable, released) == [("warning", "definition-deleted")]


def test_elements_that_become_structs_of_the_same_bytes_change_generated_code() -> None:
    old = message(field("A", "[]int32"), flexibleVersions="none")
    new = message(field("A", "[]E", fields=[field("V")]), flexibleVersions="none")
    assert verdicts(old, new) == [("warning", "fields-regrouped")]
    assert verdicts(new, old) == [("warning", "fields-regrouped")]
