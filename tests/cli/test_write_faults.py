"""Whatever write fails, a command leaves what was there or what it makes, never a mix, and cleans up."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from tests.faults import KILLED, KINDS, Fault, run
from tests.fleet.logs import kafka_line
from tests.repositories import Repo, broken, started
from wirebook.cli.main import main
from wirebook.docgen.pipeline.distribute import in_process
from wirebook.specs.output import LIST

pytestmark = [
    pytest.mark.skipif(sys.platform == "win32", reason="needs processes that fork"),
    pytest.mark.long,
]

Files = dict[str, bytes]


def held(folder: Path) -> Files:
    """Every file below a folder."""
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


@dataclass
class Case:
    """A command, its exit code and where it writes; what lies in the folders `left` may be there besides."""

    arguments: tuple[str, ...]
    tops: tuple[str, ...]
    code: int = 0
    left: tuple[str, ...] = ()
    prepare: Callable[[], object] = lambda: None
    survives: bool = False  # ends as if nothing had failed
    units: tuple[str, ...] = ("",)  # folders or files, of which each is old or new after a kill
    one_by_one: bool = False  # or each file is


def tried(case: Case, template: Path, tmp_path: Path) -> int:
    """Let each change of the file system fail, in each way; returns how many there were."""
    work, said = tmp_path / "work", tmp_path / "said"

    def start() -> None:
        os.chdir(work)
        os.environ["XDG_CACHE_HOME"] = str(work / "cache")
        case.prepare()

    def once(kind: str, number: int) -> Fault:
        tops = [work / top for top in case.tops]
        return run(lambda: main(case.arguments), tops, kind, number, said, start)

    def fresh() -> None:
        shutil.rmtree(work, ignore_errors=True)
        shutil.copytree(template, work, symlinks=True)

    def watched() -> Files:
        return {path: text for path, text in held(work).items() if path.startswith(case.tops)}

    fresh()
    before = watched()
    plain = once("", 0)
    assert plain.code == case.code, plain.out
    after = watched()
    assert before != after
    assert not [path for path in after if "wirebook-" in path.replace(LIST, "")]
    count = 0
    for kind in KINDS:
        for number in range(1000):
            fresh()
            fault = once(kind, number)
            if not fault.event:
                assert (fault.code, watched()) == (case.code, after), fault
                break
            count += 1
            judge(case, fault, before, watched(), after)
            if fault.is_cleaning or number % (2 if kind == "kill" else 8) == 0:
                again = once("", 0)
                assert again.code == case.code, (fault, again)
                # What could not be removed waits for a run that writes there.
                done = fault.is_cleaning
                left = {path: text for path, text in watched().items() if not (done and "-tmp-" in path)}
                assert left == after, (fault, sorted(left))
    return count


def judge(case: Case, fault: Fault, before: Files, now: Files, after: Files) -> None:
    """What a failed run leaves is what was there or what is new, and it reports the failure in one line."""
    if fault.kind == "kill":
        assert fault.code == KILLED
    elif not case.survives:
        assert (fault.code in (2, case.code), "Traceback" in fault.out) == (True, False), fault
        if fault.code == 2 and case.code != 2:
            line = fault.out.splitlines()[-1]
            assert line.startswith("wirebook: "), fault
            assert any(top in line for top in case.tops), fault
            assert "No space left" in line or "Input/output error" in line, fault
    else:
        assert fault.code == case.code, fault
    ours = {path: text for path, text in now.items() if not is_temporary(path, case)}
    if fault.kind == "kill" and case.one_by_one:
        assert ours.keys() >= before.keys() & after.keys()
        listed = {path: text for path, text in ours.items() if not path.endswith(LIST)}
        assert all(text in (before.get(path), after.get(path)) for path, text in listed.items())
        return
    for unit in case.units if fault.kind == "kill" else ("",):
        states = [{p: t for p, t in side.items() if p.startswith(unit)} for side in (ours, before, after)]
        assert states[0] in states[1:], (fault, sorted(ours))
    if fault.kind != "kill" and not fault.is_cleaning:
        left = [path for path in now if is_temporary(path, case)]
        assert all(path.startswith(case.left) and "-tmp-" not in path for path in left), (fault, left)


def is_temporary(path: str, case: Case) -> bool:
    return ".wirebook-" in path.replace(LIST, "") or path.startswith(case.left or "\0")


@pytest.fixture
def template(tmp_path: Path) -> Path:
    """A repository with a release, a change that breaks it, and outputs of earlier runs."""
    repo = started(tmp_path / "template")
    repo.git("tag", "1.0.0")
    repo.spec(broken())
    repo.write("out/report.json", "an older report")
    return repo.folder


def test_the_cache_of_baselines(template: Path, tmp_path: Path) -> None:
    given = ("check", "--against", "main", "--released", "1.0.0")
    assert tried(Case(given, ("cache",), 1, survives=True), template, tmp_path) > 10


def test_a_report_that_is_written(template: Path, tmp_path: Path) -> None:
    given = ("check", "--against", "main", "--format", "json", "--output", "out/report.json")
    assert tried(Case(given, ("out",), 1), template, tmp_path) > 9


def test_a_repository_that_is_started(template: Path, tmp_path: Path) -> None:
    (template / ".gitignore").write_text("*.pyc\n")
    # Every file is whole after a kill, and the next run writes the others.
    assert tried(Case(("init", "--yes"), ("",), one_by_one=True), template, tmp_path) > 60


# Folders of output. What Spark does is not tried here: it works in a folder that is not yet the output.


def built(source: str) -> Callable[[], None]:
    """Stand-ins for Spark and MkDocs, which fill the folders."""

    def catalog(_: object, folder: Path, *__: object) -> Any:
        (folder / "api").mkdir()
        (folder / "api" / f"{source}.json").write_text(source)
        (folder / "manifest.json").write_text(source)
        return SimpleNamespace(warnings=(), summary="")

    def site(catalog: Path, folder: Path, *_: object) -> None:
        (folder / "index.html").write_text((catalog / "manifest.json").read_text())
        (folder / source).mkdir()
        (folder / source / "index.html").write_text(source)

    def prepare() -> None:
        options: Any = import_module("wirebook.cli.reference.build_options")
        pipeline: Any = import_module("wirebook.docgen.pipeline.run")
        site_build: Any = import_module("wirebook.docgen.site.build")
        options.check_packages = lambda: None
        pipeline.fill_catalog = catalog
        site_build.render_site = site

    return prepare


def started_in(folder: Path, prepare: Callable[[], object], arguments: Sequence[str]) -> None:
    """An earlier run of the same command, in a process of its own."""

    def start() -> None:
        os.chdir(folder)
        prepare()

    assert run(lambda: main(arguments), [folder], "", 0, folder.parent / "said", start).code == 0


@pytest.mark.parametrize("exchange", [True, False])
def test_a_site_and_its_catalog(exchange: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("mkdocs")
    template = tmp_path / "template"
    (template / "out").mkdir(parents=True)
    given = ("build", "--catalog", "out/catalog", "--site-dir", "out/site")
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1600000000")
    started_in(template, built("one"), given)
    (template / "out" / "site" / "CNAME").write_text("example.org")

    def prepare() -> None:
        output: Any = import_module("wirebook.specs.output")
        built("two")()
        if not exchange:
            output.exchange = lambda *_: False

    units = ("out/catalog/", "out/site/")
    case = Case(given, ("out",), prepare=prepare, units=units, one_by_one=not exchange)
    assert tried(case, template, tmp_path) > 60


def test_an_audit(template: Path, tmp_path: Path) -> None:
    pytest.importorskip("pyspark")

    def prepare() -> None:
        audit: Any = import_module("wirebook.docgen.pipeline.audit")
        audit.distribution = lambda *_: nullcontext(in_process)

    given = ("audit", ".", "--releases", "[0-9]*", "--output", "out/audit")
    started_in(template, prepare, given)
    repo = Repo(template)
    repo.commit("break")
    case = Case(given, ("out/audit", "out/.audit"), prepare=prepare)
    assert tried(case, template, tmp_path) > 30


def test_a_fleet(tmp_path: Path) -> None:
    template, logs = tmp_path / "template", tmp_path / "logs"
    template.mkdir()
    logs.mkdir()
    (logs / "1.log").write_bytes(kafka_line() + b"\n")
    given = ("fleet", str(logs), "--target", "4.0", "--output", "out/fleet", "-q")
    started_in(template, lambda: None, given)
    (logs / "2.log").write_bytes(kafka_line(version=3, at="2026-10-02 10:00:00,123") + b"\n")
    assert tried(Case(given, ("out",)), template, tmp_path) > 20
