"""Two messages that claim one API key: one finding, at the new file, whatever it is called."""

from __future__ import annotations

import json
from typing import Any

import pytest

from wirebook.rules.engine import check, of_sets
from wirebook.rules.released import Baseline
from wirebook.specs.model import Message, Protocol
from wirebook.specs.reading.reader import read_message


def spec(name: str, kind: str, key: int, valid: str = "0-1", field: str = "int32") -> Message:
    fields: list[dict[str, Any]] = [
        {"name": "Id", "type": field, "versions": "0+"},
        {"name": "Note", "type": "string", "versions": "0+", "tag": 0, "taggedVersions": "0+"},
    ]
    keys = {"apiKey": key, "type": kind, "name": name, "validVersions": valid, "flexibleVersions": "0+"}
    return read_message(json.dumps({**keys, "fields": fields}), f"{name}.json")


def api(name: str, key: int, **more: str) -> list[Message]:
    return [spec(f"{name}{kind.capitalize()}", kind, key, **more) for kind in ("request", "response")]


@pytest.mark.parametrize("name", ["Aaa", "Zzz"])
@pytest.mark.parametrize("released", [False, True])
def test_a_new_api_that_takes_a_key_is_one_finding(name: str, released: bool) -> None:
    old = Protocol.of([*api("Mine", 68), *api("Other", 67)])
    new = Protocol.of([*old, *api(name, 68, valid="0", field="string")])
    baselines = [Baseline("4.0.0", old)] if released else []
    (found,) = check(old, new, baselines)
    assert (found.rule, found.message_name) == ("duplicate-api-key", f"{name}Request")
    assert found.location is not None
    assert found.location.path == f"{name}Request.json"
    assert found.fix == "use the next free API key, 69"
    assert of_sets(old, new) == [found]
    assert check(new, new, baselines) == []


@pytest.mark.parametrize("name", ["AaaRecord", "ZzzRecord"])
def test_a_new_record_that_takes_key_0_is_one_finding(name: str) -> None:
    old = Protocol.of([spec("MineRecord", "metadata", 0), spec("OtherRecord", "metadata", 1)])
    new = Protocol.of([*old, spec(name, "metadata", 0, valid="0", field="string")])
    for baselines in ([], [Baseline("4.0.0", old)]):
        (found,) = check(old, new, baselines)
        assert (found.rule, found.message_name) == ("duplicate-api-key", name)


def test_a_file_that_takes_a_key_is_still_judged_by_itself() -> None:
    old = Protocol.of(api("Mine", 68))
    new = Protocol.of([*old, *api("Aaa", 68, field="int")])
    assert sorted((item.rule, item.message_name) for item in check(old, new)) == [
        ("duplicate-api-key", "AaaRequest"),
        ("unknown-type", "AaaRequest"),
        ("unknown-type", "AaaResponse"),
    ]
