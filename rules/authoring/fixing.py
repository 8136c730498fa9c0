"""Mechanical fixes of findings: the resulting texts, and writing them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from wirebook.rules.finding import Finding, Repair, Severity
from wirebook.specs.files import rewrite
from wirebook.specs.problems import InputError
from wirebook.specs.reading.editing import Edit, append, apply, set_key
from wirebook.specs.reading.jsontext import JsonArray
from wirebook.specs.versions import VersionSet

MAX_FIXES = 100  # of a check that are tried one by one
_MARK = b"\xef\xbb\xbf"


class FixedFile(NamedTuple):
    """A file with its fixes: its path in findings, its location, and its text before and after."""

    path: str
    file: Path
    before: str
    after: str


class Fixes(NamedTuple):
    """The files to write, and the findings that they fix.

    `refused` are findings whose fix would bring another one, each with that one.
    """

    files: tuple[FixedFile, ...]
    findings: tuple[Finding, ...]
    refused: tuple[tuple[Finding, Finding], ...] = ()


# The findings on specs in which the files with these paths have these texts.
Judge = Callable[[Mapping[str, bytes]], Sequence[Finding]]


def proven_fixes(findings: Sequence[Finding], folder: Path, judge: Judge) -> Fixes:
    """The fixes whose result has no finding that was not there before, judged all together or one by one.

    Of more than MAX_FIXES, the next run sees the rest. Raises InputError if a file has changed since the
    check.
    """
    every = fixes_of(findings, folder)
    if not every.findings or _brought(every, findings, judge) is None:
        return every
    kept: list[Finding] = []
    refused: list[tuple[Finding, Finding]] = []
    for finding in every.findings[:MAX_FIXES]:
        trial = fixes_of([*kept, finding], folder)
        brought = _brought(trial, findings, judge)
        if brought is None and finding in trial.findings:
            kept.append(finding)
        elif brought is not None:
            refused.append((finding, brought))
    proven = fixes_of(kept, folder)
    left = {_subject(finding) for finding in judge(_texts(proven))}
    return proven._replace(refused=tuple(pair for pair in refused if _subject(pair[0]) in left))


def _brought(fixes: Fixes, findings: Iterable[Finding], judge: Judge) -> Finding | None:
    """The first finding after some fixes that was not there before, or that they do not fix."""
    known = {_subject(finding) for finding in findings} - {_subject(finding) for finding in fixes.findings}
    left = (finding for finding in judge(_texts(fixes)) if finding.severity is not Severity.INFO)
    return next((finding for finding in left if _subject(finding) not in known), None)


def _texts(fixes: Fixes) -> dict[str, bytes]:
    return {item.path: _expect(item) + item.after.encode("utf-8") for item in fixes.files}


def _subject(finding: Finding) -> tuple[object, ...]:
    """What a finding is about, without the exact change, of which a fix may leave a part."""
    return finding.identity._replace(change="", versions=VersionSet.NONE)


def fixes_of(findings: Iterable[Finding], folder: Path) -> Fixes:
    """The fixes of the causes that are not waived; the paths of findings begin in `folder`.

    If the repairs of two findings contradict each other, the first is applied; the next run sees the rest.
    Raises InputError if a file has changed since the check.
    """
    edits: dict[str, list[Edit]] = {}
    texts: dict[str, str] = {}
    fixed_ones: list[Finding] = []
    for finding in findings:
        if finding.waived is not None or finding.root is not None or not finding.repairs:
            continue
        trial = {path: list(changes) for path, changes in edits.items()}
        for repair in finding.repairs:
            texts[repair.path] = repair.node.lines.text
            trial.setdefault(repair.path, []).extend(_edits(repair))
        try:
            for path, changes in trial.items():
                apply(texts[path], changes)
        except ValueError:
            continue
        edits = trial
        fixed_ones.append(finding)
    fixed = [
        FixedFile(path, folder / path, texts[path], apply(texts[path], changes))
        for path, changes in edits.items()
    ]
    for item in fixed:
        _expect(item)
    return Fixes(tuple(fixed), tuple(fixed_ones))


def write_fixes(files: Sequence[FixedFile]) -> None:
    """Write all files or none. Raises InputError if one has changed since the check, OSError."""
    rewrite({item.file: _expect(item) + item.after.encode("utf-8") for item in files})


def diff(files: Iterable[FixedFile]) -> str:
    """The changes as a unified diff; it quotes specs without escaping."""
    from difflib import unified_diff

    lines: list[str] = []
    for item in files:
        # Split only at the line endings of the file: a form feed in a string does not end a line.
        before, after = (text.split("\n") for text in (item.before, item.after))
        lines += unified_diff(before, after, f"a/{item.path}", f"b/{item.path}", lineterm="")
    return "".join(f"{line}\n" for line in lines)


def _edits(repair: Repair) -> list[Edit]:
    text, holder = repair.node.lines.text, repair.node.lines.object(repair.node.order)
    held = holder.get(repair.key)
    if repair.append and isinstance(held, JsonArray) and isinstance(repair.value, list):
        return append(text, held, repair.value)
    return set_key(text, holder, repair.key, repair.value, repair.after)


def _expect(item: FixedFile) -> bytes:
    """The byte order mark of a file. Raises InputError if the file has changed since the check."""
    try:
        there = item.file.read_bytes()
    except OSError as error:
        raise InputError(error.strerror or str(error), item.path) from None
    mark = _MARK if there.startswith(_MARK) else b""
    if there[len(mark) :] != item.before.encode("utf-8") or item.file.is_symlink():
        raise InputError("has changed since it was checked; it is not written", item.path)
    return mark
