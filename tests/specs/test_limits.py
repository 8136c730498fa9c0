"""The limits are those that the page about them states."""

from __future__ import annotations

import re

from tests.support import ROOT
from wirebook.specs import limits


def size(number: int, unit: str) -> str:
    """A number of bytes in a unit of 2**10, 2**20 or 2**30."""
    return f"{number / 2 ** {'K': 10, 'M': 20, 'G': 30}[unit[0]]:g} {unit}"


def test_the_page_states_the_limits() -> None:
    page = (ROOT / "site_src" / "limits.md").read_text(encoding="utf-8")
    stated = re.findall(r"^\| .* \| (.*) \|$", page, re.MULTILINE)
    times = {2: "two"}
    assert stated == [
        "limit",
        size(limits.MAX_TEXT, "MiB"),
        f"{size(limits.MAX_TOTAL, 'GiB')}, {limits.MAX_FILES:,} files",
        f"{limits.MAX_FOLDERS}",
        f"{size(limits.MAX_SETTINGS, 'MiB')}; keys of {limits.MAX_KEY_PARTS} parts",
        f"{limits.MAX_GLOBS:,}",
        f"{limits.MAX_EXTENDED}",
        size(limits.MAX_FROZEN, "MiB"),
        f"{limits.MAX_NESTING}",
        f"{limits.GIT_SECONDS} seconds",
        f"{limits.MAX_NUMBER} characters",
        f"{limits.MAX_PROBLEMS:,}",
        f"{limits.MAX_FIELDS:,}",
        f"{limits.MAX_STRUCT_DEPTH}",
        f"{limits.MAX_LAID_OUT:,}",
        f"{limits.MAX_VERSIONS:,}",
        f"{limits.MAX_PATH} characters",
        size(limits.MAX_PATHS, "Mi characters"),
        f"{size(limits.MAX_UNPACKED, 'MiB')}, and {limits.UNPACKED_PER_BYTE} times their size",
        f"{limits.MAX_RECORDS:,}, and one for every {times[limits.BYTES_PER_RECORD]} bytes",
        f"{limits.MAX_EMPTY:,}, and one for every byte",
    ]
