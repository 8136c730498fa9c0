"""Messages whose records are lists of batches, in place of hex."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple

from wirebook.specs.codec import Codec, Span, joined, within
from wirebook.specs.kafka.control_records import with_controls
from wirebook.specs.layout import LayoutField
from wirebook.specs.model import Json, MessageValue
from wirebook.specs.records.reading import explain_records, read_records
from wirebook.specs.records.writing import write_records


class Problem(NamedTuple):
    """A batch that is damaged: its path in the message, and what is wrong."""

    path: str
    error: str


def encode_message(of: Codec, value: Any) -> bytes:
    """Encode a value whose records are hex or lists of batches.

    Raises WireError, and InputError if a compression needs a missing package.
    """

    def closed(records: Json, path: str) -> Json:
        if not isinstance(records, list):
            return records
        with within(path):
            return write_records(records).hex()

    return of.encode(_converted(of.fields, value, closed))


def decode_records(data: bytes) -> list[MessageValue]:
    """Decode bytes to batches and messages. Raises InputError if a compression needs a missing
    package."""
    items = read_records(data)
    with_controls(items)
    return items


def problems_of(
    items: Iterable[MessageValue], path: str, *, may_be_cut: bool = True
) -> list[Problem]:
    """The damaged ones of batches and messages; `may_be_cut` is whether bytes may end within
    one."""
    found = []
    for index, item in enumerate(items):
        error = item.get("Error") or (None if may_be_cut else item.get("Partial"))
        if error is not None:
            found.append(Problem(f"{path}[{index}]", str(error)))
    return found


def open_records(
    of: Codec, value: MessageValue, *, may_be_cut: bool
) -> tuple[MessageValue, list[Problem]]:
    """A value with lists of batches in place of hex, and the damaged ones of them.

    Raises InputError if a compression needs a missing package.
    """
    problems: list[Problem] = []

    def opened(records: Any, path: str) -> Json:
        batches = decode_records(bytes.fromhex(records))
        problems.extend(problems_of(batches, path, may_be_cut=may_be_cut))
        return batches

    return _converted(of.fields, value, opened), problems


def explained(span: Span) -> list[Span]:
    """A span, or the spans of its batches if it is the value of a field of type records."""
    if span.kind != "value" or not span.type.endswith("RECORDS") or not isinstance(span.value, str):
        return [span]
    inner = explain_records(bytes.fromhex(span.value))
    return [each.inside(span.start, span.path) for each in inner]


def _converted(
    fields: Sequence[LayoutField], value: Any, convert: Callable[[Json, str], Json], path: str = ""
) -> Any:
    """A value with its records as a function returns them for what they are and their path."""
    if not isinstance(value, dict):
        return value
    changed = dict(value)
    for shape in fields:
        item, at = value.get(shape.name), joined(path, shape.name)
        if item is None:
            continue
        if shape.type.endswith("RECORDS"):
            changed[shape.name] = convert(item, at)
        elif shape.fields is not None and isinstance(item, list):
            changed[shape.name] = [
                _converted(shape.fields, each, convert, f"{at}[{index}]")
                for index, each in enumerate(item)
            ]
        elif shape.fields is not None:
            changed[shape.name] = _converted(shape.fields, item, convert, at)
    return changed
