"""Removals and deprecations graded by what a fleet still sends, and folders that are none."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from tests.fleet.logs import kafka_line
from tests.rules.check.running import Run
from tests.support import ROOT
from wirebook.cli.gate.check import FORMATS
from wirebook.cli.main import main
from wirebook.rules.grading import REMOVALS
from wirebook.rules.meta_rules import all_rules
from wirebook.rules.usage.model import MOST_SENDERS
from wirebook.rules.usage.reading import read_usage
from wirebook.specs.output import LIST
from wirebook.specs.problems import InputError
from wirebook.specs.versions import VersionSet

EVIL = "<b>evil\x1b[31m|`x`\u202e"
FETCH: dict[str, Any] = {
    "apiKey": 1,
    "type": "request",
    "name": "FetchRequest",
    "listeners": ["broker"],
    "validVersions": "0-9",
    "deprecatedVersions": "0-3",
    "flexibleVersions": "none",
    "fields": [],
}
ANSWER: dict[str, Any] = {
    "apiKey": 1,
    "type": "response",
    "name": "FetchResponse",
    "validVersions": "0-9",
    "flexibleVersions": "none",
    "fields": [],
}


@pytest.fixture(scope="module")
def used(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The output for a fleet in which billing-export sends Fetch 3, and others versions of their own."""
    pytest.importorskip("pyarrow")
    from wirebook.fleet.run import FleetRequest, fleet

    folder = tmp_path_factory.mktemp("fleet")
    lines = []
    for day, number in (("2026-11-19", 5), ("2026-11-20", 12)):
        at = f"{day} 10:00:00,123"
        lines += [kafka_line(version=3, client_id="billing-export", principal="User:b", at=at)] * number
    lines += [kafka_line(version=2, client_id=EVIL, at="2026-11-20 11:00:00,000")]
    lines += [kafka_line(version=7, client_id="shop", at="2026-11-20 11:00:00,000")] * 40
    lines += [kafka_line(key=4, version=1, client_id="1", at="2026-11-20 11:00:00,000")]
    lines += [kafka_line(key=18, version=0, principal=f"User:many-{number}") for number in range(30)]
    (folder / "a.log").write_bytes(b"\n".join(lines) + b"\n")
    (folder / "owners.toml").write_text('[[owner]]\nteam = "payments"\nprincipal = "User:b"\n')
    given = FleetRequest([str(folder / "a.log")], "4.0", folder / "out", owners=folder / "owners.toml")
    fleet(given)
    return folder / "out"


def sides(folder: Path, key: int = 1, name: str = "Fetch", **new: Any) -> tuple[str, ...]:
    """The options for two sides, of which the new one has other values."""
    for side, more in (("old", {}), ("new", new)):
        (folder / side).mkdir(parents=True, exist_ok=True)
        for spec in (FETCH, ANSWER):
            kept = {item: value for item, value in more.items() if item in spec}
            whole = {**spec, **kept, "apiKey": key, "name": spec["name"].replace("Fetch", name)}
            (folder / side / f"{whole['name']}.json").write_text(json.dumps(whole))
    return ("--old", "old", "--new", "new")


def test_a_removal_that_was_announced_is_a_warning_where_clients_still_send_it(
    used: Path,
    check: Run,
    tmp_path: Path,
) -> None:
    given = (*sides(tmp_path, validVersions="4-9", deprecatedVersions="none"), "--released", "old")
    plain = json.loads(check(tmp_path, *given, "--format", "json").out)
    done = check(tmp_path, *given, "--fleet", str(used), "--format", "json")
    document = json.loads(done.out)
    (before,), (found,) = plain["findings"], document["findings"]
    assert found["rule"] == "lowest-version-raised"
    assert (before["severity"], found["severity"]) == ("info", "warning")
    use = found.pop("use")
    assert {**before, "severity": "warning"} == found
    assert (use["versions"], use["requests"], use["clients"]) == ("2-3", 18, 2)
    first = use["senders"][0]
    assert (first["client_id"], first["owner"], first["versions"]) == ("billing-export", "payments", "3")
    assert (first["requests"], first["last_day"], first["last_day_requests"]) == (17, "2026-11-20", 12)
    assert document["fleet"] == {
        "first": "2026-10-01",
        "last": "2026-11-20",
        "left_out": 0,
        "deprecations": [],
    }
    assert done.code == 0
    assert check(tmp_path, *given, "--fleet", str(used), "--fail-on", "warning").code == 1
    assert check(tmp_path, *given, "--fail-on", "warning").code == 0
    schema = json.loads((ROOT / "rules/schema/findings.json").read_text())
    assert [error.message for error in Draft202012Validator(schema).iter_errors(document)] == []


