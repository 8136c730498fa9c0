"""Messages to bytes and back, for any layout: one reader of bytes, which describes each, and one
writer."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from math import isfinite, isnan
from operator import itemgetter
from struct import Struct as Form
from typing import Any, NamedTuple, Self, TypeAlias

from wirebook.specs.defaults import INTEGERS, default_value
from wirebook.specs.exported import ExportedField, ExportedLayout
from wirebook.specs.layout import Layout, LayoutField
from wirebook.specs.limits import MAX_EMPTY, MAX_INT16
from wirebook.specs.model import Field, Json, Message, MessageValue

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

Shape: TypeAlias = LayoutField | ExportedField


class WireError(ValueError):
    """Bytes or a value that the layout does not allow, with the path of the field and, for bytes,
    the offset.

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

    `path` has the indexes of arrays (Topics[0].Name), `field` does not (Topics.Name; "" for the
    tagged section at the top). `kind` is one of value, length, count, null, marker, tag-count, tag,
    tag-size and unknown; `type` is its wire type, `value` the decoded value. `name` is that of the
    value, or of the flags in it; "" if it has none.
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
        """The span as `wirebook decode --explain json` prints it (wirebook/bytes/1); no key for no
        name."""
        document = self._asdict()
        if not self.name:
            del document["name"]
        return document


@dataclass(slots=True)
class Reading:
    """What was read: the value, and the spans if they were asked for; with an error, what precedes
    it."""

    value: MessageValue
    reader: Reader
    error: WireError | None = None

    @property
    def end(self) -> int:
        """Where the value ends."""
        return self.reader.at if self.error is None else self.error.offset or 0

    @property
    def spans(self) -> list[Span]:
        """The spans of the bytes, in order and without gaps."""
        end = self.end
        return [span for span in self.reader.spans or () if span.end <= end]

    def right(self) -> Self:
        """The reading; raises its error if it has one."""
        if self.error is not None:
            raise self.error
        return self


