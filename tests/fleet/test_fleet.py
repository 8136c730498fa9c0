"""`wirebook fleet`: what it prints, hostile names, bad input, and many names."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from pyarrow.parquet import read_table  # type: ignore[import-untyped]

from tests.fleet.logs import kafka_line
from tests.fleet.summaries import asked, letters, refused, rows
from wirebook.cli import site_options
from wirebook.cli.main import main
from wirebook.fleet.counts import MOST_IDS
from wirebook.fleet.run import FleetRequest, fleet
from wirebook.specs.limits import MAX_APPLICATIONS


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
    assert [line + "\n" for line in printed.splitlines() if " more" in line] == (
        [last] if last else []
    )


# -- bad input
# --------------------------------------------------------------------------------------


def test_bad_input_is_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    log, out = tmp_path / "a.log", str(tmp_path / "out")
    log.write_bytes(kafka_line() + b"\n")
    prose = tmp_path / "prose.txt"
    prose.write_bytes(b"nothing of interest\n" * 50)
    goes = (str(log), "--target", "4.0", "--output", out)
    assert 'no broker release "9.9" is known' in refused(
        capsys, str(log), "--target", "9.9", "--output", out
    )
    line = refused(capsys, str(prose), "--target", "4.0", "--output", out)
    assert "no request in these logs; lines are 50 not a request" in line
    assert "no such file" in refused(
        capsys, str(tmp_path / "none"), "--target", "4.0", "--output", out
    )
    (tmp_path / "empty").mkdir()
    assert "no log in this folder" in refused(
        capsys, str(tmp_path / "empty"), "--target", "4.0", "--output", out
    )
    assert "holds other files" in refused(
        capsys, str(log), "--target", "4.0", "--output", str(tmp_path)
    )
    for text, words in (
        ("[[owner]", "not TOML"),
        ("a = 1", "list owners as"),
        ('[[owner]]\nteam = "x"', "needs a team"),
        ('[[application]]\nname = "x"', "needs a name"),
        ('[[owner]]\nteam = "x"\nclient = "y"', "no other keys"),
    ):
        (tmp_path / "owners.toml").write_text(text)
        assert words in refused(capsys, *goes, "--owners", str(tmp_path / "owners.toml"))
    assert not Path(out).exists()


def test_many_names_of_one_principal_are_one_application(tmp_path: Path) -> None:
    names = [f"evil-{letters(number)}" for number in range(MAX_APPLICATIONS + 1)]
    text = b"".join(
        kafka_line(version=3, client_id=name) + b"\n" for name in (*names, "monthly-report")
    )
    (tmp_path / "a.log").write_bytes(text)
    summary = asked(tmp_path / "a.log", tmp_path / "out")
    listed = {item.name: (item.refused, item.client_ids.number) for item in summary.cut_off}
    assert listed == {"evil-<any>": (MAX_APPLICATIONS + 1, MOST_IDS), "monthly-report": (1, 1)}
    assert f"at least {MOST_IDS} client IDs" in (tmp_path / "out" / "index.html").read_text()


def test_a_file_counts_once_however_it_is_named(tmp_path: Path) -> None:
    logs = tmp_path / "logs"
    logs.mkdir()
    (logs / "a.log").write_bytes(kafka_line() + b"\n")
    (logs / "link.log").symlink_to(logs / "a.log")
    (logs / ".hidden").write_bytes(kafka_line() + b"\n")
    names = [str(logs), f"file://{logs}/a.log", str(logs / "a.log")]
    for _ in range(2):  # the output is below the logs
        made = fleet(FleetRequest(names, "4.0", logs / "out"))
        assert (made.logs.files, made.logs.lines) == (1, 1)
    assert len(rows(logs / "out")) == 1


def test_tables_are_the_requests_as_parquet(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    log, out = tmp_path / "a.log", tmp_path / "out"
    log.write_bytes(kafka_line(version=3, client_id="app") + b"\n" + kafka_line() + b"\n")
    given = ["fleet", str(log), "--target", "4.0", "--output", str(out)]
    assert main(given) == 0
    assert not (out / "tables").exists()
    assert main([*given, "--tables"]) == 0
    table = read_table(out / "tables" / "requests.parquet")
    assert table.to_pylist() == rows(out)
    assert str(table.schema.field("requests").type) == "int64"
    monkeypatch.setattr(site_options, "find_spec", lambda name: name != "pyarrow" or None)
    capsys.readouterr()
    assert "--tables needs pyarrow: install wirebook[spark]" in refused(
        capsys, *given[1:], "--tables"
    )
