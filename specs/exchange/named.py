"""The names of values and flags, beside the numbers in explained bytes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace

from wirebook.specs.kafka import KAFKA
from wirebook.specs.kafka.values import all_values
from wirebook.specs.model import listed_values
from wirebook.specs.texts.model import FieldValues
from wirebook.specs.wire.layout import Layout
from wirebook.specs.wire.spans import Span

LONGEST = 200  # characters of a name, which every element of an array may repeat


def named(layout: Layout, spans: Iterable[Span]) -> Iterator[Span]:
    """The spans of a message, each with the name of its value, or of the flags in it."""
    values = _values(layout)
    for span in spans:
        listed = values.get(span.field) if span.kind == "value" else None
        if listed is None or not isinstance(span.value, int):
            yield span
        else:
            name = listed.name_of(span.value, int(span.type.lstrip("UINT")))
            yield replace(span, name=name if len(name) <= LONGEST else f"{name[:LONGEST]}…")


def _values(layout: Layout) -> Mapping[str, FieldValues]:
    """The values of fields, by path: as the spec lists them or, for Kafka's messages, a table beside it."""
    message, version = layout.message, layout.version
    if message.profile.family == KAFKA:
        listed: Mapping[str, FieldValues] = all_values().get(message.name, {})
        return {path: values.at(version) for path, values in listed.items()}
    if not message.lists_values:
        return {}
    return {
        field.path: listed_values(field.field).at(version) for field in layout.walk() if field.field.values
    }
