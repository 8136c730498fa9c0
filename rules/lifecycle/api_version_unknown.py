"""api-version-unknown: a history names a protocol level that the registry does not have."""

from __future__ import annotations

from collections.abc import Iterator

from wirebook.rules.pairs import ProtocolPair
from wirebook.rules.rule import Hit, rule
from wirebook.rules.severity import Category
from wirebook.specs.levels import Registry
from wirebook.specs.model import STANDING, HistoryEntry, Message, Protocol


@rule(on=ProtocolPair, category=Category.POLICY, source="KIP-35")
def api_version_unknown(pair: ProtocolPair) -> Iterator[Hit]:
    """A history names protocol levels that exist.

    ## What it does
    Looks up each protocol level or release that the `history` of a message names in `api_versions.json`.

    ## Why it breaks
    People and pages look up when a version was added. An unknown name cannot be ordered before or after
    another.

    ## When it is fine
    Without a registry beside the specs, nothing is checked. Errors that the old side already had are not
    reported again. `api-version-changed` reports removed entries.

    ## Do instead
    Write the exact `version` of an entry of the registry; add the entry if it is new. If no level is known,
    write a release ("4.0", "4.0.1"); the registry must have a level of that release line.

    ## Example
    ```diff
    @@ FooRequest.json @@
    - { "apiKey": 1, "type": "request", "name": "FooRequest", "validVersions": "0",
    -   "flexibleVersions": "0+", "fields": [] }
    + { "apiKey": 1, "type": "request", "name": "FooRequest", "validVersions": "0-1",
    +   "flexibleVersions": "0+", "fields": [], "history": [
    +   { "version": 1, "added": "2.1-IV1", "about": "Second." }
    + ] }
    @@ api_versions.json @@
      [
        { "id": 0, "version": "1.0-IV0", "release": "1.0" },
        { "id": 1, "version": "1.1-IV0", "release": "1.1" },
    -   { "id": 2, "version": "2.0-IV0", "release": "2.0" }
    +   { "id": 2, "version": "2.0-IV0", "release": "2.0" },
    +   { "id": 3, "version": "2.1-IV0", "release": "2.1" }
      ]
    ```
    """
    if pair.new_registry is None:
        return
    before = pair.old_registry
    old_faults = {(message.identity, *marks) for message, _, *marks in _unknown(pair.old, pair.old_registry)}
    for message, entry, version, key, name in _unknown(pair.new, pair.new_registry):
        is_known = before is not None and before.moment(name) is not None
        if (message.identity, version, key, name) not in old_faults and not is_known:
            yield Hit(
                f'the history of {message.name} says that version {version} is {key} since "{name}", which '
                "is not a protocol level of the registry",
                "name a protocol level by its exact version in the registry",
                at=entry.written.at(key),
                of=message,
                discriminator=f"{version} {key} {name}",
            )


def _unknown(
    protocol: Protocol, registry: Registry | None
) -> Iterator[tuple[Message, HistoryEntry, int, str, str]]:
    if registry is None:
        return
    for message in protocol:
        for entry in message.history:
            for key in STANDING:
                name = getattr(entry, key)
                if name is not None and registry.moment(name) is None:
                    yield message, entry, entry.version, key, name
            for field, name in entry.fields.items():
                if registry.moment(name) is None:
                    yield message, entry, entry.version, f"joined by {field}", name
