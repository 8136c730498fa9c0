"""Which texts name each proposal: of versions, fields, error codes, protocol levels and whole
APIs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from wirebook.docgen.catalog.protocol import LevelRecord
from wirebook.docgen.catalog.records import ApiDocument
from wirebook.docgen.pages.links import anchor, version_anchor
from wirebook.docgen.pages.wording import change_text, since_word
from wirebook.specs.kafka.kips import Kip, all_kips, numbers_in
from wirebook.specs.numbers import DescribedError
from wirebook.specs.versions import VersionSet

FOLDER = "kips/"
# Words of the texts, which are half of a page.
_LONG = 100


@dataclass(frozen=True, slots=True)
class Mention:
    """A text that names a proposal: what it is about, where that is, since when, and of which API,
    if any."""

    kind: str
    title: str
    href: str
    since: str
    text: str
    api: str = ""
    slug: str = ""


Mentioned = Mapping[int, Sequence[Mention]]


def kip_mentions(
    documents: Iterable[ApiDocument],
    levels: Sequence[LevelRecord],
    errors: Sequence[DescribedError],
) -> Mentioned:
    """What names each proposal that wirebook knows, by its number; only those that a text names."""
    found: dict[int, list[Mention]] = {}
    for mention in _all_mentions(documents, levels, errors):
        for number in numbers_in(mention.text):
            if number in all_kips():
                found.setdefault(number, []).append(mention)
    return dict(sorted(found.items()))


def kip_place(kip: Kip, mentions: Sequence[Mention]) -> str:
    """Where a proposal is, from the root of a site: its page, or its row in the list."""
    if kip.guide or has_page(kip, mentions):
        return kip.guide or kip.place
    return f"{FOLDER}#{anchor(kip.name)}"


def has_page(kip: Kip, mentions: Sequence[Mention]) -> bool:
    """Whether a proposal has a generated page, which then says more than the list."""
    return not kip.guide and sum(len(each.text.split()) for each in mentions) >= _LONG


def _all_mentions(
    documents: Iterable[ApiDocument],
    levels: Sequence[LevelRecord],
    errors: Sequence[DescribedError],
) -> Iterator[Mention]:
    for document in documents:
        yield from _versions(document)
        yield from _fields(document)
        yield from _parts(document)
    for error in errors:
        yield Mention("Error codes", error.name, f"errors/#{anchor(error.name)}", "", error.about)
    for level in levels:
        yield Mention(
            "Protocol levels", level.version, f"levels/#id-{level.id}", level.release, level.about
        )


def _versions(document: ApiDocument) -> Iterator[Mention]:
    for version in sorted(document.versions, key=lambda record: record.version):
        number = version.version
        forms = [
            message.versions[number] for message in document.messages if number in message.versions
        ]
        text = version.about or " ".join(dict.fromkeys(map(change_text, forms)))
        since = since_word(version.events)
        title = f"{document.api} {number}"
        yield Mention(
            "Versions", title, _page(document, number), since, text, document.api, document.slug
        )


def _fields(document: ApiDocument) -> Iterator[Mention]:
    for message in document.messages:
        numbers: dict[tuple[str, str], list[int]] = {}
        for number, version in sorted(message.versions.items()):
            for field in version.layout.walk():
                if "KIP-" in field.about:
                    numbers.setdefault((field.path, field.about), []).append(number)
        for (path, about), having in numbers.items():
            page = _page(document, having[-1]).partition("#")[0]
            href = f"{page}#{version_anchor(having[-1], message.type, path)}"
            since = f"versions {VersionSet.of(having)}"
            title = f"{message.name} {path}"
            yield Mention("Fields", title, href, since, about, document.api, document.slug)


def _parts(document: ApiDocument) -> Iterator[Mention]:
    page, use = f"api/{document.slug}/", document.use
    texts = [("", "", document.purpose)]
    usage = (use.sender, use.preconditions, use.ordering, use.limits, use.authorization)
    texts += [(": how to use it", "#use", text) for text in usage]
    texts += [(": pitfalls", "#pitfalls", text) for text in document.pitfalls]
    texts += [
        (f": {each.name}", "#errors", f"{each.cause} {each.action}") for each in document.errors
    ]
    for words, place, text in texts:
        title = f"{document.api}{words}"
        yield Mention(
            "Also named in", title, f"{page}{place}", "", text, document.api, document.slug
        )


def _page(document: ApiDocument, number: int) -> str:
    page = f"api/{document.slug}/"
    return f"{page}v{number}/" if document.is_api else f"{page}#v{number}"
