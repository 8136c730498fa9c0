"""header-version-changed: the header of a released version changes."""

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
    """A released version of a request or response keeps its header version.

    ## What it does
    Compares the header of each version that both specs have: the one that `headerVersions` declares, or,
    without that key, the one that follows from `flexibleVersions` and the
    `[headers]` in the profile of each side. A change of `frame_length` in the profile is reported too: it is
    the size of the length field in front of the header.

    ## Why it breaks
    The header precedes the message. A peer that expects a different header starts to read the message at
    the wrong byte, and cannot read it at all.

    ## When it is fine
    From the first new version on. Adding `headerVersions` with the headers that the versions already have
    changes nothing.

    ## Do instead
    Keep the entries of released versions, and start the entry of a different header at a new version. If the
    profile changed, restore it: use `headerVersions` to give new versions a different header.

    ## Example
    ```diff
      { "apiKey": 900, "type": "request", "name": "FooRequest", "validVersions": "0-2",
    -   "flexibleVersions": "1+", "headerVersions": { "0": "1", "1+": "2" }, "fields": [] }
    +   "flexibleVersions": "1+", "headerVersions": { "0": "1", "1": "2", "2+": "3" }, "fields": [] }
    ```
    """
    old, new = pair.old, pair.new
    same_words = old.header_versions == new.header_versions
    same_profile = old.profile.headers == new.profile.headers
    if (old.type, old.api_key) != (new.type, new.api_key) or unusable(new) or unusable(old):
        return
    where = new.profile.path or "the profile"
    before, after = old.profile.frame_length, new.profile.frame_length
    if before != after and new.type in ("request", "response"):
        yield Hit(
            f"the length before {new.name} is {_bytes(after)} instead of {_bytes(before)}: peers that use "
            "the other profile start to read it at the wrong byte",
            f'restore "frame_length": {before} in {where}',
            pair.both,
            discriminator="frame",
        )
    if same_words and same_profile:
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
        known = " or ".join(sorted({str(header_of(old, version)) for version in versions}))
        yield Hit(
            f"{new.name} has header {header} instead of {known} in {counted(VersionSet.of(versions))}: "
            "peers that use the other spec start to read it at the wrong byte",
            f'restore the headers in {where}; use "headerVersions" to give new versions a different header'
            if same_words
            else "keep the header of these versions; start the entry of a different header at a new version",
            versions,
            new.written.at("headerVersions"),
            old.written.at("headerVersions"),
            discriminator=str(header),
        )


def _bytes(count: int) -> str:
    return {0: "absent", 1: "1 byte"}.get(count, f"{count} bytes")
