"""When something happened, in words."""

from __future__ import annotations

import pytest

from wirebook.docgen.catalog.records import Event, Since
from wirebook.docgen.render.kit.wording import lifecycle_words, moment, since_release


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
        ([], []),
    ],
)
def test_a_thing_is_added_by_the_release_that_first_serves_it_as_stable(
    events: list[str], words: list[str]
) -> None:
    assert lifecycle_words([_event(*event.split()) for event in events]) == words