def test_a_removal_that_nobody_sends_stays_what_it_is(used: Path, check: Run, tmp_path: Path) -> None:
    given = (*sides(tmp_path, validVersions="2-9", deprecatedVersions="2-3"), "--released", "old")
    (found,) = json.loads(check(tmp_path, *given, "--fleet", str(used), "--format", "json").out)["findings"]
    assert (found["severity"], found["use"]["requests"], found["use"]["senders"]) == ("info", 0, [])
    text = check(tmp_path, *given, "--fleet", str(used)).out
    words = "no client of the fleet sends these versions of Fetch from 2026-10-01 to 2026-11-20"
    assert words in " ".join(text.split())


def test_what_only_brokers_send_is_no_warning(used: Path, check: Run, tmp_path: Path) -> None:
    given = sides(tmp_path, 4, "LeaderAndIsr", validVersions="2-9", deprecatedVersions="2-3")
    done = check(tmp_path, *given, "--released", "old", "--fleet", str(used), "--format", "json")
    (found,) = json.loads(done.out)["findings"]
    assert (found["severity"], found["use"]["requests"], found["use"]["between_servers"]) == ("info", 1, True)


def test_a_waiver_accepts_the_same_finding(used: Path, check: Run, tmp_path: Path) -> None:
    given = (*sides(tmp_path, validVersions="4-9", deprecatedVersions="none"), "--released", "old")
    marks = [
        json.loads(check(tmp_path, *given, *more, "--format", "json").out)["findings"][0]["fingerprint"]
        for more in ((), ("--fleet", str(used)))
    ]
    assert marks[0] == marks[1]


def test_a_deprecation_in_use_is_reported(used: Path, check: Run, tmp_path: Path) -> None:
    given = sides(tmp_path, deprecatedVersions="0-7")
    done = check(tmp_path, *given, "--fleet", str(used), "--format", "json")
    document = json.loads(done.out)
    (found,) = document["fleet"]["deprecations"]
    assert (found["message_name"], found["versions"], found["use"]["versions"]) == (
        "FetchRequest",
        "4-7",
        "7",
    )
    assert document["notices"] == [
        "FetchRequest deprecates versions 4-7: shop, 40 requests on 2026-11-20, still sends Fetch v7"
    ]
    unused = json.loads(
        check(
            tmp_path, *sides(tmp_path, deprecatedVersions="0-6"), "--fleet", str(used), "--format", "json"
        ).out
    )
    assert unused["fleet"]["deprecations"][0]["use"]["requests"] == 0
    assert unused["notices"] == []


@pytest.mark.parametrize("form", FORMATS)
def test_every_format_names_who_sends_it_and_nothing_of_it_is_alive(
    form: str,
    used: Path,
    check: Run,
    tmp_path: Path,
) -> None:
    given = (*sides(tmp_path, validVersions="4-9", deprecatedVersions="none"), "--fleet", str(used))
    text = check(tmp_path, *given, "--format", form).out
    assert ("billing-export" in text) == (form != "concise")
    assert "\x1b" not in text
    assert "\u202e" not in text
    if form in ("markdown", "junit"):
        assert "<b>evil" not in text


