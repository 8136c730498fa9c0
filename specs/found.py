"""Which files are message specs, wherever they lie, and how large one may be."""

from __future__ import annotations

import re

MAX_TEXT = 16 << 20
MAX_FILES = 100_000

# Ours beside the messages, and what builds leave: never specs, or copies of them.
_SKIPPED = {"node_modules", "build", "target", "out", "bin", "dist", "site", "__pycache__"}
_TESTS = {"test", "tests", "jmh", "examples", "fixtures"}
_NAMED = re.compile(r"(?:^|/)(?:messages?|metadata)/[^/]+\.json$")
_KEYS = re.compile(rb'"(?:validVersions|flexibleVersions|apiKey)"')
_SPEC_NAMES = re.compile(r"(?:Request|Response|Record|Key|Value|Header)\.json$")


def skipped_folder(name: str, tests: bool) -> bool:
    """Whether nothing below a folder of that name is a spec; test trees count only if `tests`."""
    return name.startswith(".") or name in _SKIPPED or (not tests and name in _TESTS)


def may_hold_spec(path: str) -> bool:
    """Whether specs lie at such a path, so that a broken file there is a broken spec, not other JSON."""
    return bool(_NAMED.search(path)) and bool(_SPEC_NAMES.search(path))


def looks_like_spec(text: bytes, named: bool) -> bool:
    """Whether a text is a message spec, or was meant to be one.

    A broken text must not be passed over: it is judged by the keys that only specs have, not by being
    readable; with `named` (see `may_hold_spec`) it counts in any case. JSON Schemas have none of
    these as keys of values ("$schema" with "properties" is one).
    """
    if named:
        return True
    return _KEYS.search(text) is not None and b'"properties"' not in text and b'"$defs"' not in text
