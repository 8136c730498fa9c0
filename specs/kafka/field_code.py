"""The methods of Kafka that set and read each field of a message (field_code.json)."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from typing import Any

from wirebook.specs.kafka.registry import FOLDER
from wirebook.specs.texts.model import FieldCode

PATH = FOLDER / "field_code.json"


@cache
def field_code() -> Mapping[str, Mapping[str, FieldCode]]:
    """By message and path of a field: its code at the release that the texts were compared with."""
    return {
        message: {path: FieldCode(*row) for path, row in fields.items()}
        for message, fields in _document()["fields"].items()
    }


@cache
def _document() -> Mapping[str, Any]:
    document: Mapping[str, Any] = json.loads(PATH.read_text(encoding="utf-8"))
    return document
