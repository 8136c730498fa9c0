"""Commands that refuse their arguments."""

from __future__ import annotations

import pytest

from wirebook.cli.main import main


def refused(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    assert main(arguments) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("wirebook: ")
    assert err.count("\n") == 1
    return err
