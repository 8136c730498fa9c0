"""Which values of a record count when two of them are compared: not its place in a text, for
instance."""

from collections.abc import Callable
from typing import Any, NamedTuple, TypeVar

Record = TypeVar("Record", bound=type[NamedTuple])


def compared(first: str, before: str | None = None) -> Callable[[Record], Record]:
    """Compare records of a NamedTuple by their values from that named `first` up to that named
    `before`."""

    def decorate(record: Record) -> Record:
        names = record._fields
        part = slice(names.index(first), None if before is None else names.index(before))

        def equal(self: tuple[Any, ...], other: object) -> bool:
            return isinstance(other, record) and self[part] == other[part]

        def unequal(self: tuple[Any, ...], other: object) -> bool:
            return not (isinstance(other, record) and self[part] == other[part])

        def digest(self: tuple[Any, ...]) -> int:
            return hash(self[part])

        def shown(self: tuple[Any, ...]) -> str:
            return f"<{record.__name__} {getattr(self, first)}>"

        methods = {"__eq__": equal, "__ne__": unequal, "__hash__": digest, "__repr__": shown}
        for name, method in methods.items():
            setattr(record, name, method)
        return record

    return decorate
