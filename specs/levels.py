"""Protocol levels: the registry of ApiVersions next to the specs of a protocol."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import final

from wirebook.specs.json_records import omitted, unwritten
from wirebook.specs.model import SourceNode
from wirebook.specs.problems import Place
from wirebook.specs.releases import ReleaseName, line_of
from wirebook.specs.tables import read_whole, rows_of


@final
@dataclass(frozen=True)
class ApiVersion:
    """A protocol level: ids begin at 0, and each is one more than the last (KIP-35).

    `version` is the name in logs and in `history` ("3.7-IV4"), `release` the first release that had
    it. `feature_level` is its number in messages and in the metadata log of KRaft;
    `metadata_changed` is whether the level changed the records of that log, so that no downgrade
    below it is possible. `written` is the entry in its file.
    """

    id: int
    version: str
    release: str
    date: str | None = omitted(None)
    about: str = omitted("")
    feature_level: int | None = omitted(None)
    metadata_changed: bool | None = omitted(None)
    written: SourceNode | None = unwritten(None)

    @property
    def place(self) -> Place | None:
        """Where the entry begins and ends in its file."""
        return None if self.written is None else self.written.at()


@dataclass(frozen=True, order=True, slots=True)
class Moment:
    """When something happened: at a protocol level, or in a release whose level was not recorded.

    Moments compare in time. `level` is an id: that of the level, or of the last one of the release
    line. `patch` is positive for a patch release, which comes after every level of its line.
    `release` names the release if only that is known, otherwise it is "".
    """

    level: int
    patch: int = 0
    release: str = field(default="", compare=False)


@dataclass(frozen=True)
class Registry:
    """All ApiVersions in file order, and the path of the file."""

    api_versions: tuple[ApiVersion, ...]
    path: str = field(default="", compare=False)

    @cached_property
    def by_version(self) -> dict[str, ApiVersion]:
        """The ApiVersions by their `version`."""
        return {item.version: item for item in self.api_versions}

    @cached_property
    def _by_line(self) -> dict[tuple[int, ...], ApiVersion]:
        """The newest level of each release line."""
        lines = ((line_of(level.release), level) for level in self.api_versions)
        return {line: level for line, level in lines if line is not None}

    @property
    def described(self) -> tuple[ApiVersion, ...]:
        """The levels up to the last one that has an `about`: later ones are in no release yet."""
        ids = [level.id for level in self.api_versions if level.about]
        return self.api_versions[: ids[-1] + 1] if ids else self.api_versions

    def moment(self, name: str) -> Moment | None:
        """The moment that a history names by a level ("3.7-IV4"), a line or a release ("3.7",
        "4.0.1"); None if the registry has neither."""
        level = self.by_version.get(name)
        if level is not None:
            return Moment(level.id)
        release = ReleaseName.parse(name)
        if release is None or release.number != name or release.line not in self._by_line:
            return None
        numbers = release.numbers[len(release.line) :]
        return Moment(self._by_line[release.line].id, numbers[0] if numbers else 0, name)

    def of_release(self, release: str) -> ApiVersion | None:
        """The newest level of a release, which is that of its line ("3.7", "3.7.1"), or None."""
        line = line_of(release)
        return None if line is None else self._by_line.get(line)


NO_LEVELS = Registry(())


def read_registry(text: bytes, path: str) -> Registry:
    """Read a registry, in the form of specs/schema/api_versions.json. Raises InputError."""
    document = read_whole(text, path)
    return Registry(rows_of(document, document.value, ApiVersion), path)
