"""The findings on what the reader reports: known by the key and the place, whatever the sentence says."""

from __future__ import annotations

import json
from collections import Counter

import pytest

from tests.kafka import read_kafka
from wirebook.rules.engine import check, judge_files
from wirebook.rules.finding import Finding, Severity
from wirebook.specs.model import Message, Protocol
from wirebook.specs.problems import ProblemKind
from wirebook.specs.reading.reader import REQUIRED_KEYS

SPEC = """{
  "apiKey": 900, "type": "request", "name": "FooRequest", "validVersions": "0-1", "flexibleVersions": "1+",
  "fields": [
    { "name": "Id", "type": "int32", "versions": "0+" }%s
  ]
}%s
"""

# Each with the keys that are at fault, those of one node together.
FIELDS = {
    '{ "name": "A", "type": "int8", "versions": "0+", "versions": "1+" }': ["versions"],
    '{ "name": "A", "type": "int8", "versions": "0+", "abuot": "", "ignroable": true }': [
        "abuot",
        "ignroable",
    ],
    '{ "name": "A", "type": "int8", "versions": 0, "ignorable": "true", "tag": "0" }': [
        "versions",
        "ignorable",
        "tag",
    ],
    '{ "name": "A", "about": "" }': ["type", "versions"],
    '{ "about": "" }': ["name", "type", "versions"],
    '{ "name": "", "type": "", "versions": "0+" }': ["name", "type"],
    '{ "name": "A", "type": "int8", "versions": "all", "nullableVersions": "some" }': [
        "versions",
        "nullableVersions",
    ],
    '{ "name": "A", "type": "int8", "versions": "0+", "taggedVersions": "1+", "tag": -1 }': ["tag"],
    '{ "name": "A", "type": "int8", "versions": "0+", "default": [] }': ["default"],
    "7": ["fields"],
}


def read(field: str = "", rest: str = "", mark: str = "") -> Message:
    fields = f",\n    {field}" if field else ""
    return read_kafka(mark + SPEC % (fields, rest), "FooRequest.json", strict=False)


def findings(message: Message) -> list[Finding]:
    kinds = set(ProblemKind)
    return [finding for finding in judge_files(Protocol((message,))) if finding.rule in kinds]


def reworded(message: Message) -> Message:
    return message._replace(
        problems=tuple(
            problem._replace(message=f'sentence "{place}" (first in line 9)')
            for place, problem in enumerate(message.problems)
        ),
    )


@pytest.mark.parametrize("field", FIELDS)
def test_a_fingerprint_is_of_the_key_and_not_of_the_sentence(field: str) -> None:
    message = read(field)
    found = findings(message)
    assert sorted(problem.key for problem in message.problems) == sorted(FIELDS[field])
    assert sorted(item.discriminator for item in found) == sorted(FIELDS[field])
    assert [item.fingerprint for item in findings(reworded(message))] == [item.fingerprint for item in found]
    assert set(Counter(item.fingerprint for item in found).values()) == {1}


def test_what_is_wrong_with_the_text_as_a_whole_has_no_key() -> None:
    message = read(rest=" more", mark="\ufeff")
    assert {(problem.kind, problem.key) for problem in message.problems} == {
        (ProblemKind.BYTE_ORDER_MARK, ""),
        (ProblemKind.TRAILING_TEXT, ""),
    }
    found = findings(message)
    assert [item.fingerprint for item in findings(reworded(message))] == [item.fingerprint for item in found]


def test_every_kind_of_problem_has_a_rule() -> None:
    seen = {problem.kind for field in FIELDS for problem in read(field).problems}
    seen |= {problem.kind for problem in read(rest=" more", mark="\ufeff").problems}
    assert seen == set(ProblemKind)
    for field in FIELDS:
        message = read(field)
        assert Counter(problem.kind for problem in message.problems) == Counter(
            item.rule for item in findings(message)
        )


def test_the_keys_that_may_be_missing_are_known() -> None:
    fields = ", ".join(field for field in FIELDS if field.startswith("{"))
    texts = [
        f'{{ "fields": [{fields}], "commonStructs": [{{}}], "history": [{{}}] }}',
        '{ "commonStructs": [{ "fields": [{}] }], "fields": [{ "fields": [{}] }] }',
    ]
    missing = {
        problem.key
        for text in texts
        for problem in read_kafka(text, "FooRequest.json", strict=False).problems
        if problem.kind is ProblemKind.MISSING_KEY
    }
    assert missing == REQUIRED_KEYS


def test_a_key_that_no_reader_can_do_without_is_an_error_whatever_the_others_lack() -> None:
    lacking = '{ "name": "A", "type": "int8" }'
    other = json.loads(SPEC % ("", ""))
    other |= {"name": "BarRequest", "apiKey": 901, "fields": [json.loads(lacking)]}
    old = read_kafka(json.dumps(other), "BarRequest.json", strict=False)
    found = [item for item in check(Protocol((old,)), Protocol((old, read(lacking)))) if item.field == "A"]
    assert [(item.rule, item.severity) for item in found] == [("missing-key", Severity.ERROR)]
