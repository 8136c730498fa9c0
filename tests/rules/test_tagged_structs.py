"""The fields inside a tagged struct stand by their places, and it is absent where it equals its defaults."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import HealthCheck, assume, given
from hypothesis import strategies as st

from tests.profiles import examples
from tests.rules.breaks import one
from tests.rules.protocols import Spec, Specs, fresh, is_leaf, protocols, read, walk
from tests.rules.restoring import ID, protocol
from wirebook.rules.engine import check
from wirebook.rules.finding import Finding, Severity
from wirebook.rules.released import Baseline
from wirebook.specs.model import Protocol

some = examples(0.5, suppress_health_check=list(HealthCheck))


def leaf(name: str, kind: str = "int32", **keys: Any) -> Spec:
    return {"name": name, "type": kind, "versions": "0+", **keys}


def inline(tagged: dict[str, Any], fields: list[Spec]) -> Protocol:
    return protocol(ID, leaf("Leader", "Node", **tagged, fields=fields))


def common(tagged: dict[str, Any], fields: list[Spec]) -> Protocol:
    shared = [{"name": "Node", "versions": "0+", "fields": fields}]
    return protocol(ID, leaf("Leader", "Node", **tagged), commonStructs=shared)


def array(tagged: dict[str, Any], fields: list[Spec]) -> Protocol:
    return protocol(ID, leaf("Leaders", "[]Node", **tagged, fields=fields))


def deep(tagged: dict[str, Any], fields: list[Spec]) -> Protocol:
    inner = leaf("Inner", "Node", **tagged, fields=fields)
    return protocol(ID, leaf("Outer", "[]Middle", fields=[leaf("Low", "Low", fields=[inner])]))


def deep_in_tagged(tagged: dict[str, Any], fields: list[Spec]) -> Protocol:
    inner = leaf("Inner", "[]Node", fields=fields)
    return protocol(ID, leaf("Outer", "Low", **tagged, fields=[leaf("First"), inner]))


TAG = {"taggedVersions": "0+", "tag": 0}
KINDS = [inline, common, array, deep, deep_in_tagged]
NODE = [leaf("LeaderId"), leaf("LeaderEpoch")]
SHIFTED = {
    "one comes before": [leaf("LeaderRackId"), leaf("LeaderId")],
    "the first is dropped, and one put behind": [leaf("LeaderEpoch"), leaf("LeaderRackId")],
    "two trade places": [leaf("LeaderEpoch"), leaf("LeaderId")],
}


def errors(old: Protocol, new: Protocol) -> list[str]:
    found = [check(old, new), check(old, new, [Baseline("1.0.0", old)])]
    told = [[item.rule for item in items if item.severity is Severity.ERROR] for items in found]
    assert told[0] == told[1]
    return told[0]


@pytest.mark.parametrize("build", KINDS, ids=lambda kind: kind.__name__)
@pytest.mark.parametrize("change", SHIFTED)
def test_fields_shift_in_a_tagged_struct_as_in_any(build: Any, change: str) -> None:
    plain = errors(build({}, NODE), build({}, SHIFTED[change]))
    assert plain
    assert errors(build(TAG, NODE), build(TAG, SHIFTED[change])) == plain


@some
@given(st.data())
def test_a_field_in_the_place_of_its_neighbour_is_an_error_in_every_struct(
    data: st.DataObject,
) -> None:
    old: Specs = data.draw(protocols())
    held = [
        (site, item)
        for site in walk(old)
        for item in site.fields
        if site.of(item) and is_leaf(item) and "tag" not in item and "default" not in item
    ]
    inner = [(site, item) for site, item in held if site.path]
    site, item = one(data.draw, inner or held)
    place = site.fields.index(item)
    twin = item | {"name": fresh(old, "Twin")}
    site.fields.insert(place + 1, twin)
    stranger = item | {"name": fresh(old, "Stranger")}
    before = read(old)
    assume(not _errors(check(None, before)))
    site.fields[place : place + 2] = [stranger, item]
    found = _errors(check(before, read(old)))
    assert {item.rule for item in found} == {
        "field-added-to-released-version",
        "field-removed-from-released-version",
    }


def _errors(found: list[Finding]) -> list[Finding]:
    return [item for item in found if item.severity is Severity.ERROR]


NULL = {"nullableVersions": "0+", "default": "null"}
RENAMED_STRUCTS = {
    "a struct of another name": (
        leaf("Leader", "Node", **NULL, fields=NODE),
        leaf("Leader", "Peer", nullableVersions="0+", fields=NODE),
    ),
    "elements of a struct of another name": (
        leaf("Leader", "[]Node", **NULL, fields=NODE),
        leaf("Leader", "[]Peer", nullableVersions="0+", fields=NODE),
    ),
}


@pytest.mark.parametrize("change", RENAMED_STRUCTS)
def test_another_type_of_the_same_bytes_hides_no_default(change: str) -> None:
    old, new = RENAMED_STRUCTS[change]
    assert errors(protocol(ID, old | TAG), protocol(ID, new | TAG)) == ["default-changed"]
    # Untagged in all versions, an absent one is never read.
    assert errors(protocol(ID, old), protocol(ID, new)) == []
    # In a tagged struct its default is that of the struct.
    around = [protocol(ID, leaf("Around", "Frame", **TAG, fields=[item])) for item in (old, new)]
    assert errors(*around) == ["default-changed"]
    elements = [protocol(ID, leaf("Around", "[]Frame", **TAG, fields=[item])) for item in (old, new)]
    assert errors(*elements) == []


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (leaf("Leader", default="-2"), leaf("Leader", "uint32")),
        (leaf("Leader", "uint16"), leaf("Leader", "int16", default="-1")),
        (leaf("Leader", default="3"), leaf("Leader", "uint32", default="4")),
        (leaf("Leader", default="-2"), leaf("Leader", "uint32", default="4294967294")),
        (leaf("Leader", default="7"), leaf("Leader", "uint32", default="0x7")),
        (leaf("Leader", "[]int32", **NULL), leaf("Leader", "[]uint32", nullableVersions="0+")),
        (leaf("Leader", "[]uint16", nullableVersions="0+"), leaf("Leader", "[]int16", **NULL)),
    ],
)
def test_another_sign_is_another_type_whatever_the_default(old: Spec, new: Spec) -> None:
    for tagged in ({}, TAG):
        assert errors(protocol(ID, old | tagged), protocol(ID, new | tagged)) == ["type-changed"]
    for kind in ("Frame", "[]Frame"):
        around = [protocol(ID, leaf("Around", kind, **TAG, fields=[item])) for item in (old, new)]
        assert errors(*around) == ["type-changed"]


def test_a_null_that_is_the_default_is_sent_by_a_writer_that_leaves_nothing_out() -> None:
    inner = [leaf("Data", "records", **null) for null in ({"nullableVersions": "0+"}, {})]
    alone = [protocol(ID, leaf("Around", "Frame", **TAG, fields=[item])) for item in inner]
    beside = [protocol(ID, leaf("Around", "Frame", **TAG, fields=[item, leaf("No")])) for item in inner]
    for old, new in (alone, beside):
        for sides in ((old, new), (new, old)):
            (item,) = [each for each in check(*sides, ()) if each.severity is Severity.ERROR]
            assert (item.rule, item.field) == ("nullability-changed", "Around.Data")
            assert item.proof is not None
            assert item.proof.error == "Around.Data: null, but it is not nullable in this version"


def test_records_are_null_where_bytes_are_empty() -> None:
    around = [
        protocol(ID, leaf("Around", "Frame", **TAG, fields=[leaf("Data", kind)]))
        for kind in ("bytes", "records")
    ]
    assert errors(*around) == ["default-changed"]
    assert errors(protocol(ID, leaf("Data", "bytes")), protocol(ID, leaf("Data", "records"))) == []


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (leaf("Leader", default="7"), leaf("Leader", default="0x7")),
        (leaf("Leader", "Node", **NULL, fields=NODE), leaf("Leader", "Peer", **NULL, fields=NODE)),
    ],
)
def test_a_default_of_the_same_bytes_is_the_same(old: Spec, new: Spec) -> None:
    assert errors(protocol(ID, old | TAG), protocol(ID, new | TAG)) == []


@pytest.mark.parametrize(("default", "expected"), [("5", False), ("6", True)])
def test_a_field_of_a_tagged_struct_that_another_takes_over_keeps_its_default(
    default: str, expected: bool
) -> None:
    older = leaf("OldLag", default=default) | {"versions": "0-1"}
    newer = leaf("Lag", "int64") | {"versions": "2+"}
    old, new = (
        protocol(ID, leaf("Around", "Frame", **TAG, fields=fields), validVersions=valid)
        for fields, valid in (([leaf("Lag", default="5")], "0-1"), ([older, newer], "0-2"))
    )
    assert bool(errors(old, new)) is expected


def test_a_default_of_an_untagged_field_counts_in_the_versions_without_it() -> None:
    later = leaf("Limit") | {"versions": "0"}
    old, new = (protocol(ID, item, validVersions="0-1") for item in (later, later | {"default": "7"}))
    released = Baseline("1.0.0", protocol(ID, later, validVersions="0"))
    (item,) = check(old, new, [released])
    assert (item.rule, item.severity, item.versions.text) == ("default-changed", Severity.WARNING, "1")
    (item,) = check(old, new)
    assert (item.severity, item.versions.text) == (Severity.ERROR, "1")


def test_a_struct_without_a_field_in_a_version_is_nowhere_in_it() -> None:
    empty = leaf("Empty", "Node", fields=[leaf("Gone") | {"versions": "1"}]) | {"versions": "0"}
    keys = {"flexibleVersions": "none", "validVersions": "0"}
    assert errors(protocol(ID, empty, **keys), protocol(empty, ID, **keys)) == []
