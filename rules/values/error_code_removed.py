"""error-code-removed: a table of error codes no longer has a code."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from wirebook.rules.pairs.numbers import Broken
from wirebook.rules.pairs.tables import ErrorsPair
from wirebook.rules.rule import Hit, Per, rule
from wirebook.rules.severity import Category, Severity


@rule(on=ErrorsPair, category=Category.POLICY, source="KIP-35", per=Per.ENTRY)
def error_code_removed(pair: ErrorsPair) -> Iterator[Hit]:
    """An error code is deprecated before it is removed.

    ## What it does
    Reports each released code that the new side removes from the table of error codes that the profile names,
    or that the whole table is deleted, or no longer named by a profile.

    ## Why it breaks
    Servers of older releases still send the code. Without the entry, clients and their documentation do not
    know it, and the next change may give the number to another error: the table is all that remembers it.

    ## When it is fine
    It is a note if a release, or the old side, has the code with `"deprecated": true`. Nothing is reported if
    no release has the code. `error-code-reused` reports a name that gets another code.

    ## Do instead
    Keep the entry with `"deprecated": true`, and remove it once no supported release sends the code.

    ## Example
    ```diff
    @@ errors.json @@
      { "schema": "wirebook/errors/1", "errors": [
    -   { "code": 1, "name": "ASLEEP", "retriable": true, "first_release": "1.0", "about": "Wait." },
        { "code": 0, "name": "NONE", "retriable": false, "first_release": "1.0", "about": "No error." }
      ] }
    ```
    """
    removed = [each for each in pair.broken[1] if each.release is not None]
    if removed and pair.is_deleted:
        first = removed[0]
        deprecated = all(pair.is_deprecated(each.old.number, each.versions) for each in removed)
        yield Hit(
            f"the table of error codes is deleted, or no profile names it: {len(removed)} released codes",
            "keep the table, and name it in the profile: errors in [tables]",
            severity=Severity.INFO if deprecated else None,
            previous_place=first.previous,
            released_in=first.release or None,
            change=listed(removed),
        )
        return
    for each in removed:
        old = each.old
        deprecated = pair.is_deprecated(old.number, each.versions)
        after = "after its deprecation" if deprecated else "without having been deprecated"
        yield Hit(
            f"the error code {old.number} ({old.name}) is removed {after}: older peers still send it",
            f"never give {old.number} to another error"
            if deprecated
            else f'keep {old.name} with "deprecated": true',
            severity=Severity.INFO if deprecated else None,
            previous_place=each.previous,
            released_in=each.release or None,
            discriminator=each.discriminator,
        )


def listed(removed: Iterable[Broken]) -> str:
    """The numbers and names of a table that is removed, as a waiver names them."""
    return f"removed: {', '.join(f'{each.old.words} {each.old.name}' for each in removed)}"
