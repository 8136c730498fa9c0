"""Messages to bytes and back, for any layout: a reader that describes each byte, and a writer."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from difflib import get_close_matches
from functools import cache
from operator import itemgetter
from struct import Struct as Form
from sys import float_info
from typing import Any, Self, TypeAlias

from wirebook.specs.defaults import INTEGERS, default_value
from wirebook.specs.layout import Layout, LayoutField
from wirebook.specs.limits import MAX_ELEMENTS, MAX_INT16
from wirebook.specs.model import Field, Json, MessageValue
from wirebook.specs.spans import (
    Span,
    WireError,
    expected,
    joined,
    shown,
    some_bytes,
    uuid_text,
    within,
)

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
    "UUID": Form("16s"),
}
VARINT = "UNSIGNED_VARINT"
_UUID = re.compile(r"[\da-fA-F]{8}(-[\da-fA-F]{4}){3}-[\da-fA-F]{12}", re.ASCII)
_BITS = {VARINT: 32, "VARINT": 32, "VARLONG": 64}  # the last two, of records, are signed: zigzag
_NUMBERS = FORMS.keys() | _BITS
# What JSON has no numbers for.
_NO_NUMBERS = {"nan": "NaN", "inf": "Infinity", "-inf": "-Infinity"}
_RANGES = {
    **INTEGERS,
    "BOOLEAN": (False, True),
    "FLOAT64": (-float_info.max, float_info.max),
    VARINT: INTEGERS["UINT32"],
    "VARINT": INTEGERS["INT32"],
    "VARLONG": INTEGERS["INT64"],
}
_KINDS = {"BOOLEAN": ("true or false", (bool,)), "FLOAT64": ("a number", (float, int))}
# What has fields.
_Struct: TypeAlias = Layout | LayoutField


def encode(of: Layout, value: Any, batches: Callable[[list[Json]], bytes] | None = None) -> bytes:
    """Encode a value; missing fields take their defaults. Raises WireError.

    Records are hex, or lists of batches, which `batches` writes.
    """
    return _Writer(of, batches).struct(of, value)


def decode(of: Layout, data: bytes) -> MessageValue:
    """Decode all of `data` to a value. Raises WireError, also if bytes are left over.

    An absent tagged field is left out, as in Kafka's own JSON form: its value is the default.
    """
    return read(of, data).right().value


def read(
    of: Layout,
    data: bytes,
    at: int = 0,
    *,
    whole: bool = True,
    batches: Callable[[bytes, str], Json] | None = None,
) -> Reader:
    """Read the message that begins at `at` as far as possible; if `whole`, it ends with the bytes.

    The result has the value, the spans, and the error if there is one: then, all is that of what
    precedes it, and `at` is its place. Records are hex, or what `batches` makes of them.
    """
    reader = Reader(data, at, len(data), MAX_ELEMENTS + len(data), of, batches)
    try:
        reader.struct(of, reader.value)
        if whole and reader.at < reader.end:
            raise reader.excess()
    except WireError as bad:
        reader.error = bad
        reader.at = bad.offset or 0
    return reader


def number_at(data: bytes, at: int = 0, size: int = 4) -> int:
    """The signed number in some bytes; without the bytes that are missing at the end."""
    return int.from_bytes(data[at : at + size], "big", signed=True)


@cache
def _length_type(type_: str) -> str:
    """The type of the length before a value; as an unsigned varint, it is one more."""
    if type_.startswith("COMPACT_"):
        return VARINT
    if type_.startswith("VARINT_"):
        return "VARINT"
    return "INT16" if type_.endswith("STRING") else "INT32"


def _declared(layout: Layout | None, of: _Struct) -> Sequence[Field]:
    """The fields of a message, or of a struct in it, in all versions, as far as they are known."""
    if isinstance(of, Layout):
        return of.message.fields
    return (layout.message.fields_of(of.field) if layout else ()) or ()


@dataclass(slots=True)
class Reader:
    """Reads values from `at` up to `end`; `path` is that of the bytes at `at`."""

    data: bytes
    at: int
    end: int
    most: int = 0  # structs in arrays
    layout: Layout | None = None
    batches: Callable[[bytes, str], Json] | None = None
    path: str = ""
    taken: list[tuple[int, int, str, str, str, Json]] = field(default_factory=list)
    value: MessageValue = field(default_factory=dict)
    error: WireError | None = None

    @property
    def spans(self) -> list[Span]:
        """What the bytes before `at` are."""
        return [Span(*each) for each in self.taken if each[1] <= self.at]

    def right(self) -> Self:
        """The reader; raises its error if it has one."""
        if self.error is not None:
            raise self.error
        return self

    def fail(self, words: str, at: int | None = None) -> WireError:
        """An error at a place, or here."""
        return WireError(words, self.at if at is None else at, self.path)

    def take(
        self, end: int, kind: str, type_: str, value: Json = None, path: str | None = None
    ) -> None:
        """Describe the bytes up to `end`, and go there."""
        self.taken.append((self.at, end, self.path if path is None else path, kind, type_, value))
        self.at = end

    def has(self, size: int) -> int:
        """The end of so many bytes. Raises WireError if there are fewer."""
        end = self.at + size
        if end > self.end:
            left = self.end - self.at
            there = f"{left or 'none'} {'is' if left == 1 else 'are'} left"
            raise self.fail(f"{some_bytes(size)} should be here, but {there}")
        return end

    def excess(self) -> WireError:
        """The error if bytes are left over."""
        count = self.end - self.at
        left = f"{some_bytes(count)} {'is' if count == 1 else 'are'} left over"
        return self.fail(f"the message ends here, but {left}")

    def next(self, type_: str) -> tuple[Any, int]:
        """The value of a fixed size, or the varint, that is here, and its end; `at` stays."""
        form = FORMS.get(type_)
        if form is not None:
            end = self.has(form.size)
            return form.unpack_from(self.data, self.at)[0], end
        value, bits = 0, _BITS[type_]
        for shift in range(0, bits, 7):
            at = self.at + shift // 7
            if at >= self.end:
                raise self.fail("the bytes end within a varint")
            value |= (self.data[at] & 0x7F) << shift
            if self.data[at] < 0x80:
                if value >> bits:
                    raise self.fail(f"this varint has more than {bits} bits")
                return value if type_ == VARINT else (value >> 1) ^ -(value & 1), at + 1
        raise self.fail(f"this varint has more than {-(-bits // 7)} bytes")

    def length(self, type_: str, nullable: bool, kind: str = "length") -> int | None:
        """Read the length or count before a value; None is null."""
        form = _length_type(type_)
        number, end = self.next(form)
        length: int | None = number - (form == VARINT)
        if number < -1:
            raise self.fail(f"a length of {length}: -1 (null) is the only negative length")
        if length == -1:
            if not nullable:
                raise self.fail("null, but it is not nullable in this version")
            kind, length = "null", None
        self.take(end, kind, form, length)
        return length

    def scalar(self, type_: str, nullable: bool = False, kind: str = "value") -> Any:
        """Read a value that is neither an array nor a struct."""
        if type_ in _NUMBERS:
            value, end = self.next(type_)
            if type_ == "UUID":
                value = uuid_text(value.hex())
            elif type_ == "FLOAT64":
                value = _NO_NUMBERS.get(str(value), value)
            self.take(end, kind, type_, value)
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
            self.take(end, kind, type_.removeprefix("VARINT_"), value)
        if self.batches is not None and type_.endswith("RECORDS"):
            return self.batches(content, self.path)
        return value

    def struct(self, of: _Struct, value: MessageValue) -> None:
        """Read the fields of a struct into `value`, which has all that precedes an error."""
        path = self.path
        dot = f"{path}." if path else ""
        for each in of.fields or ():
            if each.tag is None:
                self.path = dot + each.name
                self.member(each, value)
        self.path = path
        if self.layout is not None and self.layout.flexible:
            self.section(of, value)

    def member(self, of: LayoutField, value: MessageValue) -> None:
        """Read a field into the value of its struct."""
        if of.element is not None:
            path, count = self.path, self.length(of.type, of.nullable, "count")
            items: list[Json] = []
            value[of.name] = None if count is None else items
            for index in range(count or 0):
                self.path = f"{path}[{index}]"
                if of.fields is None:
                    items.append(self.scalar(of.element))
                    continue
                self.most -= 1
                if self.most < 0:
                    raise self.fail("there are too many elements before this one")
                item: MessageValue = {}
                items.append(item)
                self.struct(of, item)
        elif of.fields is None:
            value[of.name] = self.scalar(of.type, of.nullable)
        elif of.nullable and not self.marker(of.tag):
            value[of.name] = None
        else:
            content: MessageValue = {}
            value[of.name] = content
            self.struct(of, content)

    def marker(self, tag: int | None) -> bool:
        """Read whether a struct is present: an INT8, or as a tagged field a varint (KIP-893)."""
        type_, lowest = ("INT8", 0) if tag is None else (VARINT, 1)
        number, end = self.next(type_)
        self.take(end, "null" if number < lowest else "marker", type_)
        return bool(number >= lowest)

    def section(self, of: _Struct, value: MessageValue) -> None:
        """Read the tagged section of a struct (KIP-482): known fields, and unknown ones as hex."""
        path, fields = self.path, of.fields or ()
        tags: set[int] = set()
        unknown: list[MessageValue] = []
        for _ in range(self.scalar(VARINT, kind="tag-count")):
            start, (tag, end) = self.at, self.next(VARINT)
            if tag in tags:
                raise self.fail(f"tag {tag} appears twice")
            tags.add(tag)
            shape = next((each for each in fields if each.tag == tag), None)
            own = path if shape is None else joined(path, shape.name)
            self.take(end, "tag", VARINT, tag, own)
            size, end = self.next(VARINT)
            self.take(end, "tag-size", VARINT, size, own)
            self.path = joined(path, f"tag {tag}") if shape is None else own
            begin, end = self.at, self.has(size)
            if shape is not None:
                self.member(shape, value)
                if self.at != end:
                    self.path, taken = own, some_bytes(self.at - begin)
                    raise self.fail(
                        f"the value takes {taken}, but its size is given as {size}", begin
                    )
            self.path = path
            if shape is None:
                for other in _declared(self.layout, of):
                    if other.tag == tag:
                        words = f"tag {tag} is {other.name}, which this version does not have"
                        raise self.fail(words, start)
                content = self.data[begin:end].hex()
                unknown.append({"tag": tag, "data": content})
                value[UNKNOWN] = unknown
                if size:
                    self.take(end, "unknown", "BYTES", content)
        unknown.sort(key=itemgetter("tag"))


def length(type_: str, count: int) -> bytes:
    """The length or count before a value; -1 is null."""
    form = _length_type(type_)
    return scalar(form, count + (form == VARINT))


def scalar(type_: str, value: Any, nullable: bool = False) -> bytes:
    """The bytes of a value that is neither an array nor a struct. Raises WireError."""
    if type_ in FORMS:
        return FORMS[type_].pack(fitting(type_, value))
    if type_ in _BITS:
        number = fitting(type_, value)
        return varint(number if type_ == VARINT else (number << 1) ^ (number >> 63))
    if value is None and nullable:
        return length(type_, -1)
    data = _text(value, nullable) if type_.endswith("STRING") else from_hex(value, nullable)
    return length(type_, len(data)) + data


def varint(number: int) -> bytes:
    """A number of at least 0, seven bits a byte, the lowest first."""
    out = bytearray()
    while number > 0x7F:
        out.append(number & 0x7F | 0x80)
        number >>= 7
    out.append(number)
    return bytes(out)


def fitting(type_: str, value: Any) -> Any:
    """A value that a type can hold. Raises WireError for any other."""
    if type_ == "UUID":
        if type(value) is not str or not _UUID.fullmatch(value):
            raise WireError(expected("a uuid as 8-4-4-4-12 hex digits", value))
        return bytes.fromhex(value.replace("-", ""))
    if type_ == "FLOAT64" and value in _NO_NUMBERS.values():
        return float(value)
    what, kinds = _KINDS.get(type_, ("a whole number", (int,)))
    if type(value) not in kinds:
        raise WireError(expected(what, value))
    lowest, highest = _RANGES[type_]
    if not lowest <= value <= highest:
        raise WireError(f"{shown(value)} does not fit {type_} ({lowest} to {highest})")
    return value


def _text(value: Any, nullable: bool) -> bytes:
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


def from_hex(value: Any, nullable: bool = False) -> bytes:
    """The bytes of a value in hex. Raises WireError."""
    if type(value) is not str or len(value) % 2 or not HEX.issuperset(value):
        raise WireError(expected("bytes in hex", value, nullable))
    return bytes.fromhex(value)


def listed(value: Any, nullable: bool = False) -> list[Any]:
    """A value that has to be a list. Raises WireError."""
    if not isinstance(value, list):
        raise WireError(expected("a list", value, nullable))
    return value


def no_field(name: object, names: Iterable[str]) -> WireError:
    """The error for a name that is not that of a field, with at most two that are like it."""
    near = get_close_matches(str(name), list(names), n=2)
    hint = f"; did you mean {' or '.join(near)}?" if near else ""
    return WireError(f"there is no such field{hint}", path=str(name)[:80])


@dataclass(slots=True)
class _Writer:
    """Encodes the structs of a layout. Errors have the path from the struct that is encoded."""

    layout: Layout
    batches: Callable[[list[Json]], bytes] | None

    def struct(self, of: _Struct, value: Any) -> bytes:
        """The bytes of a struct."""
        if not isinstance(value, Mapping):
            raise WireError(expected("an object", value))
        fields = of.fields or ()
        own = {each.name for each in fields}
        for name in value:
            if name not in own:
                self.refuse(name, value[name], of)
        out = bytearray()
        for each in fields:
            if each.tag is None:
                try:
                    out += self.member(each, value.get(each.name, each.default))
                except WireError as bad:
                    raise bad.below(each.name) from None
        if self.layout.flexible:
            out += self.section(of, value)
        return bytes(out)

    def refuse(self, name: str, value: Any, of: _Struct) -> None:
        """Raise WireError for a name that this version lacks, unless it may be dropped: a field of
        other versions that is ignorable or has its default, as in Kafka's generated classes."""
        others = {each.name: each for each in _declared(self.layout, of)}
        if name == UNKNOWN:
            if value != [] and not self.layout.flexible:
                raise WireError("this version is not flexible: it has no tagged section", path=name)
        elif name not in others:
            raise no_field(name, {*others, *(each.name for each in of.fields or ())})
        elif not others[name].ignorable and not _is_default(others[name], value):
            raise WireError(
                f"this version does not have it (versions {others[name].versions}), "
                "and it is not ignorable",
                path=name,
            )

    def member(self, of: LayoutField, value: Any) -> bytes:
        """The bytes of a field."""
        if of.element is not None:
            return self.array(of, value)
        if of.fields is not None:
            if value is None and of.nullable:
                return b"\xff" if of.tag is None else b"\0"
            return (b"\1" if of.nullable else b"") + self.struct(of, value)
        if self.batches and isinstance(value, list) and of.type.endswith("RECORDS"):
            data = self.batches(value)
            return length(of.type, len(data)) + data
        return scalar(of.type, value, of.nullable)

    def array(self, of: LayoutField, value: Any) -> bytes:
        """The bytes of an array."""
        assert of.element is not None
        if value is None and of.nullable:
            return length(of.type, -1)
        items = listed(value, of.nullable)
        out = bytearray(length(of.type, len(items)))
        for index, item in enumerate(items):
            try:
                out += scalar(of.element, item) if of.fields is None else self.struct(of, item)
            except WireError as bad:
                raise bad.below(f"[{index}]") from None
        return bytes(out)

    def section(self, of: _Struct, value: Mapping[str, Any]) -> bytes:
        """The tagged section of a struct: the fields that have not their defaults, and unknown
        ones, which are listed as [{"tag": 5, "data": "beef"}]."""
        fields = of.fields or ()
        names = {each.tag: each.name for each in _declared(self.layout, of)}
        names |= {each.tag: each.name for each in fields}
        found: dict[int, bytes] = {}
        for each in fields:
            item = value.get(each.name, each.default)
            if each.tag is not None and not _is_default(each, item):
                with within(each.name):
                    found[each.tag] = self.member(each, item)
        with within(UNKNOWN):
            for index, entry in enumerate(listed(value.get(UNKNOWN, []))):
                with within(f"[{index}]"):
                    if not isinstance(entry, dict) or entry.keys() != {"tag", "data"}:
                        raise WireError('an object with "tag" and "data" is expected')
                    tag = fitting("UINT32", entry["tag"])
                    if tag in names:
                        raise WireError(f"tag {tag} is already that of {names[tag]}")
                    names[tag], found[tag] = f"{UNKNOWN}[{index}]", from_hex(entry["data"])
        out = bytearray(varint(len(found)))
        for tag, data in sorted(found.items()):
            out += varint(tag) + varint(len(data)) + data
        return bytes(out)


def _is_default(of: LayoutField | Field, value: Any) -> bool:
    """Whether Kafka takes a value for the default: structs by their fields, -0 as 0."""
    default = default_value(of) if isinstance(of, Field) else of.default
    if default == {} and isinstance(value, Mapping):
        fields: Sequence[LayoutField | Field] = of.fields or ()
        inner = {each.name: each for each in fields}
        return all(name in inner and _is_default(inner[name], item) for name, item in value.items())
    return type(value) in (type(default), int) and value == default
