"""The messages that prove a disagreement, replayed by the codec."""

from __future__ import annotations

import json
import random
from typing import Any

import pytest

from tests.rules.agreement.exhaustive import VERSION, messages
from tests.rules.agreement.pairs import PAIRS, Spec, field
from wirebook.rules.agreement.forms import form_of
from wirebook.rules.agreement.relation import Kind, WriterSide, disagreements
from wirebook.rules.agreement.witness import Misread, Witness, witness_of
from wirebook.specs.reading.reader import read_message
from wirebook.specs.wire.codec import WireError, codec
from wirebook.specs.wire.layout import Layout, layout


def resolved(spec: dict[str, Any], version: int = 1) -> Layout:
    return layout(read_message(json.dumps(spec).encode(), "AValue.json"), version)


def message(*fields: Spec, flexible: str = "0+") -> Layout:
    keys = {"type": "data", "name": "AValue", "validVersions": "0-3", "flexibleVersions": flexible}
    return resolved({**keys, "fields": list(fields)})


def witnesses(first: Layout, second: Layout) -> list[Witness | None]:
    return [witness_of(each, first, second) for each in disagreements(form_of(first), form_of(second))]


def replayed(witness: Witness, first: Layout, second: Layout) -> None:
    """The bytes are those of the value, and the reader does what the witness states."""
    sender, reader = (first, second) if witness.writer is WriterSide.FIRST else (second, first)
    assert witness.is_explicit is (codec(sender).encode(witness.value) != witness.data)
    if witness.error is None:
        assert witness.misread is not None
        codec(reader).decode(witness.data)
        assert witness.misread.written != witness.misread.read
    else:
        with pytest.raises(WireError) as caught:
            codec(reader).decode(witness.data)
        assert str(caught.value) == str(witness.error)


@pytest.mark.long
def test_every_disagreement_of_small_messages_has_a_short_witness() -> None:
    chosen = random.Random(26)
    layouts = [resolved(spec, VERSION) for spec in chosen.sample(messages(), 400)]
    kinds: set[Kind] = set()
    for _ in range(6_000):
        first, second = chosen.choice(layouts), chosen.choice(layouts)
        for each in disagreements(form_of(first), form_of(second)):
            witness = witness_of(each, first, second)
            assert witness is not None, each
            assert len(witness.data) <= 20
            replayed(witness, first, second)
            kinds.add(each.kind)
    assert kinds == {*Kind} - {Kind.HEADER, Kind.IDENTITY}


@pytest.mark.parametrize(("first", "second", "expected"), PAIRS)
def test_every_disagreement_has_a_witness(first: list[Spec], second: list[Spec], expected: list[str]) -> None:
    sides = message(*first), message(*second)
    found = list(disagreements(*map(form_of, sides)))
    assert len(found) == len(expected)
    for each in found:
        witness = witness_of(each, *sides)
        assert witness is not None
        replayed(witness, *sides)
        if witness.misread is not None:
            assert witness.misread.path in (each.first.path, each.second.path)


def test_what_a_null_does() -> None:
    text = field("X", "string")
    sides = message({**text, "nullableVersions": "0+"}, flexible="none"), message(text, flexible="none")
    (witness,) = witnesses(*sides)
    assert witness is not None
    assert (witness.writer, witness.value, witness.data.hex()) == (WriterSide.FIRST, {"X": None}, "ffff")
    assert witness.error is not None
    assert (witness.error.path, witness.error.offset) == ("X", 0)


def test_a_field_that_is_not_sent() -> None:
    lacking = field("L", versions="2+")
    sides = message(lacking), message({**lacking, "default": "7"})
    (witness,) = witnesses(*sides)
    assert witness is not None
    assert witness.misread == Misread("L", "L", 0, 7, is_sent=False)
