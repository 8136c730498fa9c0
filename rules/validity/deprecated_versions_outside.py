"""deprecated-versions-outside: deprecated versions that the message does not have."""

from __future__ import annotations

from collections.abc import Iterator

from wirebook.rules.rule import Hit, rule
from wirebook.rules.severity import Category
from wirebook.specs.model import Message
from wirebook.specs.versions import MAX_VERSION, Versions, counted


@rule(on=Message, category=Category.SPEC, source="KIP-896")
def deprecated_versions_outside(message: Message) -> Iterator[Hit]:
    """Deprecated versions are valid versions.

    ## What it does
    Reports `deprecatedVersions`, of a message or of a struct in `commonStructs`, that go above the highest
    valid version.

    ## Why it breaks
    Servers and pages announce the end of versions that do not exist. Most often the range is mistyped, and
    the intended version is not deprecated.

    ## When it is fine
    Below the lowest valid version, because deprecated versions may already be removed. An open range ("2+")
    that begins at a valid version deprecates the message for good. In a message without valid versions any
    range is accepted.

    ## Do instead
    Write a range within `validVersions`.

    ## Example
    ```diff
      { "apiKey": 900, "type": "request", "name": "FooRequest", "validVersions": "0-2",
    -   "deprecatedVersions": "0-1", "flexibleVersions": "1+", "fields": [] }
    +   "deprecatedVersions": "0-11", "flexibleVersions": "1+", "fields": [] }
    ```
    """
    valid = message.valid_versions
    if not valid or valid.open:
        return
    above = Versions(valid.highest + 1, MAX_VERSION)
    for written, deprecated, name, path in (
        (message.written, message.deprecated_versions, message.name, ""),
        *(
            (it.written, it.deprecated_versions, f"the struct {it.name}", it.name)
            for it in message.common_structs
            if not it.path
        ),
    ):
        outside = deprecated & above
        if outside and not (deprecated.open and deprecated & valid):
            yield Hit(
                f"{name} deprecates {counted(outside)}, but the highest valid version is {valid.highest}",
                f'write "deprecatedVersions" within {valid}',
                at=written.at("deprecatedVersions"),
                path=path,
            )
