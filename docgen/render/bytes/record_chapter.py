"""The worked bytes of the page on record batches, each computed by the codec when the site is built."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

from markupsafe import Markup

from wirebook.docgen.render.bytes import record_vectors
from wirebook.docgen.render.bytes.batches import FIRST_VERSIONS, batch, message
from wirebook.docgen.render.bytes.hexview import HexPart
from wirebook.docgen.render.bytes.worked import explained, hex_cell, page_link, table
from wirebook.docgen.render.kit.environment import breakable, render
from wirebook.specs.exchange.records import encode_records, open_bare
from wirebook.specs.kafka.control_records import MESSAGES, TYPES
from wirebook.specs.model import Json
from wirebook.specs.wire.records import lz4
from wirebook.specs.wire.records.batch import BEFORE_CHECKSUM_COUNTS, HEADER
from wirebook.specs.wire.records.checksums import CASTAGNOLI, crc32c
from wirebook.specs.wire.records.compression import decompress
from wirebook.specs.wire.records.entries import read_entries
from wirebook.specs.wire.records.model import Batch, Compression, MessageSetEntry
from wirebook.specs.wire.records.spans import record_spans, unpacked_spans
from wirebook.specs.wire.spans import Span

_TITLES = {
    Compression.GZIP: "The standard stream: a header of 10 bytes, the deflated records, CRC-32 and size",
    Compression.SNAPPY: "Blocks of Snappy, each preceded by its length, after the header of snappy-java",
    Compression.LZ4: "The LZ4 frame format, with independent blocks",
    Compression.ZSTD: "A zstd frame (RFC 8878)",
}
_RELEASES = {0: ("0.8.0", "message set"), 1: ("0.10.0", "message set"), 2: ("0.11.0", "record batch")}


def inserts() -> dict[str, str]:
    """HTML for the placeholders of the page, by name."""
    parts: dict[str, Callable[[], Markup]] = {
        "records-formats": _formats,
        "records-batch": lambda: _explained("batch", "A record batch", batch()),
        "records-batch-fields": _batch_fields,
        "records-json": _json,
        "records-attributes": _attributes,
        "records-record-fields": _record_fields,
        "records-crc32c": _crc32c,
        "records-checksum": _checksum,
        "records-compression": _compression,
        "records-gzip": lambda: _packed("gzip"),
        "records-snappy": lambda: _packed("snappy"),
        "records-lz4": lambda: _packed("lz4"),
        "records-message-0": lambda: _explained("message-0", "A message of magic 0", message(0)),
        "records-message-1": lambda: _explained("message-1", "A message of magic 1", message(1)),
        "records-message-fields": _message_fields,
        "records-wrapper": _wrapper,
        "records-lz4-checksum": _lz4_checksum,
        "records-commit": lambda: _explained("commit", "A commit marker", record_vectors.vector("COMMIT")),
        "records-control-types": _control_types,
        "records-transactions": _transactions,
        "records-cut": _cut,
        "records-corrupt": _corrupt,
    }
    return {name: str(make()) for name, make in parts.items()}


@cache
def _texts() -> dict[str, Any]:
    path = Path(__file__).resolve().parent / "record_fields.json"
    document: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return document


def _named(spans: Iterable[Span]) -> Iterator[Span]:
    """Spans whose paths begin at the batch, if an example is one."""
    for span in spans:
        path = span.path.removeprefix("[0].")
        yield Span(span.start, span.end, path, span.field, span.kind, span.type, span.value)


def _explained(prefix: str, caption: str, data: bytes) -> Markup:
    part = HexPart("body", f"{caption}, {len(data)} bytes", data, list(_named(record_spans(data))))
    return explained(f"rec-{prefix}", f"{caption}, byte by byte", [part])


def _formats() -> Markup:
    rows = []
    for magic, (release, name) in _RELEASES.items():
        checksum = "CRC-32C" if magic == 2 else "CRC-32"
        versions = [_versions(firsts, magic) for firsts in FIRST_VERSIONS.values()]
        rows.append((f"{magic}", name, release, *versions, checksum))
    names = [f"{name} versions" for name in FIRST_VERSIONS]
    return table("Formats of records", ("Magic", "Called", "Kafka", *names, "Checksum"), rows, cards=True)


def _versions(firsts: tuple[int, int], magic: int) -> str:
    """The versions of an API that have records of a magic as their newest: "2-3"."""
    first = (0, *firsts)[magic]
    if magic == len(firsts):
        return f"{first}+"
    last = firsts[magic] - 1
    return str(first) if first == last else f"{first}-{last}"


def _fields(caption: str, texts: dict[str, str], spans: list[Span]) -> Markup:
    """A table of fields: each with its place and size in an example, its type and its meaning."""
    rows = []
    for name, about in texts.items():
        field_spans = [span for span in spans if span.field == name]
        if not field_spans:
            continue
        first = field_spans[0]
        size = first.end - first.start
        types = " + ".join(dict.fromkeys(span.type for span in field_spans if span.end > span.start))
        varies = "VAR" in types or "BYTES" in types
        rows.append((name or "(length)", types, "varies" if varies else size, first.start, about))
    return table(caption, ("Field", "Type", "Bytes", "Offset in example", "Meaning"), rows, cards=True)


def _batch_fields() -> Markup:
    spans = [span for span in _named(record_spans(batch())) if span.start < HEADER]
    return _fields("The header of a record batch", _texts()["batch"], spans)


def _record_fields() -> Markup:
    spans = [
        Span(
            span.start,
            span.end,
            span.path,
            span.field.removeprefix("Records").removeprefix("."),
            span.kind,
            span.type,
            span.value,
        )
        for span in _named(record_spans(batch()))
        if span.path.startswith("Records[0]")
    ]
    return _fields("A record", _texts()["record"], spans)


def _message_fields() -> Markup:
    spans = list(_named(record_spans(message(1))))
    return _fields("A message, at its places in magic 1", _texts()["message"], spans)


def _json() -> Markup:
    text = json.dumps(open_bare(batch()).value, indent=1, ensure_ascii=False)
    return render("example.html.jinja", text=text)


def _attributes() -> Markup:
    return table("Attributes of a record batch", ("Bits", "Name", "Meaning"), _texts()["attributes"])


def _checksum() -> Markup:
    data = batch()
    rows = [
        (
            "BaseOffset, BatchLength, PartitionLeaderEpoch, Magic, Crc",
            f"0 to {BEFORE_CHECKSUM_COUNTS - 1}",
            "no",
        ),
        ("Attributes to Records", f"{BEFORE_CHECKSUM_COUNTS} to {HEADER - 1}", "yes"),
        ("The records", f"{HEADER} to {len(data) - 1}", "yes, in their stored form, compressed or not"),
    ]
    return table("What the checksum covers", ("Fields", "Bytes, here", "Covered"), rows)


def _crc32c() -> Markup:
    plain = int(f"{CASTAGNOLI:032b}"[::-1], 2)
    rows = [
        ("Polynomial", f"{plain:08x}"),
        ("The same reflected, for a table by low bits first", f"{CASTAGNOLI:08x}"),
        ("Bits of each byte, and of the result", "reflected"),
        ("Initial value", "ffffffff"),
        ("Final XOR", "ffffffff"),
        ("Check value: the checksum of the ASCII digits 123456789", f"{crc32c(b'123456789'):08x}"),
    ]
    return table("CRC-32C", ("Parameter", "Value"), rows)


# Compression


def _java(kind: Compression) -> bytes:
    return record_vectors.vector(f"magic 2, {kind.name.lower()}")


def _compression() -> Markup:
    plain = len(_java(Compression.NONE)) - HEADER
    rows: list[tuple[object, ...]] = [("none", 0, plain, "The records, one after another")]
    for kind, about in _TITLES.items():
        rows.append((kind.name.lower(), int(kind), len(_java(kind)) - HEADER, about))
    columns = (
        "Compression",
        "Code",
        "Bytes of the same three records",
        "What follows the header of the batch",
    )
    return table("Compressions", columns, rows, cards=True)


def _packed(name: str) -> Markup:
    """The compressed part of a batch that Kafka's Java client wrote."""
    data = _java(Compression[name.upper()])
    spans = [span.moved(-HEADER) for span in _named(record_spans(data)) if span.start >= HEADER]
    part = HexPart("body", f"{len(data) - HEADER} bytes after the header of the batch", data[HEADER:], spans)
    return explained(f"rec-{name}", f"Records that the Java client compressed by {name}", [part])


