"""Edits under `wirebook serve`: only the edited page is rendered, and the whole site follows."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest
from mkdocs.commands.build import build
from mkdocs.config import load_config
from mkdocs.exceptions import Abort
from mkdocs.livereload import LiveReloadServer

from tests.docgen.site_requests import site_request
from tests.docgen.without_spark import catalog
from tests.repositories import request, response
from tests.support import ROOT, free_port
from wirebook.docgen.pipeline.edited import EditedDocuments
from wirebook.docgen.pipeline.inputs import own_pages, renew_pages, write_pages
from wirebook.docgen.site.edits import Edits
from wirebook.docgen.site.mkdocs_config import builtin_config
from wirebook.docgen.site.own_config import fitted_settings
from wirebook.docgen.site.plugin import WirebookPlugin
from wirebook.docgen.site.watch import Watched
from wirebook.specs.kafka.registry import embedded_path
from wirebook.specs.kafka.texts import TEXTS


class Served:
    """A site that a server has built once, and its specs."""

    def __init__(self, folder: Path, edits: Edits, server: LiveReloadServer) -> None:
        self.folder, self.edits, self.server = folder, edits, server

    def page(self, path: str) -> str:
        return (Path(self.server.root) / path / "index.html").read_text(encoding="utf-8")

    def written(self, edit: Callable[[], object]) -> set[str]:
        """The pages that an edit has rendered."""
        root = Path(self.server.root)
        for page in root.rglob("*.html"):
            os.utime(page, (1, 1))
        edit()
        self.edits.build()
        return {
            page.parent.relative_to(root).as_posix()
            for page in root.rglob("*.html")
            if page.stat().st_mtime > 1
        }


@pytest.fixture
def served(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Served]:
    monkeypatch.setenv("NO_MKDOCS_2_WARNING", "1")
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    monkeypatch.chdir(tmp_path)
    source = tmp_path / "source"
    (source / "guide").mkdir(parents=True)
    (source / "guide" / "begin.md").write_text("# Begin\n\nAn old sentence.\n")
    (source / "profile.toml").write_text('name = "small"\n[site]\nguides = ["guide"]\n')
    for spec in (request(), response()):
        (source / f"{spec['name']}.json").write_text(json.dumps(spec))
    made = catalog(tmp_path / "catalog", source=str(source))
    built = replace(site_request(source), catalog=made)

    def rebuild() -> None:
        catalog(tmp_path / "again", source=str(source))
        (tmp_path / "catalog").rename(tmp_path / "former")
        (tmp_path / "again").rename(tmp_path / "catalog")

    watched = Watched(
        source,
        rebuild,
        own_pages(built),
        partial(renew_pages, built),
        EditedDocuments(built).changed,
        partial(write_pages, built),
    )
    site = builtin_config()
    with fitted_settings(made, site) as settings:
        config = load_config(
            str(site.file),
            site_dir=str(tmp_path / "site"),
            strict=False,
            plugins=site.with_options(catalog=str(made), watched=watched),
            **settings,
        )
        config.plugins.on_startup(command="serve", dirty=False)
        config.site_url = "http://127.0.0.1:8000/"
        build(config, serve_url=config.site_url)
        server = LiveReloadServer(lambda: None, "127.0.0.1", 8000, config.site_dir)
        config.plugins.on_serve(server, config=config, builder=server.builder)
        plugin = config.plugins["wirebook"]
        assert isinstance(plugin, WirebookPlugin)
        edits = plugin.edits
        assert edits is not None
        yield Served(source, edits, server)
        edits.stop()
        server.server_close()


def test_an_edit_renders_the_edited_pages_and_the_whole_site_follows(served: Served) -> None:
    spec = served.folder / f"{request()['name']}.json"
    guide = served.folder / "guide" / "begin.md"
    api = next(path.name for path in (Path(served.server.root) / "api").iterdir() if path.is_dir())

    def edit_spec() -> None:
        field = {"name": "Novel", "type": "int8", "versions": "0+", "about": "A new word."}
        spec.write_text(json.dumps({**request(), "fields": [field]}))

    def edit_guide() -> None:
        guide.write_text("# Begin\n\nAnother sentence.\n")

    def broken() -> None:
        spec.write_text("{")

    written = served.written(edit_spec)
    assert f"api/{api}" in written
    assert {page.split("/")[0] for page in written} == {"api"}
    assert "A new word." in served.page(f"api/{api}")
    assert "Novel" not in served.page("fields")
    assert served.written(edit_guide) == {"guide/begin"}
    assert "Another sentence." in served.page("guide/begin")
    assert served.written(lambda: None) == set()
    first = served.server.root
    until = time.monotonic() + 300
    while served.server.root == first and time.monotonic() < until:
        time.sleep(0.2)
        if served.edits.whole.ready is not None:
            served.edits.build()
    assert "Novel" in served.page("fields")
    assert "Another sentence." in served.page("guide/begin")
    assert "A new word." in served.page(f"api/{api}")
    # Later edits are shown in the new folder.
    assert served.written(lambda: guide.write_text("# Begin\n\nA third one.\n")) == {"guide/begin"}
    with pytest.raises(Abort, match=rf"wirebook: {spec.name}"):
        served.written(broken)
    assert "A new word." in served.page(f"api/{api}")


def _text(address: str) -> str:
    with suppress(OSError), urllib.request.urlopen(address, timeout=60) as answer:
        return str(answer.read().decode())
    return ""


def _processor_time(process: int) -> float:
    """Of the main thread, which renders; others look for changes and answer the requests of the test."""
    fields = Path(f"/proc/{process}/task/{process}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


@pytest.mark.long
@pytest.mark.skipif(not Path("/proc/self/stat").is_file(), reason="processor time is read from /proc")
def test_an_edit_of_kafkas_site_is_visible_within_three_seconds(tmp_path: Path) -> None:
    """In processor time, because other tests run at the same time."""
    checkout = tmp_path / "checkout"
    names = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=True).stdout
    for name in filter(lambda name: os.path.lexists(ROOT / name), names.decode().rstrip("\0").split("\0")):
        (checkout / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(ROOT / name, checkout / name, follow_symlinks=False)
    port = free_port()
    environment = os.environ | {"PYTHONPATH": str(checkout)}
    command = [sys.executable, "-m", "wirebook.cli.main", "serve", "--port", str(port)]
    pages = {
        TEXTS / "Fetch.json": ("api/fetch/", '"purpose": "', '"purpose": "Novelty. '),
        embedded_path("FetchRequest"): (
            "api/fetch/",
            '"fields": [',
            '"fields": [{"name": "Novelty", "type": "int8", "versions": "18+", "ignorable": true},',
        ),
        ROOT / "site_src" / "bytes.md": ("bytes/", "\n\n", "\n\nNovelty.\n\n"),
    }
    with subprocess.Popen(command, cwd=checkout, env=environment) as serving:
        try:
            address = f"http://127.0.0.1:{port}/"
            while "Fetch" not in _text(f"{address}api/fetch/"):
                assert serving.poll() is None
                time.sleep(1)
            for file, (page, old, new) in pages.items():
                path = checkout / file.relative_to(ROOT)
                text = path.read_text(encoding="utf-8")
                for written in (text.replace(old, new, 1), text):
                    before = _processor_time(serving.pid)
                    path.write_text(written, encoding="utf-8")
                    while ("Novelty" in _text(address + page)) == (written is text):
                        assert serving.poll() is None
                        time.sleep(0.1)
                    # The rest of the three seconds: the server looks for changes every half second.
                    assert _processor_time(serving.pid) - before < 2.4, path
        finally:
            serving.terminate()
