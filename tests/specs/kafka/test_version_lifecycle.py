"""When a version lived, was unstable or deprecated: before, at and after the level that a history names."""

from __future__ import annotations

import json

import pytest

from tests.kafka import read_kafka
from wirebook.specs.kafka.version_lifecycle import VersionLifecycle, lifecycles
from wirebook.specs.levels import ApiVersion, Moment, Registry
from wirebook.specs.model import Message
from wirebook.specs.problems import InputError

REGISTRY = Registry(tuple(ApiVersion(number, f"{number}.0-IV0", f"{number}.0") for number in range(6)))
LEVELS = range(6)


def message(*history: dict[str, object], valid: str = "0-2", deprecated: str = "none") -> Message:
    """A message with a history."""
    spec = {
        "apiKey": 1, "type": "request", "name": "FooRequest", "validVersions": valid,
        "deprecatedVersions": deprecated, "flexibleVersions": "none", "fields": [], "history": list(history),
    }  # fmt: skip
    return read_kafka(json.dumps(spec, indent=1).encode(), "Foo.json")


def levels(life: VersionLifecycle) -> tuple[list[int], list[int], list[int]]:
    """The levels at which a version lives, is unstable and is deprecated."""
    return (
        [level for level in LEVELS if life.lives(level)],
        [level for level in LEVELS if life.is_unstable(level)],
        [level for level in LEVELS if life.is_deprecated(level)],
    )


@pytest.mark.parametrize(
    ("life", "lives", "unstable", "deprecated"),
    [
        (VersionLifecycle(), [0, 1, 2, 3, 4, 5], [], []),
        (VersionLifecycle(Moment(2)), [2, 3, 4, 5], [], []),
        # A patch release comes after the first release of its line.
        (VersionLifecycle(Moment(2, 1)), [3, 4, 5], [], []),
        (VersionLifecycle(Moment(1), removed=Moment(3)), [1, 2], [], []),
        (VersionLifecycle(Moment(1), removed=Moment(3), returned=Moment(5)), [1, 2, 5], [], []),
        (VersionLifecycle(Moment(1), unstable=Moment(1), stable=Moment(3)), [1, 2, 3, 4, 5], [1, 2], []),
        (VersionLifecycle(Moment(4), unstable=Moment(4)), [4, 5], [4, 5], []),
        (VersionLifecycle(deprecated=Moment(2)), [0, 1, 2, 3, 4, 5], [], [2, 3, 4, 5]),
        (VersionLifecycle(deprecated=Moment(2), undeprecated=Moment(4)), [0, 1, 2, 3, 4, 5], [], [2, 3]),
    ],
)
def test_the_state_of_a_version_at_each_level(
    life: VersionLifecycle, lives: list[int], unstable: list[int], deprecated: list[int]
) -> None:
    assert levels(life) == (lives, unstable, deprecated)


@pytest.mark.parametrize(
    ("life", "stillborn"),
    [
        (VersionLifecycle(), False),
        (VersionLifecycle(Moment(2)), False),
        (VersionLifecycle(Moment(2), deprecated=Moment(3)), False),
        (VersionLifecycle(Moment(2), deprecated=Moment(2)), True),
        (VersionLifecycle(Moment(2), deprecated=Moment(1)), True),
        # What was always there was meant for use once.
        (VersionLifecycle(Moment(0), deprecated=Moment(0)), False),
    ],
)
def test_a_version_that_was_deprecated_when_it_was_added_is_stillborn(
    life: VersionLifecycle, stillborn: bool
) -> None:
    assert life.stillborn is stillborn


def test_the_history_of_a_message_names_levels_and_releases() -> None:
    found = lifecycles(
        message(
            {"version": 1, "added": "1.0-IV0", "unstable": "1.0-IV0", "stable": "2.0"},
            {"version": 2, "added": "3.0.1", "deprecated": "3.0.1"},
            valid="0-3",
            deprecated="0-1",
        ),
        REGISTRY,
    )
    assert found == {
        0: VersionLifecycle(deprecated=Moment(0)),
        1: VersionLifecycle(Moment(1), unstable=Moment(1), stable=Moment(2)),
        2: VersionLifecycle(Moment(3, 1), deprecated=Moment(3, 1)),
        3: VersionLifecycle(),
    }
    with pytest.raises(InputError) as caught:
        lifecycles(message({"version": 1, "added": "1.0-IV7"}), REGISTRY)
    assert str(caught.value).startswith("Foo.json:")
    assert caught.value.message == '"1.0-IV7" is not an ApiVersion of the registry'
