"""The rules on single files as a whole: nothing without a layout passes."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.rules.fixture_pairs import PAIRS, protocol
from wirebook.rules.engine import judge_files
from wirebook.rules.finding import Category, Severity
from wirebook.rules.validity.problems import unusable
from wirebook.specs.model import Message, Protocol
from wirebook.specs.problems import InputError
from wirebook.specs.wire.layout import layout


def has_layout(message: Message) -> bool:
    try:
        return all(layout(message, version) for version in message.valid_versions)
    except InputError:
        return False


def sides(folder: Path) -> Iterator[Protocol]:
    for side in ("old", "new"):
        there = protocol(folder, side)
        if there is not None:
            yield there


@pytest.mark.share(4)
@pytest.mark.parametrize("folder", PAIRS, ids=lambda folder: f"{folder.parent.name}/{folder.name}")
def test_what_cannot_be_laid_out_is_an_error_of_the_spec(folder: Path) -> None:
    for side in sides(folder):
        for message in side:
            if has_layout(message) and not unusable(message):
                continue
            found = [item for item in judge_files(Protocol((message,))) if item.category is Category.SPEC]
            assert any(item.severity is Severity.ERROR for item in found)
