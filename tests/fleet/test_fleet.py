"""Logs of a made-up fleet give its truth, however they are read, grown, moved and compressed."""

from __future__ import annotations

import gzip
import json
import os
import re
import shutil
import sys
import zlib
from pathlib import Path
from typing import Any

import pyarrow as pa  # type: ignore[import-untyped]
import pytest
from jsonschema import Draft202012Validator

from tests.faults import KILLED, run
from tests.fleet.logs import kafka_line
from tests.fleet.summaries import asked, letters, refused, rows, simulated
from tests.support import ROOT
from wirebook.cli.main import main
from wirebook.docgen.schemas import SCHEMAS
from wirebook.fleet import run as module
from wirebook.fleet.counting.counting import Counting
from wirebook.fleet.reading import reading
from wirebook.fleet.reading.files import Packing
from wirebook.fleet.reading.pieces import read_piece
from wirebook.fleet.reading.progress import FilePiece, after_reading
from wirebook.fleet.run import FleetRequest, fleet
from wirebook.fleet.tables import tables
from wirebook.specs.problems import InputError


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
    assert client.advice[0] == (
        "The client sends Fetch v3; 4.0 serves 4-17; 3.9.1 is the last release that serves it."
    )
    assert "may be fixed" in client.advice[3]
    assert summary.requests.unknown == sum(row[10] for row in truth["rows"] if row[6] == 999)
    assert {(item.owner, item.applications, item.cut_off) for item in summary.by_owner} == {
        ("payments", 1, 0),
        ("web", 1, 0),
    }


def test_the_documents_follow_their_schemas(tmp_path: Path) -> None:
    simulated(tmp_path / "logs")
    asked(tmp_path / "logs" / "logs", tmp_path / "before")
    asked(tmp_path / "logs" / "logs", tmp_path / "out", baseline=tmp_path / "before")
    for name, path in (
        ("fleet", tmp_path / "out" / "summary.json"),
        ("fleet-state", tmp_path / "out" / "state.json"),
    ):
        schema = json.loads((ROOT / SCHEMAS[name]).read_text())
        assert [
            e.message for e in Draft202012Validator(schema).iter_errors(json.loads(path.read_text()))
        ] == []


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
    assert re.findall("<script|src=|href=[^#]", page.replace("&lt;img src=", "")) == ['href="'] * 8
    assert "default-src 'none'" in page
    out = capsys.readouterr().out
    assert "\x1b" not in out
    assert "\u202e" not in out + page


# -- going on ---------------------------------------------------------------------------------------


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


