"""What the name of a SOURCE determines: the kind of source, and whether it is a path."""

from __future__ import annotations

import re

from wirebook.specs.reading.discovery import BUNDLE, TARS, ZIPS

_FILES = "|".join(map(re.escape, (".json", ".gz", BUNDLE, *ZIPS, *TARS)))
_LIKE_A_PATH = re.compile(rf"[./~\\].*|[A-Za-z]:[/\\].*|.*(?:{_FILES})", re.DOTALL)


def said_kind(source: str) -> tuple[str, str]:
    """What a SOURCE says that it is, "git", "dir" or "archive", and the rest of it; "" if it does not."""
    kind, sign, rest = source.partition(":")
    return (kind, rest) if sign and kind in ("git", "dir", "archive") else ("", source)


def is_path_like(source: str) -> bool:
    """Whether a text is written as a path: from "." or "/" on, or with the suffix of a file that is read."""
    return _LIKE_A_PATH.fullmatch(source) is not None
