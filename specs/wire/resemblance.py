"""How much two states of a protocol resemble each other: which versions of messages have the same bytes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from wirebook.specs.model import Message
from wirebook.specs.subjects import part_of, subject_of
from wirebook.specs.wire.layout import layouts


class LayoutKey(NamedTuple):
    """A version of a message, by what identifies the message in every repository."""

    subject: str
    part: str
    version: int


class LayoutItem(NamedTuple):
    """A version of a message with its bytes."""

    place: LayoutKey
    fingerprint: str


def items_of_message(message: Message) -> list[LayoutItem]:
    """The versions of a message with their bytes. Raises InputError for one that has no layout."""
    subject, part = subject_of(message), part_of(message)
    return [
        LayoutItem(LayoutKey(subject, part, layout.version), layout.wire_fingerprint)
        for layout in layouts(message)
    ]


class Bits:
    """Numbers items and places, so that a state is two integers: one bit for each that it has.

    All that are compared share the numbers. Comparing two states is then counting bits.
    """

    def __init__(self, items: Iterable[LayoutItem]) -> None:
        self.items = {item: number for number, item in enumerate(sorted(set(items)))}
        self.places = {
            place: number for number, place in enumerate(sorted({item.place for item in self.items}))
        }

    def mask(self, items: Iterable[LayoutItem]) -> Mask:
        """The bits of some items."""
        distinct = {*items}
        return Mask(
            _mask(self.items[item] for item in distinct), _mask(self.places[item.place] for item in distinct)
        )


class Mask(NamedTuple):
    """A state as bits: its items, and the places of these."""

    items: int
    places: int


class StateDifference(NamedTuple):
    """How many versions of messages have the same bytes in two states, other bytes, or are in only one."""

    same: int
    other: int
    own: int
    missing: int

    @property
    def differing(self) -> int:
        """The versions that do not have the same bytes in both."""
        return self.other + self.own + self.missing


def difference(state: Mask, reference: Mask) -> StateDifference:
    """The difference between a state and one of the reference."""
    same = (state.items & reference.items).bit_count()
    return StateDifference(
        same,
        (state.places & reference.places).bit_count() - same,
        (state.places & ~reference.places).bit_count(),
        (reference.places & ~state.places).bit_count(),
    )


def origins(state: Mask, references: Sequence[Mask]) -> tuple[list[int], StateDifference]:
    """The numbers of the references that have most of a state, and of these those with the least beside it;
    and how much the state differs from them.

    What a state lacks says little of where the rest is from: a library may need few messages of a protocol.
    """
    differences = [difference(state, reference) for reference in references]
    ranks = [(-each.same, each.missing) for each in differences]
    best = min(ranks)
    numbers = [number for number, each in enumerate(ranks) if each == best]
    return numbers, differences[numbers[0]]


def _mask(numbers: Iterable[int]) -> int:
    bits = 0
    for number in numbers:
        bits |= 1 << number
    return bits
