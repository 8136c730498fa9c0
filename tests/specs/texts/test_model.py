"""Prose about fields, values and use: which text a version has, and what is missing."""

from __future__ import annotations

import pytest

from wirebook.specs.texts.model import (
    NO_USE,
    FieldText,
    FieldValue,
    FieldValues,
    MessageTexts,
    UseText,
    first_sentence,
)
from wirebook.specs.versions import Versions


def test_a_use_is_complete_with_every_part() -> None:
    full = UseText("a", "b", "c", "d", "e")
    assert full.is_complete
    assert not NO_USE.is_complete
    for part in UseText._fields:
        assert not full._replace(**{part: ""}).is_complete


def test_the_values_of_a_version_and_their_document() -> None:
    old, new = (FieldValue(n, f"V{n}", "M.", Versions.parse(v)) for n, v in ((1, "0-1"), (2, "1+")))
    values = FieldValues((old, new), "Others.")
    assert [values.at(version).listed for version in (0, 1, 2)] == [(old,), (old, new), (new,)]
    assert values.at(0).others == "Others."
    document = values.to_json()
    assert document == {
        "listed": [
            {"value": 1, "name": "V1", "meaning": "M.", "versions": "0-1"},
            {"value": 2, "name": "V2", "meaning": "M.", "versions": "1+"},
        ],
        "others": "Others.",
    }
    assert FieldValues.from_json(document) == values


def test_the_newest_text_of_a_field_is_that_of_the_highest_versions() -> None:
    texts = MessageTexts(
        {"A": (FieldText(Versions(3, 5), "New."), FieldText(Versions(0, 2), "Old.")), "B": ()}
    )
    assert (texts.newest("A"), texts.newest("B"), texts.newest("C")) == ("New.", "", "")
    assert [texts.about("A", version) for version in (0, 2, 3, 5, 6)] == ["Old.", "Old.", "New.", "New.", ""]


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("One.", "One"),
        ("One. Two.", "One"),
        ("One of 1.5. Two.", "One of 1.5"),
        ("One\n\nTwo. Three.", "One"),
        ("", ""),
    ],
)
def test_the_first_sentence(text: str, sentence: str) -> None:
    assert first_sentence(text) == sentence
