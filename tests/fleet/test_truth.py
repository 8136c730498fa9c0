"""A summary of logs is the truth of the cluster that wrote them."""

from __future__ import annotations

import gzip
import json
import random
from collections import Counter
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from tests.fleet.cluster import (
    BROKER_CLIENTS,
    CREATE,
    DAYS,
    FETCH,
    JAVA,
    START,
    Written,
    applications,
    crash,
    cri,
    docker,
    json_line,
    text_line,
    write,
)
from tests.fleet.summaries import rows
from wirebook.cli.main import main
from wirebook.docgen.pages.schemas import read_schema

METADATA, UNNAMED = 3, ("unknown", "unknown")


def read(folder: Path, written: Written) -> dict[str, Any]:
    """The summary of the logs."""
    owners = [
        f'[[owner]]\nteam = "{app.team}"\nprincipal = "User:{app.name}"\n'
        for app in applications()
        if app.team
    ]
    (folder / "owners.toml").write_text("\n".join(owners))
    given = [str(folder / "logs"), "--owners", str(folder / "owners.toml"), "--target", "4.0", "-q"]
    assert main(["fleet", *given, "--output", str(folder / "out")]) == 0
    summary: dict[str, Any] = json.loads((folder / "out" / "summary.json").read_text())
    return summary


@pytest.mark.parametrize(
    "packing",
    ["cri", "text", *(pytest.param(each, marks=pytest.mark.long) for each in ("plain", "docker"))],
)
def test_the_summary_is_the_truth(packing: str, tmp_path: Path) -> None:
    form = text_line if packing == "text" else json_line
    apps = applications()
    if packing == "text":
        for app in apps:
            app.sends = [
                (day, [use for use in uses if use[0] < 70], software)
                for day, uses, software in app.sends
            ]
    written = write(apps, form)
    logs = tmp_path / "logs"
    logs.mkdir()
    for name, lines in written.lines.items():
        packed = {"cri": cri, "docker": docker}.get(packing, lambda same: same)(lines)
        content = b"".join(line + b"\n" for line in packed)
        if packing == "docker":
            (logs / f"{name}.log.gz").write_bytes(gzip.compress(content))
        else:
            (logs / f"{name}.log").write_bytes(content)
    summary = read(tmp_path, written)
    broken = {app.name: app for app in apps if app.breaks}
    found = {item["principal"].removeprefix("User:"): item for item in summary["cut_off"]}
    assert {name: item["state"] for name, item in found.items()} == {
        name: app.state for name, app in broken.items()
    }
    for name, item in found.items():
        assert (item["requests"], item["refused"]) == (
            written.requests(name),
            written.refused(name),
        )
        assert (item["owner"], item["action"]) == (broken[name].team, broken[name].action)
        assert (item["client_ids"]["number"], item["last_refused"]) == (
            len(written.ids[name]),
            written.last[name],
        )
    counted: Counter[tuple[str, int, int, str]] = Counter()
    for row in rows(tmp_path / "out"):
        if row["origin"] == "client" and row["principal"] != "User:kafka":
            name = row["principal"].removeprefix("User:")
            counted[name, row["api_key"], row["version"], row["day"]] += row["requests"]
    assert counted == written.rows
    counts = summary["applications"]
    assert (counts["total"], counts["served"]) == (len(apps), len(apps) - len(broken))
    assert counts["servers"] == 2 + len(BROKER_CLIENTS)
    teams = {app.team for app in broken.values() if app.state != "upgraded"}
    assert (counts["cut_off"], counts["upgraded"]) == (len(broken) - 1, 1)
    assert (counts["owners"], counts["unowned"]) == (
        len(teams - {""}),
        sum(not a.team for a in broken.values()),
    )
    page = (tmp_path / "out" / "index.html").read_text()
    assert f"<h1>{summary['headline']}</h1>" in page
    assert all(
        f"<small>User:{name}</small>" in page and app.action in page for name, app in broken.items()
    )
    schema = Draft202012Validator(read_schema("fleet"))
    assert list(schema.iter_errors(summary)) == []
    assert summary["logs"]["skipped"].keys() <= ({"not a request"} if packing == "cri" else set())
    assert sum(summary["requests"].values()) == written.rows.total()
    days = [sum(day[status] for status in summary["requests"]) for day in summary["by_day"]]
    assert sum(days) == written.rows.total()


@pytest.mark.parametrize("form", [json_line, pytest.param(text_line, marks=pytest.mark.long)])
def test_a_crash_invents_nobody(form: Any, tmp_path: Path) -> None:
    apps = [app for app in applications() if app.name in ("alpha", "bravo", "delta")]
    for app in apps:
        app.sends = [
            (day, [use for use in uses if use[0] < 70], software)
            for day, uses, software in app.sends
        ]
    written = write(apps, form)
    logs = tmp_path / "logs"
    logs.mkdir()
    rng = random.Random(3)
    for name, lines in written.lines.items():
        torn = list(crash(lines, rng, form))
        written.torn += sum(line not in lines for line in torn)
        (logs / f"{name}.log").write_bytes(b"".join(line + b"\n" for line in torn))
    assert written.torn > 3
    summary = read(tmp_path, written)
    assert {row["principal"] for row in rows(tmp_path / "out")} == {
        "User:alpha",
        "User:bravo",
        "User:delta",
        "User:kafka",
    }
    days = {day["day"] for day in summary["by_day"]}
    assert days <= {(START + timedelta(days=day)).isoformat() for day in range(DAYS)}
    lost = written.rows.total() - sum(summary["requests"].values())
    assert 0 <= lost <= written.torn


@pytest.mark.parametrize("logged", [(), ((METADATA, 9),), ((METADATA, 9), (FETCH, 3))])
def test_logs_of_brokers_that_are_missing_do_not_hide_a_client_that_controllers_show(
    logged: tuple[tuple[int, int], ...], tmp_path: Path
) -> None:
    """A broker without a log has forwarded CreateTopics 1; what the others log is forwarded, too."""
    (tmp_path / "logs").mkdir()
    days = [datetime(2026, 10, day, 1, 2, 3) for day in (6, 7, 8, 9)]
    lines = [json_line(days[0], *use, "admin", "admin", UNNAMED) for use in logged]
    lines += [
        json_line(at, *use, "admin", "admin", UNNAMED, forwarded=True)
        for at, use in ((days[0], (CREATE, 1)), *((days[3], use) for use in logged))
    ]
    # Other software since: it is not known that it has replaced the one that was forwarded.
    if logged:
        lines += [json_line(at, METADATA, 12, "admin", "admin", JAVA) for at in days[1:]]
    (tmp_path / "logs" / "all.log").write_bytes(b"".join(line + b"\n" for line in lines))
    summary = read(tmp_path, Written())
    (item,) = summary["cut_off"]
    refused = {use["api"]: use["requests"] for use in item["sends"] if use["status"] == "refused"}
    fetch = (FETCH, 3) in logged
    assert refused == {"CreateTopics": 1, **({"Fetch": 1} if fetch else {})}
    confidence = "likely" if fetch else "possible"
    assert (item["state"], item["confidence"]) == ("active", confidence)
    assert sum(summary["requests"].values()) == 1 + len(logged) + (3 if logged else 0)
