"""The messages that prove a disagreement, replayed by the codec."""

from __future__ import annotations

import json
import random
from typing import Any

import pytest

from tests.rules.agreement.exhaustive import VERSION, messages
from tests.rules.agreement.pairs import PAIRS, Spec, field, tagged
from wirebook.rules.agreement.forms import form_of
from wirebook.rules.agreement.relation import Kind, WriterSide, disagreements
from wirebook.rules.agreement.witness import Misread, Witness, witness_of
from wirebook.specs.reading.reader import read_message
from wirebook.specs.wire.codec import codec
from wirebook.specs.wire.layout import Layout, layout
from wirebook.specs.wire.scalars import WireError


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


@pytest.mark.parametrize("kind", ["string", "[]int32"])
def test_a_null_fails_at_the_field_that_it_is_about(kind: str) -> None:
    """Another field whose nulls are rejected, too, is not null: the reader gets to the field concerned."""
    names = ("First", "Second", "Third")
    before = [field(name, kind, nullableVersions="0+") for name in names]
    found = witnesses(message(*before), message(*(field(name, kind) for name in names)))
    for name, witness in zip(names, found, strict=True):
        assert witness is not None
        assert witness.error is not None
        assert witness.error.path == name
        assert [each for each in names if witness.value[each] is None] == [name]


def test_bytes_of_another_field_are_named() -> None:
    fields = field("Left", "int16"), field("Id")
    (witness, *_) = witnesses(message(*fields), message(*reversed(fields)))
    assert witness is not None
    assert witness.misread == Misread("Id", "Left", 1, 65536)


def test_what_an_unsigned_number_does() -> None:
    sides = message(field("X", "int16")), message(field("Y", "uint16"))
    (witness,) = witnesses(*sides)
    assert witness is not None
    assert witness.error is None
    assert witness.misread == Misread("Y", "X", -32768, 32768)


def test_a_field_that_is_not_sent() -> None:
    lacking = field("L", versions="2+")
    sides = message(lacking), message({**lacking, "default": "7"})
    (witness,) = witnesses(*sides)
    assert witness is not None
    assert witness.misread == Misread("L", "L", 0, 7, is_sent=False)


@pytest.mark.parametrize(
    ("beside", "other"),
    [
        # Without the field, readers take another default; with it, they read or reject other bytes.
        (tagged("U", 0, default="5"), tagged("U", 0, "string")),
        (tagged("U", 0, "int8"), tagged("U", 0, "uuid")),
        (field("U", "[]int8"), field("U", "[]uuid")),
    ],
)
@pytest.mark.parametrize("kind", ["int8", "string", "[]int8"])
def test_a_lost_value_is_that_of_its_field_whatever_else_differs(
    kind: str, beside: Spec, other: Spec
) -> None:
    sides = message(tagged("T", 1, kind), beside), message(field("T", kind, versions="2+"), other)
    misread = witness_on(Kind.LOST, *sides).misread
    assert misread is not None
    assert (misread.path, misread.source, misread.is_sent) == ("T", "T", True)
    # The same where the new side sends it.
    misread = witness_on(Kind.LOST, *reversed(sides)).misread
    assert misread is not None
    assert (misread.path, misread.source, misread.is_sent) == ("T", "T", True)


def witness_on(kind: Kind, first: Layout, second: Layout) -> Witness:
    """The witness of the first disagreement of a kind."""
    each, *_ = (each for each in disagreements(form_of(first), form_of(second)) if each.kind is kind)
    witness = witness_of(each, first, second)
    assert witness is not None
    replayed(witness, first, second)
    return witness


def test_a_null_is_shown_by_a_null() -> None:
    tagged = {"tag": 0, "taggedVersions": "0+"}
    first = message(field("X", "[]int32", nullableVersions="0+", default="null", **tagged))
    witness = witness_on(Kind.NULL, first, message(field("X", "[]int32", **tagged)))
    # The default differs, too: that needs no byte, and shows nothing about nulls.
    assert witness.error is not None
    assert witness.is_explicit


def test_a_null_that_is_read_as_a_struct_is_misread_as_a_whole() -> None:
    def side(kind: str, **keys: str) -> Layout:
        return message(tagged("T", 0, "T0", fields=[tagged("A", 0, kind)], **keys))

    witness = witness_on(Kind.NULL, side("int8", nullableVersions="0+"), side("uuid"))
    assert witness.misread is not None
    assert (witness.misread.path, witness.misread.written) == ("T", None)


def test_a_default_in_an_array_is_shown_by_an_element() -> None:
    def side(**keys: str) -> Layout:
        inside = [field("X", "int32", versions="0", **keys), field("Y", "int32")]
        return message(
            field("L", "[]S", fields=inside), field("N", "S1", nullableVersions="0+", fields=inside)
        )

    first, second = side(), side(default="5")
    for each in disagreements(form_of(first), form_of(second)):
        witness = witness_of(each, first, second)
        assert witness is not None
        replayed(witness, first, second)
        name = each.first.path.partition(".")[0]
        around: dict[str, Any] = {"L": {"L": [{"Y": 0}], "N": None}, "N": {"L": [], "N": {"Y": 0}}}
        assert witness.value == around[name]


def test_a_struct_whose_only_value_is_its_default_may_be_sent() -> None:
    def side(inside: Spec) -> Layout:
        return message(tagged("C", 0, "SC", fields=[inside], nullableVersions="0+"))

    later = field("Q", "string", versions="2+")
    witness = witness_on(Kind.LENGTH, side(later), side(field("P", "SP", fields=[later])))
    assert (witness.value, witness.is_explicit) == ({}, True)


@pytest.mark.parametrize(("one", "other"), [(0, 1), (1, 0), (1, 2), (3, 1)])
def test_a_struct_of_one_value_under_a_tag_may_be_sent(one: int, other: int) -> None:
    """Each struct in it ends with an empty section of tags, which is all that is sent."""

    def side(count: int) -> Layout:
        inside = field("Q", "string", versions="2+")
        for number in range(count):
            inside = field(f"P{number}", f"SP{number}", fields=[inside])
        return message(tagged("C", 0, "SC", fields=[inside]))

    witness = witness_on(Kind.LENGTH, side(one), side(other))
    sections = (one if witness.writer is WriterSide.FIRST else other) + 1
    assert witness.is_explicit
    assert witness.data == bytes((1, 0, sections, *[0] * sections))


def test_a_default_in_a_nullable_struct_that_is_not_sent_is_shown_by_nothing() -> None:
    def side(kind: str) -> Layout:
        return message(tagged("C", 0, "SC", fields=[field("P", kind)], nullableVersions="0+"))

    witness = witness_on(Kind.DEFAULT, side("bytes"), side("records"))
    assert (witness.value, witness.misread and witness.misread.is_sent) == ({}, False)


def test_a_type_is_not_shown_by_a_null() -> None:
    first = message(field("X", "string", nullableVersions="0+"))
    witness = witness_on(Kind.TYPE, first, message(field("X", "bytes", nullableVersions="0+")))
    assert witness.value["X"] is not None


def test_a_misread_value_is_not_nothing() -> None:
    # A message of zero bytes is read as zero and an empty array the other way round.
    first = message(field("A", "[]int32"), field("B", "uuid"), flexible="none")
    second = message(field("B", "uuid"), field("A", "[]int32"), flexible="none")
    for each in disagreements(form_of(first), form_of(second)):
        witness = witness_of(each, first, second)
        assert witness is not None
        assert any(witness.data)
