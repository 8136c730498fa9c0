"""Texts read quickly are as they are when read with care: values, places, comments and problems."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.sources import texts_at
from tests.support import ROOT, history_repo, needs_shared
from wirebook.specs.model import Field, Message, SourceNode
from wirebook.specs.problems import InputError
from wirebook.specs.reading import reader
from wirebook.specs.reading.reader import read_message
from wirebook.specs.syntax.jsontext import parse_json
from wirebook.specs.syntax.quickjson import read_quickly

FILES = sorted([*ROOT.glob("specs/kafka/messages/*.json"), *ROOT.glob("tests/rules/fixtures/*/*/**/*.json")])


def nodes(message: Message) -> Iterator[SourceNode]:
    def inside(fields: Iterable[Field]) -> Iterator[SourceNode]:
        for item in fields:
            yield item.written
            yield from inside(item.fields or ())

    yield message.written
    yield from inside(message.fields)
    for struct in message.common_structs:
        yield struct.written
        yield from inside(struct.fields)
    for entry in message.history:
        yield entry.written


def facts(text: bytes | str) -> object:
    """Everything known about a spec, or why it is refused."""
    try:
        message = read_message(text, "a.json", strict=False)
    except InputError as error:
        return str(error)
    written = [
        (item.position, item.offset, dict(item.offsets), item.keys, item.comments, item.unknown)
        for item in nodes(message)
    ]
    return message, message.header, message.problems, written


def assert_same_with_care(monkeypatch: pytest.MonkeyPatch, text: bytes | str) -> None:
    quick = facts(text)
    with monkeypatch.context() as patch:
        patch.setattr(reader, "read_quickly", lambda text: None)
        assert facts(text) == quick


@pytest.mark.share(6)
@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(ROOT)))
def test_our_specs_and_fixtures(monkeypatch: pytest.MonkeyPatch, path: Path) -> None:
    assert_same_with_care(monkeypatch, path.read_bytes())


@needs_shared
def test_specs_of_the_history_most_of_them_quickly(monkeypatch: pytest.MonkeyPatch) -> None:
    tags = ("2.2.0", "2.8.0", "3.5.0", "4.0.0")
    texts = {each.digest: each.text for tag in tags for each in texts_at(history_repo(), tag)}
    assert len(texts) > 400
    for text in texts.values():
        assert_same_with_care(monkeypatch, text)
    assert sum(read_quickly(text.decode()) is not None for text in texts.values()) > 0.9 * len(texts)


@given(st.recursive(st.none() | st.booleans() | st.integers() | st.floats() | st.text(), st.lists))
def test_values_are_those_of_the_careful_reader(value: object) -> None:
    text = json.dumps({"a": value}, ensure_ascii=False)
    document = read_quickly(text)
    try:
        careful = parse_json(text, "").value
    except InputError:
        assert document is None
    else:
        assert document is None or repr(document.value) == repr(careful)
