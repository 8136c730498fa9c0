"""Why versions were removed: about what exists, and of the release that removed them."""

from __future__ import annotations

import pytest

from wirebook.docgen.pages.removals import Removal, all_removals
from wirebook.specs.kafka.registry import embedded_protocol

REMOVALS = {f"{removal.release}: {removal.title}": removal for removal in all_removals()}


@pytest.mark.parametrize("removal", REMOVALS.values(), ids=REMOVALS)
def test_a_reason_is_sentences_with_a_title_and_a_source(removal: Removal) -> None:
    assert removal.reason.endswith(".")
    assert not removal.title.endswith(".")
    assert removal.source
    names = {message.name for message in embedded_protocol().messages} | {"QuotaRecord"}
    for name in removal.versions:
        assert name in names or f"{name}Request" in names


@pytest.mark.parametrize(
    ("release", "is_of"),
    [
        ("4.0", True),
        ("4.0.0", True),
        ("4.0.1", True),
        ("4.1.0", False),
        ("3.9", False),
        ("next", False),
        ("", False),
    ],
)
def test_a_removal_is_of_every_release_of_its_line(release: str, is_of: bool) -> None:
    (removal,) = (each for each in all_removals() if "LeaderAndIsr" in each.versions)
    assert removal.is_of(release) is is_of


def test_zookeeper_took_four_apis_with_it() -> None:
    (removal,) = (each for each in all_removals() if "LeaderAndIsr" in each.versions)
    assert [*removal.versions][:4] == [
        "LeaderAndIsr",
        "StopReplica",
        "UpdateMetadata",
        "ControlledShutdown",
    ]
    assert "ZooKeeper" in removal.title
