"""What a fleet has read so far: state.json, from which the next run continues, and the files below objects/.

A stream may read any number of files, so their positions are not in state.json, which each batch replaces.
"""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from wirebook.docgen.catalog.json_records import from_json, to_json
from wirebook.fleet.reading.metrics.counters import BrokerCounters
from wirebook.fleet.reading.progress import FilePosition
from wirebook.fleet.reading.reading import LineCounts, Sample
from wirebook.fleet.requests import LineForm, Reason
from wirebook.fleet.tables import tables
from wirebook.specs.output import FLEET, owned
from wirebook.specs.problems import InputError

STATE, OBJECTS = "state.json", "objects"
SCHEMA = "wirebook/fleet-state/2"


@dataclass(slots=True)
class FleetState(LineCounts):
    """Positions in files, and what all runs together have read and skipped.

    `dumps` are files that count as a whole, `brokers` the counters of brokers in them, `instances` digests of
    the client instances in them by day, `merged` the digests of the tables of other outputs by their folders
    and the names of their streams, `objects` what was read at addresses and by a stream, `stream` the name of
    the stream that fills the output and the last batch of it. `key` names the key of pseudonyms. The folder
    has the first `written` objects, in `stored` bytes.
    """

    positions: list[FilePosition] = field(default_factory=list)
    problems: list[tuple[str, str]] = field(default_factory=list)
    key: str = ""
    dumps: list[FilePosition] = field(default_factory=list)
    brokers: dict[str, BrokerCounters] = field(default_factory=dict)
    instances: dict[str, set[str]] = field(default_factory=dict)
    merged: dict[str, str] = field(default_factory=dict)
    objects: list[FilePosition] = field(default_factory=list)
    stream: tuple[str, int] | None = None
    written: int = 0
    stored: int = 0

    @property
    def texts(self) -> list[FilePosition]:
        """The positions in all texts that were read."""
        read = (*self.positions, *self.dumps, *self.objects)
        return [position for position in read if position.prefix]

    def take(self, other: FleetState) -> None:
        """Adopt the positions of another run, which has read nothing that this one has."""
        self.positions += other.positions
        self.dumps += other.dumps
        self.brokers.update(other.brokers)
        for day, digests in other.instances.items():
            own = self.instances.get(day, digests)
            # Of a day that one of them has forgotten, nothing is known.
            self.instances[day] = own | digests if own and digests else set()
        self.merged.update(other.merged)
        self.objects += other.objects
        self.problems += other.problems

    def follows(self, query: str, batch: int, output: str, checkpoint: str) -> bool:
        """Whether a batch of a stream is the next one of this state, which then has it; false if it had it.

        Raises InputError for a batch of another stream.
        """
        name, last = self.stream or (query, -1)
        if name != query:
            raise InputError(
                f"was filled with another checkpoint than {checkpoint}; choose a new output", output
            )
        if batch > last + 1:
            words = f"lacks batch {last + 1} of this stream; remove it and {checkpoint} to start over"
            raise InputError(words, output)
        self.stream = (query, max(batch, last))
        return batch > last

    def write(self, old: Path, new: Path) -> None:
        """Write the state into a new output, which replaces an old one."""
        lines = (f"{json.dumps(to_json(position))}\n" for position in self.objects[self.written :])
        self.stored = _extended(old / OBJECTS, new / OBJECTS, "".join(lines).encode())
        (new / STATE).write_bytes(self._text())

    def _text(self) -> bytes:
        document: dict[str, Any] = {
            "schema": SCHEMA,
            "key": self.key,
            "forms": dict(sorted(self.forms.items())),
            "skipped": dict(sorted(self.skipped.items())),
            "samples": list(map(list, self.samples)),
            "problems": self.problems,
            "positions": self.positions,
            "dumps": sorted(self.dumps, key=lambda position: position.path),
            "brokers": dict(sorted(self.brokers.items())),
            "instances": {day: sorted(digests) for day, digests in sorted(self.instances.items())},
            "merged": dict(sorted(self.merged.items())),
            "objects": self.stored,
            "stream": self.stream,
        }
        return (json.dumps(to_json(document), indent=1) + "\n").encode()


