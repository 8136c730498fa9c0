"""unwritten-text: a description that is still to be written."""

from __future__ import annotations

import re
from collections.abc import Iterator

from wirebook.rules.pairs.kinds import OneField
from wirebook.rules.rule import Hit, rule
from wirebook.rules.severity import Category, Severity

_PLACEHOLDER = re.compile(r"\W*(TODO|TBD|FIXME)\b", re.ASCII)


@rule(on=OneField, category=Category.SPEC, source="message format", severity=Severity.WARNING)
def unwritten_text(member: OneField) -> Iterator[Hit]:
    """A description describes the field.

    ## What it does
    Reports an `about` that begins with `TODO`, `TBD` or `FIXME`, such as the one that `wirebook new` writes.

    ## Why it breaks
    Nothing breaks on the wire. But readers of the released reference learn nothing about the field, and its
    unit or its special values become whatever the first implementation does.

    ## When it is fine
    While a message is being drafted. Check all specs before a release: `wirebook check --all --fail-on
    warning`.

    ## Do instead
    Describe what the field means, its unit, and who sets it.

    ## Example
    ```diff
      { "apiKey": 900, "type": "request", "name": "FooRequest", "validVersions": "0-1",
        "flexibleVersions": "1+", "fields": [
    -   { "name": "Id", "type": "int32", "versions": "0+", "about": "The number of the order." }
    +   { "name": "Id", "type": "int32", "versions": "0+", "about": "TODO: what the field means." }
      ] }
    ```
    """
    placeholder = _PLACEHOLDER.match(member.field.about)
    if placeholder is not None:
        yield Hit(
            f'the description of {member.path} is still to be written: it begins with "{placeholder[1]}"',
            "describe what the field means, its unit, and who sets it",
            at=member.field.written.at("about"),
            values=(placeholder[1],),
        )
