"""A number with a meaning is deprecated before it is removed.

## What it does
Reports error codes, values and flags, of specs and of the tables that the profile names, that base
or a release has and that head does not list, or that it withdraws from some versions of the
message; once for a field or a set of fields.

## Why it breaks
Peers of older releases still send the number. Programs and documentation of the new release do not
know it, and the next change may give it another meaning.

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

from collections.abc import Sequence

from wirebook.rules.rule import Category, Hit, Hits, Severity, rule
from wirebook.rules.values.numbers import Change, NumbersPair
from wirebook.specs.versions import counted


@rule(Category.POLICY, "KIP-35", Severity.WARNING)
def value_removed(pair: NumbersPair) -> Hits:
    removed = [each for each in pair.changes if each.new is None and each.release is not None]
    announced = [each for each in removed if each.deprecated >= each.versions]
    abrupt = [each for each in removed if each not in announced]
    if abrupt:
        yield _hit(
            pair,
            abrupt,
            Severity.WARNING,
            "without having been deprecated",
            "keep {name}, and mark it as deprecated first",
        )
    if announced:
        yield _hit(
            pair,
            announced,
            Severity.INFO,
            "after its deprecation",
            "never give {number} another meaning",
        )


def _hit(
    pair: NumbersPair, removed: Sequence[Change], severity: Severity, words: str, fix: str
) -> Hit:
    """The hit on removed numbers; `fix` names the first of them."""
    old = removed[0].old
    assert old is not None
    where = "" if pair.message is None else f" in {counted(removed[0].versions)}"
    return pair.hit(
        removed,
        severity,
        f"{pair.named(old)} ({old.name}) is removed{where} {words}: older peers still send it",
        fix.format(name=old.name, number=old.words),
    )
