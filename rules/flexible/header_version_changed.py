"""A released version of a request or response keeps its header version.

## What it does
Compares the header of each version that both specs have: the one that `headerVersions` declares, or
else the one that follows from `flexibleVersions` and `[[headers.exceptions]]` of the profile.

## Why it breaks
The header precedes the message. A peer that expects a different header starts to read the message
at the wrong byte, and cannot read it at all.

## When it is fine
From the first new version on. Adding `headerVersions`, or a first profile, with the headers that
the versions already have changes nothing. If a first profile only writes down what peers have
always used in place of the default headers, accept the finding with a waiver.

## Do instead
Keep the entries of released versions, and start that of a different header at a new version. If the
profile changed, restore it, and give new versions another header by `headerVersions`.

## Example
```diff
  { "apiKey": 900, "type": "request", "name": "FooRequest", "validVersions": "0-2",
-   "flexibleVersions": "1+", "headerVersions": { "0": "1", "1+": "2" }, "fields": [] }
+   "flexibleVersions": "1+", "headerVersions": { "0": "1", "1": "2", "2+": "3" },
+   "fields": [] }
```
"""

from wirebook.rules.breaks import Break
from wirebook.rules.rule import Category, Hit, Hits, rule


@rule(Category.WIRE, "KIP-1313")
def header_version_changed(broken: Break) -> Hits:
    base = broken.base_message
    head = broken.head_message
    version = min(broken.versions)
    former = base.header_of(version)
    header = head.header_of(version)
    where = head.profile.path or "the profile"
    fix = (
        f'restore the headers in {where}; use "headerVersions" to give new versions a '
        "different header"
    )
    is_declared = base.header_versions != head.header_versions
    if is_declared:
        fix = (
            "keep the header of these versions; start the entry of a different header at a new "
            "version"
        )
    elif head.profile.path and not base.profile.path:
        fix = (
            f"set {_header(former)} in {where}; if peers have always used what it sets, and only "
            "the profile was missing, accept this once: wirebook check --waive"
        )
    yield Hit(
        f"{head.name} has {_header(header)} instead of {former} in {broken.counted}: peers that "
        "use the other spec start to read it at the wrong byte",
        fix,
        key="headerVersions",
        at=None if is_declared else head.profile.place,
        previous=None if is_declared else base.profile.place,
        discriminator=str(header),
    )


def _header(version: int | None) -> str:
    return "no header" if version is None else f"header {version}"
