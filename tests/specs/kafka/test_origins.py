"""Where Kafka's repository defines levels, specs and code: complete, and right where a history is
at hand."""

from __future__ import annotations

import json
import re

import pytest
from jsonschema import Draft202012Validator

from tests.specs.released_specs import text, texts
from tests.support import ROOT, needs_shared
from wirebook.specs.kafka.origins import (
    PATH,
    citations,
    release_of,
    spec_runs,
)
from wirebook.specs.kafka.registry import embedded_protocol
from wirebook.specs.kafka.releases import known_releases


def test_the_file_is_valid() -> None:
    schema = json.loads((ROOT / "specs" / "schema" / "origins.json").read_text(encoding="utf-8"))
    Draft202012Validator(schema).validate(json.loads(PATH.read_text(encoding="utf-8")))


def test_every_version_of_every_message_has_a_place() -> None:
    for message in embedded_protocol().messages:
        runs = spec_runs()[message.name]
        for version in message.valid_versions:
            (run,) = (run for run in runs if version in run.versions)
            assert re.search(r"/src/main/resources/(?:common/)?\w+/\w+\.json$", run.place.path)


@needs_shared
def test_lines_are_those_of_the_releases() -> None:
    digests = {
        (release, path): digest for release, files in texts().items() for path, digest in files
    }
    lines: dict[str, list[str]] = {}
    for message in embedded_protocol().messages:
        for run in spec_runs()[message.name]:
            digest = digests.get((run.place.release, run.place.path))
            if digest is None:
                assert run.place.release not in texts(), "the history has every tag that it names"
                continue
            file = lines.setdefault(digest, text(digest).decode().split("\n"))
            assert file[run.place.line - 1].startswith("{")


@needs_shared
def test_the_newest_release_with_a_version_defines_it() -> None:
    newest = {
        run.place.release for runs in spec_runs().values() for run in runs if 18 in run.versions
    }
    assert newest == {known_releases().verified}


@pytest.mark.parametrize(
    ("source", "release"),
    [
        ("KafkaApis", known_releases().verified),
        ("KafkaApis (3.4)", "3.4.1"),
        ("KafkaApis (before 4.0)", "3.9.2"),
        ("KafkaApis of Kafka 3.x", "3.9.2"),
        ("KafkaApis (0.11.0)", "0.11.0.3"),
        ("KafkaApis (9.9)", ""),
    ],
)
def test_a_citation_is_of_the_newest_release_of_its_line(source: str, release: str) -> None:
    (citation,) = citations(source)
    assert release_of(citation) == release
