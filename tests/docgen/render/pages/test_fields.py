"""The page of fields by name, of our own specs."""

from __future__ import annotations

import re
from functools import cache

import pytest

from tests.docgen.histories import own_book
from wirebook.docgen.render.pages.fields import field_uses, fields_page

pytestmark = pytest.mark.xdist_group("book")


@cache
def rows() -> dict[str, str]:
    """The row of each name, as HTML."""
    html = str(fields_page(own_book().documents).html)
    return dict(re.findall(r'<tr id="([^"]+)">(.*?)</tr>', html.replace("<wbr>", ""), re.DOTALL))


def test_every_field_of_every_api_is_listed_once() -> None:
    uses = [use for document in own_book().documents if document.is_api for use in field_uses(document)]
    assert len(uses) == sum(row.count('href="../api/') for row in rows().values()) > 1500


def uses(name: str) -> list[str]:
    """What the row of a name lists, a text for each field: "Fetch request Topics.TopicId | 13+ | 3.1"."""
    lines = re.findall(r"<li>(.*?)</li>", rows()[name], re.DOTALL)
    return [re.sub(r"<[^>]*>", "", line.replace("<span>", " | ")) for line in lines]


def test_a_name_lists_the_versions_and_the_first_stable_release() -> None:
    for text in (
        "Fetch request Topics.TopicId | 13+ | 3.1",
        "Fetch request ForgottenTopicsData.TopicId | 13+ | 3.1",
        "Metadata response | 10+ | 2.8",
    ):
        assert text in uses("topicid")
    assert 'href="../api/fetch/#v18-topics-topicid"' in rows()["topicid"]
    assert "Produce response | 1+ | 0.9.0; versions 1-2 removed in 4.0" in uses("throttletimems")


def test_versions_that_are_not_served_as_stable_are_named() -> None:
    topic_ids = uses("topicid")
    assert "OffsetCommit request | 10+ | 4.2; unstable before, since 4.1" in topic_ids
    assert "ConsumerGroupHeartbeat request | 0+ | 3.7; unstable before, since 3.5" in topic_ids
    assert (
        "ShareFetch request Topics.TopicId | 1+ | 4.1; version 0 unstable since 3.9, removed in 4.1"
        in topic_ids
    )
    # A version that has never been stable does not date the field.
    assert "InitProducerId request | 6+ | version 6 unstable since 4.1" in uses("enable2pc")


def test_every_link_leads_to_a_version_that_has_the_field() -> None:
    """Fields of a struct that has ended state versions without end."""
    for document in own_book().documents:
        for use in field_uses(document):
            number = int(use.href.partition("#v")[2].partition("-")[0])
            assert use.path in {field.path for field in use.message.versions[number].layout.walk()}, use.href
    is_new = uses("isnew")
    assert "LeaderAndIsr request UngroupedPartitionStates.IsNew | 1 | 1.0; version 1 removed in 4.0" in is_new
    assert (
        "LeaderAndIsr request TopicStates.PartitionStates.IsNew | 2-7 | 2.2; versions 2-7 removed in 4.0"
        in is_new
    )
