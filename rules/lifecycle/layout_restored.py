"""A version is again as releases have it.

## What it does
Reports released versions that base, which no release has, could not exchange with a release, and
that head can.

## Why it breaks
Nothing breaks: the patch repairs what an earlier one broke.

## When it is fine
Always. It is a note, so that a reviewer knows why a released version changes.

## Do instead
Nothing. Release the repair before anybody relies on the version in between.

## Example
```diff
  { "apiKey": 900, "type": "response", "name": "FooResponse", "validVersions": "0-2",
    "flexibleVersions": "none", "fields": [
-   { "name": "Note", "type": "string", "versions": "0+" }
+   { "name": "Note", "type": "string", "versions": "0+", "nullableVersions": "0+" }
  ] }
```
"""

from wirebook.rules.rule import Category, Hits, Severity, rule


@rule(Category.WIRE, "KAFKA-18648", Severity.INFO)
def layout_restored(_: None) -> Hits:
    yield from ()
