"""What `wirebook build` refuses before any work."""

from __future__ import annotations

from pathlib import Path

import pytest

from wirebook.cli import exits
from wirebook.cli.main import main

pytest.importorskip("mkdocs")


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An empty folder, and a site that can be built."""
    from wirebook.cli import site_options as options

    monkeypatch.setattr(options, "PACKAGES", ())
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize(
    "arguments",
    [
        ["build", "kafka", "--site-dir"],
        ["build", "kafka", "--catalog"],
        ["audit", ".", "--releases", "*", "--output"],
        ["fleet", "logs", "--output"],
    ],
    ids=" ".join,
)
def test_results_are_not_written_to_a_uri(
    arguments: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as stopped:
        main([*arguments, "s3a://bucket/\x1b[31mfolder"])
    assert stopped.value.code == exits.UNUSABLE
    error = capsys.readouterr().err
    assert error.splitlines()[0] == (
        f'wirebook: argument {arguments[-1]}: "s3a://bucket/\\u001b[31mfolder" is a URI; name a folder of '
        "this machine"
    )
    assert list(Path().iterdir()) == []
