"""Records without an enclosing message, as `--records` reads and prints them."""

from __future__ import annotations

from collections.abc import Iterator

from wirebook.specs.exchange.envelope import SCHEMA
from wirebook.specs.exchange.records import encode_records, open_bare
from wirebook.specs.model import Json
from wirebook.specs.wire.records.fields import OpenedRecords
from wirebook.specs.wire.records.spans import record_spans
from wirebook.specs.wire.spans import Span


class BareRecords:
    """Records without an enclosing message, such as those of a log segment; used like an `Envelope`."""

    takes = list
    may_be_empty = False

    def encode(self, value: Json) -> bytes:
        """Encode a list of batches. Raises WireError, InputError."""
        return encode_records(value)

    def decode(self, data: bytes) -> Json:
        """Decode a list of batches. Raises InputError."""
        return self.opened(data).value

    def opened(self, data: bytes) -> OpenedRecords:
        """Decode a list of batches, and their errors. Raises InputError."""
        return open_bare(data)

    def spans(self, data: bytes, *, records: bool = True) -> Iterator[tuple[str, Span]]:
        """Describe each byte."""
        for span in record_spans(data):
            yield "body", span

    def spans_json(self, data: bytes, *, records: bool = True) -> dict[str, Json]:
        """The spans as JSON in the form `wirebook/bytes/1`."""
        spans: list[Json] = [{"part": part, **span.to_json()} for part, span in self.spans(data)]
        return {"schema": SCHEMA, "message": "records", "version": 0, "hex": data.hex(), "spans": spans}
