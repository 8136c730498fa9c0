"""What the histories of the own specs say cannot be unsaid: every single edit of them is an error."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from tests.specs.wire.agreement import own_messages
from tests.together import together
from wirebook.rules.engine import check
from wirebook.rules.finding import Finding, Severity
from wirebook.rules.released import Baseline
from wirebook.specs.kafka.registry import FOLDER
from wirebook.specs.levels import read_registry
from wirebook.specs.model import STANDING, HistoryEntry, Message, Protocol

REGISTRY = read_registry((FOLDER / "api_versions.json").read_bytes(), "api_versions.json")
LEVELS = [level.version for level in REGISTRY.api_versions]
UNRELEASED = [level.version for level in REGISTRY.api_versions[len(REGISTRY.described) :]]
WITH_HISTORY = [message for message in own_messages().values() if message.history]


def judged(old: Message | None, new: Message, *baselines: Message) -> list[Finding]:
    """The errors of rules on histories."""
    released = [Baseline(f"{number}.0", Protocol((it,))) for number, it in enumerate(baselines, 90)]
    found = check(
        Protocol(() if old is None else (old,)),
        Protocol((new,)),
        released,
        old_registry=REGISTRY,
        new_registry=REGISTRY,
        together=False,
    )
    rules = ("history-rewritten", "removed-without-deprecation", "history-order")
    return [item for item in found if item.rule in rules and item.severity is Severity.ERROR]


@st.composite
def rewritten(draw: st.DrawFn) -> tuple[Message, Message]:
    """A message, and the same with one entry or one mark of its history deleted or dated anew."""
    message = draw(st.sampled_from(WITH_HISTORY))
    number = draw(st.integers(0, len(message.history) - 1))
    entry = message.history[number]
    marks = [key for key in STANDING if getattr(entry, key) is not None]
    edited: tuple[HistoryEntry, ...] = ()
    if draw(st.booleans()):
        mark = draw(st.sampled_from(marks))
        others = [level for level in LEVELS if level != getattr(entry, mark)]
        marks_now: dict[str, Any] = {mark: draw(st.sampled_from([None, *others]))}
        edited = (entry._replace(**marks_now),)
    history = (*message.history[:number], *edited, *message.history[number + 1 :])
    return message, message._replace(history=history)


@given(rewritten())
def test_a_history_that_is_rewritten_is_one_error(sides: tuple[Message, Message]) -> None:
    old, new = sides
    assert [item.rule for item in judged(old, new)] == ["history-rewritten"]
    # The old side may have lost it already: a baseline has it.
    assert [item.rule for item in judged(new._replace(), new, old)] == ["history-rewritten"]
    assert judged(old, old, old) == []


@together("message", WITH_HISTORY[:40], ids=lambda message: message.name)
def test_a_history_is_not_deleted(message: Message) -> None:
    (found,) = judged(message, message._replace(history=()))
    assert (found.rule, found.versions.text) == ("history-rewritten", message.valid_versions.__str__())


@given(st.sampled_from([message for message in WITH_HISTORY if message.api_key != 18]), st.data())
def test_a_version_is_deprecated_first_and_removed_in_a_later_patch(
    message: Message, data: st.DataObject
) -> None:
    entry = data.draw(st.sampled_from(message.history))
    if entry.deprecated is not None or entry.removed is not None:
        return

    def having(**marks: Any) -> Message:
        history = (it._replace(**marks) if it is entry else it for it in message.history)
        return message._replace(history=tuple(history))

    first, later, released = UNRELEASED[0], UNRELEASED[-1], LEVELS[len(REGISTRY.described) - 1]
    deprecated, removed = having(deprecated=first), having(deprecated=first, removed=later)
    assert judged(message, deprecated) == judged(deprecated, removed) == []
    assert [item.rule for item in judged(message, removed)] == ["removed-without-deprecation"]
    assert [item.rule for item in judged(message, having(deprecated=released))] == ["history-rewritten"]
    # Only what is said of a version may be reworded.
    without_the_others = judged(message, message._replace(history=(entry._replace(about="x"),)))
    assert bool(without_the_others) == (len(message.history) > 1)
