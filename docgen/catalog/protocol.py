"""The protocol of a catalog: how it presents itself, and its levels in addition to a history of releases."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from wirebook.docgen.catalog.order import CatalogSnapshot
from wirebook.specs.levels import Registry
from wirebook.specs.profile import Profile
from wirebook.specs.sources.releases import line_of

FILES = "site"  # the folder of the catalog with the files that the site copies


@dataclass(frozen=True, slots=True)
class LevelRecord:
    """An ApiVersion; `snapshot` is null if no release of the history began with it."""

    id: int
    version: str
    release: str
    date: str | None
    about: str
    snapshot: str | None
    before_history: bool


@dataclass(frozen=True, slots=True)
class LevelRecords:
    """levels.json: the ApiVersions; none if the protocol has none."""

    SCHEMA: ClassVar[str] = "wirebook/levels/1"
    levels: tuple[LevelRecord, ...]


@dataclass(frozen=True, slots=True)
class LinkRecord:
    """Numbers that become links: a regular expression, and the address with `{0}` and `{1}`."""

    pattern: str
    url: str


@dataclass(frozen=True, slots=True)
class SiteRecord:
    """How the protocol presents itself; files are named as they are in the folder `site` of the catalog."""

    title: str = ""
    description: str = ""
    logo: str = ""
    favicon: str = ""
    primary: str = ""
    accent: str = ""
    home: str = ""
    guides: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ProtocolRecord:
    """protocol.json: what pages need of the profile; `family` is the embedded profile that it extends."""

    SCHEMA: ClassVar[str] = "wirebook/protocol/1"
    name: str = ""
    product: str = ""
    title: str = ""
    family: str = ""
    client: str = "client"
    server: str = "server"
    level: str = "protocol level"
    frame_length: int = 4
    links: tuple[LinkRecord, ...] = ()
    site: SiteRecord = SiteRecord()

    @property
    def level_title(self) -> str:
        """The word for a level at the beginning of a title."""
        return self.level[:1].upper() + self.level[1:]

    @property
    def levels_folder(self) -> str:
        """The folder of the pages of levels."""
        return "api-versions/" if self.family else "levels/"

    @property
    def heading(self) -> str:
        """The title of its site."""
        return self.site.title or self.title or self.product or self.name or "Protocol reference"


NEUTRAL_PROTOCOL = ProtocolRecord()


def protocol_record(profile: Profile, site: SiteRecord) -> ProtocolRecord:
    """What pages need of a profile."""
    return ProtocolRecord(
        name=profile.name,
        product=profile.product,
        title=profile.title,
        family=profile.family,
        client=profile.client,
        server=profile.server,
        level=profile.level,
        frame_length=profile.frame_length,
        links=tuple(LinkRecord(*link) for link in profile.links),
        site=site,
    )


def level_records(registry: Registry | None, snapshots: Sequence[CatalogSnapshot]) -> LevelRecords:
    """Every ApiVersion with the snapshot that first had it.

    `snapshot` is null for a level that no release of the history began with: it is older than the first,
    or newer than the last. The list is empty if the protocol has no ApiVersions.
    """
    first: dict[tuple[int, ...] | None, str] = {}
    for snapshot in snapshots:
        first.setdefault(line_of(snapshot.release or snapshot.name), snapshot.name)
    oldest = line_of(snapshots[0].release or snapshots[0].name) if snapshots else None
    levels = []
    for level in registry.described if registry else ():
        line = line_of(level.release)
        levels.append(
            LevelRecord(
                id=level.id,
                version=level.version,
                release=level.release,
                date=level.date,
                about=level.about,
                snapshot=first.get(line),
                before_history=line is not None and oldest is not None and line < oldest,
            )
        )
    return LevelRecords(tuple(levels))
