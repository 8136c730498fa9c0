"""The documents of a catalog as records: what the pipeline writes and what pages are generated
from.

The JSON of each is in docgen/schema. Keys are in the order of the fields; `ranges` of versions are
texts such as "0-3, 7" or "none".
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from wirebook.specs.json_records import omitted
from wirebook.specs.kafka.texts import NO_USE, CitedText, ErrorText, UseText
from wirebook.specs.layout import Layout
from wirebook.specs.model import NO_VALUES, FieldValues
from wirebook.specs.releases import line_of
from wirebook.specs.versions import VersionSet

API = "api"


@dataclass(frozen=True, slots=True)
class Since:
    """When something happened: the ApiVersion, the release, or both; `at_or_before` if it may be
    older.

    If only the release is known, `api_version` is None and `api_version_id` is that of the last
    level of the release, by which it had happened.
    """

    api_version: str | None
    api_version_id: int | None
    release: str | None
    at_or_before: bool

    def is_of_line(self, other: Since) -> bool:
        """Whether two moments are in one line of releases."""
        line = line_of(self.release or "")
        return line is not None and line == line_of(other.release or "")


@dataclass(frozen=True, slots=True)
class Event:
    """An event of an API, a version, a field or an error code; `words` describe it."""

    event: str
    since: Since
    words: str = omitted("", "More about it, in plain text.")


class _Described:
    """What an API or another message is, by its kind and its purpose."""

    __slots__ = ()
    kind: str
    purpose: str

    @property
    def is_api(self) -> bool:
        """Whether it is a request with its response."""
        return self.kind == API

    @property
    def summary(self) -> str:
        """The first sentence of its purpose, without the full stop."""
        return self.purpose.partition("\n\n")[0].partition(". ")[0].rstrip(".")


@dataclass(frozen=True, slots=True)
class IndexRow(_Described):
    """One API or other message in the index; `versions` are those of the newest snapshot."""

    slug: str
    api: str
    api_key: int | None
    kind: str
    purpose: str
    versions: str
    newest_stable: int | None
    unstable: str
    lifecycle: tuple[Event, ...]
    listeners: tuple[str, ...]
    removed: bool
    group: str = omitted("", "Its heading in lists; absent if there is none.")

    @property
    def served(self) -> str:
        """The versions of the newest snapshot without unstable ones."""
        return str(VersionSet.parse(self.versions) - VersionSet.parse(self.unstable))


@dataclass(frozen=True, slots=True)
class Index:
    """index.json: APIs by key, then the rest by kind and name."""

    SCHEMA: ClassVar[str] = "wirebook/index/1"
    apis: tuple[IndexRow, ...]


@dataclass(frozen=True, slots=True)
class ServedVersions:
    """What an API offers in a snapshot: `versions` with the `unstable` ones, `served` without
    them."""

    versions: str
    unstable: tuple[int, ...]
    deprecated: tuple[int, ...]
    served: str


@dataclass(frozen=True, slots=True)
class FieldChange:
    """A change of a field; `message` is request, response, or empty if a message is neither. `old`
    and `new` are versions, or defaults as JSON."""

    event: str
    message: str
    path: str
    old: str | None = omitted(None)
    new: str | None = omitted(None)


@dataclass(frozen=True, slots=True)
class NewsItem:
    """A change of one API in a snapshot: an event of some versions, or the changes of its fields.
    `whole` is whether the event concerns the API itself, `by_release` the release in which it
    happened if its level is unknown. `details` describe changes of bytes in English."""

    slug: str
    api: str
    versions: VersionSet
    details: tuple[str, ...] = omitted(())
    event: str = omitted("")
    whole: bool = omitted(False)
    by_release: str = omitted("")
    fields: tuple[FieldChange, ...] = omitted(())


@dataclass(frozen=True, slots=True)
class NewErrorCode:
    """An error code that first appears in a snapshot."""

    code: int
    name: str


UNRELEASED = "unreleased"  # the name of a snapshot that no release has


@dataclass(frozen=True, slots=True)
class SnapshotRecord:
    """One snapshot: what each API offers in it, and what changed since its predecessor."""

    name: str
    kind: str
    release: str | None
    commit: str | None
    date: str | None
    predecessor: str | None
    apis: Mapping[str, ServedVersions]
    new: tuple[NewsItem, ...]
    deprecated: tuple[NewsItem, ...]
    removed: tuple[NewsItem, ...]
    returned: tuple[NewsItem, ...]
    changed: tuple[NewsItem, ...]
    errors: tuple[NewErrorCode, ...]


@dataclass(frozen=True, slots=True)
class Snapshots:
    """snapshots.json: all snapshots in their order."""

    SCHEMA: ClassVar[str] = "wirebook/snapshots/1"
    snapshots: tuple[SnapshotRecord, ...]


@dataclass(frozen=True, slots=True)
class ApiPresence:
    """Which versions of an API a snapshot has."""

    snapshot: str
    versions: str
    unstable: str
    deprecated: str

    @property
    def stable(self) -> VersionSet:
        """The versions without unstable ones."""
        return VersionSet.parse(self.versions) - VersionSet.parse(self.unstable)


@dataclass(frozen=True, slots=True)
class VersionRecord:
    """A version of an API: current, deprecated, removed, renumbered or unstable; what it `requires`
    first."""

    version: int
    flexible: bool
    state: str
    events: tuple[Event, ...]
    about: str
    notes: tuple[str, ...]
    requires: str = omitted("", "What must be true before a client sends it.")


@dataclass(frozen=True, slots=True)
class LayoutOrigin:
    """Where a layout was read from. With `release`, it was read from specs of our own; this is the
    file of the release that defines it."""

    snapshot: str
    path: str
    line: int
    release: str = omitted("")


@dataclass(frozen=True, slots=True)
class Variant:
    """Another layout that the same version had in some snapshots."""

    snapshots: tuple[str, ...]
    changes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class MessageVersion:
    """One version of a message."""

    layout: Layout
    header_version: int | None
    changes: tuple[str, ...]
    notes: tuple[str, ...]
    about: str
    origin: LayoutOrigin
    variants: tuple[Variant, ...]


@dataclass(frozen=True, slots=True)
class FieldRecord:
    """A field that any snapshot has or had; `versions` are those that have it."""

    path: str
    former_names: tuple[str, ...]
    spec_type: str
    versions: str
    tag: int | None
    about: str
    removed: bool
    last_seen: str | None
    events: tuple[Event, ...]
    values: FieldValues = omitted(NO_VALUES)  # noqa: RUF009 - it is a tuple
    replaced_by: str = omitted("", "The path of the field that replaced it.")


@dataclass(frozen=True, slots=True)
class TagRecord:
    """A tag that any snapshot has assigned; a `reserved` one is never assigned again."""

    struct: str
    tag: int
    field: str
    type: str
    versions: str
    reserved: bool


@dataclass(frozen=True, slots=True)
class MessageRecord:
    """One message of an API, with its versions, newest first."""

    name: str
    type: str
    versions: Mapping[int, MessageVersion]
    fields: tuple[FieldRecord, ...]
    tags: tuple[TagRecord, ...]


@dataclass(frozen=True, slots=True)
class ApiDocument(_Described):
    """api/<slug>.json: an API or other message with all versions and fields of all snapshots."""

    SCHEMA: ClassVar[str] = "wirebook/api/1"
    api: str
    slug: str
    former_names: tuple[str, ...]
    api_key: int | None
    kind: str
    purpose: str
    listeners: tuple[str, ...]
    removed: bool
    lifecycle: tuple[Event, ...]
    newest_stable: int | None
    presence: tuple[ApiPresence, ...]
    versions: tuple[VersionRecord, ...]
    messages: tuple[MessageRecord, ...]
    use: UseText = omitted(NO_USE)  # noqa: RUF009 - it is frozen
    pitfalls: tuple[str, ...] = omitted((), "What implementers get wrong.")
    errors: tuple[ErrorText, ...] = omitted((), "The error codes that its responses may have.")
    group: str = omitted("", "Its heading in lists; absent if there is none.")
    replaced_by: tuple[str, ...] = omitted((), "The APIs and messages that replace it.")
    verified: str = omitted("", "The newest release that the descriptions were compared with.")
    source: str = omitted("", "The code that descriptions without a source of their own are about.")
    cited: tuple[CitedText, ...] = omitted((), "The descriptions that have a source of their own.")


@dataclass(frozen=True, slots=True)
class Tool:
    """The tool that built a catalog."""

    name: str
    version: str
