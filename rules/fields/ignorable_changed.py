"""ignorable-changed: `ignorable` of a field changes."""

from __future__ import annotations

from collections.abc import Iterator

from wirebook.rules.pairs.kinds import FieldPair
from wirebook.rules.rule import Hit, rule
from wirebook.rules.severity import Category, Severity
from wirebook.specs.versions import VersionSet, counted


@rule(
    on=FieldPair,
    category=Category.SOURCE,
    source="Kafka's message format",
    severity=Severity.WARNING,
    of_releases=True,
)
def ignorable_changed(pair: FieldPair) -> Iterator[Hit]:
    """Whether a writer may drop a field is a promise to its callers.

    ## What it does
    Compares `ignorable` on both sides, in the versions of both that lack the field: only there the flag acts.

    ## Why it breaks
    Where a version lacks the field, a writer fails when the field is set, unless it is ignorable: then the
    value is dropped silently. The bytes are the same, the behavior of generated writers is not. A field that
    stops being ignorable is a warning: writers fail that worked before. One that becomes ignorable is a note.

    ## When it is fine
    Where every version of both sides has the field on one side, as when a new version replaces a topic name
    by a topic id. Where the old value was a mistake and no caller relies on it.

    ## Do instead
    Keep the value. To let writers drop a field is safe where readers do not need it.

    ## Example
    ```diff
      { "apiKey": 900, "type": "request", "name": "FooRequest", "validVersions": "0-2",
        "flexibleVersions": "1+", "fields": [
    -   { "name": "Note", "type": "string", "versions": "1+" }
    +   { "name": "Note", "type": "string", "versions": "1+", "ignorable": true }
      ] }
    ```
    """
    now = "may now be dropped by writers" if pair.new.ignorable else "now makes writers fail"
    if pair.old.ignorable != pair.new.ignorable:
        lacking = pair.struct.versions - pair.before - pair.after
        yield Hit(
            f"{pair.path} {now} in {counted(VersionSet.of(lacking))}, where it does not exist",
            "make sure that readers of these versions do without the value"
            if pair.new.ignorable
            else 'restore "ignorable": true, or make sure that writers set the field only where it exists',
            lacking,
            pair.new.written.at("ignorable"),
            pair.old.written.at("ignorable"),
            severity=Severity.INFO if pair.new.ignorable else None,
        )
