"""What the bytes say of patches whose verdict is known, and the codec that they are read and
written with."""

from __future__ import annotations

import ast
import json
from pathlib import Path
from random import Random
from typing import Any

import pytest

from tests.prove.cases import case, disagreements, truth_of
from tests.prove.codec import decode, encode
from tests.prove.examples import EXAMPLES, TAGGED, Example, field, message
from tests.prove.probes import probes
from tests.prove.protocols import Builder, all_fields, right
from tests.prove.shapes import shape, valid
from tests.support import SHARED, needs_shared
from tests.together import together

FORBIDDEN = (
    "wirebook.specs.codec",
    "wirebook.specs.layout",
    "wirebook.specs.model",
    "wirebook.rules.parts",
    "wirebook.docgen",
)
OURS = Path(__file__).parent


@together("example", EXAMPLES, ids=lambda example: example.name)
def test_the_bytes_of_an_example_say_whether_it_breaks(example: Example) -> None:
    assert bool(truth_of(example.case).breaks) == example.breaks


@together("example", EXAMPLES, ids=lambda example: example.name)
def test_the_check_agrees_on_an_example(example: Example) -> None:
    assert not {*disagreements(example.case)}


def test_the_codec_shares_no_code_with_what_it_judges() -> None:
    """Only the module of cases calls wirebook, and that by what it offers to everybody."""
    for path in sorted(OURS.glob("*.py")):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        names = {
            alias.name
            for node in ast.walk(tree)
            if isinstance(node, ast.Import)
            for alias in node.names
        }
        names |= {node.module or "" for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}
        if not path.name.startswith("test_") and path.name != "cases.py":
            assert not any(name.startswith(FORBIDDEN) for name in names), path
        if path.name in (
            "shapes.py",
            "codec.py",
            "probes.py",
            "truth.py",
            "absence.py",
            "protocols.py",
            "edits.py",
        ):
            assert not any(
                name.startswith(("wirebook", "tests.rules", "tests.specs")) for name in names
            ), path


@pytest.mark.parametrize(
    ("spec", "value", "body"),
    [
        (message(field("A", "int16"), flexible="none"), (-2,), "fffe"),
        (message(field("A", "uint16"), flexible="none"), (0xFFFE,), "fffe"),
        (message(field("A", "string"), flexible="none"), (b"ab",), "00026162"),
        (message(field("A", "string")), (b"ab", {}), "03616200"),
        (message(field("A", "bytes", nullableVersions="0+")), (None, {}), "0000"),
        (message(field("A", "bytes", nullableVersions="0+"), flexible="none"), (None,), "ffffffff"),
        (message(field("A", "[]int8")), (((1,), (2,)), {}), "03010200"),
        (message(field("S", "S", "0+", field("A", "int8"))), (1, {}, {}), "010000"),
        (
            message(field("S", "S", "0+", field("A", "int8"), nullableVersions="0+")),
            (None, {}),
            "ff00",
        ),
        (message(field("A", "int64", **TAGGED)), ({0: 5},), "0100080000000000000005"),
        (message(field("A", "int64", **TAGGED)), ({0: 0},), "00"),
        (
            message(field("S", "S", "0+", field("A", "int8"), nullableVersions="0+", **TAGGED)),
            ({0: None},),
            "01000100",
        ),
    ],
)
def test_bytes_are_those_of_the_facts(spec: dict[str, Any], value: Any, body: str) -> None:
    of_version = shape(spec, 0)
    assert encode(of_version, value).hex() == body
    assert decode(of_version, bytes.fromhex(body)) == value


def test_every_probe_is_read_as_it_was_sent() -> None:
    builder, seen = Builder(Random(5)), 0
    for _ in range(60):
        spec = builder.message()
        for version in valid(spec).numbers:
            there = shape(spec, version)
            for number, value in enumerate(probes(there)):
                seen += 1
                assert decode(there, encode(there, value)) == value
                # Records that nobody sets are null, which only one that is nullable can send.
                assert number or decode(there, encode(there, value, leaving_out=False)) == value
    assert seen > 1000


def test_a_case_is_always_the_same_and_right() -> None:
    kinds = set()
    for number in range(40):
        given = case(number)
        assert given == case(number)
        assert given.old != given.new
        assert all(map(right, (*given.releases, given.old, given.new)))
        kinds |= {key for _, item in all_fields(given.new) for key in item}
        kinds |= given.new.keys()
    assert {"taggedVersions", "nullableVersions", "default", "commonStructs", "fields"} <= kinds


@needs_shared
def test_bytes_are_those_of_the_java_client() -> None:
    """Samples of Kafka's client, of the specs that wirebook ships, read and written again."""
    assert SHARED is not None
    specs = {}
    for path in (OURS.parents[1] / "specs" / "kafka" / "messages").rglob("*.json"):
        spec = json.loads(
            "\n".join(_code(line) for line in path.read_text(encoding="utf-8").splitlines())
        )
        specs[spec.get("apiKey"), spec["type"]] = spec
    seen = 0
    for line in (SHARED / "data" / "vectors-sample.jsonl").read_text(encoding="utf-8").splitlines():
        sample = json.loads(line)
        spec = specs.get((sample["api_key"], sample["kind"]))
        if spec is None or sample["version"] not in valid(spec) or sample["case"] == "unknown_tags":
            continue
        there, body = shape(spec, sample["version"]), bytes.fromhex(sample["body"])
        assert encode(there, decode(there, body)) == body, sample["id"]
        seen += 1
    assert seen > 100


def _code(line: str) -> str:
    return "" if line.lstrip().startswith("//") else line


A, B = field("A", "int8"), field("B", "int8")
