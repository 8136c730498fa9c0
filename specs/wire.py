"""Values to bytes and back, by a layout: one codec for each, prepared once, no code per message."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from math import isfinite, isnan
from struct import Struct, error
from typing import TYPE_CHECKING, Any, Protocol

from specs.layout import INTEGERS, Layout, layout
from specs.model import Field, Json, Message
from specs.reader import read_message
from specs.registry import embedded_source

if TYPE_CHECKING:
    from specs.spans import Span

UNKNOWN = "@unknownTaggedFields"
MAX_STRING = 32_767  # bytes, in the compact form too (wire facts: Type.java)
MAX_EMPTY = 65_536  # elements that take no byte: nothing on the wire bounds their number
WORTHWHILE = 30  # messages after which reading at speed is worth its preparation

Value = dict[str, Json]
Read = Callable[[bytes, int], tuple[Any, int]]
Write = Callable[[bytearray, Any], None]

# How the struct module calls each wire type that is of one size and needs no look at its value.
FIXED = {
    "BOOLEAN": "?",
    "INT8": "b",
    "INT16": "h",
    "UINT16": "H",
    "INT32": "i",
    "UINT32": "I",
    "INT64": "q",
}
_INT16, _INT32, _FLOAT = Struct(">h"), Struct(">i"), Struct(">d")
_HEX = frozenset("0123456789abcdefABCDEF")


class WireError(ValueError):
    """Bytes or a value that the layout does not allow, with the path of the field and, for bytes, where.

    `path` is "" for the message as a whole, else like Topics[2].Partitions[0].Index.
    """

    def __init__(self, message: str, offset: int | None = None, path: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.offset = offset
        self.path = path

    def below(self, name: str) -> WireError:
        """The same, as seen from one level above."""
        join = "." if self.path and not self.path.startswith("[") else ""
        self.path = f"{name}{join}{self.path}"
        return self

    def __str__(self) -> str:
        where = f"byte {self.offset}: " if self.offset is not None else ""
        return f"{where}{self.path}: {self.message}" if self.path else f"{where}{self.message}"


class Shape(Protocol):
    """What the codec needs of a field; LayoutField has it, and so has a field of the export form."""

    @property
    def name(self) -> str: ...
    @property
    def path(self) -> str: ...
    @property
    def type(self) -> str: ...
    @property
    def element(self) -> str | None: ...
    @property
    def nullable(self) -> bool: ...
    @property
    def tag(self) -> int | None: ...
    @property
    def default(self) -> Json: ...
    @property
    def fields(self) -> Sequence[Shape] | None: ...


class Codec:
    """Writes and reads one message at one version."""

    def __init__(self, fields: Sequence[Shape], flexible: bool, others: Others | None = None) -> None:
        self.fields = fields
        self.flexible = flexible
        self._others = others or Others()
        self._write, self._read, _ = _struct(fields, flexible, self._others)
        self._reader: Callable[[bytes], Value] = self._first
        self._slow = WORTHWHILE

    def encode(self, value: Mapping[str, Json]) -> bytes:
        """The bytes of a value; what it leaves out takes its default. Raises WireError."""
        out = bytearray()
        self._write(out, value)
        return bytes(out)

    def decode(self, data: bytes) -> Value:
        """The value of all of `data`. Raises WireError, also where bytes are left over.

        A tagged field that is not there is left out, as in Kafka's own JSON form: it reads as its default.
        """
        return self._reader(data)

    def decode_from(self, data: bytes, offset: int = 0) -> tuple[Value, int]:
        """The value that begins at `offset`, and where it ends. Raises WireError."""
        value: Value
        value, end = self._read(bytes(data), offset)
        return value, end

    def _first(self, data: bytes) -> Value:
        self._slow -= 1
        if not self._slow:
            from specs.wire_compiled import compiled

            self._reader = compiled(self.fields, self.flexible, self._others, self._steps)
        return self._steps(data)

    def _steps(self, data: bytes) -> Value:
        value, end = self.decode_from(data)
        if end != len(data):
            raise left_over(data, end)
        return value

    def explain(self, data: bytes) -> list[Span]:
        """What each byte of a message is, in order and without a gap (specs.spans). Raises WireError."""
        from specs.spans import spans

        self.decode(data)
        return spans(self.fields, self.flexible, bytes(data))


_codecs: dict[int, tuple[Layout, Codec]] = {}


def codec(layout: Layout) -> Codec:
    """The codec of a layout, made when it is first asked for."""
    known = _codecs.get(id(layout))
    if known is not None and known[0] is layout:
        return known[1]
    if len(_codecs) >= 4096:
        _codecs.clear()
    made = Codec(layout.fields, layout.flexible, Others.of(layout))
    _codecs[id(layout)] = (layout, made)
    return made


def codec_from_json(document: Mapping[str, Any]) -> Codec:
    """The codec of a layout in the form of `wirebook export` (wirebook/layout/1).

    What only other versions know is not in that form, so a name of theirs is just unknown.
    """
    return Codec([_Exported.of(field) for field in document["fields"]], document["flexible"])


_headers: dict[tuple[str, int], Layout] = {}


def header_layout(message_type: str, header_version: int) -> Layout:
    """The layout of the header ("request" or "response") in a version that `Layout.header_version` names."""
    key = (message_type, header_version)
    if key not in _headers:
        path = embedded_source() / f"{message_type.capitalize()}Header.json"
        _headers[key] = layout(read_message(path.read_bytes(), path.name), header_version)
    return _headers[key]


@dataclass(frozen=True, slots=True)
class _Exported:
    name: str
    path: str
    type: str
    element: str | None
    nullable: bool
    tag: int | None
    default: Json
    fields: Sequence[_Exported] | None

    @classmethod
    def of(cls, field: Mapping[str, Any]) -> _Exported:
        inner = field["fields"]
        return cls(
            field["name"],
            field["path"],
            field["type"],
            field.get("element"),
            field["nullable"],
            field["tag"],
            field["default"],
            None if inner is None else [cls.of(item) for item in inner],
        )


@dataclass(frozen=True, slots=True)
class Others:
    """What the other versions of a struct have: fields that are not in this one, by name and by tag."""

    names: Mapping[str, Field] | None = None
    tags: Mapping[int, str] | None = None
    message: Message | None = None
    fields: Mapping[str, Field] | None = None

    @classmethod
    def of(cls, layout: Layout) -> Others:
        """Those at the top of a message."""
        return cls.among(layout.message.fields, layout.fields, layout.message)

    @classmethod
    def among(cls, fields: Sequence[Field], present: Sequence[Shape], message: Message) -> Others:
        here = {field.name for field in present}
        tags = {field.tag for field in present}
        return cls(
            {field.name: field for field in fields if field.name not in here},
            {item.tag: item.name for item in fields if item.tag is not None and item.tag not in tags},
            message,
            {field.name: field for field in fields},
        )

    def below(self, name: str, present: Sequence[Shape]) -> Others:
        """Those of the struct in the field of that name."""
        if self.message is None or self.fields is None:
            return self
        return Others.among(_inner_fields(self.fields[name], self.message), present, self.message)


def _bytes(count: int) -> str:
    return "1 byte" if count == 1 else f"{count} bytes"


def left_over(data: bytes, end: int) -> WireError:
    """The error for a message that ends before its bytes do."""
    count = len(data) - end
    return WireError(
        f"the message ends here, but {_bytes(count)} {'is' if count == 1 else 'are'} left over", end
    )


def _short(data: bytes, at: int, needed: int) -> WireError:
    left = max(len(data) - at, 0)
    return WireError(
        f"{_bytes(needed)} should be here, but {left or 'none'} {'is' if left == 1 else 'are'} left", at
    )


# Whole numbers of variable length


def read_unsigned(data: bytes, at: int) -> tuple[int, int]:
    """An unsigned varint of up to 32 bits, and where it ends; one that is longer than it need be is read.

    Raises WireError where it does not end, or says more than 32 bits.
    """
    start = at
    try:
        byte = data[at]
        at += 1
        if byte < 0x80:
            return byte, at
        value, shift = byte & 0x7F, 7
        while True:
            byte = data[at]
            at += 1
            value |= (byte & 0x7F) << shift
            if byte < 0x80:
                break
            shift += 7
            if shift > 28:
                raise WireError("a varint has at most 5 bytes, and this one goes on", start)
    except IndexError:
        raise WireError("the bytes end within a varint", start) from None
    if value > 0xFFFFFFFF:
        raise WireError("this varint has more than 32 bits", start)
    return value, at


def write_unsigned(out: bytearray, value: int) -> None:
    """Append an unsigned varint, in its shortest form."""
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)


# Lengths and counts: (read, write, least bytes); None is null


def _int16_length(data: bytes, at: int) -> tuple[int | None, int]:
    try:
        length = _INT16.unpack_from(data, at)[0]
    except error:
        raise _short(data, at, 2) from None
    if length < -1:
        raise WireError(f"a length of {length}: only -1 (null) may be below 0", at)
    return (None if length < 0 else length), at + 2


def _int32_length(data: bytes, at: int) -> tuple[int | None, int]:
    try:
        length = _INT32.unpack_from(data, at)[0]
    except error:
        raise _short(data, at, 4) from None
    if length < -1:
        raise WireError(f"a length of {length}: only -1 (null) may be below 0", at)
    return (None if length < 0 else length), at + 4


def _compact_length(data: bytes, at: int) -> tuple[int | None, int]:
    length, end = read_unsigned(data, at)
    return (length - 1 if length else None), end


def _lengths(type_: str) -> tuple[Callable[[bytes, int], tuple[int | None, int]], Write, int]:
    """How the length of a type is read and written, and how many bytes it takes at least."""
    if type_.startswith("COMPACT_"):
        return (
            _compact_length,
            lambda out, length: write_unsigned(out, 0 if length is None else length + 1),
            1,
        )
    form, size, read = (_INT16, 2, _int16_length) if type_.endswith("STRING") else (_INT32, 4, _int32_length)
    return read, lambda out, length: out.extend(form.pack(-1 if length is None else length)), size


# Types: each gives (write, read, least bytes)

Parts = tuple[Write, Read, int]


def _string(type_: str, nullable: bool) -> Parts:
    read_length, write_length, least = _lengths(type_)

    def write(out: bytearray, value: Any) -> None:
        if value is None and nullable:
            write_length(out, None)
            return
        if type(value) is not str:
            raise WireError(_expected("a text", value, nullable))
        try:
            text = value.encode()
        except UnicodeEncodeError:
            raise WireError("this text has half a surrogate pair, which UTF-8 cannot hold") from None
        if len(text) > MAX_STRING:
            raise WireError(f"this text takes {len(text)} bytes; {MAX_STRING} is the most")
        write_length(out, len(text))
        out += text

    def read(data: bytes, at: int) -> tuple[Any, int]:
        length, start = read_length(data, at)
        if length is None:
            if nullable:
                return None, start
            raise WireError("null, but it is not nullable in this version", at)
        if length > MAX_STRING:
            raise WireError(f"a text of {length} bytes; {MAX_STRING} is the most", at)
        end = start + length
        if end > len(data):
            raise _short(data, start, length)
        try:
            return data[start:end].decode(), end
        except UnicodeDecodeError as bad:
            raise WireError("this is no UTF-8", start + bad.start) from None

    return write, read, least


def _blob(type_: str, nullable: bool) -> Parts:
    read_length, write_length, least = _lengths(type_)

    def write(out: bytearray, value: Any) -> None:
        if value is None and nullable:
            write_length(out, None)
            return
        if type(value) is not str or len(value) % 2 or not _HEX.issuperset(value):
            raise WireError(_expected("bytes in hex", value, nullable))
        write_length(out, len(value) // 2)
        out += bytes.fromhex(value)

    def read(data: bytes, at: int) -> tuple[Any, int]:
        length, start = read_length(data, at)
        if length is None:
            if nullable:
                return None, start
            raise WireError("null, but it is not nullable in this version", at)
        end = start + length
        if end > len(data):
            raise _short(data, start, length)
        return data[start:end].hex(), end

    return write, read, least


def _write_uuid(out: bytearray, value: Any) -> None:
    digits = value.replace("-", "") if type(value) is str and len(value) == 36 else ""
    if len(digits) != 32 or not _HEX.issuperset(digits) or value != uuid_text(digits, value):
        raise WireError(_expected("a uuid as 8-4-4-4-12 hex digits", value, False))
    out += bytes.fromhex(digits)


def uuid_text(digits: str, _: str = "") -> str:
    """32 hex digits as 8-4-4-4-12."""
    return f"{digits[:8]}-{digits[8:12]}-{digits[12:16]}-{digits[16:20]}-{digits[20:]}"


def _read_uuid(data: bytes, at: int) -> tuple[str, int]:
    end = at + 16
    if end > len(data):
        raise _short(data, at, 16)
    return uuid_text(data[at:end].hex()), end


def _write_float(out: bytearray, value: Any) -> None:
    if value in ("NaN", "Infinity", "-Infinity"):  # JSON has no numbers for them
        value = float(value)
    elif type(value) is float and not isfinite(value):  # such as 1e400
        raise WireError("this number does not fit FLOAT64")
    if type(value) not in (float, int):
        raise WireError(_expected("a number", value, False))
    try:
        out += _FLOAT.pack(value)
    except OverflowError:
        raise WireError(f"{value} does not fit FLOAT64") from None


def _read_float(data: bytes, at: int) -> tuple[float | str, int]:
    try:
        value = _FLOAT.unpack_from(data, at)[0]
    except error:
        raise _short(data, at, 8) from None
    if isfinite(value):
        return value, at + 8
    return "NaN" if isnan(value) else "Infinity" if value > 0 else "-Infinity", at + 8


def _fixed(type_: str) -> Parts:
    form = Struct(">" + FIXED[type_])
    size = form.size

    def write(out: bytearray, value: Any) -> None:
        _check_fixed(type_, value)
        out += form.pack(value)

    def read(data: bytes, at: int) -> tuple[Any, int]:
        try:
            return form.unpack_from(data, at)[0], at + size
        except error:
            raise _short(data, at, size) from None

    return write, read, size


def _check_fixed(type_: str, value: Any) -> None:
    if type_ == "BOOLEAN":
        if type(value) is not bool:
            raise WireError(_expected("true or false", value, False))
        return
    if type(value) is not int:
        raise WireError(_expected("a whole number", value, False))
    lowest, highest = INTEGERS[type_]
    if not lowest <= value <= highest:
        raise WireError(f"{_shown(value)} does not fit {type_} ({lowest} to {highest})")


def _expected(what: str, value: Any, nullable: bool) -> str:
    if value is None:
        return f"{what} is expected; it is not nullable in this version"
    return f"{what}{' or null' if nullable else ''} is expected, not {_shown(value)}"


def _shown(value: Any) -> str:
    text = repr(value) if not isinstance(value, str) else f'"{value[:41]}"'
    kind = {dict: "an object", list: "a list", bool: str(value).lower()}.get(type(value))
    return kind or (text if len(text) <= 40 else f"{text[:37]}…")


def scalar(type_: str, nullable: bool) -> Parts:
    """How a type that is neither array nor struct is written and read, and its least number of bytes."""
    if type_ in FIXED:
        return _fixed(type_)
    if type_ == "UUID":
        return _write_uuid, _read_uuid, 16
    if type_ == "FLOAT64":
        return _write_float, _read_float, 8
    return (_string if type_.endswith("STRING") else _blob)(type_, nullable)


def _array(shape: Shape, flexible: bool, others: Others) -> Parts:
    read_count, write_count, least = _lengths(shape.type)
    nullable = shape.nullable
    if shape.fields is not None:
        inner = _struct(shape.fields, flexible, others.below(shape.name, shape.fields))
    else:
        assert shape.element is not None
        inner = scalar(shape.element, False)
    write_one, read_one, size = inner

    def write(out: bytearray, value: Any) -> None:
        if value is None and nullable:
            write_count(out, None)
            return
        if not isinstance(value, list):
            raise WireError(_expected("a list", value, nullable))
        write_count(out, len(value))
        place = 0
        try:
            for item in value:
                write_one(out, item)
                place += 1
        except WireError as bad:
            raise bad.below(f"[{place}]") from None

    def read(data: bytes, at: int) -> tuple[Any, int]:
        count, end = read_count(data, at)
        if count is None:
            if nullable:
                return None, end
            raise WireError("null, but it is not nullable in this version", at)
        if count * size > len(data) - end:
            raise WireError(
                f"{count} elements take at least {_bytes(count * size)}, but {len(data) - end} are left", at
            )
        if not size and count > MAX_EMPTY:
            raise WireError(f"{count} elements without a byte; {MAX_EMPTY} is the most", at)
        items: list[Any] = []
        try:
            for _ in range(count):
                item, end = read_one(data, end)
                items.append(item)
        except WireError as bad:
            raise bad.below(f"[{len(items)}]") from None
        return items, end

    return write, read, least


def _nullable_struct(inner: Parts, tagged: bool) -> Parts:
    """A struct behind its marker: an INT8, or within a tagged field an unsigned varint (KIP-893)."""
    write_one, read_one, _ = inner
    absent, present = (b"\x00", b"\x01") if tagged else (b"\xff", b"\x01")

    def write(out: bytearray, value: Any) -> None:
        if value is None:
            out += absent
            return
        out += present
        write_one(out, value)

    def read(data: bytes, at: int) -> tuple[Any, int]:
        if tagged:
            marker, end = read_unsigned(data, at)
            if not marker:
                return None, end
        else:
            if at >= len(data):
                raise _short(data, at, 1)
            end = at + 1
            if data[at] > 0x7F:  # below 0: readers ask for no more
                return None, end
        return read_one(data, end)

    return write, read, 1


def _of(shape: Shape, flexible: bool, others: Others) -> Parts:
    if shape.element is not None:
        return _array(shape, flexible, others)
    if shape.fields is None:
        return scalar(shape.type, shape.nullable)
    inner = _struct(shape.fields, flexible, others.below(shape.name, shape.fields))
    return _nullable_struct(inner, shape.tag is not None) if shape.nullable else inner


# Structs


def _runs(fields: Sequence[Shape]) -> Iterator[list[Shape]]:
    """The untagged fields, with neighbours of fixed size together: they are read and written at once."""
    run: list[Shape] = []
    for field in fields:
        if field.tag is not None:
            continue
        if field.type in FIXED:
            run.append(field)
            continue
        if run:
            yield run
            run = []
        yield [field]
    if run:
        yield run


def _struct(fields: Sequence[Shape], flexible: bool, others: Others) -> Parts:
    writes: list[Callable[[bytearray, Mapping[str, Any]], None]] = []
    reads: list[Callable[[bytes, int, dict[str, Any]], int]] = []
    least = 0
    for run in _runs(fields):
        if run[0].type in FIXED:
            write, read, size = _run_steps(run)
        else:
            write, read, size = _field_steps(run[0], _of(run[0], flexible, others))
        writes.append(write)
        reads.append(read)
        least += size
    if flexible:
        tagged = _by_tag(fields, others)
        writes.append(_tag_writer(tagged, others))
        reads.append(_tag_reader(tagged, others))
        least += 1
    known = frozenset(field.name for field in fields) | ({UNKNOWN} if flexible else set())

    def write_all(out: bytearray, value: Any) -> None:
        if not isinstance(value, Mapping):
            raise WireError(_expected("an object", value, False))
        if not known.issuperset(value):
            _refuse(value, known, others)
        for step in writes:
            step(out, value)

    def read_all(data: bytes, at: int) -> tuple[Any, int]:
        value: dict[str, Any] = {}
        for step in reads:
            at = step(data, at, value)
        return value, at

    return write_all, read_all, least


def _refuse(value: Mapping[str, Any], known: frozenset[str], others: Others) -> None:
    """Raise for a name that is not there; what another version has may be left out where that is sound."""
    for name in value:
        if name in known:
            continue
        other = (others.names or {}).get(name)
        if other is None:
            if name == UNKNOWN:
                if value[name] == []:
                    continue
                raise WireError("this version is not flexible: it has no tagged section", path=UNKNOWN)
            near = difflib.get_close_matches(str(name), [*known, *(others.names or ())], n=2)
            hint = f"; did you mean {' or '.join(near)}?" if near else ""
            raise WireError(f"there is no such field{hint}", path=str(name)[:80])
        if not other.ignorable and not _is_default(other, value[name], others.message):
            raise WireError(
                f"this version does not have it (versions {other.versions}), and it is not ignorable",
                path=str(name),
            )


def _is_default(field: Field, value: Any, message: Message | None) -> bool:
    """Whether Kafka sees no difference: a struct in any version's fields, 0 and -0 as equal."""
    from specs.layout import default_value

    default = default_value(field)
    if isinstance(default, dict) and isinstance(value, Mapping):
        inner = {item.name: item for item in _inner_fields(field, message)}
        return not value.get(UNKNOWN) and all(
            name in inner and _is_default(inner[name], item, message)
            for name, item in value.items()
            if name != UNKNOWN
        )
    same = type(value) is type(default) or (type(default), type(value)) == (float, int)
    return bool(same and value == default)


