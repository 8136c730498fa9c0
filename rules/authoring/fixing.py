"""Mechanical fixes of findings: the resulting texts, and writing them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

from wirebook.rules.finding import Finding, Repair
from wirebook.specs.files import rewrite
from wirebook.specs.problems import InputError
from wirebook.specs.reading.editing import Edit, append, apply, set_key
from wirebook.specs.reading.jsontext import JsonArray

_MARK = b"\xef\xbb\xbf"


class FixedFile(NamedTuple):
    """A file with its fixes: its path in findings, its location, and its text before and after."""

    path: str
    file: Path
    before: str
    after: str


class Fixes(NamedTuple):
    """The files to write, and the findings that they fix."""

    files: tuple[FixedFile, ...]
    findings: tuple[Finding, ...]


def fixes_of(findings: Iterable[Finding], folder: Path) -> Fixes:
    """The fixes of the findings that are not waived; the paths of findings begin in `folder`.

    If the repairs of two findings contradict each other, the first is applied; the next run sees the rest.
    Raises InputError if a file has changed since the check.
    """
    edits: dict[str, list[Edit]] = {}
    texts: dict[str, str] = {}
    fixed_ones: list[Finding] = []
    for finding in findings:
        if finding.waived is not None or not finding.repairs:
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