def test_a_log_that_grows_moves_and_is_compressed_is_counted_once(tmp_path: Path) -> None:
    truth = simulated(tmp_path / "sim")
    text = b"".join(path.read_bytes() for path in sorted((tmp_path / "sim" / "logs").rglob("*log*")))
    logs, out = tmp_path / "logs", tmp_path / "out"
    logs.mkdir()
    live, old = logs / "kafka-request.log", logs / "kafka-request.log.1"
    cut = [len(text) // 5 * part for part in range(1, 5)]
    live.write_bytes(text[: cut[0]])
    first = asked(logs, out)
    assert first.summary.logs.unfinished[0].bytes == cut[0] - text.rfind(b"\n", 0, cut[0]) - 1 > 0
    with live.open("ab") as file:
        file.write(text[cut[0] : cut[1]])
    asked(logs, out)
    # Rotated by a new name in the middle of a line, which a broker never does, and at its end.
    end = text.rfind(b"\n", 0, cut[2]) + 1
    with live.open("ab") as file:
        file.write(text[cut[1] : end])
    live.rename(old)
    live.write_bytes(text[end : cut[3]])
    asked(logs, out)
    # Compressed, with the plain file still there.
    (logs / "kafka-request.log.1.gz").write_bytes(gzip.compress(old.read_bytes()))
    with live.open("ab") as file:
        file.write(text[cut[3] :])
    again = asked(logs, out)
    old.unlink()
    last = asked(logs, out)
    assert (last.lines, last.unchanged, last.files) == (0, 2, 2)
    assert again.summary.logs.requests == truth["requests"]
    assert rows(out) == truth["rows"]


@pytest.mark.parametrize(
    "change",
    ["rotate", *(pytest.param(name, marks=pytest.mark.long) for name in ("rename", "truncate", "none"))],
)
def test_a_log_that_moves_between_the_plan_and_the_reading_is_read_by_the_next_run(
    change: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lines = [
        kafka_line(version=number % 9, client_id=f"app-{letters(number)}") + b"\n" for number in range(900)
    ]
    logs, out = tmp_path / "logs", tmp_path / "out"
    logs.mkdir()
    live, old = logs / "kafka-request.log", logs / "kafka-request.log.1"
    live.write_bytes(b"".join(lines[:300]))
    asked(logs, out)
    with live.open("ab") as file:
        file.write(b"".join(lines[300:600]))
    read_here = module.read_here

    def moved(*given: Any) -> Any:
        if change in ("rename", "rotate") and not old.exists():
            live.rename(old)
        if change == "truncate" and not old.exists():
            shutil.copy(live, old)
        if change in ("rotate", "truncate"):
            live.write_bytes(b"".join(lines[600:]))
        return read_here(*given)

    with monkeypatch.context() as patch:
        patch.setattr(module, "read_here", moved)
        made = asked(logs, out)
    assert made.summary.logs.problems == ()
    assert made.summary.logs.requests == (900 if change in ("rotate", "truncate") else 600)
    if change in ("rename", "none"):
        live.write_bytes(b"".join(lines[600:]) if change == "rename" else b"".join(lines))
    last = asked(logs, out)
    assert last.summary.logs.requests == 900
    assert sorted(row[3] for row in rows(out)) == sorted(f"app-{letters(number)}" for number in range(900))


def test_a_log_that_never_stays_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    log, turns = tmp_path / "a.log", iter(range(9))

    def moved(*given: Any) -> Any:
        log.write_bytes(kafka_line(version=next(turns)) + b"\n")
        return iter(list(read_here(*given)))

    read_here = module.read_here
    log.write_bytes(kafka_line(version=11) + b"\n")
    monkeypatch.setattr(module, "read_here", moved)
    with pytest.raises(InputError, match="moved or replaced while it was read"):
        asked(log, tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_two_compressed_copies_of_one_log_count_once(tmp_path: Path) -> None:
    text = b"".join(kafka_line(version=number % 9) + b"\n" for number in range(900))
    (tmp_path / "logs").mkdir()
    (tmp_path / "logs" / "a.gz").write_bytes(gzip.compress(text))
    (tmp_path / "logs" / "b.gz").write_bytes(gzip.compress(text, 1))
    with pa.CompressedOutputStream(str(tmp_path / "logs" / "c.zst"), "zstd") as file:
        file.write(text)
    made = asked(tmp_path / "logs", tmp_path / "out")
    assert made.summary.logs.requests == 900
    assert [problem.problem for problem in made.summary.logs.problems] == [
        "has text that another file has, too, and counts once"
    ] * 2


def test_empty_compressed_logs_are_not_copies(tmp_path: Path) -> None:
    (tmp_path / "logs").mkdir()
    for name, text in (("a.gz", b""), ("b.gz", b""), ("c.gz", kafka_line(version=3) + b"\n")):
        (tmp_path / "logs" / name).write_bytes(gzip.compress(text))
    for _ in range(2):
        made = asked(tmp_path / "logs", tmp_path / "out")
        assert (made.summary.logs.requests, made.summary.logs.problems) == (1, ())
    (tmp_path / "logs" / "b.gz").write_bytes(gzip.compress(kafka_line(version=4) + b"\n"))
    assert asked(tmp_path / "logs", tmp_path / "out").summary.logs.requests == 2


def test_zstd_of_several_frames_with_some_that_are_skipped(tmp_path: Path) -> None:
    """As pzstd writes it: the size of each frame is in a frame before it that is skipped."""
    frames = b""
    for version in (3, 4):
        frame = pa.compress(kafka_line(version=version) + b"\n", codec="zstd", asbytes=True)
        frames += b"\x50\x2a\x4d\x18\x04\0\0\0" + len(frame).to_bytes(4, "little") + frame
    (tmp_path / "a.zst").write_bytes(frames)
    assert asked(tmp_path / "a.zst", tmp_path / "out").summary.logs.requests == 2


@pytest.mark.long
def test_zstd_and_a_gzip_that_is_cut_off(tmp_path: Path) -> None:
    lines = [kafka_line(version=3, client_id=f"app-{os.urandom(8).hex()}") + b"\n" for _ in range(2000)]
    with pa.CompressedOutputStream(str(tmp_path / "whole.zst"), "zstd") as file:
        file.write(b"".join(lines[:1000]))
    packed = gzip.compress(b"".join(lines[1000:]))
    (tmp_path / "cut.gz").write_bytes(packed[: len(packed) // 2])
    made = asked(tmp_path, tmp_path.parent / f"{tmp_path.name}-out")
    assert 1200 < made.summary.logs.requests < 1800
    assert [item.problem.partition(";")[0] for item in made.summary.logs.problems] == [
        "the compressed file is cut off or corrupt"
    ]
    (tmp_path / "cut.gz").write_bytes(packed)
    made = asked(tmp_path, tmp_path.parent / f"{tmp_path.name}-out")
    assert made.summary.logs.requests == 2000
    assert made.summary.logs.problems == ()


@pytest.mark.parametrize("size", [3, 4_000])
def test_what_comes_before_a_damaged_byte_of_a_gzip_counts(size: int, tmp_path: Path) -> None:
    packer = zlib.compressobj(wbits=31)
    lines = b"".join(kafka_line(client_id=os.urandom(8).hex()) + b"\n" for _ in range(size))
    packed = packer.compress(lines + b"[2026-10-01") + packer.flush(zlib.Z_FULL_FLUSH)
    # No block of DEFLATE is of type 3 (RFC 1951, 3.2.3).
    (tmp_path / "damaged.gz").write_bytes(packed + b"\x07")
    logs = asked(tmp_path, tmp_path.parent / f"{tmp_path.name}-out").summary.logs
    assert logs.requests == size
    assert [each.problem.partition(";")[0] for each in logs.problems] == [
        "the compressed file is cut off or corrupt"
    ]


def test_a_line_that_is_too_long_before_the_end_of_a_gzip_that_is_cut_off(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reading, "MAX_LINE", 1000)
    lines = [b"x" * 5000 + b"\n", *(kafka_line(client_id=os.urandom(8).hex()) + b"\n" for _ in range(2000))]
    packed = gzip.compress(b"".join(lines))
    (tmp_path / "cut.gz").write_bytes(packed[: len(packed) // 2])
    made = asked(tmp_path, tmp_path.parent / f"{tmp_path.name}-out")
    assert 0 < made.summary.logs.requests < 2000
    (tmp_path / "cut.gz").write_bytes(packed)
    made = asked(tmp_path, tmp_path.parent / f"{tmp_path.name}-out")
    assert made.summary.logs.requests == 2000


@pytest.mark.parametrize("lines", [1, 12, 150, 3000])
def test_the_position_of_a_compressed_file_is_that_of_its_text(lines: int, tmp_path: Path) -> None:
    path = tmp_path / "a.gz"
    path.write_bytes(gzip.compress(b"".join(kafka_line(version=n % 9) + b"\n" for n in range(lines))))
    for start in (0, 700):
        piece = FilePiece(str(path), Packing.GZIP, start, None)
        found = read_piece(piece, Counting()).position
        assert found is not None
        assert found == after_reading(piece, found.offset, path.stat())


def test_another_target_judges_what_was_read_before(tmp_path: Path) -> None:
    simulated(tmp_path / "logs")
    asked(tmp_path / "logs" / "logs", tmp_path / "out")
    before = tables.read_all(tmp_path / "out")
    given = FleetRequest([str(tmp_path / "logs" / "logs")], "3.9", tmp_path / "out")
    made = fleet(given)
    assert (made.lines, made.summary.requests.refused) == (0, 0)
    assert made.summary.requests.deprecated > 0
    assert tables.read_all(tmp_path / "out") == before


def test_a_baseline_says_what_changed(tmp_path: Path) -> None:
    lines = {"a": 3, "b": 3, "c": 11}
    for side, versions in (("old", lines), ("new", {**lines, "a": 11, "c": 2})):
        text = b"".join(
            kafka_line(version=version, client_id=name) + b"\n" for name, version in versions.items()
        )
        (tmp_path / f"{side}.log").write_bytes(text)
    asked(tmp_path / "old.log", tmp_path / "before")
    made = asked(tmp_path / "new.log", tmp_path / "now", baseline=tmp_path / "before")
    compared = made.summary.baseline
    assert compared is not None
    assert [(item.name, item.refused_before, item.refused_now) for item in compared.new] == [("c", 0, 1)]
    assert [(item.name, item.refused_before, item.refused_now) for item in compared.ended] == [("a", 1, 0)]
    assert compared.still == 1


def test_pseudonyms_hide_names_and_keep_counts_and_owners(tmp_path: Path) -> None:
    truth = simulated(tmp_path / "logs")
    key = tmp_path / "key"
    key.write_text("0123456789abcdef secret")
    more = {"owners": tmp_path / "logs" / "owners.toml", "pseudonymize": key}
    made = asked(tmp_path / "logs" / "logs", tmp_path / "out", **more)
    again = asked(tmp_path / "logs" / "logs", tmp_path / "again", **more)
    assert made.summary.cut_off == again.summary.cut_off
    held = b"".join(path.read_bytes() for path in (tmp_path / "out").rglob("*") if path.is_file())
    assert not re.search(b"billing|shop", held)
    assert [client.owner for client in made.summary.cut_off] == ["payments"]
    assert sorted(row[10] for row in rows(tmp_path / "out")) == sorted(row[10] for row in truth["rows"])
    with pytest.raises(InputError, match="holds pseudonyms"):
        asked(tmp_path / "logs" / "logs", tmp_path / "out")


def test_many_names_of_one_principal_are_bounded_and_hide_no_other(tmp_path: Path) -> None:
    names = [f"evil-{letters(number)}" for number in range(500)]
    text = b"".join(kafka_line(version=3, client_id=name) + b"\n" for name in (*names, "monthly-report"))
    (tmp_path / "a.log").write_bytes(text)
    made = asked(tmp_path / "a.log", tmp_path / "out", most_applications=50)
    assert 450 <= made.summary.logs.by_beginning <= 451
    assert made.summary.requests.refused == 501
    assert sum(item.refused for item in made.summary.cut_off) == 501
    listed = {item.name: item for item in made.summary.cut_off}
    assert "evil-<any>" in listed
    assert {"monthly-report", "monthly-<any>"} & set(listed)
    assert listed["evil-<any>"].client_ids.number == pytest.approx(450, rel=0.3)
    assert "too many names to list" in (tmp_path / "out" / "index.html").read_text()


@pytest.mark.long
@pytest.mark.skipif(sys.platform == "win32", reason="needs processes that fork")
@pytest.mark.parametrize("kind", ["kill", "ENOSPC"])
def test_a_run_that_ends_anywhere_counts_nothing_twice_and_loses_nothing(kind: str, tmp_path: Path) -> None:
    truth = simulated(tmp_path / "sim", 40)
    template, work = tmp_path / "template", tmp_path / "work"
    (work / "logs").mkdir(parents=True)
    first, *others = sorted((tmp_path / "sim" / "logs").rglob("*log*.*"))
    shutil.copy(first, work / "logs" / "0.log")
    scrape = 'kafka_network_requestmetrics_requests_total{{request="Fetch",version="3"}} {}\n'
    (work / "logs" / "broker_2026-10-01.prom").write_text(scrape.format(40))
    asked(work / "logs", work / "out")
    # New are the other logs, a later scrape, and the output for another cluster.
    (work / "logs" / "broker_2026-10-02.prom").write_text(scrape.format(47))
    (tmp_path / "b.log").write_bytes(kafka_line(client_id="other cluster") + b"\n")
    asked(tmp_path / "b.log", work / "logs" / "other")
    for number, path in enumerate([*others, *(tmp_path / "sim" / "logs").glob("*/kafka-request.log")], 1):
        if path.name != "kafka-request.log" or number > len(others):
            shutil.copy(path, work / "logs" / f"{number}.log")
    given = ("fleet", str(work / "logs"), "--target", "4.0", "--output", str(work / "out"), "-q")
    before = rows(work / "out")
    # Counters are known by the place of their files.
    shutil.copytree(work, template)
    assert main(given) == 0
    after = rows(work / "out")
    added = [row for row in after if row[3] in ("(metrics)", "other cluster")]
    assert [row[10] for row in added] == [1, 7]
    assert [row for row in after if row not in added] == truth["rows"]
    ended = 0
    for number in range(200):
        shutil.rmtree(work, ignore_errors=True)
        shutil.copytree(template, work)
        fault = run(lambda: main(given), [work], kind, number, tmp_path / "said")
        if not fault.event:
            break
        ended += 1
        assert fault.code in ((KILLED,) if kind == "kill" else (0, 2)), fault
        assert rows(work / "out") in (before, after), fault
        if number % 3 == 0:
            assert run(lambda: main(given), [work], "", 0, tmp_path / "said").code == 0
            assert rows(work / "out") == after, fault
    assert ended > 10
    assert rows(work / "out") == after


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
    assert "not the output of wirebook fleet" in refused(capsys, *goes, "--baseline", str(tmp_path))
    (tmp_path / "key").write_text("short")
    assert "at least 16 bytes" in refused(capsys, *goes, "--pseudonymize", str(tmp_path / "key"))
    for text, words in (
        ("[[owner]", "not TOML"),
        ("a = 1", "list owners as"),
        ('[[owner]]\nteam = "x"', "needs a team"),
        ('[[application]]\nname = "x"', "needs a name"),
        ('[[owner]]\nteam = "x"\nclient = "y"', 'unknown key "client"'),
    ):
        (tmp_path / "owners.toml").write_text(text)
        assert words in refused(capsys, *goes, "--owners", str(tmp_path / "owners.toml"))
    (tmp_path / "probe.json").write_text("{}")
    assert "not the output of wirebook probe" in refused(
        capsys, *goes, "--probe", str(tmp_path / "probe.json")
    )
    assert not Path(out).exists()


def test_a_damaged_state_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "a.log").write_bytes(kafka_line() + b"\n")
    asked(tmp_path / "a.log", tmp_path / "out")
    (tmp_path / "out" / "state.json").write_text("{")
    given = (str(tmp_path / "a.log"), "--target", "4.0", "--output", str(tmp_path / "out"))
    assert "state of the earlier runs cannot be read" in refused(capsys, *given)
