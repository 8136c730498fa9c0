"""The page of one API or other message."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from markupsafe import Markup, escape

from wirebook.docgen.catalog.protocol import ProtocolRecord
from wirebook.docgen.catalog.records import (
    ApiDocument,
    FieldRecord,
    LayoutOrigin,
    MessageRecord,
    ReturnedError,
    TextSource,
)
from wirebook.docgen.catalog.shared_structs import StructRecord
from wirebook.docgen.render.bytes.chapters import chapters
from wirebook.docgen.render.bytes.hexview import FRAMES
from wirebook.docgen.render.bytes.pages import has_byte_pages
from wirebook.docgen.render.kit.environment import breakable, render
from wirebook.docgen.render.kit.field_table import KnownField, TableRow, field_rows
from wirebook.docgen.render.kit.links import Ids
from wirebook.docgen.render.kit.mentions import Mentions
from wirebook.docgen.render.kit.page import Heading, Page, root_of
from wirebook.docgen.render.kit.removals import reasons_of
from wirebook.docgen.render.kit.sections import PageError, PageSection, PartIds, version_sections
from wirebook.docgen.render.kit.sources import cited_parts
from wirebook.docgen.render.kit.wording import (
    event_words,
    lifecycle_words,
    moment,
    since_word,
    snapshot_spans,
)
from wirebook.docgen.render.pages.flows import flows_of
from wirebook.docgen.render.pictures.lifeline import lifeline, runs
from wirebook.specs.kafka.advisories import advisories_of
from wirebook.specs.printable import visible
from wirebook.specs.reading.tables.errors import DescribedError
from wirebook.specs.reading.values import EXTENSION
from wirebook.specs.versions import VersionSet, counted


@dataclass(frozen=True, slots=True)
class RemovedField:
    """A field that newer versions do not have: where it ended, where it was removed, and what replaces it.

    `replacement` is the id of the field that took its place; "" for none.
    """

    field: FieldRecord
    ended: str
    removed: str
    replacement: str = ""


@dataclass(frozen=True, slots=True)
class RemovedFields:
    """The removed fields of one message, with the prefix of their ids."""

    message: MessageRecord
    prefix: str
    fields: list[RemovedField]


@dataclass(frozen=True, slots=True)
class Method:
    """A method of the code, and for each verb the names of the fields that it treats so."""

    name: str
    fields: tuple[tuple[str, tuple[str, ...]], ...]


@dataclass(frozen=True, slots=True)
class CodeFile:
    """A class, the address of its file, and its methods."""

    name: str
    address: str
    methods: list[Method]


# What a source says that a method does with a field, and how the page says it of the method.
_VERBS = {"set": "sets", "read": "reads"}


@dataclass(frozen=True, slots=True)
class SpecFile:
    """A spec that messages of the page were read from, by the address of the message there; the versions."""

    name: str
    release: str
    address: str
    versions: str


_NO_SLUGS: Mapping[str, str] = {}
_USE = {
    "sender": "Sender and receiver",
    "preconditions": "Preconditions",
    "ordering": "Order and retries",
    "limits": "Limits",
    "authorization": "Authorization",
}


def _legend(document: ApiDocument) -> list[tuple[str, str]]:
    """The marks of fields that the newest tables have, with their meanings."""
    fields = [field for message in document.messages for field in message.fields]
    marks = [
        ("key", "no two elements of the array have the same value", any(field.map_key for field in fields)),
        (
            "ignorable",
            "a sender omits the field, without an error, if its peer does not have it",
            any(field.ignorable for field in fields),
        ),
        (
            ", ".join(sorted({field.entity_type for field in fields if field.entity_type})),
            "what the value identifies",
            any(field.entity_type for field in fields),
        ),
    ]
    return [(word, meaning) for word, meaning, used in marks if used]


def api_page(
    document: ApiDocument,
    mentions: Mentions,
    errors: Sequence[DescribedError],
    protocol: ProtocolRecord,
    source: Callable[[LayoutOrigin], str] = lambda _: "",
    slugs: Mapping[str, str] = _NO_SLUGS,
    structs: Sequence[StructRecord] = (),
    key: ApiDocument | None = None,
) -> Page:
    """The page of one API or other message: lifeline, versions, and every version's messages.

    `mentions` are the names that become links, `errors` the error codes of the book; `source` is the address
    of the file that a layout was read from, "" where it is unknown. `slugs` are the addresses of APIs and
    messages by name; `structs` are those that messages share, and `key` is the key of a record.
    """
    ids, part_ids = Ids(), PartIds(document)
    names = {message.name for message in document.messages}
    newest = document.newest_stable
    newest_presence = document.presence[-1] if document.presence else None
    sections = version_sections(document, ids)
    gone = [
        RemovedFields(message, "gone-response" if message.type == "response" else "gone", fields)
        for message in document.messages
        if (
            fields := [
                _ended(field, message, part_ids, protocol.product)
                for field in message.fields
                if _left(field, newest)
            ]
        )
    ]
    tags = [(message, message.tags) for message in document.messages if message.tags]
    codes = {error.name: error for error in errors}
    returned = [PageError(codes[error.name], error) for error in document.errors if error.name in codes]
    # A table of errors may name the API even if no text does.
    described = {error.name for error in document.errors}
    returned += [
        PageError(error, ReturnedError(error.name, "", "", error.about, "", "", False))
        for error in errors
        if document.api in error.apis and error.name not in described
    ]
    returned.sort(key=lambda error: error.code.code)
    use = [(title, text) for key, title in _USE.items() if (text := getattr(document.use, key))]
    advisories = [(item, document) for item in advisories_of(document.api)] if protocol.family else []
    after = [
        ("Key", "key", key),
        ("How to use it", "use", use),
        ("Pitfalls", "pitfalls", document.pitfalls),
        ("Known problems", "problems", advisories),
        ("Errors", "errors", returned),
        ("History", "versions", sections),
        ("Other versions", "other-versions", sections[1:]),
        ("Removed fields", "gone", gone),
        ("Tags", "tags", tags),
        ("Data", "data", sections),
    ]
    places = [(title, heading_anchor) for title, heading_anchor, is_present in after if is_present]
    path = f"api/{document.slug}/"
    values: dict[str, Any] = {
        "root": root_of(path),
        "document": document,
        "protocol": protocol,
        "frame": FRAMES.get(protocol.frame_length, ""),
        "sections": sections,
        "has_bytes": has_byte_pages(document, protocol),
        "picture": lifeline(document.api, document.presence),
        "painted": {run.state for line in runs(document.presence).values() for run in line},
        "events": lifecycle_words(document.lifecycle.events),
        "gone": gone,
        "key": key,
        "key_rows": [] if key is None else _rows_of(key, ids),
        "advisories": advisories,
        "errors": returned,
        "use": use,
        "tags": tags,
        "places": places,
        "moment": moment,
        "event_words": event_words,
        "since_word": since_word,
        "spans": partial(snapshot_spans, snapshots=[each.snapshot for each in document.presence]),
        "current": newest_presence.versions if newest_presence else "none",
        "unstable": newest_presence.unstable if newest_presence else "none",
        "note": _source_note(document, protocol),
        "chapters": chapters(document.api) if protocol.family else (),
        "flows": flows_of(document.api) if protocol.family and document.is_api else (),
        "structs": [struct for struct in structs if names & {use.message for use in struct.used_by}],
        "removals": [(removal, counted(versions)) for removal, versions in reasons_of(document, protocol)],
        "replacements": [(name, slugs.get(name, "")) for name in document.replaced_by],
    }
    cited = {each.text: each for each in document.cited}
    parts = partial(_parts, mentions=mentions, root=root_of(path), without=document.api, cited=cited)
    html = render(
        "api.html.jinja",
        link=_Linked(mentions, root_of(path), document.api, cited),
        legend=_legend(document),
        source=source,
        specs=list(_spec_files(sections, source)),
        methods=_code_files(document, cited),
        problems=list(_problems(document)),
        # The style breaks a name in this column anywhere.
        cited=lambda error: _joined(_source_parts(error, parts), lambda part: escape(visible(part))),
        origin=_joined(cited_parts(document.source)),
        take=ids.take,
        **values,
    )
    headings: list[Heading] = []
    for section in sections:
        headings.append(Heading(f"Version {section.number}", section.id, 2))
        if section.open and len(section.parts) > 1:
            headings += [Heading(part.title, part.id, 3) for part in section.parts]
    headings += [Heading(title, heading_anchor, 2) for title, heading_anchor in places]
    return Page(
        path,
        document.api,
        html,
        tuple(headings),
        boost=0,
        description=_description(document),
    )


def _rows_of(key: ApiDocument, ids: Ids) -> list[TableRow]:
    """The fields of the newest version of a key."""
    (message,) = key.messages
    number = max(message.versions)
    known = {
        field.path: KnownField(field.versions, values=field.values.at(number)) for field in message.fields
    }
    return list(field_rows(message.versions[number].layout, known, "key", ids))


def _problems(document: ApiDocument) -> Iterator[tuple[MessageRecord, Mapping[str, Any]]]:
    """The messages with problems, each with the keys that the format does not have."""
    for message in document.messages:
        unknown = {key: value for key, value in message.unknown_keys.items() if not key.startswith(EXTENSION)}
        if unknown or message.problems:
            yield message, unknown


def _spec_files(sections: Iterable[PageSection], source: Callable[[LayoutOrigin], str]) -> Iterator[SpecFile]:
    """The specs of the versions that are not shown in full: once, because many versions share one."""
    versions: dict[str, list[int]] = {}
    origins: dict[str, LayoutOrigin] = {}
    for section in sections:
        for part in section.parts:
            origin = part.version.origin
            if not section.open and (address := source(origin)):
                versions.setdefault(f"{address}#L{origin.line}", []).append(section.number)
                origins[f"{address}#L{origin.line}"] = origin
    for address, origin in origins.items():
        name, release = origin.path.rpartition("/")[2], origin.release or origin.snapshot
        yield SpecFile(name, release, address, str(VersionSet.of(versions[address])))


def _parts(
    text: str, mentions: Mentions, root: str, without: str, cited: Mapping[str, TextSource]
) -> Iterator[tuple[str, str]]:
    """The parts of a sentence with their addresses, and then its own source if it has one."""
    yield from mentions.parts(text, root, without)
    if text in cited:
        yield " (", ""
        yield from _own_source(cited[text])
        yield ")", ""


class _Linked:
    """Sentences with links, each with its own source if it has one.

    The code that sets and reads a field is in a list of its own: many fields share a method.
    """

    def __init__(self, mentions: Mentions, root: str, without: str, cited: Mapping[str, TextSource]) -> None:
        self.mentions = mentions
        self.root = root
        self.without = without
        self.cited = cited

    def __call__(self, text: str) -> Markup:
        """A sentence."""
        markup = self.mentions.linked(text, self.root, self.without)
        source = self.cited.get(text)
        if source is None or source.of_field:
            return markup
        return markup + Markup(' <small class="wb-cite">{}</small>').format(_joined(_own_source(source)))


def _code_files(document: ApiDocument, cited: Mapping[str, TextSource]) -> list[CodeFile]:
    """The classes with methods that set or read fields, in the order of their names."""
    uses: dict[tuple[str, str], dict[str, dict[str, dict[str, None]]]] = {}
    for message in document.messages:
        for field in message.fields:
            source = cited.get(field.about)
            if source is None or not source.of_field:
                continue
            for part in source.source.split("; "):
                verb = part.partition(" ")[0]
                for name, address in cited_parts(part):
                    if address:
                        owner, _, method = name.partition(".")
                        methods = uses.setdefault((owner, address.partition("#")[0]), {})
                        paths = methods.setdefault(method, {}).setdefault(verb, {})
                        paths.setdefault(field.path.rpartition(".")[2])
    return [
        CodeFile(
            name,
            address,
            [
                Method(method, tuple((_VERBS[verb], tuple(paths)) for verb, paths in verbs.items()))
                for method, verbs in sorted(methods.items())
            ],
        )
        for (name, address), methods in sorted(uses.items())
    ]


def _own_source(source: TextSource) -> Iterator[tuple[str, str]]:
    """The parts of a text's source with their addresses, and why the text is inferred if it is."""
    yield from cited_parts(source.source)
    if source.reason:
        yield f" (inferred: {source.reason})", ""


