"""Executors with a bare Python run our code, and read our facts, out of the archive that Spark sends them."""

from __future__ import annotations

import base64
import gzip
import json
import pickle
import subprocess
import sys
from pathlib import Path

import pytest

from tests.fleet.logs import kafka_line

TEXT = (
    "[2020-10-01 10:00:00,123] DEBUG Completed request:RequestHeader(apiKey=LIST_OFFSETS, apiVersion=5, "
    "clientId=a, correlationId=-3) -- {replica_id=-1,topics=[]},response:{throttle_time_ms=0} from "
    "connection 10.0.0.1:9093-10.0.0.2:5-1;totalTime:1.2,securityProtocol:SASL_SSL,principal:User:a,"
    "listener:EXTERNAL (kafka.request.logger)"
)
CODE = """
import sys
sys.path.insert(0, sys.argv[1])
from wirebook.fleet.reading.lines import parse
request = parse(sys.argv[2].encode())[0]
assert parse.__code__.co_filename.startswith(sys.argv[1])
print(request.api_key, request.version, request.principal)
"""


def test_a_line_of_text_is_read_without_wirebook_on_the_disk() -> None:
    pytest.importorskip("pyspark")
    from wirebook.docgen.pipeline.session import _zipped

    # No site, no environment: what an executor has that knows only Python itself.
    run = [sys.executable, "-S", "-E", "-c", CODE, str(_zipped()), TEXT]
    done = subprocess.run(run, cwd="/", capture_output=True, text=True, check=False)
    assert (done.stdout, done.stderr) == ("2 5 User:a\n", "")


CRI = b"2026-11-22T10:00:00Z stdout "
COUNT = """
import base64, pickle, sys
sys.path[:0] = sys.argv[1:3]
from wirebook.fleet.spark.job import _counter
dealt, naming = pickle.loads(base64.b64decode(sys.argv[3]))
rows = _counter([dealt], naming, 100)(0)
assert "pyarrow" not in sys.modules and "pandas" not in sys.modules
for row in rows:
    if row[-1] is None:
        print(row[8], row[9], row[11])
"""


def logs_of_each_form(folder: Path) -> list[Path]:
    """A file of each form of a log, with one request of version 5 of key 1 or 2."""
    line = kafka_line(version=5)
    container = {"log": line.decode() + "\n", "stream": "stdout", "time": "2026-11-22T10:00:00Z"}
    texts = {
        "json.log": line,
        "text.log": TEXT.encode(),
        "wrapped.log": json.dumps({"message": line.decode(), "@timestamp": "2026-11-22T10:00:00Z"}).encode(),
        "docker.log": json.dumps(container, separators=(",", ":")).encode(),
        "cri.log": CRI + b"P " + line[:90] + b"\n" + CRI + b"F " + line[90:],
    }
    for name, text in texts.items():
        (folder / name).write_bytes(text + b"\n")
    (folder / "packed.gz").write_bytes(gzip.compress(b"\n" + line + b"\n"))
    return sorted(folder.iterdir())


def test_each_form_of_a_log_is_counted_by_a_bare_python(tmp_path: Path) -> None:
    pyspark = pytest.importorskip("pyspark")
    py4j = pytest.importorskip("py4j")
    from wirebook.docgen.pipeline.session import _zipped
    from wirebook.fleet.applications.naming import Naming
    from wirebook.fleet.reading.progress import plan

    # What an executor of a cluster has: Spark's own packages, and nothing else.
    packages, logs = tmp_path / "packages", tmp_path / "logs"
    packages.mkdir()
    logs.mkdir()
    for module in (pyspark, py4j):
        (packages / module.__name__).symlink_to(Path(module.__file__).parent)
    pieces = plan(logs_of_each_form(logs), ()).pieces
    assert len(pieces) == 6
    given = base64.b64encode(pickle.dumps((list(enumerate(pieces)), Naming()))).decode()
    run = [sys.executable, "-S", "-E", "-c", COUNT, str(_zipped()), str(packages), given]
    # The arguments are of classes of ours, which the zip has as well.
    done = subprocess.run(run, cwd="/", capture_output=True, text=True, check=False)
    assert done.stderr == ""
    counted = [tuple(map(int, row.split())) for row in done.stdout.splitlines()]
    assert sum(number for *_, number in counted) == 6
    assert {(key, version) for key, version, _ in counted} == {(1, 5), (2, 5)}
