"""When a version was served, by the `history` of a spec, and why releases removed versions."""

from __future__ import annotations

from dataclasses import dataclass

from wirebook.specs.levels import Moment, Registry
from wirebook.specs.model import STANDING, HistoryEntry, Message

_ALWAYS = Moment(0)


@dataclass(frozen=True, slots=True)
class VersionLifecycle:
    """When a version was added, deprecated, removed …; None for what did not happen."""

    added: Moment = _ALWAYS
    unstable: Moment | None = None
    stable: Moment | None = None
    deprecated: Moment | None = None
    undeprecated: Moment | None = None
    removed: Moment | None = None
    returned: Moment | None = None

    @classmethod
    def of(cls, entry: HistoryEntry, registry: Registry) -> VersionLifecycle:
        """The lifecycle that an entry describes. Raises InputError for an unknown moment."""
        moments: dict[str, Moment] = {}
        for key in STANDING:
            value = getattr(entry, key)
            if value is None:
                continue
            moment = registry.moment(value)
            if moment is None:
                raise entry.written.error(f'"{value}" is not an ApiVersion of the registry', key)
            moments[key] = moment
        return cls(**moments)

    def lives(self, level: int) -> bool:
        """Whether the specs of the level have the version, even as unstable."""
        return _reached(self.added, level) and (
            not _reached(self.removed, level) or _reached(self.returned, level)
        )

    def is_unstable(self, level: int) -> bool:
        """Whether a broker of the level offers the version only if it is configured to."""
        return _reached(self.unstable, level) and not _reached(self.stable, level)

    def is_deprecated(self, level: int) -> bool:
        """Whether the documentation of the level marks the version as deprecated."""
        return _reached(self.deprecated, level) and not _reached(self.undeprecated, level)

    @property
    def stillborn(self) -> bool:
        """Whether the version was deprecated as soon as it was added.

        A backport brought it, because a range has no gaps; it is not for use (KIP-35).
        """
        return (
            self.added > _ALWAYS and self.deprecated is not None and self.deprecated <= self.added
        )


def lifecycles(message: Message, registry: Registry) -> dict[int, VersionLifecycle]:
    """The lifecycle of each valid version of a message; without a history it has all."""
    written = {entry.version: VersionLifecycle.of(entry, registry) for entry in message.history}
    always, from_first = VersionLifecycle(), VersionLifecycle(deprecated=_ALWAYS)
    return {
        version: written.get(
            version, from_first if version in message.deprecated_versions else always
        )
        for version in message.valid_versions
    }


def _reached(moment: Moment | None, level: int) -> bool:
    """Whether something has happened when the first release of a level ships."""
    return moment is not None and (moment.level, moment.patch) <= (level, 0)