def _source_parts(
    error: ReturnedError, parts: Callable[[str], Iterable[tuple[str, str]]]
) -> Iterator[tuple[str, str]]:
    """The parts of an error's source with their addresses: code that it names, and proposals."""
    for part, address in cited_parts(error.source) if error.code else [(error.source, "")]:
        if address:
            yield part, address
        else:
            yield from parts(part)


def _joined(parts: Iterable[tuple[str, str]], words_of: Callable[[str], Markup] = breakable) -> Markup:
    markup = Markup("")
    for part, address in parts:
        words = words_of(part)
        markup += Markup('<a href="{}">{}</a>').format(address, words) if address else words
    return markup


def _description(document: ApiDocument) -> str:
    """What search engines and previews of links show: the key, the versions, and what it is for."""
    versions = document.presence[-1].versions if document.presence else "none"
    facts = [f"API key {document.api_key}"] if document.is_api and document.api_key is not None else []
    if versions != "none":
        facts.append(f"version{'' if versions.isdigit() else 's'} {versions}")
    about = document.purpose.split("\n")[0]
    head = f"{document.api}: {', '.join(facts)}. " if facts else ""
    return f"{head}{about}"[:200].rstrip()


def _left(field: FieldRecord, newest: int | None) -> bool:
    """Whether a field ended before the newest stable version, or is in no snapshot at all."""
    if field.gone or newest is None:
        return field.gone
    return all(each.highest < newest for each in VersionSet.parse(field.versions).ranges)


