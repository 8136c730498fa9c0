"""A field exists in at least one version.

## What it does
Reports a field, or a struct of `commonStructs`, whose `versions` are none, are above the highest
valid version, or do not overlap with those of the enclosing struct.

## Why it breaks
It is never on the wire: its value is not sent. Most often `validVersions` was not raised when the
field was added.

## When it is fine
Below the lowest valid version: a field whose versions are all removed may stay, so that its tag and
place stay recorded. The rule does not apply to a message without valid versions.

## Do instead
Raise `validVersions`, or start the range within it.

## Example
```diff
  { "apiKey": 900, "type": "request", "name": "FooRequest", "validVersions": "0-2",
    "flexibleVersions": "1+", "fields": [
-   { "name": "Note", "type": "string", "versions": "2+" }
+   { "name": "Note", "type": "string", "versions": "3+" }
  ] }
```
"""

from wirebook.rules.pairs import walk_fields
from wirebook.rules.rule import Hit, Hits, rule
from wirebook.rules.severity import Category
from wirebook.rules.validity.problems import unusable
from wirebook.specs.model import Message
from wirebook.specs.versions import Versions


@rule(Category.SPEC, "message format", follows=("highest-version-lowered",))
def field_in_no_version(message: Message) -> Hits:
    valid = message.valid_versions
    if not valid or unusable(message):
        return
    for struct in message.common_structs:
        # Others may have the versions of a struct that several specs import.
        if (
            not struct.path
            and not struct.versions & valid
            and not _withdrawn(struct.versions, valid)
        ):
            yield Hit(
                f"the struct {struct.name} is in versions {struct.versions}, none of which "
                f"{message.name} "
                f"has ({valid})",
                f"raise validVersions, or write a range within {valid}",
                at=struct.written.at("versions"),
                path=struct.name,
            )
    for member in walk_fields(message):
        present = member.field.present
        if not member.versions or present & member.versions or member.field.versions is None:
            continue
        if _withdrawn(present, valid):
            continue
        around = "its struct" if present & valid else message.name
        yield Hit(
            f"{member.path} is in versions {present}, none of which {around} has "
            f"({member.versions}): it is "
            "never on the wire",
            f"write a range within {member.versions}, or raise validVersions",
            at=member.field.written.at("versions"),
            path=member.path,
        )


def _withdrawn(versions: Versions, valid: Versions) -> bool:
    return bool(versions) and versions.highest < valid.lowest
