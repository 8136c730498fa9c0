"""Layouts agree with what Kafka's own Java code says of header versions."""

from __future__ import annotations

import json

import pytest

from tests.specs.released_specs import released
from tests.specs.wire.own_messages import own_messages
from tests.support import SHARED, needs_shared
from wirebook.specs.layout import layout

pytestmark = pytest.mark.xdist_group("released")

RELEASES = {"4.3": "4.3.1", "3.6": "3.6.2"}


def given(*parts: str) -> str:
    assert SHARED is not None
    return SHARED.joinpath(*parts).read_text(encoding="utf-8")


@needs_shared
@pytest.mark.parametrize(("java", "release"), RELEASES.items())
def test_header_versions_are_those_of_java(java: str, release: str) -> None:
    table = json.loads(given("facts", "header_versions.json"))[java]
    rows = 0
    for key, api in table.items():
        for kind, place in (("request", 0), ("response", 1)):
            identity = (kind, int(key))
            (message,) = (each.message for each in released(identity) if each.release == release)
            assert message.api == api["api"]
            expected = {int(version): pair[place] for version, pair in api["versions"].items()}
            found = {
                version: layout(message, version).header_version
                for version in message.valid_versions
            }
            assert found == expected, message.name
            own = own_messages().get(identity)
            if own is not None:
                assert {v: layout(own, v).header_version for v in expected} == expected, own.name
            rows += len(expected)
    assert rows == {"4.3": 604, "3.6": 556}[java]
