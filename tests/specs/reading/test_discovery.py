"""What counts as a spec: by its content, and where that is broken, by where it lies and how it is called."""

from __future__ import annotations

import ntpath
import os

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.specs.trees import SPEC
from wirebook.specs.problems import InputError
from wirebook.specs.reading import discovery as found
from wirebook.specs.reading.discovery import SpecText, candidate, collect, digest_of, is_spec, place_of, shown
from wirebook.specs.reading.reader import read_message


@pytest.mark.parametrize(
    "text",
    [
        SPEC,
        b"\xef\xbb\xbf" + SPEC,
        *(SPEC.decode().encode(encoding) for encoding in ("utf-16", "utf-16-le", "utf-32", "utf-32-be")),
        b'// Words { "of" [ a licence.\n/* and\n "more */\n' + SPEC,
        b'{"validVersions": "none"}',
        b'{"name": "X", "type": "data", "fields": []}',
        b'{"type": "header", "name": "X", "flexibleVersions": "none"}',
        b'{"about": "a \\" quote and a { brace", "validVersions": "0"}',
        b'{"fields": [{"versions": "0", "name": "type"}], "validVersions": "0", "name": "X"',
        SPEC + b"trailing words",
        b'<<<<<<< HEAD\n{"validVersions": "0",\n=======\n{"validVersions": "0-1",\n',
        b'{"name": "X, "validVersions": "0"}',
        b'{"name": "X", "fields": [{"versions": "0"}, "validVersions": "0"}',
        b'{"name": "X", "validVersions" "0"}',
        b'{"fields": [{"name": "Y" 1}], validVersions: "0", "x": "validVersions"}',
        b'{"name": "X", "type": "request", "fields": [',
        b'{"name": "X" "type": "request", "validVersions"}',
        b'{"apiKey": 7, "type": "request", "name": "FooRequest", "valid',
        b'{"type": "data", "name": "Foo",',
        b"{'validVersions': \"validVersions\"",
    ],
)
def test_a_spec_counts_wherever_it_lies_even_when_broken(text: bytes) -> None:
    assert is_spec(text, 0)


@pytest.mark.parametrize(
    "text",
    [
        b"",
        b"[]",
        b"{}",
        b"words",
        b'{"name": "X", "type": "module", "fields": []}',
        b'{"name": "X", "type": "request"}',
        b'{"apiKey": "a secret", "type": "data"}',
        b'{"$schema": "x", "properties": {"validVersions": {"type": "string"}}}',
        b'{"schema": "wirebook/layout/1", "spec": {"validVersions": "0", "type": "request"}}',
        b'[{"validVersions": "0"}]',
        b'{"about": "\\"validVersions\\": 1"}',
    ],
)
def test_other_json_does_not(text: bytes) -> None:
    assert not is_spec(text, 0)


def test_a_path_says_what_a_broken_file_was_meant_to_be() -> None:
    assert place_of("x/common/message/FooRequest.json") == 2
    assert place_of("x/common/metadata/BarRecord.json") == 2
    assert place_of("messages/en.json") == 1
    assert place_of("x/FooRequest.json") == place_of("FooRequest.json") == 1
    assert place_of("message.json") == place_of("x/package.json") == place_of("messages/x/a.json") == 0
    assert [is_spec(b'{"broken"', place) for place in (0, 1, 2)] == [False, True, True]
    assert [is_spec(b'{"hello": "words"}', place) for place in (0, 1, 2)] == [False, False, True]


def test_the_beginning_of_a_large_text_counts_when_it_may_be_a_spec() -> None:
    assert not is_spec(b'{"rows": [1, 2, ', 0, whole=False)
    assert is_spec(b'{"rows": [1, 2, ', 1, whole=False)
    assert is_spec(SPEC, 0, whole=False)
    assert not is_spec(b'{"name": "X", "type": "data", "rows": [1, 2, ', 0, whole=False)


def test_paths_that_never_hold_specs() -> None:
    for path in ("a/b.json", "test.json", "a b/é.json", "latest/x.json", "a/.b.json"):
        assert candidate(path, tests=False)
    for path in ("src/test/a.json", "tests/a.json", "examples/a.json"):
        assert not candidate(path, tests=False)
        assert candidate(path, tests=True)
    for path in (
        ".a/b.json",
        "node_modules/a.json",
        "venv/lib/a.json",
        "lib/site-packages/kafka/a.json",
        "a/build/b.json",
        "bin/a.json",
        "a.JSON",
        "a",
    ):
        assert not candidate(path, tests=True)


def test_names_can_be_printed() -> None:
    assert shown("é b".encode()) == "é b"
    assert shown(b"\xff.json") == "\\xff.json"


def test_a_digest_is_the_one_that_git_gives() -> None:
    assert digest_of(b"") == "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391"
    assert digest_of(b"hello\n") == "ce013625030ba8dba906f756967f9e9ca394464a"


def test_there_are_limits_to_what_is_collected(monkeypatch: pytest.MonkeyPatch) -> None:
    texts = [SpecText(path, b"12345", "") for path in ("b", "a", "c")]
    assert [text.path for text in collect(texts, "x")] == ["a", "b", "c"]
    with pytest.raises(InputError, match="x: 'a' is in it twice"):
        collect([*texts, texts[1]], "x")
    monkeypatch.setattr(found, "MAX_FILES", 2)
    with pytest.raises(InputError, match="more than 2 specs"):
        collect(texts, "x")
    monkeypatch.setattr(found, "MAX_FILES", 3)
    monkeypatch.setattr(found, "MAX_TOTAL", 14)
    with pytest.raises(InputError, match="larger than 0 MiB together"):
        collect(texts, "x")


_WORDS = '"validVersions" "type" "request" "name" "fields" { } [ ] : , " \\ // /* */ 1 \n'
_bits = st.sampled_from(_WORDS.split(" "))


@given(st.lists(_bits, max_size=30).map(lambda bits: "{" + " ".join(bits)))
def test_whatever_the_reader_can_read_is_not_passed_over(text: str) -> None:
    try:
        message = read_message(text, "x.json")
    except InputError:
        assert isinstance(is_spec(text.encode(), 0), bool)
    else:
        assert is_spec(text.encode(), 0), message


@given(st.binary(max_size=200), st.booleans())
def test_no_text_is_too_odd_to_be_judged(text: bytes, whole: bool) -> None:
    assert is_spec(text, 2, whole=whole)
    assert is_spec(text, 1, whole=whole) >= is_spec(text, 0, whole=whole)


def test_a_path_on_another_drive_stays_absolute(monkeypatch: pytest.MonkeyPatch) -> None:
    assert found.relative("/a/b", "/a/c") == os.path.join(os.pardir, "b")
    monkeypatch.setattr(os.path, "relpath", ntpath.relpath)
    assert found.relative(r"D:\specs\FooRequest.json", r"C:\work") == r"D:\specs\FooRequest.json"
    assert found.relative(r"C:\work\specs", r"C:\work") == "specs"
