"""Merges the tables of other runs: of an earlier one, or of another cluster."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import NoReturn

from wirebook.fleet.applications.naming import Names, Naming
from wirebook.fleet.reading.progress import FilePosition
from wirebook.fleet.reading.reading import Read
from wirebook.fleet.tables import tables
from wirebook.fleet.tables.state import FleetState, checked_state
from wirebook.specs.printable import number_of
from wirebook.specs.problems import InputError


def merge(folders: Iterable[Path], state: FleetState, into: Read) -> None:
    """Count the requests of other outputs, each once, and adopt their positions in the logs.

    Raises InputError if requests would count twice, or under names of two kinds.
    """
    for folder in folders:
        other = checked_state(folder)
        assert other is not None
        real_path, digest = os.path.realpath(folder), _digest(folder, other)
        if state.merged.get(real_path) == digest:
            continue
        if real_path in state.merged:
            raise InputError(
                "has changed since it was merged, and would count twice; choose a new --output",
                str(folder),
            )
        if digest in state.merged.values():
            state.problems.append((str(folder), "is a copy of another output, and counts once"))
            continue
        _check(folder, state, other)
        hidden = _pseudonyms(folder, into.counting.naming) if state.key and not other.key else None
        for day in tables.days_in(folder):
            tables.add_day(folder, day, into.counting, hidden)
        into.add_lines(other)
        state.take(other)
        state.merged[real_path] = digest


def _pseudonyms(folder: Path, naming: Naming) -> Callable[[Names], Names]:
    """The pseudonyms of the names in an output."""
    samples = tables.samples_of(tables.read_all(folder, tables.IDS))
    return lambda names: naming.hidden(names, samples.get(names, names.application))


def _check(folder: Path, state: FleetState, other: FleetState) -> None:
    if other.key and other.key != state.key:
        raise InputError("holds pseudonyms; --pseudonymize has to name the same key", str(folder))
    # A log that both have read would count twice, also if one of them has read less of it.
    families: dict[str, list[FilePosition]] = {}
    for position in state.texts:
        families.setdefault(position.family, []).append(position)
    for position in other.texts:
        if any(map(position.is_in_text_of, families.get(position.family, ()))):
            _refuse(folder, "read", position.path)
    # The stream of a topic has no texts to compare.
    for path, digest in other.merged.items():
        if path in state.merged or digest in state.merged.values():
            _refuse(folder, "merged", path)
    for source in other.brokers.keys() & state.brokers.keys():
        raise InputError(f"has counters of {source}, which are counted already", str(folder))
    both = sum(len(digests & other.instances.get(day, set())) for day, digests in state.instances.items())
    if both:
        words = f"has telemetry of clients that is counted already: {number_of(both, 'client instance')}"
        raise InputError(words, str(folder))


def _refuse(folder: Path, done: str, path: str) -> NoReturn:
    raise InputError(f"has {done} {path}, which is counted already; leave one of them out", str(folder))


def _digest(folder: Path, state: FleetState) -> str:
    """A digest of the tables of an output, and of what it has read: other logs may have equal tables."""
    digest = hashlib.sha256()
    for day in tables.days_in(folder):
        digest.update(day.encode("utf-8", "surrogateescape") + b"\0")
        digest.update(tables.digest(folder, day))
    read = {*(position.prefix for position in state.texts), *state.merged.values(), str(state.stream)}
    digest.update("\0".join(sorted(read)).encode())
    return digest.hexdigest()[:32]
