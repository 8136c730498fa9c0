"""`headerVersions` gives each version one header, and flexible versions a flexible one.

## What it does
Checks that the ranges of `headerVersions` begin at version 0, follow each other without a gap or an
overlap, that the last one is open, that none begins above the highest valid version, and that none
contradicts `[[headers.exceptions]]` of the profile. Reports a flexible version with a header that
has no tagged section, any other version with a header that has one, and a version with an older
header than the one before.

## Why it breaks
Strict readers reject the file. A receiver that derives the header from the flexible versions, as
clients do, reads a tagged section that is not there, or the tagged section as the body.

## When it is fine
If the key is absent: the header then follows from `flexibleVersions`. Ranges may cover versions
that are no longer valid. A profile may have exceptions.

## Do instead
Write ranges that cover all versions, such as `{ "0-1": "1", "2+": "2" }`, with the header of
flexible versions from the first one on.

## Example
```diff
  { "apiKey": 900, "type": "request", "name": "FooRequest", "validVersions": "0-2",
-   "flexibleVersions": "1+", "headerVersions": { "0": "1", "1+": "2" }, "fields": [] }
+   "flexibleVersions": "1+", "headerVersions": { "0": "1", "2+": "2" }, "fields": [] }
```
"""

from collections.abc import Iterator
from itertools import chain, islice, pairwise

from wirebook.rules.rule import Category, Hit, Hits, rule
from wirebook.rules.validity.problems import unusable
from wirebook.specs.model import Message
from wirebook.specs.profile import HALVES, HEADERS
from wirebook.specs.versions import counted


@rule(Category.SPEC, "KIP-482; KIP-1313", keys=("headerVersions",))
def bad_header_versions(message: Message) -> Hits:
    if message.type in HALVES and message.valid_versions and not unusable(message):
        # What follows from a fault is none of its own.
        for what, fix in islice(chain(_incomplete(message), _unfit(message)), 1):
            yield Hit(f"{message.name}: {what}", fix, key="headerVersions", discriminator=what)


def _incomplete(message: Message) -> Iterator[tuple[str, str]]:
    """What strict readers reject, and what to write instead."""
    highest = message.valid_versions.highest
    expected = 0
    last = None
    exceptions = message.profile.headers.exceptions_of(message.type, message.api_key)
    for versions, header in message.header_versions or ():
        lowest = versions.lowest
        last = versions
        if lowest != expected:
            what = f"version {expected} has no header"
            if lowest < expected:
                what = f"version {lowest} has two headers"
            yield (
                f'in "headerVersions", {what}',
                "write ranges that follow each other without a gap, the last one open",
            )
        if lowest > highest:
            what = f"the range {versions} begins above the highest valid version {highest}"
            yield (
                f'in "headerVersions", {what}',
                f'delete the range, or raise "validVersions" to {lowest}',
            )
        for own in exceptions:
            both = versions & own.versions
            if header != own.header and both:
                yield (
                    f"versions {both} of {message.name} have header {own.header}, not {header}",
                    f'write "headerVersions": {{ "{own.versions}": "{own.header}" }}',
                )
        expected = versions.highest + 1
    if last is None:
        yield (
            '"headerVersions" is empty',
            "delete the key, or write a header for each range of versions",
        )
    elif not last.open:
        yield (
            f'in "headerVersions", the last range ({last}) is not open',
            f'end it with a plus sign: "{last.lowest}+"',
        )


def _unfit(message: Message) -> Iterator[tuple[str, str]]:
    """Headers that do not fit the flexible versions, or those of earlier versions."""
    plain, flexible = HEADERS[message.type]
    exceptions = message.profile.headers.exceptions_of(message.type, message.api_key)
    headers = {
        version: message.header_of(version) or 0
        for version in message.valid_versions
        if not any(version in each.versions for each in exceptions)
    }
    for is_flexible, word in ((True, "flexible"), (False, "not flexible")):
        own = [each for each in headers if (each in message.flexible_versions) == is_flexible]
        if unfit := [each for each in own if (headers[each] >= flexible) != is_flexible]:
            yield (
                f"header {headers[unfit[0]]} in {counted(unfit)}, in which it is {word}",
                f"write header {flexible} for flexible versions, and {plain} for the others",
            )
    for earlier, later in pairwise(headers):
        if headers[later] < headers[earlier]:
            what = f"version {later} has header {headers[later]}, which is older than that of "
            yield (
                f"{what}version {earlier}",
                "write the same header as for the version before, or a newer one",
            )