def _inner_fields(field: Field, message: Message | None) -> Sequence[Field]:
    """The fields of its struct, in all versions."""
    if field.fields or message is None:
        return field.fields or ()
    shared = [item for item in message.common_structs if item.name == field.element]
    return shared[0].fields if shared else ()


def _run_steps(
    run: Sequence[Shape],
) -> tuple[Callable[[bytearray, Mapping[str, Any]], None], Callable[[bytes, int, dict[str, Any]], int], int]:
    names = [field.name for field in run]
    pairs = [(field.name, field.default) for field in run]
    kinds = [bool if field.type == "BOOLEAN" else int for field in run]
    form = Struct(">" + "".join(FIXED[field.type] for field in run))
    size, pack, unpack = form.size, form.pack, form.unpack_from

    def write(out: bytearray, value: Mapping[str, Any]) -> None:
        given = [value.get(name, default) for name, default in pairs]
        try:
            if [*map(type, given)] == kinds:
                out += pack(*given)
                return
        except error:
            pass
        for field, item in zip(run, given, strict=True):
            try:
                _check_fixed(field.type, item)
            except WireError as bad:
                raise bad.below(field.name) from None
        raise AssertionError("a fixed field that neither fits nor fails")

    if len(run) == 1:
        only = names[0]

        def read(data: bytes, at: int, value: dict[str, Any]) -> int:
            try:
                value[only] = unpack(data, at)[0]
            except error:
                raise _short(data, at, size).below(only) from None
            return at + size
    else:

        def read(data: bytes, at: int, value: dict[str, Any]) -> int:
            try:
                value.update(zip(names, unpack(data, at), strict=True))
            except error:
                raise _cut(run, data, at) from None
            return at + size

    return write, read, size


