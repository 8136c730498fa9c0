"""highest-version-lowered: a released version at the upper end is no longer valid."""

from __future__ import annotations

from collections.abc import Iterator

from wirebook.rules.pairs.kinds import MessagePair
from wirebook.rules.rule import Hit, restored, rule
from wirebook.rules.severity import Category
from wirebook.specs.versions import VersionSet, counted


@rule(on=MessagePair, category=Category.POLICY, source="KIP-35")
def highest_version_lowered(pair: MessagePair) -> Iterator[Hit]:
    """The newest version of a message is never taken back.

    ## What it does
    Reports versions that leave `validVersions` at the upper end.

    ## Why it breaks
    Servers of a release advertise the version and clients choose the highest that both know. A cluster
    that is half upgraded loses what it was speaking, and the number, once given out again with another
    layout, means two things on the wire.

    ## When it is fine
    While the version is unreleased: then it is a warning, or, where it is marked unstable, a note.

    ## Do instead
    Keep the version, and fix what is wrong with it in the next one.

    ## Example
    ```diff
    - { "apiKey": 900, "type": "request", "name": "FooRequest", "validVersions": "0-2",
    + { "apiKey": 900, "type": "request", "name": "FooRequest", "validVersions": "0-1",
        "flexibleVersions": "1+", "fields": [] }
    ```
    """
    old, new = pair.old.valid_versions, pair.new.valid_versions
    cut = frozenset(version for version in old if new and version > new.highest)
    if cut and pair.old.type == pair.new.type:
        yield Hit(
            f"{pair.new.name} takes back {counted(VersionSet.of(cut))}: peers choose the highest "
            "that they have",
            f"{restored(pair.old.written, 'validVersions', old)}, and fix what is wrong in a new version",
            cut,
            pair.new.written.at("validVersions"),
            pair.old.written.at("validVersions"),
        )
