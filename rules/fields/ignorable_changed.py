"""Writers keep dropping an ignorable field, or failing on a field that is not.

## What it does
Compares `ignorable` on both sides, in the versions of both that lack the field: the flag has an
effect only there.

## Why it breaks
If a version lacks the field and the field is set, a writer fails, unless the field is ignorable:
then it drops the value. A field that stops being ignorable is a warning, because working writers
start to fail. One that becomes ignorable is a note.

## When it is fine
If each version of both sides has the field on at least one side, as when a new version replaces a
name with an id; or if no caller relies on the old value.

## Do instead
Keep the value. Letting writers drop a field is safe if readers do not need it.

## Example
```diff
  { "apiKey": 900, "type": "request", "name": "FooRequest", "validVersions": "0-2",
    "flexibleVersions": "1+", "fields": [
-   { "name": "Note", "type": "string", "versions": "1+" }
+   { "name": "Note", "type": "string", "versions": "1+", "ignorable": true }
  ] }
```
"""

from wirebook.rules.parts import FieldPair, versions_in
from wirebook.rules.rule import Category, Hit, Hits, Severity, rule
from wirebook.specs.versions import counted


@rule(Category.SOURCE, "Kafka's message format", Severity.WARNING, keys=("ignorable",))
def ignorable_changed(pair: FieldPair) -> Hits:
    if pair.base.ignorable == pair.head.ignorable:
        return
    now = "now makes writers fail"
    severity = None
    fix = 'restore "ignorable": true, or make sure that writers set the field only where it exists'
    if pair.head.ignorable:
        now = "may now be dropped by writers"
        severity = Severity.INFO
        fix = "make sure that readers of these versions can do without the value"
    versions = pair.struct.versions - versions_in(pair.struct.versions, pair.base.present)
    lacking = versions - versions_in(versions, pair.head.present)
    yield Hit(
        f"{pair.path} {now} in {counted(lacking)}, where it does not exist",
        fix,
        lacking,
        "ignorable",
        severity=severity,
    )
