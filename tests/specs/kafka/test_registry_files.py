"""The data files beside the messages: the ApiVersions, the error codes and the examples of the
format."""

from __future__ import annotations

import json
import re
from datetime import date
from functools import cache
from itertools import pairwise
from typing import Any

import pytest

from tests.kafka import read_kafka
from tests.specs.released_specs import release_order, text, texts
from tests.support import ROOT, SHARED, needs_shared
from wirebook.docgen.pipeline.older_releases import release_lines
from wirebook.specs.kafka.brokers import kafka_releases
from wirebook.specs.kafka.registry import load_registry
from wirebook.specs.kafka.releases import known_releases
from wirebook.specs.kafka.texts import all_texts
from wirebook.specs.layout import layout, layouts
from wirebook.specs.notes import purpose, version_notes

SPECS = ROOT / "specs" / "kafka"
EXAMPLES = ("FooRequest", "FooResponse")

# "- GROUP_AUTHORIZATION_FAILED (version 0+)" in the list of supported errors that some specs have.
SUPPORTED = re.compile(r"//\s*-\s*([A-Z][A-Z_]+) \(version")


def read(name: str) -> Any:
    return json.loads((SPECS / name).read_text(encoding="utf-8"))


def given(name: str) -> Any:
    assert SHARED is not None
    return json.loads((SHARED / "facts" / name).read_text(encoding="utf-8"))


@cache
def errors() -> dict[str, dict[str, Any]]:
    return {error["name"]: error for error in read("errors.json")["errors"]}


def is_sentence(about: str) -> bool:
    return len(about.split()) >= 2 and about.endswith(".") and about == " ".join(about.split())


# --- ApiVersions
# ------------------------------------------------------------------------------------------


def test_ids_rise_by_one_from_0_and_no_version_stands_twice() -> None:
    levels = load_registry().api_versions
    assert [level.id for level in levels] == list(range(len(levels)))
    versions = [level.version for level in levels]
    assert len(set(versions)) == len(versions)


def test_releases_stand_in_their_order_and_sub_versions_count_from_0() -> None:
    levels = load_registry().api_versions
    assert [level.release for level in levels] == sorted(
        (level.release for level in levels), key=release_order
    )
    for before, level in pairwise(levels):
        release, _, number = level.version.partition("-IV")
        assert release == level.release
        following = int(before.version.partition("-IV")[2]) + 1 if before.release == release else 0
        assert number == ("" if release_order(release) < (0, 10) else str(following)), level.version


def test_a_level_that_changes_the_metadata_ends_downgrades() -> None:
    """MetadataVersion of 3.9 up to 3.3-IV2, of 4.3.1 and of the branch of 4.4 since."""
    levels = [level for level in load_registry().api_versions if level.feature_level is not None]
    assert None not in {level.metadata_changed for level in levels}
    changed = [level.version for level in levels if level.metadata_changed]
    assert " ".join(changed) == (
        "3.0-IV1 3.2-IV0 3.3-IV1 3.3-IV2 3.3-IV3 3.4-IV0 3.5-IV2 3.6-IV1 3.6-IV2 3.7-IV0 3.7-IV2"
        " 4.0-IV1 4.3-IV0 4.4-IV1 4.4-IV2"
    )


@needs_shared
def test_api_versions_are_those_of_the_facts() -> None:
    own = read("api_versions.json")
    keys = ("id", "version", "release", "feature_level")
    assert [{key: level.get(key) for key in keys} for level in own] == given("api_versions.json")


# --- error codes
# ------------------------------------------------------------------------------------------


@needs_shared
def test_errors_are_those_of_the_facts() -> None:
    def facts_of(error: dict[str, Any], since: str) -> tuple[object, ...]:
        return error["code"], error["name"], error["retriable"], error[since]

    facts = [facts_of(error, "first_documented_in") for error in given("errors.json")["errors"]]
    own = [facts_of(error, "first_release") for error in errors().values()]
    assert own[: len(facts)] == facts
    assert [since for *_, since in own[len(facts) :]] == ["4.0"] * 2 + ["4.1"] * 4 + ["4.4"] * 3, (
        "the facts end with 3.9"
    )


@needs_shared
def test_apis_of_an_error_cover_the_lists_in_the_specs_of_releases() -> None:
    listed = {(error.name, api) for api, item in all_texts().items() for error in item.errors}
    found, apis = set(), set()
    for release in texts():
        for path, digest in texts()[release]:
            api = re.sub(r"(?:Request|Response)\.json$", "", path.rsplit("/", 1)[-1])
            apis.add(api)
            if path.endswith("Response.json"):
                found |= {(name, api) for name in SUPPORTED.findall(text(digest).decode())}
    assert len(found) > 150
    assert found - listed == set()
    assert {api for _, api in listed} - apis == set()


@needs_shared
def test_releases_are_those_of_the_history() -> None:
    tags, listed = set(texts()), known_releases().names
    since = listed.index(min(tags, key=release_order))
    # Kafka's repository has tags of these, the history does not.
    assert set(listed[since:]) - tags <= {
        "3.7.2", "3.8.1", "3.9.2", "4.0.2", "4.1.2", "4.2.2",
    }  # fmt: skip
    assert tags <= set(listed)


def test_every_release_has_a_day_a_level_ranges_and_a_page() -> None:
    days = read("releases.json")["releases"]
    pages = release_lines(load_registry().described)
    levels = {level.release: level for level in pages}
    for release in known_releases().names:
        numbers = release.split(".")
        line = ".".join(numbers[: 3 if numbers[0] == "0" else 2])
        assert date.fromisoformat(days[release]) <= date.today(), release
        assert levels[line].date == min(
            day for name, day in days.items() if name == line or name.startswith(f"{line}.")
        ), "the pages of a line say when its first release was"
        assert kafka_releases().broker(release).versions, release


# --- examples
# ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", EXAMPLES)
def test_an_example_reads_without_a_problem_and_has_its_two_tagged_fields(name: str) -> None:
    path = SPECS / "examples" / f"{name}.json"
    message = read_kafka(path.read_bytes(), path.name)
    assert message.problems == ()
    assert message.name == name
    assert len(purpose(message).split()) >= 10
    assert list(version_notes(message)) == [9]
    tags = {
        each.version: {field.path: field.tag for field in each.walk() if field.tag is not None}
        for each in layouts(message)
    }
    assert tags == {
        version: {"UserAgent": 0, "Foos.Bar": 0} if version == 9 else {} for version in range(10)
    }
    bar = next(field for field in layout(message, 9).walk() if field.name == "Bar")
    assert (bar.type, bar.default) == ("COMPACT_STRING", "hello world")
    assert all(is_sentence(field.about) for field in layout(message, 9).walk())
