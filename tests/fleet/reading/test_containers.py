"""Parts of a line that a container runtime splits, beside whole lines."""

from __future__ import annotations

import json
import zlib
from io import BytesIO
from pathlib import Path
from time import process_time

import pytest

from tests.fleet.logs import kafka_line
from tests.fleet.summaries import asked
from wirebook.fleet.reading.containers import Parts, part_of
from wirebook.fleet.reading.progress import whole_before

PART = 16_384


def docker(text: str) -> bytes:
    """A line of Docker's json-file driver, or of a collector with the same keys."""
    value = {"log": text, "stream": "stdout", "time": "2026-10-01T10:00:00Z"}
    return json.dumps(value, separators=(",", ":")).encode()


def test_lines_that_a_collector_wraps_without_a_line_end_are_whole(tmp_path: Path) -> None:
    lines = [docker(kafka_line(version=version).decode()) + b"\n" for version in range(5)]
    (tmp_path / "a.log").write_bytes(b"".join(lines))
    logs = asked(tmp_path / "a.log", tmp_path / "out").summary.logs
    assert (logs.requests, logs.skipped, logs.unfinished) == (5, {}, ())


@pytest.mark.parametrize(
    ("text", "is_open"),
    [
        ("x" * PART, True),
        ("x" * (PART - 1), False),
        ("x" * (PART - 1) + "\n", False),
        ("x" * (PART - 1) + "\\", True),
        ('"' * (PART - 1), False),
        ('"' * PART, True),
        ("é" * (PART // 2), True),
        ("é" * (PART // 2 - 1), False),
        ("\ufffd" * 3 + "x" * (PART - 3), True),
        ("x" * (PART + 1), False),
    ],
    ids=[
        "full",
        "short",
        "ended",
        "backslash",
        "short with escapes",
        "full of escapes",
        "full of two bytes",
        "short of two bytes",
        "full of other bytes than UTF-8",
        "longer than a part",
    ],
)
def test_a_part_that_another_one_follows_is_full(text: str, is_open: bool) -> None:
    line = docker(text)
    assert part_of(line) == (b"stdout", is_open)
    assert (Parts().whole(line) is None) == is_open


def cri(tag: str, text: bytes, stream: str = "stdout") -> bytes:
    """A line of containerd."""
    return f"2026-10-01T10:00:00.1Z {stream} {tag} ".encode() + text + b"\n"


@pytest.mark.parametrize("between", [0, 15, 17, 300])
@pytest.mark.parametrize("packed", [False, True], ids=["plain", "gzip"])
def test_parts_wait_for_the_last_one_while_the_other_stream_goes_on(
    packed: bool, between: int, tmp_path: Path
) -> None:
    line = kafka_line()
    others = [cri("F", kafka_line(client_id="other"), "stderr")] * between
    first = b"".join([cri("F", line), cri("P", line[:200]), *others])
    rest = cri("F", line[200:]) + cri("F", line)
    packer = zlib.compressobj(wbits=31)
    path = tmp_path / "a.log"
    if packed:
        first = packer.compress(first) + packer.flush(zlib.Z_SYNC_FLUSH)
        rest = packer.compress(rest) + packer.flush()
    path.write_bytes(first)
    assert asked(path, tmp_path / "out").summary.logs.requests == 1
    path.write_bytes(first + rest)
    logs = asked(path, tmp_path / "out").summary.logs
    assert (logs.requests, logs.skipped) == (3 + between, {})


def test_a_long_log_of_one_stream_is_planned_fast() -> None:
    file = BytesIO(b"".join(cri("F", b"x" * 100) for _ in range(20_000)))
    size, begun = len(file.getvalue()), process_time()
    assert whole_before(file, size) == size
    assert process_time() - begun < 0.2
