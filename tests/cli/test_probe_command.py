"""`wirebook probe`: what it prints and compares, its exit codes, and where passwords do not go."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.cli.probing import of_release, probed
from tests.cli.refusing import refused
from tests.peers.small_broker import Broker, Listener, listening
from wirebook.cli import probe as probe_command
from wirebook.cli.main import main
from wirebook.specs.kafka.brokers import kafka_releases

SECRET = "correct horse"


@pytest.fixture(autouse=True)
def no_password(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(probe_command.PASSWORD, raising=False)


@pytest.fixture
def broker() -> Iterator[Listener]:
    with listening(Broker()) as listener:
        yield listener


def rows(document: Any) -> dict[int, Any]:
    return {row["key"]: row for row in document["brokers"][0]["apis"]}


# One before KRaft, one with both, one without ZooKeeper.
OFTEN = ("0.10.0", "3.6", "4.3")


@pytest.mark.parametrize("release", ["0.10.0", "3.6", "4.3"])
def test_a_release_is_known_by_its_answer(release: str, capsys: pytest.CaptureFixture[str]) -> None:
    for kind in kafka_releases().broker(release).listeners:
        with listening(of_release(release, kind)) as listener:
            found = probed(capsys, listener.address)["brokers"][0]
        assert release in found["like"]["releases"]
        assert found["like"]["exact"]
        assert found["like"]["lacking"] == {}


def test_deprecated_versions_are_those_of_the_release(capsys: pytest.CaptureFixture[str]) -> None:
    for release, versions in (("3.8", "0-3"), ("3.6", None)):
        with listening(of_release(release)) as listener:
            assert rows(probed(capsys, listener.address))[1]["notes"].get("deprecated") == versions


def test_the_table(broker: Listener, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["probe", broker.address]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == f"{broker.address}: 5 APIs, by ApiVersions 5"
    assert lines[1].startswith("  nearest is 3.8")
    assert "    0  Produce           0-11   0-11     0-6 deprecated" in lines
    assert any(line.startswith("  in that release but not here: Fetch 0-16, ") for line in lines)


def test_brokers_that_differ(capsys: pytest.CaptureFixture[str]) -> None:
    with listening(of_release("3.9")) as old, listening(of_release("4.3")) as new:
        assert main(["probe", old.address, new.address]) == 1
        out = capsys.readouterr().out
        assert "APIs differ between the 2 brokers that answered:" in out
        assert ["1", "Fetch", "0-17", "4-18", "4-17"] in [line.split() for line in out.splitlines()]
        assert main(["probe", old.address, old.address]) == 0, "named twice, it is asked once"


def test_one_of_several_that_does_not_answer(
    broker: Listener, capsys: pytest.CaptureFixture[str]
) -> None:
    with listening(Broker()) as gone:
        pass
    document = probed(capsys, broker.address, gone.address, code=2)
    assert document["brokers"][1]["failure"].startswith("no connection: ")
    assert main(["probe", gone.address]) == 2
    assert capsys.readouterr().out.startswith(f"{gone.address}: no connection: ")


def test_passwords_come_from_files_variables_or_people_and_go_nowhere(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "password"
    file.write_bytes(b"\xef\xbb\xbf" + SECRET.encode() + b"\r\n")  # as PowerShell writes UTF-8
    wrong = tmp_path / "wrong"
    wrong.write_text(SECRET + "!")
    server = Broker(users={"alice": SECRET}, mechanisms=["PLAIN", "SCRAM-SHA-256"])
    with listening(server) as listener:
        log_in = [listener.address, "--sasl", "SCRAM-SHA-256", "--user", "alice"]
        assert (
            probed(capsys, *log_in, "--password-file", str(file))["brokers"][0]["failure"] is None
        )
        for format_ in ("text", "json"):
            arguments = ["probe", *log_in, "--password-file", str(wrong), "--format", format_]
            assert main(arguments) == 2
            out, err = capsys.readouterr()
            assert "Authentication failed" in out
            assert SECRET not in out + err
        assert "wirebook: without --tls, anyone on the network can read" in err
        assert "no password" in refused(capsys, "probe", *log_in)
        monkeypatch.setattr("sys.stdin.isatty", lambda: True, raising=False)
        monkeypatch.setattr("getpass.getpass", lambda prompt: SECRET if "alice" in prompt else "")
        assert probed(capsys, *log_in)["brokers"][0]["failure"] is None
        monkeypatch.setenv(probe_command.PASSWORD, SECRET)
        monkeypatch.delattr("getpass.getpass")
        log_in[2] = "plain"
        assert "--allow-plaintext" in refused(capsys, "probe", *log_in)
        log_in.append("--allow-plaintext")
        assert probed(capsys, *log_in)["brokers"][0]["failure"] is None


@pytest.mark.parametrize(
    "given", [["--password", SECRET], [f"--password={SECRET}"], ["--passwor", SECRET]]
)
def test_no_option_takes_a_password(given: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as left:
        main(["probe", "localhost:1", *given])
    assert left.value.code == 2
    out, err = capsys.readouterr()
    assert "a password on the command line is visible" in err or "ambiguous" in err
    assert SECRET not in out + err
