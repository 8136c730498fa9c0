"""Spark counts logs to the same bytes as one process, on paths and at addresses.

`viewfs://` is a file system of Hadoop that is in Spark's own jars: here it shows a local folder.
"""

from __future__ import annotations

import bz2
import gzip
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.fleet.cluster import applications, cri, json_line, write
from tests.fleet.logs import container_log, kafka_line
from tests.fleet.summaries import asked
from wirebook.docgen.pipeline.session import spark_context
from wirebook.fleet import run as module
from wirebook.fleet import spark
from wirebook.fleet.run import FleetRequest, fleet
from wirebook.specs.problems import InputError


@pytest.fixture(scope="module")
def top(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """The folder that `viewfs://c/logs` shows, in a session that splits files after 20,000
    bytes."""
    folder = tmp_path_factory.mktemp("logs")
    conf = {
        "spark.hadoop.fs.viewfs.mounttable.c.link./logs": folder.as_uri(),
        "spark.sql.files.maxPartitionBytes": "20000",
    }
    with spark_context("local[2]", conf=conf):
        yield folder


def at(address: str, output: Path) -> Any:
    """The output for logs at an address."""
    return fleet(FleetRequest([f"viewfs://c/logs/{address}"], "4.0", output, master="local[2]"))


def test_data_frames_are_all_that_is_used_because_spark_connect_has_no_more() -> None:
    source = Path(spark.__file__).read_text(encoding="utf-8")
    assert not re.search(r"\.rdd\b|sparkContext|SparkContext|_jvm\b|_jsc\b", source)


@pytest.mark.long
@pytest.mark.xdist_group("spark")
class TestOnSpark:
    def test_the_result_is_that_of_one_process(
        self, top: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        first, second = top / "all" / "dt=1", top / "all" / "dt=2"
        first.mkdir(parents=True)
        second.mkdir()
        lines = [kafka_line(version=n % 9, client_id=f"app-{'abcdefg'[n % 7]}") for n in range(600)]
        text = b"\n".join(lines) + b"\n"
        (first / "a b%20.log").write_bytes(text)
        (first / "container.log").write_bytes(b"\n".join(container_log() * 20) + b"\n")
        (first / "other.log").write_bytes(b"junk\xff\r\n\n" + lines[5] + b"\n")
        (first / "empty.log").write_bytes(b"")
        (second / "c.log.gz").write_bytes(gzip.compress(text[:9000] + b"\nx\n"))
        for name, written in write(applications(), json_line).lines.items():
            (second / f"{name}.log").write_bytes(b"".join(line + b"\n" for line in cri(written)))
        paths, addresses, process = (tmp_path / name for name in ("paths", "addresses", "process"))
        asked(top / "all", paths)
        at("all/", addresses)
        monkeypatch.setattr(module, "at_hand", lambda: False)
        asked(top / "all", process)
        for name in ("requests.jsonl", "summary.json", "index.html"):
            expected = (process / name).read_text()
            assert (paths / name).read_text() == expected
            assert (addresses / name).read_text().replace("viewfs://c/logs", str(top)) == expected

    @pytest.mark.parametrize(
        ("name", "content", "words"),
        [
            (
                "a.gz",
                gzip.compress(kafka_line() * 900)[:-50],
                "viewfs://c/logs/bad-a.gz/a.gz cannot be read: java.io.EOFException",
            ),
            (
                "a.log",
                gzip.compress(kafka_line()),
                "is compressed: only gzip is read, by Spark if the name",
            ),
            (
                "a.bz2",
                bz2.compress(kafka_line()),
                "viewfs://c/logs/bad-a.bz2/a.bz2: is compressed: only gzip is read",
            ),
            (".hidden", b"", "there is no request in these logs"),
        ],
        ids=("cut", "compressed", "bzip2", "hidden"),
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

    def test_an_address_without_files_is_one_line(self, top: Path, tmp_path: Path) -> None:
        assert top.is_dir()
        with pytest.raises(
            InputError, match=r"viewfs://c/logs/nowhere.*: there is no such file or folder"
        ):
            at("nowhere*/", tmp_path / "out")
        with pytest.raises(InputError, match="S3AFileSystem not found"):
            fleet(FleetRequest(["s3a://bucket/x"], "4.0", tmp_path / "out", master="local[1]"))
