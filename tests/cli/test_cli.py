"""The command line: what each command prints, and one clear line with exit 2 for what cannot be
used."""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.refusing import FALLBACK, refused
from tests.specs.wire.bases import BASE
from tests.support import ROOT
from wirebook.cli import exits
from wirebook.cli import main as command_line
from wirebook.cli.arguments import Arguments
from wirebook.cli.commands import COMMANDS, GROUPS
from wirebook.cli.main import main

PING = {"name": "PingRequest", "validVersions": "0"}
ODD = BASE | {"name": "OddRequest", "apiKey": 2, "validVersions": "none", "fields": []}


@pytest.fixture
def source(tmp_path: Path) -> Path:
    folder = tmp_path / "source"
    folder.mkdir()
    (folder / "FooRequest.json").write_text(json.dumps(BASE, indent=1))
    (folder / "FooResponse.json").write_text(
        json.dumps(BASE | {"type": "response", "name": "FooResponse"})
    )
    (folder / "OddRequest.json").write_text(json.dumps(ODD))
    return folder


def test_an_unknown_command_names_the_nearest(capsys: pytest.CaptureFixture[str]) -> None:
    assert "did you mean check?" in refused(capsys, "chek")
    assert "there are check, report" in refused(capsys, "qqq")


def test_the_help_lists_each_command_in_its_group(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["--help"])
    out = capsys.readouterr().out
    listed = re.findall(
        r"^(?:([a-z ]+):|  ([a-z]+) +\S.*)$", out.partition("exit\n\n")[2], re.MULTILINE
    )
    assert [title or name for title, name in listed] == [
        each for title, group in GROUPS.items() for each in (title, *group)
    ]
    assert len(COMMANDS) == 18


def test_show_prints_request_and_response_of_the_newest_version(
    source: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["show", "foo", "--source", str(source)]) == 0
    out = capsys.readouterr().out
    assert "FooRequest (API key 1, version 4, flexible)" in out
    assert "FooResponse (API key 1, version 4, flexible)" in out


