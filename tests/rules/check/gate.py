"""The check of two directories."""

from __future__ import annotations

import pytest

from wirebook.cli.main import main


def check(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str]:
    code = main(["check", *arguments])
    done = capsys.readouterr()
    return code, done.out + done.err
