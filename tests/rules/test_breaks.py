"""What a patch breaks for peers of releases."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from tests.kafka import EXAMPLES
from tests.prove.examples import field
from tests.rules.restoring import protocol
from wirebook.rules.breaks import verdict_of
from wirebook.rules.engine import check
from wirebook.rules.released import Baseline, ReleasedSpec
from wirebook.specs.model import Message, Protocol
from wirebook.specs.profile import HeaderRange
from wirebook.specs.reader import read_message
from wirebook.specs.versions import Versions

TAGGED = field("T", "int8", taggedVersions="0+", tag=0)


def test_a_tag_of_a_shared_struct_belongs_to_one_field() -> None:
    """The same bytes under another name are those of another field."""

    def side(name: str) -> Protocol:
        struct = {"name": "Shared", "versions": "0+", "fields": [{**TAGGED, "name": name}]}
        return protocol(field("A", "[]Shared"), field("B", "Shared"), commonStructs=[struct])

    found = [
        (each.rule, each.field)
        for each in check(side("T"), side("U"), [Baseline("1.0", side("T"))])
    ]
    assert found == [("tag-reused", "A.U")]


def test_a_tag_of_any_release_belongs_to_its_field() -> None:
    releases = [
        protocol(field("B", "int8"), validVersions="0"),
        protocol(field("B", "int8"), TAGGED),
    ]
    after = protocol(field("B", "int8"), TAGGED | {"name": "U"})
    baselines = [Baseline(f"1.{number}", each) for number, each in enumerate(releases)]
    errors = [each for each in check(releases[0], after, baselines) if each.severity == "error"]
    assert [(each.rule, each.field, each.released_in) for each in errors] == [
        ("tag-reused", "U", "1.0")
    ]


def test_another_header_breaks_only_the_versions_to_which_a_profile_gives_it() -> None:
    def side(*ranges: HeaderRange) -> Message:
        spec = {"apiKey": 7, "type": "request", "name": "FooRequest", "validVersions": "0-3"}
        profile = replace(
            EXAMPLES, headers=EXAMPLES.headers._replace(exceptions={("request", 7): ranges})
        )
        text = json.dumps({**spec, "flexibleVersions": "none", "fields": []})
        return read_message(text, "FooRequest.json", profile=profile)

    old, new = side(HeaderRange(Versions(0, 1), 0)), side()
    released = ReleasedSpec(("1.0",), old, frozenset(range(4)), frozenset(range(4)))
    breaks = verdict_of(old, new, [released]).breaks
    assert [(each.rule, sorted(each.versions)) for each in breaks] == [
        ("header-version-changed", [0, 1])
    ]


INT, LONG, TEXT = field("A", "int32"), field("A", "int64"), field("A", "string")


@pytest.mark.parametrize(
    ("base", "head", "expected"),
    [
        # Where peers of the release misread base, head is compared with base.
        (LONG, TEXT, ["A is string instead of int64"]),
        (LONG, LONG, []),
        (LONG, INT, []),
    ],
)
def test_a_version_that_base_breaks_already(
    base: dict[str, object], head: dict[str, object], expected: list[str]
) -> None:
    found = check(protocol(base), protocol(head), [Baseline("1.0", protocol(INT))])
    assert [
        each.message.partition(":")[0] for each in found if each.severity == "error"
    ] == expected


def test_what_a_patch_restores_is_no_break() -> None:
    other = field("B", "int32")
    base, head = (
        protocol(LONG, {**other, "type": "int64"}),
        protocol(INT, {**other, "type": "int64"}),
    )
    assert not [
        each
        for each in check(base, head, [Baseline("1.0", protocol(INT, other))])
        if each.severity == "error"
    ]


def test_nobody_misreads_bytes_that_no_version_carries() -> None:
    """Version 0 lacks the field: there, only the default differs."""
    before, after = (
        protocol({"name": "B", "type": kind, "versions": "1+", "default": default})
        for kind, default in (("int32", "5"), ("int64", "6"))
    )
    (found,) = check(before, after)
    assert (found.rule, found.versions.text) == ("type-changed", "0-1")
    assert found.message == (
        "B is int64 instead of int32: peers that use the other spec misread it and everything "
        "after it; in version 0 only its default differs"
    )


def test_only_the_newest_release_of_a_version_counts() -> None:
    releases = [Baseline("1.0", protocol(INT)), Baseline("2.0", protocol(LONG))]
    assert not check(protocol(INT), protocol(LONG), releases)[1:]
    (finding,) = [
        each for each in check(protocol(LONG), protocol(INT), releases) if each.severity == "error"
    ]
    assert (finding.rule, finding.releases) == ("type-changed", ("2.0",))
    # Peers have the version since the first release, though in another form.
    assert finding.released_in == "1.0"


def test_what_no_release_knows_may_change_in_a_version_that_base_breaks() -> None:
    """A tagged struct of base that the release skips, beside a field that the release misreads."""
    inner = field("X", "int8")
    tagged = {"name": "T", "type": "S", "versions": "0+", "taggedVersions": "0+", "tag": 0}
    base = protocol(LONG, {**tagged, "fields": [inner]})
    head = protocol(LONG, {**tagged, "fields": [inner, field("Y", "int8")]})
    assert not check(base, head, [Baseline("1.0", protocol(INT))])


LATER = {"versions": "1+", "taggedVersions": "1+"}


@pytest.mark.parametrize(
    ("base", "head", "rule"),
    [
        # A reader of base fails, one of head loses the value.
        (TAGGED | LATER, field("T", "int8", versions="1+"), "tagging-changed"),
        # The bytes are those of another name in base, and refused in head.
        (TAGGED | {"name": "U"}, TAGGED | LATER | {"name": "V"}, "tag-reused"),
    ],
)
def test_another_effect_on_a_reader_breaks_again(
    base: dict[str, Any], head: dict[str, Any], rule: str
) -> None:
    released, old, new = (protocol(each, validVersions="0-1") for each in (TAGGED, base, head))
    found = check(old, new, [Baseline("1.0", released)])
    errors = [each for each in found if each.severity == "error"]
    assert (0, rule) in [(min(each.versions), each.rule) for each in errors]
