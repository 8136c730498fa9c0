"""When a version was served: what the `history` of a spec says, as levels of the registry."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from wirebook.specs.model import HistoryEntry, Message
from wirebook.specs.problems import InputError


@dataclass(frozen=True, slots=True)
class VersionLifecycle:
    """The ApiVersion ids at which one version was added, deprecated, removed …; None where it was not."""

    added: int = 0
    deprecated: int | None = None
    undeprecated: int | None = None
    removed: int | None = None
    returned: int | None = None

    @classmethod
    def of(cls, entry: HistoryEntry, message: Message, ids: Mapping[str, int]) -> VersionLifecycle:
        """The lifecycle that an entry describes; `ids` are those of the registry, by version.

        Raises InputError for an ApiVersion that the registry lacks.
        """

        def level(key: str, value: str | None) -> int | None:
            if value is None:
                return None
            if value not in ids:
                raise InputError(
                    f'"{value}" is not an ApiVersion of the registry', message.path, entry.written.at(key)
                )
            return ids[value]

        return cls(
            level("added", entry.added) or 0,
            level("deprecated", entry.deprecated),
            level("undeprecated", entry.undeprecated),
            level("removed", entry.removed),
            level("returned", entry.returned),
        )

    def lives(self, level: int) -> bool:
        """Whether a broker of the level serves the version."""
        removed = self.removed is not None and level >= self.removed
        back = self.returned is not None and level >= self.returned
        return level >= self.added and (not removed or back)

    def is_deprecated(self, level: int) -> bool:
        """Whether the documentation of the level marks the version as deprecated."""
        since = self.deprecated is not None and level >= self.deprecated
        return since and not (self.undeprecated is not None and level >= self.undeprecated)

    @property
    def stillborn(self) -> bool:
        """Whether the version was deprecated as soon as it was added.

        It came along with a backport, since a range has no holes, and was never meant to be used (KIP-35).
        """
        return self.added > 0 and self.deprecated is not None and self.deprecated <= self.added


def lifecycles(message: Message, ids: Mapping[str, int]) -> dict[int, VersionLifecycle]:
    """The lifecycle of each valid version of a message; without a history it is always served."""
    written = {entry.version: VersionLifecycle.of(entry, message, ids) for entry in message.history}
    always, from_first = VersionLifecycle(), VersionLifecycle(deprecated=0)
    return {
        version: written.get(version, from_first if version in message.deprecated_versions else always)
        for version in message.valid_versions
    }
