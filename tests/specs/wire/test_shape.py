"""The error for a name that no field has."""

from __future__ import annotations

import pytest

from wirebook.specs.wire.shape import no_such_field


@pytest.mark.parametrize(
    ("name", "known", "words"),
    [
        ("Nmae", ["Name"], "Nmae: there is no such field; did you mean Name?"),
        (
            "Nam",
            ["Other", "Name", "Names", "Named"],
            "Nam: there is no such field; did you mean Name or Names?",
        ),
        ("Qux", ["Name"], "Qux: there is no such field"),
        (7, ["Name"], "7: there is no such field"),
        ("x" * 81, [], f"{'x' * 80}: there is no such field"),
    ],
)
def test_at_most_two_names_are_suggested(name: object, known: list[str], words: str) -> None:
    assert str(no_such_field(name, known)) == words
