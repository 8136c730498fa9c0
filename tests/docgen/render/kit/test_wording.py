"""When something happened, in words."""

from __future__ import annotations

import pytest

from wirebook.docgen.catalog.records import Event, Since, VersionRecord
from wirebook.docgen.render.kit.wording import (
    lifecycle_words,
    moment,
    since_release,
    since_word,
    stable_release,
    unstable_release,
    was_stable,
)


@pytest.mark.parametrize(
    ("since", "release", "words"),
    [
        (Since("3.7-IV4", 18, "3.7.0", False), "3.7.0", "3.7.0 (3.7-IV4)"),
        (Since("3.7.0", 18, "3.7.0", False), "3.7.0", "3.7.0"),
        (Since(None, 18, "3.7.0", False), "3.7.0", "3.7.0"),
        (Since("3.7-IV4", 18, None, False), "3.7-IV4", "3.7-IV4"),
        (Since("3.7-IV4", 18, "3.7.0", True), "", "3.7.0 (3.7-IV4) or earlier"),
        (Since("0.8.0", 0, "0.8.0", True), "", "0.8.0"),
        (Since(None, None, None, False), "", ""),
    ],
)
def test_a_moment_has_its_release_and_its_level(since: Since, release: str, words: str) -> None:
    assert moment(since) == words
    assert since_release([Event("removed", Since(None, None, "9", False)), Event("added", since)]) == release


def test_what_is_not_known_has_no_words() -> None:
    assert moment(None) == ""
    assert since_release([]) == ""


def _event(kind: str, release: str) -> Event:
    return Event(kind, Since(None, None, release, False))


@pytest.mark.parametrize(
    ("events", "words"),
    [
        (["added 3.5", "flexible 3.5"], ["added in 3.5", "flexible since 3.5"]),
        (
            ["added 3.5", "flexible 3.5", "unstable 3.5", "stable 3.7"],
            ["added in 3.7", "unstable before, since 3.5", "flexible since 3.5"],
        ),
        (["added 3.9", "unstable 3.9", "removed 4.1"], ["unstable since 3.9", "removed in 4.1"]),
        (["added 3.9", "unstable 4.0"], ["added in 3.9", "unstable since 4.0"]),
        (
            ["added 3.5", "unstable 3.5", "removed 3.6", "returned 3.7", "stable 3.7"],
            ["added in 3.7", "unstable before, since 3.5", "removed in 3.6", "returned in 3.7"],
        ),
        ([], []),
    ],
)
def test_a_thing_is_added_by_the_release_that_first_serves_it_as_stable(
    events: list[str], words: list[str]
) -> None:
    assert lifecycle_words([_event(*event.split()) for event in events]) == words


@pytest.mark.parametrize(
    ("events", "word", "stable", "unstable", "served"),
    [
        (["added 3.5", "unstable 3.5"], "3.5 (unstable)", "", "3.5", False),
        (["added 3.5", "unstable 3.5", "stable 3.7"], "3.7", "3.7", "3.5", True),
        # What becomes unstable later was stable before.
        (["added 3.5", "unstable 3.6"], "3.5", "3.5", "3.6", True),
        (["added 3.5", "unstable 3.6", "stable 3.7"], "3.5", "3.5", "3.6", True),
        (["added 3.5"], "3.5", "3.5", "", True),
    ],
)
def test_only_what_was_added_as_unstable_is_dated_by_when_it_became_stable(
    events: list[str], word: str, stable: str, unstable: str, served: bool
) -> None:
    story = [_event(*event.split()) for event in events]
    assert (since_word(story), stable_release(story), unstable_release(story)) == (word, stable, unstable)
    assert was_stable(VersionRecord(0, False, False, "current", tuple(story), "", ())) == served


def test_what_the_first_release_had_as_unstable_was_never_stable_before() -> None:
    story = [
        Event("added", Since("0.9-IV0", 0, "0.9", False)),
        Event("unstable", Since(None, 2, "1.0.0", True)),
    ]
    assert (since_word(story), stable_release(story)) == ("0.9 (0.9-IV0) (unstable)", "")
