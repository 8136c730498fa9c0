"""The Spark job of `wirebook survey`: executors list histories, judge each text once, and compare."""

from __future__ import annotations

import uuid
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from itertools import groupby
from operator import itemgetter
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from pyspark.sql import functions as f
from pyspark.storagelevel import StorageLevel

from wirebook.docgen.pipeline.work import no_cycles
from wirebook.docgen.progress import Progress
from wirebook.docgen.survey.compare import Reference
from wirebook.docgen.survey.imports import (
    blob_of,
    imported_blobs,
    read_with_imports,
    whole_text,
    with_profile,
)
from wirebook.docgen.survey.kept import (
    KeptHistory,
    KeptTexts,
    decoded,
    encoded,
    judge_of,
    state_of,
    text_rows,
)
from wirebook.docgen.survey.reading import RepositoryHistory
from wirebook.docgen.survey.report import Report, ReportRow, layout_rows, report_of, texts_of
from wirebook.docgen.survey.repositories import Given
from wirebook.docgen.survey.states import items_of, layouts_of
from wirebook.docgen.survey.texts import JudgedText, judge_text
from wirebook.specs.problems import InputError
from wirebook.specs.profile import Profile
from wirebook.specs.reading.discovery import place_of
from wirebook.specs.sources.git import GitRepo
from wirebook.specs.wire.resemblance import Bits

if TYPE_CHECKING:
    from pyspark import RDD
    from pyspark.sql import SparkSession

T = TypeVar("T")
TEXTS_A_TASK = 200
_CANDIDATES = "object string, repository int, path string, place int"


class Failure(NamedTuple):
    """Why a repository cannot be read, as an executor sends it."""

    path: str | None
    message: str


class SurveyedLayouts(NamedTuple):
    """The result of a job: the layouts of all repositories as bits, how many specs there are, how many
    repositories are as they were, and the rows of the table of texts.
    """

    bits: Bits
    texts: int
    unchanged: int
    rows_of_texts: Iterator[ReportRow]


class LastSurvey(NamedTuple):
    """What an earlier survey has left."""

    histories: Mapping[str, KeptHistory]
    texts: KeptTexts

    def history(self, name: str, state: str) -> bytes | None:
        """The history of a repository in a state; None if it is not kept."""
        kept = self.histories.get(name)
        return kept.history if kept is not None and kept.state == state else None


