"""Our codec compared with Kafka's own message classes: the questions, and, with a checkout, the
answers."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tools.kafka_classes.compare import Question, Tally, compare, questions_of
from tools.kafka_classes.compiled import compiled, found_jars
from wirebook.specs.kafka.registry import embedded_protocol
from wirebook.specs.layout import layout
from wirebook.specs.problems import InputError

# A repository of Kafka at a release ("kafka@4.3.1"), and folders with jars that the machine lacks.
CHECKOUT = os.environ.get("KAFKA_CHECKOUT", "")
JAR_FOLDERS = [Path(each) for each in os.environ.get("KAFKA_JARS", "").split(os.pathsep) if each]
FETCH = next(each for each in embedded_protocol().messages if each.name == "FetchRequest")


def test_each_version_is_read_and_written() -> None:
    layouts = {version: layout(FETCH, version) for version in (12, 13)}
    asked = list(questions_of("otter.FetchRequestData", FETCH, layouts, each=2, seed=1))
    assert [each.line.split("\t")[0] for each in asked[:12]] == ["read", "write"] * 6
    assert asked == list(questions_of("otter.FetchRequestData", FETCH, layouts, each=2, seed=1))
    assert asked != list(questions_of("otter.FetchRequestData", FETCH, layouts, each=2, seed=2))
    assert len({each.data for each in asked}) > 4


def test_a_field_of_another_version_is_dropped_or_refused() -> None:
    layouts = {version: layout(FETCH, version) for version in (6, 7)}
    asked = list(questions_of("otter.FetchRequestData", FETCH, layouts, each=0, seed=1))
    lacking = {each.subject: each.is_refused for each in asked if ": " in each.subject}
    assert lacking == {
        "FetchRequest 6: SessionId of 7": False,
        "FetchRequest 6: SessionEpoch of 7": False,
        "FetchRequest 6: ForgottenTopicsData of 7": True,
    }


@pytest.mark.parametrize(
    ("question", "answer", "problem"),
    [
        (
            Question("A 1", "", "00ff", {"a": 1}),
            {"bytes": "00ff", "left": 0, "value": {"a": 1}},
            "",
        ),
        (Question("A 1", "", "00ff"), {"bytes": "00ff"}, ""),
        (Question("A 1", "", "00ff"), {"bytes": "00fe"}, "00ff is {'bytes': '00fe'}"),
        (Question("A 1", "", "00"), {"bytes": "00", "left": 1}, "00 is {'bytes': '00', 'left': 1}"),
        (
            Question("A 1", "", "00", {"a": 1}),
            {"bytes": "00", "value": {"a": 2}},
            "{'a': 1} is {'a': 2}",
        ),
        (Question("A 1", "", "00"), {"error": "no"}, "00 is {'error': 'no'}"),
        (Question("A 1", "", "00", is_refused=True), {"unsupported": "a"}, ""),
        (
            Question("A 1", "", "00", is_refused=True),
            {"bytes": "00"},
            "is written: {'bytes': '00'}",
        ),
    ],
)
def test_each_difference_is_found(
    question: Question, answer: dict[str, object], problem: str
) -> None:
    assert question.judged(answer, Tally()) == problem


@pytest.mark.long
@pytest.mark.skipif(not CHECKOUT, reason="KAFKA_CHECKOUT names no repository of Kafka, as REPO@REF")
def test_kafkas_classes_read_and_write_what_we_do(tmp_path: Path) -> None:
    try:
        jars = found_jars(JAR_FOLDERS)
    except InputError as error:
        pytest.skip(str(error))
    tally = compare(compiled(CHECKOUT, tmp_path, jars), each=4)
    assert tally.differences == []
    assert tally.versions > 600
