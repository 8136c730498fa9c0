"""Opens the fields of type records in the value of a message as batches, and closes them to hex again."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from wirebook.specs.model import Json
from wirebook.specs.wire.codec import Shape, WireError, has_records
from wirebook.specs.wire.records.entries import read_entries, write_entries
from wirebook.specs.wire.records.model import Damaged
from wirebook.specs.wire.records.values import Controls, entries_json, entries_of


@dataclass(slots=True)
class OpenedRecords:
    """A value whose records are batches, and the errors in them: (path, error) of each damaged entry."""

    value: Json
    problems: list[tuple[str, str]] = field(default_factory=list)


def open_records(
    fields: Sequence[Shape], value: Json, controls: Controls | None, *, may_be_cut: bool
) -> OpenedRecords:
    """A value decoded by a codec, with a list of batches for each field of type records.

    `may_be_cut` is whether bytes may end within a batch, as in a Fetch response, or whether that is an error.
    Raises InputError if the compression of a batch needs a missing package.
    """
    opened = OpenedRecords(None)

    def one(item: Json, path: str) -> Json:
        if not isinstance(item, str):
            return item
        entries = read_entries(bytes.fromhex(item))
        for place, entry in enumerate(entries):
            if isinstance(entry, Damaged) and not (entry.cut and may_be_cut):
                opened.problems.append((f"{path}[{place}]", entry.error))
        return entries_json(entries, controls)

    opened.value = _mapped(fields, value, one, "")
    return opened


def close_records(fields: Sequence[Shape], value: Json, controls: Controls | None) -> Json:
    """A value for a codec to encode: lists of batches are replaced by their bytes in hex.

    Raises WireError, and InputError if a compression needs a missing package.
    """

    def one(item: Json, path: str) -> Json:
        if not isinstance(item, list):
            return item  # hex or null; the codec rejects everything else
        try:
            return write_entries(entries_of(item, controls)).hex()
        except WireError as bad:
            raise bad.below(path) from None

    return _mapped(fields, value, one, "")


def _mapped(fields: Sequence[Shape], value: Json, of_records: Callable[[Json, str], Json], path: str) -> Json:
    """A copy of a struct's value with `of_records` applied to its records; other forms of value are kept."""
    if not isinstance(value, dict):
        return value
    result = dict(value)
    dot = "." if path else ""
    for shape in fields:
        if shape.name not in result or not has_records((shape,)):
            continue
        item, at = result[shape.name], f"{path}{dot}{shape.name}"
        if shape.fields is None:
            result[shape.name] = of_records(item, at)
        elif isinstance(item, list):
            result[shape.name] = [
                _mapped(shape.fields, element, of_records, f"{at}[{index}]")
                for index, element in enumerate(item)
            ]
        else:
            result[shape.name] = _mapped(shape.fields, item, of_records, at)
    return result
