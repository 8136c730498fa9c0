"""What tests of commands share."""

from pathlib import Path

import pytest

from tests.cli.feeding import feeds

__all__ = ["feeds"]


@pytest.fixture(autouse=True)
def no_specs_here(
    tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> Path:
    """Each test begins in an empty folder: a command that looks for specs would read this whole
    checkout."""
    folder = tmp_path_factory.getbasetemp() / "no-specs-here"
    folder.mkdir(exist_ok=True)
    monkeypatch.chdir(folder)
    return folder
