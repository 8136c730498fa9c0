"""Commands in a repository that holds several protocols."""

from __future__ import annotations

import io
import json
import sys
from pathlib import Path

import pytest

import wirebook
from tests.repositories import Repo, api_versions, request, response
from tests.rules.check.gate import check
from tests.rules.check.several import CONFIG, KAFKA, OTTER, dive
from wirebook.cli.main import main


def printed(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str]:
    code = main(list(arguments))
    done = capsys.readouterr()
    return code, " ".join((done.out + done.err).split())


def given(monkeypatch: pytest.MonkeyPatch, text: bytes) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(text)))


def test_a_name_is_found_in_its_protocol(both: Repo, capsys: pytest.CaptureFixture[str]) -> None:
    assert printed(capsys, "show", "DiveRequest")[0] == 0
    assert printed(capsys, "show", "ApiVersions")[0] == 0
    code, out = printed(capsys, "show", "FetchRequest")
    assert (code, '"FetchRequest" is in several protocols: kafka, otter; choose one with' in out) == (2, True)
    assert printed(capsys, "show", "FetchRequest", "--protocol", "kafka")[0] == 0
    code, out = printed(capsys, "show", "Dive", "--protocol", "kafka")
    assert (code, 'there is no API or message "Dive"' in out) == (2, True)
    code, out = printed(capsys, "show", "Dive", "--protocol", "newt")
    assert (code, 'there is no protocol "newt" in ' in out and "; it has kafka, otter" in out) == (2, True)
    code, out = printed(capsys, "show", "Divx")
    assert (code, "did you mean Dive" in out) == (2, True)
    code, out = printed(capsys, "show", "Fetch", "--source", "kafka", "--protocol", "otter")
    assert (code, "it has one protocol; leave --protocol out" in out) == (2, True)


def test_a_message_is_found_in_its_protocol_without_its_ending(
    both: Repo, capsys: pytest.CaptureFixture[str]
) -> None:
    profile = 'name = "otter"\nmessage_types = ["event"]\n[suffixes]\nevent = "Event"\n'
    both.write("otter.toml", profile)
    both.write("wirebook.toml", CONFIG.replace('listeners = ["gateway"]', 'profile = "otter.toml"'))
    both.spec({**request(type="event", name="WakeEvent", apiKey=None, listeners=None)}, OTTER)
    code, out = printed(capsys, "show", "Wake")
    assert (code, out.startswith("WakeEvent (version 2,")) == (0, True), out
    code, out = printed(capsys, "bump", "Wake")
    assert (code, "WakeEvent.json" in out) == (0, True), out


