"""What the reader reports of a file, as hits: where each problem belongs, and how bad it is."""

from __future__ import annotations

from collections.abc import Iterator

from wirebook.rules.finding import Severity
from wirebook.rules.pairs.pairs import Hit, walk_fields
from wirebook.specs.model import Message, Written
from wirebook.specs.problems import Position

# What is said of several keys of one object, a finding each.
OF_KEYS = ("duplicate-key", "unknown-key", "wrong-type")


def reported(message: Message, code: str, fix: str, severity: Severity | None = None) -> Iterator[Hit]:
    """A hit for every problem of that code; without `severity`, as bad as the reader says."""
    for problem in message.problems:
        if problem.code != code:
            continue
        path = _path(message, problem.position)
        # Lines move when others are added: they tell no finding from another.
        said = problem.message.partition(" (first in line")[0]
        yield Hit(
            f"{path or message.name or 'this message'}: {said}",
            fix,
            at=problem.position,
            severity=severity or (Severity.WARNING if problem.severity == "warning" else Severity.ERROR),
            path=path,
            subject=_key(said) if code in OF_KEYS else "",
        )


def _key(said: str) -> str:
    """The key that a sentence names first, in quotes."""
    parts = said.split('"')
    return parts[1] if len(parts) > 2 else ""


def unusable(message: Message) -> bool:
    """Whether the reader could not make out some value: what depends on it is then not judged."""
    return any(problem.severity == "unusable" for problem in message.problems)


def _path(message: Message, position: Position) -> str:
    """The path of the field or struct with the node or the value at a place, or the key before a value."""
    best: tuple[Position, str] | None = None
    nodes: list[tuple[Written, str]] = [(message.written, "")]
    nodes += [(entry.written, "") for entry in message.history]
    nodes += [(struct.written, struct.name) for struct in message.common_structs]
    nodes += [(item.field.written, item.path) for item in walk_fields(message)]
    for written, path in nodes:
        for offset in (written.offset, *written.offsets.values()):
            at = written.lines.position(offset)
            if at >= position and (best is None or at < best[0]):
                best = (at, path)
    return best[1] if best else ""
