"""What templates are given: words for defaults, names that break, and blocks that leave no lines."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from markupsafe import Markup

from tests.docgen.histories import field, request, text_of
from wirebook.docgen.render.kit.environment import (
    default_word,
    environment,
    own_templates,
    preformatted,
    render,
    shown,
    with_article,
)
from wirebook.specs.problems import InputError
from wirebook.specs.reading.reader import read_message
from wirebook.specs.wire.exported import ExportedField
from wirebook.specs.wire.layout import layout

UUID = "6f1e2c3d-8a9b-4c5d-9e0f-a1b2c3d4e5f6"


def exported(**changes: Any) -> ExportedField:
    spec = request("Foo", 1, "0", field("A"))
    (made,) = layout(read_message(text_of(spec), "x"), 0).exported().fields
    return made._replace(**changes)


@pytest.mark.parametrize(
    ("kind", "default", "word"),
    [
        ("int32", 0, "0"),
        ("int32", -1, "-1"),
        ("float64", 0.5, "0.5"),
        ("bool", True, "true"),
        ("bool", False, "false"),
        ("string", None, "null"),
        ("string", "", '""'),
        ("string", "é", '"é"'),
        ("bytes", "", "empty"),
        ("bytes", "00", '"00"'),
        ("[]int32", [], "empty"),
        ("Struct", {}, "defaults"),
        ("uuid", "00000000-0000-0000-0000-000000000000", "zero"),
        ("uuid", UUID, UUID),
    ],
)
def test_a_default_is_a_word(kind: str, default: object, word: str) -> None:
    assert default_word(exported(spec_type=kind, default=default)) == word


@pytest.mark.parametrize(
    ("word", "with_it"), [("broker", "a broker"), ("edge", "an edge"), ("Actor", "an Actor")]
)
def test_a_word_has_its_article(word: str, with_it: str) -> None:
    assert with_article(word) == with_it


def test_values_are_shown_as_text() -> None:
    assert [shown(value) for value in (None, 0, False, "a\u202e", Markup("<b>"))] == [
        "", 0, False, "a\\u202e", "<b>",
    ]  # fmt: skip
    assert preformatted("a\n\n<b>\n\n") == "a\n\n&lt;b&gt;"


def test_blocks_and_their_indentation_leave_nothing(tmp_path: Path) -> None:
    text = "<p>\n  {% if text %}\n  {{ text }}\n  {% endif %}\n</p>"
    (tmp_path / "example.html.jinja").write_text(text)
    with own_templates(tmp_path):
        assert render("example.html.jinja", text="<x>") == "<p>\n  &lt;x&gt;\n</p>"
    assert environment() is environment()
    assert "&lt;x&gt;" in render("example.html.jinja", text="<x>")
    assert render("example.html.jinja", text="<x>") != "<p>\n  &lt;x&gt;\n</p>"


def test_only_names_of_our_templates_may_be_replaced(tmp_path: Path) -> None:
    with (
        pytest.raises(InputError, match="there is no such folder of templates"),
        own_templates(tmp_path / "a"),
    ):
        pass
    (tmp_path / "mine.html.jinja").write_text("")
    with pytest.raises(InputError, match="no generated page has a template of this name") as caught:  # noqa: SIM117
        with own_templates(tmp_path):
            pass
    assert "mine.html.jinja" in str(caught.value)
