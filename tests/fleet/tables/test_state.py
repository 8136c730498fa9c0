"""The state of a fleet: what a run keeps of what it has read, and what it writes for that."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.fleet.logs import kafka_line
from tests.fleet.summaries import asked
from wirebook.docgen.catalog.json_records import to_json
from wirebook.fleet.reading.progress import FilePosition, beginning_at
from wirebook.fleet.tables.state import FleetState, checked_state
from wirebook.specs.problems import InputError

BATCHES = 500


def positions(*numbers: int) -> list[FilePosition]:
    """Those in files of a stream."""
    return [beginning_at(f"file:///logs/{number}.log", b"%d" % number) for number in numbers]


def test_a_batch_of_a_stream_writes_little_however_many_files_there_were(tmp_path: Path) -> None:
    folder, written = tmp_path / "0", 0
    stored = 0
    for batch in range(1, BATCHES + 1):
        new = tmp_path / str(batch)
        new.mkdir()
        # A stream does not load what it has read.
        state = FleetState(stream=("query", batch), stored=stored)
        state.objects += positions(batch)
        state.write(folder, new)
        folder, stored = new, state.stored
        parts = list((folder / "objects").iterdir())
        assert len(parts) <= 10
        written += (folder / "state.json").stat().st_size
        written += sum(part.stat().st_size for part in parts if part.stat().st_nlink == 1)
    whole = sum(len(json.dumps(to_json(position))) for position in positions(*range(1, BATCHES + 1)))
    assert whole < stored < 1.1 * whole
    assert written < 12 * whole


def rewritten(state: FleetState, output: Path) -> Path:
    """A next output with a state, instead of the one that a folder has."""
    new = output.with_name(f"{output.name}+")
    shutil.copytree(output, new, ignore=shutil.ignore_patterns("objects"))
    state.write(output, new)
    return new


def paths(output: Path) -> list[str]:
    """The files at addresses and of a stream that an output has read."""
    state = checked_state(output)
    assert state is not None
    return [position.path for position in state.objects]


def filled(folder: Path) -> Path:
    """An output that has read three files of a stream, in two batches."""
    (folder / "a.log").write_bytes(kafka_line() + b"\n")
    asked(folder / "a.log", folder / "out")
    output = folder / "out"
    for batch in ((1, 2), (3,)):
        state = checked_state(output)
        assert state is not None
        state.objects += positions(*batch)
        output = rewritten(state, output)
    return output


def test_what_earlier_runs_have_read_is_kept_beside_the_state(tmp_path: Path) -> None:
    output = filled(tmp_path)
    assert paths(output) == [f"file:///logs/{number}.log" for number in (1, 2, 3)]
    state = checked_state(output, with_objects=False)
    assert state is not None
    assert not state.objects
    state.objects += positions(4)
    assert paths(rewritten(state, output))[2:] == ["file:///logs/3.log", "file:///logs/4.log"]


def test_objects_that_a_state_lists_itself_are_moved_out_of_it(tmp_path: Path) -> None:
    """As earlier versions wrote them."""
    output = filled(tmp_path)
    shutil.rmtree(output / "objects")
    document = json.loads((output / "state.json").read_text())
    document["objects"] = to_json(positions(7, 8))
    (output / "state.json").write_text(json.dumps(document))
    state = checked_state(output)
    assert state is not None
    state.objects += positions(9)
    assert paths(rewritten(state, output)) == [f"file:///logs/{number}.log" for number in (7, 8, 9)]


@pytest.mark.parametrize("damage", [Path.unlink, lambda path: path.write_bytes(b"x" * path.stat().st_size)])
def test_damaged_objects_are_refused(damage: Callable[[Path], object], tmp_path: Path) -> None:
    output = filled(tmp_path)
    damage(output / "objects" / "00.jsonl")
    with pytest.raises(InputError, match="these files cannot be read") as caught:
        checked_state(output)
    assert caught.value.path == str(output / "objects")
