"""Messages whose records are lists of batches, and records without a message, for `--records`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from wirebook.specs.kafka.control_records import ControlRecords
from wirebook.specs.model import Json
from wirebook.specs.wire.codec import Codec, Span, WireError, expected
from wirebook.specs.wire.records.entries import read_entries, write_entries
from wirebook.specs.wire.records.fields import OpenedRecords, close_records, open_records
from wirebook.specs.wire.records.model import Damaged
from wirebook.specs.wire.records.spans import record_spans
from wirebook.specs.wire.records.values import entries_json, entries_of


def encode_message(of: Codec, value: Mapping[str, Json]) -> bytes:
    """Encode a value whose records are hex or lists of batches.

    Raises WireError, and InputError if a compression needs a missing package.
    """
    return of.encode(closed(of, value) if of.has_records else value)  # type: ignore[arg-type]


def closed(of: Codec, value: Json) -> Json:
    """A value with all of its records as hex. Raises the errors of `encode_message`."""
    return close_records(of.fields, value, ControlRecords())


def opened(of: Codec, value: Json, *, may_be_cut: bool) -> OpenedRecords:
    """A decoded value with its records as lists of batches, and their errors.

    `may_be_cut` is whether records may end within a batch, as in a response, or whether that is an error.
    Raises InputError if a compression needs a missing package.
    """
    return open_records(of.fields, value, ControlRecords(), may_be_cut=may_be_cut)


def encode_records(value: Json) -> bytes:
    """Encode a list of batches and messages. Raises the errors of `encode_message`."""
    if not isinstance(value, list):
        # Only the field of a message may be hex instead.
        raise WireError(expected("a list of batches", value, False))
    return write_entries(entries_of(value, ControlRecords()))


def open_bare(data: bytes) -> OpenedRecords:
    """Decode bytes to batches and messages, with the errors in them. Raises the errors of `opened`."""
    entries = read_entries(data)
    wrong = [
        (f"[{place}]", entry.error)
        for place, entry in enumerate(entries)
        if isinstance(entry, Damaged) and not entry.cut
    ]
    return OpenedRecords(entries_json(entries, ControlRecords()), wrong)


def explained(span: Span) -> Iterator[Span]:
    """A span, or the spans of its batches if it is the value of a field of type records."""
    if span.kind != "value" or not span.type.endswith("RECORDS"):
        yield span
        return
    assert isinstance(span.value, str)
    for inner in record_spans(bytes.fromhex(span.value), span.path, span.field):
        yield inner.moved(span.start)
