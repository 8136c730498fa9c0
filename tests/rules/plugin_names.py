"""The names of the rules of a plugin."""

from __future__ import annotations

NAMES = '''
"""Names that are read aloud."""

from collections.abc import Iterator

from wirebook.rules.finding import Category, Severity
from wirebook.rules.pairs.kinds import OneField
from wirebook.rules.rule import Hit, rule


@rule(on=OneField, category=Category.SOURCE, source="style.md", severity=Severity.WARNING)
def name_with_ms(item: OneField) -> Iterator[Hit]:
    """A field that holds milliseconds says so at the end of its name.

    ## What it does
    Looks for names that end in "Millis".
    """
    if item.field.name.endswith("Millis"):
        yield Hit(f"{item.path} ends in Millis", "end it in Ms", at=item.field.written.at("name"))
'''
