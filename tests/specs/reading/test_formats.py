"""Formats of specs: which paths they may claim, and names that are none."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.repositories import request, response
from tests.support import lay
from wirebook.specs.problems import InputError
from wirebook.specs.reading.formats import claimed, format_named
from wirebook.specs.sources.source import Source, open_source


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("franzgo", 'there is no format "franzgo"; did you mean "franz-go"?'),
        ("kafkajson", 'there is no format "kafkajson"; did you mean "kafka-json"?'),
        ("xml", 'there is no format "xml"; there are kafka-json, franz-go'),
    ],
)
def test_a_name_that_is_no_format_has_a_hint(name: str, words: str) -> None:
    with pytest.raises(InputError) as caught:
        format_named(name)
    assert str(caught.value) == words


def test_the_first_format_that_claims_a_file_counts() -> None:
    formats = [format_named("kafka-json"), format_named("franz-go")]
    definition = b"FooRequest => key 1, max version 1\n"
    assert claimed(formats, "message/FooRequest.json", definition) is formats[0]
    assert claimed(formats[::-1], "message/FooRequest.json", definition) is formats[1]
    assert claimed(formats, "enums", definition) is formats[1]
    assert claimed(formats, "enums", b"{}") is None
    # The beginning of a large text is judged by what may follow.
    head = b'{"rows": [1, 2, '
    assert claimed(formats, "FooRequest.json", head, whole=False) is formats[0]
    assert claimed(formats, "x.json", head, whole=False) is claimed(formats, "x.json", head) is None


def test_files_of_tests_count_only_on_request(tmp_path: Path) -> None:
    folder = lay(tmp_path, {"test/FetchRequest.json": request(), "FetchResponse.json": response()})
    for source in (Source("directory", str(folder), "it"), open_source(str(folder))):
        assert [text.path for text in source.texts()] == ["FetchResponse.json"]
    every = open_source(str(folder), tests=True).texts()
    assert [text.path for text in every] == ["FetchResponse.json", "test/FetchRequest.json"]
    for name, path in (("kafka-json", "test/a.json"), ("franz-go", "test/a")):
        item = format_named(name)
        assert item.may_claim(path, tests=True)
        assert not item.may_claim(path)
        assert not item.may_claim(path, tests=False)
        assert item.may_claim(path.removeprefix("test/"))
    empty = Source("directory", str(lay(tmp_path / "none", {"x.txt": ""})), "it")
    assert empty.texts_if_any() == []
    with pytest.raises(InputError, match=r"^no message specs in it$"):
        empty.texts()
