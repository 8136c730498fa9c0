"""Chooses the profile of the specs of a source: the one next to them, or that of a configuration."""

from __future__ import annotations

import posixpath
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from wirebook.specs.kafka import KAFKA
from wirebook.specs.kafka.profile import KAFKA_PROFILE
from wirebook.specs.limits import MAX_EXTENDED
from wirebook.specs.problems import InputError
from wirebook.specs.profile import NEUTRAL, Profile
from wirebook.specs.reading.discovery import PROFILE

if TYPE_CHECKING:
    from wirebook.specs.reading.profiles import Extended
    from wirebook.specs.sources.source import Source

EMBEDDED = (KAFKA,)

# The text of a file by its path; None if there is none.
TextOf = Callable[[str], bytes | None]


def embedded_profile(name: str) -> Profile:
    """A built-in profile. Raises InputError if none has this name."""
    if name == KAFKA:
        return KAFKA_PROFILE
    from difflib import get_close_matches

    near = get_close_matches(name, EMBEDDED, n=1)
    hint = f'did you mean "{near[0]}"?' if near else f"there is {', '.join(EMBEDDED)}"
    raise InputError(f'there is no profile "{name}" to extend; {hint}')


def own_table(profile: Profile, what: str) -> str | None:
    """The path of a table that a profile names; None if it names none but that of a built-in one."""
    path = profile.tables.get(what)
    inherited = embedded_profile(profile.family).tables.get(what) if profile.family else None
    return None if path == inherited else path


def extending(opened: TextOf, path: str, *, within: tuple[str, ...] = ()) -> Extended:
    """A function that returns the profiles that the one at `path` extends: a built-in name, or a relative
    path.

    `opened` returns the text of a file.
    """

    def extended(name: str) -> Profile:
        from wirebook.specs.reading.profiles import read_profile

        if not name.endswith(".toml"):
            return embedded_profile(name)
        target = posixpath.normpath(posixpath.join(posixpath.dirname(path), name))
        if target in (path, *within):
            raise InputError(f'"{name}" extends this profile in turn')
        if len(within) >= MAX_EXTENDED:
            raise InputError(f"more than {MAX_EXTENDED} profiles extend each other")
        try:
            text = opened(target)
        except InputError as error:
            raise InputError(f'the profile "{name}" cannot be read: {error.message}') from None
        if text is None:
            raise InputError(f'there is no profile "{name}" to extend')
        return read_profile(text, target, extending(opened, target, within=(path, *within)))

    return extended


def stated_profile(text: bytes, path: str, opened: TextOf) -> Profile | None:
    """The profile in a profile.toml, or in the table `[protocol]` of a configuration; None if that has none.

    Raises InputError for one that cannot be read.
    """
    from wirebook.specs.reading.profiles import TABLE, profile_of_document, read_profile

    extended = extending(opened, path)
    if path.rpartition("/")[2] == PROFILE:
        return read_profile(text, path, extended)
    # A key may be written with escapes.
    if TABLE.encode() not in text and b"\\" not in text:
        return None
    return profile_of_document(text, path, extended)


def profile_of(source: Source, paths: Sequence[str]) -> Profile:
    """The profile of the specs at some paths of a source.

    The nearest profile.toml in their folders or above counts, or else the table `[protocol]` of a
    configuration there. Without either, they belong to no particular protocol. Raises InputError for a
    profile that cannot be read.
    """
    return _beside(source, paths) or NEUTRAL


def _beside(source: Source, paths: Sequence[str]) -> Profile | None:
    from wirebook.specs.reading.profiles import FILES
    from wirebook.specs.sources.beside import places_beside, texts_beside

    def opened(path: str) -> bytes | None:
        return next((text.text for text in texts_beside(source, [path])), None)

    places = [place for name in FILES for place in places_beside(source, paths, name)]
    for text in texts_beside(source, places):
        profile = stated_profile(text.text, text.path, opened)
        if profile is not None:
            # In a checkout of wirebook, the profile beside the specs is the embedded one.
            return profile if profile.name not in EMBEDDED else profile._replace(family=profile.name)
    return None
