"""Fleets read from their logs."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from wirebook.cli.main import main
from wirebook.fleet.run import FleetRequest, fleet


def rows(folder: Path) -> list[dict[str, Any]]:
    """The rows of an output."""
    return [json.loads(line) for line in (folder / "requests.jsonl").read_bytes().splitlines()]


def letters(number: int) -> str:
    """A word for a number: numbers in client ids are what changes by itself."""
    return "".join(chr(ord("a") + int(digit)) for digit in str(number)) + "x"


def asked(logs: Path, output: Path, **more: Any) -> Any:
    """The output for some logs."""
    return fleet(FleetRequest(logs=[str(logs)], target="4.0", output=output, **more))


def refused(capsys: pytest.CaptureFixture[str], *given: str) -> str:
    """The one line of a command that ends with 2."""
    assert main(["fleet", *given]) == 2
    lines = capsys.readouterr().err.strip().splitlines()
    assert len(lines) == 1
    return lines[0]
