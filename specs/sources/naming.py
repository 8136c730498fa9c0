"""Interprets the name of a SOURCE: the kind of source, and whether it is a path."""

from __future__ import annotations

import re

from wirebook.specs.reading.discovery import BUNDLE, TARS, ZIPS

_FILES = "|".join(map(re.escape, (".json", ".gz", BUNDLE, *ZIPS, *TARS)))
_LIKE_A_PATH = rf"[./~\\].*|[A-Za-z]:[/\\].*|.*(?:{_FILES})"


def explicit_kind(source: str) -> tuple[str, str]:
    """The kind in the prefix of a SOURCE, "git", "dir" or "archive", or "", and the rest of it."""
    kind, sign, rest = source.partition(":")
    return (kind, rest) if sign and kind in ("git", "dir", "archive") else ("", source)


def is_path_like(source: str) -> bool:
    """Whether a text is written as a path: begins with "." or "/", or has the suffix of a readable file."""
    return re.fullmatch(_LIKE_A_PATH, source, re.DOTALL) is not None
