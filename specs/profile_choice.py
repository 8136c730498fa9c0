"""The built-in profiles, which others extend."""

from __future__ import annotations

from difflib import get_close_matches

from wirebook.specs.kafka import KAFKA
from wirebook.specs.kafka.profile import KAFKA_PROFILE
from wirebook.specs.problems import InputError
from wirebook.specs.profile import Profile

EMBEDDED = (KAFKA,)


def embedded_profile(name: str) -> Profile:
    """A built-in profile. Raises InputError if none has this name."""
    if name == KAFKA:
        return KAFKA_PROFILE
    near = get_close_matches(name, EMBEDDED, n=1)
    hint = f'did you mean "{near[0]}"?' if near else f"there is {', '.join(EMBEDDED)}"
    raise InputError(f'there is no profile "{name}" to extend; {hint}')


def own_table(profile: Profile, what: str) -> str | None:
    """The path of a table that a profile names; None if it names none but that of a built-in one."""
    path = profile.tables.get(what)
    inherited = embedded_profile(profile.family).tables.get(what) if profile.family else None
    return None if path == inherited else path