class Codec:
    """Encodes and decodes a message at one version, or a struct in it.

    `message` is given if its fields in other versions are known; `declared` are those of this
    struct in all versions.
    """

    def __init__(
        self,
        fields: Sequence[Shape],
        flexible: bool,
        message: Message | None = None,
        declared: Sequence[Field] = (),
    ) -> None:
        self.fields = fields
        self.flexible = flexible
        self._message = message
        self._plain = [shape for shape in fields if shape.tag is None]
        self._tagged = {shape.tag: shape for shape in fields if shape.tag is not None}
        self._inner = {
            shape.name: self._below(shape) for shape in fields if shape.fields is not None
        }
        self._names = {shape.name for shape in fields} | ({UNKNOWN} if flexible else set())
        # What the struct has in other versions only.
        self._others = {each.name: each for each in declared if each.name not in self._names}
        self._other_tags = {
            each.tag: each.name
            for each in declared
            if each.tag is not None and each.tag not in self._tagged
        }

    def _below(self, shape: Shape) -> Codec:
        """The codec of the struct in a field."""
        declared: Sequence[Field] = ()
        if self._message is not None and isinstance(shape, LayoutField):
            declared = self._message.fields_of(shape.field) or ()
        return Codec(shape.fields or (), self.flexible, self._message, declared)

    def encode(self, value: Mapping[str, Json]) -> bytes:
        """Encode a value; missing fields take their defaults. Raises WireError."""
        out = bytearray()
        self._write(out, value, "")
        return bytes(out)

    def decode(self, data: bytes) -> MessageValue:
        """Decode all of `data` to a value. Raises WireError, also if bytes are left over.

        An absent tagged field is left out, as in Kafka's own JSON form: its value is the default.
        """
        return self.read(data).right().value

    def decode_from(self, data: bytes, offset: int = 0) -> tuple[MessageValue, int]:
        """Decode the value that begins at `offset`, and return it with its end. Raises
        WireError."""
        reading = self.read(data, offset, whole=False).right()
        return reading.value, reading.end

    def explain(self, data: bytes) -> list[Span]:
        """Describe each byte of a message, in order and without gaps. Raises WireError."""
        return self.read(data, described=True).right().spans

    def read(
        self, data: bytes, offset: int = 0, *, whole: bool = True, described: bool = False
    ) -> Reading:
        """Read the message that begins at `offset` as far as possible; if `whole`, it ends with the
        bytes.

        If `described`, the reading has the spans.
        """
        reading = Reading({}, Reader(bytes(data), offset, described=described))
        try:
            self._read(reading.reader, "", "", reading.value)
            if whole and reading.reader.at < reading.reader.end:
                raise reading.reader.left_over()
        except WireError as bad:
            reading.error = bad
        return reading

    def _read(self, reader: Reader, path: str, field: str, value: MessageValue) -> None:
        """Read the fields into `value`, which has all that precedes an error."""
        dot = f"{path}." if path else ""
        for shape in self._plain:
            self._read_field(reader, shape, dot + shape.name, value)
        if self.flexible:
            self._read_section(reader, path, field, value)

    def _read_field(self, reader: Reader, shape: Shape, path: str, value: MessageValue) -> None:
        if shape.element is not None:
            self._read_array(reader, shape, path, value)
        elif shape.fields is None:
            value[shape.name] = reader.scalar(shape.type, shape.nullable, path, shape.path)
        elif shape.nullable and not reader.marker(shape, path):
            value[shape.name] = None
        else:
            content: MessageValue = {}
            value[shape.name] = content
            self._inner[shape.name]._read(reader, path, shape.path, content)

    def _read_array(self, reader: Reader, shape: Shape, path: str, value: MessageValue) -> None:
        count = reader.length(shape.type, shape.nullable, path, shape.path, "count")
        if count is None:
            value[shape.name] = None
            return
        assert shape.element is not None
        inner = self._inner.get(shape.name)
        items: list[Json] = []
        value[shape.name] = items
        for index in range(count):
            at = f"{path}[{index}]"
            if inner is None:
                items.append(reader.scalar(shape.element, False, at, shape.path))
                continue
            start = reader.at
            item: MessageValue = {}
            try:
                inner._read(reader, at, shape.path, item)
            except WireError:
                if item:
                    items.append(item)
                raise
            items.append(item)
            if reader.at == start:
                reader.no_bytes(at)

    def _read_section(self, reader: Reader, path: str, field: str, value: MessageValue) -> None:
        """Read the tagged section of a struct (KIP-482): known fields by tag, unknown ones as
        hex."""
        count = reader.unsigned(path, field, "tag-count")
        tags: set[int] = set()
        unknown: list[MessageValue] = []
        dot = f"{path}." if path else ""
        for _ in range(count):
            start = reader.at
            tag, end = reader.varint(path)
            shape = self._tagged.get(tag)
            at, of = (path, field) if shape is None else (dot + shape.name, shape.path)
            reader.take(end, at, of, "tag", "UNSIGNED_VARINT", tag)
            if tag in tags:
                raise WireError(f"tag {tag} appears twice", start, path)
            tags.add(tag)
            size, end = reader.varint(path)
            reader.take(end, at, of, "tag-size", "UNSIGNED_VARINT", size)
            begin, end = reader.at, reader.has(size, f"{dot}tag {tag}" if shape is None else at)
            if shape is not None:
                self._read_field(reader, shape, at, value)
                if reader.at != end:
                    taken = some_bytes(reader.at - begin)
                    raise WireError(
                        f"the value takes {taken}, but its size is given as {size}", begin, at
                    )
                continue
            if tag in self._other_tags:
                words = f"tag {tag} is {self._other_tags[tag]}, which this version does not have"
                raise WireError(words, start, path)
            content = reader.data[begin:end].hex()
            unknown.append({"tag": tag, "data": content})
            value[UNKNOWN] = unknown
            if size:
                reader.take(end, at, of, "unknown", "BYTES", content)
        unknown.sort(key=itemgetter("tag"))

    def _write(self, out: bytearray, value: Any, path: str) -> None:
        if not isinstance(value, Mapping):
            raise WireError(expected("an object", value), path=path)
        dot = f"{path}." if path else ""
        if not self._names.issuperset(value):
            self._refuse_foreign(value, dot)
        for shape in self._plain:
            self._write_field(out, shape, value.get(shape.name, shape.default), dot + shape.name)
        if not self.flexible:
            return
        section: list[tuple[int, bytes]] = []
        for tag, shape in self._tagged.items():
            if shape.name in value and not _is_default(shape, value[shape.name]):
                content = bytearray()
                self._write_field(content, shape, value[shape.name], dot + shape.name)
                section.append((tag, bytes(content)))
        section += self._unknown(value.get(UNKNOWN, []), dot + UNKNOWN)
        write_unsigned(out, len(section))
        for tag, data in sorted(section):
            write_unsigned(out, tag)
            write_unsigned(out, len(data))
            out += data

    def _write_field(self, out: bytearray, shape: Shape, value: Any, path: str) -> None:
        if shape.element is not None:
            if not isinstance(value, list) and not (value is None and shape.nullable):
                raise WireError(expected("a list", value, shape.nullable), path=path)
            _write_length(out, shape.type, None if value is None else len(value))
            for index, item in enumerate(value or ()):
                if shape.fields is None:
                    _write_scalar(out, shape.element, False, item, f"{path}[{index}]")
                else:
                    self._inner[shape.name]._write(out, item, f"{path}[{index}]")
        elif shape.fields is None:
            _write_scalar(out, shape.type, shape.nullable, value, path)
        elif shape.nullable and value is None:
            out += b"\xff" if shape.tag is None else b"\0"
        else:
            if shape.nullable:
                out.append(1)
            self._inner[shape.name]._write(out, value, path)

    def _unknown(self, entries: Any, path: str) -> Iterator[tuple[int, bytes]]:
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
            known = self._tagged[tag].name if tag in self._tagged else self._other_tags.get(tag)
            if tag in tags or known is not None:
                words = "appears twice" if tag in tags else f"is not unknown: it is {known}"
                raise WireError(f"tag {tag} {words}", path=at)
            tags.add(tag)
            yield tag, hex_bytes(entry["data"], f"{at}.data")

    def _refuse_foreign(self, value: Mapping[str, Any], dot: str) -> None:
        """Raise WireError for a name that this version lacks, unless it may be dropped.

        A field of another version may be dropped if it is ignorable or its value is the default, as
        in Kafka's generated classes.
        """
        for name in value:
            if name in self._names or (name == UNKNOWN and value[name] == []):
                continue
            other = self._others.get(name)
            if name == UNKNOWN:
                words = "this version is not flexible: it has no tagged section"
            elif other is None:
                raise no_such_field(name, [*self._names, *self._others], dot)
            elif other.ignorable or _is_default(other, value[name]):
                continue
            else:
                words = (
                    f"this version does not have it (versions {other.versions}), and it is not "
                    "ignorable"
                )
            raise WireError(words, path=f"{dot}{name}")


