"""What the bytes say of patches whose verdict is known, and the codec that they are read and written with."""

from __future__ import annotations

import ast
import json
from pathlib import Path
from random import Random
from typing import Any

import pytest

from tests.prove.cases import case, disagreements, truth_of
from tests.prove.codec import RefusedError, decode, encode
from tests.prove.examples import EXAMPLES, TAGGED, Example, field, message
from tests.prove.probes import probes
from tests.prove.protocols import Builder, all_fields, right
from tests.prove.rebased import ConflictError, rebased
from tests.prove.shapes import END, Spec, shape, valid
from tests.prove.truth import RENAMED, truth
from tests.support import SHARED, needs_shared
from tests.together import together

FORBIDDEN = ("wirebook.specs.wire", "wirebook.specs.model", "wirebook.rules.pairs", "wirebook.docgen")
OURS = Path(__file__).parent


@together("example", EXAMPLES, ids=lambda example: example.name)
def test_the_bytes_of_an_example_say_whether_it_breaks(example: Example) -> None:
    assert bool(truth_of(example.case).breaks) == example.breaks


@together("example", EXAMPLES, ids=lambda example: example.name)
def test_the_check_agrees_on_an_example(example: Example) -> None:
    assert not {*disagreements(example.case)}


def test_the_truth_is_undecided_where_fields_may_trade_their_names_or_their_places() -> None:
    release, old, new = (
        message(*({**field(name, kind), "#": number} for number, name, kind in fields))
        for fields in (
            [(1, "A", "uint16"), (2, "B", "uint32")],
            [(2, "B", "uint32"), (1, "A", "uint32")],
            [(2, "A", "uint32"), (1, "B", "uint32")],
        )
    )
    assert {each.why for each in truth(old, new, [release]).unsure} == {RENAMED}


def test_the_truth_is_undecided_where_a_name_that_no_release_has_moves_to_a_place_of_its_type() -> None:
    release = message(field("L", "[]int32"), field("B", "bytes"))
    old = message(field("M", "bytes"), field("B", "bytes"))
    new = message(field("N", "bytes"), field("M", "bytes"))
    assert {each.why for each in truth(old, new, [release]).unsure} == {RENAMED}


def test_the_truth_is_undecided_where_only_the_numbers_of_a_case_tell_fields_of_one_type_apart() -> None:
    release, old, new = (
        message(*({**field(name, kind), "#": number} for number, name, kind in fields), flexible="none")
        for fields in (
            [(1, "A", "string"), (2, "B", "uint16")],
            [(1, "C", "string"), (2, "D", "string")],
            [(2, "D", "string"), (3, "E", "string")],
        )
    )
    assert {each.why for each in truth(old, new, [release]).unsure} == {RENAMED}


def test_no_value_is_lost_of_a_struct_without_fields_in_the_version() -> None:
    old, new = (
        message(field("S", "S", f"{since}+", field("B", "uint16", "2"), taggedVersions=f"{since}+", tag=tag))
        for since, tag in ((1, 0), (0, 1))
    )
    assert {version for each in truth(old, new, [old]).breaks for version in each.versions} == {1, 2}


def test_the_codec_shares_no_code_with_what_it_judges() -> None:
    """Only the module of cases calls wirebook, and that by what it offers to everybody."""
    for path in sorted(OURS.glob("*.py")):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        names = {
            alias.name for node in ast.walk(tree) if isinstance(node, ast.Import) for alias in node.names
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
            "rebased.py",
            "protocols.py",
            "edits.py",
        ):
            assert not any(name.startswith(("wirebook", "tests.rules", "tests.specs")) for name in names), (
                path
            )


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
        (message(field("S", "S", "0+", field("A", "int8"), nullableVersions="0+")), (None, {}), "ff00"),
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


def test_a_tag_of_another_version_is_refused_and_an_unknown_one_skipped() -> None:
    of_version = shape(message(field("A", "int8", "1+", taggedVersions="1+", tag=3)), 0)
    with pytest.raises(RefusedError, match="tag 3 is not valid"):
        decode(of_version, bytes.fromhex("01030105"))
    assert decode(of_version, bytes.fromhex("01040105")) == ({},)


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
        spec = json.loads("\n".join(_code(line) for line in path.read_text(encoding="utf-8").splitlines()))
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


