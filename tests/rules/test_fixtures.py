"""Every rule over every pair of fixture specs: what fires, for which versions, at which lines of
both sides.

A fixture is a folder `fixtures/<rule>/<break|fine>-<what>/` with old.json, new.json and expect.txt
(all that fires, a line each; lines of the new side are counted from 101); advice.json has what each
finding advises. `WIREBOOK_UPDATE=1` writes the expectations anew; the diff is then what to review.
"""

from __future__ import annotations

import json
import os
import re
from functools import cache
from pathlib import Path

import pytest

from tests.rules.fixture_pairs import FOLDER, PAIRS, SHIFT, findings, protocol
from tests.rules.rule_examples import JUDGING
from tests.support import ROOT
from tests.together import together
from wirebook.rules.catalogue import RULES, all_rules, rules_on
from wirebook.rules.engine import check
from wirebook.rules.finding import Finding, Place, Severity
from wirebook.rules.rule import SECTIONS, Rule

pytestmark = pytest.mark.xdist_group("fixtures")

ADVICE = FOLDER / "advice.json"


@cache
def advice() -> dict[str, list[str]]:
    """What the findings of fixtures advise; WIREBOOK_UPDATE=1 adds a new fixture."""
    found: dict[str, list[str]] = json.loads(ADVICE.read_text("utf-8"))
    return found


def line(finding: Finding) -> str:
    def at(place: Place | None) -> str:
        return f"{place.line}:{place.column}" if place else "-"

    places = f"old {at(finding.previous)} new {at(finding.location)}"
    versions = finding.versions.text or "-"
    return f"{finding.severity} {finding.rule} {finding.field or '-'} [{versions}] {places}: {finding.message}"


@pytest.mark.parametrize("folder", PAIRS, ids=lambda folder: f"{folder.parent.name}/{folder.name}")
def test_fixture(folder: Path) -> None:
    found = findings(folder)
    for item in found:
        assert item.previous is None or item.previous.line < SHIFT
        assert item.location is None or item.location.line > SHIFT
    shown = "".join(f"{line(item)}\n" for item in found)
    expected = folder / "expect.txt"
    if os.environ.get("WIREBOOK_UPDATE"):
        expected.write_text(shown, encoding="utf-8")
    assert shown == expected.read_text(encoding="utf-8")
    name = f"{folder.parent.name}/{folder.name}"
    advised = [item.fix for item in found]
    if os.environ.get("WIREBOOK_UPDATE"):
        ADVICE.write_text(
            json.dumps(advice() | {name: advised}, indent=1, sort_keys=True) + "\n", "utf-8"
        )
        advice.cache_clear()
    assert advised == advice().get(name, advised)
    mild = {rule.name for rule in all_rules() if rule.severity is Severity.INFO}
    fired = {item.rule for item in found if item.severity is not Severity.INFO or item.rule in mild}
    assert (folder.parent.name in fired) == folder.name.startswith("break-")
    assert folder.name.startswith(("break-", "fine-"))


@pytest.mark.share(8)
@pytest.mark.parametrize("folder", PAIRS, ids=lambda folder: f"{folder.parent.name}/{folder.name}")
def test_what_else_is_in_the_specs_decides_nothing(folder: Path) -> None:
    shown = "".join(f"{line(item)}\n" for item in findings(folder, bystanders=True))
    assert shown == (folder / "expect.txt").read_text(encoding="utf-8")


@pytest.mark.parametrize("rule", JUDGING, ids=lambda rule: rule.name)
def test_every_rule_is_whole(rule: Rule) -> None:
    kinds = {
        folder.name.split("-")[0] for folder in (FOLDER / rule.name).glob("*") if folder.is_dir()
    }
    assert kinds == {"break", "fine"}
    assert tuple(rule.documentation) == SECTIONS
    assert all(rule.documentation.values())
    assert rule.summary
    assert rule.source
    assert rule.check.__module__.rsplit(".", 1)[1].replace("_", "-") == rule.name


def test_every_rule_file_is_in_the_catalogue() -> None:
    files = {
        path.stem
        for path in (ROOT / "rules").glob("*/*.py")
        if path.stem != "__init__" and "@rule(" in path.read_text(encoding="utf-8")
    }
    assert files == {rule.check.__module__.rsplit(".", 1)[1] for rule in all_rules()}


def test_every_rule_is_listed_under_what_it_judges() -> None:
    for kind in filter(None, RULES):
        for rule in rules_on(kind):
            judged, *_ = rule.check.__annotations__.values()
            assert judged.__name__ == kind


def test_every_fixture_belongs_to_a_rule() -> None:
    assert advice().keys() <= {f"{folder.parent.name}/{folder.name}" for folder in PAIRS}
    assert {folder.parent.name for folder in PAIRS} <= {rule.name for rule in JUDGING}


@together("folder", PAIRS, ids=lambda folder: f"{folder.parent.name}/{folder.name}")
def test_a_spec_against_itself_is_clean(folder: Path) -> None:
    sides = [
        side for side in (protocol(folder, "old"), protocol(folder, "new")) if side is not None
    ]
    assert sides
    assert all(check(side, side) == [] for side in sides)


def test_places_of_the_two_sides_cannot_be_mistaken() -> None:
    lines = [text.read_text(encoding="utf-8") for text in FOLDER.glob("*/*/expect.txt")]
    sides = r" old (?:(\d+):\d+|-) new (?:(\d+):\d+|-): "
    places = [match for text in lines for match in re.findall(sides, text)]
    assert len([1 for old, new in places if old and new]) > 75
    assert len([1 for old, _ in places if old]) > 100
    assert len([1 for _, new in places if new]) > 100
    assert all(int(old or 1) < SHIFT < int(new or SHIFT + 1) for old, new in places)


@pytest.mark.parametrize(
    ("rule", "old", "new"),
    [
        ("field-added-to-released-version", False, True),
        ("field-removed-from-released-version", True, False),
        ("definition-deleted", True, False),
        ("field-renamed", True, True),
        ("type-changed", True, True),
    ],
)
def test_only_a_side_that_has_the_field_is_shown(rule: str, old: bool, new: bool) -> None:
    found = [item for folder in PAIRS for item in findings(folder) if item.rule == rule]
    assert {(item.previous is not None, item.location is not None) for item in found} == {
        (old, new)
    }
