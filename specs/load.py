"""Loads the protocol of a SOURCE, and finds its messages by name."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from wirebook.specs.kafka.registry import load_registry
from wirebook.specs.levels import Registry, checked_registry, read_registry
from wirebook.specs.model import Message, Protocol
from wirebook.specs.problems import InputError
from wirebook.specs.profile import Profile
from wirebook.specs.profile_choice import own_table, profile_of
from wirebook.specs.reading.discovery import REGISTRY, SpecText
from wirebook.specs.reading.reader import protocol_of, read_message
from wirebook.specs.reading.tables.values import read_values, values_by_field
from wirebook.specs.sources.beside import places_beside, registry_text, texts_beside
from wirebook.specs.sources.source import Source
from wirebook.specs.texts.model import TableValues


@dataclass(frozen=True)
class SourceContents:
    """The protocol of a source, one line that describes what was read, and its registry if it has one."""

    protocol: Protocol
    description: str
    registry: Registry | None = None
    registry_text: str = ""


def read_opened(opened: Source, texts: Sequence[SpecText], name: str = "") -> SourceContents:
    """Read the protocol in texts of a source. `name` is what errors call the source. Raises InputError."""
    paths = [text.path for text in texts]
    protocol = read_specs(texts, profile_of(opened, paths), name)
    text = registry_text(opened, paths)
    if text is None:
        return SourceContents(protocol, opened.description)
    registry = read_registry(text.text, text.path)
    return SourceContents(protocol, opened.description, registry, text.text.decode("utf-8"))


def read_specs(texts: Sequence[SpecText], profile: Profile, name: str) -> Protocol:
    """Read the messages of a protocol. `name` is what errors call its source. Raises InputError."""
    return protocol_of([read_message(each.text, each.path, profile=profile) for each in texts], name)


def registry_of(source: Source, texts: Sequence[SpecText], profile: Profile) -> Registry | None:
    """The registry of protocol levels for the specs of a source.

    That is the file that their profile names, or else the nearest api_versions.json in their folders or
    above; the embedded one only if their profile is of its family. Raises InputError for a file that does not
    exist or is not a registry.
    """
    named = own_table(profile, "levels")
    places = None if named is None else [named]
    for text in texts_beside(source, places or places_beside(source, [t.path for t in texts], REGISTRY)):
        return checked_registry(text.text, text.path)
    if places is not None:
        raise InputError(f'there is no "{named}", the table of levels of the profile', profile.path)
    return load_registry() if profile.family else None


def table_values(source: Source, profile: Profile) -> TableValues | None:
    """The values of fields in the table that the profile of a source names itself; None if it names none.

    Raises InputError for a file that does not exist or is not such a table.
    """
    path = own_table(profile, "values")
    if path is None:
        return None
    text = next((each.text for each in texts_beside(source, [path])), None)
    if text is None:
        raise InputError(f'there is no "{path}", the table of values of the profile', profile.path)
    return values_by_field(read_values(text, path))


def newest(message: Message) -> int:
    """The newest stable version, or else the newest version. Raises InputError if there is none."""
    valid = message.valid_versions
    if valid.empty:
        raise InputError(f"{message.name} no longer has a version: its valid versions are none")
    unstable = message.latest_version_unstable and valid.highest > valid.lowest
    return valid.highest - 1 if unstable else valid.highest
