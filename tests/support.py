"""What many tests share: where the given material is, and a clone of the real history."""

from __future__ import annotations

import json
import os
import random
import socket
import subprocess
import tempfile
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parent.parent


def _shared() -> Path | None:
    """`../shared`, or what WIREBOOK_SHARED names; None where only the repository is at hand."""
    given = os.environ.get("WIREBOOK_SHARED")
    folder = Path(given) if given else ROOT.parent / "shared"
    return folder if (folder / "data" / "kafka-history.bundle").is_file() else None


SHARED = _shared()
WITHOUT_SHARED = "needs the given material in ../shared"
needs_shared = pytest.mark.skipif(SHARED is None, reason=WITHOUT_SHARED)


@cache
def history_repo() -> Path:
    """A bare clone of the history bundle, made once a process; without `../shared` the test is
    skipped."""
    if SHARED is None:
        pytest.skip(WITHOUT_SHARED)
    target = Path(tempfile.mkdtemp(prefix="wirebook-history-")) / "history.git"
    bundle = SHARED / "data" / "kafka-history.bundle"
    subprocess.run(["git", "clone", "-q", "--bare", str(bundle), str(target)], check=True)
    return target


def free_port() -> int:
    """A port for a program that listens soon: below those that systems give away meanwhile."""
    while True:
        port = random.SystemRandom().randint(12_000, 30_000)
        with socket.socket() as probe, suppress(OSError):
            probe.bind(("127.0.0.1", port))
            return port


def lay(folder: Path, files: dict[str, Any]) -> Path:
    """Write files below a folder, which is returned; what is not text is written as JSON."""
    for name, content in files.items():
        place = folder / name
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(
            content if isinstance(content, str) else json.dumps(content), encoding="utf-8"
        )
    return folder
