"""What a name on the command line means in a protocol, and what is suggested for one that means nothing."""

from __future__ import annotations

import json

import pytest

from tests.kafka import read_kafka
from wirebook.specs.load import newest
from wirebook.specs.model import Message, Protocol
from wirebook.specs.problems import InputError
from wirebook.specs.selection import select, select_message


def message(name: str, kind: str, key: int | None, valid: str = "0-2", **more: object) -> Message:
    """A message without fields."""
    keyed = {} if key is None else {"apiKey": key}
    spec = {**keyed, "type": kind, "name": name, "validVersions": valid, "flexibleVersions": "1+", **more}
    return read_kafka(json.dumps(spec | {"fields": []}).encode(), f"{name}.json")


def of(*apis: str) -> Protocol:
    """A protocol with these APIs, with keys from 10 on in steps of 10."""
    kinds = (("Request", "request"), ("Response", "response"))
    pairs = [(name, 10 * place) for place, name in enumerate(apis, start=1)]
    return Protocol.of(message(name + end, kind, key) for name, key in pairs for end, kind in kinds)


FETCH = Protocol.of([*of("Fetch", "Produce"), message("StoredValue", "data", None)])


@pytest.mark.parametrize(
    ("given", "names"),
    [
        ("Fetch", ["FetchRequest", "FetchResponse"]),
        ("fetch", ["FetchRequest", "FetchResponse"]),
        ("20", ["ProduceRequest", "ProduceResponse"]),
        ("FetchRequest", ["FetchRequest"]),
        ("StoredValue", ["StoredValue"]),
    ],
)
def test_a_name_is_that_of_an_api_or_a_message_or_a_key(given: str, names: list[str]) -> None:
    assert [found.name for found in select(FETCH, given, "the specs")] == names


def refusal(protocol: Protocol, name: str) -> str:
    """The error for a name that means nothing, without its beginning."""
    with pytest.raises(InputError) as caught:
        select(protocol, name, "the specs")
    head, there, hint = str(caught.value).partition(f'there is no API or message "{name}" in the specs')
    assert there
    assert not head
    return hint


def test_at_most_three_names_are_suggested() -> None:
    # Names that are written alike, the most similar one first.
    assert refusal(of("Fetch"), "Fetsh") == "; did you mean Fetch?"
    four = of("FooA", "FooB", "FooC", "FooD")
    assert refusal(four, "Fooo").count(" or ") == 2
    # A part of longer names, in the order of the names.
    long = of(*(f"{name}TransactionalIdentifiersOfGroups" for name in "DBCA"))
    part = "Trans"
    first = "ATransactionalIdentifiersOfGroups"
    second = "BTransactionalIdentifiersOfGroups"
    expected = f"; did you mean {first} or {first}Request or {first}Response?"
    assert refusal(long, part) == expected
    assert refusal(long, part.upper()) == expected
    assert refusal(of(second[1:]), "") == refusal(of(second[1:]), "xyz") == ""


def test_for_a_number_the_keys_are_listed() -> None:
    assert refusal(FETCH, "30") == "; its API keys are 10, 20"
    assert refusal(Protocol.of([message("StoredValue", "data", None)]), "30") == ""


def test_an_api_is_no_message_even_if_it_has_only_one() -> None:
    assert select_message(FETCH, "fetchrequest", "the specs").name == "FetchRequest"
    for protocol in (FETCH, Protocol.of([message("FetchRequest", "request", 10)])):
        names = " or ".join(found.name for found in protocol if found.api == "Fetch")
        with pytest.raises(InputError, match=f'"Fetch" is an API; name its message: {names}$'):
            select_message(protocol, "Fetch", "the specs")


@pytest.mark.parametrize(
    ("valid", "unstable", "number"),
    [("0-2", False, 2), ("0-2", True, 1), ("2", True, 2), ("1-2", True, 1), ("0", False, 0)],
)
def test_the_newest_version_is_the_highest_that_is_stable_if_one_is(
    valid: str, unstable: bool, number: int
) -> None:
    found = message("FooRequest", "request", 1, valid, latestVersionUnstable=unstable)
    assert newest(found) == number


def test_a_message_whose_versions_are_gone_has_no_newest() -> None:
    with pytest.raises(InputError, match="FooRequest no longer has a version: its valid versions are none"):
        newest(message("FooRequest", "request", 1, "none"))
