"""Runs of one command at the same time, in one folder: each ends well, and what is left is of one of them."""

from __future__ import annotations

import os
from collections.abc import Callable
from contextlib import nullcontext
from importlib import import_module
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import pytest

from tests.repositories import broken, request, started
from tests.support import lay
from wirebook.cli.main import main
from wirebook.docgen.pipeline.distribute import in_process
from wirebook.docgen.pipeline.run import Filled

pytest.importorskip("pyspark")


def together(*runs: Callable[[], int]) -> list[int | None]:
    """The exit codes of some runs, each in a process of its own."""
    running = [get_context("fork").Process(target=lambda run=run: os._exit(run())) for run in runs]
    for process in running:
        process.start()
    for process in running:
        process.join(600)
    return [process.exitcode for process in running]


def held(folder: Path) -> dict[str, bytes]:
    return {
        path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()
    }


def without_spark() -> None:
    audit: Any = import_module("wirebook.docgen.pipeline.audit")
    audit.distribution = lambda *_: nullcontext(in_process)


def test_audits_of_one_folder(tmp_path: Path) -> None:
    folders = []
    for name in ("one", "two"):
        repo = started(tmp_path / name)
        repo.git("tag", "1.0.0")
        repo.spec(broken() if name == "one" else {**broken(), "name": "GetRequest"})
        repo.commit("break")
        folders.append(repo.folder)

    def audited(repository: Path, output: Path, times: int) -> Callable[[], int]:
        def run() -> int:
            without_spark()
            given = ["audit", str(repository), "--releases", "*", "--output", str(output)]
            return max(main(given) for _ in range(times))

        return run

    alone = [tmp_path / "alone" / folder.name for folder in folders]
    assert together(*(audited(*pair, 1) for pair in zip(folders, alone, strict=True))) == [0, 0]
    target = tmp_path / "out" / "audit"
    assert together(*(audited(folder, target, 5) for folder in (*folders, *folders))) == [0, 0, 0, 0]
    assert held(target) in [held(folder) for folder in alone]
    assert held(alone[0]) != held(alone[1])
    assert [path.name for path in target.parent.iterdir()] == ["audit"]


def test_sites_of_different_sources_with_one_catalog(tmp_path: Path) -> None:
    """Each site is made from its own catalog, whichever of them remains in the shared folder."""

    def build(source: str) -> Callable[[], int]:
        lay(tmp_path / source, {"FetchRequest.json": request()})

        def catalog(_: object, folder: Path, *__: object) -> Filled:
            (folder / "manifest.json").write_text(source)
            return Filled((), "")

        def site(catalog: Path, folder: Path, *_: object) -> None:
            (folder / "index.html").write_text((catalog / "manifest.json").read_text())

        def run() -> int:
            os.chdir(tmp_path)
            options: Any = import_module("wirebook.cli.reference.build_options")
            pipeline: Any = import_module("wirebook.docgen.pipeline.run")
            rendered: Any = import_module("wirebook.docgen.site.build")
            options.check_packages = lambda: None
            pipeline.fill_catalog, rendered.render_site = catalog, site
            return max(main(["build", f"./{source}", "--site-dir", f"site-{source}"]) for _ in range(10))

        return run

    assert together(*map(build, ("one", "two", "three"))) == [0, 0, 0]
    for source in ("one", "two", "three"):
        assert (tmp_path / f"site-{source}" / "index.html").read_text() == source
    assert (tmp_path / "build" / "catalog" / "manifest.json").read_text() in ("one", "two", "three")
    assert [path.name for path in (tmp_path / "build").iterdir()] == ["catalog"]
