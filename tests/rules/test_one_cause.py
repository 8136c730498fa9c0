"""One wrong value, misspelled key or unknown word is one cause: all else follows from it."""

from __future__ import annotations

from tests.rules.one_cause import EDITS, REQUEST, found
from tests.together import together
from wirebook.rules.finding import Severity
from wirebook.rules.roots import settled

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


@together("right, wrong, rule", EDITS)
def test_one_wrong_value_is_one_cause(right: str, wrong: str, rule: str) -> None:
    assert right in REQUEST
    every = found(REQUEST.replace(right, wrong, 1))
    (cause,) = (item for item in every if item.root is None)
    assert (cause.rule, cause.severity) == (rule, Severity.ERROR)
    assert {item.root for item in every if item is not cause} <= {cause.identity}


@together("right, wrong, rule", EDITS[::3])
def test_a_milder_cause_explains_nothing(right: str, wrong: str, rule: str) -> None:
    """Where the cause is only a warning by the configuration, or not reported, its consequences stand."""
    every = found(REQUEST.replace(right, wrong, 1))
    lowered = [item._replace(severity=Severity.WARNING) if item.root is None else item for item in every]
    for given in (lowered, [item for item in every if item.root is not None]):
        errors = {item.rule for item in given if item.severity is Severity.ERROR}
        assert {item.rule for item in settled(given) if item.root is None} >= errors


@together("right, wrong, rule", EDITS[::3])
def test_a_waiver_of_a_value_says_nothing_about_peers(right: str, wrong: str, rule: str) -> None:
    every = found(REQUEST.replace(right, wrong, 1))
    waived = [item._replace(waived="accepted") if item.root is None else item for item in every]
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
