"""What the old side lacks and a release had: it comes back as it was, or it is judged as a change."""

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


def told(old: Protocol, new: Protocol, *released: Protocol) -> list[tuple[str, Severity, str]]:
    return [(item.rule, item.severity, item.versions.text) for item in found(old, new, *released)]


def test_a_version_that_comes_back_has_the_bytes_of_its_release() -> None:
    whole, later = protocol(ID, DATA), protocol(ID, DATA, validVersions="1")
    assert told(later, whole, whole) == []
    assert told(later, protocol(ID, DATA | {"versions": "1+"}), whole) == [
        ("field-versions-changed", Severity.ERROR, "0")
    ]
    # What only the old side lacks is another's doing where nobody brings it back.
    assert told(later, protocol(ID, DATA, validVersions="1-2"), whole) == []


def test_a_version_that_a_release_has_from_another_line_has_its_bytes() -> None:
    older, newer = protocol(ID, validVersions="0"), protocol(ID, DATA | {"versions": "1+"})
    assert told(older, newer, older, newer) == []
    assert told(older, protocol(ID), older, newer) == [
        ("field-removed-from-released-version", Severity.ERROR, "1")
    ]


def test_what_comes_back_suits_each_release_or_none() -> None:
    """Whatever comes back hurts peers of one of the releases; a finding shows the newest of them."""
    first, second = protocol(WIDE), protocol(ID)
    for new in (first, second):
        expected = [("type-changed", Severity.ERROR, "0-1")]
        assert told(OTHER, Protocol((*OTHER, *new)), first, second) == expected
        assert told(OTHER, Protocol((*OTHER, *new)), new) == []
    (item,) = found(OTHER, Protocol((*OTHER, *protocol(WIDE | {"type": "string"}))), first, second)
    assert "string instead of int32" in item.message


def test_a_deleted_message_comes_back_as_it_was() -> None:
    assert told(OTHER, Protocol((*OTHER, *protocol(ID))), protocol(ID)) == []
    (item,) = found(OTHER, Protocol((*OTHER, *protocol(WIDE))), protocol(ID))
    assert (item.rule, item.released_in, item.previous) == ("type-changed", "1.0.0", None)


def test_the_key_of_a_deleted_message_stays_taken() -> None:
    stranger = protocol(DATA, name="QuxRequest")
    rules = {rule for rule, severity, _ in told(OTHER, Protocol((*OTHER, *stranger)), protocol(ID))}
    assert rules == {"field-added-to-released-version", "field-removed-from-released-version"}
    assert told(OTHER, Protocol((*OTHER, *stranger))) == []


def test_an_unstable_version_may_come_back_as_it_likes() -> None:
    unstable = protocol(ID, latestVersionUnstable=True)
    assert told(protocol(ID, validVersions="0"), protocol(ID, DATA | {"versions": "1+"}), unstable) == []


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
def test_a_tagged_field_comes_back_as_it_was(change: dict[str, Any], rule: str, versions: str) -> None:
    expected = [(rule, Severity.ERROR, versions)] if rule else []
    assert told(protocol(ID), protocol(ID, ZONE | change), protocol(ID, ZONE)) == expected


def test_a_tagged_field_of_releases_that_disagree_suits_none_of_them() -> None:
    """Whatever its default, readers of one of the releases take an absent field for another value."""
    first, second = protocol(ID, ZONE | {"default": "here"}), protocol(ID, ZONE)
    for new in (ZONE, ZONE | {"default": "here"}):
        assert told(protocol(ID), protocol(ID, new), first, second) == [
            ("default-changed", Severity.ERROR, "0-1")
        ]
    (item,) = found(protocol(ID), protocol(ID, ZONE | {"default": "there"}), first, second)
    assert item.rule == "default-changed"
    assert 'is "there" instead of ""' in item.message


def test_a_version_that_comes_back_lacks_a_field_with_its_default() -> None:
    """No version that comes back has the field: that peers set it shows in the others."""
    late = DATA | {"versions": "1+", "type": "string", "nullableVersions": "1+", "default": "null"}
    empty = late | {"default": ""}
    released, old = protocol(ID, late), protocol(ID, empty, validVersions="1")
    expected = [("default-changed", Severity.ERROR, "0")]
    assert told(old, protocol(ID, empty), released) == expected
    assert told(protocol(ID, late, validVersions="1"), protocol(ID, empty), released) == expected
    assert told(old, protocol(ID, late), released) == []
    assert told(old, protocol(ID, empty), released, protocol(ID, empty)) == expected
    # What no valid version has nobody sets.
    above = {"versions": "2+", "nullableVersions": "2+"}
    old = protocol(ID, empty | above, validVersions="1")
    assert told(old, protocol(ID, empty | above), protocol(ID, late | above)) == []


