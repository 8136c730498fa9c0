"""A number with a meaning is deprecated before it is removed.

## What it does
Reports error codes, values and flags, of specs and of the tables that the profile names, that base
or a release has and that head no longer lists, or that it withdraws from some versions of the
message; once for a field or a set of fields.

## Why it breaks
Peers of older releases still send the number. Programs and documentation no longer know it, and the
next change may give it another meaning: the list is all that remembers it.

## When it is fine
It is a note if a release, or base, deprecates the number (`deprecatedVersions` in a spec,
`"deprecated": true` in a table), and no finding if no release has it. A value may end below a new
version of the message: limit it by `versions`. Values may be removed with their field, and a list
may move from a table to a spec.

## Do instead
Deprecate the number, and remove it once no supported release sends it.

## Example
```diff
  { "apiKey": 900, "type": "request", "name": "FooRequest", "validVersions": "0-1",
    "flexibleVersions": "none", "fields": [
    { "name": "Mode", "type": "int8", "versions": "0+", "values": [
      { "value": 0, "name": "safe", "about": "Answer once it is stored." },
-     { "value": 1, "name": "fast", "about": "Answer at once." }
+     { "value": 2, "name": "fair", "about": "Answer in turn." }
    ] }
  ] }
```
"""

from wirebook.rules.pairs import Listings
from wirebook.rules.rule import Category, Hits, Severity, rule
from wirebook.rules.values.numbers import NumbersPair, number_pairs
from wirebook.specs.versions import counted


@rule(Category.POLICY, "KIP-35", Severity.WARNING)
def value_removed(listings: Listings) -> Hits:
    for pair in number_pairs(listings):
        yield from _hits(pair)


def _hits(pair: NumbersPair) -> Hits:
    dropped = [each for each in pair.changes if each.new is None and each.release is not None]
    for is_deprecated in (False, True):
        removed = [each for each in dropped if each.is_deprecated == is_deprecated]
        if not removed or (old := removed[0].old) is None:
            continue
        name, after = old.name, "without having been deprecated"
        severity, fix = Severity.WARNING, f"keep {name}, and mark it as deprecated first"
        if is_deprecated:
            after, severity = "after its deprecation", Severity.INFO
            fix = f"never give {old.words} another meaning"
        where = "" if pair.message is None else f" in {counted(removed[0].versions)}"
        lost = f"is removed{where} {after}"
        if not pair.is_listed:
            lost = "and all others are no longer listed"
        sentence = f"{pair.named(old)} ({name}) {lost}: older peers still send it"
        yield pair.hit(removed, severity, sentence, fix)
