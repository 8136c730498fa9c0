"""field-renamed: a field keeps its bytes and changes its name."""

from __future__ import annotations

from collections.abc import Iterator

from wirebook.rules.finding import Category, Severity
from wirebook.rules.pairs.kinds import FieldPair
from wirebook.rules.rule import Hit, rule


@rule(on=FieldPair, category=Category.SOURCE, source="Kafka's message format", severity=Severity.WARNING)
def field_renamed(pair: FieldPair) -> Iterator[Hit]:
    """A new name for a field is a question: is it the same field?

    ## What it does
    Reports a field that stands in the place, or has the tag, and has the type of one that is gone.

    ## Why it breaks
    Names are not on the wire, so peers do not notice. Code that was generated from the spec does: its
    accessors change. And if it is not a rename but another field that happens to look the same, the
    bytes of the old one are read as the new one.

    ## When it is fine
    When it is a rename and all generated code goes along.

    ## Do instead
    If the meaning changes too, end the old field and add a new one, with a tag or version of its own.

    ## Example
    ```diff
      { "apiKey": 900, "type": "request", "name": "FooRequest", "validVersions": "0-2",
        "flexibleVersions": "1+", "fields": [
    -   { "name": "Note", "type": "string", "versions": "0+" }
    +   { "name": "Remark", "type": "string", "versions": "0+" }
      ] }
    ```
    """
    if pair.old.name != pair.new.name:
        tag = "" if pair.new.tag is None else f" (tag {pair.new.tag})"
        yield Hit(
            f"{pair.old.name} is called {pair.path} now{tag}: a rename changes generated code; if "
            "it is another field, its bytes are misread",
            "make sure that it is a rename; another field needs a tag or version of its own",
            pair.both,
            pair.new.written.at("name"),
            pair.old.written.at("name"),
        )
