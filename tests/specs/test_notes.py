"""Comments are read as notes on versions and as the purpose of a message."""

from __future__ import annotations

import pytest

from wirebook.specs.notes import purpose, version_notes
from wirebook.specs.reader import read_message


def notes(*comments: str) -> tuple[dict[int, list[str]], str]:
    lines = "\n".join(f"  // {comment}".rstrip() for comment in comments)
    text = f'{{\n  "name": "FooRequest", "type": "request",\n{lines}\n  "validVersions": "0-9", "fields": []\n}}'
    message = read_message(text, "x")
    return version_notes(message), purpose(message)


@pytest.mark.parametrize(
    ("line", "versions"),
    [
        ("Version 3 adds X.", [3]),
        ("Versions 1-3 are alike.", [1, 2, 3]),
        ("Versions 1 and 2 are the same as version 0.", [1, 2]),
        ("Versions 1, 2, and 4 are alike.", [1, 2, 4]),
        ("Versions 1 through 3 went.", [1, 2, 3]),
        ("Starting in version 5, things differ.", [5]),
        ("Beginning with Version 6 too.", [6]),
        ("Version 2+ is flexible.", [2]),
        ("Versions 9-1 make no sense.", [9]),
        ("Versions 3-3 are one.", [3]),
        ("Versions 2-101 are a hundred.", list(range(2, 102))),
        ("Versions 2-102 are too many.", [2]),
        ("Versions 0-30000 are no loop.", [0]),
        ("A version 4 is not the start of a note.", []),
    ],
)
def test_which_versions_a_line_is_about(line: str, versions: list[int]) -> None:
    found, rest = notes(line)
    assert found == {version: [line] for version in versions}
    assert rest == ("" if versions else line)


def test_wrapped_lines_belong_to_the_note_they_go_on() -> None:
    found, rest = notes(
        "What it is for,",
        "in two lines.",
        "",
        "Version 1 is the same as",
        "version 0.",
        "Version 2 adds X.",
        "",
        "The end.",
    )
    assert found == {1: ["Version 1 is the same as version 0."], 2: ["Version 2 adds X."]}
    assert rest == "What it is for, in two lines.\n\nThe end."