def _cut(run: Sequence[Shape], data: bytes, at: int) -> WireError:
    """The error of the first field of a run that is not all there."""
    for field in run:
        size = Struct(">" + FIXED[field.type]).size
        if at + size > len(data):
            return _short(data, at, size).below(field.name)
        at += size
    raise AssertionError("a run that is all there was not read")


def _field_steps(
    shape: Shape, parts: Parts
) -> tuple[Callable[[bytearray, Mapping[str, Any]], None], Callable[[bytes, int, dict[str, Any]], int], int]:
    write_one, read_one, size = parts
    name, default = shape.name, shape.default

    def write(out: bytearray, value: Mapping[str, Any]) -> None:
        try:
            write_one(out, value.get(name, default))
        except WireError as bad:
            raise bad.below(name) from None

    def read(data: bytes, at: int, value: dict[str, Any]) -> int:
        try:
            value[name], at = read_one(data, at)
        except WireError as bad:
            raise bad.below(name) from None
        return at

    return write, read, size


# Tagged sections (KIP-482)


@dataclass(frozen=True, slots=True)
class _Tagged:
    name: str
    tag: int
    write: Write
    read: Read
    default: bytes  # what an absent one would be
    empty: bool  # an absent one is null
    same: Callable[[Any], bool] | None  # where bytes do not tell whether it is its default


