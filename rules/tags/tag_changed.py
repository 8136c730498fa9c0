"""tag-changed: a tagged field gets another tag."""

from __future__ import annotations

from collections.abc import Iterator

from wirebook.rules.finding import Category
from wirebook.rules.pairs.kinds import FieldPair
from wirebook.rules.rule import Hit, rule


@rule(on=FieldPair, category=Category.WIRE, source="KIP-482")
def tag_changed(pair: FieldPair) -> Iterator[Hit]:
    """A tagged field keeps its tag for ever.

    ## What it does
    Reports a field whose tag is another on the new side; two fields that swap tags are two findings.

    ## Why it breaks
    The tag is all that says which field it is. Readers of the old spec take the field for an unknown one
    and lose it, or for the other field that has the number now; what old writers send under the old
    number is lost to new readers in the same way.

    ## When it is fine
    While no released version has the field.

    ## Do instead
    Keep the tag. Numbers need not be in the order of the fields.

    ## Example
    ```diff
      { "apiKey": 900, "type": "request", "name": "FooRequest", "validVersions": "0-2",
        "flexibleVersions": "1+", "fields": [
    -   { "name": "Zone", "type": "string", "versions": "1+", "taggedVersions": "1+", "tag": 1 }
    +   { "name": "Zone", "type": "string", "versions": "1+", "taggedVersions": "1+", "tag": 0 }
      ] }
    ```
    """
    old, new = pair.old, pair.new
    if old.tag is None or new.tag is None or old.tag == new.tag:
        return
    changed = frozenset(
        version for version in pair.both if version in old.tagged_versions and version in new.tagged_versions
    )
    yield Hit(
        f"{pair.path} has tag {new.tag} instead of {old.tag}: peers of the old spec do not find it",
        f"go back to tag {old.tag}",
        changed,
        new.written.at("tag"),
        old.written.at("tag"),
    )
