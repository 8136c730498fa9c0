"""Other names of things: each belongs to one that exists, and the class of Java follows from the
code."""

from __future__ import annotations

import json

import jsonschema
import pytest

from tests.support import ROOT
from wirebook.docgen.pages.search import exception_of


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
    document = json.loads((ROOT / "specs" / "kafka" / "aliases.json").read_text(encoding="utf-8"))
    assert list(jsonschema.Draft202012Validator(schema).iter_errors(document)) == []
    assert sum(map(len, document["aliases"].values())) > 80
