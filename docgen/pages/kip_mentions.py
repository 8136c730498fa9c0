"""Which texts name each proposal: of versions, fields, errors, levels and whole APIs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from wirebook.docgen.catalog.protocol import LevelRecord
from wirebook.docgen.catalog.records import ApiDocument, MessageRecord
from wirebook.docgen.pages.links import anchor, field_place
from wirebook.docgen.pages.proposals import Kip, all_kips, numbers_in
from wirebook.docgen.pages.wording import since_word, version_text
from wirebook.specs.kafka.flows import all_flows
from wirebook.specs.numbers import DescribedError
from wirebook.specs.versions import VersionSet

FOLDER = "kips/"
# Words of the texts, which are half of a page.
_LONG = 100


class Mention(NamedTuple):
    """A text that names a proposal: what it is about, where, since when, and of which API."""

    kind: str
    title: str
    href: str
    since: str
    text: str
    document: ApiDocument | None = None


Mentioned = Mapping[int, Sequence[Mention]]


def kip_mentions(
    documents: Iterable[ApiDocument],
    levels: Iterable[LevelRecord],
    errors: Iterable[DescribedError],
) -> Mentioned:
    """What names each proposal that wirebook knows, by its number; only those that a text names,
    with their flows."""
    mentions = [each for document in documents for each in _of_document(document)]
    for error in errors:
        href = f"errors/#{anchor(error.name)}"
        mentions.append(Mention("Error codes", error.name, href, "", error.about))
    for level in levels:
        href = f"levels/#id-{level.id}"
        mentions.append(Mention("Protocol levels", level.version, href, level.release, level.about))
    found: dict[int, list[Mention]] = {}
    for mention in mentions:
        for number in numbers_in(mention.text):
            if number in all_kips():
                found.setdefault(number, []).append(mention)
    for flow in all_flows():
        for number in numbers_in(" ".join(flow.kips)):
            if number in found:
                found[number].append(Mention("Flows", flow.title, flow.place, "", flow.summary))
    return dict(sorted(found.items()))


def kip_place(kip: Kip, mentions: Iterable[Mention]) -> str:
    """Where a proposal is, from the root of a site: its page, which says more than the list, or
    its row there."""
    if kip.guide:
        return kip.guide
    words = " ".join(each.text for each in mentions).split()
    return kip.place if len(words) >= _LONG else f"{FOLDER}#{anchor(kip.name)}"


def _of_document(document: ApiDocument) -> Iterator[Mention]:
    """The texts of versions and fields, and those about the whole API."""
    page = f"api/{document.slug}/"
    api = document.api

    def also(place: str, title: str, text: str) -> Mention:
        return Mention("Also named in", f"{api}{title}", f"{page}{place}", "", text, document)

    for version in reversed(document.versions):
        number = version.version
        since = since_word(version.events)
        href = f"{page}v{number}/" if document.is_api else f"{page}#v{number}"
        text = version_text(document, version)
        yield Mention("Versions", f"{api} {number}", href, since, text, document)
    for message in document.messages:
        yield from _of_fields(document, message)
    yield also("", "", document.purpose)
    for text in document.use:
        yield also("#use", ": how to use it", text)
    for text in document.pitfalls:
        yield also("#pitfalls", ": pitfalls", text)
    for error in document.errors:
        yield also("#errors", f": {error.name}", f"{error.cause} {error.action}")


def _of_fields(document: ApiDocument, message: MessageRecord) -> Iterator[Mention]:
    """The texts of fields, which can differ between versions, in the newest one with each."""
    having: dict[tuple[str, str], list[int]] = {}
    for number, form in sorted(message.versions.items()):
        for field in form.layout.walk():
            if "KIP-" in field.about:
                having.setdefault((field.path, field.about), []).append(number)
    for (path, about), numbers in having.items():
        href = field_place(document, message, numbers[-1], path)
        since = f"versions {VersionSet.of(numbers)}"
        yield Mention("Fields", f"{message.name} {path}", href, since, about, document)
