"""The function behind `wirebook survey`: repositories in, tables, summary and page out."""

from __future__ import annotations

import os
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pyarrow as pa  # type: ignore[import-untyped]

from wirebook.docgen.catalog import files as output
from wirebook.docgen.catalog.json_records import to_json
from wirebook.docgen.pipeline.session import spark_session
from wirebook.docgen.pipeline.spark.storage import Storage
from wirebook.docgen.pipeline.survey.job import Job, LastSurvey
from wirebook.docgen.progress import SILENT, Progress
from wirebook.docgen.survey.kept import KeptHistory, KeptTexts, history_row, kept_histories
from wirebook.docgen.survey.page import survey_page
from wirebook.docgen.survey.records import SurveySummary
from wirebook.docgen.survey.report import Report, ReportRow
from wirebook.docgen.survey.repositories import Given, in_order
from wirebook.docgen.survey.summary import summarize
from wirebook.specs.output import SURVEY, check_output, replaced

ROWS_A_PART = 200_000


_TEXT, _NUMBERS = pa.string(), pa.list_(pa.int32())
_HISTORIES = dict.fromkeys(("repository", "head", "state", "code"), _TEXT) | {"history": pa.binary()}
_TEXTS: Mapping[str, Any] = {
    **dict.fromkeys(("object", "error", "subject", "part", "message", "type", "api", "judge"), _TEXT),
    "api_key": pa.int32(),
    "places": _NUMBERS,
    "judged_at": _NUMBERS,
    "versions": pa.list_(pa.struct({"version": pa.int32(), "fingerprint": _TEXT})),
    "tags": pa.list_(pa.struct({"within": _TEXT, "tag": pa.int64(), "field": _TEXT, "type": _TEXT})),
}


@dataclass(frozen=True, slots=True)
class SurveyRequest:
    """Repositories, the name of the one that the others are compared with, and where to write the result.

    `master` and `conf` are those of a new Spark session; the caller's own is used if there is one.
    Executors write the tables to the URI `tables` as well.
    """

    repositories: Sequence[Given]
    output: Path
    reference: str | None = None
    protocol: str | None = None
    master: str | None = None
    conf: Mapping[str, str] = field(default_factory=dict)
    tables: str | None = None


@dataclass(frozen=True, slots=True)
class SurveyResult:
    """The summary as written, how long it took, and how many repositories are as in the last survey."""

    summary: SurveySummary
    seconds: float
    unchanged: int = 0


def survey(request: SurveyRequest, progress: Progress = SILENT) -> SurveyResult:
    """Compare the repositories, and replace the output in one step.

    Raises InputError if it cannot finish; the folder is then unchanged.
    """
    started = time.monotonic()
    check_output(request.output, SURVEY)
    repositories = _absolute(in_order(request.repositories, request.reference))
    progress.step("starting Spark")
    with (
        replaced(request.output, SURVEY) as folder,
        spark_session(request.master, partitions=8, conf=request.conf, progress=progress) as spark,
    ):
        tables = _Tables(folder)
        reports: list[Report] = []

        def keep(report: Report, rows: list[ReportRow]) -> None:
            reports.append(report)
            tables.add(rows)

        histories: list[str] = []

        def keep_history(name: str, history: KeptHistory) -> None:
            row = history_row(name, history)
            _write(folder / "histories", [row], _HISTORIES, len(histories))
            histories.append(name)

        job = Job(spark, repositories, request.protocol, progress, _kept(request.output))
        layouts = job.run(keep, keep_history)
        progress.step("writing the result")
        _write(folder / "texts", list(layouts.rows_of_texts), _TEXTS)
        tables.close()
        summary = summarize(reports, layouts.bits, layouts.texts)
        _write_small_tables(folder, summary)
        output.write_json(folder / "survey.json", to_json(summary))
        page = survey_page(summary)
        (folder / "index.html").write_text(page, encoding="utf-8", errors="backslashreplace")
        for name in ("layouts", "drift", "taken_over"):
            Storage(spark, request.tables).write_parts(name, output.table_parts(folder / name))
    return SurveyResult(summary, time.monotonic() - started, layouts.unchanged)


def _kept(output_folder: Path) -> LastSurvey:
    """What an earlier survey has left in its output; nothing of one that cannot be read."""
    histories, texts = (_rows(output_folder / name) for name in ("histories", "texts"))
    try:
        return LastSurvey(kept_histories(histories), KeptTexts(texts))
    except (KeyError, TypeError):
        return LastSurvey({}, KeptTexts())


def _rows(folder: Path) -> list[ReportRow]:
    rows: list[ReportRow] = []
    try:
        for part in output.table_parts(folder):
            rows += part.to_pylist()
    except (OSError, pa.ArrowException):
        return []
    return rows


def _absolute(repositories: Sequence[Given]) -> list[Given]:
    """The repositories by absolute paths: executors of a cluster start in folders of their own."""
    return [replace(item, path=os.path.abspath(item.path)) for item in repositories]


class _Tables:
    """Writes the table of layouts, a part after another, so that this process never has all rows."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder / "layouts"
        self.rows: list[ReportRow] = []
        self.part = 0

    def add(self, rows: list[ReportRow]) -> None:
        self.rows += rows
        if len(self.rows) >= ROWS_A_PART:
            self.close()

    def close(self) -> None:
        if self.rows or not self.part:
            output.write_table(self.folder, self.part, pa.Table.from_pylist(self.rows, schema=_layouts()))
            self.part += 1
            self.rows = []


def _layouts() -> pa.Schema:
    kinds = {"api_key": pa.int32(), "version": pa.int32(), "in_newest": pa.bool_(), "days": pa.int32()}
    names = (
        "repository", "subject", "part", "message", "api", "api_key", "version", "fingerprint", "status",
        "in_newest", "first_day", "first_commit", "first_release", "first_release_day",
        "reference_day", "days",
    )  # fmt: skip
    return pa.schema([(name, kinds.get(name, pa.string())) for name in names])


def _write_small_tables(folder: Path, summary: SurveySummary) -> None:
    text, number = pa.string(), pa.int32()
    points = [
        {
            "repository": each.repository,
            **_plain(each.point),
            "nearest": list(each.nearest),
            **_plain(each.difference),
        }
        for each in summary.drift
    ]
    columns: dict[str, Any] = dict.fromkeys(("repository", "kind", "name", "commit", "day"), text)
    columns["nearest"] = pa.list_(text)
    columns |= dict.fromkeys(("differing", "same", "other", "own", "missing"), number)
    _write(folder / "drift", points, columns)
    columns = {"repository": text, "release": text, "release_day": text, "layouts": number, "taken": number}
    columns |= {"first_day": text, "last_day": text, "days": number}
    _write(folder / "taken_over", [_plain(each) for each in summary.taken_over], columns)


def _plain(record: object) -> ReportRow:
    row: ReportRow = to_json(record)
    return row


def _write(folder: Path, rows: Sequence[ReportRow], columns: Mapping[str, Any], part: int = 0) -> None:
    output.write_table(
        folder, part, pa.Table.from_pylist(list(rows), schema=pa.schema(list(columns.items())))
    )
