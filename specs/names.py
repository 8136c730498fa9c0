"""The names of values and flags: beside numbers in explained bytes, and in place of numbers to
encode."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import cache
from typing import Any, NamedTuple

from wirebook.specs.codec import Span, WireError
from wirebook.specs.kafka import KAFKA
from wirebook.specs.kafka.registry import FOLDER
from wirebook.specs.kafka.texts import all_values
from wirebook.specs.layout import Layout
from wirebook.specs.model import Json, Message
from wirebook.specs.numbers import (
    NO_VALUES,
    DescribedError,
    FieldValue,
    FieldValues,
    TableValues,
    ValuesByField,
    read_errors,
)
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
                values[field.path] = FieldValues(field.field.values).at(layout.version)
            elif ERRORS.search(field.path) and field.type == "INT16" and self.errors.listed:
                values.setdefault(field.path, self.errors)
        return values


@cache
def _kafka() -> Names:
    text = (FOLDER / "errors.json").read_bytes()
    return Names(all_values(), error_names(read_errors(text, "specs/kafka/errors.json")))


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


def numbered(value: Json, values: ValuesByField, path: str = "") -> Json:
    """A value to encode, with numbers in the place of names that are listed for a field by the spec
    or a table of the profile; flags are a list of names.

    Raises WireError for another name.
    """
    if isinstance(value, dict):
        dot = f"{path}." if path else ""
        return {name: numbered(item, values, f"{dot}{name}") for name, item in value.items()}
    listed = values.get(path, NO_VALUES).listed
    is_flags = any(entry.bit is not None for entry in listed)
    if isinstance(value, list) and not (
        value and is_flags and all(isinstance(each, str) for each in value)
    ):
        return [numbered(each, values, path) for each in value]
    names: list[Any] = value if isinstance(value, list) else [value]
    if not listed or not isinstance(names[0], str):
        return value
    numbers = {entry.name: entry.value for entry in listed}
    unknown = next((name for name in names if name not in numbers), None)
    if unknown is not None:
        words = f'"{unknown[:40]}" is not the name of a value: {", ".join(numbers)[:200]}'
        raise WireError(words, path=path)
    return sum(numbers[name] for name in set(names))
