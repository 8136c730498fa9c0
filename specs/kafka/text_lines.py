"""The lines of our texts in their files, so that a page can lead to the text that it shows."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache

from wirebook.specs.kafka.texts import TEXTS, text_modified
from wirebook.specs.syntax.jsontext import JsonObject, parse_json
from wirebook.specs.versions import Versions, VersionsError


@dataclass(frozen=True, slots=True)
class TextLines:
    """The line of the purpose, and by message and path of a field those of its texts, with their versions."""

    purpose: int
    fields: Mapping[tuple[str, str], tuple[tuple[Versions, int], ...]]

    def field(self, message: str, path: str, version: int) -> int:
        """The line of the text about a field in a version; 0 if it has none."""
        texts = self.fields.get((message, path), ())
        return next((line for versions, line in texts if version in versions), 0)


def text_lines(api: str) -> TextLines | None:
    """The lines of the texts about an API or another message; None if it has none."""
    modified = text_modified(api)
    return _read(api, modified) if modified else None


@cache
def _read(api: str, _modified: int) -> TextLines:
    path = TEXTS / f"{api}.json"
    document = parse_json(path.read_bytes(), path.name)
    root = _object(document.value)

    def line_of(node: JsonObject, key: str) -> int:
        return document.lines.position(node.keys_at[key]).line

    fields: dict[tuple[str, str], tuple[tuple[Versions, int], ...]] = {}
    for name, message in _object(root["messages"]).items():
        texts = _object(_object(message)["fields"])
        for field, text in texts.items():
            by_versions = [(_versions(key), key) for key in text] if isinstance(text, JsonObject) else []
            lines = [
                (versions, line_of(_object(text), key))
                for versions, key in by_versions
                if versions is not None
            ]
            fields[name, field] = tuple(lines) or ((Versions.ALL, line_of(texts, field)),)
    return TextLines(line_of(root, "purpose"), fields)


def _object(value: object) -> JsonObject:
    assert isinstance(value, JsonObject)
    return value


def _versions(key: str) -> Versions | None:
    """The versions that a key names; None for a key that is none of versions."""
    try:
        return Versions.parse(key)
    except VersionsError:
        return None
