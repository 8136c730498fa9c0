"""What the old side lacks and a release had: it comes back as it was, or it is judged as a
change."""

from __future__ import annotations

from typing import Any

import pytest

from tests.rules.restoring import DATA, ID, protocol
from wirebook.rules.engine import check
from wirebook.rules.finding import Finding, Severity
from wirebook.rules.released import Baseline
from wirebook.specs.model import Protocol

OTHER = protocol(ID, apiKey=901, name="BarRequest")
WIDE = {"name": "Id", "type": "int64", "versions": "0+"}
ZONE = {"name": "Zone", "type": "string", "versions": "1+", "tag": 0, "taggedVersions": "1+"}


def found(old: Protocol, new: Protocol, *released: Protocol) -> list[Finding]:
    baselines = [Baseline(f"1.{number}.0", item) for number, item in enumerate(released)]
    return [item for item in check(old, new, baselines) if item.category == "wire"]


def findings(old: Protocol, new: Protocol, *released: Protocol) -> list[tuple[str, Severity, str]]:
    return [(item.rule, item.severity, item.versions.text) for item in found(old, new, *released)]


def test_a_version_that_comes_back_has_the_bytes_of_its_release() -> None:
    whole, later = protocol(ID, DATA), protocol(ID, DATA, validVersions="1")
    assert findings(later, whole, whole) == []
    assert findings(later, protocol(ID, DATA | {"versions": "1+"}), whole) == [
        ("field-versions-changed", Severity.ERROR, "0")
    ]
    # What only the old side lacks is another's doing where nobody brings it back.
    assert findings(later, protocol(ID, DATA, validVersions="1-2"), whole) == []


def test_what_comes_back_is_as_the_newest_release_has_it() -> None:
    first, second = protocol(WIDE), protocol(ID)
    expected = [("type-changed", Severity.ERROR, "0-1")]
    assert findings(OTHER, Protocol((*OTHER, *first)), first, second) == expected
    assert findings(OTHER, Protocol((*OTHER, *second)), first, second) == []
    assert findings(OTHER, Protocol((*OTHER, *first)), first, second, first) == []
    (item,) = found(OTHER, Protocol((*OTHER, *protocol(WIDE | {"type": "string"}))), first, second)
    assert "string instead of int32" in item.message


def test_a_deleted_message_comes_back_as_it_was() -> None:
    assert findings(OTHER, Protocol((*OTHER, *protocol(ID))), protocol(ID)) == []
    (item,) = found(OTHER, Protocol((*OTHER, *protocol(WIDE))), protocol(ID))
    assert (item.rule, item.released_in, item.previous) == ("type-changed", "1.0.0", None)


def test_the_key_of_a_deleted_message_stays_taken() -> None:
    stranger = protocol(DATA, name="QuxRequest")
    rules = {
        rule for rule, severity, _ in findings(OTHER, Protocol((*OTHER, *stranger)), protocol(ID))
    }
    assert rules == {"field-added-to-released-version", "field-removed-from-released-version"}
    assert findings(OTHER, Protocol((*OTHER, *stranger))) == []


def test_an_unstable_version_may_come_back_as_it_likes() -> None:
    unstable = protocol(ID, latestVersionUnstable=True)
    assert (
        findings(protocol(ID, validVersions="0"), protocol(ID, DATA | {"versions": "1+"}), unstable)
        == []
    )


@pytest.mark.parametrize(
    ("change", "rule", "versions"),
    [
        ({}, "", ""),
        ({"default": "here"}, "default-changed", "0-1"),
        ({"nullableVersions": "1+"}, "nullability-changed", "1"),
        ({"versions": "0+", "taggedVersions": "0+"}, "field-versions-changed", "0"),
        ({"type": "int32"}, "type-changed", "1"),
        ({"type": "int32", "name": "Region"}, "tag-reused", "1"),
    ],
)
def test_a_tagged_field_comes_back_as_it_was(
    change: dict[str, Any], rule: str, versions: str
) -> None:
    expected = [(rule, Severity.ERROR, versions)] if rule else []
    assert findings(protocol(ID), protocol(ID, ZONE | change), protocol(ID, ZONE)) == expected


