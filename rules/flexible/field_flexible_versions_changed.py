"""field-flexible-versions-changed: a field's own flexible versions are others in a released version."""

from __future__ import annotations

from collections.abc import Iterator

from wirebook.rules.finding import Category
from wirebook.rules.pairs.kinds import FieldPair
from wirebook.rules.rule import Hit, rule
from wirebook.specs.model import Field, Message
from wirebook.specs.versions import VersionSet, counted


@rule(on=FieldPair, category=Category.WIRE, source="KIP-482")
def field_flexible_versions_changed(pair: FieldPair) -> Iterator[Hit]:
    """A field's own `flexibleVersions` does not change over released versions.

    ## What it does
    Compares in which versions the length of a string, of bytes or of an array is written in the compact
    form, where the field itself says so.

    ## Why it breaks
    The length before the field is written in two bytes on one side and as a varint on the other. The
    one field of Kafka that has such a range, the client id of the request header, has it so that every
    broker can read the header of a request that it does not know.

    ## When it is fine
    From a new version on, or where the compact form comes out the same.

    ## Do instead
    Leave the range as it is over released versions.

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
        yield Hit(
            f"the length of {pair.path} is written in another form in "
            f"{counted(VersionSet.of(changed))}: peers by the other spec misread it and all that "
            "follows",
            "keep the field's own flexibleVersions over released versions",
            changed,
            pair.new.written.at("flexibleVersions"),
            pair.old.written.at("flexibleVersions"),
        )


def compact(message: Message, item: Field, version: int) -> bool:
    """Whether the length of a field is compact in a version."""
    own = item.flexible_versions
    return version in message.flexible_versions and (own is None or version in own)
