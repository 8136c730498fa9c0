"""Loads the protocol of a SOURCE, and finds its messages by name."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from wirebook.specs.kafka.registry import load_registry
from wirebook.specs.levels import Registry, checked_registry, read_registry
from wirebook.specs.model import Message, Protocol
from wirebook.specs.problems import InputError
from wirebook.specs.profile import NEUTRAL, Profile
from wirebook.specs.profile_choice import embedded_profile, own_table
from wirebook.specs.protocols import ProtocolPart, parts_of
from wirebook.specs.reading.discovery import REGISTRY, SpecText, spec_text
from wirebook.specs.reading.formats import DEFAULT, NAMES, Format, claimed, format_named
from wirebook.specs.reading.profiles import CONFIGURATIONS
from wirebook.specs.reading.reader import protocol_of
from wirebook.specs.reading.tables.values import read_values, values_by_field
from wirebook.specs.sources.beside import folders_above, places_beside, registry_text, texts_beside
from wirebook.specs.sources.source import Source
from wirebook.specs.syntax.tomltext import read_toml
from wirebook.specs.texts.model import TableValues
from wirebook.specs.writing.documents import spec_text_of


@dataclass(frozen=True)
class SourceContents:
    """A protocol of a source, one line that describes what was read, and its registry if it has one.

    `formats` are those in which its specs are written. `name` is that of the protocol if the source has
    several.
    """

    protocol: Protocol
    description: str
    registry: Registry | None = None
    registry_text: str = ""
    formats: tuple[Format, ...] = ()
    name: str = ""

    @property
    def is_wire_only(self) -> bool:
        """Whether part of it describes only bytes, without the other information in specs."""
        return any(item.is_wire_only for item in self.formats)

    @property
    def types(self) -> frozenset[str]:
        """The types of messages that it could contain, whether or not it does."""
        return frozenset(kind for item in self.formats for kind in item.types)


def in_configured_formats(source: Source) -> Source:
    """Apply the formats that the configuration of a source names, if it names none. Raises InputError."""
    return source._replace(formats=_configured(source)) if source.formats == DEFAULT else source


def as_json(source: Source, texts: Sequence[SpecText]) -> list[SpecText]:
    """The texts of a source for code that reads one message from each text. Raises InputError.

    A file in another format is rendered as specs, one text for each message, next to the file.
    """
    if source.formats == DEFAULT:
        return list(texts)
    formats = [format_named(name) for name in source.formats]
    rendered: list[SpecText] = []
    for spec_format in formats:
        own = [
            text for text in texts if (claimed(formats, text.path, text.text) or formats[0]) is spec_format
        ]
        if spec_format.name in DEFAULT:
            rendered += own
            continue
        profile = NEUTRAL if spec_format.profile is None else embedded_profile(spec_format.profile)
        for message in spec_format.read(own, profile):
            place = f"{message.path}/{message.name}.json"
            rendered.append(spec_text(place, spec_text_of(message).encode()))
    return sorted(rendered)


def read_opened(opened: Source, texts: Sequence[SpecText], name: str = "") -> list[SourceContents]:
    """Read the protocols in texts of a source, each text in the first format that claims it.

    `name` is what errors call the source. Raises InputError.
    """
    formats = tuple(map(format_named, opened.formats))
    profiles = {item.profile for item in formats}
    only = profiles.pop() if len(profiles) == 1 else None
    # A format may belong to one protocol.
    parts = (
        parts_of(opened, texts) if only is None else [ProtocolPart("", embedded_profile(only), list(texts))]
    )
    contents = []
    for part in parts:
        protocol = protocol_of(read_texts(part, formats), name)
        text = registry_text(opened, [text.path for text in part.texts])
        registry = None if text is None else read_registry(text.text, text.path)
        written = "" if text is None else text.text.decode("utf-8")
        contents.append(SourceContents(protocol, opened.description, registry, written, formats, part.name))
    return contents


def read_texts(part: ProtocolPart, formats: Sequence[Format]) -> Iterator[Message]:
    """Read the messages in the texts of a protocol, format by format. Raises InputError."""
    sorted_out: dict[str, list[SpecText]] = {item.name: [] for item in formats}
    for text in part.texts:
        claimant = formats[0] if len(formats) == 1 else claimed(formats, text.path, text.text)
        sorted_out[(claimant or formats[0]).name].append(text)
    for item in formats:
        yield from item.read(sorted_out[item.name], part.profile)


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


def _configured(source: Source) -> tuple[str, ...]:
    """The formats that the nearest configuration at the top of a source or above names. Raises InputError."""
    folders = ["../" * number for number in range(folders_above(source) + 1)]
    places = [f"{folder}{name}" for folder in folders for name in CONFIGURATIONS]
    for text in texts_beside(source, places):
        if b"formats" not in text.text:
            continue
        document = read_toml(text.text, text.path)
        above: tuple[str, ...] = CONFIGURATIONS[text.path.rpartition("/")[2]]
        table = document.inside(above)
        if not isinstance(table, dict) or "formats" not in table:
            continue
        value = table["formats"]
        names = [value] if isinstance(value, str) else value
        if not isinstance(names, list) or not names:
            raise document.error('"formats" must be a list of strings', *above, "formats")
        for number, name in enumerate(names):
            if name not in NAMES:
                words = f'there is no format "{name}"; there are {", ".join(NAMES)}'
                at: tuple[str | int, ...] = ("formats", number) if names is value else ("formats",)
                raise document.error(words, *above, *at)
        return tuple(dict.fromkeys(names))
    return DEFAULT


def newest(message: Message) -> int:
    """The newest stable version, or else the newest version. Raises InputError if there is none."""
    valid = message.valid_versions
    if valid.empty:
        raise InputError(f"{message.name} no longer has a version: its valid versions are none")
    unstable = message.latest_version_unstable and valid.highest > valid.lowest
    return valid.highest - 1 if unstable else valid.highest