TagReader = Callable[[bytes, int, dict[str, Any]], int]


def tag_reader(fields: Sequence[Shape], others: Others) -> TagReader:
    """What reads the tagged section of a struct into a value, and says where it ends."""
    return _tag_reader(_by_tag(fields, others), others)


def _by_tag(fields: Sequence[Shape], others: Others) -> dict[int, _Tagged]:
    return {field.tag: _tagged(field, others) for field in fields if field.tag is not None}


def _tag_writer(
    tagged: Mapping[int, _Tagged], others: Others
) -> Callable[[bytearray, Mapping[str, Any]], None]:
    foreign = others.tags or {}

    def write(out: bytearray, value: Mapping[str, Any]) -> None:
        section: list[tuple[int, bytes]] = []
        for item in tagged.values():
            if item.name not in value:
                continue
            given = value[item.name]
            if given is None and item.empty:
                continue
            content = bytearray()
            try:
                item.write(content, given)
            except WireError as bad:
                raise bad.below(item.name) from None
            if not item.same(given) if item.same else content != item.default:
                section.append((item.tag, bytes(content)))
        if UNKNOWN in value:
            section += _unknown(value[UNKNOWN], tagged, foreign)
            section.sort()
        write_unsigned(out, len(section))
        for tag, data in section:
            write_unsigned(out, tag)
            write_unsigned(out, len(data))
            out += data

    return write