@pytest.mark.parametrize("form", ["markdown", "html", "json"])
def test_the_report_names_who_must_act(
    form: str, used: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    given = (*sides(tmp_path, validVersions="4-9", deprecatedVersions="4-8"), "--released", "old")
    monkeypatch.chdir(tmp_path)
    assert main(["report", *given, "--fleet", str(used), "--format", form]) == 0
    text = capsys.readouterr().out
    if form == "json":
        document = json.loads(text)
        schema = json.loads((ROOT / "rules/schema/report.json").read_text())
        assert [error.message for error in Draft202012Validator(schema).iter_errors(document)] == []
        uses = {item["cause"]: item["use"] for item in document["consequences"]}
        assert {cause: use["versions"] for cause, use in uses.items()} == {
            "removed": "2-3",
            "deprecated": "7",
        }
        return
    assert "<b>evil" not in text
    who = text.partition("Who must act")[2] if form == "markdown" else text.rpartition(">Who must act<")[2]
    for word in (
        "still sent",
        "billing-export, apache-kafka-java 3.9.0",
        "payments",
        "12 requests on 2026-11-20",
    ):
        assert word in who, word


def test_the_clients_of_a_version_are_bounded_and_counted(used: Path) -> None:
    use = read_usage(used).of(18, "ApiVersions", VersionSet.of([0]))
    assert use is not None
    assert (use.clients, len(use.senders), use.is_least) == (30, MOST_SENDERS, False)


def test_another_api_under_the_same_key_is_not_graded(used: Path, check: Run, tmp_path: Path) -> None:
    given = (
        *sides(tmp_path, 1, "Other", validVersions="4-9", deprecatedVersions="none"),
        "--fleet",
        str(used),
    )
    document = json.loads(check(tmp_path, *given, "--format", "json").out)
    assert [item for item in document["findings"] if "use" in item] == []
    assert document["notices"] == [
        "the fleet has other APIs under the keys of Other: they are not graded by use"
    ]


def _changed(change: Callable[[dict[str, Any]], Any]) -> Callable[[Path], None]:
    def write(folder: Path) -> None:
        path = folder / "summary.json"
        document = json.loads(path.read_text())
        change(document)
        path.write_text(json.dumps(document))

    return write


@pytest.mark.parametrize(
    ("damage", "words"),
    [
        (lambda folder: (folder / "summary.json").unlink(), "summary.json: cannot be read"),
        (lambda folder: (folder / "summary.json").write_text("{"), "it is not JSON"),
        (lambda folder: (folder / "summary.json").write_text("[" * 100_000), "it is not JSON"),
        (lambda folder: (folder / "summary.json").write_text("[]"), "of another version of wirebook"),
        (lambda folder: (folder / LIST).unlink(), "not the output of wirebook fleet"),
        (_changed(lambda value: value.pop("by_version")), "of another version of wirebook"),
        (_changed(lambda value: value.update(schema="wirebook/fleet/1")), "of another version of wirebook"),
        (_changed(lambda value: value["by_version"][0].update(version="1")), "is damaged"),
        (_changed(lambda value: value["by_version"][0].update(senders=None)), "is damaged"),
        (_changed(lambda value: value.update(period=3)), "is damaged"),
    ],
)
def test_a_folder_that_is_no_fleet_is_refused_in_one_line(
    damage: Callable[[Path], None],
    words: str,
    used: Path,
    tmp_path: Path,
) -> None:
    shutil.copytree(used, tmp_path / "out")
    damage(tmp_path / "out")
    with pytest.raises(InputError, match=words) as caught:
        read_usage(tmp_path / "out")
    assert "\n" not in str(caught.value)


def test_a_wrong_folder_ends_with_2(used: Path, check: Run, tmp_path: Path) -> None:
    given = sides(tmp_path, validVersions="4-9", deprecatedVersions="none")
    for folder, words in (
        ("none", "there is no such folder"),
        ("old", "this is not the output of wirebook fleet"),
    ):
        done = check(tmp_path, *given, "--fleet", folder)
        assert done.code == 2
        assert words in done.err
        assert done.err.count("\n") == 1


def test_the_removals_are_rules() -> None:
    assert {rule.name for rule in all_rules()} >= REMOVALS
