"""value-reused: a value of a field gets another meaning."""

from __future__ import annotations

from collections.abc import Iterator

from wirebook.rules.pairs.tables import ValuesPair
from wirebook.rules.rule import Hit, Per, rule
from wirebook.rules.severity import Category
from wirebook.rules.values.error_code_reused import reused


@rule(on=ValuesPair, category=Category.POLICY, source="KIP-35", per=Per.ENTRY)
def value_reused(pair: ValuesPair) -> Iterator[Hit]:
    """A value of a field keeps its name in every released version.

    ## What it does
    Compares the `values` and `flags` in the specs of both sides and of the releases, and the tables of values
    that the profiles name. It reports a number that has another name in a version of the message, even if it
    was removed in between, and a name that moves to another number; numbers that are swapped or shifted
    together are reported once, and so is a set that several fields share. Former names count, too.

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
    for each in pair.broken[0]:
        kind = f"{pair.name} =" if each.old.bit is None else f"{pair.name}:"
        former = "formerNames" if pair.in_spec else "former_names"
        hit = reused(each, kind, each.versions, shared(pair), former)
        yield hit._replace(of=pair.message, path=pair.path)


def shared(pair: ValuesPair) -> str:
    """The end of a sentence that names the other fields of the set."""
    first = next((each for each in pair.together if each != pair.name), None)
    if first is None:
        return ""
    count = len(pair.together) - (pair.name in pair.together)
    more = f" and {count - 1} more" if count > 1 else ""
    return f" (also in {first}{more})"
