"""The reader of prose: what a file says, and where a bad one is wrong."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from wirebook.specs.kafka.releases import ReleaseList
from wirebook.specs.kafka.texts import CitedText, UseText, read_texts
from wirebook.specs.versions import Versions

RELEASES = ReleaseList(("4.0.0", "4.1.0", "4.1.1", "4.2.0", "4.3.1"), "4.3.1")


def document(**changes: Any) -> str:
    return json.dumps({"name": "Otter", "purpose": "Swims.", "messages": {}} | changes, indent=2)


def test_a_file_is_read_with_everything_that_it_says() -> None:
    found = read_texts(
        document(
            use={"sender": "Any  otter."},
            pitfalls=["Cold water."],
            versions={"0": "Begins."},
            requires={"0": "A dry den."},
            replaced_by=["Beaver"],
            messages={
                "OtterRequest": {
                    "fields": {"A": "One.", "B.C": {"0-1": "Old.", "2+": "New."}},
                    "replaced_by": {"A": "B.C"},
                }
            },
            errors=[
                {
                    "name": "WET",
                    "field": "Error",
                    "cause": "Rain.",
                    "action": "Dry.",
                    "source": "KIP-1",
                }
            ],
        ),
        "Otter.json",
        RELEASES,
    )
    assert (found.name, found.purpose, found.use) == (
        "Otter",
        "Swims.",
        UseText(sender="Any otter."),
    )
    assert (found.pitfalls, found.versions) == (("Cold water.",), {0: "Begins."})
    assert found.requires == {0: "A dry den."}
    request = found.messages["OtterRequest"]
    assert [request.about("B.C", version) for version in (0, 1, 2, 9)] == [
        "Old.",
        "Old.",
        "New.",
        "New.",
    ]
    assert (request.about("A", 7), request.about("none", 0)) == ("One.", "")
    assert (request.newest("B.C"), request.newest("none")) == ("New.", "")
    assert (found.replaced_by, request.replaced_by) == (("Beaver",), {"A": "B.C"})
    error = found.errors[0]
    assert (error.name, error.versions, error.inferred) == ("WET", Versions(0, 32767), False)


@pytest.mark.parametrize(
    ("release", "words"),
    [
        ("4.2.0", "An id. Since 4.2: any text. 4.1: base64 only."),
        ("4.1.1", "An id. 4.1: base64 only. Since 4.2: any text."),
        ("4.0.0", "An id. 4.1: base64 only. Since 4.2: any text."),
    ],
)
def test_a_text_begins_with_what_holds_in_the_verified_release(release: str, words: str) -> None:
    text = {"text": "An id.", "releases": {"4.1": "base64 only.", "4.2+": "any text."}}
    fields = {"A": text, "B": {"0": "Old.", "1+": text}}
    written = document(purpose=text, pitfalls=[text], messages={"OtterRequest": {"fields": fields}})
    read = read_texts(written, "Otter.json", replace(RELEASES, verified=release))
    assert (read.purpose, read.pitfalls) == (words, (words,))
    request = read.messages["OtterRequest"]
    assert [request.about("A", 3), request.about("B", 0), request.about("B", 1)] == [
        words,
        "Old.",
        words,
    ]


@pytest.mark.parametrize(
    ("ranges", "words"),
    [
        ("4.1", "4.1"),
        ("4.1+", "since 4.1"),
        ("4.0-4.2", "4.0 to 4.2"),
        ("4.4+", "from 4.4 (not released)"),
        ("4.1.1-4.1, 4.2+", "since 4.1.1 and 4.2"),
        ("4.0.1-4.0, 4.1.1-4.1, 4.3.1+", "since 4.1.1 and 4.3.1, from 4.0.1 (not released)"),
        ("4.0, 4.1.0-4.1.1", "4.0, 4.1.0 to 4.1.1"),
        ("4.1.1-4.1", "4.1.1 to 4.1"),
    ],
)
def test_ranges_of_releases_are_read_as_one_phrase(ranges: str, words: str) -> None:
    assert RELEASES.words(ranges) == words


def test_a_text_of_a_maintenance_branch_is_for_its_line() -> None:
    releases = {"4.0, 4.1.0": "any text.", "4.1.1-4.1, 4.2+": "base64 only."}
    written = document(purpose={"text": "An id.", "releases": releases})
    for release, words in (
        ("4.1.0", "An id. 4.0, 4.1.0: any text. Since 4.1.1 and 4.2: base64 only."),
        ("4.1.1", "An id. Since 4.1.1 and 4.2: base64 only. 4.0, 4.1.0: any text."),
    ):
        assert (
            read_texts(written, "Otter.json", replace(RELEASES, verified=release)).purpose == words
        )


def test_a_text_may_have_a_source_of_its_own() -> None:
    own = {"text": "Own.", "source": "Den.read", "reason": "nobody says it"}
    written = document(
        messages={"OtterRequest": {"fields": {"A": own, "D": {"0": own, "1+": "New."}}}}
    )
    read = read_texts(written, "Otter.json", RELEASES)
    assert read.cited == (CitedText("Own.", "Den.read", "nobody says it"),) * 2
