"""When something happened, in words."""

from __future__ import annotations

import pytest

from wirebook.docgen.catalog.records import Event, Since
from wirebook.docgen.render.kit.wording import moment, since_release


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
