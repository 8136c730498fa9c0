"""Our prose about Kafka's messages: complete, about what exists, and in our own words."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import jsonschema

from tests.specs.kafka.text_check import check_texts, gaps
from tests.specs.released_specs import text, texts
from tests.support import needs_shared
from tests.together import together
from wirebook.specs.json_records import from_json, to_json
from wirebook.specs.jsontext import parse_json
from wirebook.specs.kafka.registry import FOLDER, embedded_protocol
from wirebook.specs.kafka.releases import numbers_of, spans_of
from wirebook.specs.kafka.texts import TEXTS, ApiTexts, all_texts, all_values, texts_of, with_texts
from wirebook.specs.layout import layout
from wirebook.specs.model import FieldValues, Protocol

COPIED_WORDS = 8
PROTOCOL: Protocol = embedded_protocol()


def sentences(texts: ApiTexts) -> Iterator[str]:
    yield texts.purpose
    yield from texts.use
    yield from texts.pitfalls
    yield from texts.versions.values()
    yield from texts.requires.values()
    for message in texts.messages.values():
        for parts in message.fields.values():
            yield from (part.text for part in parts)
        for values in message.values.values():
            yield from (item.meaning for item in values.listed)
            yield values.others
    for error in texts.errors:
        yield from (error.cause, error.action)


def test_every_text_is_about_something_that_exists() -> None:
    assert check_texts(PROTOCOL).keys() == all_texts().keys()


def test_values_name_the_releases_that_know_them() -> None:
    listed = all_values()["DescribeConfigsRequest"]["Resources.ResourceType"].listed
    assert {item.name: item.releases for item in listed} == {
        "TOPIC": "", "BROKER": "", "BROKER_LOGGER": "since 2.4", "CLIENT_METRICS": "since 3.7",
        "GROUP": "since 4.0",
    }  # fmt: skip
    found = all_values()["DescribeConfigsRequest"]["Resources.ResourceType"]
    assert from_json(FieldValues, to_json(found)) == found


def test_every_api_version_and_field_has_a_text() -> None:
    missing = list(gaps(PROTOCOL, all_texts()))
    assert not missing, "\n".join(missing)


@together("name", sorted(all_texts()))
def test_a_text_is_a_sentence_and_not_thin(name: str) -> None:
    texts = all_texts()[name]
    for sentence in sentences(texts):
        if sentence:
            assert sentence.endswith((".", "?", "!")), sentence
            assert len(sentence.split()) >= 3, sentence
    assert len(texts.purpose.split()) >= 6


@needs_shared
def test_no_sentence_is_taken_over_from_kafka() -> None:
    taken: set[tuple[str, ...]] = set()
    for digest in {digest for rows in texts().values() for _, digest in rows}:
        for sentence in written(text(digest).decode()):
            taken.update(runs(sentence))
    assert len(taken) > 5_000
    for name, own in all_texts().items():
        copied = [" ".join(run) for line in sentences(own) for run in runs(line) if run in taken]
        assert copied == [], name


def written(spec: str) -> Iterator[str]:
    """The abouts of a spec and its comments, each block of comment lines as one."""
    yield from re.findall(r'"about"\s*:\s*"((?:[^"\\]|\\.)*)"', spec)
    for block in re.findall(r"(?:^[ \t]*//.*\n)+", spec, re.MULTILINE):
        yield block.replace("//", " ")


def runs(sentence: str) -> Iterator[tuple[str, ...]]:
    words = re.findall(r"\w+", sentence.casefold())
    for place in range(len(words) - COPIED_WORDS + 1):
        yield tuple(words[place : place + COPIED_WORDS])


def test_a_layout_has_the_text_of_its_version() -> None:
    message = next(item for item in PROTOCOL.messages if item.name == "HeartbeatRequest")
    own = texts_of("Heartbeat")
    assert own is not None
    fields = {field.path: field.about for field in layout(with_texts(message), 4).fields}
    assert fields["GroupId"] == own.messages["HeartbeatRequest"].about("GroupId", 4)
    assert layout(message, 4).fields[0].about == ""


def test_the_files_are_valid_by_their_schema() -> None:
    schema = json.loads((TEXTS.parents[1] / "schema" / "texts.json").read_text(encoding="utf-8"))
    validator = jsonschema.Draft202012Validator(schema)
    for name in all_texts():
        document = json.loads(
            (TEXTS / f"{name}.json").read_text(encoding="utf-8").split("\n", 1)[1]
        )
        assert list(validator.iter_errors(document)) == [], name


def ranges_in(node: Any) -> Iterator[str]:
    """The ranges of releases that a file names."""
    if isinstance(node, dict):
        releases = node.get("releases", ())
        yield from [releases] if isinstance(releases, str) else releases
    inside = node.values() if isinstance(node, dict) else node
    for inner in inside if isinstance(node, dict | list) else ():
        yield from ranges_in(inner)


def test_ranges_of_releases_are_in_order_and_name_releases_that_exist() -> None:
    known = json.loads((FOLDER / "releases.json").read_bytes())
    numbers = map(numbers_of, (*known["releases"], *known["unreleased"]))
    known_numbers = {name[:end] for name in numbers for end in range(2, len(name) + 1)}
    files = [parse_json(path.read_bytes(), path.name).value for path in TEXTS.glob("*.json")]
    files.append(json.loads((FOLDER / "values.json").read_bytes()))
    for each in {each for file in files for each in ranges_in(file)}:
        assert {*map(numbers_of, re.findall(r"[\d.]+", each))} <= known_numbers, each
        spans = spans_of(each)
        assert all(span.after is None or span.first < span.after for span in spans), each
        for one, following in pairwise(spans):
            assert one.after is not None, each
            assert one.after <= following.first, each