_codecs: dict[int, tuple[Layout, Codec]] = {}


def codec(layout: Layout | ExportedLayout) -> Codec:
    """The codec of a layout, cached. That of an exported one does not know the fields of other
    versions."""
    if isinstance(layout, ExportedLayout):
        return Codec(layout.fields, layout.flexible)
    cached = _codecs.get(id(layout))
    if cached is not None and cached[0] is layout:
        return cached[1]
    if len(_codecs) >= 4096:
        _codecs.clear()
    result = Codec(layout.fields, layout.flexible, layout.message, layout.message.fields)
    _codecs[id(layout)] = (layout, result)
    return result


# Reading


class Reader:
    """Reads values from `at` up to `end`, one after another.

    If `described`, `spans` are those of the bytes that it has read.
    """

    def __init__(
        self, data: bytes, at: int = 0, end: int | None = None, *, described: bool = False
    ) -> None:
        self.data = data
        self.at = at
        self.end = len(data) if end is None else end
        self.empty = 0  # elements without bytes
        self.spans: list[Span] | None = [] if described else None

    def take(self, end: int, path: str, field: str, kind: str, type_: str, value: Json) -> None:
        """Describe the bytes up to `end`, and go there."""
        if self.spans is not None:
            self.spans.append(Span(self.at, end, path, field, kind, type_, value))
        self.at = end

    def has(self, size: int, path: str) -> int:
        """The end of so many bytes. Raises WireError if there are fewer."""
        end = self.at + size
        if end > self.end:
            raise self.short(size, path)
        return end

    def short(self, size: int, path: str) -> WireError:
        """The error for bytes that end before so many more."""
        left = self.end - self.at
        there = f"{left or 'none'} {'is' if left == 1 else 'are'} left"
        return WireError(f"{some_bytes(size)} should be here, but {there}", self.at, path)

    def left_over(self) -> WireError:
        """The error for a message that ends before its bytes do."""
        count = self.end - self.at
        left = f"{some_bytes(count)} {'is' if count == 1 else 'are'} left over"
        return WireError(f"the message ends here, but {left}", self.at)

    def fixed(self, type_: str, path: str, field: str, kind: str = "value") -> Any:
        """Read a value of a fixed size."""
        form = FORMS[type_]
        end = self.at + form.size
        if end > self.end:
            raise self.short(form.size, path)
        (value,) = form.unpack_from(self.data, self.at)
        if type_ == "FLOAT64" and not isfinite(value):
            value = "NaN" if isnan(value) else "Infinity" if value > 0 else "-Infinity"
        if self.spans is not None:
            self.spans.append(Span(self.at, end, path, field, kind, type_, value))
        self.at = end
        return value

    def varint(self, path: str, bits: int = 32) -> tuple[int, int]:
        """An unsigned varint, which may be longer than necessary, with its end; `at` stays."""
        at, value, shift = self.at, 0, 0
        if at < self.end and self.data[at] < 0x80:
            return self.data[at], at + 1
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

    def marker(self, shape: Shape, path: str) -> bool:
        """Read whether a struct is present: an INT8, or in a tagged field an unsigned varint
        (KIP-893)."""
        if shape.tag is None:
            end = self.has(1, path)
            # Any negative number means null.
            is_present, type_ = self.data[self.at] < 0x80, "INT8"
        else:
            number, end = self.varint(path)
            is_present, type_ = number > 0, "UNSIGNED_VARINT"
        self.take(end, path, shape.path, "marker" if is_present else "null", type_, None)
        return is_present

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
            raise WireError(
                f"a length of {length}: -1 (null) is the only negative length", start, path
            )
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

    def no_bytes(self, path: str) -> None:
        """Count an element without bytes. Raises WireError if there are too many."""
        self.empty += 1
        if self.empty > MAX_EMPTY:
            raise WireError(f"more than {MAX_EMPTY} elements have no bytes", self.at, path)


