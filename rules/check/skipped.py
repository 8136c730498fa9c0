"""Reports specs that moved into a skipped folder as moved, not as deleted."""

from __future__ import annotations

from collections.abc import Sequence

from wirebook.rules.check.scope import Scope
from wirebook.rules.finding import Finding
from wirebook.specs.reading.discovery import candidate, skipped_folder
from wirebook.specs.sources.filesets import FileSet

DELETED = "message-deleted"


def reported_as_moved(findings: Sequence[Finding], scope: Scope, new: FileSet) -> list[Finding]:
    """The findings; a deletion is reported as a move if a skipped folder has a file of the same name.

    All paths of the new side are listed only if a message is deleted.
    """
    if new.every_path is None or not any(finding.rule == DELETED for finding in findings):
        return list(findings)
    places: dict[str, str] = {}
    for path in sorted(new.every_path()):
        if not candidate(path, tests=scope.tests):
            places.setdefault(path.rpartition("/")[2], path)
    return [_moved(finding, places, scope.tests) for finding in findings]


def _moved(finding: Finding, places: dict[str, str], tests: bool) -> Finding:
    if finding.rule != DELETED or finding.previous is None:
        return finding
    path = places.get(finding.previous.path.rpartition("/")[2])
    folder = "" if path is None else next((f for f in path.split("/")[:-1] if skipped_folder(f, tests)), "")
    if not folder:
        return finding
    fix = "move it to a folder that is not skipped"
    if not skipped_folder(folder, True):
        fix += ', or name its folder in "paths"'
    return finding._replace(
        message=f"{finding.message_name} moved to {path}, and {folder} is a skipped "
        "folder, which is not checked",
        fix=fix,
    )
