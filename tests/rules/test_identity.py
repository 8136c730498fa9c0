"""One identity of a finding: its fingerprint, a waiver for it and the search for repetitions agree
on it."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.rules.fixture_pairs import PAIRS, findings
from tests.rules.reports import some_finding
from wirebook.rules.finding import Finding, FindingIdentity, Severity
from wirebook.rules.report.waivers import block
from wirebook.rules.waivers import read_waivers
from wirebook.specs.versions import VersionSet

pytestmark = pytest.mark.xdist_group("fixtures")

FOUND = some_finding()
parts = st.sampled_from(["", "a", "b"])
versions = st.sampled_from(["none", "1", "1-2"]).map(VersionSet.parse)
identities = st.builds(FindingIdentity, parts, parts, parts, parts, versions, parts, parts)


def of(identity: FindingIdentity, **others: object) -> Finding:
    return FOUND._replace(**identity._asdict(), **others)  # type: ignore[arg-type]


def test_a_fingerprint_never_changes() -> None:
    """They are in waivers, in baselines of SARIF viewers, and in comments of reviews."""
    assert FOUND.fingerprint == "88e89adea48553b9"
    assert FOUND._replace(discriminator="0").fingerprint == "d63e899f90070495"
    assert FOUND._replace(change="type: int8 -> int16").fingerprint == "855a93ed13fe4cf4"


@given(identities, identities)
def test_fingerprint_and_identity_agree(first: FindingIdentity, second: FindingIdentity) -> None:
    one = of(first)
    other = of(
        second, message="other words", severity=Severity.INFO, location=None, api_key=7, fix=""
    )
    assert one.identity == first
    assert (one.identity == other.identity) == (first == second)
    assert (one.fingerprint == other.fingerprint) == (first == second)


@pytest.mark.share(4)
@pytest.mark.parametrize("folder", PAIRS, ids=lambda folder: f"{folder.parent.name}/{folder.name}")
def test_a_waiver_covers_what_has_its_identity(folder: Path) -> None:
    """The entry for a finding covers all that share its identity (types aside)."""
    found = findings(folder)
    for one in found:
        (waiver,) = read_waivers(block(one).replace('""  #', '"x"  #'), "waivers.toml")
        for other in found:
            if one.identity == other.identity:
                assert waiver.covers(other)
            elif waiver.covers(other):
                assert other.identity == one.identity._replace(
                    versions=other.versions, message_type=other.message_type
                )
