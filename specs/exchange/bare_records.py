"""Records without an enclosing message, as `--records` reads and prints them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from wirebook.specs.exchange.envelope import SCHEMA
from wirebook.specs.exchange.records import encode_records, open_bare
from wirebook.specs.kafka.stored_records import with_stored
from wirebook.specs.model import Json
from wirebook.specs.wire.codec import Span, WireError
from wirebook.specs.wire.records.fields import OpenedRecords
from wirebook.specs.wire.records.spans import record_spans


class BareRecords:
    """Records without an enclosing message, such as those of a log segment; used like an `Envelope`.

    `topic` is the topic of brokers that they are of, whose keys and values have specs; "" for any other.
    """

    takes = list
    may_be_empty = False

    def __init__(self, topic: str = "") -> None:
        self.topic = topic
        self.notes: list[str] = []

    def reading(self, data: bytes) -> BareRecords:
        """Itself, like an `Envelope`."""
        return self

    def messages(self, data: bytes) -> Iterator[bytes]:
        """All of `data`: records have no frames."""
        yield data

    def read_until(self, data: bytes, error: WireError) -> list[tuple[str, Span]]:
        """Nothing: what is wrong in records is part of their value."""
        return []

    def value_until(self, data: bytes, error: WireError) -> Json:
        """Nothing, like `read_until`."""
        return None

    def encode(self, value: Json) -> bytes:
        """Encode a list of batches. Raises WireError, InputError."""
        return encode_records(value)

    def decode(self, data: bytes) -> Json:
        """Decode a list of batches. Raises InputError."""
        return self.opened(data).value

    def opened(self, data: bytes) -> OpenedRecords:
        """Decode a list of batches, and their errors. Raises InputError."""
        records = open_bare(data)
        if self.topic:
            records.value = with_stored(records.value, self.topic)
        return records

    def spans(self, data: bytes, *, records: bool = True) -> Iterator[tuple[str, Span]]:
        """Describe each byte."""
        for span in record_spans(data):
            yield "body", span

    def described(self, data: bytes, spans: Iterable[tuple[str, Span]]) -> dict[str, Json]:
        """Some spans as JSON in the form `wirebook/bytes/1`."""
        rows: list[Json] = [{"part": part, **span.to_json()} for part, span in spans]
        return {"schema": SCHEMA, "message": "records", "version": 0, "hex": data.hex(), "spans": rows}
