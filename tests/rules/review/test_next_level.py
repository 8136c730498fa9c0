"""The protocol level that a change adds, or that it has to add."""

from __future__ import annotations

import pytest

from wirebook.rules.review.missing import _next_level
from wirebook.specs.levels import ApiVersion, Registry


def registry(*names: str) -> Registry:
    return Registry(tuple(ApiVersion(number, name, "4.0") for number, name in enumerate(names)))


@pytest.mark.parametrize(
    ("before", "after", "level"),
    [
        (registry("4.0-IV0"), registry("4.0-IV0"), ApiVersion(1, "4.0-IV1", "4.0")),
        (registry("4.0-IV0"), registry("4.0-IV0", "4.0-IV9"), ApiVersion(1, "4.0-IV9", "4.0")),
        (registry("4.0-IV0", "4.0-IV9"), registry("4.0-IV0", "4.0-IV9"), ApiVersion(2, "4.0-IV10", "4.0")),
        (registry("a"), registry("a"), ApiVersion(1, "…", "4.0")),
        # Without a registry on the old side, no level is known to be new.
        (None, registry("4.0-IV0"), ApiVersion(1, "4.0-IV1", "4.0")),
        (registry(), registry("4.0-IV0"), ApiVersion(0, "4.0-IV0", "4.0")),
        (registry("4.0-IV0"), registry(), None),
        (registry("4.0-IV0"), None, None),
    ],
)
def test_the_next_level(before: Registry | None, after: Registry | None, level: ApiVersion | None) -> None:
    assert _next_level((before, after)) == level
