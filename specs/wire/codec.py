"""Messages to bytes and back, for any layout: one reader of bytes, which describes each, and one writer."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from difflib import get_close_matches
from math import isfinite, isnan
from operator import itemgetter
from struct import Struct as Form
from typing import Any, NamedTuple, Self, TypeAlias

from wirebook.specs.limits import MAX_EMPTY, MAX_INT16
from wirebook.specs.model import Field, Json, Message, MessageValue
from wirebook.specs.wire.defaults import INTEGERS, default_value
from wirebook.specs.wire.exported import ExportedField, ExportedLayout
from wirebook.specs.wire.layout import Layout, LayoutField

UNKNOWN = "@unknownTaggedFields"
MAX_STRING = MAX_INT16  # bytes, in the compact form too (wire facts: Type.java)
HEX = frozenset("0123456789abcdefABCDEF")
# How the struct module calls each type of a fixed size.
FORMS = {
    "BOOLEAN": Form("?"),
    "INT8": Form("b"),
    "INT16": Form(">h"),
    "UINT16": Form(">H"),
    "INT32": Form(">i"),
    "UINT32": Form(">I"),
    "INT64": Form(">q"),
    "FLOAT64": Form(">d"),
}
# The generated classes in Java take it for the end of a tagged section.
_RESERVED_TAG = 2**31 - 1

Shape: TypeAlias = LayoutField | ExportedField


class WireError(ValueError):
    """Bytes or a value that the layout does not allow, with the path of the field and, for bytes, the offset.

    `path` is "" for the message as a whole, else like Topics[2].Partitions[0].Index.
    """

    def __init__(self, message: str, offset: int | None = None, path: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.offset = offset
        self.path = path

    def below(self, name: str) -> WireError:
        """The same error, as seen from one level above."""
        join = "." if self.path and not self.path.startswith("[") else ""
        self.path = f"{name}{join}{self.path}"
        return self

    def __str__(self) -> str:
        where = f"byte {self.offset}: " if self.offset is not None else ""
        return f"{where}{self.path}: {self.message}" if self.path else f"{where}{self.message}"


class Span(NamedTuple):
    """The bytes `start` to `end` (exclusive) of a message.

    `path` has the indexes of arrays (Topics[0].Name), `field` does not (Topics.Name; "" for the tagged
    section at the top). `kind` is one of value, length, count, null, marker, tag-count, tag, tag-size and
    unknown; `type` is its wire type, `value` the decoded value. `name` is that of the value, or of the flags
    in it; "" if it has none.
    """

    start: int
    end: int
    path: str
    field: str
    kind: str
    type: str
    value: Json
    name: str = ""

    def moved(self, by: int) -> Self:
        """The span, `by` bytes later."""
        return self._replace(start=self.start + by, end=self.end + by)

    def to_json(self) -> dict[str, Json]:
        """The span as `wirebook decode --explain json` prints it (wirebook/bytes/1); no key for no name."""
        document = self._asdict()
        if not self.name:
            del document["name"]
        return document


class Reading(NamedTuple):
    """What was read: the value, the spans of its bytes, and where it ends.

    With an error, they are those of what precedes it.
    """

    value: MessageValue
    spans: list[Span]
    end: int
    error: WireError | None


class Codec:
    """Encodes and decodes a message at one version.

    `least` is the smallest number of bytes of a message: with empty strings, arrays and tagged sections, and
    null structs where possible, without the header.
    """

    def __init__(self, fields: Sequence[Shape], flexible: bool, others: _Others | None = None) -> None:
        self.fields = fields
        self.flexible = flexible
        message = others.message if others else None
        declared = message.fields if message else ()
        self._struct = _struct(fields, flexible, declared, others or _Others(None, 0))
        self.least = self._struct.least
        self.has_records = has_records(fields)

    def encode(self, value: Mapping[str, Json]) -> bytes:
        """Encode a value; missing fields take their defaults. Raises WireError."""
        out = bytearray()
        _write_struct(out, self._struct, value, "")
        return bytes(out)

    def decode(self, data: bytes) -> MessageValue:
        """Decode all of `data` to a value. Raises WireError, also if bytes are left over.

        An absent tagged field is left out, as in Kafka's own JSON form: its value is the default.
        """
        return self._all(data)[1]

    def decode_from(self, data: bytes, offset: int = 0) -> tuple[MessageValue, int]:
        """Decode the value that begins at `offset`, and return it with its end. Raises WireError."""
        reader, value = self._all(data, offset, False)
        return value, reader.at

    def explain(self, data: bytes) -> list[Span]:
        """Describe each byte of a message, in order and without gaps. Raises WireError."""
        return [Span(*parts) for parts in self._all(data)[0].spans]

    def read(self, data: bytes, offset: int = 0, *, whole: bool = True) -> Reading:
        """Read the message that begins at `offset` as far as possible; if `whole`, it ends with the bytes."""
        reader = Reader(bytes(data), offset)
        value: MessageValue = {}
        try:
            self._into(reader, value, whole)
        except WireError as bad:
            end = bad.offset or 0
            return Reading(value, [Span(*parts) for parts in reader.spans if parts[1] <= end], end, bad)
        return Reading(value, [Span(*parts) for parts in reader.spans], reader.at, None)

    def _all(self, data: bytes, offset: int = 0, whole: bool = True) -> tuple[Reader, MessageValue]:
        reader = Reader(bytes(data), offset)
        value: MessageValue = {}
        self._into(reader, value, whole)
        return reader, value

    def _into(self, reader: Reader, value: MessageValue, whole: bool) -> None:
        _read_struct(reader, self._struct, "", "", value)
        if whole and reader.at < reader.end:
            raise reader.left_over()


_codecs: dict[int, tuple[Layout | ExportedLayout, Codec]] = {}


def codec(layout: Layout | ExportedLayout) -> Codec:
    """The codec of a layout, cached. That of an exported one does not know the fields of other versions."""
    cached = _codecs.get(id(layout))
    if cached is not None and cached[0] is layout:
        return cached[1]
    if len(_codecs) >= 4096:
        _codecs.clear()
    others = _Others(layout.message, layout.version) if isinstance(layout, Layout) else None
    result = Codec(layout.fields, layout.flexible, others)
    _codecs[id(layout)] = (layout, result)
    return result


def has_records(fields: Sequence[Shape]) -> bool:
    """Whether a field at any depth is of type records."""
    return any(
        each.type.endswith("RECORDS") or (each.fields is not None and has_records(each.fields))
        for each in fields
    )


# The structs of a layout


class _Others(NamedTuple):
    """The message and the version of a layout: what its structs have in other versions is in the message."""

    message: Message | None
    version: int


@dataclass(slots=True)
class _Struct:
    """A struct at one version: its fields, and what it has in other versions by name and tag.

    `inner` are the structs in its fields by name, `least` is its smallest number of bytes.
    """

    flexible: bool
    others: _Others
    plain: list[Shape] = field(default_factory=list)
    tagged: dict[int, Shape] = field(default_factory=dict)
    inner: dict[str, _Struct] = field(default_factory=dict)
    names: set[str] = field(default_factory=set)
    least: int = 0
    other_fields: dict[str, Field] = field(default_factory=dict)
    other_tags: dict[int, str] = field(default_factory=dict)


def _struct(fields: Sequence[Shape], flexible: bool, declared: Sequence[Field], others: _Others) -> _Struct:
    made = _Struct(flexible, others)
    for shape in fields:
        made.names.add(shape.name)
        if shape.fields is not None:
            inner: Sequence[Field] = ()
            if others.message is not None and isinstance(shape, LayoutField):
                inner = others.message.fields_of(shape.field) or ()
            made.inner[shape.name] = _struct(shape.fields, flexible, inner, others)
        if shape.tag is None:
            made.plain.append(shape)
            made.least += _least(shape, made)
        else:
            made.tagged[shape.tag] = shape
    if flexible:
        made.names.add(UNKNOWN)
        made.least += 1
    for each in declared:
        if each.name not in made.names:
            made.other_fields[each.name] = each
        if each.tag is not None and each.tag not in made.tagged:
            made.other_tags[each.tag] = each.name
    return made


def _least(shape: Shape, struct: _Struct) -> int:
    if shape.fields is not None and shape.element is None:
        return 1 if shape.nullable else struct.inner[shape.name].least
    return _least_of(shape.type)


def _least_of(type_: str) -> int:
    if type_ in FORMS:
        return FORMS[type_].size
    if type_ == "UUID":
        return 16
    return 1 if type_.startswith("COMPACT_") else 2 if type_.endswith("STRING") else 4


# Reading


class Reader:
    """Reads values from `at` up to `end`, one after another; `spans` describe the bytes that it has read."""

    def __init__(self, data: bytes, at: int = 0, end: int | None = None) -> None:
        self.data = data
        self.at = at
        self.end = len(data) if end is None else end
        self.spans: list[tuple[int, int, str, str, str, str, Json]] = []

    def take(self, end: int, path: str, field: str, kind: str, type_: str, value: Json) -> None:
        """Describe the bytes up to `end`, and go there."""
        self.spans.append((self.at, end, path, field, kind, type_, value))
        self.at = end

    def has(self, size: int, path: str) -> int:
        """The end of so many bytes. Raises WireError if there are fewer."""
        end = self.at + size
        if end > self.end:
            left = self.end - self.at
            there = f"{left or 'none'} {'is' if left == 1 else 'are'} left"
            raise WireError(f"{some_bytes(size)} should be here, but {there}", self.at, path)
        return end

    def left_over(self) -> WireError:
        """The error for a message that ends before its bytes do."""
        count = self.end - self.at
        left = f"{some_bytes(count)} {'is' if count == 1 else 'are'} left over"
        return WireError(f"the message ends here, but {left}", self.at)

    def fixed(self, type_: str, path: str, field: str, kind: str = "value") -> Any:
        """Read a value of a fixed size."""
        form = FORMS[type_]
        end = self.has(form.size, path)
        (value,) = form.unpack_from(self.data, self.at)
        if type_ == "FLOAT64" and not isfinite(value):
            value = "NaN" if isnan(value) else "Infinity" if value > 0 else "-Infinity"
        self.spans.append((self.at, end, path, field, kind, type_, value))
        self.at = end
        return value

    def varint(self, path: str, bits: int = 32) -> tuple[int, int]:
        """An unsigned varint, which may be longer than necessary, with its end; `at` stays."""
        at, value, shift = self.at, 0, 0
        while True:
            if at >= self.end:
                raise WireError("the bytes end within a varint", self.at, path)
            byte = self.data[at]
            at += 1
            value |= (byte & 0x7F) << shift
            if byte < 0x80:
                break
            shift += 7
            if shift >= bits:
                raise WireError(f"this varint has more than {-(-bits // 7)} bytes", self.at, path)
        if value >> bits:
            raise WireError(f"this varint has more than {bits} bits", self.at, path)
        return value, at

    def unsigned(self, path: str, field: str, kind: str) -> int:
        """Read an unsigned varint."""
        value, end = self.varint(path)
        self.take(end, path, field, kind, "UNSIGNED_VARINT", value)
        return value

    def length(self, type_: str, nullable: bool, path: str, field: str, kind: str) -> int | None:
        """Read the length or count before a value; None is null."""
        start = self.at
        if type_.startswith("COMPACT_"):
            raw, end = self.varint(path)
            length, form = raw - 1, "UNSIGNED_VARINT"
        else:
            form = "INT16" if type_.endswith("STRING") else "INT32"
            end = self.has(FORMS[form].size, path)
            (length,) = FORMS[form].unpack_from(self.data, start)
        if length < -1:
            raise WireError(f"a length of {length}: -1 (null) is the only negative length", start, path)
        if length >= 0:
            self.take(end, path, field, kind, form, length)
            return length
        if not nullable:
            raise WireError("null, but it is not nullable in this version", start, path)
        self.take(end, path, field, "null", form, None)
        return None

    def scalar(self, type_: str, nullable: bool, path: str, field: str) -> Json:
        """Read a value that is neither an array nor a struct."""
        if type_ in FORMS:
            return self.fixed(type_, path, field)
        value: Json
        if type_ == "UUID":
            end = self.has(16, path)
            value = uuid_text(self.data[self.at : end].hex())
            self.take(end, path, field, "value", type_, value)
            return value
        start, is_text = self.at, type_.endswith("STRING")
        size = self.length(type_, nullable, path, field, "length")
        if size is None:
            return None
        if is_text and size > MAX_STRING:
            raise WireError(f"a string of {size} bytes; the limit is {MAX_STRING}", start, path)
        end = self.has(size, path)
        content = self.data[self.at : end]
        try:
            value = content.decode() if is_text else content.hex()
        except UnicodeDecodeError as bad:
            raise WireError("these bytes are not UTF-8", self.at + bad.start, path) from None
        if size:
            self.take(end, path, field, "value", type_, value)
        return value

    def fits(self, things: str, count: int, least: int, at: int, path: str) -> None:
        """Raise WireError if so many things, of `least` bytes each, cannot be in the bytes that are left."""
        left = self.end - self.at
        if count * least > left:
            words = f"{count} {things} take at least {some_bytes(count * least)}, but {left} are left"
            raise WireError(words, at, path)
        if not least and count > MAX_EMPTY:
            raise WireError(f"{count} {things} without bytes; the limit is {MAX_EMPTY}", at, path)


def _read_struct(reader: Reader, struct: _Struct, path: str, field: str, value: MessageValue) -> None:
    """Read a struct into `value`, which has all that precedes an error."""
    dot = f"{path}." if path else ""
    for shape in struct.plain:
        _read_field(reader, struct, shape, dot + shape.name, value)
    if struct.flexible:
        _read_section(reader, struct, path, field, value)


def _read_field(reader: Reader, struct: _Struct, shape: Shape, path: str, value: MessageValue) -> None:
    if shape.element is not None:
        _read_array(reader, struct, shape, path, value)
    elif shape.fields is None:
        value[shape.name] = reader.scalar(shape.type, shape.nullable, path, shape.path)
    elif shape.nullable and not _is_present(reader, shape, path):
        value[shape.name] = None
    else:
        content: MessageValue = {}
        value[shape.name] = content
        _read_struct(reader, struct.inner[shape.name], path, shape.path, content)


def _is_present(reader: Reader, shape: Shape, path: str) -> bool:
    """Read the marker of a struct: an INT8, or within a tagged field an unsigned varint (KIP-893)."""
    if shape.tag is None:
        end = reader.has(1, path)
        # Any negative number means null.
        is_present, type_ = reader.data[reader.at] < 0x80, "INT8"
    else:
        marker, end = reader.varint(path)
        is_present, type_ = marker > 0, "UNSIGNED_VARINT"
    reader.take(end, path, shape.path, "marker" if is_present else "null", type_, None)
    return is_present


def _read_array(reader: Reader, struct: _Struct, shape: Shape, path: str, value: MessageValue) -> None:
    start = reader.at
    count = reader.length(shape.type, shape.nullable, path, shape.path, "count")
    if count is None:
        value[shape.name] = None
        return
    assert shape.element is not None
    inner = struct.inner.get(shape.name)
    reader.fits("elements", count, inner.least if inner else _least_of(shape.element), start, path)
    items: list[Json] = []
    value[shape.name] = items
    for index in range(count):
        at = f"{path}[{index}]"
        if inner is None:
            items.append(reader.scalar(shape.element, False, at, shape.path))
            continue
        item: MessageValue = {}
        try:
            _read_struct(reader, inner, at, shape.path, item)
        except WireError:
            if item:
                items.append(item)
            raise
        items.append(item)


def _read_section(reader: Reader, struct: _Struct, path: str, field: str, value: MessageValue) -> None:
    """Read the tagged section of a struct (KIP-482): known fields by tag, unknown ones as hex."""
    start = reader.at
    count = reader.unsigned(path, field, "tag-count")
    if not count:
        return
    reader.fits("tagged fields", count, 2, start, path)
    tags: set[int] = set()
    unknown: list[MessageValue] = []
    dot = f"{path}." if path else ""
    for _ in range(count):
        tag_at = reader.at
        tag, end = reader.varint(path)
        shape = struct.tagged.get(tag)
        at, of = (path, field) if shape is None else (dot + shape.name, shape.path)
        reader.take(end, at, of, "tag", "UNSIGNED_VARINT", tag)
        if tag in tags:
            raise WireError(f"tag {tag} appears twice", tag_at, path)
        tags.add(tag)
        size, end = reader.varint(path)
        reader.take(end, at, of, "tag-size", "UNSIGNED_VARINT", size)
        start = reader.at
        end = reader.has(size, f"{dot}tag {tag}" if shape is None else at)
        if shape is not None:
            _read_field(reader, struct, shape, at, value)
            if reader.at != end:
                words = f"the value takes {some_bytes(reader.at - start)}, but its size is given as {size}"
                raise WireError(words, start, at)
            continue
        if tag in struct.other_tags:
            words = f"tag {tag} is {struct.other_tags[tag]}, which this version does not have"
            raise WireError(words, tag_at, path)
        content = reader.data[start:end].hex()
        unknown.append({"tag": tag, "data": content})
        value[UNKNOWN] = unknown
        if size:
            reader.take(end, at, of, "unknown", "BYTES", content)
    unknown.sort(key=itemgetter("tag"))


# Writing


def write_unsigned(out: bytearray, value: int) -> None:
    """Append an unsigned varint, in its shortest form."""
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)


def _write_struct(out: bytearray, struct: _Struct, value: Any, path: str) -> None:
    if not isinstance(value, Mapping):
        raise WireError(expected("an object", value), path=path)
    dot = f"{path}." if path else ""
    if not struct.names.issuperset(value):
        _refuse_foreign(struct, value, dot)
    for shape in struct.plain:
        _write_field(out, struct, shape, value.get(shape.name, shape.default), dot + shape.name)
    if not struct.flexible:
        return
    section: list[tuple[int, bytes]] = []
    for tag, shape in struct.tagged.items():
        if shape.name not in value or _is_default(shape, value[shape.name], struct.others):
            continue
        content = bytearray()
        _write_field(content, struct, shape, value[shape.name], dot + shape.name)
        section.append((tag, bytes(content)))
    if UNKNOWN in value:
        section += _unknown(struct, value[UNKNOWN], dot + UNKNOWN)
    write_unsigned(out, len(section))
    for tag, data in sorted(section):
        write_unsigned(out, tag)
        write_unsigned(out, len(data))
        out += data


def _write_field(out: bytearray, struct: _Struct, shape: Shape, value: Any, path: str) -> None:
    if shape.element is not None:
        if value is None and shape.nullable:
            _write_length(out, shape.type, None)
            return
        if not isinstance(value, list):
            raise WireError(expected("a list", value, shape.nullable), path=path)
        _write_length(out, shape.type, len(value))
        for index, item in enumerate(value):
            if shape.fields is None:
                write_scalar(out, shape.element, False, item, f"{path}[{index}]")
            else:
                _write_struct(out, struct.inner[shape.name], item, f"{path}[{index}]")
    elif shape.fields is None:
        write_scalar(out, shape.type, shape.nullable, value, path)
    elif shape.nullable and value is None:
        out += b"\xff" if shape.tag is None else b"\0"
    else:
        if shape.nullable:
            out.append(1)
        _write_struct(out, struct.inner[shape.name], value, path)


def _write_length(out: bytearray, type_: str, length: int | None) -> None:
    if type_.startswith("COMPACT_"):
        write_unsigned(out, 0 if length is None else length + 1)
    else:
        form = FORMS["INT16" if type_.endswith("STRING") else "INT32"]
        out += form.pack(-1 if length is None else length)


def write_scalar(out: bytearray, type_: str, nullable: bool, value: Any, path: str) -> None:
    """Append a value that is neither an array nor a struct. Raises WireError."""
    if type_ in FORMS:
        out += FORMS[type_].pack(_number(type_, value, path))
    elif value is None and nullable:
        _write_length(out, type_, None)
    elif type_ == "UUID":
        digits = value.replace("-", "") if type(value) is str else ""
        if len(digits) != 32 or not HEX.issuperset(digits) or value != uuid_text(digits):
            raise WireError(expected("a uuid as 8-4-4-4-12 hex digits", value), path=path)
        out += bytes.fromhex(digits)
    else:
        data = (
            text_bytes(value, path, nullable)
            if type_.endswith("STRING")
            else hex_bytes(value, path, nullable)
        )
        _write_length(out, type_, len(data))
        out += data


def text_bytes(value: Any, path: str, nullable: bool = False) -> bytes:
    """The bytes of a string. Raises WireError."""
    if type(value) is not str:
        raise WireError(expected("a string", value, nullable), path=path)
    try:
        data = value.encode()
    except UnicodeEncodeError:
        words = "this string has half of a surrogate pair, which UTF-8 cannot encode"
        raise WireError(words, path=path) from None
    if len(data) > MAX_STRING:
        raise WireError(f"a string of {len(data)} bytes; the limit is {MAX_STRING}", path=path)
    return data


def hex_bytes(value: Any, path: str, nullable: bool = False) -> bytes:
    """The bytes of a value in hex. Raises WireError."""
    if type(value) is not str or len(value) % 2 or not HEX.issuperset(value):
        raise WireError(expected("bytes in hex", value, nullable), path=path)
    return bytes.fromhex(value)


def _number(type_: str, value: Any, path: str) -> Any:
    if type_ == "FLOAT64":
        return _float(value, path)
    check_fixed(type_, value, path)
    return value


def _float(value: Any, path: str) -> float:
    if value in ("NaN", "Infinity", "-Infinity"):  # JSON has no numbers for them
        return float(value)
    if type(value) not in (float, int):
        raise WireError(expected("a number", value), path=path)
    try:
        number = float(value)
    except OverflowError:
        raise WireError(f"{shown(value)} does not fit FLOAT64", path=path) from None
    if not isfinite(number):  # such as 1e400
        raise WireError("this number does not fit FLOAT64", path=path)
    return number


def check_fixed(type_: str, value: Any, path: str = "") -> None:
    """Raise WireError for a value that a type of fixed size cannot hold."""
    if type_ == "BOOLEAN":
        if type(value) is not bool:
            raise WireError(expected("true or false", value), path=path)
        return
    if type(value) is not int:
        raise WireError(expected("a whole number", value), path=path)
    lowest, highest = INTEGERS[type_]
    if not lowest <= value <= highest:
        raise WireError(f"{shown(value)} does not fit {type_} ({lowest} to {highest})", path=path)


def _unknown(struct: _Struct, entries: Any, path: str) -> Iterator[tuple[int, bytes]]:
    """The unknown tagged fields listed in a value: [{"tag": 5, "data": "beef"}]."""
    if not isinstance(entries, list):
        raise WireError(expected("a list", entries), path=path)
    tags: set[int] = set()
    for index, entry in enumerate(entries):
        at = f"{path}[{index}]"
        if not isinstance(entry, dict) or entry.keys() != {"tag", "data"}:
            raise WireError('an object with "tag" and "data" is expected', path=at)
        tag = entry["tag"]
        if type(tag) is not int or not 0 <= tag <= 0xFFFFFFFF:
            raise WireError(f"{shown(tag)} is not a tag", path=f"{at}.tag")
        if tag == _RESERVED_TAG:
            words = f"{tag} cannot be written: Java's generated classes reserve it"
            raise WireError(words, path=f"{at}.tag")
        known = struct.tagged[tag].name if tag in struct.tagged else struct.other_tags.get(tag)
        if tag in tags or known is not None:
            words = "appears twice" if tag in tags else f"is not unknown: it is {known}"
            raise WireError(f"tag {tag} {words}", path=at)
        tags.add(tag)
        yield tag, hex_bytes(entry["data"], f"{at}.data")


def _refuse_foreign(struct: _Struct, value: Mapping[str, Any], dot: str) -> None:
    """Raise WireError for a name that this version lacks, unless it may be dropped.

    A field of another version may be dropped if it is ignorable or its value is the default, as in Kafka's
    generated classes.
    """
    for name in value:
        if name in struct.names or (name == UNKNOWN and value[name] == []):
            continue
        other = struct.other_fields.get(name)
        if name == UNKNOWN:
            words = "this version is not flexible: it has no tagged section"
        elif other is None:
            raise no_such_field(name, [*struct.names, *struct.other_fields], dot)
        elif other.ignorable or _is_default(other, value[name], struct.others):
            continue
        else:
            words = f"this version does not have it (versions {other.versions}), and it is not ignorable"
        raise WireError(words, path=f"{dot}{name}")


def no_such_field(name: object, names: Sequence[str], dot: str = "") -> WireError:
    """The error for a name that is not that of a field, with at most two that are like it."""
    near = get_close_matches(str(name), names, n=2)
    hint = f"; did you mean {' or '.join(near)}?" if near else ""
    return WireError(f"there is no such field{hint}", path=f"{dot}{str(name)[:80]}")


def _is_default(of: Shape | Field, value: Any, others: _Others) -> bool:
    """Whether Kafka takes a value for the default: structs by their fields in all versions, -0 as 0."""
    default = default_value(of) if isinstance(of, Field) else of.default
    if isinstance(default, dict) and isinstance(value, Mapping):
        inner = _fields_in(of, others)
        return not value.get(UNKNOWN) and all(
            name in inner and _is_default(inner[name], item, others)
            for name, item in value.items()
            if name != UNKNOWN
        )
    same = type(value) is type(default) or (type(default), type(value)) == (float, int)
    return bool(same and value == default)


def _fields_in(of: Shape | Field, others: _Others) -> Mapping[str, Shape | Field]:
    """The fields of a struct by name, in all versions if they are known; of several, that of this version."""
    if isinstance(of, ExportedField):
        return {inner.name: inner for inner in of.fields or ()}
    assert others.message is not None
    fields = others.message.fields_of(of.field if isinstance(of, LayoutField) else of) or ()
    return {each.name: each for each in sorted(fields, key=lambda each: others.version in each.present)}


# Words


def some_bytes(count: int) -> str:
    """A number of bytes in words."""
    return "1 byte" if count == 1 else f"{count} bytes"


def uuid_text(digits: str) -> str:
    """32 hex digits in the form 8-4-4-4-12."""
    return f"{digits[:8]}-{digits[8:12]}-{digits[12:16]}-{digits[16:20]}-{digits[20:]}"


def expected(what: str, value: Any, nullable: bool = False) -> str:
    """The error text for a value of another kind."""
    if value is None:
        return f"{what} is expected; it is not nullable in this version"
    return f"{what}{' or null' if nullable else ''} is expected, not {shown(value)}"


def shown(value: Any) -> str:
    """A value in the form of error messages: short, on one line."""
    text = repr(value) if not isinstance(value, str) else f'"{value[:41]}"'
    kind = {dict: "an object", list: "a list", bool: str(value).lower()}.get(type(value))
    return kind or (text if len(text) <= 40 else f"{text[:37]}…")