def _tag_reader(tagged: Mapping[int, _Tagged], others: Others) -> TagReader:
    foreign = others.tags or {}

    def read(data: bytes, at: int, value: dict[str, Any]) -> int:
        start = at
        count, at = read_unsigned(data, at)
        if not count:
            return at
        if count * 2 > len(data) - at:
            raise WireError(
                f"{count} tagged fields take at least {_bytes(count * 2)}, but {len(data) - at} are left",
                start,
            )
        found: dict[int, Any] = {}
        unknown: list[tuple[int, str]] = []
        for _ in range(count):
            place = at
            tag, at = read_unsigned(data, at)
            if tag in found:
                raise WireError(f"tag {tag} comes twice", place)
            size, at = read_unsigned(data, at)
            if size > len(data) - at:
                raise _short(data, at, size).below(tagged[tag].name if tag in tagged else f"tag {tag}")
            known = tagged.get(tag)
            if known is None:
                if tag in foreign:
                    raise WireError(f"tag {tag} is {foreign[tag]}, which this version does not have", place)
                found[tag] = None
                unknown.append((tag, data[at : at + size].hex()))
                at += size
                continue
            try:
                found[tag], end = known.read(data, at)
                if end != at + size:
                    raise WireError(f"it takes {_bytes(end - at)}, but its size says {size}", at)
            except WireError as bad:
                raise bad.below(known.name) from None
            at = end
        for item in tagged.values():
            if item.tag in found:
                value[item.name] = found[item.tag]
        if unknown:
            value[UNKNOWN] = [{"tag": tag, "data": text} for tag, text in sorted(unknown)]
        return at

    return read


