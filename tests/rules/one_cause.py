"""Edits of a protocol that each have one cause."""

from __future__ import annotations

from tests.kafka import read_kafka
from wirebook.rules.engine import check
from wirebook.rules.finding import Finding
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


def protocol(request: str) -> Protocol:
    texts = {"FooRequest.json": request, "FooResponse.json": RESPONSE}
    return Protocol.of(read_kafka(text, path, strict=False) for path, text in texts.items())


def found(request: str) -> list[Finding]:
    """All findings on a change of the request."""
    return check(protocol(REQUEST), protocol(request))
