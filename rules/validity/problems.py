"""What the reader reports of a file, as hits: where each problem belongs, and how bad it is."""

from __future__ import annotations

from collections.abc import Iterator

from wirebook.rules.finding import Severity
from wirebook.rules.pairs.walk import walk_fields
from wirebook.rules.rule import Hit
from wirebook.specs.model import Message, SourceNode
from wirebook.specs.problems import Position, ProblemKind


def reported(
    message: Message, kind: ProblemKind, fix: str, severity: Severity | None = None
) -> Iterator[Hit]:
    """A hit for every problem of that kind, distinguished from others at one field by its key.

    Without `severity` it is as severe as the reader reports it.
    """
    for problem in message.problems:
        if problem.kind is not kind:
            continue
        path = _path(message, problem.position)
        yield Hit(
            f"{path or message.name or 'this message'}: {problem.message}",
            fix,
            at=problem.position,
            severity=severity or (Severity.WARNING if problem.severity == "warning" else Severity.ERROR),
            path=path,
            discriminator=problem.key,
        )


def unusable(message: Message) -> bool:
    """Whether the reader could not make out some value: what depends on it is then not judged."""
    return any(problem.severity == "unusable" for problem in message.problems)


def _path(message: Message, position: Position) -> str:
    """The path of the field or struct with the node or the value at a place, or the key before a value."""
    best: tuple[Position, str] | None = None
    nodes: list[tuple[SourceNode, str]] = [(message.written, "")]
    nodes += [(entry.written, "") for entry in message.history]
    nodes += [(struct.written, struct.name) for struct in message.common_structs]
    nodes += [(item.field.written, item.path) for item in walk_fields(message)]
    for written, path in nodes:
        for offset in (written.offset, *written.offsets.values()):
            at = written.lines.position(offset)
            if at >= position and (best is None or at < best[0]):
                best = (at, path)
    return best[1] if best else ""
