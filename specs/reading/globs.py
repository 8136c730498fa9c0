"""Globs over paths, as configurations write them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from fnmatch import translate
from functools import cache

_Part = str | re.Pattern[str] | None


def matches(path: str, globs: Sequence[str]) -> bool:
    """Whether a path fits one of the globs.

    `*` and `?` stay within a name, `**` as a name goes over folders. A glob without "/" fits a name at any
    depth; one that fits a folder fits all that is in it. What is outside the folder that paths begin at
    ("../x") fits only a glob that says so.
    """
    names = path.split("/")
    return any(_fits(names, _parts(glob)) for glob in globs)


def _fits(names: Sequence[str], parts: Sequence[_Part]) -> bool:
    """Whether the first of some names fit a glob; in time linear in their number times that of its parts."""
    # How many parts the names so far may be: a regular expression would try one way after the other.
    reached = _reach({0}, parts)
    for name in names:
        reached = _reach({after for at in reached for after in _after(at, name, parts)}, parts)
        if len(parts) in reached:
            return True
    return False


def _reach(places: set[int], parts: Sequence[_Part]) -> set[int]:
    """The places, and those behind a "**" that stands for no folder; at the end it stands for something."""
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
    """The names of a glob: as they are, as a pattern, or None for "**"."""
    text = glob.strip("/").removeprefix("./")
    if text in ("", "."):
        return (None,)
    parts: list[_Part] = [] if "/" in glob.rstrip("/") else [None]
    for name in text.split("/"):
        if name == "**":
            parts.append(None)
        elif "*" in name or "?" in name:
            # Brackets are no sign of ours. What is made has no way to go back over a "*".
            parts.append(re.compile(translate(name.replace("[", "[[]"))))
        else:
            parts.append(name)
    return tuple(parts)
