"""Fast decoding: a layout compiled to one Python function, once it has been used often enough.

The function accepts only the canonical form. It raises an error for anything else, and the codec decodes the
bytes again step by step: the steps are as lenient as Kafka, and report errors with their position.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from struct import Struct, error, unpack_from
from typing import Any

from wirebook.specs.wire.budget import Budget
from wirebook.specs.wire.scalars import FIXED, MAX_STRING, read_unsigned, uuid_text
from wirebook.specs.wire.shape import Others, Shape, unpaid
from wirebook.specs.wire.steps import tag_reader

# Python can nest about twenty blocks, and large layouts are rare: both are left to the steps.
MAX_DEPTH = 6
MAX_LINES = 4_000

_FORMS = {**FIXED, "FLOAT64": "d", "UUID": "16s"}

Reader = Callable[[bytes], dict[str, Any]]


class TooLargeError(Exception):
    """Raised if the layout is too large to compile: the steps decode it."""


class ImproperError(ValueError):
    """Raised if the bytes are not in canonical form: the steps decode them."""


def compiled(fields: Sequence[Shape], flexible: bool, others: Others, steps: Reader) -> Reader:
    """Compile a function that decodes such a message; it calls `steps` for bytes not in canonical form."""
    source = _Source(flexible)
    try:
        value = source.struct(fields, others, 0)
    except TooLargeError:
        return steps
    lines = [
        "def read(data):",
        "    try:",
        "        n = len(data)",
        *source.lines,
        f"        if n == {source.place()}: return {value}",
        "    except gives_up: pass",
        "    return steps(data)",
    ]
    source.names |= {"gives_up": (ValueError, IndexError, error, AttributeError), "steps": steps}
    # A spec is untrusted: names of fields appear in the source only as literals.
    exec(compile("\n".join(lines), "<layout>", "exec"), source.names)
    function: Reader = source.names["read"]
    return function


class _Source:
    """The source of the function being built; the next byte is `skip` bytes after the variable `base`."""

    def __init__(self, flexible: bool) -> None:
        self.flexible = flexible
        self.lines: list[str] = []
        self.names: dict[str, Any] = {
            "Budget": Budget,  # nothing is spent of it: in a flexible version, every struct has bytes
            "ImproperError": ImproperError,
            "unsigned": read_unsigned,
            "uuid": _uuid,
            "long_decode": _long_text,
            "long_hex": _long_bytes,
            "unpack_from": unpack_from,
        }
        self.indent = 2
        self.count = 0
        self.base = ""
        self.skip = 0
        self.waiting: list[tuple[str, str]] = []  # fixed-size values read together: (variable, format)
        self.after: list[str] = []  # statements that use them afterwards

    def line(self, *texts: str) -> None:
        if len(self.lines) >= MAX_LINES:
            raise TooLargeError
        self.lines += ["    " * self.indent + text for text in texts]

    def new(self, letter: str = "v") -> str:
        self.count += 1
        return f"{letter}{self.count}"

    def place(self, more: int = 0) -> str:
        """The position of the next byte, or of one some bytes later."""
        far = self.skip + more
        if not self.base:
            return str(far)
        return f"{self.base} {'-' if far < 0 else '+'} {abs(far)}" if far else self.base

    def move(self, base: str) -> None:
        self.base, self.skip = base, 0

    def wait(self, form: str) -> str:
        """A variable for a fixed-size value, which is available after `flush`."""
        name = self.new()
        self.waiting.append((name, form))
        return name

    def flush(self) -> None:
        if not self.waiting:
            return
        form = "".join(each for _, each in self.waiting)
        names = ", ".join(name for name, _ in self.waiting)
        if form == "B":
            self.line(f"{names} = data[{self.place()}]")
        else:
            unpack = f"unpack_{form}".replace("?", "_")
            self.names[unpack] = Struct(f">{form}").unpack_from
            self.line(f"{names}{',' if len(self.waiting) == 1 else ''} = {unpack}(data, {self.place()})")
        self.skip += Struct(f">{form}").size
        self.line(*self.after)
        self.waiting, self.after = [], []

    def scalar(self, type_: str, nullable: bool) -> str:
        """Read a scalar; returns its variable, which for a fixed-size type is available after `flush`."""
        form = _FORMS.get(type_)
        if form is not None:
            name = self.wait(form)
            if type_ == "UUID":
                self.after.append(f"{name} = uuid({name})")
            elif type_ == "FLOAT64":
                self.after.append(f"if {name} - {name}: raise ImproperError")  # not finite
            return name
        compact = type_.startswith("COMPACT_")
        method = "decode" if type_.endswith("STRING") else "hex"
        length = self.wait("B" if compact else "h" if method == "decode" else "i")
        self.flush()
        value, end = self.new(), self.new("at")
        self.line(
            f"if 0 < {length} < 128:" if compact else f"if {length} >= 0:",
            f"    {end} = {self.place(-compact)} + {length}",
            f"    {value} = data[{self.place()}:{end}].{method}()",
        )
        if compact:
            self.line(f"elif {length}: {value}, {end} = long_{method}(data, {self.place(-1)})")
        if nullable:
            self.line(f"elif {length} == {0 if compact else -1}:")
            self.line(f"    {value} = None", f"    {end} = {self.place()}")
        self.line("else: raise ImproperError")
        self.move(end)
        return value

    def array(self, shape: Shape, others: Others, depth: int) -> str:
        if depth >= MAX_DEPTH:
            raise TooLargeError
        if shape.fields is not None and unpaid(shape.fields, self.flexible):
            raise TooLargeError  # only the steps count what takes no bytes
        compact = shape.type.startswith("COMPACT_")
        count = self.wait("B" if compact else "i")
        self.flush()
        value, at = self.new(), self.new("at")
        self.line(f"{at} = {self.place()}", f"if {count}{'' if compact else ' >= 0'}:")
        self.indent += 1
        if compact:
            self.line(f"if {count} > 127: {count}, {at} = unsigned(data, {self.place(-1)})", f"{count} -= 1")
            self.line(f"if {count} < 0: raise ImproperError")  # null, in more bytes than necessary
        self.move(at)
        form = _FORMS.get(shape.element or "")
        if form is not None and form not in ("d", "16s"):
            self.line(f"if {count} * {Struct(form).size} > n - {at}: raise ImproperError")
            few = f"few_{form}".replace("?", "_")
            self.names[few] = _few(form)
            self.line(
                f"{value} = [*({few}[{count}](data, {at}) if {count} < 10"
                f" else unpack_from(f'>{{{count}}}{form}', data, {at}))]"
            )
            self.line(f"{at} += {count} * {Struct(form).size}")
        else:
            self.line(f"if {count} > n - {at}: raise ImproperError", f"{value} = []")
            self.line(f"for _ in range({count}):")
            self.indent += 1
            if shape.fields is not None:
                element = self.struct(shape.fields, others.below(shape.name, shape.fields), depth + 1)
            else:
                assert shape.element is not None
                element = self.scalar(shape.element, False)
                self.flush()
            self.line(f"{value}.append({element})", f"{at} = {self.place()}")
            self.indent -= 1
        self.move(at)
        self.indent -= 1
        if shape.nullable:
            self.line(f"elif {count} == {0 if compact else -1}: {value} = None")
        self.line("else: raise ImproperError")
        return value

    def struct(self, fields: Sequence[Shape], others: Others, depth: int) -> str:
        """Read a struct; returns its variable."""
        pairs = [
            f"{shape.name!r}: {self.field(shape, others, depth)}" for shape in fields if shape.tag is None
        ]
        value = f"{{{', '.join(pairs)}}}"
        if not self.flexible:
            self.flush()
            return value
        tags = self.wait("B")
        self.flush()
        name, at = self.new(), self.new("at")
        self.line(f"{name} = {value}", f"{at} = {self.place()}", f"if {tags}:")
        self.indent += 1
        self.section(fields, others, depth, name, tags, at)
        self.indent -= 1
        self.move(at)
        return name

    def section(
        self, fields: Sequence[Shape], others: Others, depth: int, name: str, tags: str, at: str
    ) -> None:
        """Read tagged fields into the struct, if they are known and in order."""
        tagged = sorted((shape.tag, shape) for shape in fields if shape.tag is not None)
        reader = f"tags_{name}"
        self.names[reader] = tag_reader(fields, others)
        if depth >= MAX_DEPTH or not tagged or any(shape.type == "NULLABLE_STRUCT" for _, shape in tagged):
            self.line(f"{at} = {reader}(data, {self.place(-1)}, {name}, Budget(n))")
            return
        before, tag, size, end = self.new(), self.new(), self.new(), self.new()
        start = self.place(-1)
        self.line(f"{before} = -1", f"for _ in range({tags}):")
        self.indent += 1
        self.line(f"{tag} = data[{at}]", f"{size} = data[{at} + 1]")
        self.line(f"if {tag} > 127 or {size} > 127 or {tag} <= {before}: raise ImproperError")
        self.line(f"{before} = {tag}", f"{at} += 2", f"{end} = {at} + {size}")
        for place, (number, shape) in enumerate(tagged):
            self.move(at)
            self.line(f"{'elif' if place else 'if'} {tag} == {number}:")
            self.indent += 1
            value = self.field(shape, others, depth + 1)
            self.flush()
            self.line(f"{name}[{shape.name!r}] = {value}", f"{at} = {self.place()}")
            self.indent -= 1
        self.line("else:")
        # Unknown tags are rare: the steps read the whole section again.
        self.line(f"    {at} = {reader}(data, {start}, {name}, Budget(n))", "    break")
        self.line(f"if {at} != {end}: raise ImproperError")
        self.indent -= 1

    def field(self, shape: Shape, others: Others, depth: int) -> str:
        if shape.element is not None:
            return self.array(shape, others, depth)
        if shape.fields is None:
            return self.scalar(shape.type, shape.nullable)
        inner = others.below(shape.name, shape.fields)
        if not shape.nullable:
            return self.struct(shape.fields, inner, depth)
        if depth >= MAX_DEPTH or unpaid(shape.fields, self.flexible, 1):
            raise TooLargeError
        marker = self.wait("b")
        self.flush()
        value, at = self.new(), self.new("at")
        self.line(f"{value} = None", f"{at} = {self.place()}", f"if {marker} >= 0:")
        self.indent += 1
        self.line(f"{value} = {self.struct(shape.fields, inner, depth + 1)}", f"{at} = {self.place()}")
        self.indent -= 1
        self.move(at)
        return value


@lru_cache(4096)
def _uuid(data: bytes) -> str:
    """Cached, because messages repeat the uuids of a few topics."""
    return uuid_text(data.hex())


def _few(form: str) -> list[Callable[..., tuple[Any, ...]]]:
    return [Struct(f">{count}{form}").unpack_from for count in range(10)]


def _long_text(data: bytes, at: int) -> tuple[str, int]:
    length, at = read_unsigned(data, at)
    if not 0 < length <= MAX_STRING + 1:
        raise ImproperError
    end = at + length - 1
    return data[at:end].decode(), end


def _long_bytes(data: bytes, at: int) -> tuple[str, int]:
    length, at = read_unsigned(data, at)
    if not length:
        raise ImproperError
    end = at + length - 1
    return data[at:end].hex(), end
