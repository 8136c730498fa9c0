"""A text counts once, however many files have it or the beginning of it."""

from __future__ import annotations

import gzip
import json
import zlib
from itertools import permutations
from pathlib import Path
from random import Random

import pyarrow as pa  # type: ignore[import-untyped]
import pytest

from tests.fleet.logs import kafka_line
from tests.fleet.summaries import asked


def lines(number: int, padding: int = 0) -> list[bytes]:
    """Lines that differ and hardly compress."""
    rng = Random(7)
    return [
        kafka_line(more={"line": n, "padding": f"{rng.getrandbits(4 * padding + 1):x}"}) + b"\n"
        for n in range(number)
    ]


def count(logs: Path, output: Path) -> int:
    """The requests of an output after a run."""
    number: int = asked(logs, output).summary.logs.requests
    return number


def write(path: Path, text: bytes) -> None:
    """Write a file as its name says: plain, as gzip, as zstd, or as gzip that is cut off."""
    path.parent.mkdir(exist_ok=True)
    if path.suffix == ".zst":
        with pa.CompressedOutputStream(str(path), "zstd") as file:
            file.write(text)
    elif path.suffix == ".cut":
        path.write_bytes(cut(text))
    else:
        path.write_bytes(gzip.compress(text) if path.suffix == ".gz" else text)


def cut(text: bytes) -> bytes:
    """The text as a gzip that lacks its end, as while it is written."""
    packer = zlib.compressobj(wbits=31)
    return packer.compress(text) + packer.flush(zlib.Z_SYNC_FLUSH)


@pytest.mark.parametrize("padding", [0, 20_000], ids=["small", "large"])
@pytest.mark.parametrize("ends", list(permutations(["", ".gz", ".cut"])), ids=" ".join)
def test_copies_of_beginnings_count_once(ends: tuple[str, ...], padding: int, tmp_path: Path) -> None:
    some = lines(12, padding)
    for number, end in zip((5, 8, 12), ends, strict=True):
        write(tmp_path / "logs" / f"{20 - number}.log{end}", b"".join(some[:number]))
    assert count(tmp_path / "logs", tmp_path / "out") == 12
    assert count(tmp_path / "logs", tmp_path / "out") == 12


@pytest.mark.parametrize("padding", [0, 20_000], ids=["small", "large"])
@pytest.mark.parametrize("end", [".log", ".gz", ".zst", ".cut"])
@pytest.mark.parametrize("is_removed", [False, True], ids=["", "removed"])
def test_a_shorter_copy_that_comes_later(is_removed: bool, end: str, padding: int, tmp_path: Path) -> None:
    logs, some = tmp_path / "logs", lines(13, padding)
    write(logs / "a.log", b"".join(some[:10]))
    assert count(logs, tmp_path / "out") == 10
    if is_removed:
        (logs / "a.log").unlink()
    write(logs / f"copy{end}", b"".join(some[:5]))
    assert count(logs, tmp_path / "out") == 10
    # Until it has what no other file had.
    write(logs / f"copy{end}", b"".join(some[:7]))
    assert count(logs, tmp_path / "out") == 10
    write(logs / f"copy{end}", b"".join(some))
    assert count(logs, tmp_path / "out") == 13


@pytest.mark.parametrize("end", [".log", ".gz", ".zst"])
def test_a_log_that_is_replaced_by_its_beginning(end: str, tmp_path: Path) -> None:
    log, some = tmp_path / "logs" / f"a{end}", lines(13)
    for number, counted in ((10, 10), (5, 10), (7, 10), (13, 13)):
        write(log, b"".join(some[:number]))
        assert count(tmp_path / "logs", tmp_path / "out") == counted


