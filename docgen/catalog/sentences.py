"""The catalog's English sentences on versions and fields that changed."""

from __future__ import annotations

from wirebook.docgen.catalog.records import FieldChange
from wirebook.rules.diff.layouts import Change
from wirebook.specs.versions import VersionSet, counted

VERSION_VERBS = {
    "added": "added",
    "removed": "removed",
    "returned": "back again",
    "deprecated": "deprecated",
    "undeprecated": "no longer deprecated",
    "unstable": "unstable",
    "stable": "stable",
    "flexible": "flexible",
    "inflexible": "no longer flexible",
    "renumbered": "renumbered: its number is the type of the record from then on",
}
_FIELD = {
    "added": "{path} is added",
    "removed": "{path} is removed",
    "ended": "{path} ends: {new}",
    "returned": "{path} is reintroduced",
    "nullable": "{path} may be null (from version {new})",
    "not_nullable": "{path} may no longer be null",
    "tagged": "{path} is a tagged field (from version {new})",
    "untagged": "{path} is no longer tagged",
    "default": "the default of {path} changes from {old} to {new}",
}
_FIELD_EVENT = {
    "nullable": "may be null from version {new}",
    "not_nullable": "may no longer be null",
    "tagged": "is a tagged field from version {new}",
    "untagged": "is no longer tagged",
    "default": "the default changes from {old} to {new}",
}


def field_change_text(change: FieldChange) -> str:
    """What a snapshot changed of a field: "response: Nodes.Rack is added"."""
    text = _FIELD[change.event].format(path=change.path, old=change.old, new=change.new)
    return f"{change.message}: {text}" if change.message else text


def schema_change_text(message: str, change: Change, versions: VersionSet) -> str:
    """What a snapshot changed of the bytes of versions: "request: A may be null (version 1)"."""
    text = f"{change.sentence} ({counted(versions)})"
    return f"{message}: {text}" if message else text


def field_event_text(event: str, old: str | None, new: str | None) -> str:
    """An explanation of the event of a field, "" if its name is enough."""
    return _FIELD_EVENT.get(event, "").format(old=old, new=new)