def test_shapes_of_a_flexible_and_an_inflexible_version() -> None:
    spec = message(field("S", "S", "0+", field("A", "int8"), field("B", "[]int8", "1+")), flexible="1+")
    first, second = shape(spec, 0), shape(spec, 1)
    assert [slot.path for slot in first] == [("S", "A")]
    assert [(slot.path, slot.kind) for slot in second] == [
        (("S", "A"), "int8"),
        (("S", "B"), "struct"),
        (("S",), END),
        ((), END),
    ]
    assert second[1].inside is not None
    assert [slot.kind for slot in second[1].inside] == ["int8"]


A, B = field("A", "int8"), field("B", "int8")


@pytest.mark.parametrize(
    ("release", "old", "new", "names"),
    [
        pytest.param([A], [A, B], [A], "A", id="what the release lacks is removed"),
        pytest.param([A, B], [A], [A, B], "AB", id="what the release has comes back"),
        pytest.param([A, B], [B, A], [B], "B", id="a field is removed from another order"),
        pytest.param([A], [A, B], [A, {**B, "type": "int16"}], "A", id="a field that only the old side has"),
        pytest.param([A, B], [A], [A, field("C", "int8")], "ACB", id="another field"),
        pytest.param([B, A], [A, B], [field("C", "int8"), A, B], "CBA", id="a first field"),
        pytest.param(
            [A, field("C", "int16"), B],
            [A, B],
            [field("D", "int8"), {**A, "versions": "1+"}, B],
            "DCBA",
            id="a field goes on under another name",
        ),
        pytest.param([A, B], [A, B], [B, A], "BA", id="another order"),
        pytest.param([A, B], [B, A], [A, B], "AB", id="the order of the release"),
        pytest.param([A], [A, {**B, "versions": "2+"}], [A, B], "AB", id="a field that nobody sent"),
        pytest.param(
            [{**A, "#": 1}, B],
            [{**A, "#": 1, "name": "C"}],
            [{**A, "#": 1, "name": "C"}],
            "CB",
            id="another name on the old side",
        ),
    ],
)
def test_a_patch_applied_to_a_release(
    release: list[Spec], old: list[Spec], new: list[Spec], names: str
) -> None:
    fields = rebased(message(*release), message(*old), message(*new), 0)["fields"]
    assert "".join(each["name"] for each in fields) == names


@pytest.mark.parametrize(
    ("release", "old", "new"),
    [
        pytest.param([A], [{**A, "type": "int16"}], [{**A, "type": "int32"}], id="three types"),
        pytest.param([A], [{**A, "type": "int16"}], [], id="a changed field is removed"),
        pytest.param([A, B], [A], [B, A], id="a field comes back elsewhere"),
        pytest.param([A, B], [A], [A, {**B, "type": "int16"}], id="a field comes back in another form"),
        pytest.param([A], [{**A, "#": 1}], [{**A, "#": 2}], id="another field of the name"),
        pytest.param([A], [A, B], [A, field("C", "int16")], id="another field in the place of one"),
        pytest.param(
            [field("S", "S", "0+", A)],
            [field("S", "S", "0+", A, B)],
            [field("S", "S", "0+", B)],
            id="no field",
        ),
        pytest.param(
            [{**A, "#": 1}, B],
            [B, {**field("C", "int8"), "#": 1}],
            [B],
            id="another name in another place",
        ),
        pytest.param(
            [{**A, "#": 1}],
            [field("S", "S", "0+", {**A, "#": 1})],
            [field("S", "S", "0+", {**A, "#": 1, "type": "int16"})],
            id="a struct around a field",
        ),
        pytest.param(
            [{**A, "#": 1}, {**B, "#": 2, "versions": "2+"}],
            [{**A, "#": 1}, {**B, "#": 2}],
            [{**B, "#": 1}, {**A, "#": 2}],
            id="a name of a field that the release lacks",
        ),
        pytest.param(
            [{**A, **TAGGED, "#": 1}],
            [{**field("C", "int8", "2+"), "#": 1}],
            [],
            id="another name without the tag",
        ),
    ],
)
def test_a_patch_does_not_apply_to_what_has_three_forms(
    release: list[Spec], old: list[Spec], new: list[Spec]
) -> None:
    with pytest.raises(ConflictError):
        rebased(message(*release), message(*old), message(*new), 0)
