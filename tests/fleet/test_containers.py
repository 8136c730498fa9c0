"""Parts of a line that a container runtime splits, beside whole lines."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.fleet.logs import container_log, kafka_line
from tests.fleet.summaries import asked
from wirebook.fleet.containers import Parts

PART = 16_384


def docker(text: str) -> bytes:
    """A line of Docker's json-file driver, or of a collector with the same keys."""
    value = {"log": text, "stream": "stdout", "time": "2026-10-01T10:00:00Z"}
    return json.dumps(value, separators=(",", ":")).encode()


def test_lines_that_a_collector_wraps_without_a_line_end_are_whole(tmp_path: Path) -> None:
    lines = [docker(kafka_line(version=version).decode()) + b"\n" for version in range(5)]
    (tmp_path / "a.log").write_bytes(b"".join(lines))
    logs = asked(tmp_path / "a.log", tmp_path / "out").logs
    assert (logs.requests, logs.skipped) == (5, {})


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
    assert (Parts().whole(docker(text)) is None) == is_open


def test_parts_of_two_streams_are_joined_in_their_order() -> None:
    parts = Parts()
    found = [text for line in container_log() if (text := parts.whole(line))]
    requests = [text.text for text in found if b"Completed request:" in text.text]
    names = [f"app-{'abc'[number % 3]}" for number in range(6)]
    assert requests == [
        kafka_line(version=number, client_id=name) for number, name in enumerate(names)
    ]
    assert [text.text for text in parts.unfinished()] == [b"never ends"]