def test_a_version_that_comes_back_lacks_a_field_with_its_default() -> None:
    """No version that comes back has the field: that peers set it shows in the others."""
    late = DATA | {"versions": "1+", "type": "string", "nullableVersions": "1+", "default": "null"}
    empty = late | {"default": ""}
    released, old = protocol(ID, late), protocol(ID, empty, validVersions="1")
    expected = [("default-changed", Severity.ERROR, "0")]
    assert findings(old, protocol(ID, empty), released) == expected
    assert (
        findings(protocol(ID, late, validVersions="1"), protocol(ID, empty), released) == expected
    )
    assert findings(old, protocol(ID, late), released) == []
    assert findings(old, protocol(ID, empty), released, protocol(ID, empty)) == []
    # What no valid version has nobody sets.
    above = {"versions": "2+", "nullableVersions": "2+"}
    old = protocol(ID, empty | above, validVersions="1")
    assert findings(old, protocol(ID, empty | above), protocol(ID, late | above)) == []


def test_a_burnt_tag_is_another_field_s_under_another_name() -> None:
    for default in ({}, {"default": "here"}):
        renamed = ZONE | {"name": "Region"} | default
        reused = [("tag-reused", Severity.ERROR, "1")]
        assert findings(protocol(ID), protocol(ID, renamed), protocol(ID, ZONE)) == reused


def test_a_tag_that_only_an_unstable_version_had_is_free() -> None:
    unstable = protocol(ID, ZONE, latestVersionUnstable=True)
    assert findings(protocol(ID), protocol(ID, ZONE | {"type": "int32"}), unstable) == []


def test_a_definition_of_versions_that_are_not_valid_may_go() -> None:
    old = DATA | {"versions": "0"}
    before, after = protocol(ID, old, validVersions="1"), protocol(ID, validVersions="1")
    released = [Baseline("1.0.0", protocol(ID, old))]
    assert [(item.rule, item.severity) for item in check(before, after, released)] == [
        ("definition-deleted", Severity.INFO)
    ]
    assert check(before, after) == []


def test_a_tagged_field_comes_back_under_its_tag() -> None:
    other = {"name": "Other", "type": "int8", "versions": "1+", "tag": 0, "taggedVersions": "1+"}
    moved = ZONE | {"tag": 1}
    with_other = protocol(ID, other)
    assert ("tag-changed", Severity.ERROR, "1") in findings(
        protocol(ID), protocol(ID, moved), protocol(ID, ZONE)
    )
    # Another field has the tag since a release: what the patch does is to give the name another
    # one.
    stranger = moved | {"type": "int64"}
    assert findings(with_other, protocol(ID, other, stranger), with_other, protocol(ID, ZONE)) == [
        ("tag-changed", Severity.ERROR, "1")
    ]


def test_a_tag_stays_taken_in_a_struct_that_is_declared_twice() -> None:
    """A spec may declare a name twice, for different versions: to readers that is one field."""

    def lines(versions: str, *fields: dict[str, Any]) -> dict[str, Any]:
        kind = f"[]Line{versions[0]}"
        return {"name": "Lines", "type": kind, "versions": versions, "fields": [ID, *fields]}

    once = protocol(lines("0+", ZONE), flexibleVersions="1+")
    old = protocol(lines("0-1"), lines("2+"), validVersions="0-2", flexibleVersions="1+")
    mark = ZONE | {"name": "Mark", "versions": "3+", "taggedVersions": "3+"}
    new = protocol(lines("0-1"), lines("2+", mark), validVersions="0-3", flexibleVersions="1+")
    assert "tag-reused" in {rule for rule, *_ in findings(old, new, once, old)}
