"""field-renamed: a field keeps its bytes and changes its name."""

from __future__ import annotations

from collections.abc import Iterator

from wirebook.rules.pairs.kinds import FieldPair
from wirebook.rules.rule import Hit, rule
from wirebook.rules.severity import Category, Severity


@rule(
    on=FieldPair,
    category=Category.SOURCE,
    source="Kafka's message format",
    severity=Severity.WARNING,
    of_releases=True,
)
def field_renamed(pair: FieldPair) -> Iterator[Hit]:
    """A new name for a field is a question: is it the same field?

    ## What it does
    Reports a field that has the place or the tag, and the type, of one that was removed.

    ## Why it breaks
    Names are not on the wire, so a rename breaks no peer. It changes the accessors of generated code. If it
    is not a rename but another field of the same type, peers read the bytes of the old field as the new one.

    ## When it is fine
    When it is a rename, and the code that uses the field changes with it. A name that differs only in the
    case of its letters, and one that no release has, are not reported.

    ## Do instead
    If the meaning changes too, end the old field, and add a new one with a version or a tag of its own.

    ## Example
    ```diff
      { "apiKey": 900, "type": "request", "name": "FooRequest", "validVersions": "0-2",
        "flexibleVersions": "1+", "fields": [
    -   { "name": "Note", "type": "string", "versions": "0+" }
    +   { "name": "Remark", "type": "string", "versions": "0+" }
      ] }
    ```
    """
    if pair.old.name.casefold() != pair.new.name.casefold():
        tag = "" if pair.new.tag is None else f" (tag {pair.new.tag})"
        yield Hit(
            f"{pair.old.name} is renamed to {pair.path}{tag}: generated code changes; if it is "
            "another field, peers misread its bytes",
            "make sure that it is a rename; another field needs a version or a tag of its own",
            pair.both,
            pair.new.written.at("name"),
            pair.old.written.at("name"),
            discriminator=pair.old.name,
        )
