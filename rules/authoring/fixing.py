"""Mechanical fixes of findings: the resulting texts, and writing them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from difflib import unified_diff
from pathlib import Path
from typing import NamedTuple

from wirebook.rules.finding import Finding, FindingIdentity, Repair, Severity
from wirebook.specs.files import rewrite
from wirebook.specs.problems import InputError
from wirebook.specs.reading.editing import TextEdit, append, apply, set_key
from wirebook.specs.syntax.jsontext import JsonArray
from wirebook.specs.versions import VersionSet

MAX_FIXES = 100  # trials of a check
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
Recheck = Callable[[Mapping[str, bytes]], Sequence[Finding]]


def proven_fixes(findings: Sequence[Finding], folder: Path, judge: Recheck) -> Fixes:
    """The fixes whose result has no finding that was not there before, judged all together or one by one.

    One fix can allow another, so this goes on until nothing that the fixes leave can be fixed. After
    MAX_FIXES trials, the next run sees the rest. Raises InputError if a file has changed since the check.
    """
    fixes, left = Fixes((), ()), findings
    refused: dict[FindingIdentity, tuple[Finding, Finding]] = {}
    together = True
    for _ in range(MAX_FIXES):
        open_ones = [
            finding
            for finding in left
            if finding.repairs
            and finding.waived is None
            and finding.root is None
            and finding.identity not in refused
        ]
        if not open_ones:
            break
        trial = fixes_of(open_ones if together else open_ones[:1], folder, fixes.files)
        after = judge(_texts(trial))
        brought = _brought(left, trial.findings, after)
        if brought is None:
            fixes, left = trial._replace(findings=fixes.findings + trial.findings), after
            refused.clear()
        elif len(trial.findings) > 1:
            together = False
        else:
            refused[trial.findings[0].identity] = trial.findings[0], brought
    return fixes._replace(refused=tuple(refused.values()))


def _brought(before: Iterable[Finding], fixed: Iterable[Finding], after: Iterable[Finding]) -> Finding | None:
    """The first finding after some fixes that was not there before in all of its versions, or that was
    milder, or that they do not fix.
    """
    # The author completes what an added element begins, so its finding stays.
    settled = {_subject(each) for each in fixed if not all(repair.append for repair in each.repairs)}
    earlier: dict[tuple[object, ...], list[Finding]] = {}
    for finding in before:
        if _subject(finding) not in settled:
            earlier.setdefault(_subject(finding), []).append(finding)
    for finding in after:
        same = earlier.get(_subject(finding), [])
        versions = VersionSet.of(version for each in same for version in each.versions)
        is_known = versions.covers(finding.versions) and any(
            each.severity.rank <= finding.severity.rank for each in same
        )
        if finding.severity is not Severity.INFO and not is_known:
            return finding
    return None


def _texts(fixes: Fixes) -> dict[str, bytes]:
    return {fix.path: _expect(fix) + fix.after.encode("utf-8") for fix in fixes.files}


def _subject(finding: Finding) -> tuple[object, ...]:
    """What a finding is about, without the exact change, of which a fix may leave a part."""
    return finding.identity._replace(change="", versions=VersionSet.NONE)


def fixes_of(findings: Iterable[Finding], folder: Path, fixes: Sequence[FixedFile] = ()) -> Fixes:
    """The fixes of the causes that are not waived; the paths of findings begin in `folder`.

    The findings are on a result with the files of `fixes`, which are part of the fixes. If the repairs of two
    findings contradict each other, the first is applied. Raises InputError if a file has changed since the
    check.
    """
    edits: dict[str, list[TextEdit]] = {}
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
    files = {fix.path: fix for fix in fixes}
    for path, changes in edits.items():
        before = files[path].before if path in files else texts[path]
        files[path] = FixedFile(path, folder / path, before, apply(texts[path], changes))
        _expect(files[path])
    return Fixes(tuple(files.values()), tuple(fixed_ones))


def write_fixes(files: Sequence[FixedFile]) -> None:
    """Write all files or none. Raises InputError if one has changed since the check, OSError."""
    rewrite({fix.file: _expect(fix) + fix.after.encode("utf-8") for fix in files})


def diff(files: Iterable[FixedFile]) -> str:
    """The changes as a unified diff, with line feeds as line ends; it quotes specs without escaping."""
    lines: list[str] = []
    for fix in files:
        before, after = (_lines(text) for text in (fix.before, fix.after))
        lines += unified_diff(before, after, f"a/{fix.path}", f"b/{fix.path}", lineterm="")
    return "".join(f"{line}\n" for line in lines)


def _lines(text: str) -> list[str]:
    """The lines of a text as a diff has them."""
    # Split only at the line endings of the file: a form feed in a string does not end a line.
    *lines, last = text.split("\n")
    unended = [f"{last}\n\\ No newline at end of file"] if last else []
    return [*(line.removesuffix("\r") for line in lines), *unended]


def _edits(repair: Repair) -> list[TextEdit]:
    text, holder = repair.node.lines.text, repair.node.lines.object(repair.node.order)
    present = holder.get(repair.key)
    if repair.append and isinstance(present, JsonArray) and isinstance(repair.value, list):
        return append(text, present, repair.value)
    return set_key(text, holder, repair.key, repair.value, repair.after)


def _expect(fix: FixedFile) -> bytes:
    """The byte order mark of a file. Raises InputError if the file has changed since the check."""
    try:
        text = fix.file.read_bytes()
    except OSError as error:
        raise InputError(error.strerror or str(error), fix.path) from None
    mark = _MARK if text.startswith(_MARK) else b""
    if text[len(mark) :] != fix.before.encode("utf-8") or fix.file.is_symlink():
        raise InputError("has changed since it was checked; it is not written", fix.path)
    return mark
