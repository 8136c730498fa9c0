"""Names in generated code are judged where a release has them; what the old side had is not the
patch's."""

from __future__ import annotations

import json

from tests.kafka import read_kafka
from tests.rules.fixture_pairs import PAIRS
from tests.rules.fixture_pairs import protocol as side
from wirebook.rules.catalogue import all_rules
from wirebook.rules.engine import check
from wirebook.rules.finding import Category
from wirebook.rules.released import Baseline
from wirebook.specs.model import Protocol

Spec = dict[str, object]
RELEASED: Spec = {
    "name": "Note",
    "type": "string",
    "versions": "0+",
    "mapKey": True,
    "entityType": "groupId",
}
ITEM: Spec = {"name": "Items", "type": "[]Item", "versions": "0+", "fields": [RELEASED]}


def protocol(
    *fields: Spec, name: str = "FooRequest", versions: str = "0-1", **more: object
) -> Protocol:
    spec = {
        "apiKey": 900,
        "type": "request",
        "name": name,
        "validVersions": versions,
        "flexibleVersions": "0+",
    }
    text = json.dumps({**spec, **more, "fields": fields})
    return Protocol((read_kafka(text, f"{name}.json"),))


def rules(old: Protocol, new: Protocol, *released: Protocol) -> list[tuple[str, str]]:
    baselines = [Baseline(f"{number}.0", side) for number, side in enumerate(released, 1)]
    return [(item.rule, item.severity.value) for item in check(old, new, baselines)]


def changed(item: Spec) -> list[Spec]:
    """The array with another name for the struct, and for its field, without its marks."""
    return [
        {
            **item,
            "type": "[]Entry",
            "fields": [{"name": "Remark", "type": "string", "versions": "0+"}],
        }
    ]


def test_names_that_no_release_has_are_free() -> None:
    old, new = protocol(ITEM), protocol(*changed(ITEM))
    names = {"field-renamed", "struct-renamed", "generated-code-changed"}
    assert {rule for rule, _ in rules(old, new)} == names
    assert {rule for rule, _ in rules(old, new, old)} == names
    assert rules(old, new, protocol(name="BarRequest", apiKey=901)) == []
    # A release has the field, but only a version that is not touched.
    later: Spec = {**ITEM, "versions": "1+", "fields": [{**RELEASED, "versions": "1+"}]}
    before = protocol(versions="0")
    assert rules(protocol(later), protocol(*changed(later)), before) == []


def test_a_default_that_only_writers_use_is_a_note_where_a_release_has_it() -> None:
    old = protocol({"name": "Limit", "type": "int32", "versions": "0+"})
    new = protocol({"name": "Limit", "type": "int32", "versions": "0+", "default": "-1"})
    (found,) = check(old, new)
    assert (found.rule, found.severity, found.versions.text) == (
        "unset-value-changed",
        "info",
        "0-1",
    )
    assert found.fix.startswith('delete "default"')
    assert rules(old, new, old) == [("unset-value-changed", "info")]
    assert rules(old, new, protocol(versions="0", name="BarRequest", apiKey=901)) == []


def test_what_concerns_generated_code_is_free_until_a_release_has_it() -> None:
    of_code = {rule.name for rule in all_rules() if rule.category is Category.SOURCE}
    folders = [
        folder for folder in PAIRS if folder.parent.name in of_code and "break" in folder.name
    ]
    assert {folder.parent.name for folder in folders} == of_code
    for folder in folders:
        old, new = side(folder, "old"), side(folder, "new")
        assert new is not None
        for released, fires in (
            ([old], True),
            ([protocol(name="UnrelatedRequest", apiKey=12345)], False),
        ):
            found = check(
                old, new, [Baseline("1.0", each) for each in released if each is not None]
            )
            assert (folder.parent.name in {item.rule for item in found}) == fires


def test_who_is_cut_off_and_who_marked_nothing() -> None:
    base, head = protocol(versions="0-2"), protocol(versions="2")
    (found,) = check(base, head)
    assert found.message.endswith("and base does not mark versions 0-1 as deprecated")
    releases = [protocol(versions="0-1"), base]
    (found,) = check(base, head, [Baseline(f"{at}.0", each) for at, each in enumerate(releases, 1)])
    assert found.message == (
        "FooRequest no longer has versions 0-1: peers older than 2.0, which support no newer "
        "version, are cut off, and no release marked versions 0-1 as deprecated"
    )


def test_no_peer_is_cut_off_by_a_header() -> None:
    """Which header a peer sends follows from the version of its request."""
    spec = {"type": "header", "name": "RequestHeader", "flexibleVersions": "2+", "fields": []}
    base, head = (
        Protocol((read_kafka(json.dumps({**spec, "validVersions": each}), "RequestHeader.json"),))
        for each in ("1-2", "2")
    )
    (found,) = check(base, head)
    assert found.message == (
        "RequestHeader no longer has version 1, and base does not mark version 1 as deprecated"
    )
