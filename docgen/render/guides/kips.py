"""The pages of the proposals: what each is, and what it changed in the protocol."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

from wirebook.docgen.catalog.protocol import ProtocolRecord
from wirebook.docgen.render.guides.kip_changes import KipChanges
from wirebook.docgen.render.kit.environment import render
from wirebook.docgen.render.kit.folders import LEVELS
from wirebook.docgen.render.kit.links import anchor
from wirebook.docgen.render.kit.mentions import Mentions
from wirebook.docgen.render.kit.page import Heading, Page, root_of
from wirebook.specs.kafka.kips import Kip, all_kips
from wirebook.specs.releases import ReleaseName

FOLDER = "kips/"
# Fields that a proposal gave to many APIs: its page links to their rows in "Fields by name".
_FIELDS_OF = {516: ("TopicId",)}


@dataclass(frozen=True, slots=True)
class _Row:
    """A proposal in the list, with the address of its page and the releases that have versions of it."""

    kip: Kip
    place: str
    changes: KipChanges
    first: str
    last: str


def has_page(kip: Kip, changes: KipChanges) -> bool:
    """Whether a proposal has a page of its own, beside those that are written by hand."""
    return changes.is_long and not kip.guide


def kip_places(changes_by_number: Mapping[int, KipChanges]) -> dict[int, str]:
    """Where each proposal is, from the root of a site: its page, or its row in the list."""
    return {
        number: _page(all_kips()[number], changes) or f"{FOLDER}#{anchor(all_kips()[number].name)}"
        for number, changes in changes_by_number.items()
    }


def _page(kip: Kip, changes: KipChanges) -> str:
    return kip.guide or (kip.place if has_page(kip, changes) else "")


def kip_pages(
    changes_by_number: Mapping[int, KipChanges],
    mentions: Mentions,
    protocol: ProtocolRecord,
) -> Iterator[Page]:
    """The list of the proposals, newest first, and a page for each about which there is more to say.

    Nothing if no text names one.
    """
    if not changes_by_number:
        return
    kips = [all_kips()[number] for number in changes_by_number]
    rows = [_row(kip, changes_by_number[kip.number]) for kip in reversed(kips)]
    html = render(
        "kips.html.jinja", root=root_of(FOLDER), rows=rows, outside=Mentions(links=protocol.links).linked
    )
    about = "Kafka Improvement Proposals that changed the protocol, each with what it changed."
    yield Page(FOLDER, "Proposals (KIPs)", html, words=("KIP", "proposals"), boost=3.0, description=about)
    for kip in kips:
        changes = changes_by_number[kip.number]
        if not has_page(kip, changes):
            continue
        html = render("kip.html.jinja", **_listed(kip, changes, mentions, protocol, root_of(kip.place)))
        yield Page(
            kip.place, f"{kip.name}: {kip.title}", html, _headings(changes), boost=0, description=kip.summary
        )


def guide_inserts(
    changes_by_number: Mapping[int, KipChanges], mentions: Mentions, protocol: ProtocolRecord
) -> dict[str, str]:
    """What each proposal with a hand-written page changed, for that page, by the name of the placeholder."""
    return {
        kip.guide.rstrip("/"): str(
            render(
                "kip_lists.html.jinja",
                **_listed(kip, changes_by_number[kip.number], mentions, protocol, root_of(kip.guide)),
                heading="h3",
            )
        )
        for kip in all_kips().values()
        if kip.guide and kip.number in changes_by_number
    }


def _listed(
    kip: Kip, changes: KipChanges, mentions: Mentions, protocol: ProtocolRecord, root: str
) -> dict[str, Any]:
    """The values of the lists on the page of a proposal, from which `root` leads to the root of the site."""
    return {
        "root": root,
        "kip": kip,
        "changes": changes,
        "named": _cross_referenced(kip, changes),
        "protocol": protocol,
        "levels": LEVELS,
        "outside": partial(Mentions(links=protocol.links).linked, root=root),
        "link": partial(mentions.linked, root=root, without=kip.name),
    }


def _cross_referenced(kip: Kip, changes: KipChanges) -> list[str]:
    """The names of fields of a proposal whose whole list of APIs its page links to."""
    added = {place.href.rpartition("-")[2] for change in changes.versions for place in change.added}
    return [name for name in _FIELDS_OF.get(kip.number, ()) if anchor(name) in added]


def _headings(changes: KipChanges) -> tuple[Heading, ...]:
    sections = (
        ("Versions", "versions", changes.versions),
        ("Fields", "fields", changes.fields),
        ("Error codes", "errors", changes.errors),
        ("Protocol levels", "levels", changes.levels),
        ("Also named in", "others", changes.others),
    )
    return tuple(Heading(title, anchor, 2) for title, anchor, is_present in sections if is_present)


def _row(kip: Kip, changes: KipChanges) -> _Row:
    names = (ReleaseName.parse(change.release) for change in changes.versions if change.release)
    releases = sorted(name for name in names if name is not None)
    return _Row(
        kip, _page(kip, changes), changes, *((str(releases[0]), str(releases[-1])) if releases else ("", ""))
    )
