"""A review as JSON: wirebook/report/1."""

from __future__ import annotations

from typing import Any

from wirebook.rules.formats.changes import change_to_json
from wirebook.rules.review.layouts import LayoutDiff
from wirebook.rules.review.overview import ApiOverview, MessageOverview
from wirebook.rules.review.review import ReviewReport

SCHEMA = "wirebook/report/1"


def to_document(review: ReviewReport) -> dict[str, Any]:
    """The review as wirebook/report/1: the findings as wirebook/findings/1 has them, and the rest."""
    advice: dict[str, dict[str, None]] = {}
    for item in review.consequences:
        advice.setdefault(item.api, {})[item.words] = None
    return {
        **review.report.to_json(),
        "schema": SCHEMA,
        "verdict": {"state": review.state, "words": review.verdict},
        "changes": [change_to_json(change) for change in review.changes],
        "new_versions": [
            {
                "layout": item.new.to_json(),
                "before": None if item.old is None else item.old.version,
                "changes": list(item.words),
            }
            for item in review.added
        ],
        "advice": [{"about": api, "words": [*words]} for api, words in advice.items()],
        "patterns": [
            {"words": item.words, "kind": item.changes[0].kind, "apis": list(item.apis)}
            for item in review.patterns
        ],
        "apis": [_api(item) for item in review.apis],
        "missing": [
            {"path": item.path, "line": item.line, "words": item.words, "text": item.text}
            for item in review.missing
        ],
        "consequences": [
            {
                "cause": item.cause.value,
                "about": item.api,
                "words": item.words,
                **({"use": item.use.to_json()} if item.use is not None else {}),
            }
            for item in review.consequences
        ],
    }


def _api(item: ApiOverview) -> dict[str, Any]:
    return {"about": item.title, "messages": [_message(message) for message in item.messages]}


def _message(item: MessageOverview) -> dict[str, Any]:
    return {
        "message_name": item.message.name,
        "message_type": item.message.type,
        "old_versions": None if item.old is None else str(item.old),
        "new_versions": None if item.new is None else str(item.new),
        "layouts": [_layout(layout) for layout in item.layouts],
        "next_tags": [{"struct": path, "tag": tag} for path, tag in item.free_tags],
    }


def _layout(item: LayoutDiff) -> dict[str, Any]:
    return {
        "versions": item.versions.text,
        "added": item.added,
        "before": None if item.old is None else item.old.version,
        "smallest": [
            {"versions": sizes.versions.text, "old": sizes.old, "new": sizes.new} for sizes in item.sizes
        ],
        "changes": list(item.words),
    }