# Message sets


def _wrapper() -> Markup:
    data = record_vectors.vector("magic 1, gzip")
    [outer] = read_entries(data)
    assert isinstance(outer, MessageSetEntry)
    assert outer.messages is not None
    value_at = next(span.start for span in record_spans(data) if "gzip header" in span.path)
    plain = decompress(data[value_at:], Compression.GZIP)
    inner_spans = [_inside(span) for span in unpacked_spans(plain, 1)]
    parts = [
        HexPart("body", f"The outer message, {len(data)} bytes", data, list(_named(record_spans(data)))),
        HexPart("header", f"Its value, decompressed: {len(plain)} bytes", plain, inner_spans),
    ]
    before = outer.offset - outer.messages[-1].offset
    rows = [
        (f"inner message {number}", inner.offset, f"{before} + {inner.offset} = {before + inner.offset}")
        for number, inner in enumerate(outer.messages)
    ]
    rows.append(("outer message", outer.offset, "that of the last one inside"))
    offsets = table("Offsets of a compressed message", ("Message", "Offset on the wire", "Offset"), rows)
    return explained("rec-wrapper", "A compressed message of magic 1, byte by byte", parts) + offsets


def _inside(span: Span) -> Span:
    return Span(span.start, span.end, f"Messages{span.path}", span.field, span.kind, span.type, span.value)


