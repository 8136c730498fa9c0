"""Commands that refuse their arguments."""

from __future__ import annotations

import pytest

from wirebook.cli.main import main

# What precedes the answer of a command in a folder without specs, on stderr.
FALLBACK = "wirebook: no specs here: these are the embedded specs of Kafka\n"


def refused(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    assert main(arguments) == 2
    out, err = capsys.readouterr()
    assert out == ""
    err = err.removeprefix(FALLBACK)
    assert err.startswith("wirebook: ")
    assert err.count("\n") == 1
    return err
