"""The client of the guide "Your first client", imported and run as a program."""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
from functools import cache
from typing import Any

from wirebook.docgen.pages.first_client import CLIENT

PASSWORD = "secret"


@cache
def first_client() -> Any:
    """The file as a module."""
    spec = importlib.util.spec_from_file_location("first_client", CLIENT)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def run(address: str, *arguments: str, password: str = PASSWORD, code: int = 0) -> str:
    """What the client prints."""
    environment = {**os.environ, "KAFKA_PASSWORD": password}
    # Isolated and without site-packages: the standard library only.
    command = [sys.executable, "-I", "-S", str(CLIENT), address, *arguments]
    process = subprocess.run(command, capture_output=True, text=True, env=environment, timeout=120)
    assert process.returncode == code, process.stderr
    return process.stdout or process.stderr
