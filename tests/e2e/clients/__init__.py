"""Clients that nobody here wrote, each asked in a process of its own: some abort on a broker's
fault."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from tests.support import ROOT

HERE = Path(__file__).resolve().parent
PACKAGES = {"librdkafka": "confluent_kafka", "kafka-python": "kafka", "aiokafka": "aiokafka"}
CLIENTS = (*PACKAGES, "kafkajs")
_PROGRAMS = {
    "librdkafka": "ask_librdkafka.py",
    "kafka-python": "ask_kafka_python.py",
    "aiokafka": "ask_aiokafka.py",
    "kafkajs": "kafkajs/ask.js",
}


@cache
def lacking(client: str) -> str:
    """Why a client cannot be asked here; nothing where it can."""
    if client in PACKAGES:
        return "" if find_spec(PACKAGES[client]) else f"needs the package {PACKAGES[client]}"
    if shutil.which("node") is None or shutil.which("npm") is None:
        return "kafkajs needs node and npm"
    try:
        modules()
    except (OSError, subprocess.TimeoutExpired) as error:
        return f"kafkajs was not installed: {error}"
    return ""


def need(client: str) -> None:
    """Skip the test where a client cannot be asked."""
    why = lacking(client)
    if why:
        pytest.skip(why)


def modules(folder: Path = HERE / "kafkajs") -> Path:
    """The folder node_modules with the packages of a lock file, made once.

    Raises OSError with what npm said, TimeoutExpired.
    """
    lock = folder / "package-lock.json"
    target = ROOT / ".cache" / f"{folder.name}-{hashlib.sha256(lock.read_bytes()).hexdigest()[:12]}"
    if not (target / "node_modules").is_dir():
        target.parent.mkdir(exist_ok=True)
        with tempfile.TemporaryDirectory(dir=target.parent) as name:
            made = Path(name) / "made"
            made.mkdir()
            for file in (lock, lock.with_name("package.json")):
                shutil.copy(file, made)
            command = [
                "npm",
                "ci",
                "--ignore-scripts",
                "--no-audit",
                "--no-fund",
                "--loglevel=error",
            ]
            run = subprocess.run(
                command, cwd=made, capture_output=True, text=True, timeout=120, check=False
            )
            if run.returncode != 0:
                raise OSError("".join(run.stderr.strip().splitlines()[-1:]) or "npm ci failed")
            try:
                made.rename(target)
            except OSError:
                # Another process was quicker.
                if not (target / "node_modules").is_dir():
                    raise
    return target / "node_modules"


def ask(
    client: str, addresses: str, seconds: float, settings: Mapping[str, Any] | None = None
) -> Any:
    """What a client finds within some seconds: its answer in JSON, or in words what went wrong.

    The words are "aborts" where the process was ended by a signal, "hangs" where it does not end
    itself, and else "fails: " with the last line that it said.
    """
    program = [sys.executable] if client in PACKAGES else ["node"]
    environment = dict(os.environ)
    if client == "kafkajs":
        environment["NODE_PATH"] = str(modules())
    command = [
        *program,
        str(HERE / _PROGRAMS[client]),
        addresses,
        str(seconds),
        json.dumps(settings or {}),
    ]
    try:
        run = subprocess.run(
            command,
            capture_output=True,
            text=True,
            env=environment,
            timeout=seconds + 120,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return "hangs"
    if run.returncode < 0:
        return "aborts"
    if run.returncode:
        return "fails: " + "".join(run.stderr.strip().splitlines()[-1:])
    return json.loads(run.stdout)
