"""The meaning of the numbers in some fields of Kafka's messages (values.json)."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache

from wirebook.specs.kafka.registry import FOLDER
from wirebook.specs.texts.model import FieldValue, FieldValues
from wirebook.specs.versions import Versions


@cache
def all_values() -> Mapping[str, Mapping[str, FieldValues]]:
    """The values of fields, by the name of the message and the path of the field."""
    found: dict[str, dict[str, FieldValues]] = {}
    for row in json.loads((FOLDER / "values.json").read_text(encoding="utf-8"))["sets"]:
        values = tuple(
            FieldValue(**{**item, "versions": Versions.parse(item.get("versions", "0+"))})
            for item in row["values"]
        )
        for place in row["fields"]:
            message, _, path = place.partition(".")
            found.setdefault(message, {})[path] = FieldValues(values, row.get("others", ""))
    return found
