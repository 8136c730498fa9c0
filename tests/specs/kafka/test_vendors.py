"""The facts on vendors and forks: in the form of their schema, and sound by themselves."""

from __future__ import annotations

import json

import pytest
from jsonschema import Draft202012Validator

from tests.support import ROOT
from wirebook.specs.kafka.brokers import load_brokers
from wirebook.specs.kafka.registry import embedded_protocol
from wirebook.specs.kafka.vendors import PATH, Vendor, all_vendors
from wirebook.specs.versions import VersionSet

FOUND = all_vendors()
KEYS = {message.api_key: message.api for message in embedded_protocol().messages if message.type == "request"}


def test_the_file_is_of_its_form() -> None:
    schema = json.loads((ROOT / "specs" / "schema" / "vendors.json").read_text(encoding="utf-8"))
    document = json.loads(PATH.read_text(encoding="utf-8"))
    assert [error.message for error in Draft202012Validator(schema).iter_errors(document)] == []
    names = [vendor.name for vendor in FOUND.vendors]
    assert names == sorted(set(names), key=str.lower)


@pytest.mark.parametrize("vendor", FOUND.vendors, ids=lambda vendor: vendor.name)
def test_the_numbers_agree(vendor: Vendor) -> None:
    releases = {broker.release for broker in load_brokers()}
    assert {name.rpartition(".")[0] for name in vendor.nearest} <= releases | {"2.2", "2.3"}
    own = [api for api in vendor.own_apis if api.key not in KEYS]
    messages = sum(len(list(VersionSet.parse(api.versions))) for api in own) * 2
    messages += sum(len(list(VersionSet.parse(item.versions))) for item in vendor.own_messages)
    assert messages <= vendor.own
    assert len([item for item in vendor.different if item.status == "other"]) == vendor.other
    assert len([item for item in vendor.different if item.status == "earlier"]) == vendor.earlier
    assert all(item.taken <= item.layouts for item in vendor.taken_over)
    assert vendor.steps[-1].day <= vendor.day


def test_two_keys_have_two_meanings() -> None:
    meanings: dict[int, set[str]] = {}
    for vendor in FOUND.vendors:
        for api in vendor.own_apis:
            meanings.setdefault(api.key, set()).add(api.name)
    assert {key for key, names in meanings.items() if len(names) > 1} == {501, 502}
    assert meanings[501] == {"CreateStreams", "AlterDisklessSwitch"}
    assert not meanings.keys() & KEYS.keys()
