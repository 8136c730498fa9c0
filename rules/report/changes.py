"""All changes between two protocols, for people and programs: each format a function only of the
data."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from wirebook.rules.diff.kinds import EFFECTS, ProtocolChange
from wirebook.rules.report.words import grouped, heading
from wirebook.specs.printable import clip, number_of, quiet, to_json

SCHEMA = "wirebook/changes/1"
FORMATS = ("text", "json")


@dataclass(frozen=True)
class Changes:
    """The changes from `old` to `new`, which describe the two sources."""

    old: str
    new: str
    changes: tuple[ProtocolChange, ...]
    tool_version: str

    def effects(self) -> dict[str, int]:
        """The number of changes with each effect."""
        return {word: sum(change.effect == word for change in self.changes) for word in EFFECTS}

    def counts(self) -> str:
        """The number of changes, in words."""
        if not self.changes:
            return "no changes"
        effects = ", ".join(f"{number} {word}" for word, number in self.effects().items() if number)
        return f"{number_of(len(self.changes), 'change')} ({effects})"

    def to_json(self) -> dict[str, Any]:
        """The changes as wirebook/changes/1."""
        return {
            "schema": SCHEMA,
            "tool": {"name": "wirebook", "version": self.tool_version},
            "old": self.old,
            "new": self.new,
            "changes": [change_to_json(change) for change in self.changes],
            "summary": {"changes": len(self.changes), **self.effects()},
        }


def change_to_json(change: ProtocolChange) -> dict[str, Any]:
    """A change as an item of wirebook/changes/1."""
    of = change.message
    return {
        "kind": change.kind,
        "effect": change.effect,
        "api": of.api if of else "",
        "api_key": of.api_key if of else None,
        "message_name": of.name if of else "",
        "message_type": of.type if of else "",
        "field": change.field,
        "subject": change.subject,
        "versions": change.versions.text,
        "old": change.old,
        "new": change.new,
        "words": change.sentence,
        "location": change.location.to_json() if change.location else None,
        "previous": change.previous.to_json() if change.previous else None,
    }


def render(changes: Changes, form: str) -> str:
    """The changes in one of FORMATS, ending with a newline; as text, under a heading for each
    API, or for each message outside any API."""
    if form == "json":
        return to_json(changes.to_json())
    lines = [f"wirebook changes: from {clip(changes.old)} to {clip(changes.new)}"]
    for title, some in grouped(changes.changes, lambda change: heading(change.message)).items():
        lines += ["", clip(title)]
        for each in some:
            of = "" if each.message is None else f"{clip(each.message.name, 100)}: "
            lines.append(f"  {each.effect:<7}  {of}{clip(each.sentence)}")
    return "\n".join(map(quiet, [*lines, "", changes.counts()])) + "\n"