@pytest.mark.parametrize("place", [".", "proto", "proto/messages"])
def test_export_names_the_protocol_of_each_layout(
    place: str, both: Repo, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(both.folder / place)
    assert main(["export"]) == 0
    lines = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert {line["protocol"] for line in lines if line["message"] == "FetchRequest"} == {"kafka", "otter"}
    assert main(["export", "--protocol", "otter", "--version", "3"]) == 0
    lines = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert {line["message"] for line in lines} == {"DiveRequest", "DiveResponse"}


@pytest.mark.parametrize("source", ["HEAD", ".", "HEAD:proto/messages"])
def test_a_source_has_the_protocols_of_its_configuration(
    source: str, both: Repo, capsys: pytest.CaptureFixture[str]
) -> None:
    name = f"git:.@{source}" if ":" in source else {"HEAD": "git:HEAD"}.get(source, source)
    assert main(["export", name]) == 0
    lines = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert {line["protocol"] for line in lines if line["message"] == "DiveRequest"} == {"otter"}


def test_bytes_are_those_of_the_protocol_that_is_named(
    both: Repo, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    both.spec(request(fields=[{"name": "A", "type": "int8", "versions": "0+", "about": "A."}]), OTTER)
    for name, bytes_ in (("otter", "07"), ("kafka", "000000000000")):
        given(monkeypatch, b'{"A":7}' if name == "otter" else b'{"MaxWaitMs":0,"Topic":""}')
        folder = OTTER if name == "otter" else KAFKA
        named = f"{bytes_} wirebook: using the specs in {folder}"
        assert printed(capsys, "encode", "FetchRequest", "0", "--protocol", name) == (0, named)
    given(monkeypatch, b"07")
    named = f'{{"A":7}} wirebook: using the specs in {OTTER}'
    assert printed(capsys, "decode", "FetchRequest", "0", "--protocol", "otter") == (0, named)
    given(monkeypatch, b"")
    code, out = printed(capsys, "encode", "FetchRequest", "0")
    assert (code, "choose one with --protocol" in out) == (2, True)
    given(monkeypatch, b"")
    code, out = printed(capsys, "encode", "--batch")
    assert (code, ": kafka, otter; choose one with --protocol" in out) == (2, True)


def test_changes_compares_each_protocol_with_itself(both: Repo, capsys: pytest.CaptureFixture[str]) -> None:
    both.git("tag", "1.0")
    both.spec(dive("request", validVersions="0-4"), OTTER)
    both.spec(request(validVersions="0-3"), KAFKA)
    code, out = printed(capsys, "changes", "1.0", "./", "--format", "json")
    assert {change["message_name"] for change in json.loads(out)["changes"]} == {
        "DiveRequest",
        "FetchRequest",
    }
    code, out = printed(capsys, "changes", "1.0", "./", "--format", "json", "--protocol", "kafka")
    assert {change["message_name"] for change in json.loads(out)["changes"]} == {"FetchRequest"}
    code, out = printed(capsys, "changes", "kafka", "./")
    assert (code, ": kafka, otter; choose one with --protocol" in out) == (2, True)
    code, out = printed(capsys, "changes", "kafka", "./", "--api", "ApiVersions", "--protocol", "kafka")
    assert (code, "ApiVersions" in out) == (0, True)


def test_changes_of_one_api_key_are_those_of_two_protocols(
    both: Repo, capsys: pytest.CaptureFixture[str]
) -> None:
    both.git("tag", "1.0")
    both.spec(dive("request", validVersions="0-4"), OTTER)
    both.spec(api_versions("request", validVersions="0-5"), KAFKA)
    assert main(["changes", "1.0", "./"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[2:-1] == [
        "kafka: ApiVersions (API key 18)",
        "  wire     ApiVersionsRequest: versions 4-5 are added",
        "",
        "otter: Dive (API key 18)",
        "  wire     DiveRequest: version 4 is added",
        "",
    ]
    assert lines[-1] == "2 changes in 2 places (2 wire)"
    assert main(["changes", "1.0", "./", "--format", "json"]) == 0
    changes = json.loads(capsys.readouterr().out)["changes"]
    assert [(change["protocol"], change["api"]) for change in changes] == [
        ("kafka", "ApiVersions"),
        ("otter", "Dive"),
    ]


def test_equal_findings_of_two_protocols_are_explained_by_the_fingerprints_of_a_report(
    both: Repo, capsys: pytest.CaptureFixture[str]
) -> None:
    for folder, listener in ((OTTER, "gateway"), (KAFKA, "broker")):
        fields = [{**request()["fields"][0], "type": "int64"}, *request()["fields"][1:]]
        both.spec(request(listeners=[listener], fields=fields), folder)
    main(["check", "--format", "gitlab"])
    plain, second = (issue["fingerprint"] for issue in json.loads(capsys.readouterr().out))
    assert plain != second
    assert main(["explain", plain]) == 0
    assert capsys.readouterr().out.count("error[type-changed]") == 2
    assert main(["explain", second[:9]]) == 0
    out = capsys.readouterr().out
    assert out.count("error[type-changed]") == 1
    assert (OTTER in out, KAFKA in out) == (True, False)


@pytest.mark.parametrize(
    ("name", "apis"),
    [("Dive", ["Dive"]), ("ApiVersionsRequest", ["ApiVersions"]), ("18", ["ApiVersions", "Dive"])],
)
def test_changes_of_an_api_are_those_of_its_protocol(
    name: str, apis: list[str], both: Repo, capsys: pytest.CaptureFixture[str]
) -> None:
    both.git("tag", "1.0")
    both.spec(dive("request", validVersions="0-4"), OTTER)
    both.spec(api_versions("request", validVersions="0-5"), KAFKA)
    assert main(["changes", "1.0", "./", "--format", "json", "--api", name]) == 0
    changes = json.loads(capsys.readouterr().out)["changes"]
    assert [change["api"] for change in changes] == apis
    code, out = printed(capsys, "changes", "1.0", "./", "--api", "Dice")
    assert (code, 'there is no API or message "Dice"' in out, "did you mean Dive" in out) == (2, True, True)


def test_authors_work_in_one_protocol(both: Repo, capsys: pytest.CaptureFixture[str]) -> None:
    code, out = printed(capsys, "new", "request", "Swim")
    assert (code, ": kafka, otter; choose one with --protocol" in out) == (2, True)
    code, out = printed(capsys, "new", "request", "Swim", "--protocol", "otter")
    assert (code, f"wrote {OTTER}/SwimRequest.json, API key 19" in out) == (0, True)
    assert printed(capsys, "bump", "Dive")[0] == 0
    assert "choose one with --protocol" in printed(capsys, "bump", "Fetch")[1]
    assert (
        f"version 3 in {KAFKA}/FetchRequest.json"
        in printed(capsys, "bump", "Fetch", "--protocol", "kafka")[1]
    )


def test_the_library_takes_the_name_of_a_protocol(both: Repo) -> None:
    loaded = wirebook.load(both.folder, "otter")
    assert {message.name for message in loaded} >= {"DiveRequest", "FetchRequest"}
    assert loaded.find("ApiVersionsRequest") is None
    assert wirebook.load(both.folder, "kafka").api("18")[0].negotiates_versions
    with pytest.raises(wirebook.InputError, match="several protocols"):
        wirebook.load(both.folder)


def test_what_is_wrong_with_the_tables_is_told(both: Repo, capsys: pytest.CaptureFixture[str]) -> None:
    both.write("wirebook.toml", CONFIG.replace('paths = ["vendor/kafka/**"]', 'paths = ["**"]'))
    for command in (["show", "Dive"], ["export"], ["export", "."], ["new", "data", "X"]):
        code, out = printed(capsys, *command)
        assert code == 2
        assert "wirebook.toml:8:10: proto/messages/DiveRequest.json belongs to two protocols" in out


def test_a_configuration_below_the_top_counts_from_its_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    repo = Repo(tmp_path / "mono")
    repo.write(
        "team/wirebook.toml", CONFIG.replace("vendor/kafka/**", "kafka").replace("proto/messages", "own")
    )
    for folder, kind in (("own", "request"), ("own", "response")):
        repo.spec(dive(kind), f"team/{folder}")
    repo.spec(request(), "team/kafka")
    repo.spec(response(), "team/kafka")
    repo.commit("first")
    monkeypatch.chdir(repo.folder)
    assert main(["export", "git:HEAD"]) == 0
    lines = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert {(line["protocol"], line["api"]) for line in lines} == {("otter", "Dive"), ("kafka", "Fetch")}
    monkeypatch.chdir(repo.folder / "team")
    assert check(capsys, "--all")[0] == 0


def test_new_writes_the_first_specs_of_each_protocol(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    repo = Repo(tmp_path / "empty")
    monkeypatch.chdir(repo.folder)
    repo.write(
        "wirebook.toml",
        '[[protocol]]\nname = "a"\npaths = ["a/**"]\n'
        '[[protocol]]\nname = "b"\npaths = ["/b/specs"]\nlisteners = ["edge"]\n'
        '[[protocol]]\nname = "c"\npaths = ["*/c/*.json"]\n'
        '[[protocol]]\nname = "d"\n',
    )
    repo.write("a/profile.toml", 'name = "a"\n[suffixes]\nresponse = "Result"\n')
    code, out = printed(capsys, "new", "request", "Ping")
    assert (code, "several protocols in the specs here: a, b, c, d; choose one with --protocol" in out) == (
        2,
        True,
    )
    for name, first in (
        ("a", "wrote a/PingRequest.json, API key 0 wrote a/PingResult.json"),
        ("b", "wrote b/specs/PingRequest.json, API key 0 wrote b/specs/PingResponse.json"),
        ("d", "wrote messages/PingRequest.json, API key 0 wrote messages/PingResponse.json"),
    ):
        code, out = printed(capsys, "new", "request", "Ping", "--protocol", name)
        assert (code, out.startswith(first)) == (0, True), out
    assert json.loads((repo.folder / "b/specs/PingRequest.json").read_text())["listeners"] == ["edge"]
    code, out = printed(capsys, "new", "request", "Ping", "--protocol", "c")
    words = 'wirebook.toml:10:10: the "paths" of the protocol "c" name no folder for its first specs'
    assert (code, words in out) == (2, True), out
    code, out = printed(capsys, "new", "request", "Ping", "--protocol", "x")
    assert (code, 'there is no protocol "x" in the specs here; it has a, b, d, c' in out) == (2, True), out
    # The next ones follow the first; none is chosen because the others are empty.
    code, out = printed(capsys, "new", "request", "Pong", "--protocol", "a")
    assert (code, out.startswith("wrote a/PongRequest.json, API key 1")) == (0, True), out
    assert printed(capsys, "new", "request", "Pong")[0] == 2
    assert check(capsys)[0] == 0
