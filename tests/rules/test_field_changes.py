"""One field changes: what is found, in which versions, how bad it is, and what it says of both values."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.kafka import read_kafka
from wirebook.rules.engine import check
from wirebook.specs.model import Protocol

Spec = dict[str, Any]
KEYS = {"nullable": "nullableVersions", "tagged": "taggedVersions", "flexible": "flexibleVersions"}


def spec(*fields: Spec) -> Protocol:
    """A message with versions 0-3, of which 2 and 3 are flexible."""
    top = {"apiKey": 900, "type": "request", "name": "FooRequest", "validVersions": "0-3"}
    text = json.dumps({**top, "flexibleVersions": "2+", "fields": fields})
    return Protocol((read_kafka(text, "Foo.json"),))


def f(kind: str = "int32", versions: str = "0+", name: str = "A", **more: Any) -> Spec:
    keys = {KEYS.get(key, key): value for key, value in more.items()}
    return {"name": name, "type": kind, "versions": versions, **keys}


def t(kind: str = "int32", **more: Any) -> Spec:
    """A tagged field, which flexible versions have."""
    return f(kind, "2+", **{"tagged": "2+", "tag": 0, **more})


ID, B, C, X = f("int8", name="Id"), f("int8", "1-2", "B"), f("int8", "1+", "C"), f(name="X")
DEFAULT = "error default-changed 0-3: the default of A is"
LENGTH = "error field-flexible-versions-changed"
NULL = "error nullability-changed"
OLD_READERS = "readers that use the old spec reject a null"
NEW_READERS = "readers that use the new spec reject the nulls of old writers"
REGROUPED = "warning fields-regrouped"
MISREAD = "peers that use the other spec misread it and everything after it"


@pytest.mark.parametrize(
    ("old", "new", "found"),
    [
        # lengths
        (f(flexible="none"), f(), []),
        (
            f("string", flexible="none"),
            f("string"),
            [f"{LENGTH} 2-3: the length of A has a different encoding"],
        ),
        (f("string", flexible="3+"), f("string"), [f"{LENGTH} 2: "]),
        (f("[]int8", flexible="3+"), f("[]int8", flexible="none"), [f"{LENGTH} 3: "]),
        (f("string"), f("string", flexible="2+"), []),
        (f("string"), f("string", flexible="none"), [f"{LENGTH} 2-3: "]),
        # nulls
        (
            f("string"),
            f("string", nullable="0+"),
            [f"{NULL} 0-3: A becomes nullable in versions 0-3: {OLD_READERS}"],
        ),
        (
            f("string", nullable="1+"),
            f("string", nullable="2+"),
            [f"{NULL} 1: A is no longer nullable in version 1: {NEW_READERS}"],
        ),
        (
            f("S", fields=[X]),
            f("S", fields=[X], nullable="3+"),
            [f"{NULL} 3: A becomes nullable in version 3: only one side has the byte that marks null"],
        ),
        (
            f("[]S", fields=[X], nullable="0+"),
            f("[]S", fields=[X]),
            [f"{NULL} 0-3: A is no longer nullable in versions 0-3: {NEW_READERS}"],
        ),
        # defaults
        (t("int64", default="-1"), t("int64", default="1"), [f"{DEFAULT} 1 instead of -1: peers disagree"]),
        (t("int64", default="0"), t("int64", default="0x0"), []),
        (t("int64", default="0"), t("int64"), []),
        (t("bool"), t("bool", default="true"), [f"{DEFAULT} true instead of false"]),
        (t("string", default="a"), t("string", default="b"), [f'{DEFAULT} "b" instead of "a"']),
        (
            t("string", nullable="2+", default="null"),
            t("string", nullable="2+"),
            [f'{DEFAULT} "" instead of null'],
        ),
        (t("float64", default="0.0"), t("float64", default="-0.0"), [f"{DEFAULT} -0.0 instead of 0.0"]),
        (
            t("S", fields=[f(default="1")]),
            t("S", fields=[f(default="2")]),
            [
                "error default-changed 0-3: the default of A.A is 2 instead of 1",
                "info unset-value-changed 2-3: the default of A.A is 2 instead of 1",
            ],
        ),
        (
            f(versions="1+", default="1"),
            f(versions="1+", default="2"),
            ["error default-changed 0: the default of A is 2 instead of 1: readers of version 0, which lack"],
        ),
        (
            f(default="1"),
            f(default="2"),
            ["info unset-value-changed 0-3: the default of A is 2 instead of 1: writers that do not set it"],
        ),
        (f(tagged="3+", tag=0), f(tagged="3+", tag=0, default="2"), ["error default-changed 3: "]),
        (
            f(versions="1+", tagged="3+", tag=0),
            f(versions="1+", tagged="3+", tag=0, default="2"),
            ["error default-changed 0, 3: "],
        ),
        # types
        (f(), f("int64"), [f"error type-changed 0-3: A is int64 instead of int32: {MISREAD}"]),
        (f(), f("[]int32"), ["error type-changed 0-3: A is []int32 instead of int32"]),
        (f(versions="1-2"), f("string", "1-2"), ["error type-changed 1-2: A is string instead of int32"]),
        (f("[]int32", "0-1"), f("[]S", "0-1", fields=[X]), [f"{REGROUPED} 0-1: A is []S instead of []int32"]),
        (
            f("[]int32"),
            f("[]S", fields=[X]),
            [
                "error type-changed 2-3: A is []S instead of []int32",
                f"{REGROUPED} 0-1: A is []S instead of []int32 in versions 0-1, with the same bytes",
            ],
        ),
        (
            f("[]int32", "0-1"),
            f("[]S", "0-1", fields=[X, f("int8", "1+", "Y")]),
            [
                "error type-changed 1: A is []S instead of []int32",
                f"{REGROUPED} 0: A is []S instead of []int32",
            ],
        ),
        (
            f("[]int32", "0-1"),
            f("[]S", "0-1", fields=[f("int32", "0", "X"), f("int32", "1+", "Y")]),
            [f"{REGROUPED} 0-1: A is []S instead of []int32"],
        ),
        (
            f("[]int32", "0-1"),
            f("[]S", "0-1", fields=[f("T", name="T", fields=[X])]),
            [f"{REGROUPED} 0-1: A is []S instead of []int32"],
        ),
        (
            f("[]int32", "0-1"),
            f("[]S", "0-1", fields=[f("T", name="T", fields=[X], nullable="1+")]),
            [
                "error type-changed 1: A is []S instead of []int32",
                f"{REGROUPED} 0: A is []S instead of []int32",
            ],
        ),
        (
            f("[]string", "0-1"),
            f("[]S", "0-1", fields=[f("string", name="X", nullable="1+")]),
            [
                "error type-changed 1: A is []S instead of []string",
                f"{REGROUPED} 0: A is []S instead of []string",
            ],
        ),
        (f("bytes"), f("records"), ["warning type-reinterpreted 0-3: A is records instead of bytes"]),
        (f("[]int16"), f("[]uint16"), ["error type-changed 0-3: A is []uint16 instead of []int16: peers"]),
        (
            f("[]S", fields=[X]),
            f("[]T", fields=[X]),
            ["info struct-renamed 0-3: the struct of A is renamed from S to T"],
        ),
        # names and marks
        (f(name="Foo"), f(name="foo"), []),
        (f(name="Foo"), f(name="Bar"), ["warning field-renamed 0-3: Foo is renamed to Bar: generated code"]),
        (t(name="Foo"), t(name="Bar"), ["error tag-reused 2-3: Bar takes tag 0, which belongs to Foo"]),
        (t(name="Foo"), t(name="foo"), []),
        (
            f(versions="1-2", ignorable=True),
            f(versions="1-2"),
            ["warning ignorable-changed 0, 3: A now makes writers fail in versions 0, 3, where it does not"],
        ),
        (
            f(versions="1-2"),
            f(versions="1-2", ignorable=True),
            ["info ignorable-changed 0, 3: A may now be dropped by writers in versions 0, 3"],
        ),
        (f(ignorable=True), f(), []),
        (
            f("string", entityType="topicName"),
            f("string", entityType="groupId"),
            ["warning entity-type-changed 0-3: A has the entity type groupId instead of topicName"],
        ),
        (
            f("string", entityType="topicName"),
            f("string", entityType="unknown"),
            ["warning entity-type-changed 0-3: A has no entity type instead of topicName"],
        ),
        (f("string", entityType="unknown"), f("string", entityType="topicName"), []),
        (f("string"), f("string", entityType="topicName"), []),
        (
            f("[]S", fields=[f(mapKey=True), X]),
            f("[]S", fields=[f(), X]),
            ["warning map-key-changed 0-3: A.A is no longer a map key"],
        ),
        (f("[]S", fields=[f(), X]), f("[]S", fields=[f(mapKey=True), X]), []),
        # ranges and tags
        (
            f(versions="1+"),
            f(versions="2+"),
            [f"error field-versions-changed 1: A leaves version 1: {MISREAD}"],
        ),
        (
            f(versions="1+"),
            f(versions="0-2"),
            [
                "error field-versions-changed 3: A leaves version 3",
                "error field-versions-changed 0: A reaches into version 0",
            ],
        ),
        (t(), t(tag=1), ["error tag-changed 2-3: A has tag 1 instead of 0: "]),
        (t(), f(versions="2+"), ["error tagging-changed 2-3: A is no longer tagged in versions 2-3: "]),
        (t(tagged="3+"), t(), ["error tagging-changed 2: A becomes tagged in version 2: "]),
    ],
)
def test_a_field_that_changes(old: Spec, new: Spec, found: list[str]) -> None:
    told = check(spec(old), spec(new), together=False)
    lines = [f"{item.severity.value} {item.rule} {item.versions.text}: {item.message}" for item in told]
    assert [line[: len(start)] for line, start in zip(lines, found, strict=True)] == found
    assert check(spec(new), spec(new), together=False) == []


@pytest.mark.parametrize("default", [str((1 << 32) - 2), "7", None])
def test_a_type_of_another_sign_and_its_default_are_one_finding(default: str | None) -> None:
    """With the type, the value of an absent field is restored: neither says anything without the other."""
    given = {} if default is None else {"default": default}
    (item,) = check(spec(t(default="-2")), spec(t("uint32", **given)), together=False)
    assert (item.rule, item.severity, item.versions.text) == ("type-changed", "error", "0-3")
    assert item.fix.startswith('restore "type": "int32", and restore "default": "-2"; ')


GONE = "error field-removed-from-released-version"
NEW = "error field-added-to-released-version"


@pytest.mark.parametrize(
    ("old", "new", "found"),
    [
        (
            [ID, f(tagged="3+", tag=0)],
            [ID],
            [f"{GONE} 0-2: A (int32) is removed from versions 0-2: peers tha"],
        ),
        (
            [ID, t()],
            [ID],
            [
                "error definition-deleted 2-3: the definition of A (int32) is deleted: what older peers send "
                "under tag 0 is lost"
            ],
        ),
        ([ID, f(versions="1-2")], [ID], [f"{GONE} 1-2: A (int32) is removed from versions 1-2: peers tha"]),
        ([ID], [ID, f(versions="1-2")], [f"{NEW} 1-2: A (int32) is added to versions 1-2"]),
        ([ID], [ID, f(versions="1+", tagged="3+", tag=0)], [f"{NEW} 1-2: "]),
        ([ID], [ID, t()], []),
        ([ID, B, C], [C, ID, B], ["error field-moved 1-3: C is at a different place in versions 1-3"]),
        ([ID, B, C], [ID, C, B], ["error field-moved 1-2: C is at a different place in versions 1-2"]),
        ([ID, B, f("int8", "3+", "C")], [ID, f("int8", "3+", "C"), B], []),
        ([ID, t(), B], [t(), ID, B], []),
    ],
)
def test_fields_that_come_go_and_move(old: list[Spec], new: list[Spec], found: list[str]) -> None:
    told = check(spec(*old), spec(*new), together=False)
    lines = [f"{item.severity.value} {item.rule} {item.versions.text}: {item.message}" for item in told]
    assert [line[: len(start)] for line, start in zip(lines, found, strict=True)] == found


@pytest.mark.parametrize(("valid", "version"), [("0-3", 4), ("0-4", 4), ("0-6", 6)])
def test_a_new_field_belongs_in_the_next_version(valid: str, version: int) -> None:
    old, new = spec(ID).messages[0], spec(ID, X).messages[0]
    text = new.written.lines.text.replace('"0-3"', f'"{valid}"')
    (item,) = (
        item
        for item in check(Protocol((old,)), Protocol((read_kafka(text, "Foo.json"),)), together=False)
        if item.rule == "field-added-to-released-version"
    )
    assert item.fix.startswith(
        f'write "versions": "{version}+" and add version {version}, or make it a tagged'
    )
