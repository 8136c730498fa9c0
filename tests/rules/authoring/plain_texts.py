"""The texts of specs, written in random styles and read without wirebook."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from random import Random
from typing import Any

from tests.prove.protocols import NUMBER

_COMMENT = re.compile(r'("(?:[^"\\]|\\.)*")|//[^\r\n]*|/\*.*?\*/', re.DOTALL)


class Writer:
    """Writes JSON as people do: each comment once, objects of one or of several lines."""

    def __init__(self, random: Random) -> None:
        self.random = random
        self.newline = random.choice(("\n", "\n", "\r\n"))
        self.step = random.choice(("  ", "  ", "    ", "\t"))
        self.inline = random.randrange(4) > 0
        self.commented = random.choice((0, 3, 6))
        self.colon = random.choice((": ", ": ", ":", " : "))
        self.mark = random.choice(("", "", "", "\ufeff"))
        self.end = random.choice((self.newline, self.newline, ""))
        self.notes = 0

    def text(self, spec: Any) -> str:
        """The text of a spec."""
        head = f"// Licensed to whom it may concern.{self.newline}" if self.commented else ""
        return self.mark + head + self._value(spec, "") + self.end

    def _value(self, value: Any, indent: str) -> str:
        if not isinstance(value, dict | list) or not value:
            return json.dumps(value, ensure_ascii=False)
        inner = indent + self.step
        if isinstance(value, list):
            parts, brackets = [self._value(part, inner) for part in value], "[]"
        else:
            shown = {key: part for key, part in value.items() if key != NUMBER}
            brackets = "{}"
            parts = [
                f"{json.dumps(key)}{self.colon}{self._value(part, inner)}" for key, part in shown.items()
            ]
            is_flat = self.inline and not any(isinstance(part, dict | list) for part in shown.values())
            if is_flat and self.random.randrange(5):
                return "{ " + ", ".join(parts) + " }"
        lines = [
            f"{self._above(inner)}{inner}{part}{self._beside(last=number == len(parts) - 1)}"
            for number, part in enumerate(parts)
        ]
        return self.newline.join([brackets[0], *lines, indent + brackets[1]])

    def _above(self, indent: str) -> str:
        return f"{indent}// {self._note()}{self.newline}" if self._notes() else ""

    def _beside(self, *, last: bool) -> str:
        comma = "" if last else ","
        if not self._notes():
            return comma
        note = self._note()
        return self.random.choice((f"{comma} // {note}", f"{comma}// {note}", f" /* {note} */{comma}"))

    def _notes(self) -> bool:
        return self.commented > 0 and self.random.randrange(10) < self.commented // 3

    def _note(self) -> str:
        self.notes += 1
        return f'note {self.notes}: "tag": {self.notes}, {{'


def comments(text: str) -> list[str]:
    """The comments of a text, in order."""
    return [found[0] for found in _COMMENT.finditer(text) if found[1] is None]


def plain(text: str) -> Any:
    """What a text has, the last of two equal keys counting. Raises ValueError."""
    return json.loads(_COMMENT.sub(lambda found: found[1] or " ", text.removeprefix("\ufeff")), strict=False)


def leaves(node: Any, path: tuple[str | int, ...] = ()) -> Iterator[tuple[tuple[str | int, ...], Any]]:
    """Every value of a document that holds no other, with its path."""
    parts = node.items() if isinstance(node, dict) else enumerate(node) if isinstance(node, list) else ()
    if not isinstance(node, dict | list) or not node:
        yield path, node
    for key, part in parts:
        yield from leaves(part, (*path, key))
