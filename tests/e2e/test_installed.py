"""The installed program: each command in a fresh environment, in an empty folder, away from the
checkout."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.distributions import environment, run, wheel
from tests.repositories import broken, request, started
from tests.support import ROOT
from wirebook import __version__

pytestmark = [pytest.mark.xdist_group("distributions"), pytest.mark.long]

FALLBACK = "wirebook: no specs here: these are the embedded specs of Kafka\n"
VALUE = '{"GroupId":"g","GenerationId":3,"MemberId":"m","GroupInstanceId":null}'


@pytest.fixture
def installed() -> Path:
    """The programs of an environment that holds the wheel."""
    return environment(wheel())


def test_it_runs_from_where_it_is_installed(installed: Path, tmp_path: Path) -> None:
    done = run(installed / "wirebook", "--version", cwd=tmp_path)
    assert (done.returncode, done.stdout, done.stderr) == (0, f"wirebook {__version__}\n", "")


@pytest.mark.parametrize("packages", [False, True])
def test_the_checkout_is_not_on_the_path(packages: bool, tmp_path: Path) -> None:
    programs = environment(wheel(), packages=packages)
    code = "import sys, wirebook.cli.main as main; print(main.__file__, *sys.path, sep='\\n')"
    file, *path = run(programs / "python", "-c", code, cwd=tmp_path).stdout.splitlines()
    assert Path(file).is_relative_to(programs.parent)
    assert len(path) > 3
    # The packages of the tests are in the checkout, as a rule.
    folders = [tmp_path / name for name in path]
    assert [name for name in folders if name == ROOT or (name / "mkdocs.yml").exists()] == []
    heavy = run(programs / "python", "-c", "import mkdocs, pyspark", cwd=tmp_path)
    assert (heavy.returncode == 0) == packages, heavy.stderr


def test_the_check_and_the_report_judge_a_change(installed: Path, tmp_path: Path) -> None:
    repo = started(tmp_path / "repo")
    repo.spec(broken())
    done = run(
        installed / "wirebook", "check", "--against", "HEAD", "--format", "json", cwd=repo.folder
    )
    assert done.returncode == 1, done.stderr
    document = json.loads(done.stdout)
    assert document["tool"]["version"] == __version__
    assert "type-changed" in {finding["rule"] for finding in document["findings"]}
    report = run(installed / "wirebook", "report", "--against", "HEAD", cwd=repo.folder)
    assert (report.returncode, report.stderr) == (0, "")
    assert "type-changed" in report.stdout
    assert "FetchRequest" in report.stdout
    repo.spec(request())
    clean = run(installed / "wirebook", "check", "--against", "HEAD", cwd=repo.folder)
    assert clean.returncode == 0, clean.stdout


def test_the_reference_and_the_codec_are_at_hand(installed: Path, tmp_path: Path) -> None:
    shown = run(installed / "wirebook", "show", "Fetch", "--version", "12", cwd=tmp_path)
    assert (shown.returncode, shown.stderr) == (0, FALLBACK)
    assert "ClusterId" in shown.stdout
    encoded = run(
        installed / "wirebook", "encode", "HeartbeatRequest", "4", cwd=tmp_path, given=VALUE
    )
    assert (encoded.stdout, encoded.stderr) == ("026700000003026d0000\n", FALLBACK)
    decoded = run(
        installed / "wirebook",
        "decode",
        "HeartbeatRequest",
        "4",
        cwd=tmp_path,
        given=encoded.stdout,
    )
    assert (decoded.stdout, decoded.stderr) == (f"{VALUE}\n", FALLBACK)
    assert list(tmp_path.iterdir()) == []