def test_a_burnt_tag_is_another_field_s_under_another_name() -> None:
    for default in ({}, {"default": "here"}):
        renamed = ZONE | {"name": "Region"} | default
        reused = [("tag-reused", Severity.ERROR, "1")]
        assert told(protocol(ID), protocol(ID, renamed), protocol(ID, ZONE)) == reused


@pytest.mark.parametrize("default", [{}, {"default": "0x0"}, {"default": "7"}])
def test_a_tag_comes_back_for_a_field_with_the_name_of_another_one(default: dict[str, str]) -> None:
    rows = {"name": "Rows", "type": "[]int16", "versions": "1"}
    flag = {"name": "Flag", "type": "int32", "versions": "1+", "tag": 0, "taggedVersions": "1+"}
    released, old = protocol(ID, rows, flag), protocol(ID, rows)
    new = protocol(ID, rows | {"name": "Items"}, flag | {"name": "Rows"} | default)
    (item,) = (item for item in found(old, new, released) if item.rule == "tag-reused")
    assert (item.severity, item.versions.text) == (Severity.ERROR, "1")


def test_a_renamed_tag_is_not_reintroduced_where_its_old_name_goes_to_another_field() -> None:
    """The old side had it in a version without the tag in the release; the patch only renames it."""
    wide = ZONE | {"versions": "0+", "taggedVersions": "0+"}
    code = {"name": "Code", "type": "int8", "versions": "1"}
    new = protocol(code | {"name": "Zone"}, wide | {"name": "Region"}, flexibleVersions="0+")
    old = protocol(code, wide, flexibleVersions="0+")
    released = protocol(code, ZONE | {"name": "Area"}, flexibleVersions="0+")
    assert told(old, new, released) == [("tag-reused", Severity.ERROR, "1")]
    other = protocol(
        code | {"name": "Zone"}, wide | {"name": "Region", "default": "x"}, flexibleVersions="0+"
    )
    assert told(old, other, released) == [("tag-reused", Severity.ERROR, "1")]


def test_a_tag_that_only_an_unstable_version_had_is_free() -> None:
    unstable = protocol(ID, ZONE, latestVersionUnstable=True)
    assert told(protocol(ID), protocol(ID, ZONE | {"type": "int32"}), unstable) == []


def test_a_definition_of_versions_that_have_gone_before_stays() -> None:
    old = DATA | {"versions": "0"}
    before, after = protocol(ID, old, validVersions="1"), protocol(ID, validVersions="1")
    released = [Baseline("1.0.0", protocol(ID, old))]
    assert [(item.rule, item.severity) for item in check(before, after, released)] == [
        ("definition-deleted", Severity.ERROR)
    ]
    assert check(before, after) == []


def test_a_definition_of_versions_that_only_releases_have_is_of_no_other_field() -> None:
    later = {"validVersions": "1"}
    of_none = protocol(ID, DATA | {"versions": "0"}, **later)
    released = protocol(ID)
    for new in (released, protocol(ID, **later)):
        assert list(check(of_none, new, [Baseline("1.0.0", released)])) == []
    # A version that returns without the field breaks its bytes, and that is all.
    had = protocol(ID, DATA | {"versions": "0"})
    assert [each.rule for each in check(of_none, released, [Baseline("1.0.0", had)])] == [
        "field-removed-from-released-version"
    ]


def test_a_definition_of_versions_that_only_releases_have_may_have_been_renamed() -> None:
    renamed = DATA | {"name": "Content", "versions": "0"}
    before, after = protocol(ID, renamed, validVersions="1"), protocol(ID, validVersions="1")
    released = Baseline("1.0.0", protocol(ID, DATA | {"versions": "0"}))
    assert [(each.rule, each.versions.text) for each in check(before, after, [released])] == [
        ("definition-deleted", "0")
    ]


def test_the_default_of_a_tag_matters_where_it_is_one() -> None:
    zone, other = ZONE | {"versions": "0+"}, ZONE | {"versions": "0+", "default": "here"}
    released = protocol(ID, ZONE | {"versions": "0+"}, validVersions="0", flexibleVersions="none")
    assert told(protocol(ID, zone), protocol(ID, other), released) == [
        ("default-changed", Severity.WARNING, "1")
    ]


