"""header-versions-incomplete: `headerVersions` that do not give every version exactly one header."""

from __future__ import annotations

from collections.abc import Iterator

from wirebook.rules.rule import Hit, rule
from wirebook.rules.severity import Category
from wirebook.rules.validity.problems import unusable
from wirebook.specs.model import Message
from wirebook.specs.versions import MAX_VERSION


@rule(on=Message, category=Category.SPEC, source="KIP-1313")
def header_versions_incomplete(message: Message) -> Iterator[Hit]:
    """`headerVersions` gives every version exactly one header.

    ## What it does
    Checks that the ranges of `headerVersions` begin at version 0, follow each other without a gap or an
    overlap, that the last one is open, that none begins above the highest valid version, and that none
    contradicts `[[headers.exceptions]]` of the profile.

    ## Why it breaks
    Strict readers reject the file. A reader of such a spec has to guess the header of a version.

    ## When it is fine
    If the key is absent: the header then follows from `flexibleVersions`. Ranges may cover versions that are
    no longer valid.

    ## Do instead
    Write ranges that cover all versions, such as `{ "0-1": "1", "2+": "2" }`.

    ## Example
    ```diff
      { "apiKey": 900, "type": "request", "name": "FooRequest", "validVersions": "0-2",
    -   "flexibleVersions": "1+", "headerVersions": { "0": "1", "1+": "2" }, "fields": [] }
    +   "flexibleVersions": "1+", "headerVersions": { "0": "1", "2+": "2" }, "fields": [] }
    ```
    """
    ranges = message.header_versions
    if ranges is None or unusable(message) or not message.valid_versions:
        return
    if message.type not in message.profile.headers.types:
        return
    for what, fix in _faults(message):
        yield Hit(
            f"{message.name}: {what}",
            fix,
            at=message.written.at("headerVersions"),
        )
        return


def _faults(message: Message) -> Iterator[tuple[str, str]]:
    """What strict readers reject, and what to write instead."""
    ranges = message.header_versions or ()
    if not ranges:
        yield '"headerVersions" is empty', "delete the key, or write a header for each range of versions"
    expected = 0
    for versions, header in ranges:
        if versions.lowest != expected:
            after = "the first range" if expected == 0 else "the next range"
            what = f'in "headerVersions", {after} begins at version {versions.lowest} instead of {expected}'
            if expected > MAX_VERSION:
                what = f'in "headerVersions", version {versions.lowest} has two headers'
            yield what, "write ranges that follow each other without a gap, the last one open"
        if versions.lowest > message.valid_versions.highest:
            yield (
                f'in "headerVersions", the range {versions} begins above the highest valid version '
                f"{message.valid_versions.highest}",
                f'delete the range, or raise "validVersions" to {versions.lowest}',
            )
        for own in message.profile.headers.exceptions_of(message.type, message.api_key):
            if header != own.header and not (versions & own.versions).empty:
                yield (
                    f"versions {versions & own.versions} of {message.name} have header {own.header}, "
                    f"not {header}",
                    f'write "headerVersions": {{ "{own.versions}": "{own.header}" }}',
                )
        expected = versions.highest + 1
    if ranges and expected <= MAX_VERSION:
        last = ranges[-1].versions
        yield (
            f'in "headerVersions", the last range ({last}) is not open',
            f'end it with a plus sign: "{last.lowest}+"',
        )
