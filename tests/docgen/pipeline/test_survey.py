"""`wirebook survey` on Spark: the same as in one process, written whole or not at all."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq  # type: ignore[import-untyped]
import pytest
from jsonschema import Draft202012Validator

from tests.docgen.survey import plain
from tests.docgen.survey.forks import Truth
from tests.docgen.survey.plain import upstream
from tests.repositories import Repo
from tests.support import ROOT
from wirebook.cli import exits
from wirebook.cli.main import main
from wirebook.docgen.catalog.json_records import from_json, to_json
from wirebook.docgen.pipeline.session import spark_session
from wirebook.docgen.pipeline.survey import job
from wirebook.docgen.pipeline.survey.run import SurveyRequest, survey
from wirebook.docgen.survey.imports import read_with_imports
from wirebook.docgen.survey.records import SurveySummary
from wirebook.docgen.survey.repositories import Given
from wirebook.docgen.survey.texts import judge_text

pytestmark = [pytest.mark.xdist_group("spark"), pytest.mark.long]


@pytest.fixture(scope="module", autouse=True)
def session() -> Iterator[None]:
    """One session for all tests of this file: what runs inside takes it."""
    with spark_session("local[2]"):
        yield


@pytest.fixture(scope="module")
def repo(tmp_path_factory: pytest.TempPathFactory) -> Repo:
    """The upstream."""
    return upstream(tmp_path_factory.mktemp("survey") / "up")


@pytest.fixture(scope="module")
def forks(repo: Repo, tmp_path_factory: pytest.TempPathFactory) -> list[Truth]:
    """Four forks of it."""
    return plain.forks(tmp_path_factory.mktemp("forks"), 4, repo)


@pytest.fixture(scope="module")
def output(repo: Repo, forks: list[Truth], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The output of the command."""
    made = tmp_path_factory.mktemp("output") / "survey"
    names = [str(repo.folder), *(str(truth.path) for truth in forks)]
    assert main(["survey", *names, "--output", str(made), "-q"]) == exits.CLEAN
    return made


def test_the_result_is_that_of_one_process(repo: Repo, forks: list[Truth], output: Path) -> None:
    document = json.loads((output / "survey.json").read_text())
    schema = json.loads((ROOT / "docgen" / "schema" / "survey.json").read_text())
    assert [error.message for error in Draft202012Validator(schema).iter_errors(document)] == []
    expected = plain.survey([Given("up", str(repo.folder)), *plain.given(forks)])
    assert document == json.loads(json.dumps(to_json(expected)))
    assert from_json(SurveySummary, document) == expected


def test_the_tables_have_what_the_summary_counts(output: Path, forks: list[Truth]) -> None:
    rows = pq.read_table(output / "layouts").to_pylist()
    truth = forks[1]
    newest = [row for row in rows if row["repository"] == truth.name and row["in_newest"]]
    by_status = [sum(row["status"] == status for row in newest) for status in ("same", "other", "own")]
    assert by_status == [truth.same, truth.other, truth.own]
    taken = {row["days"] for row in rows if row["repository"] == truth.name and row["days"] is not None}
    assert taken == {truth.days}
    drift = pq.read_table(output / "drift").to_pylist()
    last = [row for row in drift if row["repository"] == truth.name and row["name"] == "1.2.0"]
    assert [(row["differing"], row["nearest"]) for row in last] == [(truth.differing, ["1.2.0"])]
    assert pq.read_table(output / "taken_over").num_rows == 3 * len(forks)


def test_another_order_makes_the_same_files(
    repo: Repo, forks: list[Truth], output: Path, tmp_path: Path
) -> None:
    names = [*(str(truth.path) for truth in forks[::-1]), str(repo.folder)]
    arguments = ["survey", *names, "--reference", "up", "--output", str(tmp_path / "out"), "-q"]
    assert main(arguments) == exits.CLEAN
    for name in ("survey.json", "index.html", "layouts/part-0000.parquet"):
        assert (tmp_path / "out" / name).read_bytes() == (output / name).read_bytes(), name


