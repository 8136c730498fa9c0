"""Error codes: which snapshot knows which, from the registry file alone, since no spec lists them."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any, NamedTuple

from wirebook.docgen.catalog.order import Snapshot
from wirebook.docgen.catalog.rows import Fact
from wirebook.specs.kafka.registry import FOLDER
from wirebook.specs.levels import Registry
from wirebook.specs.problems import InputError
from wirebook.specs.sources.releases import line_of

SUBJECT = "errors"
KIND = "error"
PATH = "specs/kafka/errors.json"


class ErrorCode(NamedTuple):
    """A code of the registry file; `first_release` is None where nobody knows it."""

    code: int
    name: str
    first_release: str | None


def load_errors() -> list[ErrorCode]:
    """The codes that come with wirebook; raises InputError where their file cannot be read."""
    path = FOLDER / "errors.json"
    try:
        found = json.loads(path.read_text(encoding="utf-8"))["errors"]
        return [ErrorCode(item["code"], item["name"], item["first_release"]) for item in found]
    except OSError as error:
        raise InputError(error.strerror or str(error), PATH) from None
    except (ValueError, KeyError, TypeError) as error:
        raise InputError(f"this is no list of error codes ({error})", PATH) from None


def error_rows(
    codes: Sequence[ErrorCode], snapshots: Sequence[Snapshot]
) -> tuple[list[tuple[int, str, str, str, str, int]], list[tuple[str, str, int, list[Fact]]]]:
    """The list of codes of each snapshot, as if it were a text that the snapshot holds.

    Rows as docgen.pipeline.lifecycle.entries makes them, and (subject, digest, state, facts). Snapshots
    with the same codes hold the same text.
    """
    held: list[tuple[int, str, str, str, str, int]] = []
    texts: dict[str, list[Fact]] = {}
    for snapshot in snapshots:
        line = line_of(snapshot.release or snapshot.name)
        known = [code for code in codes if _knows(line, code)]
        digest = f"{KIND}s-{len(known)}-{max((code.code for code in known), default=0)}"
        held.append((snapshot.ordinal, SUBJECT, "", digest, PATH, 0))
        if digest not in texts:
            texts[digest] = [Fact(KIND, code.name, code.code, "") for code in known]
    return held, [(SUBJECT, digest, 0, facts) for digest, facts in sorted(texts.items())]


def _knows(line: tuple[int, ...] | None, code: ErrorCode) -> bool:
    first = line_of(code.first_release) if code.first_release else None
    return first is None or line is None or first <= line


def told(code: ErrorCode, registry: Registry | None) -> dict[str, Any]:
    """The code with its story: the first release is a fact of the registry file, not of the snapshots."""
    level = registry.of_release(code.first_release) if registry and code.first_release else None
    since = {
        "api_version": level.version if level else None,
        "api_version_id": level.id if level else None,
        "release": code.first_release,
        "at_or_before": code.first_release is None,
    }
    return {"code": code.code, "name": code.name, "events": [{"event": "added", "since": since}]}
