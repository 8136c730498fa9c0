"""The names of values and flags, beside numbers in explained bytes."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import cache
from typing import NamedTuple

from wirebook.specs.kafka import KAFKA
from wirebook.specs.kafka.registry import embedded_errors
from wirebook.specs.kafka.texts import all_values
from wirebook.specs.layout import Layout
from wirebook.specs.model import (
    NO_VALUES,
    FieldValue,
    FieldValues,
    Message,
    TableValues,
    ValuesByField,
)
from wirebook.specs.numbers import DescribedError, read_errors
from wirebook.specs.spans import Span
from wirebook.specs.versions import Versions

LONGEST = 200  # characters of a name, which every element of an array may repeat
ERRORS = re.compile(r"(^|\.)\w*[Ee]rrorCode$")  # the fields with error codes


class Names(NamedTuple):
    """The names of numbers that tables list: of the values of fields, and of error codes."""

    values: TableValues
    errors: FieldValues = NO_VALUES

    @classmethod
    def of(cls, message: Message) -> Names:
        """The tables of Kafka, if the message is of it or a fork."""
        return _kafka() if message.profile.family == KAFKA else cls({})

    def at(self, layout: Layout) -> ValuesByField:
        """The values of fields, by path: as the spec lists them, or else as a table does."""
        values = {
            path: each.at(layout.version) for path, each in self.values.get(layout.name, {}).items()
        }
        for field in layout.walk():
            if field.field.values:
                values[field.path] = FieldValues(field.values)
            elif ERRORS.search(field.path) and field.type == "INT16" and self.errors.listed:
                values.setdefault(field.path, self.errors)
        return values


@cache
def _kafka() -> Names:
    errors = read_errors(embedded_errors(), "specs/kafka/errors.json")
    return Names(all_values(), error_names(errors))


def error_names(errors: Iterable[DescribedError]) -> FieldValues:
    """The codes of a table as the values of a field."""
    return FieldValues(
        tuple(FieldValue(each.code, each.name, each.about, Versions.ALL) for each in errors)
    )


def named(spans: Iterable[Span], values: ValuesByField) -> Iterator[Span]:
    """The spans of a message, each with the name of its value, or of the flags in it."""
    for span in spans:
        listed = values.get(span.field) if span.kind == "value" else None
        if listed is None or isinstance(span.value, bool) or not isinstance(span.value, int):
            yield span
        else:
            name = listed.name_of(span.value, int(span.type.lstrip("UINT")))
            yield span._replace(name=name if len(name) <= LONGEST else f"{name[:LONGEST]}…")
