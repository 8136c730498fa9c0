"""A number with a meaning keeps it.

## What it does
Compares the error codes, values and flags, of specs and of the tables that the profile names, with
those of base and of every release. Reports a number that has another name in a version of the
message, even if it was removed in between, a name that moves to another number, and a flag that
becomes a value; once for a field or a set of fields.

## Why it breaks
A message carries only the number. A peer of an older release takes it by its old meaning,
without an error: it asks for one mode and gets another, or retries what cannot succeed.

## When it is fine
A renamed number lists its old name in `formerNames` (in a table, `former_names`). From a new
version of the message on, a number may have another meaning: limit both entries by `versions`. It
is a warning if no release has the number.

## Do instead
Use a number that no release has used, and keep the old entry.

## Example
```diff
  { "apiKey": 900, "type": "request", "name": "FooRequest", "validVersions": "0-1",
    "flexibleVersions": "none", "fields": [
    { "name": "Mode", "type": "int8", "versions": "0+", "values": [
-     { "value": 1, "name": "fast", "about": "Answer at once." }
+     { "value": 1, "name": "safe", "about": "Answer once it is stored." }
    ] }
  ] }
```
"""

from collections.abc import Sequence

from wirebook.rules.rule import Category, Hit, Hits, Severity, rule
from wirebook.rules.values.numbers import Change, NumbersPair


@rule(Category.POLICY, "KIP-35")
def value_reused(pair: NumbersPair) -> Hits:
    reused = [each for each in pair.changes if each.old and each.new]
    released = [each for each in reused if each.release is not None]
    loose = [each for each in reused if each.release is None]
    if released:
        yield _hit(pair, released, Severity.ERROR)
    if loose:
        yield _hit(pair, loose, Severity.WARNING)


def _hit(pair: NumbersPair, reused: Sequence[Change], severity: Severity) -> Hit:
    """The hit on numbers that have another meaning, or names that have another number."""
    first = reused[0]
    old = first.old
    new = first.new
    assert old is not None
    assert new is not None
    now = f" and is now {new.name}: older peers read {new.name} as {old.name}"
    fix = (
        f"keep {old.words} for {old.name}, and give {new.name} a number that no release has "
        f"used; if only the name changes, list {old.name} among its former names"
    )
    if old.name == new.name:
        now = f", which is now {new.words}: older peers know it only as {old.words}"
        fix = f"keep {old.name} as {old.words}"
    was = "was" if first.in_base else f"in release {first.release} is"
    return pair.hit(reused, severity, f"{pair.named(old)} {was} {old.name}{now}", fix)
