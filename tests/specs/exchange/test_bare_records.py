"""Records without a message around them."""

from __future__ import annotations

from wirebook.specs.exchange.bare_records import BareRecords


def test_no_bytes_are_no_records() -> None:
    own = BareRecords()
    assert own.encode([]) == b""
    assert own.decode(b"") == []
    expected = {"schema": "wirebook/bytes/1", "message": "records", "version": 0, "hex": "", "spans": []}
    assert own.spans_json(b"") == expected
