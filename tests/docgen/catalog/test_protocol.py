"""How a protocol presents itself."""

from __future__ import annotations

import pytest

from wirebook.docgen.catalog.protocol import ProtocolRecord, SiteRecord


@pytest.mark.parametrize(
    ("record", "heading"),
    [
        (ProtocolRecord(), "Protocol reference"),
        (ProtocolRecord(name="otter"), "otter"),
        (ProtocolRecord(name="otter", product="Otter 2"), "Otter 2"),
        (ProtocolRecord(name="otter", product="Otter 2", title="Otters"), "Otters"),
        (ProtocolRecord(name="otter", title="Otters", site=SiteRecord(title="The site")), "The site"),
        (ProtocolRecord(site=SiteRecord(title="The site")), "The site"),
    ],
)
def test_a_site_has_the_most_specific_title(record: ProtocolRecord, heading: str) -> None:
    assert record.heading == heading


def test_levels_are_called_as_the_profile_calls_them() -> None:
    assert ProtocolRecord(family="kafka", level="ApiVersion").level_title == "ApiVersion"
    assert ProtocolRecord(level="protocol level").level_title == "Protocol level"
    assert ProtocolRecord(level="").level_title == ""