def _ended(record: FieldRecord, message: MessageRecord, ids: PartIds, product: str) -> RemovedField:
    """What became of a field that newer versions do not have: where it ended, and whether it is removed."""
    document = ids.document
    versions = {version.version: version for version in document.versions}
    stated = VersionSet.parse(record.versions)
    holding = sorted(number for number in versions if number in stated)
    after = versions.get(holding[-1] + 1) if holding else None
    served = [number for number in holding if versions[number].state != "removed"]
    since = since_word(after.events) if after else ""
    ended = ""
    if after:
        dropped = ", ".join(filter(None, (str(after.version), " ".join(filter(None, (product, since))))))
        ended = f"last in version {after.version - 1} (dropped in {dropped})"
    removed = since_word(record.events, "removed")
    if not removed and holding and not served:
        removed = since_word(versions[holding[-1]].events, "removed")
    newest = message.versions.get(document.newest_stable) if document.newest_stable is not None else None
    replaced = newest is not None and record.replaced_by in {field.path for field in newest.layout.walk()}
    return RemovedField(
        record,
        ended,
        removed if record.gone else "",
        ids.of(newest.layout.version, message.type, record.replaced_by) if newest and replaced else "",
    )


def _source_note(document: ApiDocument, protocol: ProtocolRecord) -> str:
    """Whose behaviour the descriptions are, of a protocol that only extends the embedded one; "" if there are
    none.
    """
    if not protocol.extends or not document.group:
        return ""
    name = protocol.product or "this protocol"
    return (
        f"Descriptions that are not in the specs of {name} are those of Apache Kafka; {name} may behave "
        "differently."
    )
