"""What a fleet has read so far: state.json, from which the next run continues."""

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

STATE = "state.json"
SCHEMA = "wirebook/fleet-state/2"


@dataclass(slots=True)
class FleetState(LineCounts):
    """Positions in files, and what all runs together have read and skipped.

    `dumps` are files that count as a whole, `brokers` the counters of brokers in them, `instances` digests of
    the client instances in them by day, `merged` the digests of the tables of other outputs by their folders
    and the names of their streams, `objects` what was read at addresses and by a stream, `stream` the name of
    the stream that fills the output and the last batch of it. `key` names the key of pseudonyms.
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

    def text(self) -> bytes:
        """The text of state.json."""
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
            "objects": sorted(self.objects, key=lambda position: position.path),
            "stream": self.stream,
        }
        return (json.dumps(to_json(document), indent=1) + "\n").encode()


def checked_state(folder: Path) -> FleetState | None:
    """The state of a fleet in a folder whose tables hold what it has counted; None if there is no fleet.

    Raises InputError if one of them is damaged or missing.
    """
    state = read_state(folder)
    if state is not None:
        tables.check(folder, state.forms.total())
    return state


def read_state(folder: Path) -> FleetState | None:
    """The state of a fleet in a folder; None if there is no fleet. Raises InputError if it is damaged."""
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
        stream = document["stream"]
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
            objects=[from_json(FilePosition, position) for position in document["objects"]],
            stream=None if stream is None else (str(stream[0]), int(stream[1])),
        )
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise InputError(
            f"the state of the earlier runs cannot be read ({type(error).__name__}); "
            "remove the folder to start over",
            str(path),
        ) from None
