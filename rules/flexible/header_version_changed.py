"""header-version-changed: a released version has another header."""

from __future__ import annotations

from collections.abc import Iterator

from wirebook.rules.pairs.kinds import MessagePair
from wirebook.rules.rule import Hit, rule
from wirebook.rules.severity import Category
from wirebook.rules.validity.problems import unusable
from wirebook.specs.versions import VersionSet, counted
from wirebook.specs.wire.layout import header_of


@rule(on=MessagePair, category=Category.WIRE, source="KIP-1313")
def header_version_changed(pair: MessagePair) -> Iterator[Hit]:
    """A released version of a request or response keeps the version of its header.

    ## What it does
    Compares the header of each version that both specs have: the one that `headerVersions` declares, or,
    without that key, the one that follows from `flexibleVersions` and the
    `[headers]` of the profile.

    ## Why it breaks
    The header comes before the message. A peer that expects another header starts to read the message at
    the wrong byte, and cannot read any of it.

    ## When it is fine
    From the first new version on. To add `headerVersions` with the headers that the versions already have
    changes nothing.

    ## Do instead
    Keep the entries of released versions, and let the entry of another header begin at a new version.

    ## Example
    ```diff
      { "apiKey": 900, "type": "request", "name": "FooRequest", "validVersions": "0-2",
    -   "flexibleVersions": "1+", "headerVersions": { "0": "1", "1+": "2" }, "fields": [] }
    +   "flexibleVersions": "1+", "headerVersions": { "0": "1", "1": "2", "2+": "3" }, "fields": [] }
    ```
    """
    old, new = pair.old, pair.new
    if old.header_versions == new.header_versions or (old.type, old.api_key) != (new.type, new.api_key):
        return
    if unusable(new) or unusable(old):
        return
    same_form = (
        version
        for version in sorted(pair.both)
        if (version in old.flexible_versions) == (version in new.flexible_versions)
    )
    changed = {version: header_of(new, version) for version in same_form}
    changed = {version: header for version, header in changed.items() if header != header_of(old, version)}
    for header in sorted({header for header in changed.values() if header is not None}):
        versions = frozenset(version for version in changed if changed[version] == header)
        before = " or ".join(sorted({str(header_of(old, version)) for version in versions}))
        yield Hit(
            f"{new.name} has header {header} instead of {before} in {counted(VersionSet.of(versions))}: "
            "peers that use the other spec start to read it at the wrong byte",
            "keep the header of these versions; let the entry of another header begin at a new version",
            versions,
            new.written.at("headerVersions"),
            old.written.at("headerVersions"),
            discriminator=str(header),
        )
