"""Logs at addresses, which Spark's text reader reads, count like the same files on paths.

`viewfs://` is a file system of Hadoop that is in Spark's own jars: here it shows a local folder.
"""

from __future__ import annotations

import ast
import gzip
import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa  # type: ignore[import-untyped]
import pytest

from tests.fleet.logs import container_log, kafka_line
from tests.fleet.summaries import asked, rows
from tests.support import ROOT
from wirebook.docgen.catalog.json_records import to_json
from wirebook.docgen.pipeline.session import spark_session
from wirebook.fleet import run as module
from wirebook.fleet.reading.objects import StoredObject
from wirebook.fleet.run import FleetRequest, fleet
from wirebook.fleet.spark.job import SparkReader
from wirebook.specs.problems import InputError


def test_the_job_uses_data_frames_only() -> None:
    """Sessions of Spark Connect have neither RDDs nor a context."""
    for path in (ROOT / "fleet" / "spark").glob("*.py"):
        names = {
            node.attr for node in ast.walk(ast.parse(path.read_text())) if isinstance(node, ast.Attribute)
        }
        assert names.isdisjoint({"sparkContext", "rdd", "parallelize", "_jvm", "_jsparkSession"}), path


@pytest.fixture(scope="module")
def top(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """The folder that `viewfs://c/logs` shows, in a session that splits files after 20,000 bytes."""
    folder = tmp_path_factory.mktemp("logs")
    conf = {
        "spark.hadoop.fs.viewfs.mounttable.c.link./logs": folder.as_uri(),
        "spark.sql.files.maxPartitionBytes": "20000",
    }
    with spark_session("local[1]", conf=conf):
        yield folder


def at(address: str, output: Path) -> Any:
    """The output for logs at an address."""
    return fleet(FleetRequest([f"viewfs://c/logs/{address}"], "4.0", output, master="local[1]"))


@pytest.mark.long
@pytest.mark.xdist_group("spark")
class TestOnSpark:
    def test_the_result_is_that_of_one_process(
        self, top: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(module, "at_hand", lambda: False)
        first, second = top / "all" / "dt=1", top / "all" / "dt=2"
        first.mkdir(parents=True)
        second.mkdir()
        lines = [kafka_line(version=n % 9, client_id=f"app-{'abcdefg'[n % 7]}") for n in range(600)]
        text = b"\n".join(lines) + b"\n"
        (first / "a b%20.log").write_bytes(text)
        (first / "container.log").write_bytes(b"\n".join(container_log()[:-1] * 20) + b"\n")
        (first / "other.log").write_bytes(b"junk\xff\r\n\n" + lines[5] + b"\n")
        (second / "c.log.gz").write_bytes(gzip.compress(text[:9000] + b"\nx\n"))
        with pa.output_stream(str(second / "d.zst"), compression="zstd") as file:
            file.write(text[5000:])
        plain = asked(top / "all", tmp_path / "plain")
        spark = at("all/dt=*/", tmp_path / "spark")
        assert (spark.lines, spark.files) == (plain.lines, plain.files)
        assert rows(tmp_path / "spark") == rows(tmp_path / "plain")
        summary = json.dumps(to_json(spark.summary)).replace("viewfs://c/logs", str(top))
        assert summary == json.dumps(to_json(plain.summary))
        again = at("all/dt=*/", tmp_path / "spark")
        assert (again.lines, again.unchanged, again.summary) == (0, 5, spark.summary)

    @pytest.mark.parametrize(
        ("name", "content", "words"),
        [
            ("a.gz", gzip.compress(kafka_line() * 900)[:-50], "a.gz cannot be read: java.io.EOFException"),
            ("a.log", gzip.compress(kafka_line()), "is compressed, but its name"),
            ("a.prom", b"# HELP kafka_x\nkafka_x 1\n", "copy metrics and results"),
            (".hidden", b"", "there is no log in this folder"),
        ],
    )
    def test_what_is_no_log_is_one_line(
        self, name: str, content: bytes, words: str, top: Path, tmp_path: Path
    ) -> None:
        folder = top / f"bad-{name.strip('.')}"
        folder.mkdir()
        (folder / name).write_bytes(content)
        with pytest.raises(InputError) as caught:
            at(f"{folder.name}/", tmp_path / "out")
        assert words in str(caught.value)
        assert "\n" not in str(caught.value)
        assert not (tmp_path / "out").exists()

    def test_a_file_that_changes_or_is_copied_does_not_count_twice(self, top: Path, tmp_path: Path) -> None:
        folder = top / "changing"
        folder.mkdir()
        (folder / "a.log").write_bytes(kafka_line() + b"\n")
        at("changing", tmp_path / "out")
        before = rows(tmp_path / "out")
        (folder / "b.log").write_bytes(kafka_line() + b"\n")
        with pytest.raises(InputError, match=r"b\.log: has the same text as .*a\.log"):
            at("changing", tmp_path / "out")
        (folder / "b.log").unlink()
        (folder / "a.log").write_bytes(kafka_line() * 2)
        with pytest.raises(InputError, match=r"a\.log: has changed since it was read"):
            at("changing", tmp_path / "out")
        assert rows(tmp_path / "out") == before

    def test_a_file_that_vanishes_after_the_listing_changes_nothing(
        self, top: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        folder = top / "vanishing"
        folder.mkdir()
        for name in "abc":
            (folder / f"{name}.log").write_bytes(kafka_line(client_id=name) + b"\n")
            if name == "a":
                at("vanishing", tmp_path / "out")
        before = rows(tmp_path / "out")
        listed = SparkReader.listed

        def vanishing(self: SparkReader, addresses: Sequence[str]) -> list[StoredObject]:
            files = listed(self, addresses)
            (folder / "b.log").unlink()
            return files

        with monkeypatch.context() as patch:
            patch.setattr(SparkReader, "listed", vanishing)
            with pytest.raises(InputError, match=r"vanishing/b\.log") as caught:
                at("vanishing", tmp_path / "out")
        assert "\n" not in str(caught.value)
        assert rows(tmp_path / "out") == before
        at("vanishing", tmp_path / "out")
        assert [row[3] for row in rows(tmp_path / "out")] == ["a", "c"]

    def test_an_address_without_files_is_one_line(self, top: Path, tmp_path: Path) -> None:
        assert top.is_dir()
        with pytest.raises(InputError, match=r"viewfs://c/logs/nowhere.*: there is no such file or folder"):
            at("nowhere*/", tmp_path / "out")
        with pytest.raises(InputError, match="no file system for s3a"):
            fleet(FleetRequest(["s3a://bucket/x"], "4.0", tmp_path / "out", master="local[1]"))
