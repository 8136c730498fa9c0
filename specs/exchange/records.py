"""Messages whose records are lists of batches, and records without a message, for `--records`."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from typing import NamedTuple

from wirebook.specs.kafka.control_records import with_controls
from wirebook.specs.model import Json, MessageValue
from wirebook.specs.wire.codec import Codec, Shape, Span, WireError
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
    return of.encode(_mapped(value, set(_records_fields(of.fields)), _closed))  # type: ignore[arg-type]


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


def opened(of: Codec, value: MessageValue, *, may_be_cut: bool) -> tuple[MessageValue, list[Problem]]:
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

    found = _mapped(value, set(_records_fields(of.fields)), open_one)
    assert isinstance(found, dict)
    return found, problems


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


def _mapped(
    value: Json, fields: Set[str], change: Callable[[Json, str], Json], path: str = "", field: str = ""
) -> Json:
    """A value with `change` applied to its records; `fields` are the paths of them without indexes."""
    if field in fields:
        return change(value, path)
    if isinstance(value, list):
        return [_mapped(each, fields, change, f"{path}[{at}]", field) for at, each in enumerate(value)]
    if not isinstance(value, dict):
        return value
    dot = "." if path else ""
    return {
        name: _mapped(item, fields, change, f"{path}{dot}{name}", f"{field}{dot}{name}")
        for name, item in value.items()
    }
