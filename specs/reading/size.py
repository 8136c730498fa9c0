"""The size of a message, counting each struct wherever it is used; rejects messages that are too large."""

from __future__ import annotations

from typing import NamedTuple

from wirebook.specs.limits import MAX_FIELDS, MAX_LAID_OUT, MAX_LISTED, MAX_PATHS, MAX_STRUCT_DEPTH
from wirebook.specs.model import Field, Message, Struct
from wirebook.specs.problems import InputError, Position


class _Size(NamedTuple):
    """The size of a struct with everything below it: number of fields, length of their paths, depth, and the
    values that its fields list.
    """

    fields: int
    paths: int
    depth: int
    values: int


class _Declared(NamedTuple):
    """The fields that a node declares: the message itself, a common struct, or `holder`."""

    order: int
    fields: tuple[Field, ...]
    holder: Message | Struct | Field


def refuse_too_large(message: Message) -> None:
    """Raise InputError, with the position, if a message is above the limits of `specs/limits.py`.

    A struct is measured only once, however often it is used, so the time is linear in the size of the text.
    """
    valid = message.valid_versions
    fields = _Measurement(message).number_of_fields()
    if fields * len(valid) > MAX_LAID_OUT:
        words = f"{fields:,} fields in {len(valid):,} versions are above the limit of {MAX_LAID_OUT:,} in all"
        if valid.open:
            words += '; name the last version, as in "0-9"'
        raise _error(message, words, message.written.at("validVersions"))


class _Measurement:
    """Measures the structs of a message: their sizes by their order, and the path to the current one."""

    def __init__(self, message: Message) -> None:
        self.message = message
        self.common = {struct.name: struct for struct in reversed(message.common_structs)}
        self.sizes: dict[int, _Size] = {}
        self.path: set[int] = set()

    def number_of_fields(self) -> int:
        """The number of all fields of the message. Raises InputError if a struct is too large."""
        message = self.message
        top = _Declared(message.written.order, message.fields, message)
        shared = (_Declared(struct.written.order, struct.fields, struct) for struct in self.common.values())
        for root in (top, *shared):
            self.measure(root)
        return self.sizes[top.order].fields

    def measure(self, struct: _Declared) -> None:
        """Measure a struct, after those below it. Their depth is limited, so recursion is safe."""
        if struct.order in self.sizes:
            return
        self.path.add(struct.order)
        if len(self.path) > MAX_STRUCT_DEPTH + 1:
            raise _too_deep(self.message, struct)
        below = [inner for inner in map(self.inside, struct.fields) if inner is not None]
        for inner in reversed(below):
            # A struct that contains itself has no layout: it counts up to its recurrence.
            if inner.order not in self.path:
                self.measure(inner)
        self.sizes[struct.order] = self.size_of(struct)
        self.path.remove(struct.order)

    def inside(self, field: Field) -> _Declared | None:
        """The fields of a struct that a field contains; None if it contains none."""
        if field.fields:
            return _Declared(field.written.order, field.fields, field)
        shared = self.common.get(field.element)
        return None if shared is None else _Declared(shared.written.order, shared.fields, field)

    def size_of(self, struct: _Declared) -> _Size:
        """The size of a struct from those below it. Raises InputError if it is too large."""
        fields = paths = depth = values = 0
        for field in struct.fields:
            inner = self.inside(field)
            size = None if inner is None else self.sizes.get(inner.order)
            number = 1 if size is None else 1 + size.fields
            fields += number
            paths += number * (len(field.name) + 1)
            values += len(field.values)
            if size is not None:
                paths += size.paths
                values += size.values
                depth = max(depth, size.depth)
            elif inner is not None and len(self.common) > MAX_STRUCT_DEPTH:
                words = f"{field.element} contains itself, with over {MAX_STRUCT_DEPTH} common structs"
                raise _error(self.message, words, field.written.at("type"))
        if depth > MAX_STRUCT_DEPTH:
            raise _too_deep(self.message, struct)
        if fields > MAX_FIELDS:
            words = f"more than {MAX_FIELDS:,} fields, those of a struct counted wherever it is used"
            raise _error(self.message, words, _position(struct))
        if paths > MAX_PATHS:
            words = f"the paths of the fields in this are longer than {MAX_PATHS:,} characters together"
            raise _error(self.message, words, _position(struct))
        if values > MAX_LISTED:
            words = f"more than {MAX_LISTED:,} values, those of a struct counted wherever it is used"
            raise _error(self.message, words, _position(struct))
        return _Size(fields, paths, depth + 1, values)


def _too_deep(message: Message, struct: _Declared) -> InputError:
    return _error(
        message, f"more than {MAX_STRUCT_DEPTH} structs contain each other in turn", _position(struct)
    )


def _position(struct: _Declared) -> Position:
    holder = struct.holder
    return holder.written.at("fields" if isinstance(holder, Message) else "name")


def _error(message: Message, words: str, at: Position) -> InputError:
    return InputError(words, message.path or None, at)
