"""What releases had is known by the struct and the field that it is now, whatever either is called."""

from __future__ import annotations

import copy
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.rules.breaks import another_type, one
from tests.rules.evolutions import (
    add_tagged,
    evolve,
    new_version,
    rename,
    rename_api,
    rename_struct,
    share_struct,
)
from tests.rules.protocols import Spec, Specs, fresh, protocols, read, walk
from tests.rules.test_restored import ID, protocol
from wirebook.rules.engine import check
from wirebook.rules.finding import Finding, Severity
from wirebook.rules.released import Baseline
from wirebook.specs.model import Protocol

TAG = {"taggedVersions": "0+", "tag": 0}
X = {"name": "X", "type": "string", "versions": "0+", **TAG}
Y = {"name": "Y", "type": "int32", "versions": "0+", **TAG}
KEY = {"name": "Key", "type": "int64", "versions": "0+"}


def rows(*fields: Spec, name: str = "Rows", kind: str = "[]Row", **keys: Any) -> Spec:
    return {"name": name, "type": kind, "versions": "0+", "fields": [KEY, *fields], **keys}


def shared(*fields: Spec, name: str = "Rows", struct: str = "Row") -> Protocol:
    use = {"name": name, "type": f"[]{struct}", "versions": "0+"}
    return protocol(ID, use, commonStructs=[{"name": struct, "versions": "0+", "fields": [KEY, *fields]}])


def judged(old: Protocol, new: Protocol, *released: Protocol) -> list[Finding]:
    baselines = [Baseline(f"1.{number}.0", item) for number, item in enumerate(released)]
    return [item for item in check(old, new, baselines) if item.category == "wire"]


def reused(*history: Protocol) -> list[tuple[str, Severity, str, str | None]]:
    """What is said of the last of some protocols: those before it are releases, the newest the old side."""
    *released, new = history
    return [
        (item.rule, item.severity, item.field, item.released_in)
        for item in judged(released[-1], new, *released)
    ]


AROUND = {
    "the field around it": (
        protocol(ID, rows(X)),
        protocol(ID, rows(name="Items")),
        protocol(ID, rows(Y, name="Items")),
    ),
    "the struct": (
        protocol(ID, rows(X)),
        protocol(ID, rows(kind="[]Item")),
        protocol(ID, rows(Y, kind="[]Item")),
    ),
    "both at once": (
        protocol(ID, rows(X)),
        protocol(ID, rows(name="Items", kind="[]Item")),
        protocol(ID, rows(Y, name="Items", kind="[]Item")),
    ),
    "the one and then the other": (
        protocol(ID, rows(X)),
        protocol(ID, rows(name="Items")),
        protocol(ID, rows(name="Items", kind="[]Item")),
        protocol(ID, rows(Y, name="Items", kind="[]Item")),
    ),
    "again and again": (
        protocol(ID, rows(X, name="A")),
        protocol(ID, rows(name="B")),
        protocol(ID, rows(name="C", kind="[]Other")),
        protocol(ID, rows(name="D", kind="[]Another")),
        protocol(ID, rows(Y, name="D", kind="[]Another")),
    ),
    "with the patch itself": (
        protocol(ID, rows(X)),
        protocol(ID, rows()),
        protocol(ID, rows(Y, name="Items", kind="[]Item")),
    ),
    "a struct further out": (
        protocol(ID, rows(rows(X, name="Parts", kind="[]Part"))),
        protocol(ID, rows(rows(name="Parts", kind="[]Part"), name="Items")),
        protocol(ID, rows(rows(Y, name="Parts", kind="[]Part"), name="Items")),
    ),
    "a shared struct": (shared(X), shared(struct="Item"), shared(Y, struct="Item")),
    "the field of a shared struct": (shared(X), shared(name="Items"), shared(Y, name="Items")),
    "and the struct is shared": (
        protocol(ID, rows(X)),
        shared(name="Items"),
        shared(Y, name="Items"),
    ),
    "and the struct stands elsewhere": (
        protocol(ID, rows(X)),
        protocol(ID, {"name": "Group", "type": "Group", "versions": "0+", "fields": [rows()]}),
        protocol(ID, {"name": "Group", "type": "Group", "versions": "0+", "fields": [rows(Y)]}),
    ),
}


@pytest.mark.parametrize("case", AROUND)
def test_a_tag_stays_reserved_when_names_change_around_it(case: str) -> None:
    *_, (rule, severity, field, released_in) = reused(*AROUND[case])
    assert (rule, severity, field.split(".")[-1], released_in) == ("tag-reused", Severity.ERROR, "Y", "1.0.0")


def test_a_field_that_comes_back_in_a_renamed_struct_is_as_it_was() -> None:
    released = protocol(ID, rows(X)), protocol(ID, rows(name="Items"))
    same = protocol(ID, rows(X, name="Items"))
    other = protocol(ID, rows(X | {"default": "here"}, name="Items"))
    assert reused(*released, same) == []
    assert reused(*released, other) == [("default-changed", Severity.ERROR, "Items.X", "1.0.0")]


