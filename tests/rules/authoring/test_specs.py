"""`wirebook new` and `bump`: what they write, that the check accepts it, and what they refuse."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.repositories import Repo
from wirebook.api import load
from wirebook.cli.main import main

LEVELS = [
    {"id": 0, "version": "1.0-L0", "release": "1.0"},
    {"id": 1, "version": "1.1-L0", "release": "1.1"},
]
HELLO = """\
// Ours.
{
  "apiKey": 4,
  "type": "%s",
  "name": "Hello%s",
  // Version 1 adds Language.
  "validVersions": "0-1",
  "flexibleVersions": "1+", // from the start of 1.1
  "fields": [
    { "name": "Name", "type": "string", "versions": "0+",
      "about": "The name." }
  ]
}
"""


@pytest.fixture
def repo(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Repo:
    """A repository with one API, in which the command runs."""
    made = Repo(tmp_path / "repo")
    for kind in ("Request", "Response"):
        made.write(f"protocol/messages/Hello{kind}.json", HELLO % (kind.lower(), kind))
    made.git("add", "-A")
    made.git("commit", "-qm", "Begin")
    monkeypatch.chdir(made.folder)
    return made


def read(repo: Repo, name: str) -> str:
    return (repo.folder / "protocol" / "messages" / f"{name}.json").read_text(encoding="utf-8")


def test_a_new_pair_has_the_next_key_the_licence_and_the_layout(
    repo: Repo, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["new", "request", "PlaceOrder"]) == 0
    assert capsys.readouterr().out.splitlines()[:2] == [
        "wrote protocol/messages/PlaceOrderRequest.json, API key 5",
        "wrote protocol/messages/PlaceOrderResponse.json, API key 5",
    ]
    protocol = load("./protocol")
    assert [(item.type, item.api_key) for item in protocol.api("PlaceOrder")] == [
        ("request", 5),
        ("response", 5),
    ]
    for kind in ("Request", "Response"):
        text = read(repo, f"PlaceOrder{kind}")
        assert text.startswith("// Ours.\n{\n")
    assert main(["new", "data", "Order"]) == 0
    assert load("./protocol").find("Order") is not None
    assert main(["check", "--all"]) == 0
    # Nothing is wrong but what is still to be written.
    assert "4 warnings; 5 messages checked" in (out := capsys.readouterr().out)
    assert out.count("warning[unwritten-text]") == 4
    assert main(["check", "--all", "--fail-on", "warning"]) == 1


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["request", "placeOrder"], '"placeOrder" is not a name such as PlaceOrder'),
        (["request", "../Order"], '"../Order" is not a name such as PlaceOrder'),
        (["request", "hello"], '"hello" is not a name'),
        (["request", "HELLO"], "protocol/messages/HelloRequest.json: HelloRequest already exists"),
        (
            ["data", "HelloResponse"],
            "protocol/messages/HelloResponse.json: HelloResponse already exists",
        ),
    ],
)
def test_a_name_that_is_none_or_taken_is_refused(
    repo: Repo, arguments: list[str], words: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["new", *arguments]) == 2
    assert words in capsys.readouterr().err
    assert repo.git("status", "--porcelain") == ""


def test_what_no_command_would_read_is_not_written(
    repo: Repo, capsys: pytest.CaptureFixture[str]
) -> None:
    repo.write("wirebook.toml", 'exclude = ["PlaceOrderResponse*"]\n')
    assert main(["new", "request", "PlaceOrder"]) == 2
    assert "PlaceOrderResponse.json: the settings leave out" in capsys.readouterr().err
    assert not (repo.folder / "protocol/messages/PlaceOrderRequest.json").exists()


@pytest.mark.parametrize("name", ["Hello", "helloresponse", "4"])
def test_a_version_is_opened_in_both_halves_and_everything_else_stays(
    repo: Repo, name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["bump", name]) == 0
    assert capsys.readouterr().out.startswith("version 2 in protocol/messages/HelloRequest.json\n")
    for kind in ("Request", "Response"):
        expected = (HELLO % (kind.lower(), kind)).replace('"0-1"', '"0-2"')
        assert read(repo, f"Hello{kind}") == expected
    assert main(["check"]) == 0
    assert "version-without-note" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        (('"0-1"', '"none"'), "has no valid versions"),
        (('"flexible', '"latestVersionUnstable": true, "flexible'), "unstable"),
    ],
)
def test_what_has_no_next_version_is_refused(
    repo: Repo, changed: tuple[str, str], words: str, capsys: pytest.CaptureFixture[str]
) -> None:
    repo.write(
        "protocol/messages/HelloRequest.json", (HELLO % ("request", "Request")).replace(*changed)
    )
    before = read(repo, "HelloRequest"), read(repo, "HelloResponse")
    assert main(["bump", "Hello"]) == 2
    assert words in capsys.readouterr().err
    assert (read(repo, "HelloRequest"), read(repo, "HelloResponse")) == before


def test_where_there_are_no_specs_new_writes_the_first_and_bump_names_init(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["bump", "Foo"]) == 2
    assert "`wirebook init`" in capsys.readouterr().err
    assert main(["new", "data", "Foo"]) == 0
    assert capsys.readouterr().out.startswith("wrote messages/Foo.json\n")
    assert main(["bump", "Foo"]) == 0
