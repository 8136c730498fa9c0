"""api-version-removed: a protocol level is no longer in the registry."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator

from wirebook.rules.lifecycle.api_version_ids import place_of
from wirebook.rules.pairs import ProtocolPair
from wirebook.rules.rule import Hit, rule
from wirebook.rules.severity import Category
from wirebook.specs.reading.discovery import REGISTRY


@rule(on=ProtocolPair, category=Category.POLICY, source="KIP-35")
def api_version_removed(pair: ProtocolPair) -> Iterator[Hit]:
    """A protocol level is never removed.

    ## What it does
    Reports the removed entries of `api_versions.json`, together; or that the specs no longer have the file.

    ## Why it breaks
    The history of messages and the logs of servers refer to it, and the ids after it would shift. If its id
    is reused, it identifies two levels.

    ## When it is fine
    An id that another name takes is reported by `api-version-changed`.

    ## Do instead
    Keep the entry. If no release had the level, state that in its `about`.

    ## Example
    ```diff
    @@ api_versions.json @@
      [
        { "id": 0, "version": "1.0-IV0", "release": "1.0" },
    -   { "id": 1, "version": "1.1-IV0", "release": "1.1" },
    -   { "id": 2, "version": "2.0-IV0", "release": "2.0" }
    +   { "id": 1, "version": "1.1-IV0", "release": "1.1" }
      ]
    ```
    """
    old, new = pair.old_registry, pair.new_registry
    if old is None or not old.api_versions:
        return
    if new is None:
        name = posixpath.basename(old.path)
        # A profile names one of another name, and may no longer do so.
        naming = "" if name == REGISTRY else ", and name it in the profile"
        yield Hit(
            f"the specs no longer have the registry of protocol levels, which has {len(old.api_versions)} "
            "entries",
            f"keep {name}{naming}",
            previous_place=place_of(old, old.api_versions[0]),
        )
        return
    names = {entry.version for entry in new.api_versions}
    old_levels = {entry.version for entry in old.api_versions}
    ids = {entry.id for entry in new.api_versions if entry.version not in old_levels}
    removed = [entry for entry in old.api_versions if entry.version not in names and entry.id not in ids]
    if removed:
        first = removed[0]
        more = f" and {len(removed) - 1} more" if len(removed) > 1 else ""
        yield Hit(
            f"the protocol level {first.version} (id {first.id}){more} is removed from the registry",
            "keep every entry, and add new ones at the end",
            previous_place=place_of(old, first),
            discriminator=first.version,
            change=f"removed: {', '.join(entry.version for entry in removed)}",
        )
