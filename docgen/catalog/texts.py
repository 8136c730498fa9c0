"""A distinct text: its message with all layouts, what it states, its rows in tables."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from operator import attrgetter
from typing import NamedTuple

from wirebook.docgen.catalog.addresses import check_names
from wirebook.docgen.catalog.order import Offer
from wirebook.docgen.catalog.spec_texts import SpecText
from wirebook.specs.kafka.texts import ApiTexts, described
from wirebook.specs.kafka.version_lifecycle import VersionLifecycle
from wirebook.specs.layout import Layout, layouts
from wirebook.specs.model import Message
from wirebook.specs.problems import InputError
from wirebook.specs.profile import HALVES, Profile
from wirebook.specs.reader import read_message

OTHER = "message"  # the only part of what is no API
_ALWAYS = VersionLifecycle()
_json = json.JSONEncoder(ensure_ascii=False).encode


@dataclass(frozen=True, slots=True)
class Text:
    """A text that can be used: its message, and its layouts by version."""

    digest: str
    path: str
    message: Message
    layouts: Mapping[int, Layout]

    @property
    def subject(self) -> str:
        """What identifies an API in every snapshot: its key; for other messages, the name, or their
        type and key.

        Their type is not part of it: the records of Kafka's coordinators were of type data before
        4.1.
        """
        kind, identity = self.message.identity
        if self.part != OTHER:
            return f"api:{identity}"
        is_named = identity == self.message.name
        return f"message:{self.message.name}" if is_named else f"keyed:{kind}:{identity}"

    @property
    def part(self) -> str:
        """Which part of its subject it is: the request, the response, or the only one."""
        return self.message.type if self.message.type in HALVES else OTHER


class BrokenText(NamedTuple):
    """A text that cannot be used, and what is wrong with it, with its place."""

    digest: str
    path: str
    error: str


def read_texts(
    profile: Profile, written: Mapping[str, ApiTexts], items: Iterable[SpecText]
) -> Iterator[Text | BrokenText]:
    """Read and lay out texts. `written` are the descriptions apart from the specs, by API or
    message."""
    for path, text, digest, imports in items:
        try:
            message = read_message(text, path, imports, profile=profile)
            message = described(message, written.get(message.api))
            check_names(message)
            yield Text(digest, path, message, {each.version: each for each in layouts(message)})
        except InputError as error:
            yield BrokenText(digest, path, str(error))


def offer_of(
    message: Message, lifecycles: Mapping[int, VersionLifecycle] | None = None, level: int = 0
) -> Offer:
    """Which versions a message offers: as it is written, or those that existed at an ApiVersion."""
    valid = tuple(message.valid_versions)
    unstable = valid[-1:] if message.latest_version_unstable else ()
    if lifecycles is None:
        deprecated = tuple(version for version in valid if version in message.deprecated_versions)
        return Offer(valid, deprecated, unstable)
    living: dict[int, VersionLifecycle] = {}
    for version in valid:
        lifecycle = lifecycles.get(version, _ALWAYS)
        if lifecycle.lives(level):
            living[version] = lifecycle
    return Offer(
        tuple(living),
        tuple(at for at, each in living.items() if each.is_deprecated(level)),
        tuple(at for at, each in living.items() if at in unstable or each.is_unstable(level)),
    )


class Thing(NamedTuple):
    """What can change: an API, one of its versions, a field, an error code, or the bytes of a
    version.

    `part` is the message of a field and the name of an error code; `version` is -1 where the thing
    is no version and no code.
    """

    kind: str
    part: str = ""
    version: int = -1
    path: str = ""


MARKS = ("unstable", "deprecated")
# What is true of things. Marks have no value; that of others is the lowest version, or the
# default as JSON.
Facts = Mapping[Thing, Mapping[str, str | None]]


def facts_of(texts: Iterable[tuple[Text, Offer]]) -> Facts:
    """What the messages of an API state about it, its versions and its fields while a snapshot
    offers some of them."""
    offered = [(text, offer) for text, offer in texts if offer.valid]
    facts: dict[Thing, dict[str, str | None]] = {}
    flexible: set[int] = set()
    for text, offer in offered:
        for version in reversed(offer.valid):
            layout = text.layouts[version]
            if layout.flexible:
                flexible.add(version)
            for field in layout.walk():
                thing = Thing("field", text.part, -1, field.path)
                of_field = facts.setdefault(thing, {"default": _json(field.default)})
                if field.nullable:
                    of_field["nullable"] = str(version)
                if field.tag is not None:
                    of_field["tagged"] = str(version)
    every = Offer.union(offer for _, offer in offered)
    for version in every.valid:
        marks = [mark for mark in MARKS if version in getattr(every, mark)]
        facts[Thing("version", "", version)] = _state(marks, {version} & flexible)
    if offered:
        # One of the messages may have such versions only.
        marks = [
            mark
            for mark in MARKS
            if any(getattr(offer, mark) == offer.valid for _, offer in offered)
        ]
        facts[Thing("api")] = _state(marks, flexible)
    return facts


def _state(marks: Iterable[str], flexible: set[int]) -> dict[str, str | None]:
    state: dict[str, str | None] = dict.fromkeys(marks)
    if flexible:
        state["flexible"] = str(min(flexible))
    return state


class VersionRow(NamedTuple):
    """One version of a distinct text, in the table of versions."""

    digest: str
    subject: str
    message: str
    type: str
    version: int
    flexible: bool
    header_version: int | None
    unstable: bool
    deprecated: bool


class FieldRow(NamedTuple):
    """A field at any depth of one version of a distinct text; `place` is its place in wire
    order."""

    digest: str
    subject: str
    message: str
    message_type: str
    version: int
    place: int
    path: str
    name: str
    type: str
    element: str | None
    spec_type: str
    nullable: bool
    tag: int | None
    default: str
    ignorable: bool
    entity_type: str | None
    map_key: bool
    about: str


_OF_LAYOUT = attrgetter(*VersionRow._fields[4:])
_OF_FIELD = attrgetter(*FieldRow._fields[6:])


def version_rows(texts: Iterable[Text]) -> Iterator[VersionRow]:
    """The rows of the table of versions."""
    for text in texts:
        for layout in text.layouts.values():
            yield VersionRow(*_named(text), *_OF_LAYOUT(layout))


def field_rows(texts: Iterable[Text]) -> Iterator[FieldRow]:
    """The rows of the table of fields."""
    for text in texts:
        named = _named(text)
        for layout in text.layouts.values():
            for place, field in enumerate(layout.walk()):
                row = FieldRow(*named, layout.version, place, *_OF_FIELD(field))
                yield row._replace(default=_json(field.default))


def _named(text: Text) -> tuple[str, str, str, str]:
    return text.digest, text.subject, text.message.name, text.message.type
