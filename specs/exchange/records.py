"""Messages whose records are lists of batches, and records without a message, for `--records`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from typing import NamedTuple

from wirebook.specs.kafka.control_records import with_controls
from wirebook.specs.model import Json, MessageValue
from wirebook.specs.wire.codec import Codec, Reading, Shape, Span, WireError
from wirebook.specs.wire.embedded import put
from wirebook.specs.wire.records.reading import explain_records, read_records
from wirebook.specs.wire.records.writing import write_records


class Problem(NamedTuple):
    """A batch that is damaged: its path in the message, and what is wrong."""

    path: str
    error: str


def encode_message(of: Codec, value: Mapping[str, Json]) -> bytes:
    """Encode a value whose records are hex or lists of batches.

    Raises WireError, and InputError if a compression needs a missing package.
    """
    if not of.has_records:
        return of.encode(value)
    return of.encode(_closed(value, set(_records_fields(of.fields))))  # type: ignore[arg-type]


def encode_records(value: Json) -> bytes:
    """Encode a list of batches. Raises the errors of `encode_message`."""
    return write_records(value)


def decode_records(data: bytes) -> list[MessageValue]:
    """Decode bytes to batches and messages. Raises InputError if a compression needs a missing package."""
    items = read_records(data)
    with_controls(items)
    return items


def problems_of(items: Iterable[MessageValue], path: str, *, may_be_cut: bool = True) -> list[Problem]:
    """The damaged ones of batches and messages; `may_be_cut` is whether bytes may end within one."""
    found = []
    for index, item in enumerate(items):
        error = item.get("Error") or (None if may_be_cut else item.get("Partial"))
        if error is not None:
            found.append(Problem(f"{path}[{index}]", str(error)))
    return found


def opened(of: Codec, reading: Reading, *, may_be_cut: bool) -> list[Problem]:
    """Replace the records in the value of a message by lists of batches, and return the damaged ones.

    Raises InputError if a compression needs a missing package.
    """
    problems: list[Problem] = []
    if not of.has_records:
        return problems
    fields = set(_records_fields(of.fields))
    for span in reading.spans:
        if span.field not in fields or not (span.kind == "value" or (span.kind, span.value) == ("length", 0)):
            continue
        data = bytes.fromhex(span.value) if isinstance(span.value, str) else b""
        items = decode_records(data)
        problems += problems_of(items, span.path, may_be_cut=may_be_cut)
        put(reading.value, span.path, items)
    return problems


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


def _closed(value: Json, fields: Set[str], path: str = "", field: str = "") -> Json:
    """A value with its lists of batches as hex: `fields` are the paths of the fields of type records."""
    if isinstance(value, dict):
        return {
            name: _closed(item, fields, f"{path}.{name}".lstrip("."), f"{field}.{name}".lstrip("."))
            for name, item in value.items()
        }
    if not isinstance(value, list):
        return value
    if field not in fields:
        return [_closed(item, fields, f"{path}[{index}]", field) for index, item in enumerate(value)]
    try:
        return encode_records(value).hex()
    except WireError as bad:
        raise bad.below(path) from None