def _parts(folder: Path) -> list[Path]:
    return sorted(folder.glob("*.jsonl"))


def _extended(old: Path, new: Path, text: bytes) -> int:
    """Write the parts of an old folder and some more text into a new one; returns the size of all.

    Parts are kept unless they are less than twice as long as what follows. Each is thus at least twice as
    long as the next one: there are few parts, and a part is written again only when it grows by half.
    """
    parts = _parts(old)
    while parts and parts[-1].stat().st_size < 2 * len(text):
        text = parts.pop().read_bytes() + text
    for part in parts:
        tables.keep_file(part, new / part.name)
    if text:
        new.mkdir(exist_ok=True)
        (new / f"{len(parts):02}.jsonl").write_bytes(text)
    return sum(part.stat().st_size for part in parts) + len(text)


def checked_state(folder: Path, *, with_objects: bool = True) -> FleetState | None:
    """The state of a fleet in a folder whose other files hold what it has counted; None if there is no fleet.

    Raises InputError if one of them is damaged or missing.
    """
    state = read_state(folder)
    if state is None:
        return None
    tables.check(folder, state.forms.total())
    try:
        parts = _parts(folder / OBJECTS)
        if sum(part.stat().st_size for part in parts) != state.stored:
            raise ValueError("some are missing or old")
        if with_objects:
            lines = b"".join(part.read_bytes() for part in parts).splitlines()
            before = [from_json(FilePosition, json.loads(line)) for line in lines]
            state.objects, state.written = [*before, *state.objects], len(before)
    except (OSError, ValueError) as error:
        words = f"these files cannot be read ({error}); remove the output to start over"
        raise InputError(words, str(folder / OBJECTS)) from None
    return state


def read_state(folder: Path) -> FleetState | None:
    """The state of a fleet in a folder without the objects beside state.json; None if there is no fleet.

    Raises InputError if it is damaged.
    """
    if owned(folder, FLEET) is None:
        return None
    path = folder / STATE
    try:
        document = json.loads(path.read_bytes())
        name, _, edition = str(document["schema"]).rpartition("/")
        own_name, _, own_edition = SCHEMA.rpartition("/")
        if name == own_name and edition.isdecimal() and int(edition) > int(own_edition):
            words = "is of a newer version of wirebook: update it, or choose another --output"
            raise InputError(words, str(path))
        if document["schema"] != SCHEMA:
            raise ValueError(document["schema"])
        stream, listed = document["stream"], document["objects"]
        objects, stored = (listed, 0) if isinstance(listed, list) else ([], int(listed))
        return FleetState(
            forms=Counter({LineForm(name): int(number) for name, number in document["forms"].items()}),
            skipped=Counter({Reason(name): int(number) for name, number in document["skipped"].items()}),
            samples=[
                Sample(Reason(reason), str(file), str(text)) for reason, file, text in document["samples"]
            ],
            positions=[from_json(FilePosition, position) for position in document["positions"]],
            problems=[(str(file), str(words)) for file, words in document["problems"]],
            key=str(document["key"]),
            dumps=[from_json(FilePosition, position) for position in document["dumps"]],
            brokers={
                str(source): BrokerCounters.from_json(item) for source, item in document["brokers"].items()
            },
            instances={str(day): set(map(str, digests)) for day, digests in document["instances"].items()},
            merged={str(path): str(digest) for path, digest in document["merged"].items()},
            # They once were in state.json.
            objects=[from_json(FilePosition, position) for position in objects],
            stored=stored,
            stream=None if stream is None else (str(stream[0]), int(stream[1])),
        )
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise InputError(
            f"the state of the earlier runs cannot be read ({type(error).__name__}); "
            "remove the folder to start over",
            str(path),
        ) from None
