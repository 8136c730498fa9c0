"""`wirebook decode` on hostile bytes: ten kilobytes cost one line, and neither much memory nor much time."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from pathlib import Path
from typing import NamedTuple

import pytest

import wirebook
from tests.specs.wire.records.record_values import needs_cramjam
from wirebook.specs.limits import MAX_EMPTY, MAX_RECORDS, MAX_UNPACKED

MEMORY = 50 << 20
SECONDS = 1.0

_NESTED = [
    {"name": "A", "type": "[]S", "versions": "0+", "fields": [
        {"name": "B", "type": "[]T", "versions": "0+", "fields": [
            {"name": "X", "type": "int32", "versions": "1+"},
        ]},
    ]},
]  # fmt: skip


class Run(NamedTuple):
    """A command that ended: exit code, what it printed, its most memory in bytes, processor seconds."""

    code: int
    out: str
    err: str
    memory: int
    seconds: float


@pytest.fixture
def source(tmp_path: Path) -> str:
    spec = {
        "apiKey": 900, "type": "request", "name": "HostileRequest", "validVersions": "0-1",
        "flexibleVersions": "none", "fields": _NESTED,
    }  # fmt: skip
    folder = tmp_path / "specs"
    folder.mkdir()
    (folder / "HostileRequest.json").write_text(json.dumps(spec), encoding="utf-8")
    return str(folder)


# The memory that getrusage reports includes that of the process before exec, which is pytest.
_MEASURED = """
import resource, sys
from pathlib import Path
from wirebook.cli.main import main

try:
    code = main(sys.argv[2:])
except SystemExit as done:
    code = done.code
status = Path("/proc/self/status")
if status.exists():
    [line] = [line for line in status.read_text().splitlines() if line.startswith("VmHWM")]
    memory = int(line.split()[1]) << 10
else:
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
used = resource.getrusage(resource.RUSAGE_SELF)
Path(sys.argv[1]).write_text(f"{memory} {used.ru_utime + used.ru_stime}")
sys.exit(code)
"""


def decode(folder: Path, given: str, *arguments: str) -> Run:
    """Run `wirebook decode` in a process of its own."""
    measured = folder / "measured"
    done = subprocess.run(
        [sys.executable, "-c", _MEASURED, str(measured), "decode", *arguments],
        input=given, capture_output=True, text=True, check=False,
    )  # fmt: skip
    memory, seconds = measured.read_text(encoding="utf-8").split()
    return Run(done.returncode, done.stdout, done.stderr, int(memory), float(seconds))


def within(run: Run, usual: Run) -> bool:
    """Whether a run takes little more than that of an ordinary message."""
    return run.memory - usual.memory < MEMORY and run.seconds - usual.seconds < SECONDS


@pytest.mark.parametrize(
    "options",
    [("--explain",), *(pytest.param(each, marks=pytest.mark.long) for each in ((), ("--explain=json",)))],
)
def test_nested_arrays_of_nothing_cost_a_line(source: str, tmp_path: Path, options: tuple[str, ...]) -> None:
    command = (*options, "HostileRequest", "0", "--source", source)
    usual = decode(tmp_path, "00000001" + "00000001", *command)
    assert usual.code == 0, usual.err
    run = decode(tmp_path, f"{2_499:08x}" + "00010000" * 2_499, *command)
    assert run.code == 2
    assert run.err == (
        "wirebook: line 1: byte 4: A[0].B: more than 16,384 structs without bytes of their own, "
        "and one for each byte, in one message\n"
    )
    assert within(run, usual), (run[3:], usual[3:])
    most = f"{1:08x}{MAX_EMPTY + 7:08x}"
    run = decode(tmp_path, most, *command)
    assert run.code == 0
    assert within(run, usual), (run[3:], usual[3:])


def test_a_line_of_a_batch_has_a_budget(source: str, tmp_path: Path) -> None:
    def line(digits: str) -> str:
        return json.dumps({"message": "HostileRequest", "version": 0, "hex": digits}) + "\n"

    good, bad = line("00000001" + "00000001"), line(f"{2_499:08x}" + "00010000" * 2_499)
    usual = decode(tmp_path, good * 3, "--batch", "--source", source)
    run = decode(tmp_path, good + bad + good, "--batch", "--source", source)
    assert run.code == 0
    first, error, last = map(json.loads, run.out.splitlines())
    assert first == last == {"value": {"A": [{"B": [{}]}]}}
    assert error["error"].startswith("byte 4: A[0].B: more than 16,384 structs")
    assert within(run, usual), (run[3:], usual[3:])


@pytest.mark.share(3)
@needs_cramjam
@pytest.mark.parametrize("explain", [False, True])
@pytest.mark.parametrize(
    ("kind", "count", "size", "refused"),
    [
        pytest.param("gzip", 1, MAX_UNPACKED - 100, False, marks=pytest.mark.long),
        ("gzip", 1, 9_000_000, True),
        ("zstd", 1, MAX_UNPACKED + 10_000, False),
        pytest.param("zstd", 1, 100 << 20, True, marks=pytest.mark.long),
        ("lz4", 1, 2_000_000, False),
        ("snappy", 1, 200_000, False),
        pytest.param("gzip", MAX_RECORDS, 0, False, marks=pytest.mark.long),
        ("gzip", 100_000, 0, True),
        pytest.param("zstd", 200_000, 0, True, marks=pytest.mark.long),
    ],
)
def test_compressed_records_have_a_budget(
    kind: str, count: int, size: int, refused: bool, explain: bool, tmp_path: Path
) -> None:
    record: dict[str, object] = {"OffsetDelta": 0, "Value": "00" * size}
    data = wirebook.encode_records([{"Compression": kind, "Records": [record] * count}])
    assert len(data) <= 10_000
    plain = wirebook.encode_records([{"Records": [{"Value": "00"}]}])
    options = ("--records", *(("--explain",) if explain else ()))
    usual, run = decode(tmp_path, plain.hex(), *options), decode(tmp_path, data.hex(), *options)
    assert usual.code == 0, usual.err
    wrong = refused and not explain  # the explanation does not decompress
    assert run.code == (1 if wrong else 0), run.err
    assert run.err.count("\n") == wrong
    assert within(run, usual), (run[3:], usual[3:])


def test_the_batches_of_a_message_share_a_budget() -> None:
    half = [{"Compression": "gzip", "Records": [{"Value": "00" * (MAX_UNPACKED // 2)}]}]
    data = wirebook.encode_records(half) * 4
    begun = time.process_time()
    entries = wirebook.decode_records(data)
    assert time.process_time() - begun < 2 * SECONDS
    assert ["Error" in entry for entry in entries] == [False, False, True, True]
    assert "decompress to more than 4 MiB" in entries[2]["Error"]
