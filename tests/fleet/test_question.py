"""The question of a platform engineer: who breaks at 4.0, who owns it, and what has to be upgraded."""

from __future__ import annotations

import json
from collections import defaultdict
from datetime import date, timedelta
from pathlib import Path

import pytest

from tests.fleet.simulation.run import simulate
from wirebook.cli.main import main
from wirebook.specs.kafka.brokers import broker_named

APPLICATIONS, DAYS = 40, 30
# What libraries of several ages send.
KINDS = (
    ("unknown", "unknown", "{ Fetch = [3, 80], Metadata = 1, JoinGroup = [1, 9], ApiVersions = 0 }"),
    ("librdkafka", "2.3.0", "{ Fetch = [11, 80], Produce = [7, 20], Metadata = 9, ApiVersions = 3 }"),
    ("apache-kafka-java", "3.7.0", "{ Fetch = [16, 80], Produce = [10, 20], ApiVersions = 3 }"),
    ("apache-kafka-java", "2.4.0", "{ Fetch = [11, 80], OffsetCommit = [1, 20], ApiVersions = 3 }"),
    ("unknown", "unknown", "{ Fetch = [2, 60], Produce = [2, 60], Metadata = 1 }"),
)
NEW = "{ Fetch = [17, 80], Produce = [12, 9], Metadata = 12, ApiVersions = 4 }"
FREE = "Nothing if it is free to choose its versions"
# The kinds that 4.0 does not serve, with what it refuses, and what has to be sent instead.
REFUSED = {
    0: ({"Fetch": "3", "JoinGroup": "1"}, "Upgrade it to a release that sends Fetch 4-17, JoinGroup 2-9."),
    3: ({"OffsetCommit": "1"}, f"{FREE}: the Java client 2.4 supports OffsetCommit 2-8."),
    4: ({"Produce": "2", "Fetch": "2"}, "Upgrade it to a release that sends Produce 3-12, Fetch 4-17."),
}
UPGRADED = "Upgraded: the application is now apache-kafka-java 4.0.0."
# Applications by the day on which they are upgraded, or from which on they are silent.
UPGRADES, OUTAGES = {0: 9, 4: 15, 9: 27, 14: 20, 6: 3}, {5: 12, 23: 25, 29: 18}


def scenario() -> str:
    """A fleet of 40 applications over 30 days: some are upgraded, some go silent."""
    parts = [f"seed = 5\nstart = 2026-10-01\ndays = {DAYS}\nbrokers = 3\nnoise = 5\ncompress = true\n"]
    for number in range(APPLICATIONS):
        software, version, uses = KINDS[number % len(KINDS)]
        team = f'team = "team-{number % 7}"\n' if number % 8 else ""
        parts.append(
            f'[[application]]\nname = "app-{number:02}"\n{team}clients = {1 + number % 2}\nrequests = 24\n'
            f'software = "{software}"\nsoftware_version = "{version}"\nuses = {uses}\n'
        )
        if number in UPGRADES:
            parts.append(
                f'[[application.upgrade]]\nday = {UPGRADES[number]}\nsoftware = "apache-kafka-java"\n'
                f'software_version = "4.0.0"\nuses = {NEW}\n'
            )
        if number in OUTAGES:
            parts.append(f"[[application.outage]]\nfrom = {OUTAGES[number]}\nuntil = 99\n")
    return "\n".join(parts)


def expected() -> dict[str, tuple[str, str, str, dict[str, str]]]:
    """State, owner, action and refused versions of each application that breaks, by the scenario only."""
    found = {}
    for number in range(APPLICATIONS):
        if number % len(KINDS) not in REFUSED:
            continue
        sends, action = REFUSED[number % len(KINDS)]
        state = "upgraded" if number in UPGRADES else "active"
        if DAYS - OUTAGES.get(number, DAYS) > 7:
            state = "quiet"
        owner = f"team-{number % 7}" if number % 8 else ""
        found[f"User:app-{number:02}"] = (state, owner, UPGRADED if state == "upgraded" else action, sends)
    return found


def test_the_answer_is_the_truth(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "fleet.toml").write_text(scenario())
    simulate(tmp_path / "fleet.toml", tmp_path / "sim")
    given = [str(tmp_path / "sim" / "logs"), "--owners", str(tmp_path / "sim" / "owners.toml")]
    assert main(["fleet", *given, "--target", "4.0", "--output", str(tmp_path / "out")]) == 0
    summary = json.loads((tmp_path / "out" / "summary.json").read_text())
    truth = json.loads((tmp_path / "sim" / "truth.json").read_text())
    # Who breaks, who owns it, what has to be done.
    answer = {
        client["principal"]: (
            client["state"],
            client["owner"],
            client["action"],
            {use["api"]: use["versions"] for use in client["sends"] if use["status"] == "refused"},
        )
        for client in summary["cut_off"]
    }
    wanted = expected()
    assert answer == wanted
    states = [state for state, _, _, _ in wanted.values()]
    counts = summary["applications"]
    assert counts["upgraded"] == states.count("upgraded") > 3
    assert counts["quiet"] == states.count("quiet") > 1
    assert counts["cut_off"] == len(states) - states.count("upgraded")
    # How often, and since when not any more.
    serves = broker_named("4.0").versions
    refused: dict[str, list[str]] = defaultdict(list)
    for row in truth["rows"]:
        if row[7] not in serves[row[6]]:
            refused[row[4]] += [row[12][:19]] * row[10]
    assert {item["principal"]: (item["refused"], item["last_refused"]) for item in summary["cut_off"]} == {
        client: (len(moments), max(moments)) for client, moments in refused.items()
    }
    # By team, and in the terminal.
    teams = {item["owner"]: item["cut_off"] for item in summary["by_owner"]}
    assert teams == {
        team: sum(owner == team and state != "upgraded" for state, owner, _, _ in wanted.values())
        for team in teams
    }
    printed = capsys.readouterr().out
    owners = {owner for state, owner, _, _ in wanted.values() if owner and state != "upgraded"}
    unowned = sum(not owner and state != "upgraded" for state, owner, _, _ in wanted.values())
    headline = f"{counts['cut_off']} of 40 applications break at 4.0: {len(owners)} owners, {unowned} without"
    assert summary["headline"].startswith(headline)
    assert f"{headline} an owner; {counts['upgraded']} more were upgraded" in printed
    # Week by week.
    weeks = [date(2026, 9, 28) + timedelta(weeks=number) for number in range(5)]
    assert [week["week"] for week in summary["by_week"]] == [week.isoformat() for week in weeks]
    first = date(2026, 10, 1)
    broken = [number for number in range(APPLICATIONS) if number % len(KINDS) in REFUSED]
    last_refused = {number: first + timedelta(days=UPGRADES.get(number, DAYS) - 1) for number in broken}
    assert [week["remaining"] for week in summary["by_week"]] == [
        sum(number not in UPGRADES or last_refused[number] >= week + timedelta(weeks=1) for number in broken)
        for week in weeks
    ]
    assert [sum(owner["by_week"][n] for owner in summary["by_owner"]) for n in range(5)] == [
        week["remaining"] for week in summary["by_week"]
    ]
    page = (tmp_path / "out" / "index.html").read_text()
    assert f"<h1>{headline} an owner</h1>" in page
    assert all(f"<small>{principal}</small>" in page for principal in wanted)
    assert {action for _, _, action, _ in wanted.values() if action not in page} == set()
