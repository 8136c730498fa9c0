"""Addresses of specs, releases and levels: those in the repository of a site, and Kafka's for its own."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.docgen.histories import own_book
from wirebook.docgen.catalog.records import LayoutOrigin
from wirebook.docgen.render.kit.sources import NO_SOURCES, Sources, cited_parts
from wirebook.specs.kafka.origins import REPOSITORY

OTTERS = Sources("https://example.org/otters.git", frozenset({"1.0", "1.1+a"}))
KAFKAS = Sources("https://example.org/wirebook", is_kafka=True)


@pytest.mark.parametrize(
    ("sources", "origin", "address"),
    [
        (OTTERS, LayoutOrigin("1.1+a", "a b.json", 3), "https://example.org/otters/blob/1.1%2Ba/a%20b.json"),
        (OTTERS, LayoutOrigin("unreleased", "a.json", 3), ""),
        (NO_SOURCES, LayoutOrigin("1.0", "a.json", 3), ""),
        (KAFKAS, LayoutOrigin("4.3-IV0", "a.json", 3, release="4.3.1"), f"{REPOSITORY}/blob/4.3.1/a.json"),
        (KAFKAS, LayoutOrigin("4.4-IV0", "a.json", 3), ""),
    ],
)
def test_a_spec_is_at_the_release_that_defines_it(
    sources: Sources, origin: LayoutOrigin, address: str
) -> None:
    assert sources.spec(origin) == address


@pytest.mark.xdist_group("book")
def test_a_release_is_a_commit_and_a_level_is_code() -> None:
    assert "/MetadataVersion.java#L" in KAFKAS.level("4.3-IV0")
    release = replace(own_book().snapshots[-1], name="4.3.1")
    assert KAFKAS.snapshot(release).startswith(f"{REPOSITORY}/commit/26b251a451ce")
    line = KAFKAS.snapshot(replace(release, name="4.3"))
    assert line == KAFKAS.snapshot(replace(release, name="4.3.0")) != KAFKAS.snapshot(release)
    assert KAFKAS.snapshot(replace(release, name="4.0.0")) == f"{REPOSITORY}/tree/4.0.0"
    own = replace(release, name="1.0", commit="c" * 40)
    assert OTTERS.snapshot(own) == f"https://example.org/otters/commit/{'c' * 40}"
    assert NO_SOURCES.snapshot(own) == OTTERS.level("4.3-IV0") == ""
    assert OTTERS.snapshot(replace(own, name="2.0")) == ""


def test_the_code_that_a_source_names_is_linked() -> None:
    (nothing, _), (name, address), (rest, none) = cited_parts("KafkaApis.handleFetchRequest, KIP-227")
    assert (nothing, name, rest, none) == ("", "KafkaApis.handleFetchRequest", ", KIP-227", "")
    assert address.startswith(f"{REPOSITORY}/blob/4.3.1/core/src/main/scala/kafka/server/KafkaApis.scala#L")
    assert list(cited_parts("No such code")) == [("No such code", "")]
