"""value-removed: a value or a flag of a field is no longer listed."""

from __future__ import annotations

from collections.abc import Iterator

from wirebook.rules.pairs.tables import ValuesPair
from wirebook.rules.rule import Hit, Per, rule
from wirebook.rules.severity import Category, Severity
from wirebook.rules.values.error_code_removed import listed
from wirebook.rules.values.value_reused import shared
from wirebook.specs.versions import VersionSet, counted

# How a table, and a spec, mark a value that may be removed.
_DEPRECATED = ('"deprecated": true', '"deprecatedVersions"')


@rule(on=ValuesPair, category=Category.POLICY, source="KIP-35", per=Per.ENTRY)
def value_removed(pair: ValuesPair) -> Iterator[Hit]:
    """A value of a field is deprecated before it is removed.

    ## What it does
    Reports each released value that the new side removes from a field, or withdraws from some versions of the
    message; once for a field that is no longer listed at all. The values are the `values` and `flags` in the
    spec, and those of the table that the profile names.

    ## Why it breaks
    Peers of older releases still send the number. Without the entry, programs and documentation do not know
    it, and the next change may give the number another meaning: the table is all that remembers it.

    ## When it is fine
    It is a note if a release, or the old side, deprecates the value: with `deprecatedVersions` in a spec,
    with `"deprecated": true` in a table. The same holds for a whole list whose values are all deprecated.
    Nothing is reported if no release has the value. A value may end below a new version of the message: limit
    it by `versions`. Values of a field that no longer exists may be removed with it, and a list of values may
    move from a table to a spec.

    ## Do instead
    Deprecate the value, and remove it once no supported release sends it.

    ## Example
    ```diff
    @@ FooRequest.json @@
      { "apiKey": 900, "type": "request", "name": "FooRequest", "validVersions": "0-1",
        "flexibleVersions": "none", "fields": [
        { "name": "Mode", "type": "int8", "versions": "0+" }
      ] }
    @@ values.json @@
      { "schema": "wirebook/values/1", "sets": [ { "fields": ["FooRequest.Mode"], "values": [
        { "value": 0, "name": "safe", "meaning": "Answer once it is stored." },
    -   { "value": 1, "name": "fast", "meaning": "Answer at once." }
    +   { "value": 2, "name": "fair", "meaning": "Answer in turn." }
      ] } ] }
    ```
    """
    removed = [each for each in pair.broken[1] if each.release is not None]
    if removed and not pair.new:
        deprecated = all(pair.is_deprecated(each.old.number, each.versions) for each in removed)
        versions = frozenset().union(*(each.versions for each in removed))
        what = (
            "the table of values is deleted, or no profile names it"
            if pair.is_deleted
            else f"the values of {pair.name} are no longer listed"
        )
        yield Hit(
            f"{what}{', after their deprecation' if deprecated else ''}: older peers still send them",
            "never give these numbers another meaning"
            if deprecated
            else "keep the table, and name it in the profile: values in [tables]"
            if pair.is_deleted
            else f"keep the values of {pair.name}; those that end "
            f"{'have' if pair.in_spec else 'are'} {_DEPRECATED[pair.in_spec]} first",
            versions=versions,
            previous_place=pair.listed_at,
            released_in=removed[0].release or None,
            severity=Severity.INFO if deprecated else Severity.ERROR,
            of=pair.message,
            path=pair.path,
            change=listed(removed),
        )
        return
    for each in removed:
        old = each.old
        deprecated = pair.is_deprecated(old.number, each.versions)
        after = "after its deprecation" if deprecated else "without having been deprecated"
        now = pair.now(old.number)
        gone = "removed" if now is None else f"withdrawn from {counted(VersionSet.of(each.versions))}"
        yield Hit(
            f"{'the value ' if old.bit is None else ''}{old.words} ({old.name}) of {pair.name} is {gone} "
            f"{after}: older peers still send it{shared(pair)}",
            f"never give {old.words} another meaning"
            if deprecated
            else f"keep {old.name} in these versions, with {_DEPRECATED[pair.in_spec]}",
            versions=each.versions,
            severity=Severity.INFO if deprecated else Severity.ERROR,
            place=None if now is None else now.place,
            previous_place=each.previous,
            released_in=each.release or None,
            discriminator=each.discriminator,
            of=pair.message,
            path=pair.path,
        )