def _lz4_checksum() -> Markup:
    rows = []
    for magic in (0, 1):
        data = record_vectors.vector(f"magic {magic}, lz4")
        frame = data[data.index(lz4.MAGIC) :]
        end = lz4.header_end(frame)
        counted = frame[:end] if magic == 0 else frame[4:end]
        rows.append((f"magic {magic}", hex_cell(counted), hex_cell(frame[end : end + 1])))
    return table("The checksum in the header of an LZ4 frame", ("Format", "Bytes that count", "Byte"), rows)


# Control records


def _control_types() -> Markup:
    rows = []
    for name, number in TYPES.items():
        [entry] = read_entries(record_vectors.vector(name))
        assert isinstance(entry, Batch)
        [record] = entry.records
        value = page_link(MESSAGES[name]) + Markup("<br>") + hex_cell(record.value or b"")
        rows.append((number, breakable(name), value, _texts()["control"][name]))
    columns = ("Type", "Name", "Value, and one of Kafka's Java client", "Meaning")
    return table("Control records", columns, rows, cards=True)


def _transactions() -> Markup:
    """Part of a log: two transactions and a plain record, and which consumers read what."""
    rows: list[tuple[object, ...]] = []
    log: tuple[tuple[int, dict[str, Json], str, str, str], ...] = (
        (100, {"Transactional": True, "ProducerId": 4000}, "a record", "yes", "yes: its marker is COMMIT"),
        (101, {"Transactional": True, "ProducerId": 4001}, "a record", "yes", "no: its marker is ABORT"),
        (102, {}, "a record", "yes", "yes"),
        (103, {"Control": True, "Transactional": True, "ProducerId": 4001}, "ABORT", "no", "no"),
        (104, {"Control": True, "Transactional": True, "ProducerId": 4000}, "COMMIT", "no", "no"),
    )
    for offset, more, what, plain, committed in log:
        key = None if what == "a record" else f"0000{TYPES[what]:04x}"
        data = encode_records([{"BaseOffset": offset, **more, "Records": [{"Key": key, "Value": "00"}]}])
        attributes = data[BEFORE_CHECKSUM_COUNTS : BEFORE_CHECKSUM_COUNTS + 2]
        rows.append((offset, more.get("ProducerId", -1), hex_cell(attributes), what, plain, committed))
    columns = (
        "Offset",
        "ProducerId",
        "Attributes",
        "Holds",
        "read_uncommitted gets it",
        "read_committed gets it",
    )
    return table("A piece of a log", columns, rows, cards=True)


# What readers meet


def _cut() -> Markup:
    data = batch()
    whole = read_entries(data)[0]
    assert isinstance(whole, Batch)
    rows = []
    for size in (10, 40, HEADER, len(data) - 1):
        read = open_bare(data[:size]).value
        assert isinstance(read, list)
        [item] = read
        decoded = item.get("Decoded")
        what = "nothing"
        if decoded is not None:
            what = f"the header and {len(decoded['Records'])} of {len(whole.records)} records"
        rows.append((f"{size} bytes", item["Partial"], what))
    return table(
        "A batch that is cut off", ("What there is", "What wirebook reports", "What it decodes"), rows
    )


def _corrupt() -> Markup:
    data = batch()
    value = next(span for span in record_spans(data) if span.kind == "value" and span.path.endswith("Value"))
    cases = {
        "A bit of a value": (value.start, 1),
        "A bit of the attributes": (22, 0x08),
        "A bit of the checksum": (17, 1),
        "The magic": (16, 1),
        "A bit of the length": (11, 1),
        "A bit of the base offset": (7, 1),
    }
    rows = []
    for title, (at, bit) in cases.items():
        changed = bytearray(data)
        changed[at] ^= bit
        read = open_bare(bytes(changed)).value
        assert isinstance(read, list)
        problems = [item.get("Error") or item.get("Partial") for item in read]
        rows.append(
            (title, at, "; ".join(text for text in problems if text) or "nothing: no checksum covers it")
        )
    return table("One bit changed", ("What", "At byte", "What wirebook reports"), rows)
