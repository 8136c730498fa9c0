"""Merges the tables of other runs: of an earlier one, or of another cluster."""

from __future__ import annotations

import hashlib
import os
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
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
    families: defaultdict[str, list[FilePosition]] = defaultdict(list)
    for position in state.texts:
        families[position.family].append(position)
    for folder in folders:
        other = checked_state(folder)
        assert other is not None
        names, digest = _names(folder, other), _digest(folder)
        before = {state.merged[name] for name in names if name in state.merged}
        if before == {digest}:
            continue
        if before:
            raise InputError(
                "has changed since it was merged, and would count twice; choose a new --output",
                str(folder),
            )
        # A log that both have read would count twice, also if one of them has read less of it.
        both = [each for each in other.texts if any(map(each.is_in_text_of, families[each.family]))]
        # Different logs may have equal tables, and so may topics, whose streams have no texts.
        is_read = len(both) == len(other.texts) and (both or other.stream is None)
        if digest in state.merged.values() and is_read:
            state.problems.append((str(folder), "is a copy of another output, and counts once"))
            continue
        if both:
            _refuse(folder, "read", both[0].path)
        _check(folder, state, other)
        hidden = _pseudonyms(folder, into.counting.naming) if state.key and not other.key else None
        for day in tables.days_in(folder):
            tables.add_day(folder, day, into.counting, hidden)
        into.add_lines(other)
        state.take(other)
        for position in other.texts:
            families[position.family].append(position)
        state.merged.update(dict.fromkeys(names, digest))


def _names(folder: Path, state: FleetState) -> list[str]:
    """What identifies an output although it grows: its folder and, wherever that is moved, its stream."""
    streams = [] if state.stream is None else [f"stream {state.stream[0]}"]
    return [os.path.realpath(folder), *streams]


def _pseudonyms(folder: Path, naming: Naming) -> Callable[[Names], Names]:
    """The pseudonyms of the names in an output."""
    samples = tables.samples_of(tables.read_all(folder, tables.IDS))
    return lambda names: naming.hidden(names, samples.get(names, names.application))


def _check(folder: Path, state: FleetState, other: FleetState) -> None:
    if other.key and other.key != state.key:
        raise InputError("holds pseudonyms; --pseudonymize has to name the same key", str(folder))
    # The stream of a topic has no texts to compare.
    merged_by_both = {other.merged[name] for name in other.merged.keys() & state.merged.keys()}
    # A folder is named rather than its stream.
    for name, digest in sorted(other.merged.items()):
        if digest in merged_by_both:
            _refuse(folder, "merged", name)
    for source in other.brokers.keys() & state.brokers.keys():
        raise InputError(f"has counters of {source}, which are counted already", str(folder))
    both = sum(len(digests & other.instances.get(day, set())) for day, digests in state.instances.items())
    if both:
        words = f"has telemetry of clients that is counted already: {number_of(both, 'client instance')}"
        raise InputError(words, str(folder))
    lost = _lost(state.instances, other.instances) | _lost(other.instances, state.instances)
    if lost:
        words = f"has telemetry that cannot be compared: client instances up to {max(lost)} may count twice"
        state.problems.append((str(folder), words))


def _lost(instances: Mapping[str, set[str]], others: Mapping[str, set[str]]) -> set[str]:
    """The days of client instances that the others may have had as well, before they were forgotten."""
    last = max((day for day, digests in others.items() if not digests), default="")
    return {day for day in instances if day <= last}


def _refuse(folder: Path, done: str, path: str) -> NoReturn:
    raise InputError(f"has {done} {path}, which is counted already; leave one of them out", str(folder))


def _digest(folder: Path) -> str:
    """A digest of the tables of an output, which is all that counts of it."""
    digest = hashlib.sha256()
    for day in tables.days_in(folder):
        digest.update(day.encode("utf-8", "surrogateescape") + b"\0")
        digest.update(tables.digest(folder, day))
    return digest.hexdigest()[:32]
