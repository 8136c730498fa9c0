"""Messages whose records are lists of batches, and records without a message, for `--records`."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from wirebook.specs.codec import Codec, Shape, Span, WireError
from wirebook.specs.kafka.control_records import with_controls
from wirebook.specs.model import Json, MessageValue
from wirebook.specs.records.reading import explain_records, read_records
from wirebook.specs.records.writing import write_records


class Problem(NamedTuple):
    """A batch that is damaged: its path in the message, and what is wrong."""

    path: str
    error: str


def encode_message(of: Codec, value: Mapping[str, Json]) -> bytes:
    """Encode a value whose records are hex or lists of batches.

    Raises WireError, and InputError if a compression needs a missing package.
    """
    return of.encode(_mapped(of, value, _closed))  # type: ignore[arg-type]


def encode_records(value: Json) -> bytes:
    """Encode a list of batches. Raises the errors of `encode_message`."""
    return write_records(value)


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


def opened(
    of: Codec, value: MessageValue, *, may_be_cut: bool
) -> tuple[MessageValue, list[Problem]]:
    """The value of a message with lists of batches in place of hex, and the damaged ones of them.

    Raises InputError if a compression needs a missing package.
    """
    problems: list[Problem] = []

    def open_one(item: Json, path: str) -> Json:
        if not isinstance(item, str):
            return item
        batches = decode_records(bytes.fromhex(item))
        problems.extend(problems_of(batches, path, may_be_cut=may_be_cut))
        return batches

    return _mapped(of, value, open_one), problems  # type: ignore[return-value]


def explained(span: Span) -> Iterator[Span]:
    """A span, or the spans of its batches if it is the value of a field of type records."""
    if span.kind != "value" or not span.type.endswith("RECORDS") or not isinstance(span.value, str):
        yield span
        return
    for inner in explain_records(bytes.fromhex(span.value)):
        field = f"{span.field}.{inner.field}".rstrip(".")
        yield inner.moved(span.start)._replace(path=span.path + inner.path, field=field)


def _records_fields(fields: Sequence[Shape]) -> Iterator[str]:
    """The paths of the fields of type records."""
    for shape in fields:
        if shape.fields is not None:
            yield from _records_fields(shape.fields)
        elif shape.type.endswith("RECORDS"):
            yield shape.path


def _closed(item: Json, path: str) -> Json:
    if not isinstance(item, list):
        return item  # hex or null; the codec rejects everything else
    try:
        return encode_records(item).hex()
    except WireError as bad:
        raise bad.below(path) from None


def _mapped(of: Codec, value: Json, change: Callable[[Json, str], Json]) -> Json:
    """A value with `change` applied to its fields of type records."""
    fields = set(_records_fields(of.fields))

    def mapped(item: Json, path: str, field: str) -> Json:
        if field in fields:
            return change(item, path)
        if isinstance(item, list):
            return [mapped(each, f"{path}[{at}]", field) for at, each in enumerate(item)]
        if not isinstance(item, dict):
            return item
        dot = "." if path else ""
        return {
            name: mapped(each, path + dot + name, field + dot + name) for name, each in item.items()
        }

    return mapped(value, "", "") if fields else value
