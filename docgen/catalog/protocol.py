"""The protocol of a catalog: how it presents itself, and its levels."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from typing import Any, ClassVar

from wirebook.docgen.catalog.order import CatalogSnapshot, release_line
from wirebook.specs.json_records import omitted
from wirebook.specs.kafka.profile import embedded_profile
from wirebook.specs.levels import Registry
from wirebook.specs.profile import NEUTRAL, HeaderFields, Link, Profile, SiteProfile
from wirebook.specs.releases import line_of

FILES = "site"  # the folder of the catalog with the files that the site copies


@dataclass(frozen=True, slots=True)
class LevelRecord:
    """An ApiVersion; `snapshot` is null if no release of the history began with it, and the last
    two are null for a level that is no feature of a cluster."""

    id: int
    version: str
    release: str
    date: str | None
    about: str
    snapshot: str | None
    feature_level: int | None = omitted(None)
    metadata_changed: bool | None = omitted(None)


@dataclass(frozen=True, slots=True)
class LevelRecords:
    """levels.json: the ApiVersions; none if the protocol has none."""

    SCHEMA: ClassVar[str] = "wirebook/levels/1"
    levels: tuple[LevelRecord, ...]


@dataclass(frozen=True, slots=True)
class ProtocolRecord:
    """protocol.json: what pages need of the profile.

    `family` is the embedded protocol that the site is about, "" for any other; `extends` is the one
    of which it is not, but whose profile it extends. `negotiates` is whether the profile names an
    API with which clients query versions.
    """

    SCHEMA: ClassVar[str] = "wirebook/protocol/1"
    name: str = ""
    product: str = ""
    title: str = ""
    family: str = ""
    client: str = "client"
    server: str = "server"
    level: str = "protocol level"
    header_fields: HeaderFields = NEUTRAL.headers.fields
    links: tuple[Link, ...] = ()
    site: SiteProfile = NEUTRAL.site
    negotiates: bool = omitted(False)
    extends: str = omitted("")

    @property
    def headers(self) -> str:
        """The embedded protocol that has its headers, "" for none."""
        return self.family or self.extends

    @property
    def level_title(self) -> str:
        """The word for a level at the beginning of a title."""
        return self.level[:1].upper() + self.level[1:]

    @property
    def others_title(self) -> str:
        """The title of lists of messages that are neither requests nor responses."""
        return "Records, headers and other data" if self.family else "Other messages"

    @property
    def heading(self) -> str:
        """The title of its site."""
        return self.site.title or self.title or self.product or self.name or "Protocol reference"


NEUTRAL_PROTOCOL = ProtocolRecord()


def protocol_record(
    profile: Profile, site: SiteProfile, is_embedded: bool, repository: str = ""
) -> ProtocolRecord:
    """What pages need of a profile. Only the embedded specs get the pages and the names of Kafka; a
    protocol that extends its profile has the name of its repository if it has none of its own."""
    stated: dict[str, Any] = {
        each.name: getattr(profile, each.name, each.default) for each in fields(ProtocolRecord)
    }
    stated |= {"header_fields": profile.headers.fields, "site": site}
    record = ProtocolRecord(**{**stated, "negotiates": profile.negotiation is not None})
    if not profile.family or is_embedded:
        return record
    embedded = embedded_profile(profile.family)

    def own(what: str) -> str:
        """What the profile itself states, not the embedded one."""
        stated = str(getattr(profile, what))
        return "" if stated == getattr(embedded, what) else stated

    name = own("name") or repository
    product = own("product") or name[:1].upper() + name[1:]
    return replace(
        record,
        name=name,
        product=product,
        title=own("title") or (f"{product} protocol" if product else ""),
        family="",
        site=site._replace(title="") if site.title == embedded.site.title else site,
        extends=profile.family,
    )


def level_records(registry: Registry, snapshots: Sequence[CatalogSnapshot]) -> LevelRecords:
    """Every ApiVersion with the snapshot that first had it. `snapshot` is null for a level that no
    release of the history began with: it is older than the first, or newer than the last. The list
    is empty if the protocol has no ApiVersions."""
    first = {release_line(snapshot): snapshot.name for snapshot in reversed(snapshots)}
    first.pop(None, None)
    return LevelRecords(
        tuple(
            LevelRecord(
                level.id,
                level.version,
                level.release,
                level.date,
                level.about,
                first.get(line_of(level.release)),
                level.feature_level,
                level.metadata_changed,
            )
            for level in registry.described
        )
    )
