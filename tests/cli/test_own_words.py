"""Where the specs are those of another protocol, rules and errors have no word of Kafka's."""

from __future__ import annotations

import contextlib
import re
from pathlib import Path

import pytest

from tests.docgen.site.other_protocol import WORDS, otter
from wirebook.cli.main import main
from wirebook.rules.rule import shown_rules

# The name of the schema of a profile's table of servers, whatever the protocol is.
NAMES = re.compile(r"broker-\s*versions", re.IGNORECASE)


@pytest.fixture(scope="module")
def otters(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return otter(tmp_path_factory.mktemp("otter")).folder


@pytest.fixture
def here(otters: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(otters)
    return otters


def words_of(capsys: pytest.CaptureFixture[str], *arguments: str) -> list[str]:
    """The words of Kafka's that a command prints."""
    with contextlib.suppress(SystemExit):
        main(list(arguments))
    captured = capsys.readouterr()
    return WORDS.findall(NAMES.sub("", captured.out + captured.err))


def test_rules_and_their_explanations(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert words_of(capsys, "explain") == []
    named = {rule.name: words_of(capsys, "explain", rule.name) for rule in shown_rules(False)}
    assert {name: words for name, words in named.items() if words} == {}


@pytest.mark.parametrize(
    "arguments",
    [
        ["show", "Helo"],
        ["negotiate"],
        ["negotiate", "--server", "localhost:1"],
        ["negotiate", "--server", "./", "--client", "./", "--require", "None"],
        ["show", "Hello", "--version", "7"],
        ["encode", "HelloRequest", "9"],
        ["encode", "HelloRequest", "0", "--header"],
        ["decode", "Den", "0", "--header"],
        ["new", "topic", "X"],
        ["new", "request", "x"],
        ["bump", "Nothing"],
        ["check", "--against", "v9"],
        ["explain", "tag-reusd"],
        ["changes", "v1.0", "v1.1"],
        ["check", "--against", "v1.0", "--format", "json"],
        ["report", "--against", "v1.0"],
    ],
    ids=" ".join,
)
def test_messages(here: Path, arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    found = words_of(capsys, *arguments)
    # What the user wrote is quoted.
    assert [word for word in found if word not in arguments] == []


def test_broken_specs_are_reported_without_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    repo = otter(tmp_path)
    monkeypatch.chdir(repo.folder)
    repo.write(
        "protocol/BadRequest.json",
        '{ "type": "requst", "name": "bad_request", "validVersions": "0", "scope": 1, "fields": [\n'
        '  { "name": "set_point", "type": "enum", "versions": "0+", "default": "x" },\n'
        '  { "name": "B", "type": "varint", "versions": "0+" },\n'
        '  { "name": "C", "type": "int8", "versions": "0+", "tag": 4, "endian": "little" } ] }',
    )
    assert main(["check"]) == 1
    out = " ".join(capsys.readouterr().out.split())
    assert WORDS.findall(out) == []
    assert "wirebook explain format" in out
    assert 'write "SetPoint"' in out
