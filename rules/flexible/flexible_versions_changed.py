"""flexible-versions-changed: a released version becomes flexible or non-flexible."""

from __future__ import annotations

from collections.abc import Iterator

from wirebook.rules.pairs.kinds import MessagePair
from wirebook.rules.rule import Hit, rule
from wirebook.rules.severity import Category, Repair
from wirebook.specs.versions import MAX_VERSION, Versions, VersionSet, counted


@rule(on=MessagePair, category=Category.WIRE, source="KIP-482")
def flexible_versions_changed(pair: MessagePair) -> Iterator[Hit]:
    """A non-flexible version never becomes flexible, nor a flexible one non-flexible.

    ## What it does
    Compares `flexibleVersions` over the versions that both specs have. Without the key, no version is
    flexible. A bound above the highest version has no effect.

    ## Why it breaks
    A flexible version has compact lengths, a tagged field section after every struct, and a different header.
    Peers that use the other encoding cannot read the message at all.

    ## When it is fine
    From the first new version on: `"flexibleVersions": "9+"` in the patch that adds version 9.

    ## Do instead
    Start the range at a new version.

    ## Example
    ```diff
      { "apiKey": 900, "type": "request", "name": "FooRequest", "validVersions": "0-2",
    -   "flexibleVersions": "2+", "fields": [] }
    +   "flexibleVersions": "1+", "fields": [] }
    ```
    """
    old, new = pair.old.flexible_versions, pair.new.flexible_versions
    changed = frozenset(version for version in pair.both if (version in old) != (version in new))
    if not changed:
        return
    now = any(version in new for version in changed)
    header = " (and has a different header)" if pair.new.type in ("request", "response") else ""
    yield Hit(
        f"{pair.new.name} {'becomes' if now else 'is no longer'} flexible in "
        f"{counted(VersionSet.of(changed))}{header}: peers that use the other spec cannot "
        "read it at all",
        f'write "flexibleVersions": "{_kept(pair)}"; change it from a new version on',
        changed,
        pair.new.written.at("flexibleVersions"),
        pair.old.written.at("flexibleVersions"),
        repairs=(Repair(pair.new.path, pair.new.written, "flexibleVersions", _kept(pair), "validVersions"),),
    )


def _kept(pair: MessagePair) -> str:
    """The range that leaves the old versions unchanged."""
    kept, top = pair.old.flexible_versions, pair.old.valid_versions.highest
    if not kept and pair.new.valid_versions.highest > top:
        kept = Versions(top + 1, MAX_VERSION)
    return str(kept)
