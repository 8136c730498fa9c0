"""Limits what one decode creates: values in memory must not outgrow the bytes that they come from."""

from __future__ import annotations

from wirebook.specs.limits import MAX_EMPTY


class Budget:
    """What one decode may still create without bytes on the wire, wherever in the message.

    Every other value takes at least a byte, so the input limits their number. A struct takes only the bytes
    of its fields: elements of an array may take none, and structs within each other share theirs.
    """

    __slots__ = ("structs",)

    def __init__(self, size: int) -> None:
        """The budget of a message of `size` bytes."""
        self.structs = MAX_EMPTY + size

    def spend(self, structs: int) -> bool:
        """Count structs without bytes of their own, and return whether there may be as many."""
        self.structs -= structs
        return self.structs >= 0


TOO_MANY = (
    f"more than {MAX_EMPTY:,} structs without bytes of their own, and one for each byte, in one message"
)
