"""Texts read quickly are as they are when read with care: values, places, comments and problems."""

from __future__ import annotations

import json
import pickle
from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support import ROOT, history_repo, needs_shared
from wirebook.specs.limits import MAX_NESTING, MAX_NUMBER
from wirebook.specs.model import Field, Message, SourceNode
from wirebook.specs.problems import InputError
from wirebook.specs.reading import reader
from wirebook.specs.reading.reader import read_message
from wirebook.specs.sources.git import GitRepo
from wirebook.specs.syntax.jsontext import JsonMembers, parse_json
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
    with GitRepo(history_repo()) as repo:
        texts = {
            entry.digest: repo.read(entry.digest)
            for tag in ("2.2.0", "2.8.0", "3.5.0", "4.0.0")
            for entry in repo.entries(repo.resolve(tag))
        }
    assert len(texts) > 400
    for text in texts.values():
        assert_same_with_care(monkeypatch, text)
    assert sum(read_quickly(text.decode()) is not None for text in texts.values()) > 0.9 * len(texts)


SPEC = """// A header.

// Of two paragraphs.
{
  // Of the key.
  "apiKey": 1, "type": "request", "name": "FooRequest",
  "validVersions": "0-2", "flexibleVersions": "1+",
  "fields": [
    // Of the field.
    { "name": "A", "type": "int32", "versions": "0+", "about": "See https://a.invalid/b." },
    { "name": "B", "type": "[]C", "versions": "1+", "fields": [
      { "name": "D", "type": "string", "versions": "1+" }
    ]}
  ]
}
"""


@given(
    st.integers(0, len(SPEC)),
    st.integers(0, 3),
    st.sampled_from(
        ["", "//", "/*", "*/", "// x\n", "\n//", "/* x */", '"', "\\u0041", "\\ud800", "\ufeff", "{", "}",
         "[", "]", ",", ":", "NaN", "-0", "01", "1.5", "1e400", "9" * 500, "true", '"a": 1,', '"name": "B",',
         "\r", "\t", "\0", "\u00a0", "\u2028", "é", "null", "{}", "[[]]"]
    ),
)  # fmt: skip
def test_any_text_that_is_inserted_into_a_spec(at: int, removed: int, inserted: str) -> None:
    with pytest.MonkeyPatch.context() as patch:
        assert_same_with_care(patch, SPEC[:at] + inserted + SPEC[at + removed :])


@pytest.mark.parametrize("depth", [MAX_NESTING - 2, MAX_NESTING - 1, MAX_NESTING, 5000])
@pytest.mark.parametrize("nest", ["[%s]", '{"a": %s}', '[{"a": %s}]'])
def test_depth_is_bounded_alike(depth: int, nest: str) -> None:
    times = depth // nest.count("%s") // (1 + nest.startswith("[{"))
    value = "1"
    for _ in range(times):
        value = nest % value
    with pytest.MonkeyPatch.context() as patch:
        assert_same_with_care(patch, f'{{"name": "A", "odd": {value}}}')


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


def test_positions_survive_pickling() -> None:
    pickled = pickle.loads(pickle.dumps(read_message(SPEC, "a.json")))
    message = read_message(SPEC, "a.json")
    assert pickled == message
    assert [item.position for item in nodes(pickled)] == [item.position for item in nodes(message)]
    assert pickled.fields[0].written.comments == ("Of the field.",)
    assert pickled.written.comments == ("Of the key.",)


@pytest.mark.parametrize(
    ("text", "is_quick"),
    [
        (SPEC, True),
        ("{}", True),
        (" [1, 2.5, null]", True),
        ("\n// a\n\t// b\r\n {}", True),
        ('{"a": 1}\n  // end\n', True),
        ('{"a": 1} // end\n', False),
        ('{"a": "/* x"}', False),
        ('{"a": "\\u0041"}', False),
        ('{"a": 1, "a": 2}', False),
        ('[{"a": 1}, {"a": 2}]', True),
        ('{"a": NaN}', False),
        ('{"a": -Infinity}', False),
        ('{"a": 1} x', False),
        ("\ufeff{}", False),
        ("[" * MAX_NESTING + "]" * MAX_NESTING, True),
        ("[" * (MAX_NESTING + 1) + "]" * (MAX_NESTING + 1), False),
        ("[" + "[], " * (MAX_NESTING + 5) + "{}]", True),
        ('{"a": ' * MAX_NESTING + "1" + "}" * MAX_NESTING, True),
        ('{"a": ' * (MAX_NESTING + 1) + "1" + "}" * (MAX_NESTING + 1), False),
        ("9" * MAX_NUMBER, True),
        ("9" * (MAX_NUMBER + 1), False),
        ("1." + "9" * (MAX_NUMBER - 2), True),
        ("1." + "9" * (MAX_NUMBER - 1), False),
    ],
)
def test_only_unusual_texts_are_left_to_the_careful_reader(text: str, is_quick: bool) -> None:
    document = read_quickly(text)
    assert (document is not None) is is_quick
    if document is not None:
        careful = parse_json(text, "")
        assert document.value == careful.value
        assert (document.offset, document.header) == (careful.offset, careful.header)
        assert (document.rest, document.byte_order_mark) == (None, False)


def test_objects_are_numbered_in_the_order_in_which_they_end() -> None:
    text = '{"a": {"b": 1}, "c": [{"d": {}}]}'
    for document in (read_quickly(text), parse_json(text, "")):
        assert document is not None
        top = document.value
        assert isinstance(top, JsonMembers)
        inner, listed = top["a"], top["c"]
        assert isinstance(inner, JsonMembers)
        assert isinstance(listed, list)
        assert (inner.number, listed[0]["d"].number, listed[0].number, top.number) == (0, 1, 2, 3)
