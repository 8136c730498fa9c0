"""What every setting has: a value with its origin, and globs over paths."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Generic, TypeVar

DEFAULT, COMMAND_LINE = "default", "command line"

Value = TypeVar("Value")


@dataclass(frozen=True)
class Setting(Generic[Value]):
    """A value, and where it is from: "default", "wirebook.toml:3" or "command line"."""

    value: Value
    origin: str = DEFAULT


def matches(path: str, globs: Sequence[str]) -> bool:
    """Whether a path fits one of the globs.

    `*` and `?` stay within a name, `**` goes over folders. A glob without "/" fits a name at any depth; one
    that fits a folder fits all that is in it.
    """
    return any(_pattern(glob).fullmatch(path) is not None for glob in globs)


@cache
def _pattern(glob: str) -> re.Pattern[str]:
    rooted = "/" in glob.rstrip("/")
    text = glob.strip("/").removeprefix("./")
    if text in ("", "."):
        return re.compile(".*", re.DOTALL)
    signs = {"**/": "(?:.*/)?", "**": ".*", "*": "[^/]*", "?": "[^/]"}
    parts = re.split(r"(\*\*/|\*\*|\*|\?)", text)
    written = [signs.get(part) or re.escape(part) for part in parts]
    return re.compile(("" if rooted else "(?:.*/)?") + "".join(written) + "(?:/.*)?", re.DOTALL)
