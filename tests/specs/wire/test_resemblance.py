"""How much two states of a protocol resemble each other."""

from __future__ import annotations

from wirebook.specs.wire.resemblance import Bits, LayoutItem, LayoutKey, difference, origins


def state(text: str) -> list[LayoutItem]:
    """Versions of one message with their bytes: "0a 1b"."""
    return [LayoutItem(LayoutKey("api:1", "request", int(word[0])), word[1]) for word in text.split()]


def test_versions_are_the_same_if_their_bytes_are() -> None:
    here, there = state("0a 1b 2c"), state("1b 2d 3e")
    bits = Bits([*here, *there])
    found = difference(bits.mask(here), bits.mask(there))
    assert (found.same, found.other, found.own, found.missing, found.differing) == (1, 1, 1, 1, 3)


def test_the_origins_have_most_of_a_state_and_little_else() -> None:
    states = [
        state(text) for text in ("0a 1b", "0a", "0a 1b 2c 3d 4e", "0a 1b 2c 3d", "0a 1x", "0a 1b 2y 3d")
    ]
    bits = Bits(item for each in states for item in each)
    masks = [bits.mask(each) for each in states]
    numbers, least = origins(masks[0], masks[1:])
    assert (numbers, least.same, least.missing) == ([2, 4], 2, 2)
