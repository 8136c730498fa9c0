"""field-in-no-version: a field that no version of the message has."""

from __future__ import annotations

from collections.abc import Iterator

from wirebook.rules.pairs.walk import walk_fields
from wirebook.rules.rule import Hit, rule
from wirebook.rules.severity import Category
from wirebook.rules.validity.problems import unusable
from wirebook.specs.model import Message
from wirebook.specs.versions import Versions


@rule(on=Message, category=Category.SPEC, source="message format", follows=("highest-version-lowered",))
def field_in_no_version(message: Message) -> Iterator[Hit]:
    """A field lives in some version.

    ## What it does
    Reports a field, or a struct of `commonStructs`, whose `versions` are none, lie above the highest valid
    version, or miss those of the struct around it.

    ## Why it breaks
    It is never on the wire: a value that is set is not sent. Most often `validVersions` was not raised with
    it.

    ## When it is fine
    Below the lowest valid version: a field whose versions have all been withdrawn may stay, so that its tag
    and its place remain on record. In a message without valid versions nothing counts.

    ## Do instead
    Raise `validVersions`, or let the range begin within it.

    ## Example
    ```diff
      { "apiKey": 900, "type": "request", "name": "FooRequest", "validVersions": "0-2",
        "flexibleVersions": "1+", "fields": [
    -   { "name": "Note", "type": "string", "versions": "2+" }
    +   { "name": "Note", "type": "string", "versions": "3+" }
      ] }
    ```
    """
    valid = message.valid_versions
    if not valid or unusable(message):
        return
    for struct in message.common_structs:
        if not struct.versions & valid and not _withdrawn(struct.versions, valid):
            yield Hit(
                f"the struct {struct.name} lives in versions {struct.versions}, none of which {message.name} "
                f"has ({valid})",
                f"raise validVersions, or write a range within {valid}",
                at=struct.written.at("versions"),
                path=struct.name,
            )
    for item in walk_fields(message):
        present = item.field.present
        if not item.versions or present & item.versions or item.field.versions is None:
            continue
        if _withdrawn(present, valid):
            continue
        around = "its struct" if present & valid else message.name
        yield Hit(
            f"{item.path} lives in versions {present}, none of which {around} has ({item.versions}): it is "
            "never on the wire",
            f"write a range within {item.versions}, or raise validVersions",
            at=item.field.written.at("versions"),
            path=item.path,
        )


def _withdrawn(versions: Versions, valid: Versions) -> bool:
    return bool(versions) and versions.highest < valid.lowest
