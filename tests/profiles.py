"""How many random examples a property is tried on: `pytest --hypothesis-profile dev`, `ci` or
`long`."""

from __future__ import annotations

from typing import Any

from hypothesis import HealthCheck, settings

PROFILES = {"dev": 5, "ci": 6, "long": 200}


def register() -> None:
    """Make the profiles known, and load the one for a test that is run by hand."""
    for name, count in PROFILES.items():
        # The time of an example depends more on the machine than on the code.
        settings.register_profile(
            name,
            max_examples=count,
            deadline=None,
            print_blob=True,
            suppress_health_check=[HealthCheck.too_slow],
        )
    settings.load_profile("dev")


def examples(times: float, **more: Any) -> settings:
    """The settings of a property whose examples cost less or more than others: so many times the
    number."""
    assert settings.default is not None
    return settings(max_examples=max(1, round(settings.default.max_examples * times)), **more)
