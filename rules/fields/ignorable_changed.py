"""ignorable-changed: `ignorable` of a field is another."""

from __future__ import annotations

from collections.abc import Iterator

from wirebook.rules.finding import Category, Severity
from wirebook.rules.pairs.kinds import FieldPair
from wirebook.rules.rule import Hit, rule


@rule(on=FieldPair, category=Category.SOURCE, source="Kafka's message format", severity=Severity.WARNING)
def ignorable_changed(pair: FieldPair) -> Iterator[Hit]:
    """Whether a field may be left out is a promise to writers.

    ## What it does
    Compares `ignorable` on both sides.

    ## Why it breaks
    A field that is not ignorable makes a writer fail when it is set and the version has no place for it;
    an ignorable one is dropped without a word. The bytes are the same, the behaviour of generated writers
    is not.

    ## When it is fine
    When a field was marked wrongly and nobody relied on it.

    ## Do instead
    Leave the mark, or make the change with a new version so that it is seen.

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
        yield Hit(
            f"{pair.path} {now} where a version has no place for it",
            "make sure that generated code is meant to change",
            pair.both,
            pair.new.written.at("ignorable"),
            pair.old.written.at("ignorable"),
        )
