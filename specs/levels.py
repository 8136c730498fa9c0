"""Protocol levels: the registry of ApiVersions next to the specs of a protocol."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field, replace
from datetime import date
from functools import cached_property
from pathlib import Path

from wirebook.specs.jsontext import JsonObject, parse_json
from wirebook.specs.model import Json
from wirebook.specs.problems import InputError, Position
from wirebook.specs.releases import ReleaseName, line_of

_DATE = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")


@dataclass(frozen=True, slots=True)
class ApiVersion:
    """A protocol level: ids begin at 0, and each is one more than the last (KIP-35).

    `version` is the name in logs and in `history` ("3.7-IV4"), `release` the first release that had it.
    `position` is its place in its file, `end` the end of the entry (see `SourcePositions.end_of`).
    """

    id: int
    version: str
    release: str
    date: str | None = None
    about: str = ""
    position: Position | None = field(default=None, compare=False)
    end: Position | None = field(default=None, compare=False)


@dataclass(frozen=True, order=True, slots=True)
class Moment:
    """When something happened: at a protocol level, or in a release whose level was not recorded.

    Moments compare in time. `level` is an id: that of the level, or of the last one of the release line.
    `patch` is positive for a patch release, which comes after every level of its line. `release` names the
    release if only that is known, otherwise it is "".
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
    def _by_version(self) -> dict[str, ApiVersion]:
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

    def by_version(self, version: str) -> ApiVersion | None:
        """The ApiVersion with that `version`, or None."""
        return self._by_version.get(version)

    def moment(self, name: str) -> Moment | None:
        """The moment that a history names: by a level ("3.7-IV4"), a line or a release ("3.7", "4.0.1").

        None if the registry has neither.
        """
        level = self._by_version.get(name)
        if level is not None:
            return Moment(level.id)
        release = ReleaseName.parse(name)
        if release is None or release.number != name or release.line not in self._by_line:
            return None
        numbers = release.numbers[len(release.line) :]
        return Moment(self._by_line[release.line].id, numbers[0] if numbers else 0, name)

    def of_release(self, release: str) -> ApiVersion | None:
        """The newest ApiVersion that a release shipped with ("3.7", "3.7.0" or "3.7.1"), or None.

        A patch release has the levels of its line: "4.0.1" those of "4.0".
        """
        line = line_of(release)
        return None if line is None else self._by_line.get(line)


def open_registry(path: Path) -> Registry:
    """Read the registry from a file.

    Raises InputError if the file cannot be read or is not of the form of specs/schema/api_versions.json, or
    if its ids do not increase from 0 by exactly 1.
    """
    try:
        items = json.loads(path.read_text(encoding="utf-8"))
        registry = _registry(items, str(path))
    except OSError as error:
        raise InputError(error.strerror or str(error), str(path)) from None
    except ValueError as error:
        raise InputError(f"this is not a registry of protocol levels ({error})", str(path)) from None
    return _in_order(registry, str(path))


def checked_registry(text: bytes, path: str) -> Registry:
    """Read the registry from a text, and check that its ids increase by 1. Raises InputError."""
    return _in_order(read_registry(text, path), path)


def _in_order(registry: Registry, path: str) -> Registry:
    for place, item in enumerate(registry.api_versions):
        if item.id != place:
            raise InputError(
                f'the protocol level "{item.version}" has id {item.id}; {place} comes here',
                path,
                item.position,
            )
    return registry


def read_registry(text: bytes, path: str) -> Registry:
    """Read the registry from a text, with the position of each entry. Rules check the ids, not this function.

    Raises InputError if the text is not a registry.
    """
    document = parse_json(text, path)
    try:
        registry = _registry(document.value, path)
    except ValueError as error:
        at = document.lines.position(document.offset)
        raise InputError(f"this is not a registry of protocol levels ({error})", path, at) from None
    placed = []
    assert isinstance(document.value, list)
    for item, entry in zip(registry.api_versions, document.value, strict=True):
        assert isinstance(entry, JsonObject)
        at = document.lines.position(document.lines.object(entry.number).offset)
        placed.append(replace(item, position=at, end=document.lines.end_of(at)))
    return Registry(tuple(placed), path)


def _registry(items: object, path: str) -> Registry:
    if not isinstance(items, list):
        raise ValueError("it is not a list")
    return Registry(tuple(_api_version(item) for item in items), path)


def _api_version(entry: Json) -> ApiVersion:
    """Parse an entry of the file. Raises ValueError if it is invalid."""
    if not isinstance(entry, dict):
        raise ValueError("an entry is not an object")
    for key in ("id", "version", "release"):
        if key not in entry:
            raise ValueError(f'an entry has no "{key}"')
    number, version, release = entry["id"], entry["version"], entry["release"]
    date, about = entry.get("date"), entry.get("about", "")
    if not isinstance(number, int) or isinstance(number, bool):
        raise ValueError(f"an id must be an integer, not {json.dumps(number)}")
    if not isinstance(version, str) or not version:
        raise ValueError(f"the version of id {number} is not a string")
    if not isinstance(release, str) or not release[:1].isdecimal():
        raise ValueError(f"the release of {version} does not begin with a number")
    if date is not None and not (isinstance(date, str) and _is_day(date)):
        raise ValueError(f"the date of {version} is not like 2013-12-03")
    if not isinstance(about, str):
        raise ValueError(f"the description of {version} is not a string")
    return ApiVersion(number, version, release, date, about)


def _is_day(text: str) -> bool:
    if not _DATE.fullmatch(text):
        return False
    try:
        date.fromisoformat(text)
    except ValueError:
        return False
    return True
