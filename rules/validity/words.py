"""The words that a spec may use where it names a thing, and the nearest of them to a wrong one."""

from __future__ import annotations

import re
from collections.abc import Sequence

from wirebook.specs.model import PRIMITIVES, Field

STRUCT_NAME = re.compile(r"[A-Z][A-Za-z0-9]*", re.ASCII)
FIELD_NAME = re.compile(r"[A-Za-z][A-Za-z0-9]*", re.ASCII)


def names_struct(item: Field) -> bool:
    """Whether the type of a field, or of its elements, reads as the name of a struct."""
    return item.element not in PRIMITIVES and STRUCT_NAME.fullmatch(item.element) is not None


def one_of(word: str, known: Sequence[str]) -> str:
    """What to write instead of a word that is not known: the nearest that is, or all of them."""
    from difflib import get_close_matches

    near = get_close_matches(word, known, 1)
    return f'write "{near[0]}"' if near else f"write one of {', '.join(known)}"