# Writing


def write_unsigned(out: bytearray, value: int) -> None:
    """Append an unsigned varint, in its shortest form."""
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)


def _write_length(out: bytearray, type_: str, length: int | None) -> None:
    if type_.startswith("COMPACT_"):
        write_unsigned(out, 0 if length is None else length + 1)
    else:
        form = FORMS["INT16" if type_.endswith("STRING") else "INT32"]
        out += form.pack(-1 if length is None else length)


def _write_scalar(out: bytearray, type_: str, nullable: bool, value: Any, path: str) -> None:
    if type_ == "FLOAT64":
        out += FORMS[type_].pack(_float(value, path))
    elif type_ in FORMS:
        check_fixed(type_, value, path)
        out += FORMS[type_].pack(value)
    elif value is None and nullable:
        _write_length(out, type_, None)
    elif type_ == "UUID":
        digits = value.replace("-", "") if type(value) is str else ""
        if len(digits) != 32 or not HEX.issuperset(digits) or value != uuid_text(digits):
            raise WireError(expected("a uuid as 8-4-4-4-12 hex digits", value), path=path)
        out += bytes.fromhex(digits)
    else:
        bytes_of = text_bytes if type_.endswith("STRING") else hex_bytes
        data = bytes_of(value, path, nullable)
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


def no_such_field(name: object, names: Sequence[str], dot: str = "") -> WireError:
    """The error for a name that is not that of a field, with at most two that are like it."""
    near = get_close_matches(str(name), names, n=2)
    hint = f"; did you mean {' or '.join(near)}?" if near else ""
    return WireError(f"there is no such field{hint}", path=f"{dot}{str(name)[:80]}")


def _is_default(of: Shape | Field, value: Any) -> bool:
    """Whether Kafka takes a value for the default: structs by their fields, -0 as 0."""
    default = default_value(of) if isinstance(of, Field) else of.default
    if isinstance(default, dict) and isinstance(value, Mapping):
        fields: Sequence[Shape | Field] = of.fields or ()
        inner = {each.name: each for each in fields}
        return all(name in inner and _is_default(inner[name], item) for name, item in value.items())
    same = type(value) is type(default) or (type(default), type(value)) == (float, int)
    return bool(same and value == default)


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
