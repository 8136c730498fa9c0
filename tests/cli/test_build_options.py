"""What `wirebook build` refuses before any work."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.repositories import request
from tests.support import lay
from wirebook.cli import exits
from wirebook.cli.main import main

pytest.importorskip("mkdocs")


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An empty folder, and a site that can be built."""
    from wirebook.cli.reference import build_options

    monkeypatch.setattr(build_options, "check_packages", lambda: None)
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
def test_results_are_not_written_to_a_uri(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stopped:
        main([*arguments, "s3a://bucket/\x1b[31mfolder"])
    assert stopped.value.code == exits.UNUSABLE
    error = capsys.readouterr().err
    assert error.splitlines()[0] == (
        f'wirebook: argument {arguments[-1]}: "s3a://bucket/\\u001b[31mfolder" is a URI; name a folder of '
        "this machine"
    )
    assert list(Path().iterdir()) == []


def test_all_protocols_are_read_before_the_work_on_any(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from wirebook.docgen.pipeline import run

    def catalog(*_: object) -> object:
        raise AssertionError("the pipeline ran")

    monkeypatch.setattr(run, "fill_catalog", catalog)
    lay(
        tmp_path,
        {"a/FetchRequest.json": request(), "b/FetchRequest.json": {**request(), "name": "<b>Request"}},
    )
    (tmp_path / "wirebook.toml").write_text(
        '[[protocol]]\nname = "a"\npaths = ["/a"]\n[[protocol]]\nname = "b"\npaths = ["/b"]\n'
    )
    assert main(["build", "-q", "--site-dir", "site"]) == exits.UNUSABLE
    assert "<b>Request" in capsys.readouterr().err
    assert not Path("site").exists()