def test_bad_input_is_one_line_and_leaves_nothing(
    repo: Repo, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    other = Repo(tmp_path / "other")
    other.write("package.json", "{}")
    other.commit()
    (tmp_path / "plain").mkdir()
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "theirs").write_text("x")
    good, out = str(repo.folder), str(tmp_path / "out")
    for arguments, words in {
        (good, str(tmp_path / "plain"), "--output", out): "plain: this is not a git repository",
        (good, f"x={other.folder}", "--output", out): "x: there is no spec that can be read in HEAD of it",
        (f"x={other.folder}", good, "--output", out): "x: there is no spec that can be read in HEAD of it",
        (good, good, "--output", out): 'two repositories are called "up"; name them: NAME=PATH',
        (good, "--output", str(tmp_path / "full")): 'holds other files ("theirs")',
        (good, "--reference", "no", "--output", out): 'no repository is called "no"; there are up',
    }.items():
        assert main(["survey", *arguments, "-q"]) == 2
        lines = capsys.readouterr().err.splitlines()
        assert len(lines) == 1, lines
        assert words in lines[0]
    left = {"other", "plain", "full"}
    assert {path.name for path in tmp_path.iterdir()} == left


def test_only_repositories_that_have_changed_are_read_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    read, judged = tmp_path / "read", tmp_path / "judged"

    def noted(folder: Path, name: str, real: Callable[..., Any]) -> Callable[..., Any]:
        def note(first: Any, *rest: Any) -> Any:
            folder.mkdir(exist_ok=True)
            (folder / str(getattr(first, name))).touch()
            return real(first, *rest)

        return note

    def names(folder: Path) -> set[str]:
        found = {path.name for path in folder.iterdir()} if folder.exists() else set()
        shutil.rmtree(folder, ignore_errors=True)
        return found

    monkeypatch.setattr(job, "read_with_imports", noted(read, "name", read_with_imports))
    monkeypatch.setattr(job, "judge_text", noted(judged, "name", judge_text))
    up = upstream(tmp_path / "up")
    truths = plain.forks(tmp_path / "forks", 3, up)
    given = [Given("up", str(up.folder)), *plain.given(truths)]
    kept = SurveyRequest(given, tmp_path / "out")
    first = survey(kept)
    assert (names(read), first.unchanged) == ({"up", *(truth.name for truth in truths)}, 0)
    assert names(judged)
    again = survey(kept)
    assert (names(read), names(judged), again.unchanged) == (set(), set(), 4)
    assert again.summary == first.summary
    # A commit, and a tag that is no commit of its own.
    changed = Repo(tmp_path / "clone")
    shutil.rmtree(changed.folder)
    shutil.copytree(up.folder, changed.folder)
    changed.spec(plain.specs(1, "Fetch", 9)[0])
    plain.dated(changed, "more", 100)
    more = SurveyRequest([*given, Given("clone", str(changed.folder))], tmp_path / "out")
    assert survey(more).unchanged == 4
    assert names(read) == {"clone"}
    assert len(names(judged)) == 1
    plain.released(changed, "1.3.0", 101)
    assert survey(more).unchanged == 4
    assert (names(read), names(judged)) == ({"clone"}, set())
    whole = survey(SurveyRequest(more.repositories, tmp_path / "whole"))
    assert whole.unchanged == 0
    for path in (path for path in (tmp_path / "whole").rglob("*") if path.is_file()):
        other = tmp_path / "out" / path.relative_to(tmp_path / "whole")
        assert other.read_bytes() == path.read_bytes(), path
    # What cannot be read is as if it were not there.
    (tmp_path / "out" / "histories" / "part-0000.parquet").write_bytes(b"x")
    assert survey(more).unchanged == 0