def test_a_field_that_was_renamed_before_it_went_comes_back_under_its_last_name() -> None:
    renamed = X | {"name": "Z"}
    released = protocol(ID, X), protocol(ID, renamed), protocol(ID)
    assert reused(*released, protocol(ID, renamed)) == []
    assert [rule for rule, *_ in reused(*released, protocol(ID, X | {"name": "W"}))] == ["tag-reused"]


def test_an_unstable_version_of_one_release_hides_no_other_release() -> None:
    unstable = protocol(
        ID, X | {"name": "Early", "type": "int8"}, validVersions="0", latestVersionUnstable=True
    )
    stable, without = protocol(ID, X), protocol(ID)
    assert [item[:2] for item in reused(unstable, stable, without, protocol(ID, Y))] == [
        ("tag-reused", Severity.ERROR)
    ]


def test_a_gap_of_a_renamed_struct_is_reserved() -> None:
    second = Y | {"tag": 1}
    released = [protocol(ID, rows(X, second)), protocol(ID, rows(second, name="Items"))]
    new = protocol(ID, rows(second | {"about": "Now."}, name="Items"))
    baselines = [Baseline(str(number), item) for number, item in enumerate(released)]
    found = [item for item in check(released[-1], new, baselines, everything=True) if item.rule == "tag-gap"]
    assert [(item.severity, "was that of X" in item.message) for item in found] == [(Severity.WARNING, True)]


def test_a_tag_stays_reserved_where_the_field_around_it_trades_names_in_some_versions() -> None:
    first = {"name": "All", "type": "bool", "versions": "0"}
    released = protocol(ID, first, rows(X)), protocol(ID, first, rows())
    new = protocol(ID, first | {"name": "Rows"}, rows(Y, name="All"))
    assert ("tag-reused", Severity.ERROR, "All.Y", "1.0.0") in reused(*released, new)


MARK = "The struct that is followed."
RENAMES = (rename, rename_struct, share_struct, rename_api, add_tagged, new_version)


def marked(specs: Specs) -> list[Any]:
    return [site for site in walk(specs) if any(item.get("about") == MARK for item in site.fields)]


@settings(suppress_health_check=list(HealthCheck), print_blob=True, max_examples=80, deadline=None)
@given(st.data())
def test_a_reserved_tag_is_known_after_any_renames(data: st.DataObject) -> None:
    first: Specs = data.draw(protocols())
    found = [
        (site, item)
        for site in walk(first)
        for item in site.fields
        if "tag" in item and site.of(item) and len(site.fields) > 1 and site.message["type"] != "data"
    ]
    site, item = one(data.draw, [pair for pair in found if pair[0].path] or found)
    keeper = one(data.draw, [other for other in site.fields if other is not item and site.of(other)])
    keeper["about"] = MARK
    history = [copy.deepcopy(first)]
    site.fields.remove(item)
    old = first
    for _ in range(data.draw(st.integers(1, 3))):
        old = evolve(data.draw, old, data.draw(st.lists(st.sampled_from(RENAMES), max_size=3)))
        history.append(old)
    new = copy.deepcopy(old)
    places = marked(new)
    taken = [other.get("tag") for place in places for other in place.fields]
    if len(places) != 1 or item["tag"] in taken:
        return
    other = {"name": fresh(new, "Other"), "type": another_type(data.draw, {"type": item["type"]})}
    other |= {key: item[key] for key in ("versions", "taggedVersions", "tag")}
    places[0].fields.append(other)
    baselines = [Baseline(f"{number}.0.0", read(specs)) for number, specs in enumerate(history)]
    rules = [item.rule for item in check(read(old), read(new), baselines) if item.severity is Severity.ERROR]
    assert "tag-reused" in rules


# --- released in ------------------------------------------------------------------------------------------


def test_a_release_is_named_that_has_the_field_in_the_version() -> None:
    first, second = protocol(ID), protocol(ID, X)
    third = protocol(ID, X | {"name": "Z"})
    released = [first, second, third]
    for change in ({"default": "here"}, {"tag": 1}, {"type": "int8"}, {"nullableVersions": "0+"}):
        new = protocol(ID, X | {"name": "Z"} | change)
        (item,) = (item for item in judged(third, new, *released) if item.severity is Severity.ERROR)
        assert (item.rule, item.released_in) == (item.rule, "1.1.0")
    removed = judged(third, protocol(ID), *released)
    assert [(item.rule, item.released_in) for item in removed] == [
        ("field-removed-from-released-version", "1.1.0")
    ]
    reused = judged(third, protocol(ID, Y), *released)
    assert [(item.rule, item.released_in) for item in reused] == [("tag-reused", "1.1.0")]
    # What no release has is added to what the first one froze.
    added = judged(third, protocol(ID, KEY, X | {"name": "Z"}), *released)
    assert [(item.rule, item.released_in) for item in added] == [("field-added-to-released-version", "1.0.0")]


def test_a_version_is_released_before_a_field_of_it() -> None:
    first = protocol(ID, validVersions="0")
    second = protocol(ID, KEY | {"versions": "1+"})
    new = protocol(ID, KEY | {"versions": "1+", "type": "int8"})
    assert reused(first, second, new) == [("type-changed", Severity.ERROR, "Key", "1.1.0")]
    moved = protocol(KEY | {"versions": "1+"}, ID)
    assert [(rule, name) for rule, _, _, name in reused(first, second, moved)] == [("field-moved", "1.1.0")]
