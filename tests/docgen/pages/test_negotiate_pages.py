"""The pages of negotiation, without a browser: what they say, and that the data are of their
schema."""

from __future__ import annotations

import json
import re

import pytest
from jsonschema import Draft202012Validator

from tests.docgen.histories import own_pages
from wirebook.docgen.pages.negotiate import data_text
from wirebook.docgen.pages.schemas import read_schema
from wirebook.peers.known import known_clients
from wirebook.peers.page_data import KRAFT, negotiation_data
from wirebook.specs.kafka.brokers import kafka_releases

pytestmark = pytest.mark.xdist_group("book")


def plain(html: str) -> str:
    """The text of a page on one line."""
    return " ".join(re.sub(r"<[^>]*>", " ", html).split())


def test_the_data_are_of_their_schema() -> None:
    schema = read_schema("negotiation-data")
    Draft202012Validator.check_schema(schema)
    document = negotiation_data()
    assert list(Draft202012Validator(schema).iter_errors(document)) == []
    ids = [broker["id"] for broker in document["brokers"]]
    assert [name for name in ids if not name.endswith(KRAFT)] == [
        b.release for b in kafka_releases().released
    ]
    assert {client["id"] for client in document["clients"]} >= {
        "kafka-python",
        "kio",
        "librdkafka",
        "java-3.9",
    }
    assert json.loads(data_text()) == document


def test_a_release_that_runs_with_zookeeper_or_kraft_is_two_brokers_that_say_so() -> None:
    """Which APIs each listener has is what the specs of the release say: released_specs has
    them."""
    brokers = {broker["id"]: broker for broker in negotiation_data()["brokers"]}
    either = [broker.release for broker in kafka_releases().released if broker.is_either]
    assert either == ["3.3", "3.4", "3.5", "3.6", "3.7", "3.8", "3.9", "3.9.1", "3.9.2"]
    assert [name for name in brokers if name.endswith(KRAFT)] == [name + KRAFT for name in either]
    for name in either:
        zookeeper, kraft = brokers[name], brokers[name + KRAFT]
        assert (zookeeper["name"], kraft["name"]) == (
            f"{name} with ZooKeeper",
            f"{name} with KRaft",
        )
        broker = kafka_releases().broker(name)
        assert set(map(int, zookeeper["versions"])) == set(broker.listed("zkBroker"))
        assert set(map(int, kraft["versions"])) == set(broker.listed("broker"))
    describe_quorum, list_config_resources, describe_topic_partitions = "55", "74", "75"
    for key in (describe_quorum, list_config_resources, describe_topic_partitions):
        assert key not in brokers["3.9"]["versions"]
        assert key in brokers["3.9" + KRAFT]["versions"] or key == list_config_resources
    html = str(own_pages()["negotiate/"].html)
    assert "3.9 with KRaft</label>" in html
    assert "3.9 with ZooKeeper</label>" in html
    assert "-dev" not in html


def test_the_page_holds_the_data_and_no_text_of_it_ends_the_script() -> None:
    html = str(own_pages()["negotiate/"].html)
    inside = html.partition('id="wb-negotiation-data">')[2].partition("</script>")[0]
    assert json.loads(inside) == negotiation_data()
    assert "<" not in inside


def test_every_known_client_says_what_its_ranges_were_read_from() -> None:
    html = str(own_pages()["negotiate/"].html)
    for client in known_clients().values():
        assert client.sources
        assert all(f'<a href="{address}">' in html for address in client.sources)


def test_every_feature_has_its_question_and_its_answer() -> None:
    page = own_pages()["features/"]
    text = plain(str(page.html))
    assert "Idempotence: which brokers? All brokers from 0.11.0 to 4.4." in text
    assert "IDEMPOTENT_PRODUCER and detects it by InitProducerId." in text
    assert "Last release without it: 0.10.2 (InitProducerId: the broker does not list it)." in text
    assert "detects it by Produce from version 7 and Fetch from version 10." in text
    questions = {f"{each.title}: which brokers?" for each in known_clients()["librdkafka"].features}
    assert questions <= {heading.title for heading in page.headings}
    for heading in page.headings:
        assert f'id="{heading.id}"' in page.html