def test_show_names_a_header_that_has_a_spec(
    source: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    header = {"type": "header", "name": "RequestHeader", "validVersions": "1-2", "fields": []}
    (source / "RequestHeader.json").write_text(json.dumps(header | {"flexibleVersions": "2+"}))
    assert main(["show", "foo", "--source", str(source)]) == 0
    out = capsys.readouterr().out
    assert "FooRequest (API key 1, version 4, flexible, request header 2)" in out
    assert "FooResponse (API key 1, version 4, flexible)" in out


def test_options_may_stand_between_arguments(
    source: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (source / "PingRequest.json").write_text(json.dumps(ODD | PING))
    for arguments in (["0", "{}", "--frame"], ["0", "--frame", "{}"], ["--frame", "0", "{}"]):
        assert main(["encode", "PingRequest", *arguments, "--source", str(source)]) == 0
        assert capsys.readouterr().out == "00000000\n"


def test_a_folder_without_specs_is_told_how_to_begin(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = refused(capsys, "show", "Foo", "--source", str(tmp_path))
    assert "no message specs in it; `wirebook init` and `wirebook new` write some" in text


def test_an_unstable_version_is_not_the_newest(
    source: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (source / "FooRequest.json").write_text(json.dumps(BASE | {"latestVersionUnstable": True}))
    assert main(["show", "FooRequest", "--source", str(source)]) == 0
    assert "version 3" in capsys.readouterr().out


def test_export_is_one_layout_a_line(source: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["export", str(source)]) == 0
    lines = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [(line["message"], line["version"]) for line in lines] == [
        (name, version) for name in ("FooRequest", "FooResponse") for version in range(5)
    ]
    assert {line["schema"] for line in lines} == {"wirebook/layout/1"}
    assert main(["export", str(source), "--api", "FooRequest", "--version", "3"]) == 0
    assert json.loads(capsys.readouterr().out) == next(
        line for line in lines if (line["message"], line["version"]) == ("FooRequest", 3)
    )


def test_the_embedded_specs_are_the_default(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["show", "Fetch", "--version", "12", "--format", "bnf"]) == 0
    out = capsys.readouterr().out
    assert "TAG_BUFFER => ClusterId<tag: 0>\n    ClusterId => COMPACT_NULLABLE_STRING\n" in out


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("Fo", "did you mean Foo"),
        ("FooRequst", "did you mean FooRequest"),
        ("99", "its API keys are 1, 2"),
        ("zzz", 'no API or message "zzz"'),
    ],
)
def test_unknown_names_get_the_nearest(
    source: Path, capsys: pytest.CaptureFixture[str], name: str, words: str
) -> None:
    assert words in refused(capsys, "show", name, "--source", str(source))


def test_broken_specs_are_named_with_line_and_column(
    source: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (source / "FooRequest.json").write_text('{\n  "name": "FooRequest",\n  "validVersions" "0"\n}')
    assert "FooRequest.json:3:19: this is not JSON: expecting" in refused(
        capsys, "export", str(source)
    )


def test_a_hostile_name_reaches_the_terminal_harmless(
    source: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (source / "FooRequest.json").write_text(json.dumps(BASE | {"name": "\x1b[2J\u202eFooRequest"}))
    for form in ("table", "bnf", "json"):
        assert main(["show", "1", "--source", str(source), "--format", form]) == 0
        out = capsys.readouterr().out
        assert "\x1b" not in out
        assert "\u202e" not in out
        assert "\\u001b[2J" in out


@pytest.mark.parametrize("arguments", [[], ["show"], ["show", "Foo", "--version", "x"]])
def test_wrong_usage_is_exit_2_with_a_way_on(
    arguments: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as caught:
        main(arguments)
    assert caught.value.code == 2
    assert "--help" in capsys.readouterr().err


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_helps_with_an_example(
    command: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as caught:
        main([command, "--help"])
    assert caught.value.code == 0
    out = " ".join(capsys.readouterr().out.split())
    assert f"Example: wirebook {command} {COMMANDS[command].example}" in out


def test_a_reader_that_leaves_early_is_no_error() -> None:
    command = f"{sys.executable} -m wirebook.cli.main export | head -n 1"
    done = subprocess.run(
        ["bash", "-c", command],
        capture_output=True,
        text=True,
        check=True,
        env=os.environ | {"PYTHONPATH": str(ROOT)},
    )
    assert json.loads(done.stdout)["schema"] == "wirebook/layout/1"
    assert done.stderr == FALLBACK


def test_reading_commands_load_nothing_heavy() -> None:
    code = (
        "import sys; from wirebook.cli.main import main\n"
        "main(['export', '--api', 'Fetch', '--version', '12']);"
        "print(sorted(m.split('.')[0] for m in sys.modules), file=sys.stderr)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        check=True,
        env=os.environ | {"PYTHONPATH": str(ROOT)},
    )
    loaded = set(done.stderr.replace("'", " ").replace("[", " ").replace(",", " ").split())
    assert not loaded & {
        "pyspark",
        "pyarrow",
        "mkdocs",
        "jinja2",
        "jsonschema",
        "yaml",
        "numpy",
        "pandas",
    }
    assert "wirebook" in loaded


class Broken:
    """A command with a bug, without arguments."""

    def __init__(self, text: str) -> None:
        self.ARGUMENTS: Arguments = {}
        self.text = text

    def run(self, options: argparse.Namespace) -> int:
        raise ValueError(self.text)


def test_an_internal_error_is_one_line_and_exit_code_3(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.delenv("WIREBOOK_TRACEBACK", raising=False)
    monkeypatch.setattr(command_line, "import_module", lambda _: Broken("a\nb \x1b[2J ##[error]"))
    assert main(["show"]) == exits.INTERNAL == 3
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("wirebook: internal error: ValueError: a b ")
    assert err.endswith("WIREBOOK_TRACEBACK=1 shows the traceback\n")
    assert err.count("\n") == 1
    assert "\x1b" not in err
    assert "##[" not in err
