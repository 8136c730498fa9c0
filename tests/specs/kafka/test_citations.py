"""The code that a source names: which class and method, of which release, and where the source names it."""

from __future__ import annotations

import pytest

from wirebook.specs.kafka.citations import Citation, citations
from wirebook.specs.kafka.texts import all_texts


@pytest.mark.parametrize(
    ("source", "release", "is_before"),
    [
        ("Otter (3.9)", "3.9", False),
        ("Otter (2.3 to 3.9)", "3.9", False),
        ("Otter.dive (before 4.0)", "4.0", True),
        ("Otter of Kafka 3.x", "3.x", False),
        ("Otter of 3.9 and older", "3.9", False),
        ("Otter (0.11.0)", "0.11.0", False),
    ],
)
def test_a_source_may_name_a_release(source: str, release: str, is_before: bool) -> None:
    (found,) = citations(source)
    assert (found.is_current, found.release, found.is_before) == (False, release, is_before)


def test_names_that_begin_with_several_capitals_are_classes() -> None:
    assert list(citations("KRaftOtter.dive, RPCDen of 3.4")) == [
        Citation("KRaftOtter", "dive"),
        Citation("RPCDen", is_current=False),
    ]
    assert list(citations("KIP-932")) == []


def test_a_citation_knows_its_place_in_the_source() -> None:
    source = "Otter.dive (2.4), sleep; River"
    named = [source[each.start : each.end] for each in citations(source)]
    assert named == ["Otter.dive", "sleep", "River"]
    for texts in all_texts().values():
        for source in texts.sources():
            for each in citations(source):
                assert source[each.start : each.end] in (str(each), each.member)
