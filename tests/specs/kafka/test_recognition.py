"""Specs are recognized as Kafka's by their folder, or by one of ApiVersions."""

from __future__ import annotations

import pytest

from wirebook.specs.kafka.recognition import FOLDER, places, recognized
from wirebook.specs.reading.discovery import spec_text

OWN = b'{"apiKey": 18, "type": "request", "name": "ApiVersionsRequest"}'
OTHER = b'{"apiKey": 18, "type": "request", "name": "FooRequest"}'


@pytest.mark.parametrize(
    ("path", "text", "expected"),
    [
        (f"{FOLDER}/FooRequest.json", OTHER, True),
        (f"fork/{FOLDER}/FooRequest.json", OTHER, True),
        (f"{FOLDER}/more/FooRequest.json", OTHER, False),
        (f"x{FOLDER}/FooRequest.json", OTHER, False),
        ("a.json", OTHER, False),
        ("a.json", OWN, True),
        ("a.json", OWN.replace(b"request", b"response").replace(b"Request", b"Response"), True),
        ("a.json", OWN.replace(b"18", b"19"), False),
        ("a.json", OWN.replace(b"Request", b"Return"), False),
        ("a.json", OWN[:-1], False),
        ("a.json", b'["ApiVersionsRequest"]', False),
    ],
)
def test_specs_are_recognized(path: str, text: bytes, expected: bool) -> None:
    assert recognized([spec_text("z.json", OTHER), spec_text(path, text)]) == expected
    assert not recognized([])


def test_both_specs_may_be_beside_others_or_in_the_folder_of_kafka() -> None:
    names = ["ApiVersionsRequest.json", "ApiVersionsResponse.json"]
    found = places(["a/Foo.json", "a/Bar.json", "Foo.json"])
    assert found == [f"a/{names[0]}", f"a/{names[1]}", *names, f"{FOLDER}/{names[0]}", f"{FOLDER}/{names[1]}"]
