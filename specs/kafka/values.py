"""The meaning of the numbers in some fields of Kafka's messages (values.json)."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

from wirebook.specs.kafka.registry import FOLDER
from wirebook.specs.kafka.releases import known_releases
from wirebook.specs.reading.tables.values import read_values, values_by_field
from wirebook.specs.texts.model import FieldValues


@cache
def all_values() -> Mapping[str, Mapping[str, FieldValues]]:
    """The values of fields, by the name of the message and the path of the field."""
    text = (FOLDER / "values.json").read_bytes()
    return values_by_field(read_values(text, "specs/kafka/values.json", releases=known_releases()))
