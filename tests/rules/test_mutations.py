"""Spoiled specs: whatever stands in one comes to findings, which every format and every waiver can hold."""

from __future__ import annotations

import copy
import json
import random
from datetime import date
from functools import cache
from typing import Any

import pytest
from hypothesis import HealthCheck, given
from hypothesis import strategies as st

from tests.kafka import read_kafka
from tests.profiles import examples
from wirebook.rules.engine import check
from wirebook.rules.formats import FORMATS, render
from wirebook.rules.project.waivers import apply, block, read_waivers
from wirebook.rules.released import Baseline
from wirebook.rules.result import CheckResult
from wirebook.specs.kafka.registry import embedded_paths
from wirebook.specs.model import Protocol
from wirebook.specs.problems import InputError

VALUES: list[Any] = [
    None,
    True,
    False,
    0,
    -1,
    1,
    32768,
    2**31,
    2**63,
    1e308,
    "",
    "0",
    "0+",
    "1-3",
    "none",
    "3-1",
    "null",
    "[]Foo",
    "[]int32",
    "int32",
    "string",
    "records",
    "Foo",
    "[][]int32",
    "-1",
    "999999999999",
    "\ud800",
    "\u202e\x1b[31m",
    "a" * 300,
    [],
    {},
    [1],
    {"a": 1},
    "request",
    "data",
    "header",
]
KEYS = [
    "versions",
    "tag",
    "taggedVersions",
    "nullableVersions",
    "fields",
    "type",
    "default",
    "flexibleVersions",
    "name",
    "validVersions",
    "apiKey",
    "latestVersionUnstable",
    "commonStructs",
    "history",
    "deprecatedVersions",
    "mapKey",
]


@cache
def specs() -> list[str]:
    """Our own specs as plain JSON."""
    texts = [path.read_text(encoding="utf-8") for path in embedded_paths()]
    lines = [
        "\n".join(line for line in text.splitlines() if not line.lstrip().startswith("//")) for text in texts
    ]
    return [json.dumps(json.loads(text)) for text in lines]


def nodes(node: Any) -> list[Any]:
    """A node and all below it."""
    below = node.values() if isinstance(node, dict) else node if isinstance(node, list) else ()
    return [node, *(inner for item in below for inner in nodes(item))]


def spoiled(dice: random.Random, spec: Any) -> Any:
    """The spec after a few changes that nobody meant."""
    for _ in range(dice.randint(1, 4)):
        node = dice.choice([item for item in nodes(spec) if isinstance(item, dict | list) and item] or [{}])
        what = dice.random()
        if isinstance(node, dict):
            key = dice.choice([*node, "x"])
            if what < 0.25:
                node.pop(key, None)
            elif what < 0.6:
                node[key] = copy.deepcopy(dice.choice(VALUES))
            elif what < 0.85:
                node[dice.choice(KEYS)] = copy.deepcopy(dice.choice(VALUES))
            else:
                node[key] = copy.deepcopy(dice.choice(nodes(spec)))
        else:
            place = dice.randrange(len(node))
            if what < 0.3:
                del node[place]
            elif what < 0.6:
                node.insert(place, copy.deepcopy(dice.choice(node)))
            elif what < 0.8:
                node[place] = copy.deepcopy(dice.choice(VALUES))
            else:
                dice.shuffle(node)
    return spec


@examples(1, suppress_health_check=list(HealthCheck))
@given(seed=st.integers(0, 2**32), one=st.booleans())
def test_whatever_is_written_comes_to_findings(seed: int, one: bool) -> None:
    dice = random.Random(seed)
    text = dice.choice(specs())
    texts = [text if one else json.dumps(spoiled(dice, json.loads(text)), indent=1)]
    texts.append(json.dumps(spoiled(dice, json.loads(text)), indent=1))
    try:
        old, new = (Protocol.of([read_kafka(text, "FooRequest.json", strict=False)]) for text in texts)
    except InputError:
        return
    for baselines in ((), [Baseline("1.0.0", old)], [Baseline("1.0.0", new)]):
        found = check(old, new, baselines)
    before, after = ({"FooRequest.json": text} for text in texts)
    report = CheckResult(tuple(found), "one with the other", "0", 1, after, before)
    for form in FORMATS:
        assert render(report, form).encode("utf-8", "backslashreplace")
    printed = dict.fromkeys(block(item, "so", "Ada") for item in found)
    waivers = read_waivers("\n".join(printed), "waivers.toml")
    assert [item for item in apply(found, waivers, date(2026, 1, 1)) if item.waived is None] == []


def _int(name: object, kind: str = "int32", **keys: object) -> dict[str, object]:
    return {"name": name, "type": kind, "versions": "0+", **keys}


@pytest.mark.parametrize(
    "fields",
    [
        # Two fields of a name, and names that no path can have: no message can set them one by one.
        [_int("Code"), _int("Code", "string")],
        [_int("A.B", "[]string"), _int("Code")],
        [_int("", "[]Row", fields=[_int("Code")])],
        # A version without a field reads its default, which may not fit its type.
        [_int("Late", versions="1+", default="soon")],
        [_int("Late", "string", versions="1+", default="null")],
    ],
)
def test_breaks_are_found_beside_what_is_wrong_already(fields: list[dict[str, object]]) -> None:
    def side(*more: dict[str, object]) -> Protocol:
        spec = {"apiKey": 900, "type": "request", "name": "FooRequest", "validVersions": "0-1"}
        text = json.dumps({**spec, "flexibleVersions": "none", "fields": [*fields, *more]})
        return Protocol.of([read_kafka(text, "FooRequest.json", strict=False)])

    found = check(side(_int("Last", "[]int16")), side(_int("Last", "[]int64")))
    assert ("type-changed", "Last") in {(item.rule, item.field) for item in found}