def _tagged(shape: Shape, others: Others) -> _Tagged:
    write, read, _ = _of(shape, True, others)
    default = bytearray()
    try:
        write(default, shape.default)
    except WireError:
        # A default that its type does not take (records without null) is equal to no value.
        default.clear()
    field = (others.fields or {}).get(shape.name)
    same = None
    if field is not None and shape.element is None and (shape.fields is not None or shape.type == "FLOAT64"):
        same = partial(_is_default, field, message=others.message)
    assert shape.tag is not None
    return _Tagged(shape.name, shape.tag, write, read, bytes(default), shape.default is None, same)


def _unknown(
    given: Any, by_tag: Mapping[int, _Tagged], foreign: Mapping[int, str]
) -> Iterator[tuple[int, bytes]]:
    """The unknown tagged fields of a value, as it lists them: [{"tag": 5, "data": "beef"}]."""
    try:
        if not isinstance(given, list):
            raise WireError(_expected("a list", given, False))
        seen = set()
        for place, item in enumerate(given):
            try:
                if not isinstance(item, dict) or item.keys() != {"tag", "data"}:
                    raise WireError('an object with "tag" and "data" is expected')
                tag, data = item["tag"], item["data"]
                if type(tag) is not int or not 0 <= tag <= 0xFFFFFFFF:
                    raise WireError(f"{_shown(tag)} is no tag").below("tag")
                if type(data) is not str or len(data) % 2 or not _HEX.issuperset(data):
                    raise WireError(_expected("bytes in hex", data, False)).below("data")
                if tag in seen:
                    raise WireError(f"tag {tag} comes twice")
                if tag in by_tag or tag in foreign:
                    name = by_tag[tag].name if tag in by_tag else foreign[tag]
                    raise WireError(f"tag {tag} is not unknown: it is {name}")
                seen.add(tag)
            except WireError as bad:
                raise bad.below(f"[{place}]") from None
            yield tag, bytes.fromhex(data)
    except WireError as bad:
        raise bad.below(UNKNOWN) from None
