"""Extracts notes from the comments of a message: its purpose, and what each version changed."""

from __future__ import annotations

import re

from wirebook.specs.model import Message

# A note begins a line with "Version 3", "Versions 1-3", "Versions 1, 2 and 3" or "Starting in
# version 2". A wrapped line that begins with a lower-case "version 2" does not begin a note.
_START = re.compile(
    r"(?:Version|Versions|(?:Starting|Beginning) (?:in|from|with) [Vv]ersions?)\s+"
    r"(?P<first>\d{1,5})\+?(?:\s*(?:-|–|to|through)\s*(?P<last>\d{1,5})"
    r"|(?P<more>(?:\s*,\s*(?:and\s+)?\d{1,5})*(?:\s+and\s+(?:version\s+)?\d{1,5})?))"
)


def version_notes(message: Message) -> dict[int, list[str]]:
    """What the message's own comments say about each version: lines of plain, untrusted text."""
    notes: dict[int, list[str]] = {}
    for text, versions in _parts(message):
        for version in versions:
            notes.setdefault(version, []).append(text)
    return notes


def purpose(message: Message) -> str:
    """The description of the message, or else the part of its comments that is about no version."""
    return message.purpose or "\n\n".join(
        text for text, versions in _parts(message) if not versions
    )


def _parts(message: Message) -> list[tuple[str, list[int]]]:
    """The parts of the comments, each with the versions that it is about."""
    parts: list[tuple[list[str], list[int]]] = []
    for paragraph in message.written.comments:
        parts.append(([], []))
        for line in paragraph.split("\n"):
            match = _START.match(line)
            if match is not None:
                parts.append(([], _versions(match)))
            parts[-1][0].append(line)
    return [(" ".join(lines), versions) for lines, versions in parts if lines]


def _versions(match: re.Match[str]) -> list[int]:
    first = int(match["first"])
    if match["last"]:
        last = int(match["last"])
        return list(range(first, last + 1)) if first <= last < first + 100 else [first]
    return [first, *(int(number) for number in re.findall(r"\d+", match["more"] or ""))]
