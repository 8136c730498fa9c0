"""Where Apache Kafka's repository defines what the texts and the built-in specs describe
(origins.json)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import quote

from wirebook.specs.kafka import facts
from wirebook.specs.kafka.citations import Citation
from wirebook.specs.kafka.releases import known_releases
from wirebook.specs.versions import Versions

REPOSITORY = "https://github.com/apache/kafka"
PATH = Path(__file__).with_name("origins.json")


class SourceLine(NamedTuple):
    """A line of a file at a release; 0 is the file as a whole."""

    release: str
    path: str
    line: int = 0

    @property
    def address(self) -> str:
        """Its address at GitHub."""
        line = f"#L{self.line}" if self.line else ""
        return f"{REPOSITORY}/blob/{quote(self.release)}/{quote(self.path)}{line}"


class SpecRun(NamedTuple):
    """Where versions of a message are defined; `fields` are the lines of their fields, in wire
    order."""

    place: SourceLine
    versions: Versions
    fields: tuple[int, ...]


def release_commit(release: str) -> str:
    """The commit of a release; "" if that is unknown."""
    return str(_document()["releases"].get(release, ""))


def release_address(release: str) -> str:
    """The address of a release's commit, or else of its tag.

    That of a line of releases ("4.3") is that of the first of the line.
    """
    commits = _document()["releases"]
    in_line = [each for each in commits if each.startswith(f"{release}.")]
    if release not in commits and in_line:
        release = min(in_line, key=lambda each: [int(number) for number in each.split(".")])
    commit = release_commit(release)
    return f"{REPOSITORY}/commit/{commit}" if commit else f"{REPOSITORY}/tree/{quote(release)}"


def level_place(version: str) -> SourceLine | None:
    """Where a protocol level is defined; None if no release has it."""
    return _place(_document()["levels"].get(version))


@cache
def spec_runs() -> Mapping[str, tuple[SpecRun, ...]]:
    """By message: where the newest release with a version defines it."""
    return {
        name: tuple(
            SpecRun(SourceLine(release, path, line), Versions.parse(versions), tuple(fields))
            for release, path, line, versions, fields in runs
        )
        for name, runs in _document()["specs"].items()
    }


def code_place(citation: Citation) -> SourceLine | None:
    """Where the code is that a text cites, in the release that it names; None if that is not
    known."""
    release = release_of(citation)
    path, lines = _document()["code"].get(release, {}).get(citation.type, ("", {}))
    return SourceLine(release, path, lines[citation.member]) if citation.member in lines else None


def release_of(citation: Citation) -> str:
    """The newest release of the line that a citation names, of those whose commit is known; the
    verified one for current code."""
    return _release("" if citation.is_current else citation.release, citation.is_before)


@cache
def _release(named: str, is_before: bool) -> str:
    if not named:
        return known_releases().verified
    commits = _document()["releases"]
    releases = [release for release in known_releases().names if release in commits]
    if named in commits and not is_before:
        return named
    line = named.removesuffix(".x")
    of_line = [number for number, name in enumerate(releases) if f"{name}.".startswith(f"{line}.")]
    if not of_line:
        return ""
    return releases[of_line[0] - 1] if is_before else releases[of_line[-1]]


def _place(row: Sequence[Any] | None) -> SourceLine | None:
    return SourceLine(*row) if row is not None else None


@cache
def _document() -> Mapping[str, Any]:
    document: Mapping[str, Any] = facts("origins.json")
    return document
