"""Globs over paths, as configurations write them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from fnmatch import translate
from functools import cache

_Part = str | re.Pattern[str] | None


def matches(path: str, globs: Sequence[str]) -> bool:
    """Whether a path matches one of the globs.

    `*` and `?` stay within a name, `**` as a name matches any number of folders. A glob without "/" matches a
    name at any depth; a glob that matches a folder matches everything in it. Paths outside the folder of the
    globs ("../x") match only globs that begin in the same way.
    """
    names = path.split("/")
    return any(_fits(names, _parts(glob)) for glob in globs)


def _fits(names: Sequence[str], parts: Sequence[_Part]) -> bool:
    """Whether leading names match a glob, in time linear in the number of names times that of its parts."""
    # The possible numbers of parts that the names so far match: a regular expression would backtrack.
    reached = _reach({0}, parts)
    for name in names:
        reached = _reach({after for at in reached for after in _after(at, name, parts)}, parts)
        if len(parts) in reached:
            return True
    return False


def _reach(places: set[int], parts: Sequence[_Part]) -> set[int]:
    """The positions, and those after a "**" that matches no folder; at the end it must match something."""
    for at in sorted(places):
        while at < len(parts) - 1 and parts[at] is None:
            at += 1
            places.add(at)
    return places


def _after(at: int, name: str, parts: Sequence[_Part]) -> Iterator[int]:
    part = parts[at]
    if name == "..":
        if part == name:
            yield at + 1
    elif part is None:
        yield at
        if at == len(parts) - 1:
            yield at + 1
    elif name == part if isinstance(part, str) else part.fullmatch(name):
        yield at + 1


@cache
def _parts(glob: str) -> tuple[_Part, ...]:
    """The parts of a glob: literal names, patterns, or None for "**"."""
    text = glob.strip("/").removeprefix("./")
    if text in ("", "."):
        return (None,)
    parts: list[_Part] = [] if "/" in glob.rstrip("/") else [None]
    for name in text.split("/"):
        if name == "**":
            parts.append(None)
        elif "*" in name or "?" in name:
            # Brackets are not special here. The pattern cannot backtrack over a "*".
            parts.append(re.compile(translate(name.replace("[", "[[]"))))
        else:
            parts.append(name)
    return tuple(parts)