@pytest.mark.parametrize("number", [50, 1000])
def test_a_log_that_is_being_compressed_counts_once(number: int, tmp_path: Path) -> None:
    logs, text = tmp_path / "logs", b"".join(lines(number, 400))
    write(logs / "k.log.1", text)
    packed = gzip.compress(text)
    for part in (10, len(packed) // 2, len(packed) - 4):
        (logs / "k.log.1.gz").write_bytes(packed[:part])
        assert count(logs, tmp_path / "out") == number
    (logs / "k.log.1").unlink()
    (logs / "k.log.1.gz").write_bytes(packed)
    result = asked(logs, tmp_path / "out")
    assert (result.summary.logs.requests, result.summary.logs.problems) == (number, ())


def test_compressed_logs_that_continue_what_an_earlier_run_has_read(tmp_path: Path) -> None:
    logs, some = tmp_path / "logs", lines(12, 20_000)
    write(logs / "1.gz", b"".join(some[:5]))
    assert count(logs, tmp_path / "out") == 5
    write(logs / "2.gz", b"".join(some[:8]))
    write(logs / "3.gz", b"".join(some))
    assert count(logs, tmp_path / "out") == 12


@pytest.mark.parametrize("end", ["", ".gz", ".zst"])
@pytest.mark.parametrize("lacking", [1, 50])
def test_a_last_line_without_an_end_is_read_when_it_has_one(lacking: int, end: str, tmp_path: Path) -> None:
    log, some = tmp_path / "logs" / f"a.log{end}", lines(6)
    write(log, b"".join(some[:3])[:-lacking])
    for _ in range(2):
        summary = asked(tmp_path / "logs", tmp_path / "out").summary
        assert (summary.logs.requests, summary.logs.skipped) == (2, {})
        assert bool(summary.logs.unfinished) != bool(summary.logs.problems)
    write(log, b"".join(some))
    summary = asked(tmp_path / "logs", tmp_path / "out").summary
    assert (summary.logs.requests, summary.logs.skipped) == (6, {})
    assert (summary.logs.unfinished, summary.logs.problems) == ((), ())


@pytest.mark.parametrize("end", ["", ".gz", ".cut"])
def test_logs_that_only_begin_alike_are_no_copies(end: str, tmp_path: Path) -> None:
    some = lines(12, 20_000)
    write(tmp_path / "logs" / f"a{end}", b"".join(some[:10]))
    write(tmp_path / "logs" / f"b{end}", b"".join([*some[:6], *some[10:]]))
    assert count(tmp_path / "logs", tmp_path / "out") == 18


def test_short_compressed_logs_count_once(tmp_path: Path) -> None:
    line = b'{"schema":"wirebook/mock/1","event":"request","key":1,"version":2,"client_id":"%b"}\n'
    for name, client_id in (("a", b"a"), ("b", b"b"), ("c", b"a")):
        write(tmp_path / "logs" / f"{name}.gz", line % client_id)
    assert count(tmp_path / "logs", tmp_path / "out") == 2


@pytest.mark.parametrize("end", [".log", ".gz"])
def test_a_short_beginning_of_a_log_counts_once(end: str, tmp_path: Path) -> None:
    line = b'{"schema":"wirebook/mock/1","event":"request","key":1,"version":%d}\n'
    some = [line % number for number in range(9)]
    for name, number in (("a", 9), ("b", 1), ("c", 2)):
        write(tmp_path / "logs" / f"{name}{end}", b"".join(some[:number]))
    assert count(tmp_path / "logs", tmp_path / "out") == 9


def test_a_state_without_digests_of_starts_is_read(tmp_path: Path) -> None:
    """They are optional in its schema, so that an edited state may lack them."""
    logs, output = tmp_path / "logs", tmp_path / "output"
    write(logs / "a.log", b"".join(lines(20)))
    assert count(logs, output) == 20
    state = output / "state.json"
    document = json.loads(state.read_text(encoding="utf-8"))
    assert [len(position.pop("starts")) > 0 for position in document["positions"]] == [True]
    state.write_text(json.dumps(document), encoding="utf-8")
    write(logs / "b.log", lines(1, padding=200)[0])
    assert count(logs, output) == 21
