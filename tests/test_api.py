"""The public API: lazy, typed, and the same answers as the command line gives."""

from __future__ import annotations

import doctest
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import wirebook
from tests.repositories import FOLDER, broken, request, started
from tests.support import ROOT, history_repo, needs_shared
from wirebook import api
from wirebook.cli.main import main
from wirebook.rules.report import render
from wirebook.rules.report.changes import change_to_json


def python(code: str, cwd: Path = ROOT) -> str:
    """What a fresh interpreter prints for some code, which sees this checkout."""
    command = [sys.executable, "-c", f"import sys; sys.path.insert(0, {str(ROOT)!r})\n{code}"]
    run = subprocess.run(command, cwd=cwd, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
    return run.stdout


def write(folder: Path, *specs: object) -> Path:
    """A folder that holds some specs."""
    folder.mkdir()
    for number, spec in enumerate(specs):
        (folder / f"{number}.json").write_text(json.dumps(spec))
    return folder


# What is imported when.


@pytest.mark.parametrize("code", ["import wirebook", "from wirebook import __version__"])
def test_the_package_imports_nothing_but_its_version(code: str) -> None:
    print_new = "before = set(sys.modules)\n{}\nprint(*sorted(set(sys.modules) - before))"
    assert python(print_new.format(code)).split() == ["wirebook", "wirebook._version"]


def test_a_submodule_does_not_import_the_public_api() -> None:
    code = (
        "import wirebook.cli.main, wirebook.specs.selection\nprint('wirebook.api' in sys.modules)"
    )
    assert python(code) == "False\n"


def test_codecs_and_specs_are_used_without_the_rules() -> None:
    code = "import wirebook\nwirebook.encode('HeartbeatRequest', {}, 4)\nprint(*sys.modules)"
    loaded = set(python(code).split())
    assert "wirebook.specs.codec" in loaded
    assert "wirebook.rules.engine" not in loaded


def test_the_package_and_the_module_offer_the_same_names() -> None:
    for name in api.__all__:
        assert getattr(wirebook, name) is getattr(api, name)
    assert re.fullmatch(r"\d+\.\d+\.\d+", wirebook.__version__)


# What the functions do.


def test_the_examples_of_the_docstrings_run() -> None:
    outcome = doctest.testmod(api, optionflags=doctest.ELLIPSIS)
    assert outcome.failed == 0
    assert outcome.attempted > 15


def test_a_path_is_read_as_a_path_and_a_text_as_a_source(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    repo = started(tmp_path / "repo")
    monkeypatch.chdir(repo.folder)
    committed = wirebook.load("HEAD")
    assert [message.name for message in committed if message.api == "Fetch"] != []
    assert wirebook.load(Path(FOLDER)) == committed
    with pytest.raises(wirebook.InputError, match="no such folder, file"):
        wirebook.load(Path("HEAD"))
    assert len(wirebook.load(".@HEAD")) == len(committed)
    assert wirebook.load(committed) is committed


def test_bad_input_is_located(tmp_path: Path) -> None:
    folder = tmp_path / "specs"
    folder.mkdir()
    text = json.dumps(request()).replace('"flexibleVersions"', '\n  "flexibleVersions" 3,')
    (folder / "FetchRequest.json").write_text(text)
    with pytest.raises(wirebook.InputError) as caught:
        wirebook.load(folder)
    assert caught.value.path == "FetchRequest.json"
    assert caught.value.position is not None
    assert caught.value.position.line == 2


def test_a_message_is_found_in_the_given_source(tmp_path: Path) -> None:
    folder = write(tmp_path / "specs", request(name="OnlyHereRequest"))
    assert wirebook.layout("onlyhererequest", 2, source=folder).name == "OnlyHereRequest"
    with pytest.raises(wirebook.InputError, match="OnlyHereReques"):
        wirebook.layout("OnlyHereReques", 2, source=folder)
    with pytest.raises(wirebook.InputError, match="is an API; name its message: Fetch"):
        wirebook.layout("Fetch", 12)


@pytest.mark.parametrize("data", [bytes, bytearray, memoryview])
def test_a_value_makes_the_round_trip_by_name_message_and_layout(data: type) -> None:
    value = {"GroupId": "g", "GenerationId": 3, "MemberId": "m", "GroupInstanceId": None}
    message = wirebook.load().find("HeartbeatRequest")
    assert message is not None
    laid_out = wirebook.layout(message, 4)
    encoded = {
        wirebook.encode("HeartbeatRequest", value, 4),
        wirebook.encode(message, value, 4),
        wirebook.encode(laid_out, value),
    }
    assert encoded == {bytes.fromhex("026700000003026d0000")}
    assert wirebook.decode(laid_out, data(*encoded)) == value
    assert wirebook.decode("HeartbeatRequest", data(*encoded), 4) == value


def test_bytes_that_do_not_fit_are_located() -> None:
    with pytest.raises(wirebook.WireError) as caught:
        wirebook.decode("HeartbeatRequest", bytes.fromhex("0267000000"), 4)
    assert (caught.value.path, caught.value.offset) == ("GenerationId", 2)


def test_the_check_finds_what_the_command_finds(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    old, new = write(tmp_path / "old", request()), write(tmp_path / "new", broken())
    monkeypatch.chdir(tmp_path)
    result = wirebook.check(old, new)
    command = [
        sys.executable,
        "-m",
        "wirebook.cli.main",
        "check",
        "--old",
        "./old",
        "--new",
        "./new",
    ]
    run = subprocess.run(
        [*command, "--format", "json"],
        env={"PYTHONPATH": str(ROOT), "PATH": os.environ["PATH"]},
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 1, run.stderr
    by_command = {item["fingerprint"] for item in json.loads(run.stdout)["findings"]}
    assert {item.fingerprint for item in result.findings} == by_command
    assert result.failed
    assert result.to_json()["tool"] == {"name": "wirebook", "version": wirebook.__version__}
    # The texts are at hand, so that the formats can show the lines.
    assert "-->" in render(result, "text")
    assert broken()["name"] in render(result, "text")


@needs_shared
@pytest.mark.parametrize(
    ("old", "new"), [("2.8.0", "3.0.0"), pytest.param("3.9.0", "4.0.0", marks=pytest.mark.long)]
)
def test_releases_of_kafka_are_judged_as_the_command_judges_them(
    old: str,
    new: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    sides = [f"{history_repo()}@{release}" for release in (old, new)]
    result = wirebook.check(*sides)
    main(["check", "--old", sides[0], "--new", sides[1], "--format", "json"])
    printed = json.loads(capsys.readouterr().out)["findings"]
    of_api = [
        (item.rule, item.severity, item.message_name, item.message) for item in result.findings
    ]
    of_command = [
        tuple(item[key] for key in ("rule", "severity", "message_name", "message"))
        for item in printed
    ]
    assert sorted(of_api) == sorted(of_command)
    assert len(of_api) > 10
    main(["changes", *sides, "--format", "json"])
    changes = json.loads(capsys.readouterr().out)["changes"]
    assert [change_to_json(change) for change in wirebook.diff(*sides)] == changes


def test_new_specs_are_checked_without_an_old_side(tmp_path: Path) -> None:
    spec = request(fields=[{"name": "A", "type": "int33", "versions": "0+"}])
    result = wirebook.check(None, write(tmp_path / "new", spec))
    assert "unknown-type" in {item.rule for item in result.findings}
    assert result.messages_checked == 1


def test_every_change_is_listed(tmp_path: Path) -> None:
    old, new = write(tmp_path / "old", request()), write(tmp_path / "new", broken())
    changes = wirebook.diff(old, new)
    assert changes
    assert {change.message.name for change in changes if change.message} == {broken()["name"]}
