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
from wirebook.specs.versions import counted


@rule(Category.POLICY, "KIP-35", Severity.WARNING)
def value_removed(pair: NumbersPair) -> Hits:
    gone = [each for each in pair.changes if each.new is None and each.release is not None]
    for is_deprecated in (False, True):
        removed = [each for each in gone if each.is_deprecated == is_deprecated]
        if not removed or (old := removed[0].old) is None:
            continue
        name, after = old.value.name, "without having been deprecated"
        severity, fix = Severity.WARNING, f"keep {name}, and mark it as deprecated first"
        if is_deprecated:
            after, severity = "after its deprecation", Severity.INFO
            fix = f"never give {old.value.words} another meaning"
        where = "" if pair.message is None else f" in {counted(removed[0].versions)}"
        lost = f"is removed{where} {after}"
        if not pair.is_listed:
            lost = "and all others are no longer listed"
        sentence = f"{pair.named(old)} ({name}) {lost}: older peers still send it"
        yield pair.hit(removed, severity, sentence, fix)
