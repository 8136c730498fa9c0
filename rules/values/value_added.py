"""Released readers do not know a value that is added later.

## What it does
Notes a value or a flag that is added to the list of a field in a released version, in a spec or in
a table of values.

## Why it breaks
A peer of an older release reads the number in the same version without knowing its meaning. What it
does then depends on how it treats unknown numbers.

## When it is fine
This is a note: it never fails a check. A value of a new version of the message, and an error code,
are not reported.

## Do instead
Add the value with a new version of the message, and limit it by `versions`, if older peers cannot
cope with it.

## Example
```diff
  { "apiKey": 900, "type": "request", "name": "FooRequest", "validVersions": "0-1",
    "flexibleVersions": "none", "fields": [
    { "name": "Mode", "type": "int8", "versions": "0+", "values": [
-     { "value": 0, "name": "safe", "about": "Answer once it is stored." }
+     { "value": 0, "name": "safe", "about": "Answer once it is stored." },
+     { "value": 1, "name": "fast", "about": "Answer at once." }
    ] }
  ] }
```
"""

from wirebook.rules.rule import Category, Hits, Severity, rule
from wirebook.rules.values.numbers import NumbersPair


@rule(Category.POLICY, "wirebook", Severity.INFO)
def value_added(pair: NumbersPair) -> Hits:
    added = [each for each in pair.changes if each.old is None]
    if pair.message is None or not added or (new := added[0].new) is None:
        return
    yield pair.hit(
        added,
        Severity.INFO,
        f"{pair.named(new)} ({new.name}) is added: released readers do not know it",
        f"if older peers cannot cope with it, add {new.name} with a new version of the message",
    )
