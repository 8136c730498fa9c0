"""One text -> the rows of the tables: what executors do with each distinct text, exactly once."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from dataclasses import field as declared
from typing import NamedTuple

from wirebook.rules.pairs.walk import walk_fields
from wirebook.rules.validity.words import bad_names, names_struct
from wirebook.specs.kafka.version_lifecycle import VersionLifecycle, lifecycles
from wirebook.specs.levels import Registry
from wirebook.specs.model import Message
from wirebook.specs.problems import InputError, Position
from wirebook.specs.profile import NEUTRAL, Profile
from wirebook.specs.reading.reader import read_message
from wirebook.specs.subjects import part_of, subject_of
from wirebook.specs.wire.layout import Layout, LayoutField, layouts

# With the ending of its file, below the 255 bytes that file systems allow.
MAX_SLUG = 240
# The plural of an abbreviation is one word: "IDs".
_CAPITALS = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])(?![A-Z]s(?![a-z]))")
_ALWAYS = VersionLifecycle()


class Fact(NamedTuple):
    """What a text states about one thing: its API, a version, a field, or an error code.

    `kind`, `part`, `version` and `path` name the thing: `part` is the message of a field and the name of an
    error code, `version` is -1 where the thing is no version and no code. The other attributes can change
    over time: `flexible`, `nullable` and `tagged` are the lowest versions with that property, `default` is
    JSON.
    """

    kind: str
    part: str
    version: int
    path: str
    unstable: bool = False
    deprecated: bool = False
    flexible: int | None = None
    nullable: int | None = None
    tagged: int | None = None
    default: str | None = None


class OfferedVersions(NamedTuple):
    """Which versions a text offers in a snapshot: as its `history` records them for that moment."""

    state: int
    valid: list[int]
    deprecated: list[int]
    unstable: list[int]
    facts: list[Fact]


class VersionRow(NamedTuple):
    """One version of a message, as one text has it."""

    version: int
    flexible: bool
    header_version: int | None
    unstable: bool
    deprecated: bool
    fingerprint: str


class FieldRow(NamedTuple):
    """One field of a message as one text has it, in all `versions` that lay it out in the same way.

    `places` are its places among all fields of each of those versions, in wire order.
    """

    versions: list[int]
    places: list[int]
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


class TextRow(NamedTuple):
    """All that the pipeline needs of one distinct text; only `digest`, `path`, `error` if it is broken.

    `subject` identifies the API or message in every snapshot. `states_at` has, by snapshot (None: every one
    that holds the text), which of `states` applies. `model` is the message itself.
    """

    digest: str
    path: str
    error: str | None
    subject: str | None = None
    message: str | None = None
    part: str | None = None
    type: str | None = None
    api: str | None = None
    api_key: int | None = None
    states: list[OfferedVersions] | None = None
    states_at: list[tuple[int | None, int]] | None = None
    versions: list[VersionRow] | None = None
    fields: list[FieldRow] | None = None
    model: Message | None = None


@dataclass(frozen=True, slots=True)
class StandIn:
    """A text used for snapshots without specs of their own: its lifecycles are those of other specs.

    `ids` are the ApiVersions of those snapshots, by ordinal; `holders` the snapshots that hold the text.
    """

    lifecycles: Mapping[int, VersionLifecycle]
    ids: Mapping[int, int]
    holders: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class CatalogLevels:
    """The snapshots that specs with a `history` describe: the id of the ApiVersion of each, by its ordinal.

    `stand_ins` are texts used for other snapshots too, by digest.
    """

    registry: Registry
    ids: Mapping[int, int]
    stand_ins: Mapping[str, StandIn] = declared(default_factory=dict)


def text_row(
    digest: str, path: str, text: bytes, levels: CatalogLevels | None, profile: Profile = NEUTRAL
) -> TextRow:
    """Read and lay out one text; `error` describes what is wrong with a broken one, with its place."""
    try:
        message = read_message(text, path, profile=profile)
        laid_out = layouts(message)
        check_names(message)
        by_ordinal = [(None, _as_written(message))] if levels is None else _by_level(message, digest, levels)
    except InputError as error:
        return TextRow(digest, path, str(error))
    states: list[OfferedVersions] = []
    numbers: list[tuple[int | None, int]] = []
    for ordinal, offered in by_ordinal:
        same = next((state for state in states if state[1:] == offered[1:]), None)
        if same is None:
            same = offered._replace(state=len(states))
            states.append(same)
        numbers.append((ordinal, same.state))
    versions = [_version_row(layout) for layout in laid_out]
    fields = _field_rows(laid_out)
    return TextRow(
        digest=digest,
        path=path,
        error=None,
        subject=subject_of(message),
        message=message.name,
        part=part_of(message),
        type=message.type,
        api=message.api,
        api_key=message.api_key,
        states=[state._replace(facts=list(_facts(message, state, versions, fields))) for state in states],
        states_at=numbers,
        versions=versions,
        fields=fields,
        model=message,
    )


def slug_of(name: str) -> str:
    """The address of an API: "ListOffsets" is "list-offsets"."""
    parted = re.sub(r"[^A-Za-z0-9]+", "-", _CAPITALS.sub("-", name)).strip("-").lower()
    return parted or "unnamed"


def snapshot_slug(name: str) -> str:
    """The address of a snapshot or a level, by its name; dots stay."""
    return "".join(c if c.isalnum() or c in ".-_" else "-" for c in name).strip(".") or "x"


def check_names(message: Message) -> None:
    """Raise InputError if a name or the type of a field is not an identifier, as the check does.

    Names become addresses, ids and titles. An address becomes the name of a file, which is limited too.
    """
    for what, name, written, _ in bad_names(message):
        reason = f'the {what} name "{name}" is not a CamelCase identifier'
        raise InputError(reason, message.path, written.at("name"))
    for field in walk_fields(message):
        if field.field.is_struct and not names_struct(field.field):
            reason = f'the type "{field.field.type}" is neither a primitive type nor the name of a struct'
            raise InputError(reason, message.path, field.field.written.at("type"))
    # Only a wrong name has its position looked up, for which the text is parsed again.
    if reason := _too_long(slug_of(message.api)):
        raise InputError(reason, message.path, message.written.at("name"))


def check_addresses(what: str, named: Iterable[tuple[str, Position | None]], path: str) -> None:
    """Raise InputError if two levels or releases have one address, or one is too long for a file.

    Windows and macOS take addresses that differ only in case for one file. `named` are their names and their
    places in the file at `path`.
    """
    names: dict[str, str] = {}
    for name, at in named:
        slug = snapshot_slug(name)
        if reason := _too_long(slug):
            raise InputError(reason, path, at)
        folded = slug.casefold()
        if folded in names:
            reason = f'the {what} "{names[folded]}" and "{name}" have the same address, "{slug}"'
            raise InputError(reason, path, at)
        names[folded] = name


def _too_long(slug: str) -> str:
    """What is wrong with an address that no file can have; "" for a shorter one."""
    length = len(slug.encode())
    if length <= MAX_SLUG:
        return ""
    return f"the name is too long: it makes an address of {length} bytes, and the limit is {MAX_SLUG}"


def _as_written(message: Message) -> OfferedVersions:
    valid = list(message.valid_versions)
    return OfferedVersions(
        0,
        valid,
        [version for version in valid if version in message.deprecated_versions],
        valid[-1:] if message.latest_version_unstable else [],
        [],
    )


def _by_level(
    message: Message, digest: str, levels: CatalogLevels
) -> list[tuple[int | None, OfferedVersions]]:
    """The versions that existed at each ApiVersion; without a history, all of them at each."""
    written = _as_written(message)
    stand_in = levels.stand_ins.get(digest)
    if stand_in is None:
        if not message.history or not levels.ids:
            return [(None, written)]
        stand_in = StandIn(lifecycles(message, levels.registry), levels.ids)
    living = stand_in.lifecycles
    offers: list[tuple[int | None, OfferedVersions]] = [(ordinal, written) for ordinal in stand_in.holders]
    for ordinal, level in stand_in.ids.items():
        valid = [version for version in written.valid if living.get(version, _ALWAYS).lives(level)]
        deprecated = [version for version in valid if living.get(version, _ALWAYS).is_deprecated(level)]
        unstable = [
            version
            for version in valid
            if version in written.unstable or living.get(version, _ALWAYS).is_unstable(level)
        ]
        offers.append((ordinal, OfferedVersions(0, valid, deprecated, unstable, [])))
    return offers


def _version_row(layout: Layout) -> VersionRow:
    return VersionRow(
        layout.version,
        layout.flexible,
        layout.header_version,
        layout.unstable,
        layout.deprecated,
        layout.fingerprint,
    )


def _field_rows(laid_out: Sequence[Layout]) -> list[FieldRow]:
    """The fields of all versions, one row for all versions in which a field is the same."""
    rows: dict[tuple[object, ...], FieldRow] = {}
    for layout in laid_out:
        for number, field in enumerate(layout.walk()):
            # Everything else comes from the one `Field` that this was laid out from.
            key = (field.path, field.type, field.element, field.nullable, field.tag, id(field.field))
            row = rows.get(key)
            if row is None:
                row = rows[key] = _field_row(field)
            row.versions.append(layout.version)
            row.places.append(number)
    return list(rows.values())


def _field_row(field: LayoutField) -> FieldRow:
    return FieldRow(
        [],
        [],
        field.path,
        field.name,
        field.type,
        field.element,
        field.spec_type,
        field.nullable,
        field.tag,
        json.dumps(field.default, ensure_ascii=False),
        field.ignorable,
        field.entity_type,
        field.map_key,
        field.about,
    )


def _facts(
    message: Message, state: OfferedVersions, versions: Sequence[VersionRow], fields: Sequence[FieldRow]
) -> Iterator[Fact]:
    """What a text in one of its states records about its API, its versions and its fields."""
    valid, deprecated, unstable = set(state.valid), set(state.deprecated), set(state.unstable)
    if not valid:
        return
    flexible = {row.version for row in versions if row.flexible} & valid
    yield Fact("api", "", -1, "", valid <= unstable, valid <= deprecated, min(flexible, default=None))
    for number in state.valid:
        since = number if number in flexible else None
        yield Fact("version", "", number, "", number in unstable, number in deprecated, since)
    by_path: dict[str, list[FieldRow]] = {}
    for field in fields:
        by_path.setdefault(field.path, []).append(field)
    for path, rows in by_path.items():
        living = {version: row for row in rows for version in row.versions if version in valid}
        if living:
            nullable = min((version for version, row in living.items() if row.nullable), default=None)
            tagged = min((version for version, row in living.items() if row.tag is not None), default=None)
            default = living[max(living)].default
            yield Fact("field", part_of(message), -1, path, nullable=nullable, tagged=tagged, default=default)
