"""The worked bytes of the page Bytes, each computed by the codec when the site is built."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

from markupsafe import Markup

from wirebook.docgen.catalog.bnf import bnf_lines, bnf_title
from wirebook.docgen.render.bytes.hexview import (
    HexPart,
    Keys,
    frame_part,
    grammar_block,
    hex_block,
    range_table,
)
from wirebook.docgen.render.bytes.worked import hex_cell as _hex
from wirebook.docgen.render.bytes.worked import table as _table
from wirebook.docgen.render.kit.environment import render
from wirebook.specs.kafka.headers import header_layout
from wirebook.specs.kafka.registry import FOLDER, embedded_source, read_embedded
from wirebook.specs.model import Json, MessageValue
from wirebook.specs.wire.codec import Codec, codec
from wirebook.specs.wire.exported import ExportedField
from wirebook.specs.wire.layout import Layout, layout
from wirebook.specs.wire.records.varints import varint
from wirebook.specs.wire.scalars import WireError, write_unsigned

_UNSIGNED = (0, 1, 127, 128, 300, 16_383, 16_384, 2**31 - 1, 2**32 - 1)
_SIGNED = (0, -1, 1, -2, 2, 63, -64, 64, -(2**31), 2**31 - 1)
_TEXTS: tuple[Json, ...] = ("", "hi", "é", None)
_FOO: MessageValue = {"Foos": [{"Baz": 1}, {"Baz": 2}]}
_FOO_TAGGED: MessageValue = {"UserAgent": "my-client", "Foos": [{"Baz": 1, "Bar": "hi"}, {"Baz": 2}]}


def inserts() -> dict[str, str]:
    """HTML for the placeholders of the page, by name."""
    parts: dict[str, Callable[[], Markup]] = {
        "bytes-unsigned": _unsigned,
        "bytes-zigzag": _zigzag,
        "bytes-lengths": _lengths,
        "bytes-null": _nulls,
        "bytes-frame": _frame,
        "bytes-headers": _headers,
        "bytes-foo-8": lambda: _foo("foo-8", 8, _FOO),
        "bytes-foo-9": lambda: _foo("foo-9", 9, _FOO),
        "bytes-foo-tagged": lambda: _foo("foo-tagged", 9, _FOO_TAGGED),
        "bytes-foo-old": _foo_old,
        "bytes-lenient": _lenient,
        "bytes-refused": _refused,
        "reading-frame": _reading_frame,
    }
    return {name: str(make()) for name, make in parts.items()}


def field(name: str, type_: str, **more: Any) -> ExportedField:
    """A field of an example; `more` are the attributes that differ from those of most fields."""
    usual = ExportedField(
        name=name,
        path=name,
        type=type_,
        element=None,
        spec_type="",
        nullable="NULLABLE" in type_,
        tag=None,
        default=None,
        ignorable=False,
        entity_type=None,
        map_key=False,
        about="",
        fields=None,
    )
    return usual._replace(**more)


def tiny(*fields: ExportedField, flexible: bool = False) -> Codec:
    """The codec of a message of some fields."""
    return Codec(fields, flexible)


def _json(value: object) -> Markup:
    return Markup("<code>{}</code>").format(json.dumps(value, ensure_ascii=False))


def _bits(data: bytes) -> Markup:
    """Each byte as its first bit and the seven that count."""
    return Markup("<code>{}</code>").format(" ".join(f"{byte >> 7}·{byte & 0x7F:07b}" for byte in data))


def _unsigned_bytes(value: int) -> bytes:
    out = bytearray()
    write_unsigned(out, value)
    return bytes(out)


def _unsigned() -> Markup:
    numbers = [(value, _unsigned_bytes(value)) for value in _UNSIGNED]
    rows = [(f"{value:,}", _hex(data), _bits(data)) for value, data in numbers]
    return _table("Unsigned varints", ("Number", "Bytes", "Continued? · seven bits"), rows)


def _zigzag() -> Markup:
    rows = []
    for value in _SIGNED:
        data = varint(value)
        folded = value * 2 if value >= 0 else -value * 2 - 1
        rows.append((f"{value:,}", f"{folded:,}", _hex(data)))
    return _table("Zig-zag varints", ("Number", "Folded to", "Bytes"), rows)


def _lengths() -> Markup:
    types = ("NULLABLE_STRING", "COMPACT_NULLABLE_STRING", "NULLABLE_BYTES", "COMPACT_NULLABLE_BYTES")
    rows: list[Sequence[object]] = []
    for text in _TEXTS:
        cells = []
        for type_ in types:
            content = text.encode().hex() if isinstance(text, str) and type_.endswith("BYTES") else text
            cells.append(_hex(tiny(field("F", type_)).encode({"F": content})))
        rows.append((_json(text), *cells))
    count = [_hex(tiny(_array(form)).encode({"F": [7, 8]})) for form in ("ARRAY", "COMPACT_ARRAY")]
    lengths = _table("Lengths", ("Value", *types), rows)
    arrays = _table(
        "Counts, of two INT8 elements", ("Value", "ARRAY", "COMPACT_ARRAY"), [(_json([7, 8]), *count)]
    )
    return lengths + arrays


def _array(form: str, **more: Any) -> ExportedField:
    return field("F", form, element="INT8", **more)


def _nulls() -> Markup:
    struct = (field("X", "INT8", path="F.X"),)
    kinds: list[tuple[str, str, dict[str, Any], Json]] = [
        ("string", "NULLABLE_STRING", {}, "x"),
        ("bytes", "NULLABLE_BYTES", {}, "00"),
        ("records", "NULLABLE_RECORDS", {}, "00"),
        ("array", "ARRAY", {"element": "INT8", "nullable": True}, []),
        ("struct", "NULLABLE_STRUCT", {"fields": struct}, {"X": 0}),
    ]
    rows = []
    for title, type_, more, default in kinds:
        compact = type_ if type_ == "NULLABLE_STRUCT" else f"COMPACT_{type_}"
        plain = tiny(field("F", type_, **more)).encode({"F": None})
        # The last byte is the message's own tagged section.
        flexible = tiny(field("F", compact, **more), flexible=True).encode({"F": None})[:-1]
        left_out = tiny(field("F", compact, tag=0, **more), flexible=True).encode({"F": None})
        tagged = tiny(field("F", compact, tag=0, **more, default=default), flexible=True)
        rows.append((title, *map(_hex, (plain, flexible, left_out, tagged.encode({"F": None})))))
    return _table(
        "Null",
        ("Type", "Non-flexible", "Flexible", "Tagged, default null: the section", "Tagged, another default"),
        rows,
    )


@cache
def _spec(name: str, version: int, *, example: bool = False) -> Layout:
    folder = FOLDER / "examples" if example else embedded_source()
    return layout(read_embedded(folder / f"{name}.json"), version)


def _head(of: Layout, client: str = "my-client") -> tuple[Layout, bytes]:
    assert of.header_version is not None
    header = header_layout(of.type, of.header_version)
    value: MessageValue = {"CorrelationId": 1}
    if of.type == "request":
        value |= {"RequestApiKey": of.api_key, "RequestApiVersion": of.version, "ClientId": client}
    return header, codec(header).encode(value)


def _shown(prefix: str, of: Layout, value: MessageValue, client: str = "my-client") -> Markup:
    """A message with frame and header, and its grammar."""
    header, first = _head(of, client)
    body = codec(of).encode(value)
    keys = Keys(f"{prefix}-")
    title = f"{of.type.capitalize()} header v{header.version}"
    parts = [
        frame_part(len(first) + len(body)),
        HexPart("header", title, first, codec(header).explain(first)),
        HexPart("body", "Body", body, codec(of).explain(body)),
    ]
    name = bnf_title(of.name, of.type, of.api, of.version)
    grammar = grammar_block(bnf_lines(name, of.fields, of.flexible), "body", keys)
    table = range_table(
        parts, prefix, keys, f"{of.name} {of.version}, {len(first) + len(body)} bytes one by one"
    )
    return render(
        "worked_bytes.html.jinja", grammar=grammar, block=hex_block(parts, prefix, keys), table=table
    )


def _reading_frame() -> Markup:
    value: MessageValue = {"ClientSoftwareName": "x", "ClientSoftwareVersion": "1"}
    frame = _shown("whole", _spec("ApiVersionsRequest", 3), value, client="me")
    return frame + Markup('<script src="../assets/bytes.js" defer></script>')


def _frame() -> Markup:
    value: MessageValue = {"ClientSoftwareName": "my-client", "ClientSoftwareVersion": "1.0"}
    return _shown("frame", _spec("ApiVersionsRequest", 3), value)


def _headers() -> Markup:
    messages = (
        ("MetadataRequest", 1, "a non-flexible request"),
        ("MetadataRequest", 9, "a flexible request: the client ID stays as it was"),
        ("MetadataResponse", 1, "the answer to a non-flexible request"),
        ("MetadataResponse", 9, "the answer to a flexible one"),
        ("ApiVersionsResponse", 3, "flexible, and still answered with header v0"),
    )
    rows = []
    for name, version, why in messages:
        of = _spec(name, version)
        header, data = _head(of)
        rows.append((f"{name} {version}", f"v{header.version}", _hex(data), why))
    return _table("Headers", ("Message", "Header", "Bytes", "Which is"), rows)


def _foo(prefix: str, version: int, value: MessageValue) -> Markup:
    return _shown(prefix, _spec("FooRequest", version, example=True), value)


def _without_tags(fields: Sequence[ExportedField]) -> tuple[ExportedField, ...]:
    """The fields before any tagged one was added."""
    return tuple(
        field._replace(fields=None if field.fields is None else _without_tags(field.fields))
        for field in fields
        if field.tag is None
    )


def _foo_old() -> Markup:
    new = _spec("FooRequest", 9, example=True)
    old = Codec(_without_tags(new.exported().fields), new.flexible)
    data = codec(new).encode(_FOO_TAGGED)
    read = old.decode(data)
    again = old.encode(read)
    rows = [
        ("A new writer sends", _hex(data)),
        ("A new reader reads", _json(codec(new).decode(data))),
        ("An old reader reads", _json(read)),
        ("The old one writes it again", _hex(again)),
        ("The same bytes", "yes" if again == data else "no"),
        ("An old writer sends", _hex(old.encode(_FOO))),
        ("A new reader reads", _json(codec(new).decode(old.encode(_FOO)))),
    ]
    return _table("Old and new", ("Who", "What"), rows)


def _pair() -> Codec:
    return tiny(field("A", "INT8", tag=0, default=0), field("B", "INT8", tag=1, default=0), flexible=True)


def _lenient() -> Markup:
    flag = tiny(field("Flag", "BOOLEAN"))
    names = tiny(field("Name", "COMPACT_STRING"), flexible=True)
    struct = tiny(field("S", "NULLABLE_STRUCT", fields=(field("X", "INT8", path="S.X"),)))
    readers: list[tuple[str, Codec, str]] = [
        ("A varint that is longer than necessary", names, "83006869" + "00"),
        ("A boolean that is neither 0 nor 1", flag, "02"),
        ("Tags out of order", _pair(), "02" + "010107" + "000105"),
        ("A tagged field that has its default", _pair(), "01" + "000100"),
        ("An unknown tag", _pair(), "01" + "0902beef"),
        ("Another marker of a struct that is present", struct, "05" + "07"),
    ]
    rows = []
    for title, of, text in readers:
        value = of.decode(bytes.fromhex(text))
        rows.append((title, _hex(bytes.fromhex(text)), _json(value), _hex(of.encode(value))))
    return _table("Accepted", ("What", "Bytes", "Read as", "Written again"), rows)


def _refused() -> Markup:
    name, array = tiny(field("Name", "COMPACT_STRING")), tiny(_array("ARRAY", nullable=True))
    cases: list[tuple[str, Codec, str, str]] = [
        ("Null where it is not allowed", name, "00", "refused too"),
        ("A truncated message", name, "066869", "refused too"),
        ("A varint of six bytes", name, "808080808001", "refused too"),
        ("A count below -1", array, "fffffffe", "read as null"),
        ("A duplicate tag", _pair(), "02" + "000105" + "000106", "the last one counts"),
        ("A wrong size of a tagged field", _pair(), "01" + "00020500", "the size is not checked"),
    ]
    rows = []
    for title, of, text, kafka in cases:
        try:
            refusal = str(of.decode(bytes.fromhex(text)))
        except WireError as error:
            refusal = str(error)
        rows.append((title, _hex(bytes.fromhex(text)), refusal, kafka))
    return _table("Refused", ("What", "Bytes", "What wirebook reports", "Kafka's Java reader"), rows)
