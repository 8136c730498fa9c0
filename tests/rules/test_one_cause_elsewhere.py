"""What breaks in one struct is no reason to see the fields of another, or beside it, as others."""

from __future__ import annotations

import copy
from typing import Any

import pytest
from hypothesis import HealthCheck, given
from hypothesis import strategies as st

from tests.profiles import examples
from tests.rules.breaks import held, one, tagged
from tests.rules.evolutions import rename
from tests.rules.protocols import protocols, read
from tests.rules.restoring import ID, protocol
from wirebook.rules.engine import check
from wirebook.rules.finding import Severity

ZONE = {"name": "Zone", "type": "string", "versions": "0+", "taggedVersions": "0+", "tag": 0}
LAG = {"name": "Lag", "type": "int32", "versions": "0+"}
TAKEN_OVER = [LAG | {"name": "OldLag", "versions": "0-1"}, LAG | {"type": "int64", "versions": "2+"}]
OLDER, NEWER = {"validVersions": "0-1"}, {"validVersions": "0-2"}
REMOVED = "field-removed-from-released-version"
DELETED = "definition-deleted"


def rows(*fields: dict[str, Any]) -> dict[str, Any]:
    return {"name": "Rows", "type": "[]Row", "versions": "0+", "fields": list(fields)}


@pytest.mark.parametrize(
    ("old", "new", "rule"),
    [
        ([LAG, ZONE], TAKEN_OVER, DELETED),
        ([LAG, rows(ID, ZONE)], [*TAKEN_OVER, rows(ID)], DELETED),
        ([ZONE, rows(ID, LAG)], [rows(ID, *TAKEN_OVER)], DELETED),
        ([LAG, rows(ID, LAG | {"name": "Gone"})], [*TAKEN_OVER, rows(ID)], REMOVED),
        ([LAG | {"name": "Gone"}, rows(ID, LAG)], [rows(ID, *TAKEN_OVER)], REMOVED),
    ],
)
def test_a_field_that_others_take_over_is_no_removed_one(old: list[Any], new: list[Any], rule: str) -> None:
    found = check(protocol(ID, *old, **OLDER), protocol(ID, *new, **NEWER))
    assert [item.rule for item in found if item.severity is Severity.ERROR] == [rule]
    assert {"field-renamed", "fields-regrouped"} & {item.rule for item in found}


def test_what_changes_in_a_struct_that_is_grouped_is_named_by_itself() -> None:
    """A group leaves no byte: grouped and changed at once, only the change inside is an error."""
    keys = {"flexibleVersions": "none"}
    inner = rows(ID, LAG)
    group = {"name": "Group", "type": "Group", "versions": "0+"}
    for lag, expected in ((LAG, []), (LAG | {"type": "int64"}, [("type-changed", "Group.Rows.Lag")])):
        after = group | {"fields": [rows(ID, lag)]}
        found = check(protocol(ID, inner, **keys), protocol(ID, after, **keys))
        assert [(i.rule, i.field) for i in found if i.severity is Severity.ERROR] == expected


@examples(0.5, suppress_health_check=list(HealthCheck))
@given(st.data())
def test_a_renamed_field_is_one_whatever_is_removed(data: st.DataObject) -> None:
    old = data.draw(protocols())
    for spec in old.values():
        # What was deprecated may be deleted, which is a note.
        spec.pop("deprecatedVersions", None)
    new = copy.deepcopy(old)
    site, item = one(data.draw, tagged(new))
    site.fields.remove(item)
    names = {id(field): field["name"] for _, field in held(new)}
    rename(data.draw, new)
    renamed = [field for _, field in held(new) if names.get(id(field)) != field["name"]]
    found = check(read(old), read(new))
    kept = [field for field in site.fields if "tag" in field]
    # A struct that loses its last field, or one whose tags are held by others, is another matter.
    if site.fields and (renamed or kept):
        errors = [i.rule for i in found if i.severity is Severity.ERROR and i.category in ("wire", "policy")]
        # In versions where it is untagged, its bytes are missing.
        is_tagged = item["taggedVersions"] == item["versions"]
        assert errors in ([[DELETED]] if is_tagged else [[DELETED], [REMOVED]])
        assert [i.rule for i in found if i.rule == "field-renamed"] == ["field-renamed"] * len(renamed)
