"""Logs of a made-up fleet give its truth, also compressed."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

from tests.fleet.logs import kafka_line
from tests.fleet.summaries import asked, letters, refused, rows, simulated
from tests.support import ROOT
from wirebook.cli.main import main
from wirebook.docgen.schemas import SCHEMAS
from wirebook.fleet.counts import MOST_IDS
from wirebook.fleet.run import FleetRequest, fleet
from wirebook.specs.limits import MAX_APPLICATIONS


@pytest.mark.parametrize(
    ("broker", "compress"),
    [("3.9", "false"), ("4.0", "true"), ("2.8", "false"), ("2.7", "true"), ("2.3", "false")],
)
def test_the_result_is_the_truth(broker: str, compress: str, tmp_path: Path) -> None:
    truth = simulated(tmp_path / "logs", broker=broker, compress=compress)
    made = asked(tmp_path / "logs" / "logs", tmp_path / "out")
    assert rows(tmp_path / "out") == truth["rows"]
    assert sum(made.summary.logs.skipped.values()) == truth["noise"] > 0
    assert made.summary.logs.requests == truth["requests"]


@pytest.mark.long
def test_a_hundred_thousand_lines(tmp_path: Path) -> None:
    truth = simulated(tmp_path / "logs", 15_000)
    made = asked(tmp_path / "logs" / "logs", tmp_path / "out")
    assert truth["requests"] > 100_000
    assert rows(tmp_path / "out") == truth["rows"]
    assert made.summary.logs.requests == truth["requests"]


def test_the_same_scenario_gives_the_same_logs(tmp_path: Path) -> None:
    simulated(tmp_path / "one", compress="true")
    simulated(tmp_path / "two", compress="true")
    files = sorted(
        path.relative_to(tmp_path / "one") for path in (tmp_path / "one").rglob("*") if path.is_file()
    )
    assert len(files) > 8
    assert all((tmp_path / "one" / f).read_bytes() == (tmp_path / "two" / f).read_bytes() for f in files)


def test_who_is_cut_off_who_owns_it_and_what_is_known(tmp_path: Path) -> None:
    truth = simulated(tmp_path / "logs")
    made = asked(tmp_path / "logs" / "logs", tmp_path / "out", owners=tmp_path / "logs" / "owners.toml")
    summary = made.summary
    (client,) = summary.cut_off
    assert (client.name, client.owner, client.unseen_days) == ("billing-export", "payments", 1)
    assert (client.state, summary.applications.upgraded, summary.applications.cut_off) == ("upgraded", 1, 0)
    assert client.action == "Upgraded: the application is now apache-kafka-java 4.0.0."
    refused = [row for row in truth["rows"] if (row[6], row[7]) in {(1, 3), (11, 1)}]
    assert client.refused == sum(row[10] for row in refused) == summary.requests.refused
    assert [(use.api, use.versions, use.target_serves) for use in client.sends] == [
        ("Fetch", "3", "4-17"),
        ("JoinGroup", "1", "2-9"),
    ]
    assert summary.requests.unknown == sum(row[10] for row in truth["rows"] if row[6] == 999)
    assert {(item.owner, item.applications, item.cut_off) for item in summary.by_owner} == {
        ("payments", 1, 0),
        ("web", 1, 0),
    }


def test_the_summary_follows_its_schema(tmp_path: Path) -> None:
    simulated(tmp_path / "logs")
    asked(tmp_path / "logs" / "logs", tmp_path / "out")
    schema = json.loads((ROOT / SCHEMAS["fleet"]).read_text())
    summary = json.loads((tmp_path / "out" / "summary.json").read_text())
    assert [error.message for error in Draft202012Validator(schema).iter_errors(summary)] == []


def test_hostile_names_are_text_on_the_page_and_in_the_terminal(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    evil = "<img src=x onerror=alert(1)>\x1b[31m\u202e"
    (tmp_path / "a.log").write_bytes(
        kafka_line(version=3, client_id=evil, principal=evil) + b"\n" + b"<b>\x1b\n"
    )
    given = ["fleet", str(tmp_path / "a.log"), "--target", "4.0", "--output", str(tmp_path / "out")]
    assert main(given) == 0
    page = (tmp_path / "out" / "index.html").read_text()
    assert "<img" not in page
    assert "&lt;img src=x onerror=alert(1)&gt;\\u001b[31m\\u202e" in page
    assert re.findall("<script|src=|href=[^#]", page.replace("&lt;img src=", "")) == ['href="'] * 6
    assert "default-src 'none'" in page
    out = capsys.readouterr().out
    assert "\x1b" not in out
    assert "\u202e" not in out + page


@pytest.mark.parametrize(("count", "last"), [(10, ""), (11, "  and 1 more\n")])
def test_ten_applications_that_are_cut_off_are_listed_and_the_others_counted(
    count: int, last: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    names = [f"app-{letter}" for letter in "abcdefghijklm"[:count]]
    lines = [kafka_line(version=3, client_id=name, principal=f"User:{name}") for name in names]
    (tmp_path / "a.log").write_bytes(b"\n".join([*lines, b""]))
    given = ["fleet", str(tmp_path / "a.log"), "--target", "4.0", "--output", str(tmp_path / "out")]
    main(given)
    printed = capsys.readouterr().out
    assert printed.count("(no owner known)") == 10
    assert [line + "\n" for line in printed.splitlines() if " more" in line] == ([last] if last else [])


# -- bad input --------------------------------------------------------------------------------------


def test_bad_input_is_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    log, out = tmp_path / "a.log", str(tmp_path / "out")
    log.write_bytes(kafka_line() + b"\n")
    prose = tmp_path / "prose.txt"
    prose.write_bytes(b"nothing of interest\n" * 50)
    goes = (str(log), "--target", "4.0", "--output", out)
    assert "name the logs" in refused(capsys, str(log))
    assert 'no broker release "9.9" is known' in refused(capsys, str(log), "--target", "9.9", "--output", out)
    line = refused(capsys, str(prose), "--target", "4.0", "--output", out)
    assert 'no request in these logs; lines are 50 not a request, such as "nothing of interest"' in line
    assert "no such file" in refused(capsys, str(tmp_path / "none"), "--target", "4.0", "--output", out)
    (tmp_path / "empty").mkdir()
    assert "no log in this folder" in refused(
        capsys, str(tmp_path / "empty"), "--target", "4.0", "--output", out
    )
    assert "holds other files" in refused(capsys, str(log), "--target", "4.0", "--output", str(tmp_path))
    for text, words in (
        ("[[owner]", "not TOML"),
        ("a = 1", "list owners as"),
        ('[[owner]]\nteam = "x"', "needs a team"),
        ('[[application]]\nname = "x"', "needs a name"),
        ('[[owner]]\nteam = "x"\nclient = "y"', 'unknown key "client"'),
    ):
        (tmp_path / "owners.toml").write_text(text)
        assert words in refused(capsys, *goes, "--owners", str(tmp_path / "owners.toml"))
    assert not Path(out).exists()


def test_many_names_of_one_principal_are_one_application(tmp_path: Path) -> None:
    names = [f"evil-{letters(number)}" for number in range(MAX_APPLICATIONS + 1)]
    text = b"".join(kafka_line(version=3, client_id=name) + b"\n" for name in (*names, "monthly-report"))
    (tmp_path / "a.log").write_bytes(text)
    summary = asked(tmp_path / "a.log", tmp_path / "out").summary
    listed = {item.name: (item.refused, item.client_ids.number) for item in summary.cut_off}
    assert listed == {"evil-<any>": (MAX_APPLICATIONS + 1, MOST_IDS), "monthly-report": (1, 1)}
    assert f"at least {MOST_IDS} client IDs" in (tmp_path / "out" / "index.html").read_text()


def test_a_file_counts_once_however_it_is_named(tmp_path: Path) -> None:
    logs = tmp_path / "logs"
    logs.mkdir()
    (logs / "a.log").write_bytes(kafka_line() + b"\n")
    (logs / "link.log").symlink_to(logs / "a.log")
    (logs / ".hidden").write_bytes(kafka_line() + b"\n")
    names = [str(logs), f"file://{logs}/a.log", str(logs / "*.log")]
    for _ in range(2):  # the output is below the logs
        made = fleet(FleetRequest(names, "4.0", logs / "out"))
        assert (made.summary.logs.files, made.summary.logs.lines) == (1, 1)
    assert len(rows(logs / "out")) == 1
