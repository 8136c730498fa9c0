"""A history names protocol levels that exist: a version is added, then deprecated, then removed.

## What it does
Looks up each protocol level or release that the `history` of a message names in
`api_versions.json`, and compares their ids. Reports a name that is not there, and a mark that
precedes one that it follows: `added`, then `deprecated`, then `removed`; `undeprecated` after
`deprecated`, and `returned` after `removed`.

## Why it breaks
People and pages look up when a version was added, and an unknown name cannot be ordered. A version
that is removed before its deprecation leaves clients no time to move to another one.

## When it is fine
Two marks may name the same protocol level, because changes between two releases share it. Errors
that base has are not reported again. Without a registry, nothing is checked. `api-version-ids`
reports removed entries, and `history-rewritten` marks that change.

## Do instead
Write the exact `version` of the entry that introduced the mark; add the entry if it is new. If no
level is known, write a release ("4.0", "4.0.1") of a line that has a level.

## Example
```diff
@@ FooRequest.json @@
  { "apiKey": 1, "type": "request", "name": "FooRequest", "validVersions": "0",
    "flexibleVersions": "0+", "fields": [], "history": [
-   { "version": 0, "added": "1.0-IV0", "deprecated": "2.0-IV0" }
+   { "version": 0, "added": "1.0-IV0", "deprecated": "2.0-IV0", "removed": "1.1-IV0" }
  ] }
@@ api_versions.json @@
  [
    { "id": 0, "version": "1.0-IV0", "release": "1.0" },
    { "id": 1, "version": "1.1-IV0", "release": "1.1" },
    { "id": 2, "version": "2.0-IV0", "release": "2.0" }
  ]
```
"""

from wirebook.rules.parts import ProtocolPair
from wirebook.rules.released import history_of, place_in
from wirebook.rules.rule import Category, Hit, Hits, Severity, rule

# Pairs of marks in a version's history: the second cannot precede the first.
_ORDER = (
    ("added", "deprecated"),
    ("added", "removed"),
    ("deprecated", "undeprecated"),
    ("deprecated", "removed"),
    ("removed", "returned"),
)


@rule(Category.POLICY, "KIP-35; KIP-896")
def history_levels(pair: ProtocolPair) -> Hits:
    registry = pair.tables.head.levels
    base = pair.tables.base.levels
    if registry is None:
        return
    before = {message.identity: history_of(message) for message in pair.base}
    if pair.everything:
        before = {}
        base = None
    for message in pair.head:
        current = history_of(message)
        earlier = before.get(message.identity, {})
        for entry in message.history:
            marks = current[entry.version]
            previous = earlier.get(entry.version, {})
            moments = {mark: registry.moment(level) for mark, level in marks.items()}
            fresh = [mark for mark, level in marks.items() if previous.get(mark) != level]
            for mark in fresh:
                level = marks[mark]
                # A level that only base has is removed from the registry.
                if moments[mark] is None and not (base and base.moment(level)):
                    yield Hit(
                        f"the history of {message.name} says that version {entry.version} is "
                        f'{mark} in "{level}", which is not a protocol level of the registry',
                        "name a protocol level by its exact version in the registry",
                        at=place_in(message, entry.version, mark),
                        of=message,
                        discriminator=f"{entry.version} {mark} {level}",
                    )
            if not previous.items() <= marks.items():
                continue
            for first, then in _ORDER:
                one = moments.get(first)
                other = moments.get(then)
                if one and other and other < one and {first, then} & {*fresh}:
                    text = f"{then} in {marks[then]}, before it was {first} in {marks[first]}"
                    yield Hit(
                        f"in the history of {message.name} version {entry.version} is {text}",
                        "put the marks in the order of their protocol levels: added, deprecated, "
                        "removed",
                        (entry.version,),
                        at=entry.written.at(then),
                        severity=Severity.ERROR,
                        of=message,
                        discriminator=f"{entry.version} {then}",
                        change=text,
                    )
                    break
