"""field-flexible-versions-changed: the `flexibleVersions` of a field change for a released version."""

from __future__ import annotations

from collections.abc import Iterator

from wirebook.rules.pairs.kinds import FieldPair
from wirebook.rules.rule import Hit, restored, rule
from wirebook.rules.severity import Category
from wirebook.specs.model import Field, Message
from wirebook.specs.versions import VersionSet, counted


@rule(on=FieldPair, category=Category.WIRE, source="KIP-482")
def field_flexible_versions_changed(pair: FieldPair) -> Iterator[Hit]:
    """A field keeps its own `flexibleVersions` for released versions.

    ## What it does
    Compares the versions in which the length of a field is compact, if the field declares
    its own `flexibleVersions`.

    ## Why it breaks
    The length before the field is two or four bytes on one side and a varint on the other.

    ## When it is fine
    From a new version on, or if the length keeps its encoding.

    ## Do instead
    Keep the range for released versions.

    ## Example
    ```diff
      { "apiKey": 900, "type": "request", "name": "FooRequest", "validVersions": "0-2",
        "flexibleVersions": "1+", "fields": [
    -   { "name": "ClientId", "type": "string", "versions": "0+" }
    +   { "name": "ClientId", "type": "string", "versions": "0+", "flexibleVersions": "none" }
      ] }
    ```
    """
    old, new = pair.messages.old, pair.messages.new
    if pair.old.flexible_versions is None and pair.new.flexible_versions is None:
        return
    sized = pair.new.is_array or pair.new.type in ("string", "bytes", "records")
    changed = frozenset(
        version
        for version in pair.both
        if version in old.flexible_versions
        and version in new.flexible_versions
        and compact(old, pair.old, version) != compact(new, pair.new, version)
    )
    if sized and changed:
        own = pair.old.flexible_versions
        back = restored(pair.old.written, "flexibleVersions", own)
        yield Hit(
            f"the length of {pair.path} has a different encoding in "
            f"{counted(VersionSet.of(changed))}: peers that use the other spec misread it and everything "
            "after it",
            f"{back}; change it from a new version on",
            changed,
            pair.new.written.at("flexibleVersions"),
            pair.old.written.at("flexibleVersions"),
        )


def compact(message: Message, item: Field, version: int) -> bool:
    """Whether the length of a field is compact in a version."""
    own = item.flexible_versions
    return version in message.flexible_versions and (own is None or version in own)
