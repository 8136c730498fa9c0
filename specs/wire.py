"""Values to bytes and back, by a layout: one codec for each, prepared once, no code per message."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from struct import Struct, error
from typing import TYPE_CHECKING, Any, Protocol

from specs.layout import Layout, layout
from specs.model import Field, Json, Message
from specs.reader import read_message
from specs.registry import embedded_source
from specs.wire_scalars import (
    FIXED,
    HEX,
    Parts,
    Read,
    WireError,
    Write,
    check_fixed,
    expected,
    left_over,
    lengths,
    read_unsigned,
    scalar,
    short,
    shown,
    some_bytes,
    write_unsigned,
)

if TYPE_CHECKING:
    from specs.spans import Span

UNKNOWN = "@unknownTaggedFields"
MAX_EMPTY = 65_536  # elements that take no byte: nothing on the wire bounds their number
WORTHWHILE = 30  # messages after which reading at speed is worth its preparation

Value = dict[str, Json]


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


def _array(shape: Shape, flexible: bool, others: Others) -> Parts:
    read_count, write_count, least = lengths(shape.type)
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
            raise WireError(expected("a list", value, nullable))
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
                f"{count} elements take at least {some_bytes(count * size)}, but {len(data) - end} are left",
                at,
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
                raise short(data, at, 1)
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
            raise WireError(expected("an object", value, False))
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
                check_fixed(field.type, item)
            except WireError as bad:
                raise bad.below(field.name) from None
        raise AssertionError("a fixed field that neither fits nor fails")

    if len(run) == 1:
        only = names[0]

        def read(data: bytes, at: int, value: dict[str, Any]) -> int:
            try:
                value[only] = unpack(data, at)[0]
            except error:
                raise short(data, at, size).below(only) from None
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
            return short(data, at, size).below(field.name)
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
                f"{count} tagged fields take at least {some_bytes(count * 2)}, but {len(data) - at} are left",
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
                raise short(data, at, size).below(tagged[tag].name if tag in tagged else f"tag {tag}")
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
                    raise WireError(f"it takes {some_bytes(end - at)}, but its size says {size}", at)
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
            raise WireError(expected("a list", given, False))
        seen = set()
        for place, item in enumerate(given):
            try:
                if not isinstance(item, dict) or item.keys() != {"tag", "data"}:
                    raise WireError('an object with "tag" and "data" is expected')
                tag, data = item["tag"], item["data"]
                if type(tag) is not int or not 0 <= tag <= 0xFFFFFFFF:
                    raise WireError(f"{shown(tag)} is no tag").below("tag")
                if type(data) is not str or len(data) % 2 or not HEX.issuperset(data):
                    raise WireError(expected("bytes in hex", data, False)).below("data")
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
