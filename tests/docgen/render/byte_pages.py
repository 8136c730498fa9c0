"""Documents of a few specs, as far as the pages of bytes need them, without the pipeline."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from wirebook.specs.kafka.registry import FOLDER, embedded_source
from wirebook.specs.model import Message
from wirebook.specs.reading.reader import read_message
from wirebook.specs.wire.layout import layouts


def embedded(*names: str) -> list[Message]:
    """Embedded specs by name; without a name all of them."""
    paths = [embedded_source() / f"{name}.json" for name in names] or sorted(embedded_source().glob("*.json"))
    return [read_message(path.read_bytes(), path.name) for path in paths]


def foo() -> list[Message]:
    """KIP-482's example."""
    paths = sorted((FOLDER / "examples").glob("*.json"))
    return [read_message(path.read_bytes(), path.name) for path in paths]


def document(messages: Sequence[Message]) -> dict[str, Any]:
    """The document of an API as the catalog has it; its lifecycle is left out."""
    made: list[dict[str, Any]] = []
    numbers: dict[int, bool] = {}
    for message in messages:
        versions = {}
        for of in layouts(message):
            numbers[of.version] = of.flexible
            told: dict[str, Any] = {"header_version": of.header_version, "notes": [], "changes": []}
            versions[str(of.version)] = {"layout": of.to_json(), **told}
        made.append({"name": message.name, "type": message.type, "versions": versions, "fields": []})
    name = messages[0].name.removesuffix("Request")
    return {
        "api": name,
        "slug": "foo" if name == "Foo" else name.lower(),
        "api_key": messages[0].api_key,
        "newest_stable": max(numbers),
        "messages": made,
        "versions": [
            {"version": number, "flexible": numbers[number], "state": "current", "events": [], "about": ""}
            for number in sorted(numbers, reverse=True)
        ],
    }
