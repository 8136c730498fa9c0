"""Sorts the inputs of `wirebook fleet`: logs, dumps of metrics, probe results, outputs of other runs."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from wirebook.fleet.reading.files import DamagedFile, Packing, log_files, packing_of, unpacked
from wirebook.fleet.reading.metrics.samples import form_of
from wirebook.fleet.reading.own_logs import is_probe
from wirebook.fleet.reading.progress import FilePosition
from wirebook.fleet.requests import LineForm
from wirebook.specs.output import FLEET, owned

_START = 1 << 16


@dataclass(slots=True)
class LogInputs:
    """The input files by kind, and folders written by `wirebook fleet`. `unchanged` counts dumps."""

    logs: list[Path] = field(default_factory=list)
    dumps: list[tuple[Path, Packing, LineForm]] = field(default_factory=list)
    outputs: list[Path] = field(default_factory=list)
    unchanged: int = 0

    @property
    def files(self) -> int:
        """The number of files that are not logs."""
        return len(self.dumps) + self.unchanged


def inputs(names: Sequence[str], output: Path, positions: Iterable[FilePosition]) -> LogInputs:
    """Classify the files that the names refer to: files, and all files below folders.

    A folder written by `wirebook fleet` is one input; `output` itself is skipped. `positions` are those of
    the last run: a file whose stamps still match one is classified as before. Raises InputError,
    OSError.
    """
    log_inputs = LogInputs()

    def is_output(folder: Path) -> bool:
        if owned(folder, FLEET) is None:
            return False
        if os.path.realpath(folder) != os.path.realpath(output):
            log_inputs.outputs.append(folder)
        return True

    stamps = {(each.path, each.size, each.modified, each.inode): each for each in positions}
    for path in log_files(names, is_output):
        try:
            state = path.stat()
            before = stamps.get((str(path), state.st_size, state.st_mtime_ns, state.st_ino))
            # A position without an offset belongs to a dump, which is read as a whole.
            if before is not None and not before.offset:
                log_inputs.unchanged += 1
            elif before is not None or (form := _form(path, packing := packing_of(path))) is None:
                log_inputs.logs.append(path)
            else:
                log_inputs.dumps.append((path, packing, form))
        except FileNotFoundError:
            # Planning the logs reports it.
            log_inputs.logs.append(path)
    return log_inputs


def _form(path: Path, packing: Packing) -> LineForm | None:
    """The form of a file that is read as a whole; None for a log."""
    try:
        with unpacked(path, packing) as file:
            start = file.read(_START)
    except DamagedFile:
        return None
    return LineForm.PROBE if is_probe(start) else form_of(start)
