"""Messages whose records are lists of batches, in place of hex."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from copy import deepcopy
from typing import Any, NamedTuple

from wirebook.specs.codec import Codec, Shape, Span, joined, within
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
    if any(isinstance(holder[name], list) for holder, name, _ in _places(of.fields, value)):
        value = deepcopy(value)
        for holder, name, path in _places(of.fields, value):
            if isinstance(holder[name], list):
                with within(path):
                    holder[name] = write_records(holder[name]).hex()
    return of.encode(value)


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


def open_records(of: Codec, value: MessageValue, *, may_be_cut: bool) -> list[Problem]:
    """Put lists of batches in place of hex into a value; returns the damaged ones of them.

    Raises InputError if a compression needs a missing package.
    """
    problems: list[Problem] = []
    for holder, name, path in _places(of.fields, value):
        batches = decode_records(bytes.fromhex(holder[name]))
        problems += problems_of(batches, path, may_be_cut=may_be_cut)
        holder[name] = batches
    return problems


def explained(span: Span) -> list[Span]:
    """A span, or the spans of its batches if it is the value of a field of type records."""
    if span.kind != "value" or not span.type.endswith("RECORDS") or not isinstance(span.value, str):
        return [span]
    inner = explain_records(bytes.fromhex(span.value))
    return [each.inside(span.start, span.path) for each in inner]


def _places(
    fields: Sequence[Shape], value: Any, path: str = ""
) -> Iterator[tuple[dict[str, Any], str, str]]:
    """The objects in a value that have records which are not null, with the name and the path of
    the field."""
    for shape in fields if isinstance(value, dict) else ():
        item, at = value.get(shape.name), joined(path, shape.name)
        if item is None:
            continue
        if shape.type.endswith("RECORDS"):
            yield value, shape.name, at
        elif shape.fields is not None and shape.element is None:
            yield from _places(shape.fields, item, at)
        elif shape.fields is not None and isinstance(item, list):
            for index, inner in enumerate(item):
                yield from _places(shape.fields, inner, f"{at}[{index}]")
