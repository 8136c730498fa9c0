"""The problems that the reader reports in a file, as hits with their place and severity."""

from collections.abc import Mapping

from wirebook.rules.rule import Hit, Hits, Severity
from wirebook.specs.model import Message
from wirebook.specs.problems import ProblemKind


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
        yield Hit(
            f"{problem.path or message.name or 'this message'}: {problem.message}",
            fixes[problem.kind],
            at=problem.place,
            severity=severity or own,
            path=problem.path,
            discriminator=problem.key or problem.kind,
            meant=problem.meant,
        )


def unusable(message: Message) -> bool:
    """Whether the reader could not parse some value, so that rules that depend on it must be
    skipped."""
    return any(problem.severity == "unusable" for problem in message.problems)