class Job:
    """One survey on a session; the first repository is the reference."""

    def __init__(
        self,
        spark: SparkSession,
        repositories: Sequence[Given],
        protocol: str | None,
        progress: Progress,
        kept: LastSurvey,
    ) -> None:
        self.spark = spark
        self.repositories = repositories
        self.protocol = protocol
        self.progress = progress
        self.kept = kept

    def run(
        self,
        keep: Callable[[Report, list[ReportRow]], None],
        keep_history: Callable[[str, KeptHistory], None],
    ) -> SurveyedLayouts:
        """Compare all repositories, and read those that have changed; `keep` gets the report and the rows of
        each, `keep_history` its history, in their order.

        Raises InputError for the first repository that cannot be read or has no specs.
        """
        context = self.spark.sparkContext
        self.progress.step("listing histories", len(self.repositories))
        numbers = range(len(self.repositories))
        repositories = context.parallelize(list(enumerate(self.repositories)), len(self.repositories))
        states: list[str] = []
        for state in self._stream(repositories.map(_state_reader(self.protocol)), numbers):
            if isinstance(state, Failure):
                raise InputError(state.message, state.path)
            states.append(state)
        names = [repository.name for repository in self.repositories]
        kept = list(map(self.kept.history, names, states))
        rows = list(zip(numbers, self.repositories, kept, strict=True))
        read = context.parallelize(rows, len(rows))
        histories = read.map(_reader(self.protocol)).persist(StorageLevel.MEMORY_AND_DISK)
        try:
            profile = self._profile(histories)
            new = [number for number in numbers if kept[number] is None]
            encoded_histories = self._stream(histories.map(_on_histories(encoded)), new)
            for name, state, history in zip(names, states, kept, strict=True):
                text = next(encoded_histories) if history is None else history
                keep_history(name, KeptHistory(state, text))
            judged, rows_of_texts = self._judged(histories, profile)
            bits = Bits(item for text in judged.values() for item in items_of(text))
            shared = context.broadcast((judged, bits))
            reference = self._stream(histories.map(_on_histories(_referrer(shared))), [0])
            shared_reference = context.broadcast(next(reference))
            if isinstance(shared_reference.value, Failure):
                raise InputError(shared_reference.value.message, shared_reference.value.path)
            self.progress.step("comparing repositories", len(self.repositories))
            for result in self._stream(
                histories.map(_on_histories(_comparer(shared, shared_reference))),
                range(len(self.repositories)),
            ):
                if isinstance(result, Failure):
                    raise InputError(result.message, result.path)
                keep(*result)
                self.progress.advance()
            specs = sum(bool(text.places) for text in judged.values())
            return SurveyedLayouts(bits, specs, len(kept) - len(new), rows_of_texts)
        finally:
            histories.unpersist()

    def _profile(self, histories: RDD[Any]) -> Profile:
        """The profile of the reference, by which all are judged."""
        profile: Profile | None = None
        for number, candidate in self._stream(histories.map(_head), range(len(self.repositories))):
            if isinstance(candidate, Failure):
                raise InputError(candidate.message, candidate.path)
            if number == 0:
                profile = candidate
            self.progress.advance()
        assert profile is not None
        return profile

    def _judged(
        self, histories: RDD[Any], profile: Profile
    ) -> tuple[dict[str, JudgedText], Iterator[ReportRow]]:
        """Every text of every repository, by the name of its object, and the rows to keep of them: each is
        read and judged once.
        """
        context = self.spark.sparkContext
        # Forks share nearly all texts: those of many repositories are few rows for Java.
        some = histories.coalesce(2 * max(2, context.defaultParallelism)).mapPartitions(_candidates)
        distinct = (
            self.spark.createDataFrame(some, _CANDIDATES, verifySchema=False)
            .groupBy("object")
            .agg(f.min(f.struct("repository", "path")).alias("one"), f.collect_set("place").alias("places"))
            .select("one.repository", "object", "one.path", "places")
        )
        # One row per text, sorted, so that a task has equally many texts, of few repositories.
        all_rows = sorted(tuple(row) for row in distinct.collect())
        judge, places = judge_of(profile), {row[1]: row[3] for row in all_rows}
        before = {name: self.kept.texts.get(name, at, judge) for name, at in places.items()}
        judged = {name: text for name, text in before.items() if text is not None}
        rows = [row for row in all_rows if row[1] not in judged]
        self.progress.step("judging texts", len(rows))
        count = max(1, min(len(rows), max(context.defaultParallelism * 2, len(rows) // TEXTS_A_TASK)))
        done = context.parallelize(rows, count).mapPartitions(_judge(list(self.repositories), profile))
        for text in self._stream(done, range(count)):
            if isinstance(text, Failure):
                raise InputError(text.message, text.path)
            judged[text.object] = text
            self.progress.advance()
        return judged, text_rows(judged, places, judge)

    def _stream(self, rows: RDD[Any], partitions: Sequence[int]) -> Iterator[Any]:
        """The rows of some partitions, a few at a time, so that the driver never has them all.

        Two jobs run at once: cores that the last tasks of one do not need have those of the next.
        """
        context = self.spark.sparkContext
        group = f"wirebook-{uuid.uuid4()}"
        at_once = max(2, context.defaultParallelism) * 4
        running: deque[Future[list[Any]]] = deque()
        with ThreadPoolExecutor(2, initializer=lambda: context.setJobGroup(group, "wirebook")) as pool:
            try:
                for first in range(0, len(partitions), at_once):
                    some = list(partitions[first : first + at_once])
                    running.append(pool.submit(context.runJob, rows, list, some))
                    if len(running) > 1:
                        yield from running.popleft().result()
                while running:
                    yield from running.popleft().result()
            except BaseException:
                for job in running:
                    job.cancel()
                with suppress(Exception):
                    context.cancelJobGroup(group)
                raise


# -- what executors run ---------------------------------------------------------------------------


def _state_reader(protocol: str | None) -> Callable[[tuple[int, Given]], str | Failure]:
    def read(numbered: tuple[int, Given]) -> str | Failure:
        try:
            return state_of(numbered[1], protocol)
        except InputError as error:
            return Failure(error.path, error.message)

    return read


def _reader(
    protocol: str | None,
) -> Callable[[tuple[int, Given, bytes | None]], tuple[int, RepositoryHistory | Failure]]:
    def read(row: tuple[int, Given, bytes | None]) -> tuple[int, RepositoryHistory | Failure]:
        number, repository, kept = row
        try:
            if kept is None:
                return number, read_with_imports(repository, protocol)
            # All are judged by the profile of the first.
            history = decoded(kept)
            return number, history if number else with_profile(history, repository, protocol)
        except InputError as error:
            return number, Failure(error.path, error.message)

    return read


def _head(numbered: tuple[int, RepositoryHistory | Failure]) -> tuple[int, Profile | Failure]:
    number, history = numbered
    return number, history if isinstance(history, Failure) else history.profile


def _candidates(
    histories: Iterable[tuple[int, RepositoryHistory | Failure]],
) -> Iterator[tuple[str, int, str, int]]:
    """The files of some repositories, of each text and kind of place the first one."""
    first: dict[tuple[str, int], tuple[int, str]] = {}
    for number, history in histories:
        if not isinstance(history, Failure):
            for path, name in history.files:
                key, candidate = (name, place_of(path)), (number, path)
                first[key] = min(candidate, first.get(key, candidate))
    for (name, area), (number, path) in first.items():
        yield name, number, path, area


def _judge(
    repositories: list[Given], profile: Profile
) -> Callable[[Iterable[tuple[int, str, str, list[int]]]], Iterator[JudgedText | Failure]]:
    def judge(rows: Iterable[tuple[int, str, str, list[int]]]) -> Iterator[JudgedText | Failure]:
        with no_cycles():
            for number, some in groupby(rows, key=itemgetter(0)):
                candidates = list(some)
                with GitRepo(repositories[number].path) as opened:
                    inner = imported_blobs(name for _, name, _, _ in candidates)
                    imported = dict(zip(inner, opened.objects.query(inner), strict=True))
                    blobs = opened.objects.query(blob_of(name) for _, name, _, _ in candidates)
                    for (_, name, path, places), blob in zip(candidates, blobs, strict=True):
                        if blob.kind != "blob":
                            error = opened.objects.damaged(blob_of(name))
                            yield Failure(error.path, error.message)
                        else:
                            whole = whole_text(name, blob, path, imported)
                            yield judge_text(whole, path, places, profile)

    return judge


def _on_histories(
    work: Callable[[RepositoryHistory], T],
) -> Callable[[tuple[int, RepositoryHistory | Failure]], T | Failure]:
    """The work on each history that could be read."""

    def done(numbered: tuple[int, RepositoryHistory | Failure]) -> T | Failure:
        history = numbered[1]
        return history if isinstance(history, Failure) else work(history)

    return done


def _referrer(shared: Any) -> Callable[[RepositoryHistory], Reference | Failure]:
    def refer(history: RepositoryHistory) -> Reference | Failure:
        judged, bits = shared.value
        layouts = layouts_of(history, judged)
        if not layouts.newest.items:
            return _without_specs(history)
        return Reference.of(layouts, bits)

    return refer


def _comparer(
    shared: Any, reference: Any
) -> Callable[[RepositoryHistory], tuple[Report, list[ReportRow]] | Failure]:
    def compare(history: RepositoryHistory) -> tuple[Report, list[ReportRow]] | Failure:
        with no_cycles():
            judged: Mapping[str, JudgedText] = shared.value[0]
            layouts = layouts_of(history, judged)
            if not layouts.newest.items:
                return _without_specs(history)
            texts = texts_of(layouts, judged)
            return (
                report_of(layouts, reference.value, texts),
                list(layout_rows(layouts, reference.value, texts)),
            )

    return compare


def _without_specs(history: RepositoryHistory) -> Failure:
    return Failure(history.name, f"there is no spec that can be read in {history.newest.name} of it")
