"""removed-without-deprecation: a history ends a version that was never deprecated."""

from __future__ import annotations

from collections.abc import Iterator

from wirebook.rules.finding import Category, Severity
from wirebook.rules.lifecycle.api_versions_deprecated import is_api_versions
from wirebook.rules.pairs.kinds import MessagePair
from wirebook.rules.rule import Hit, rule


@rule(on=MessagePair, category=Category.POLICY, source="KIP-896")
def removed_without_deprecation(pair: MessagePair) -> Iterator[Hit]:
    """A version is deprecated before it is removed.

    ## What it does
    Reports a `removed` that this patch writes into the `history` of a version that has no `deprecated`, or
    in which this patch writes both with one ApiVersion.

    ## Why it breaks
    Clients that speak nothing newer are cut off without a release that told them. KIP-896 deprecated old
    versions a major release before they went.

    ## When it is fine
    Never for a version that was released. Of ApiVersions, `api-versions-deprecated` tells.

    ## Do instead
    Write `deprecated` now, and `removed` with a later ApiVersion.

    ## Example
    ```diff
      { "apiKey": 1, "type": "request", "name": "FooRequest", "validVersions": "0",
        "flexibleVersions": "0+", "fields": [], "history": [
    -   { "version": 0, "added": "1.0-IV0" }
    +   { "version": 0, "added": "1.0-IV0", "removed": "2.0-IV0" }
      ] }
    ```
    """
    before = {entry.version: entry for entry in pair.old.history}
    if is_api_versions(pair.new):
        return
    for entry in pair.new.history:
        was = before.get(entry.version)
        if entry.removed is None or was is None or was.removed is not None:
            continue
        told = was.deprecated is not None or entry.deprecated not in (None, entry.removed)
        if not told:
            yield Hit(
                f"version {entry.version} of {pair.new.name} is removed since {entry.removed}, but was never "
                "deprecated before: clients that speak nothing newer are cut off unwarned",
                "write deprecated first, and removed with a later ApiVersion",
                (entry.version,),
                at=entry.written.at("removed"),
                previous=was.written.position,
                severity=Severity.ERROR,
                discriminator=str(entry.version),
            )
