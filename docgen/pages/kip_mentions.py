"""Which texts name each proposal: of versions, fields, errors, levels and whole APIs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import NamedTuple

from wirebook.docgen.catalog.protocol import LevelRecord
from wirebook.docgen.catalog.records import ApiDocument
from wirebook.docgen.pages.links import anchor, version_anchor
from wirebook.docgen.pages.wording import change_text, since_word
from wirebook.specs.kafka.flows import Flow
from wirebook.specs.kafka.kips import Kip, all_kips, numbers_in
from wirebook.specs.numbers import DescribedError
from wirebook.specs.versions import VersionSet

FOLDER = "kips/"
# Words of the texts, which are half of a page.
_LONG = 100
_LATER = "Later versions of its APIs"


class Mention(NamedTuple):
    """A text that names a proposal: what it is about, where, since when, and of which API."""

    kind: str
    title: str
    href: str
    since: str
    text: str
    api: str = ""
    slug: str = ""


Mentioned = Mapping[int, Sequence[Mention]]


def kip_mentions(
    documents: Sequence[ApiDocument],
    levels: Sequence[LevelRecord],
    errors: Sequence[DescribedError],
    flows: Sequence[Flow],
) -> Mentioned:
    """What names each proposal that wirebook knows, by its number; only those that a text names,
    with their flows and the later versions of the APIs that they added."""
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
    for flow in flows:
        for number in numbers_in(" ".join(flow.kips)):
            if number in found:
                found[number].append(Mention("Flows", flow.title, flow.place, "", flow.summary))
    for document in documents:
        versions = [each for each in _of_document(document) if each.kind == "Versions"]
        for number in numbers_in(versions[0].text) if versions else ():
            later = [each for each in versions[1:] if each not in found.get(number, ())]
            if number in found:
                found[number] += [each._replace(kind=_LATER) for each in later]
    return dict(sorted(found.items()))


def kip_place(kip: Kip, mentions: Sequence[Mention]) -> str:
    """Where a proposal is, from the root of a site: its page, or its row in the list."""
    if kip.guide or has_page(kip, mentions):
        return kip.guide or kip.place
    return f"{FOLDER}#{anchor(kip.name)}"


def has_page(kip: Kip, mentions: Sequence[Mention]) -> bool:
    """Whether a proposal has a generated page, which then says more than the list."""
    own = [each.text for each in mentions if each.kind != _LATER]
    return not kip.guide and sum(len(text.split()) for text in own) >= _LONG


def _of_document(document: ApiDocument) -> Iterator[Mention]:
    """The texts of versions and fields, and those about the whole API."""
    mention = partial(Mention, api=document.api, slug=document.slug)
    page, api = f"api/{document.slug}/", document.api
    for version in sorted(document.versions, key=lambda record: record.version):
        number = version.version
        forms = [each.versions[number] for each in document.messages if number in each.versions]
        text = version.about or " ".join(dict.fromkeys(map(change_text, forms)))
        href = f"{page}v{number}/" if document.is_api else f"{page}#v{number}"
        yield mention("Versions", f"{api} {number}", href, since_word(version.events), text)
    for message in document.messages:
        having: dict[tuple[str, str], list[int]] = {}
        for number, form in sorted(message.versions.items()):
            for field in form.layout.walk():
                if "KIP-" in field.about:
                    having.setdefault((field.path, field.about), []).append(number)
        for (path, about), numbers in having.items():
            newest = f"{page}v{numbers[-1]}/" if document.is_api else page
            href = f"{newest}#{version_anchor(numbers[-1], message.type, path)}"
            since = f"versions {VersionSet.of(numbers)}"
            yield mention("Fields", f"{message.name} {path}", href, since, about)
    texts = [("", "", document.purpose)]
    texts += [(": how to use it", "#use", text) for text in document.use]
    texts += [(": pitfalls", "#pitfalls", text) for text in document.pitfalls]
    for error in document.errors:
        texts.append((f": {error.name}", "#errors", f"{error.cause} {error.action}"))
    for words, place, text in texts:
        yield mention("Also named in", f"{api}{words}", f"{page}{place}", "", text)
