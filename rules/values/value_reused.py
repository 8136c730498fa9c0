"""value-reused: a value of a field gets another meaning."""

from __future__ import annotations

from collections.abc import Iterator

from wirebook.rules.pairs.numbers import Broken
from wirebook.rules.pairs.tables import ValuesPair
from wirebook.rules.rule import Hit, Per, rule
from wirebook.rules.severity import Category, Severity
from wirebook.rules.values.error_code_reused import reused


@rule(on=ValuesPair, category=Category.POLICY, source="KIP-35", per=Per.ENTRY)
def value_reused(pair: ValuesPair) -> Iterator[Hit]:
    """A value of a field keeps its name in every released version.

    ## What it does
    Compares the `values` and `flags` in the specs of both sides and of the releases, and the tables of values
    that the profiles name. It reports a number that has another name in a version of the message, even if it
    was removed in between, and a name that moves to another number; numbers that are swapped or shifted
    together are reported once, and so is a set that several fields share. Former names count, too. So does
    a value in the place of `flags`, or the reverse, that is not one of them by itself. A renamed field is
    the same field.

    ## Why it breaks
    A message carries only the number. A peer of an older release takes it for what it used to mean, without
    an error: a sender asks for one mode and gets another.

    ## When it is fine
    A renamed value lists its old name in `formerNames` (in a table, `former_names`), and keeps those that it
    has. A number may have another meaning from a new version of the message on: limit both entries by
    `versions`. It is a warning if no release has the value. Descriptions may change.

    ## Do instead
    Use a number that no release has used, and keep the old entry.

    ## Example
    ```diff
    @@ FooRequest.json @@
      { "apiKey": 900, "type": "request", "name": "FooRequest", "validVersions": "0-1",
        "flexibleVersions": "none", "fields": [
        { "name": "Mode", "type": "int8", "versions": "0+" }
      ] }
    @@ values.json @@
      { "schema": "wirebook/values/1", "sets": [ { "fields": ["FooRequest.Mode"], "values": [
    -   { "value": 1, "name": "fast", "meaning": "Answer at once." }
    +   { "value": 1, "name": "safe", "meaning": "Answer once it is stored." }
      ] } ] }
    ```
    """
    for each in pair.reformed:
        yield _reformed(pair, each)
    for each in pair.broken[0]:
        kind = f"{pair.name} =" if each.old.bit is None else f"{pair.name}:"
        former = "formerNames" if pair.in_spec else "former_names"
        hit = reused(each, kind, each.versions, shared(pair), former)
        yield hit._replace(of=pair.message, path=pair.path)


def _reformed(pair: ValuesPair, broken: Broken) -> Hit:
    """The hit for flags that become plain values, or the reverse."""
    old, new = broken.old, broken.new
    assert new is not None
    was, now = ("values", "flags") if old.bit is None else ("flags", "values")
    value = old if old.bit is None else new
    when = f"has {was} in release {broken.release}" if broken.previous is None else f"had {was}"
    more = f" +{broken.others}" if broken.others else ""
    return Hit(
        f"{pair.name} {when} and has {now} now: older peers "
        f"{'send' if value is old else 'read'} {value.words} as "
        f"{f'{value.name}, not as flags' if value is old else f'flags, not as {value.name}'}{shared(pair)}",
        f"keep the {was}, and list the {now} in a new field",
        versions=broken.versions,
        severity=Severity.WARNING if broken.release is None else Severity.ERROR,
        place=new.place,
        previous_place=broken.previous,
        released_in=broken.release or None,
        discriminator=f"{was} {now} {value.words} {value.name}{more}",
        of=pair.message,
        path=pair.path,
    )


def shared(pair: ValuesPair) -> str:
    """The end of a sentence that names the other fields of the set."""
    first = next((each for each in pair.together if each != pair.name), None)
    if first is None:
        return ""
    count = len(pair.together) - (pair.name in pair.together)
    more = f" and {count - 1} more" if count > 1 else ""
    return f" (also in {first}{more})"
