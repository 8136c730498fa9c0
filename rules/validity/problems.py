"""The problems that the reader reports in a file, as hits with their place and severity."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from operator import itemgetter

from wirebook.rules.pairs import walk_fields
from wirebook.rules.rule import Hit
from wirebook.rules.severity import Severity
from wirebook.specs.model import Message, SourceNode
from wirebook.specs.problems import Position, ProblemKind


def reported(
    message: Message, kind: ProblemKind, fix: str, severity: Severity | None = None
) -> Iterator[Hit]:
    """A hit for every problem of that kind; the key distinguishes several at one field.

    Without `severity`, the severity is the reader's.
    """
    problems = [problem for problem in message.problems if problem.kind is kind]
    places = _places(message) if problems else {}
    for problem in problems:
        path = _path(places.get(problem.position.imported, ()), problem.position)
        yield Hit(
            f"{path or message.name or 'this message'}: {problem.message}",
            fix,
            at=problem.position,
            severity=severity
            or (Severity.WARNING if problem.severity == "warning" else Severity.ERROR),
            path=path,
            discriminator=problem.key,
            meant=problem.meant,
        )


def unusable(message: Message) -> bool:
    """Whether the reader could not parse some value, so that rules that depend on it must be
    skipped."""
    return any(problem.severity == "unusable" for problem in message.problems)


def _places(message: Message) -> dict[str | None, list[tuple[Position, str]]]:
    """The positions of the nodes of a message and of their values, in text order, with their paths.

    They are by the imported file that they are in, None for the spec itself.
    """
    nodes: list[tuple[SourceNode, str]] = [(message.written, "")]
    nodes += [(entry.written, "") for entry in message.history]
    nodes += [(struct.written, struct.name) for struct in message.common_structs]
    nodes += [(member.field.written, member.path) for member in walk_fields(message)]
    places: dict[str | None, list[tuple[Position, str]]] = {}
    for written, path in nodes:
        for offset in (written.offset, *written.offsets.values()):
            position = written.lines.position(offset)
            places.setdefault(position.imported, []).append((position, path))
    return {file: sorted(each, key=itemgetter(0)) for file, each in places.items()}


def _path(places: Sequence[tuple[Position, str]], position: Position) -> str:
    """The path of the field or struct with the node or the value at a place, or the key before a
    value."""
    number = bisect_left(places, position, key=itemgetter(0))
    return places[number][1] if number < len(places) else ""
