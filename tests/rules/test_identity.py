"""One identity of a finding: its fingerprint, a waiver for it and the search for repetitions agree on it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.rules.fixture_pairs import PAIRS, findings
from tests.rules.reports import some_finding
from wirebook.rules.engine import check
from wirebook.rules.finding import Finding, FindingIdentity, Severity
from wirebook.rules.project.waivers import block, read_waivers
from wirebook.specs.model import Protocol
from wirebook.specs.reading.reader import read_message
from wirebook.specs.versions import VersionSet

pytestmark = pytest.mark.xdist_group("fixtures")

FOUND = some_finding()
parts = st.sampled_from(["", "a", "b"])
versions = st.sampled_from(["none", "1", "1-2"]).map(VersionSet.parse)
identities = st.builds(FindingIdentity, parts, parts, parts, parts, versions, parts, parts, parts)


def of(identity: FindingIdentity, **others: object) -> Finding:
    return FOUND._replace(**identity._asdict(), **others)  # type: ignore[arg-type]


def test_fingerprints_of_earlier_releases_hold() -> None:
    """They are in waivers, in baselines of SARIF viewers, and in comments of reviews."""
    assert FOUND.fingerprint == "e89436db96678096"
    assert FOUND._replace(discriminator="0").fingerprint == "87b7cbc93ef793df"
    assert FOUND._replace(change="type: int8 -> int16").fingerprint == "855a93ed13fe4cf4"


@given(identities, identities)
def test_fingerprint_and_identity_agree(first: FindingIdentity, second: FindingIdentity) -> None:
    one = of(first)
    other = of(second, message="other words", severity=Severity.INFO, location=None, api_key=7, fix="")
    assert one.identity == first
    assert (one.identity == other.identity) == (first == second)
    # Waivers and fingerprints are the same for all protocols of a check.
    assert (one.fingerprint == other.fingerprint) == (first == second._replace(protocol=first.protocol))


def test_nothing_but_the_identity_makes_the_fingerprint() -> None:
    others = {*Finding._fields} - {*FindingIdentity._fields} | {"protocol"}
    assert others == {
        *("severity", "category", "message", "fix", "api_key", "released_in"),
        *("location", "previous", "waived", "others", "proof", "releases"),
        *("values", "meant", "follows", "api", "reached", "root", "proven_by", "protocol"),
    }
    assert FOUND._replace(protocol="otter").fingerprint == FOUND.fingerprint
    assert FOUND._replace(released_in="3.0.0", previous=FOUND.location).fingerprint == FOUND.fingerprint


@pytest.mark.share(4)
@pytest.mark.parametrize("folder", PAIRS, ids=lambda folder: f"{folder.parent.name}/{folder.name}")
def test_a_waiver_covers_what_has_its_identity(folder: Path) -> None:
    """The entry for a finding covers all that share its identity (types aside)."""
    found = findings(folder)
    for one in found:
        (waiver,) = read_waivers(block(one, "so", "Ada"), "waivers.toml")
        for other in found:
            if one.identity == other.identity:
                assert waiver.covers(other)
            elif waiver.covers(other):
                assert other.identity == one.identity._replace(
                    versions=other.versions, message_type=other.message_type
                )


def spec(lines: str, default: str) -> Protocol:
    text = {
        "type": "data",
        "name": "Foo",
        "validVersions": "0",
        "flexibleVersions": "0+",
        "fields": [{"name": "A", "type": "int8", "versions": "0+", "default": default}],
    }
    return Protocol.of([read_message(lines + json.dumps(text), "Foo.json", strict=False)])


def test_what_the_old_side_has_is_no_finding_wherever_it_moves() -> None:
    (first,) = check(None, spec("", "x"))
    (moved,) = check(None, spec("\n\n", "x"))
    assert first.identity == moved.identity
    assert first.location != moved.location
    assert check(spec("", "x"), spec("\n\n", "x")) == []


def test_another_fault_in_its_place_is_a_finding() -> None:
    assert [item.rule for item in check(spec("", "x"), spec("", "y"))] == ["bad-default"]
