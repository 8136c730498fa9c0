"""Where Apache Kafka's repository defines what the texts and the built-in specs describe
(origins.json), and the code that sources of texts name: "KafkaApis.createTopic (2.4), Sender"."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import NamedTuple
from urllib.parse import quote

from wirebook.specs.kafka import facts
from wirebook.specs.kafka.releases import known_releases
from wirebook.specs.versions import Versions

REPOSITORY = "https://github.com/apache/kafka"
PATH = Path(__file__).with_name("origins.json")
# A class with a method or class inside it; or at the end, a method of the class before it.
_CITED = re.compile(r"\b([A-Z]+[a-z]\w*)(?:\.(\w+))?|^([a-z]\w*)(?= \(|$)")
_PART = re.compile(r"(?:(?![,;]| through ).)+", re.DOTALL)
# "(3.9)", "(before 4.0)", "of 3.4", "of Kafka 3.x": code of another release.
_OTHER_RELEASE = re.compile(r"(?:\(|\bof (?:Kafka )?)(before )?(?:\d[\d.x]* to )?(\d[\d.x]*)")
_NO_CODE = re.compile(r"^(?:KIP-\d+|Specification of the message|comment in .*)$")


@dataclass(frozen=True, slots=True)
class Citation:
    """A class that a text cites, with a method or class inside it.

    `release` is the other release that the text says it is of, or the one before that if it
    `is_before`; "" for current code. `start` and `end` are where the source names it.
    """

    type: str
    member: str = ""
    release: str = field(default="", compare=False)
    is_before: bool = field(default=False, compare=False)
    start: int = field(default=0, compare=False)
    end: int = field(default=0, compare=False)

    def __str__(self) -> str:
        return f"{self.type}.{self.member}" if self.member else self.type


def citations(source: str) -> Iterator[Citation]:
    """The code that a source names. A method without a class belongs to the class before it."""
    last = ""
    for part in _PART.finditer(source):
        text = part[0].strip()
        if _NO_CODE.match(text):
            continue
        start = part.start() + part[0].index(text)
        other = _OTHER_RELEASE.search(text)
        release, is_before = (other[2].rstrip("."), bool(other[1])) if other else ("", False)
        for match in _CITED.finditer(text):
            name, member, method = match.groups()
            last = name or last
            if last and name != "Kafka":
                at = (start + match.start(), start + match.end())
                yield Citation(last, member or method or "", release, is_before, *at)


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
    """Where versions of a message are defined."""

    place: SourceLine
    versions: Versions


def release_commit(release: str) -> str:
    """The commit of a release; "" if that is unknown."""
    return str(facts("origins.json")["releases"].get(release, ""))


def release_address(release: str) -> str:
    """The address of the commit of a release, or of the first of a line, or else of its tag."""
    commits = facts("origins.json")["releases"]
    in_line = [each for each in known_releases().names if each.startswith(f"{release}.")]
    if release not in commits and in_line:
        release = in_line[0]
    commit = release_commit(release)
    return f"{REPOSITORY}/commit/{commit}" if commit else f"{REPOSITORY}/tree/{quote(release)}"


def level_place(version: str) -> SourceLine | None:
    """Where a protocol level is defined; None if no release has it."""
    row = facts("origins.json")["levels"].get(version)
    return None if row is None else SourceLine(*row)


@cache
def spec_runs() -> Mapping[str, tuple[SpecRun, ...]]:
    """By message: where the newest release with a version defines it."""
    return {
        name: tuple(
            SpecRun(SourceLine(release, path, line), Versions.parse(versions))
            for release, path, line, versions in runs
        )
        for name, runs in facts("origins.json")["specs"].items()
    }


def code_place(citation: Citation) -> SourceLine | None:
    """Where the code is that a text cites, in the release that it names; None if unknown."""
    release = release_of(citation)
    files = facts("origins.json")["code"].get(release, {}).get(citation.type, {})
    for path, lines in files.items():
        if citation.member in lines:
            return SourceLine(release, path, lines[citation.member])
    return None


def release_of(citation: Citation) -> str:
    """The newest release of the line that a citation names, of those whose commit is known; the
    verified one for current code."""
    if not citation.release:
        return known_releases().verified
    commits = facts("origins.json")["releases"]
    if citation.release in commits and not citation.is_before:
        return citation.release
    releases = [release for release in known_releases().names if release in commits]
    line = f"{citation.release.removesuffix('.x')}."
    of_line = [number for number, name in enumerate(releases) if f"{name}.".startswith(line)]
    if not of_line:
        return ""
    return releases[of_line[0] - 1] if citation.is_before else releases[of_line[-1]]
