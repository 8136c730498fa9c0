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


def test_a_name_lists_the_first_version_and_its_release() -> None:
    topic_ids = rows()["topicid"]
    for text in (
        "Fetch request Topics.TopicId</a> 13+ (3.1)",
        "Fetch request ForgottenTopicsData.TopicId</a> 13+ (3.1)",
        "OffsetCommit request</a> 10+ (4.1)",
        "Metadata response</a> 10+ (2.8)",
    ):
        assert text in topic_ids
    assert 'href="../api/fetch/#v18-topics-topicid"' in topic_ids
    assert "Produce response</a> 1+ (0.9.0)" in rows()["throttletimems"]


def test_every_link_leads_to_a_version_that_has_the_field() -> None:
    """Fields of a struct that has ended state versions without end."""
    for document in own_book().documents:
        for use in field_uses(document):
            number = int(use.href.partition("#v")[2].partition("-")[0])
            assert use.path in {field.path for field in use.message.versions[number].layout.walk()}, use.href
    assert "LeaderAndIsr request UngroupedPartitionStates.IsNew</a> 1 (1.0)" in rows()["isnew"]
    assert "LeaderAndIsr request TopicStates.PartitionStates.IsNew</a> 2-7 (2.2)" in rows()["isnew"]
