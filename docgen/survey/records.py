"""What a survey's survey.json holds."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from wirebook.docgen.catalog.json_records import omitted
from wirebook.docgen.catalog.records import Tool


@dataclass(frozen=True, slots=True)
class PointRecord:
    """A state of a repository: a release, a branch or the tip of its main line."""

    kind: str
    name: str
    commit: str
    day: str


@dataclass(frozen=True, slots=True)
class DifferenceRecord:
    """How many versions of messages have the same bytes in two states, other bytes, or are in only one."""

    differing: int
    same: int
    other: int
    own: int
    missing: int


@dataclass(frozen=True, slots=True)
class DriftRecord:
    """A point of a repository, and the releases of the reference that differ least from it."""

    repository: str
    point: PointRecord
    nearest: tuple[str, ...]
    difference: DifferenceRecord


@dataclass(frozen=True, slots=True)
class ProblemRecord:
    """A spec that cannot be read, or that another in the same state contradicts, and does not count."""

    path: str
    object: str
    problem: str
    in_newest: bool


@dataclass(frozen=True, slots=True)
class StatusCounts:
    """Versions of messages in the newest state of a repository, by their status at the reference."""

    same: int
    earlier: int
    other: int
    own: int
    missing: int


@dataclass(frozen=True, slots=True)
class RepositoryRecord:
    """A repository: what was read, its newest state, and the statuses of that relative to the reference.

    `commits` are those of the main line, `texts` the different specs that it has had.
    """

    name: str
    newest: PointRecord
    tip: PointRecord
    commits: int
    points: int
    texts: int
    layouts: StatusCounts
    nearest: tuple[str, ...]
    difference: DifferenceRecord
    problems: int
    sample_of_problems: tuple[ProblemRecord, ...]
    left_out_tags: int


@dataclass(frozen=True, slots=True)
class CellRecord:
    """An API or message in the newest state of a repository: its versions, by their status."""

    repository: str
    name: str
    versions: str
    same: str = omitted("")
    earlier: str = omitted("")
    other: str = omitted("")
    own: str = omitted("")
    missing: str = omitted("")


@dataclass(frozen=True, slots=True)
class ApiRecord:
    """An API, or a message without one, and what each repository has of it."""

    subject: str
    name: str
    api_key: int | None
    repositories: tuple[CellRecord, ...]


@dataclass(frozen=True, slots=True)
class Meaning:
    """What a key, a tag or a version means in some repositories."""

    meaning: str
    repositories: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class KeyCollision:
    """An API key under which repositories have APIs of different names, without a version in common."""

    api_key: int
    meanings: tuple[Meaning, ...]


@dataclass(frozen=True, slots=True)
class TagCollision:
    """A tag of a struct that is another field in another repository; `within` is the path of the struct."""

    message: str
    within: str
    tag: int
    meanings: tuple[Meaning, ...]


@dataclass(frozen=True, slots=True)
class VersionCollision:
    """A version of a message that has other bytes in another repository; the meanings are fingerprints."""

    message: str
    version: int
    meanings: tuple[Meaning, ...]


@dataclass(frozen=True, slots=True)
class Collisions:
    """What means different things in the newest states of the repositories."""

    keys: tuple[KeyCollision, ...]
    tags: tuple[TagCollision, ...]
    versions: tuple[VersionCollision, ...]


@dataclass(frozen=True, slots=True)
class TakenOverRecord:
    """How many of the layouts that a release of the reference introduced a repository has had, and since
    when.

    `days` is the median of the days by which the repository was later than the reference.
    """

    repository: str
    release: str
    release_day: str
    layouts: int
    taken: int
    first_day: str | None
    last_day: str | None
    days: int | None


@dataclass(frozen=True, slots=True)
class SurveySummary:
    """The document: several repositories, compared with one of them."""

    SCHEMA: ClassVar[str] = "wirebook/survey/1"

    tool: Tool
    reference: str
    texts: int
    repositories: tuple[RepositoryRecord, ...]
    apis: tuple[ApiRecord, ...]
    collisions: Collisions
    drift: tuple[DriftRecord, ...]
    taken_over: tuple[TakenOverRecord, ...]
