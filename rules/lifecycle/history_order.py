"""history-order: a version's history runs backwards."""

from __future__ import annotations

from collections.abc import Iterator

from wirebook.rules.pairs import ProtocolPair
from wirebook.rules.released import history_of
from wirebook.rules.rule import Hit, rule
from wirebook.rules.severity import Category, Severity
from wirebook.specs.levels import Registry
from wirebook.specs.model import HistoryEntry, Message, Protocol

# Pairs of marks in a version's history: the second cannot precede the first.
ORDER = (
    ("added", "deprecated"),
    ("added", "removed"),
    ("deprecated", "undeprecated"),
    ("deprecated", "removed"),
    ("removed", "returned"),
)


@rule(on=ProtocolPair, category=Category.POLICY, source="KIP-35; KIP-896")
def history_order(pair: ProtocolPair) -> Iterator[Hit]:
    """A version is added first, then deprecated, then removed.

    ## What it does
    Compares the ids of the protocol levels that a `history` entry names. Reports a version that is deprecated
    or removed before it was added, removed before it was deprecated, undeprecated before it was deprecated,
    or reintroduced before it was removed.

    ## Why it breaks
    A version that is removed before its deprecation leaves clients no time to move to another one. One of the
    two marks is wrong, and the pages publish it.

    ## When it is fine
    Two marks may name the same protocol level, because changes between two releases share it. Errors that the
    old side already had are not reported again.

    ## Do instead
    For each mark, name the protocol level that introduced it.

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
    new = pair.new_registry
    if new is None:
        return
    old_faults = {(message.identity, values) for message, _, values in _faults(pair.old, pair.old_registry)}
    before = {message.identity: history_of(message) for message in pair.old}
    for message, entry, values in _faults(pair.new, new):
        first, before_level, key, level = values
        text = f"{key} since {level}, before it was {first} in {before_level}"
        # A mark that has changed is reported by history-rewritten.
        previous = before.get(message.identity, {}).get(entry.version, {})
        changed = any(level != getattr(entry, mark, level) for mark, level in previous.items())
        if (message.identity, values) not in old_faults and not changed:
            yield Hit(
                f"in the history of {message.name} version {entry.version} is {text}",
                "put the marks in the order of their protocol levels: added, deprecated, removed",
                (entry.version,),
                at=entry.written.at(key),
                severity=Severity.ERROR,
                of=message,
                discriminator=f"{entry.version} {key}",
                change=text,
            )


def _faults(
    protocol: Protocol, registry: Registry | None
) -> Iterator[tuple[Message, HistoryEntry, tuple[str, str, str, str]]]:
    if registry is None:
        return
    for message in protocol:
        for entry in message.history:
            for first, then in ORDER:
                one, other = getattr(entry, first), getattr(entry, then)
                before = registry.moment(one) if one is not None else None
                after = registry.moment(other) if other is not None else None
                if before is not None and after is not None and after < before:
                    yield message, entry, (first, one, then, other)
                    break
