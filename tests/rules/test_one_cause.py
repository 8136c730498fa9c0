"""One wrong value, misspelled key or unknown word is one cause: all else follows from it."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.kafka import read_kafka
from wirebook.rules.engine import check
from wirebook.rules.finding import Finding, Severity
from wirebook.rules.roots import settled
from wirebook.specs.model import Protocol

REQUEST = """{ "apiKey": 900, "type": "request", "name": "FooRequest", "listeners": ["broker"],
  "validVersions": "0-2", "flexibleVersions": "1+",
  "commonStructs": [{ "name": "Shared", "versions": "0+", "fields": [
    { "name": "Left", "type": "int32", "versions": "0+" },
    { "name": "Right", "type": "string", "versions": "1+" } ] }],
  "fields": [
    { "name": "Id", "type": "int32", "versions": "0+", "default": "-1" },
    { "name": "Name", "type": "string", "versions": "0+", "nullableVersions": "1+", "entityType": "topicName" },
    { "name": "Items", "type": "[]Item", "versions": "0+", "nullableVersions": "1+", "fields": [
      { "name": "Key", "type": "int32", "versions": "0+", "mapKey": true },
      { "name": "Note", "type": "string", "versions": "1+", "taggedVersions": "1+", "tag": 0, "ignorable": true },
      { "name": "More", "type": "int64", "versions": "2+", "taggedVersions": "2+", "tag": 1, "default": "5" } ] },
    { "name": "Pair", "type": "Shared", "versions": "0+" },
    { "name": "Pairs", "type": "[]Shared", "versions": "1+" },
    { "name": "Last", "type": "int8", "versions": "1+" },
    { "name": "Zone", "type": "string", "versions": "2+", "taggedVersions": "2+", "tag": 0,
      "nullableVersions": "2+", "default": "null" } ] }"""  # noqa: E501
RESPONSE = """{ "apiKey": 900, "type": "response", "name": "FooResponse", "validVersions": "0-2",
  "flexibleVersions": "1+", "fields": [ { "name": "ErrorCode", "type": "int16", "versions": "0+" } ] }"""

RANGES = (
    ('"validVersions": "', "0-2"),
    ('"flexibleVersions": "', "1+"),
    ('"Shared", "versions": "', "0+"),
    ('"Left", "type": "int32", "versions": "', "0+"),
    ('"Id", "type": "int32", "versions": "', "0+"),
    ('"Name", "type": "string", "versions": "', "0+"),
    ('"Name", "type": "string", "versions": "0+", "nullableVersions": "', "1+"),
    ('"type": "[]Item", "versions": "', "0+"),
    ('"Note", "type": "string", "versions": "1+", "taggedVersions": "', "1+"),
    ('"Last", "type": "int8", "versions": "', "1+"),
    ('"Zone", "type": "string", "versions": "2+", "taggedVersions": "', "2+"),
    ('"tag": 0,\n      "nullableVersions": "', "2+"),
)
TYPES = (
    '"Left", "type": "int32"', '"Id", "type": "int32"', '"Name", "type": "string"', '"Key", "type": "int32"',
    '"Note", "type": "string"', '"More", "type": "int64"', '"Pair", "type": "Shared"',
    '"Pairs", "type": "[]Shared"', '"Zone", "type": "string"',
)  # fmt: skip
MISSPELLED = {
    "ignorable": "ignorabel",
    "mapKey": "mapkey",
    "entityType": "entitytype",
    "default": "defalt",
    "listeners": "listener",
    "commonStructs": "commonStruct",
    "flexibleVersions": "flexibleVersion",
    "validVersions": "validVersion",
    "apiKey": "apikey",
}
# What is written instead of what, with the rule that reports it.
EDITS = [
    ('["broker"]', '["brokr"]', "unknown-listener"),
    ('"topicName"', '"topicNme"', "unknown-entity-type"),
    ('"Id", "type": "int32"', '"Id", "type": "int32", "entityType": "topicName"', "entity-type-mismatch"),
    ('"tag": 1', '"tag": 0', "duplicate-tag"),
    ('"tag": 1', '"tag": 7', "tag-changed"),
    ('"tag": 1', '"tag": -1', "number-out-of-range"),
    ('"tag": 1', '"tag": "one"', "wrong-type"),
    ('"tag": 1', '"tagg": 1', "unknown-key"),
    ('"taggedVersions": "2+", "tag": 1', '"tag": 1', "tagging-changed"),
    ('"taggedVersions": "2+", "tag": 1', '"tagedVersions": "2+", "tag": 1', "unknown-key"),
    ('"nullableVersions": "1+", "entity', '"nullableVersion": "1+", "entity', "unknown-key"),
    ('"nullableVersions": "1+", "fields"', '"nullableVersions": "1+", "field"', "unknown-key"),
    ('"Last", "type": "int8", "versions"', '"Last", "type": "int8", "version"', "unknown-key"),
    ('"Last", "type": "int8"', '"Last", "typ": "int8"', "unknown-key"),
    ('"Last", "type": "int8"', '"Last"', "missing-key"),
    ('"Last", "type": "int8", "versions": "1+"', '"Last", "type": "int8"', "missing-key"),
    ('"name": "Last", ', "", "missing-key"),
    ('"name": "Last"', '"name": ""', "empty-value"),
    ('"name": "Last"', '"name": "La st"', "bad-name"),
    ('"Last", "type": "int8"', '"Last", "type": "[]records"', "unknown-type"),
    ('"Last", "type": "int8"', '"Last", "type": "int8", "nullableVersions": "1+"', "nullable-primitive"),
    ('"flexibleVersions": "1+",', "", "missing-key"),
    ('"apiKey": 900, "type": "request"', '"type": "request"', "missing-key"),
    ('"apiKey": 900, "type": "request"', '"apiKey": null, "type": "request"', "wrong-type"),
    ('"apiKey": 900, "type": "request"', '"apiKey": 90000, "type": "request"', "number-out-of-range"),
    ('"type": "request"', '"type": "reqest"', "unknown-message-type"),
    ('"validVersions": "0-2"', '"validVersions": "0+"', "bad-version-range"),
    ('"name": "Shared"', '"name": "Other"', "unknown-struct"),
    ('"[]Item"', '"[]FooRequest"', "duplicate-struct-name"),
    ('"Right", "type": "string"', '"Right", "type": "Shared"', "recursive-struct"),
]
EDITS += [
    (f"{before}{right}", f"{before}{wrong}", "bad-version-range")
    for before, right in RANGES
    for wrong in ("3 +", "x", "4-2", "0-99999", "")
]
EDITS += [
    (text, f'{text.split(",")[0]}, "type": "{kind}"', rule)
    for text in TYPES
    for kind, rule in (("int", "unknown-type"), ("Int", "unknown-struct"), ("[]Nowhere", "unknown-struct"))
]
EDITS += [(f'"{key}"', f'"{wrong}"', "unknown-key") for key, wrong in MISSPELLED.items()]


def protocol(request: str) -> Protocol:
    texts = {"FooRequest.json": request, "FooResponse.json": RESPONSE}
    return Protocol.of(read_kafka(text, path, strict=False) for path, text in texts.items())


def found(request: str) -> list[Finding]:
    """All findings on a change of the request."""
    return check(protocol(REQUEST), protocol(request))


@pytest.mark.parametrize(("right", "wrong", "rule"), EDITS)
def test_one_wrong_value_is_one_cause(right: str, wrong: str, rule: str) -> None:
    assert right in REQUEST
    every = found(REQUEST.replace(right, wrong, 1))
    (cause,) = (item for item in every if item.root is None)
    assert (cause.rule, cause.severity) == (rule, Severity.ERROR)
    assert {item.root for item in every if item is not cause} <= {cause.identity}


@pytest.mark.parametrize(("right", "wrong", "rule"), EDITS[::3])
def test_a_milder_cause_explains_nothing(right: str, wrong: str, rule: str) -> None:
    """Where the cause is only a warning by the configuration, or not reported, its consequences stand."""
    every = found(REQUEST.replace(right, wrong, 1))
    lowered = [replace(item, severity=Severity.WARNING) if item.root is None else item for item in every]
    for given in (lowered, [item for item in every if item.root is not None]):
        errors = {item.rule for item in given if item.severity is Severity.ERROR}
        assert {item.rule for item in settled(given) if item.root is None} >= errors


@pytest.mark.parametrize(("right", "wrong", "rule"), EDITS[::3])
def test_a_waiver_of_a_value_says_nothing_about_peers(right: str, wrong: str, rule: str) -> None:
    every = found(REQUEST.replace(right, wrong, 1))
    waived = [replace(item, waived="accepted") if item.root is None else item for item in every]
    (cause,) = (item for item in waived if item.root is None)
    is_for_peers = cause.category in ("wire", "policy")
    for item in settled(waived):
        stands = item.category in ("wire", "policy") and not is_for_peers
        assert (item.waived is None) == stands
        assert item is cause or (item.root is None) == stands


def test_two_wrong_values_are_two_causes() -> None:
    request = REQUEST.replace('"Id", "type": "int32"', '"Id", "type": "int"', 1)
    request = request.replace('"Last", "type": "int8"', '"Last", "type": "int16"', 1)
    causes = [item for item in found(request) if item.root is None]
    assert [(item.rule, item.field) for item in causes] == [("unknown-type", "Id"), ("type-changed", "Last")]
