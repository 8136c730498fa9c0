"""Messages to bytes and back, for any layout: one reader of bytes, which describes each, and one
writer."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from difflib import get_close_matches
from math import isfinite, isnan
from operator import itemgetter
from struct import Struct as Form
from sys import float_info
from typing import Any, NamedTuple, Self

from wirebook.specs.defaults import INTEGERS, default_value
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
_VARINT = "UNSIGNED_VARINT"
# What a path has and a field has not: indexes, and the compression of records.
_INDEX = re.compile(r"\[\d+\]| \(\w+\)$")


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
        self.path = joined(name, self.path)
        return self

    def __str__(self) -> str:
        where = f"byte {self.offset}: " if self.offset is not None else ""
        return f"{where}{self.path}: {self.message}" if self.path else f"{where}{self.message}"


@contextmanager
def within(name: str) -> Iterator[None]:
    """Puts a name before the path of a WireError that is raised inside."""
    try:
        yield
    except WireError as bad:
        raise bad.below(name) from None


def joined(above: str, path: str) -> str:
    """A path below another one."""
    return f"{above}.{path}" if above and path and path[0] != "[" else above + path


class Span(NamedTuple):
    """The bytes `start` to `end` (exclusive) of a message.

    `path` has the indexes of arrays (Topics[0].Name); it is "" for the tagged section at the top.
    `kind` is one of value, length, count, null, marker, tag-count, tag, tag-size and unknown;
    `type` is its wire type, `value` the decoded value. `name` is that of the value, or of the flags
    in it; "" if it has none.
    """

    start: int
    end: int
    path: str
    kind: str
    type: str
    value: Json
    name: str = ""

    @property
    def field(self) -> str:
        """The path without the indexes of arrays (Topics.Name)."""
        return _INDEX.sub("", self.path).removeprefix(".")

    def inside(self, start: int, path: str) -> Self:
        """The span as one of the bytes that begin at `start` and belong to the value at a path."""
        path = joined(path, self.path)
        return self._replace(start=self.start + start, end=self.end + start, path=path)

    def to_json(self) -> dict[str, Json]:
        """The span as `wirebook decode --explain json` prints it (wirebook/bytes/1); no key for no
        name."""
        place = {"start": self.start, "end": self.end, "path": self.path, "field": self.field}
        document = place | self._asdict()
        if not self.name:
            del document["name"]
        return document


class Codec:
    """Encodes and decodes a message at one version, or a struct in it.

    `message` is given if its fields in other versions are known; `declared` are those of this
    struct in all versions.
    """

    def __init__(
        self,
        fields: Sequence[LayoutField],
        flexible: bool,
        message: Message | None = None,
        declared: Sequence[Field] = (),
    ) -> None:
        self.fields = fields
        self.flexible = flexible
        self._plain = [shape for shape in fields if shape.tag is None]
        self._tagged = {shape.tag: shape for shape in fields if shape.tag is not None}
        self._inner: dict[str, Codec] = {}
        for shape in fields:
            if shape.fields is not None:
                below = message.fields_of(shape.field) if message is not None else ()
                self._inner[shape.name] = Codec(shape.fields, flexible, message, below or ())
        self._names = {shape.name for shape in fields} | ({UNKNOWN} if flexible else set())
        # What the struct has in other versions only.
        self._others = {each.name: each for each in declared if each.name not in self._names}
        self._other_tags = {
            each.tag: each.name
            for each in declared
            if each.tag is not None and each.tag not in self._tagged
        }

    def encode(self, value: Mapping[str, Json]) -> bytes:
        """Encode a value; missing fields take their defaults. Raises WireError."""
        out = bytearray()
        self._write(out, value)
        return bytes(out)

    def decode(self, data: bytes) -> MessageValue:
        """Decode all of `data` to a value. Raises WireError, also if bytes are left over.

        An absent tagged field is left out, as in Kafka's own JSON form: its value is the default.
        """
        return self.read(data).right().value

    def explain(self, data: bytes) -> list[Span]:
        """Describe each byte of a message, in order and without gaps. Raises WireError."""
        return self.read(data, described=True).right().spans

    def read(
        self, data: bytes, at: int = 0, *, whole: bool = True, described: bool = False
    ) -> Reader:
        """Read the message that begins at `at` as far as possible; if `whole`, it ends with the
        bytes.

        The result has the value, the spans if `described`, and the error if there is one: then, all
        is that of what precedes it, and `at` is its place.
        """
        reader = Reader(bytes(data), at, described=described)
        try:
            self._read(reader, "", reader.value)
            reader.path = ""
            if whole:
                reader.finish()
        except WireError as bad:
            reader.error = bad
            reader.at = bad.offset or 0
            reader.spans = [span for span in reader.spans if span.end <= reader.at]
        return reader

    def _read(self, reader: Reader, path: str, value: MessageValue) -> None:
        """Read the fields into `value`, which has all that precedes an error."""
        dot = f"{path}." if path else ""
        for shape in self._plain:
            reader.path = dot + shape.name
            self._read_field(reader, shape, value)
        if self.flexible:
            self._read_section(reader, path, value)

    def _read_field(self, reader: Reader, shape: LayoutField, value: MessageValue) -> None:
        if shape.element is not None:
            self._read_array(reader, shape, shape.element, value)
        elif shape.fields is None:
            value[shape.name] = reader.scalar(shape.type, shape.nullable)
        elif shape.nullable and not reader.marker(shape.tag is not None):
            value[shape.name] = None
        else:
            content: MessageValue = {}
            value[shape.name] = content
            self._inner[shape.name]._read(reader, reader.path, content)

    def _read_array(
        self, reader: Reader, shape: LayoutField, element: str, value: MessageValue
    ) -> None:
        path, count = reader.path, reader.length(shape.type, shape.nullable, "count")
        if count is None:
            value[shape.name] = None
            return
        inner = self._inner.get(shape.name)
        items: list[Json] = []
        value[shape.name] = items
        for index in range(count):
            reader.path = f"{path}[{index}]"
            if inner is None:
                items.append(reader.scalar(element, False))
                continue
            start = reader.at
            item: MessageValue = {}
            items.append(item)
            inner._read(reader, reader.path, item)
            if reader.at == start:
                reader.empty += 1
                if reader.empty > MAX_EMPTY:
                    raise reader.fail(f"more than {MAX_EMPTY} elements have no bytes")

    def _read_section(self, reader: Reader, path: str, value: MessageValue) -> None:
        """Read the tagged section of a struct (KIP-482): known fields by tag, unknown ones as
        hex."""
        reader.path = path
        tags: set[int] = set()
        unknown: list[MessageValue] = []
        for _ in range(reader.unsigned("tag-count")):
            reader.path, start = path, reader.at
            tag, end = reader.varint()
            shape = self._tagged.get(tag)
            of = path if shape is None else joined(path, shape.name)
            reader.path = of
            reader.take(end, "tag", _VARINT, tag)
            reader.path = path
            if tag in tags:
                raise reader.fail(f"tag {tag} appears twice", start)
            tags.add(tag)
            size, end = reader.varint()
            reader.path = of
            reader.take(end, "tag-size", _VARINT, size)
            begin = reader.at
            if shape is None:
                reader.path = joined(path, f"tag {tag}")
            end = reader.has(size)
            if shape is not None:
                self._read_field(reader, shape, value)
                if reader.at != end:
                    reader.path = of
                    taken = some_bytes(reader.at - begin)
                    words = f"the value takes {taken}, but its size is given as {size}"
                    raise reader.fail(words, begin)
                continue
            reader.path = path
            if tag in self._other_tags:
                words = f"tag {tag} is {self._other_tags[tag]}, which this version does not have"
                raise reader.fail(words, start)
            content = reader.data[begin:end].hex()
            unknown.append({"tag": tag, "data": content})
            value[UNKNOWN] = unknown
            if size:
                reader.take(end, "unknown", "BYTES", content)
        unknown.sort(key=itemgetter("tag"))

    def _write(self, out: bytearray, value: Any) -> None:
        if not isinstance(value, Mapping):
            raise WireError(expected("an object", value))
        if not self._names.issuperset(value):
            self._refuse_foreign(value)
        for shape in self._plain:
            try:  # `within` takes as long as the field
                self._write_field(out, shape, value.get(shape.name, shape.default))
            except WireError as bad:
                raise bad.below(shape.name) from None
        if not self.flexible:
            return
        section: list[tuple[int, bytes]] = []
        for tag, shape in self._tagged.items():
            if shape.name in value and not _is_default(shape, value[shape.name]):
                content = bytearray()
                with within(shape.name):
                    self._write_field(content, shape, value[shape.name])
                section.append((tag, bytes(content)))
        with within(UNKNOWN):
            section += self._unknown(value.get(UNKNOWN, []))
        write_unsigned(out, len(section))
        for tag, data in sorted(section):
            write_unsigned(out, tag)
            write_unsigned(out, len(data))
            out += data

    def _write_field(self, out: bytearray, shape: LayoutField, value: Any) -> None:
        if shape.element is not None:
            if not isinstance(value, list) and not (value is None and shape.nullable):
                raise WireError(expected("a list", value, shape.nullable))
            _write_length(out, shape.type, None if value is None else len(value))
            inner = self._inner.get(shape.name)
            for index, item in enumerate(value or ()):
                try:
                    if inner is None:
                        _write_scalar(out, shape.element, False, item)
                    else:
                        inner._write(out, item)
                except WireError as bad:
                    raise bad.below(f"[{index}]") from None
        elif shape.fields is None:
            _write_scalar(out, shape.type, shape.nullable, value)
        elif shape.nullable and value is None:
            out += b"\xff" if shape.tag is None else b"\0"
        else:
            if shape.nullable:
                out.append(1)
            self._inner[shape.name]._write(out, value)

    def _unknown(self, entries: Any) -> Iterator[tuple[int, bytes]]:
        """The unknown tagged fields listed in a value: [{"tag": 5, "data": "beef"}]."""
        if not isinstance(entries, list):
            raise WireError(expected("a list", entries))
        tags: set[int] = set()
        for index, entry in enumerate(entries):
            with within(f"[{index}]"):
                if not isinstance(entry, dict) or entry.keys() != {"tag", "data"}:
                    raise WireError('an object with "tag" and "data" is expected')
                tag = entry["tag"]
                if type(tag) is not int or not 0 <= tag <= 0xFFFFFFFF:
                    raise WireError(f"{shown(tag)} is not a tag", path="tag")
                known = self._tagged[tag].name if tag in self._tagged else self._other_tags.get(tag)
                if tag in tags or known is not None:
                    words = "appears twice" if tag in tags else f"is not unknown: it is {known}"
                    raise WireError(f"tag {tag} {words}")
                tags.add(tag)
                with within("data"):
                    data = hex_bytes(entry["data"])
            yield tag, data

    def _refuse_foreign(self, value: Mapping[str, Any]) -> None:
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
                raise no_such_field(name, [*self._names, *self._others])
            elif other.ignorable or _is_default(other, value[name]):
                continue
            else:
                words = f"this version does not have it (versions {other.versions})"
                words += ", and it is not ignorable"
            raise WireError(words, path=name)


_codecs: dict[int, tuple[Layout, Codec]] = {}


def codec(layout: Layout) -> Codec:
    """The codec of a layout, cached."""
    found = _codecs.get(id(layout))
    if found is None or found[0] is not layout:
        if len(_codecs) >= 4096:
            _codecs.clear()
        message = layout.message
        found = layout, Codec(layout.fields, layout.flexible, message, message.fields)
        _codecs[id(layout)] = found
    return found[1]


# Reading


class Reader:
    """Reads values from `at` up to `end`, one after another, and what it has read.

    `path` is that of the bytes at `at`. If `described`, `spans` are those of the bytes before.
    """

    def __init__(
        self, data: bytes, at: int = 0, end: int | None = None, *, described: bool = False
    ) -> None:
        self.data = data
        self.at = at
        self.end = len(data) if end is None else end
        self.described = described
        self.path = ""
        self.empty = 0  # elements without bytes
        self.spans: list[Span] = []
        self.value: MessageValue = {}
        self.error: WireError | None = None

    def right(self) -> Self:
        """The reader; raises its error if it has one."""
        if self.error is not None:
            raise self.error
        return self

    def fail(self, words: str, at: int | None = None) -> WireError:
        """An error at a place, or here."""
        return WireError(words, self.at if at is None else at, self.path)

    def take(self, end: int, kind: str, type_: str, value: Json = None) -> None:
        """Describe the bytes up to `end`, and go there."""
        if self.described:
            self.spans.append(Span(self.at, end, self.path, kind, type_, value))
        self.at = end

    def has(self, size: int) -> int:
        """The end of so many bytes. Raises WireError if there are fewer."""
        end = self.at + size
        if end > self.end:
            left = self.end - self.at
            there = f"{left or 'none'} {'is' if left == 1 else 'are'} left"
            raise self.fail(f"{some_bytes(size)} should be here, but {there}")
        return end

    def finish(self) -> None:
        """Raise WireError if bytes are left over."""
        count = self.end - self.at
        if count:
            left = f"{some_bytes(count)} {'is' if count == 1 else 'are'} left over"
            raise self.fail(f"the message ends here, but {left}")

    def number(self, type_: str, kind: str = "value") -> Any:
        """Read a value of a fixed size."""
        form = FORMS[type_]
        end = self.has(form.size)
        (value,) = form.unpack_from(self.data, self.at)
        if type_ == "FLOAT64" and not isfinite(value):
            value = "NaN" if isnan(value) else "Infinity" if value > 0 else "-Infinity"
        self.take(end, kind, type_, value)
        return value

    def varint(self, bits: int = 32) -> tuple[int, int]:
        """An unsigned varint, which may be longer than necessary, with its end; `at` stays."""
        at, value, shift = self.at, 0, 0
        while at < self.end:
            byte = self.data[at]
            at += 1
            value |= (byte & 0x7F) << shift
            if byte < 0x80:
                if value >> bits:
                    raise self.fail(f"this varint has more than {bits} bits")
                return value, at
            shift += 7
            if shift >= bits:
                raise self.fail(f"this varint has more than {-(-bits // 7)} bytes")
        raise self.fail("the bytes end within a varint")

    def unsigned(self, kind: str) -> int:
        """Read an unsigned varint."""
        value, end = self.varint()
        self.take(end, kind, _VARINT, value)
        return value

    def marker(self, is_tagged: bool) -> bool:
        """Read whether a struct is present: an INT8, or in a tagged field an unsigned varint
        (KIP-893)."""
        if is_tagged:
            number, end = self.varint()
            is_present, type_ = number > 0, _VARINT
        else:
            end = self.has(1)
            # Any negative number means null.
            is_present, type_ = self.data[self.at] < 0x80, "INT8"
        self.take(end, "marker" if is_present else "null", type_)
        return is_present

    def length(self, type_: str, nullable: bool, kind: str = "length") -> int | None:
        """Read the length or count before a value; None is null."""
        if type_.startswith("COMPACT_"):
            length, end = self.varint()
            length, form = length - 1, _VARINT
        else:
            form = "INT16" if type_.endswith("STRING") else "INT32"
            end = self.has(FORMS[form].size)
            (length,) = FORMS[form].unpack_from(self.data, self.at)
        if length < -1:
            raise self.fail(f"a length of {length}: -1 (null) is the only negative length")
        if length >= 0:
            self.take(end, kind, form, length)
            return length
        if not nullable:
            raise self.fail("null, but it is not nullable in this version")
        self.take(end, "null", form)
        return None

    def scalar(self, type_: str, nullable: bool) -> Json:
        """Read a value that is neither an array nor a struct."""
        if type_ in FORMS:
            return self.number(type_)
        value: Json
        if type_ == "UUID":
            end = self.has(16)
            value = uuid_text(self.data[self.at : end].hex())
            self.take(end, "value", type_, value)
            return value
        start, is_text = self.at, type_.endswith("STRING")
        size = self.length(type_, nullable)
        if size is None:
            return None
        if is_text and size > MAX_STRING:
            raise self.fail(f"a string of {size} bytes; the limit is {MAX_STRING}", start)
        end = self.has(size)
        content = self.data[self.at : end]
        try:
            value = content.decode() if is_text else content.hex()
        except UnicodeDecodeError as bad:
            raise self.fail("these bytes are not UTF-8", self.at + bad.start) from None
        if size:
            self.take(end, "value", type_, value)
        return value


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


def _write_scalar(out: bytearray, type_: str, nullable: bool, value: Any) -> None:
    if type_ in FORMS:
        out += FORMS[type_].pack(fixed(type_, value))
    elif value is None and nullable:
        _write_length(out, type_, None)
    elif type_ == "UUID":
        digits = value.replace("-", "") if type(value) is str else ""
        if len(digits) != 32 or not HEX.issuperset(digits) or value != uuid_text(digits):
            raise WireError(expected("a uuid as 8-4-4-4-12 hex digits", value))
        out += bytes.fromhex(digits)
    else:
        bytes_of = text_bytes if type_.endswith("STRING") else hex_bytes
        data = bytes_of(value, nullable)
        _write_length(out, type_, len(data))
        out += data


def text_bytes(value: Any, nullable: bool = False) -> bytes:
    """The bytes of a string. Raises WireError."""
    if type(value) is not str:
        raise WireError(expected("a string", value, nullable))
    try:
        data = value.encode()
    except UnicodeEncodeError:
        words = "this string has half of a surrogate pair, which UTF-8 cannot encode"
        raise WireError(words) from None
    if len(data) > MAX_STRING:
        raise WireError(f"a string of {len(data)} bytes; the limit is {MAX_STRING}")
    return data


def hex_bytes(value: Any, nullable: bool = False) -> bytes:
    """The bytes of a value in hex. Raises WireError."""
    if type(value) is not str or len(value) % 2 or not HEX.issuperset(value):
        raise WireError(expected("bytes in hex", value, nullable))
    return bytes.fromhex(value)


def fixed(type_: str, value: Any) -> Any:
    """A value that a type of fixed size can hold. Raises WireError for any other."""
    if type_ == "BOOLEAN":
        if type(value) is not bool:
            raise WireError(expected("true or false", value))
    elif type_ == "FLOAT64":
        if value in ("NaN", "Infinity", "-Infinity"):  # JSON has no numbers for them
            return float(value)
        if type(value) not in (float, int):
            raise WireError(expected("a number", value))
        if not abs(value) <= float_info.max:  # such as 1e400
            raise WireError("this number does not fit FLOAT64")
        return float(value)
    elif type(value) is not int:
        raise WireError(expected("a whole number", value))
    else:
        lowest, highest = INTEGERS[type_]
        if not lowest <= value <= highest:
            raise WireError(f"{shown(value)} does not fit {type_} ({lowest} to {highest})")
    return value


def no_such_field(name: object, names: Sequence[str]) -> WireError:
    """The error for a name that is not that of a field, with at most two that are like it."""
    near = get_close_matches(str(name), names, n=2)
    hint = f"; did you mean {' or '.join(near)}?" if near else ""
    return WireError(f"there is no such field{hint}", path=str(name)[:80])


def _is_default(of: LayoutField | Field, value: Any) -> bool:
    """Whether Kafka takes a value for the default: structs by their fields, -0 as 0."""
    default = default_value(of) if isinstance(of, Field) else of.default
    if isinstance(default, dict) and isinstance(value, Mapping):
        fields: Sequence[LayoutField | Field] = of.fields or ()
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
