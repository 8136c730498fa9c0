"""A review as JSON: wirebook/report/1."""

from __future__ import annotations

from typing import Any

from wirebook.rules.report.changes import change_to_json
from wirebook.rules.review.layouts import LayoutDiff
from wirebook.rules.review.overview import ApiOverview, MessageOverview
from wirebook.rules.review.review import ReviewReport

SCHEMA = "wirebook/report/1"


def to_document(review: ReviewReport) -> dict[str, Any]:
    """The review as wirebook/report/1: the findings as wirebook/findings/1 has them, and the rest."""
    return {
        **review.report.to_json(),
        "schema": SCHEMA,
        "verdict": {"state": review.state, "words": review.verdict},
        "changes": [change_to_json(change) for change in review.changes],
        "new_versions": [
            {
                "layout": diff.new.to_json(),
                "before": None if diff.old is None else diff.old.version,
                "changes": list(diff.words),
            }
            for diff in review.added
        ],
        "patterns": [
            {"words": pattern.words, "kind": pattern.changes[0].kind, "apis": list(pattern.apis)}
            for pattern in review.patterns
        ],
        "apis": [_api(api) for api in review.apis],
        "missing": [
            {"path": piece.path, "line": piece.line, "words": piece.words, "text": piece.text}
            for piece in review.missing
        ],
        "consequences": [
            {
                "cause": consequence.cause.value,
                "about": consequence.api,
                "words": consequence.words,
            }
            for consequence in review.consequences
        ],
    }


def _api(api: ApiOverview) -> dict[str, Any]:
    return {"about": api.title, "messages": [_message(message) for message in api.messages]}


def _message(overview: MessageOverview) -> dict[str, Any]:
    return {
        "message_name": overview.message.name,
        "message_type": overview.message.type,
        "old_versions": None if overview.old is None else str(overview.old),
        "new_versions": None if overview.new is None else str(overview.new),
        "layouts": [_layout(layout) for layout in overview.layouts],
        "next_tags": [{"struct": path, "tag": tag} for path, tag in overview.free_tags],
    }


def _layout(diff: LayoutDiff) -> dict[str, Any]:
    return {
        "versions": diff.versions.text,
        "added": diff.added,
        "before": None if diff.old is None else diff.old.version,
        "smallest": [
            {"versions": sizes.versions.text, "old": sizes.old, "new": sizes.new} for sizes in diff.sizes
        ],
        "changes": list(diff.words),
    }
