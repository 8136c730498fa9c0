"""Text of a spec made safe to print: whatever could steer a terminal or hide is written out."""

from __future__ import annotations

_BIDI = {*range(0x202A, 0x202F), *range(0x2066, 0x206A), 0x200E, 0x200F, 0x061C}


def visible(text: str) -> str:
    """Text of a spec without anything that moves a cursor, hides or reorders: such characters as \\uXXXX.

    The result has no line end and no lone surrogate, so that it is one line and any UTF-8 file can hold it.
    """
    if text.isprintable() and text.isascii():
        return text
    return "".join(
        character
        if (character.isprintable() and ord(character) not in _BIDI) or character == " "
        else f"\\u{ord(character):04x}"
        for character in text
    )
