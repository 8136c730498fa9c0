"""The probe against `wirebook mock`, each a process of its own: releases and faults."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator, Sequence
from typing import Any

import pytest

from wirebook.cli.peers import probe as probe_command
from wirebook.live.mock.faults import MODES
from wirebook.specs.kafka.brokers import broker_named

pytestmark = pytest.mark.long

needs_openssl = pytest.mark.skipif(shutil.which("openssl") is None, reason="needs openssl for a certificate")
WIREBOOK = [sys.executable, "-m", "wirebook.cli.main"]


@contextlib.contextmanager
def mocked(*options: str) -> Iterator[str]:
    """The address of a mock broker while the block runs."""
    command = [*WIREBOOK, "mock", "--seconds", "120", *options]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            told = json.loads(process.stdout.readline())
            yield f"{told['host']}:{told['port']}"
        finally:
            process.kill()


def probed(arguments: Sequence[str], code: int = 0, password: str = "") -> dict[str, Any]:
    """What a probe tells of one broker; the password is not in it."""
    environment = {probe_command.PASSWORD: password} if password else {}
    run = subprocess.run(
        [*WIREBOOK, "probe", *arguments, "--format", "json"],
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == code, run.stdout + run.stderr
    assert not password or password not in run.stdout + run.stderr
    broker: dict[str, Any] = json.loads(run.stdout)["brokers"][0]
    return broker


@pytest.mark.parametrize("release", ["0.10.0", "1.0", "2.3", "2.4", "3.9", "4.3"])
def test_a_mock_broker_of_a_release_looks_like_it(release: str) -> None:
    with mocked("--release", release) as address:
        broker = probed([address])
    assert release in {item["release"] for item in broker["like"]["exact"]}
    assert broker["notes"] == []
    found = {row["key"]: row["versions"] for row in broker["apis"]}
    assert found == {key: str(versions) for key, versions in broker_named(release).listed().items()}


# What comes of each fault: the versions of ApiVersions that were asked, and a word of the note or failure.
FAULTS = {
    "normal": ([4], "", ""),
    "max-0": ([4, 0], "", ""),
    "max-2": ([4, 2], "", ""),
    "max-0-empty-list": ([4, 0], "", ""),
    "error-same-version": ([4, 0], "", "does not have the layout of version 0"),
    "response-header-1": ([4], "garbage", "does not parse"),
    "correlation-only": ([4], "empty", "only a correlation ID"),
    "empty-frame": ([4], "empty", "a frame of 0 bytes"),
    "close": ([4, 0], "closed", "closes the connection without an answer"),
    "silent": ([4], "silence", "sends nothing within 2 s"),
    "half-frame": ([4], "half-frame", "nothing within 2 s"),
    "wrong-correlation": ([4], "garbage", "correlation ID"),
    "metadata-too-new": ([4], "", ""),
    "metadata-missing": ([4], "", ""),
    "metadata-0-only": ([4], "", ""),
    "refused": ([4, 0], "refused-request", "error 42, INVALID_REQUEST"),
    "downgrade": ([4], "", ""),
    "unknown-tags": ([4], "", ""),
    "truncated": ([4], "garbage", "ApiKeys: 62 elements take at least 434 bytes"),
    "slow": ([4], "", ""),
}


def test_every_fault_is_here() -> None:
    assert FAULTS.keys() == MODES.keys()


@pytest.mark.parametrize("mode", FAULTS)
def test_faults_of_the_mock_broker(mode: str) -> None:
    asked, code, words = FAULTS[mode]
    with mocked("--release", "3.9", "--mode", mode) as address:
        broker = probed([address, "--timeout", "2"], 2 if code else 0)
    steps = [step["version"] for step in broker["conversation"] if step["api"] == "ApiVersions"]
    assert steps == asked
    if code:
        assert broker["failure"]["code"] == code
        assert words in broker["failure"]["message"]
    else:
        assert broker["failure"] is None
        assert len(broker["apis"]) >= 61
        assert words in " ".join(broker["notes"])
        assert bool(words) == bool(broker["notes"])
    if mode == "metadata-too-new":
        assert [api["unknown"] for api in broker["apis"] if api["key"] == 3] == ["50-60"]
