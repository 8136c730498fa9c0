"""A number with a meaning is deprecated before it is removed.

## What it does
Reports error codes, and values and flags of fields, that base or a release has and that head no
longer lists, or that it withdraws from some versions of the message; once for a field or a set of
fields. The numbers are those in specs, and those in the tables that the profile names.

## Why it breaks
Peers of older releases still send the number. Without the entry, programs and documentation do not
know it, and the next change may give the number another meaning: the list is all that remembers it.

## When it is fine
It is a note if a release, or base, deprecates the number: with `deprecatedVersions` in a spec, with
`"deprecated": true` in a table. Nothing is reported if no release has it. A value may end below a
new version of the message: limit it by `versions`. Values of a field that no longer exists may be
removed with it, and a list may move from a table to a spec.

## Do instead
Deprecate the number, and remove it once no supported release sends it.

## Example
```diff
@@ FooRequest.json @@
  { "apiKey": 900, "type": "request", "name": "FooRequest", "validVersions": "0-1",
    "flexibleVersions": "none", "fields": [
    { "name": "Mode", "type": "int8", "versions": "0+" }
  ] }
@@ values.json @@
  { "schema": "wirebook/values/1", "sets": [ { "fields": ["FooRequest.Mode"], "values": [
    { "value": 0, "name": "safe", "meaning": "Answer once it is stored." },
-   { "value": 1, "name": "fast", "meaning": "Answer at once." }
+   { "value": 2, "name": "fair", "meaning": "Answer in turn." }
  ] } ] }
```
"""

from wirebook.rules.rule import Hits, rule
from wirebook.rules.severity import Category, Severity
from wirebook.rules.values.numbers import NumbersPair
from wirebook.specs.versions import VersionSet, counted


@rule(Category.POLICY, "KIP-35", Severity.WARNING)
def value_removed(pair: NumbersPair) -> Hits:
    for severity in (Severity.WARNING, Severity.INFO):
        removed = [
            each
            for each in pair.changes
            if each.new is None
            and each.release is not None
            and each.is_deprecated == (severity is Severity.INFO)
        ]
        if not removed:
            continue
        old, versions = removed[0].old, removed[0].versions
        assert old is not None
        after = (
            "after its deprecation"
            if removed[0].is_deprecated
            else "without having been deprecated"
        )
        where = "" if pair.message is None else f" in {counted(VersionSet.of(versions))}"
        lost = (
            f"is removed{where} {after}"
            if pair.is_listed
            else "and all others are no longer listed"
        )
        yield pair.hit(
            removed,
            severity,
            f"{pair.named(old)} ({old.name}) {lost}: older peers still send it",
            f"never give {old.words} another meaning"
            if removed[0].is_deprecated
            else f"keep {old.name}, and mark it as deprecated first",
        )
