"""Executors with a bare Python run our code, and read our facts, out of the archive that Spark sends them."""

from __future__ import annotations

import subprocess
import sys

import pytest

TEXT = (
    "[2020-10-01 10:00:00,123] DEBUG Completed request:RequestHeader(apiKey=LIST_OFFSETS, apiVersion=5, "
    "clientId=a, correlationId=-3) -- {replica_id=-1,topics=[]},response:{throttle_time_ms=0} from "
    "connection 10.0.0.1:9093-10.0.0.2:5-1;totalTime:1.2,securityProtocol:SASL_SSL,principal:User:a,"
    "listener:EXTERNAL (kafka.request.logger)"
)
CODE = """
import sys
sys.path.insert(0, sys.argv[1])
from wirebook.fleet.lines import parse
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
