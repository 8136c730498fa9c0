"""Breaks that no layout shows."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace

import pytest

from tests.kafka import EXAMPLES
from tests.prove.examples import field
from tests.rules.restoring import protocol
from wirebook.rules.agreement.judgement import judgement
from wirebook.rules.agreement.relation import Kind
from wirebook.rules.engine import check
from wirebook.rules.released import Baseline, ReleasedSpec
from wirebook.specs.model import Message, Protocol
from wirebook.specs.profile import HeaderException
from wirebook.specs.reading.reader import read_message
from wirebook.specs.versions import Versions

# Its version is not flexible, so that no version has a layout.
TAGGED = field("T", "int8", taggedVersions="0+", tag=0)
NARROW, WIDE = field("A", "int8"), field("A", "int16")


def plain(inner: dict[str, object]) -> Protocol:
    return protocol(inner, TAGGED, flexibleVersions="none")


def shared(inner: dict[str, object]) -> Protocol:
    struct = {"name": "Shared", "versions": "0+", "fields": [inner]}
    keys = {"flexibleVersions": "none", "commonStructs": [struct]}
    return protocol(field("S", "[]Shared"), TAGGED, **keys)


@pytest.mark.parametrize("sides", [plain, shared])
@pytest.mark.parametrize("releases", [(), ("1.0",), ("1.0", "2.0")])
def test_a_change_of_versions_without_a_layout(
    sides: Callable[[dict[str, object]], Protocol], releases: tuple[str, ...]
) -> None:
    """It is an error, with the first release of the versions: what it does to peers is unknown."""
    before, after = sides(NARROW), sides(WIDE)
    baselines = [Baseline(name, before) for name in releases]
    (finding,) = check(before, after, baselines)
    assert (finding.rule, finding.severity, finding.versions.text) == ("layout-changed", "error", "0-1")
    assert finding.released_in == next(iter(releases), None)
    assert not list(check(before, before, baselines))


def test_a_change_without_a_layout_is_an_error_in_the_versions_of_a_release() -> None:
    """Other versions of the message are free, and so are those of a release that the patch removes."""
    before = plain(NARROW)
    after = protocol(WIDE, TAGGED, flexibleVersions="none", validVersions="1-2")
    release = protocol(NARROW, TAGGED, flexibleVersions="none", validVersions="0-1")
    versions = [
        each.versions.text
        for each in check(before, after, [Baseline("1.0", release)])
        if each.rule == "layout-changed"
    ]
    assert versions == ["1"]


def test_a_tag_of_a_shared_struct_belongs_to_one_field() -> None:
    """The same bytes under another name are those of another field."""

    def side(name: str) -> Protocol:
        struct = {"name": "Shared", "versions": "0+", "fields": [{**TAGGED, "name": name}]}
        return protocol(field("A", "[]Shared"), field("B", "Shared"), commonStructs=[struct])

    found = [(each.rule, each.field) for each in check(side("T"), side("U"), [Baseline("1.0", side("T"))])]
    assert found == [("tag-reused", "A.U")]


def test_a_tag_of_any_release_belongs_to_its_field() -> None:
    releases = [protocol(field("B", "int8"), validVersions="0"), protocol(field("B", "int8"), TAGGED)]
    after = protocol(field("B", "int8"), TAGGED | {"name": "U"})
    baselines = [Baseline(f"1.{number}", each) for number, each in enumerate(releases)]
    errors = [each for each in check(releases[0], after, baselines) if each.severity == "error"]
    assert [(each.rule, each.field, each.released_in) for each in errors] == [("tag-reused", "U", "1.1")]


def test_another_header_breaks_only_the_versions_to_which_a_profile_gives_it() -> None:
    def side(*exceptions: HeaderException) -> Message:
        spec = {"apiKey": 7, "type": "request", "name": "FooRequest", "validVersions": "0-3"}
        profile = replace(EXAMPLES, headers=EXAMPLES.headers._replace(exceptions=exceptions))
        text = json.dumps({**spec, "flexibleVersions": "none", "fields": []})
        return read_message(text, "FooRequest.json", profile=profile)

    old, new = side(HeaderException("request", 7, Versions(0, 1), 0)), side()
    breaks = judgement(old, new, [ReleasedSpec("1.0", old)], frozenset(range(4))).breaks
    assert [(each.kind, version) for each in breaks for version in sorted(each.versions)] == [
        (Kind.HEADER, 0),
        (Kind.HEADER, 1),
    ]
