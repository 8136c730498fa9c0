"""What `wirebook build` does besides the site: a zip file, and the comparison with the last site."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path
from types import SimpleNamespace

import pytest

from tests.repositories import request
from tests.support import lay
from wirebook.cli import exits
from wirebook.cli.main import main

pytest.importorskip("mkdocs")


@pytest.fixture(autouse=True)
def stubs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A pipeline and a renderer that write one file each."""
    from wirebook.cli.reference import build_options
    from wirebook.docgen.pipeline import run
    from wirebook.docgen.site import build as site_build

    def catalog(_request: object, folder: Path, _progress: object) -> object:
        (folder / "manifest.json").write_text("{}")
        return SimpleNamespace(warnings=[], summary="")

    def site(_catalog: Path, folder: Path, *_: object) -> None:
        (folder / "api").mkdir()
        (folder / "index.html").write_text('<a href="api/">APIs</a>')
        (folder / "api" / "index.html").write_text("<p>x</p>")
        inventory = {"schema": "wirebook/anchors/1", "moved": {}, "pages": {"": [], "api/": ["v1"]}}
        (folder / "anchors.json").write_text(json.dumps(inventory))

    monkeypatch.setattr(build_options, "check_ready", lambda _: None)
    monkeypatch.setattr(run, "fill_catalog", catalog)
    monkeypatch.setattr(site_build, "render_site", site)
    monkeypatch.chdir(tmp_path)


def build(*arguments: str) -> int:
    return main(["build", "kafka", "-q", "--site-dir", "site", *arguments])


def last(pages: dict[str, list[str]]) -> None:
    Path("last.json").write_text(json.dumps({"schema": "wirebook/anchors/1", "moved": {}, "pages": pages}))


def test_the_zip_has_the_site(tmp_path: Path) -> None:
    assert build("--zip", "wire.zip") == exits.CLEAN
    with zipfile.ZipFile("wire.zip") as archive:
        assert archive.namelist() == ["wire/anchors.json", "wire/api/index.html", "wire/index.html"]
        assert archive.read("wire/index.html") == b'<a href="api/index.html">APIs</a>'


def test_a_zip_that_cannot_be_is_refused_before_any_work(capsys: pytest.CaptureFixture[str]) -> None:
    assert build("--zip", "site/wire.zip") == exits.UNUSABLE
    assert "folder of the site" in capsys.readouterr().err
    assert not Path("site").exists()


def test_a_site_that_keeps_its_addresses_takes_the_place_of_the_last(tmp_path: Path) -> None:
    last({"": [], "api/": ["v1"]})
    assert build("--keep-anchors", "last.json") == exits.CLEAN
    assert build("--keep-anchors", "site") == exits.CLEAN


def test_a_site_that_loses_an_address_does_not(capsys: pytest.CaptureFixture[str]) -> None:
    last({"api/": ["v1", "v0"], "old/": []})
    assert build("--keep-anchors", "last.json", "--zip", "wire.zip") == exits.UNUSABLE
    assert "lacks 2 addresses of the last one: api/#v0, old/; " in capsys.readouterr().err
    assert not Path("site").exists()
    assert not Path("wire.zip").exists()


def test_an_inventory_that_is_none_is_refused_before_any_work(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    from wirebook.docgen.pipeline import run

    monkeypatch.setattr(run, "fill_catalog", lambda *_: pytest.fail("the pipeline has run"))
    assert build("--keep-anchors", "nothing.json") == exits.UNUSABLE
    assert "nothing.json" in capsys.readouterr().err
    assert not Path("site").exists()


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
        "this machine (--tables URI writes the Parquet tables there)"
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
