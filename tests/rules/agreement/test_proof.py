"""What a finding may claim: bytes that show it, or an internal error."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.rules.agreement.pairs import Spec, X, Y, field
from wirebook.rules.agreement import proof
from wirebook.rules.agreement.breaks import Break
from wirebook.rules.agreement.edits import Matching, SpecEdit
from wirebook.rules.agreement.judgement import judgement
from wirebook.rules.agreement.proof import Prover, UnprovenError
from wirebook.rules.agreement.relation import Kind, Side, WriterSide
from wirebook.rules.released import ReleasedSpec
from wirebook.specs.model import Message
from wirebook.specs.reading.reader import read_message
from wirebook.specs.wire.codec import codec
from wirebook.specs.wire.layout import layout

EMPTY = field("E", "E0", fields=[])
AROUND = field("S", "S0", fields=[EMPTY])


def message(*fields: Spec) -> Message:
    spec: dict[str, Any] = {"type": "data", "name": "AValue", "validVersions": "1", "flexibleVersions": "0+"}
    return read_message(json.dumps({**spec, "fields": list(fields)}).encode(), "AValue.json")


def claim(kind: Kind, spec: Message, name: str) -> Break:
    """The claim that two equal specs disagree on a field."""
    carried = next(each for each in layout(spec, 1).walk() if each.path == name)
    side = Side(name, carried.field, carried)
    edit = SpecEdit(kind, WriterSide.BOTH, side, side)
    return Break(edit, Matching(spec, spec._replace(path="other")), frozenset({1}), ("1.0",), True)


# What a field reads as where it is not sent is what the specs state: no byte contradicts it.
STATED = {Kind.DEFAULT, Kind.LOST}


@pytest.mark.parametrize("kind", [kind for kind in Kind if kind not in {*proof.UNSEEN, *STATED}])
@pytest.mark.parametrize(
    "concerned",
    [X, field("X", "string", nullableVersions="0+"), field("X", "[]int8"), field("X", "X0", fields=[Y])],
)
def test_a_disagreement_that_no_byte_shows_is_an_internal_error(kind: Kind, concerned: Spec) -> None:
    with pytest.raises(UnprovenError, match=f"version 1 of AValue .*{kind.value}.* on 'X' and 'X'"):
        Prover().proof(claim(kind, message(concerned), "X"))


@pytest.mark.parametrize("concerned", [EMPTY, AROUND])
def test_the_place_of_what_has_no_bytes_has_no_proof(concerned: Spec) -> None:
    assert Prover().proof(claim(Kind.NAME, message(concerned), concerned["name"])) is None
    with pytest.raises(UnprovenError):
        Prover().proof(claim(Kind.LENGTH, message(concerned), concerned["name"]))


@pytest.mark.parametrize("kind", proof.UNSEEN)
def test_what_is_in_no_body_has_no_proof(kind: Kind) -> None:
    assert Prover().proof(claim(kind, message(X), "X")) is None


@pytest.mark.parametrize(("limit", "is_own"), [(8, True), (7, False), (0, False)])
def test_what_follows_a_misread_field_shows_that_field_in_a_large_message(
    limit: int, is_own: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(proof, "MAX_PROVEN", limit)
    old, new = message(X, Y), message(field("X", "int64"), field("Y", "string"))
    breaks = judgement(old, new, [ReleasedSpec("1.0", old)], frozenset({1})).breaks
    assert [each.path for each in breaks] == ["X", "Y"]
    prover = Prover()
    messages = [proven.message for proven in map(prover.proof, breaks) if proven is not None]
    assert messages == [{"X": 1, "Y": 0}, {"X": 0, "Y": 1} if is_own else {"X": 1, "Y": 0}]


def test_the_bytes_of_a_proof_are_those_of_a_writer() -> None:
    tag = {"taggedVersions": "1+", "versions": "1+"}
    number = field("T", "int16", tag=0, **tag)
    inner = field(
        "N", "N0", fields=[field("R", "records", versions="1+")], nullableVersions="1+", tag=0, **tag
    )

    def exchanged(first: str, second: str) -> Message:
        arrays = [
            field(first, "[]A0", fields=[number]),
            field(second, "[]B0"),
            field("C", "[]B0", tag=1, **tag),
        ]
        spec = {"type": "data", "name": "AValue", "validVersions": "0-2", "flexibleVersions": "1+"}
        structs = [{"name": "B0", "versions": "0+", "fields": [inner]}]
        return read_message(
            json.dumps({**spec, "fields": arrays, "commonStructs": structs}).encode(), "AValue.json"
        )

    old, new = exchanged("A", "B"), exchanged("B", "A")
    breaks = judgement(old, new, [ReleasedSpec("1.0", old)], frozenset({0, 1, 2})).breaks
    proofs = [proven for proven in map(Prover().proof, breaks) if proven is not None]
    assert proofs
    for proven in proofs:
        sender = new if "new" in proven.writer else old
        assert codec(layout(sender, proven.version)).decode(b"".join(part.data for part in proven.parts))
