"""Features that a cluster finalizes, and the levels of metadata.version that they need."""

from __future__ import annotations

import pytest
from jsonschema import Draft202012Validator

from tests.docgen.histories import own_pages
from wirebook.docgen.pages.features import features_of, finalized_features
from wirebook.docgen.pages.links import anchor
from wirebook.docgen.pages.schemas import read_schema
from wirebook.specs.kafka import facts
from wirebook.specs.kafka.registry import load_registry

pytestmark = pytest.mark.xdist_group("book")


def test_a_release_says_which_features_its_clusters_can_finalize() -> None:
    assert features_of("3.8", "3.8-IV0") == ""
    assert features_of("3.9", "3.9-IV0") == "A cluster of 3.9 can finalize kraft.version up to 1."
    assert features_of("4.1", "4.1-IV1") == (
        "A cluster of 4.1 can finalize eligible.leader.replicas.version up to 1, group.version up"
        " to 1, kraft.version up to 1, share.version up to 1 and transaction.version up to 2, and"
        " a new one starts with eligible.leader.replicas.version 1, group.version 1 and"
        " transaction.version 2; streams.version 1 only with unstable.feature.versions.enable=true."
    )


def test_a_feature_is_of_levels_and_releases_that_are_known() -> None:
    """The levels that it needs, and with which new clusters start, are levels of
    metadata.version."""
    levels = load_registry().by_version
    Draft202012Validator(read_schema("finalized-features")).validate(
        facts("finalized_features.json")
    )
    for feature in finalized_features():
        numbers = [level.level for level in feature.levels]
        assert numbers == list(range(1, len(numbers) + 1)), feature.name
        for level in feature.levels:
            assert {level.needs, level.new_clusters} <= {*levels, ""}, feature.name
            # A cluster at the level with which it starts can have it.
            if level.needs and level.new_clusters:
                assert levels[level.needs].id <= levels[level.new_clusters].id


def test_a_level_can_be_lowered_to_the_newest_one_that_changes_the_metadata() -> None:
    html = str(own_pages()["levels/"].html)
    for level, words in {
        "4.2-IV1": "4.0-IV1",
        "4.0-IV0": "3.7-IV2",
        "4.3-IV0": "none: changes the metadata",
        "2.8-IV1": "",
    }.items():
        row = html.partition(f'id="at-{anchor(level)}"')[2].partition("</tr>")[0]
        assert f'<td data-is="can be lowered to">{words}</td>' in row, level
