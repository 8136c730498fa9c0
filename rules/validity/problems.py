"""The problems that the reader reports in a file, as hits with their place and severity."""

from collections.abc import Mapping

from wirebook.rules.pairs import walk_fields
from wirebook.rules.rule import Hit, Hits, Severity
from wirebook.specs.model import Message, SourceNode
from wirebook.specs.problems import Position, ProblemKind


def reported(
    message: Message, fixes: Mapping[ProblemKind, str], severity: Severity | None = None
) -> Hits:
    """A hit for every problem of these kinds; the key distinguishes several at one field.

    Without `severity`, the severity is the reader's.
    """
    for problem in message.problems:
        if problem.kind not in fixes:
            continue
        own = Severity.WARNING if problem.severity == "warning" else Severity.ERROR
        path = _path(message, problem.position)
        yield Hit(
            f"{path or message.name or 'this message'}: {problem.message}",
            fixes[problem.kind],
            at=problem.position,
            severity=severity or own,
            path=path,
            discriminator=problem.key or problem.kind,
            meant=problem.meant,
        )


def unusable(message: Message) -> bool:
    """Whether the reader could not parse some value, so that rules that depend on it must be
    skipped."""
    return any(problem.severity == "unusable" for problem in message.problems)


def _path(message: Message, at: Position) -> str:
    """The path of the field or struct with the value at a place, or before it."""
    nodes: list[tuple[SourceNode, str]] = [(message.written, "")]
    nodes += [(entry.written, "") for entry in message.history]
    nodes += [(struct.written, struct.name) for struct in message.common_structs]
    nodes += [(member.field.written, member.path) for member in walk_fields(message)]
    places = [
        (written.lines.position(offset), path)
        for written, path in nodes
        for offset in (written.offset, *written.offsets.values())
    ]
    following = [each for each in places if each[0].imported == at.imported and each[0] >= at]
    return min(following, default=(at, ""))[1]