def test_a_tagged_field_comes_back_under_its_tag() -> None:
    other = {"name": "Other", "type": "int8", "versions": "1+", "tag": 0, "taggedVersions": "1+"}
    moved = ZONE | {"tag": 1}
    with_other = protocol(ID, other)
    assert ("tag-changed", Severity.ERROR, "1") in told(protocol(ID), protocol(ID, moved), protocol(ID, ZONE))
    # Another field has the tag since a release: what the patch does is to give the name another one.
    stranger = moved | {"type": "int64"}
    assert told(with_other, protocol(ID, other, stranger), with_other, protocol(ID, ZONE)) == [
        ("tag-changed", Severity.ERROR, "1")
    ]


@pytest.mark.parametrize(("versions", "expected"), [("0+", []), ("1+", ["default-changed"])])
def test_a_default_is_used_where_releases_lack_the_field_too(versions: str, expected: list[str]) -> None:
    limit = {"name": "Limit", "type": "int32", "default": "5"}
    old = protocol(ID, limit | {"versions": "1+"})
    new = protocol(ID, limit | {"versions": "1+", "default": "7"})
    released = protocol(ID, limit | {"versions": versions})
    assert told(old, new, released) == [(rule, Severity.ERROR, "0") for rule in expected]


@pytest.mark.parametrize("kind", ["data", "coordinator-value"])
def test_a_version_of_stored_data_has_its_bytes_even_if_its_type_and_key_change(kind: str) -> None:
    late = DATA | {"versions": "1+"}
    before: dict[str, Any] = {"type": "data", "name": "Seal", "apiKey": None}
    after = before | ({} if kind == "data" else {"type": kind, "apiKey": 3})
    released, old = protocol(ID, late, **before), protocol(ID, late, **before, validVersions="1")
    wrong = ("field-versions-changed", Severity.ERROR, "0")
    assert wrong in told(old, protocol(ID, DATA, **after), released)
    assert wrong not in told(old, protocol(ID, late, **after), released)


@pytest.mark.parametrize(
    ("change", "rule"),
    [
        ({"type": "data"}, "message-type-changed"),
        ({"type": "response"}, "message-type-changed"),
        ({"apiKey": 901}, "api-key-changed"),
    ],
)
def test_a_message_that_becomes_another_one_is_reported_once(change: dict[str, Any], rule: str) -> None:
    """What it becomes has another header by that; a version that comes back with it is compared."""
    late = DATA | {"versions": "1+"}
    old = protocol(ID, late, validVersions="1")
    assert told(old, protocol(ID, late, **change), protocol(ID, late)) == [(rule, Severity.ERROR, "1")]
    assert told(old, protocol(ID, DATA, **change), protocol(ID, late)) == [
        (rule, Severity.ERROR, "1"),
        ("field-versions-changed", Severity.ERROR, "0"),
    ]


def test_a_part_of_a_split_field_has_its_default_where_the_other_part_goes() -> None:
    """The new side takes the part for the field of the release; the old side had its default elsewhere."""
    limit = {"name": "Limit", "type": "int32", "versions": "0-2", "default": "5"}
    keys = {"validVersions": "0-3", "flexibleVersions": "none"}
    part = {"name": "Rest", "type": "int32", "versions": "2"}
    released, old = protocol(limit, **keys), protocol(limit | {"versions": "0-1"}, part, **keys)
    withdrawn = keys | {"validVersions": "2-3"}
    new = protocol(part | {"name": "Limit"}, **withdrawn)
    assert told(old, new, released) == [("default-changed", Severity.ERROR, "3")]
    (item,) = found(old, new, released)
    assert "the default of Limit is 0 instead of 5" in item.message
    assert told(old, protocol(part | {"name": "Limit", "default": "5"}, **withdrawn), released) == []
    # Nobody who lacks both fields takes one for the other: only their names would say so.
    for name in ("Rest", "Bound"):
        assert told(old, protocol(part | {"name": name}, **withdrawn), released) == []
    assert told(old, new, released, old) == [("default-changed", Severity.ERROR, "3")]


def test_a_gap_of_a_reserved_tag_is_reported_to_who_makes_it() -> None:
    first = {"name": "First", "type": "int8", "versions": "1+", "tag": 0, "taggedVersions": "1+"}
    released, gap = protocol(ID, first, ZONE | {"tag": 1}), protocol(ID, ZONE | {"tag": 1})
    baseline = [Baseline("1.0.0", released)]
    assert "tag-gap" in [item.rule for item in check(released, gap, baseline)]
    changed = protocol(ID | {"about": "A number."}, ZONE | {"tag": 1})
    assert check(gap, changed, baseline) == []
