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
    kafka = ProtocolRecord(family="kafka", level="ApiVersion")
    assert (kafka.level_title, kafka.levels_folder) == ("ApiVersion", "api-versions/")
    own = ProtocolRecord(level="protocol level")
    assert (own.level_title, own.levels_folder) == ("Protocol level", "levels/")
    assert ProtocolRecord(level="").level_title == ""
