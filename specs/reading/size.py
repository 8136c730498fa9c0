"""The size of a message, counting each struct wherever it is used; rejects messages that are too large."""

from __future__ import annotations

from typing import NamedTuple

from wirebook.specs.limits import MAX_FIELDS, MAX_LAID_OUT, MAX_PATHS, MAX_STRUCT_DEPTH
from wirebook.specs.model import Field, Message, Struct
from wirebook.specs.problems import InputError, Position


class _Size(NamedTuple):
    """The size of a struct with everything below it: number of fields, length of their paths, and depth."""

    fields: int
    paths: int
    depth: int


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
    fields = _measure(message)
    if fields * len(valid) > MAX_LAID_OUT:
        words = f"{fields:,} fields in {len(valid):,} versions are above the limit of {MAX_LAID_OUT:,} in all"
        if valid.open:
            words += '; name the last version, as in "0-9"'
        raise _error(message, words, message.written.at("validVersions"))


def _measure(message: Message) -> int:
    """The number of all fields of a message. Raises InputError if a struct is too large."""
    common = {struct.name: struct for struct in reversed(message.common_structs)}

    def inside(item: Field) -> _Declared | None:
        if item.fields:
            return _Declared(item.written.order, item.fields, item)
        shared = common.get(item.element)
        return None if shared is None else _Declared(shared.written.order, shared.fields, item)

    top = _Declared(message.written.order, message.fields, message)
    roots = [top, *(_Declared(struct.written.order, struct.fields, struct) for struct in common.values())]
    sizes: dict[int, _Size] = {}
    for root in roots:
        waiting, begun = [root], set[int]()
        while waiting:
            this = waiting[-1]
            if this.order in sizes:
                waiting.pop()
                continue
            if this.order not in begun:
                begun.add(this.order)
                if len(begun) > MAX_STRUCT_DEPTH + 1:
                    raise _too_deep(message, this)
                below = [part for part in map(inside, this.fields) if part is not None]
                # A struct that contains itself has no layout: it counts up to its recurrence.
                more = [part for part in below if part.order not in sizes and part.order not in begun]
                if more:
                    waiting += more
                    continue
            fields = paths = depth = 0
            for item in this.fields:
                part = inside(item)
                size = None if part is None else sizes.get(part.order)
                number = 1 if size is None else 1 + size.fields
                fields += number
                paths += number * (len(item.name) + 1)
                if size is not None:
                    paths += size.paths
                    depth = max(depth, size.depth)
                elif part is not None and len(common) > MAX_STRUCT_DEPTH:
                    words = f"{item.element} contains itself, with over {MAX_STRUCT_DEPTH} common structs"
                    raise _error(message, words, item.written.at("type"))
            sizes[this.order] = _Size(fields, paths, depth + 1)
            if depth > MAX_STRUCT_DEPTH:
                raise _too_deep(message, this)
            if fields > MAX_FIELDS:
                words = f"more than {MAX_FIELDS:,} fields, those of a struct counted wherever it is used"
                raise _error(message, words, _place(this))
            if paths > MAX_PATHS:
                words = f"the paths of the fields in this are longer than {MAX_PATHS:,} characters together"
                raise _error(message, words, _place(this))
            begun.remove(this.order)
            waiting.pop()
    return sizes[top.order].fields


def _too_deep(message: Message, this: _Declared) -> InputError:
    return _error(message, f"more than {MAX_STRUCT_DEPTH} structs contain each other in turn", _place(this))


def _place(this: _Declared) -> Position:
    holder = this.holder
    return holder.written.at("fields" if isinstance(holder, Message) else "name")


def _error(message: Message, words: str, at: Position) -> InputError:
    return InputError(words, message.path or None, at)
