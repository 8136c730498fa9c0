"""Other names of things: each belongs to one that exists, and the class of Java follows from the code."""

from __future__ import annotations

import json

import jsonschema
import pytest

from tests.support import ROOT
from wirebook.specs.kafka.aliases import PLACE, all_aliases, exception_of
from wirebook.specs.kafka.registry import embedded_protocol
from wirebook.specs.kafka.text_check import check_aliases, check_texts
from wirebook.specs.problems import InputError
from wirebook.specs.texts.reader import read_aliases

PROTOCOL = embedded_protocol()


@pytest.mark.parametrize(
    ("code", "name"),
    [
        ("NOT_LEADER_OR_FOLLOWER", "NotLeaderOrFollowerException"),
        ("NOT_LEADER_FOR_PARTITION", "NotLeaderForPartitionException"),
        ("UNKNOWN_SERVER_ERROR", "UnknownServerException"),
        ("NETWORK_EXCEPTION", "NetworkException"),
        ("TOPIC_AUTHORIZATION_FAILED", "TopicAuthorizationException"),
        ("SASL_AUTHENTICATION_FAILED", "SaslAuthenticationException"),
        ("FEATURE_UPDATE_FAILED", "FeatureUpdateFailedException"),
        ("OUT_OF_ORDER_SEQUENCE_NUMBER", "OutOfOrderSequenceException"),
        ("PRINCIPAL_DESERIALIZATION_FAILURE", "PrincipalDeserializationException"),
    ],
)
def test_the_class_of_java_follows_from_the_code(code: str, name: str) -> None:
    assert exception_of(code) == name


def test_the_file_is_valid_by_its_schema() -> None:
    schema = json.loads((ROOT / "specs" / "schema" / "aliases.json").read_text(encoding="utf-8"))
    document = json.loads((ROOT / PLACE).read_text(encoding="utf-8"))
    assert list(jsonschema.Draft202012Validator(schema).iter_errors(document)) == []
    assert len(all_aliases()) == sum(map(len, document["aliases"].values())) > 80


def give(monkeypatch: pytest.MonkeyPatch, things: str) -> None:
    """Put other aliases in the place of ours."""
    text = '{"schema": "wirebook/aliases/1",\n"aliases": {\n' + things + "}}"
    monkeypatch.setattr("wirebook.specs.kafka.text_check.all_aliases", lambda: read_aliases(text, PLACE))


def test_aliases_are_checked_with_the_texts(monkeypatch: pytest.MonkeyPatch) -> None:
    give(monkeypatch, '"Fecth": ["b"]')
    with pytest.raises(InputError, match='there is no message or error code "Fecth"'):
        check_texts(PROTOCOL)


@pytest.mark.parametrize(
    ("things", "words"),
    [
        ('"Fetch": ["a"], "Fecth": ["b"]', ':3:27: there is no message or error code "Fecth"'),
        ('"FetchRequest.Rack": ["b"]', ':3:23: FetchRequest has no field "Rack"'),
        ('"Fetch.RackId": ["b"]', ':3:18: there is no message or error code "Fetch"'),
        ('"Fetch": ["consumer.metadata"]', ':3:11: "consumer.metadata" is a name of API key 10 already'),
        ('"Fetch": ["NotLeaderForPartitionException"]', "is a name of NOT_LEADER_OR_FOLLOWER already"),
        ('"Fetch": ["Produce_Request"]', '"Produce_Request" is a name of ProduceRequest already'),
    ],
)
def test_an_alias_of_nothing_or_of_a_named_thing_is_reported(
    monkeypatch: pytest.MonkeyPatch, things: str, words: str
) -> None:
    give(monkeypatch, things)
    with pytest.raises(InputError) as caught:
        check_aliases(PROTOCOL)
    assert words in str(caught.value)
    assert str(caught.value).startswith(f"{PLACE}:3:")
