"""The rules whose findings a fix repairs."""

from __future__ import annotations

# Only the author knows what a version changes: the fix begins the entry, and the finding stays.
BEGUN = "version-without-note"


REPAIRING = {
    "duplicate-tag",
    "flexible-versions-changed",
    "partner-versions-differ",
    "tag-gap",
    "tagged-in-inflexible-version",
    BEGUN,
}
