"""The structs that several specs of a protocol import, and the messages that use each."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from wirebook.docgen.catalog.addresses import slug_of
from wirebook.docgen.catalog.json_records import omitted
from wirebook.specs.layout import layouts
from wirebook.specs.model import Field, Message, Struct
from wirebook.specs.texts.model import NO_VALUES, FieldValues
from wirebook.specs.values import listed_values
from wirebook.specs.versions import Versions, VersionSet

STRUCTS = "structs.json"  # the file of a catalog, which exists only if there are shared structs


@dataclass(frozen=True, slots=True)
class StructFieldRecord:
    """A field of a shared struct as its file defines it; `depth` counts the structs around it."""

    name: str
    depth: int
    type: str
    versions: str
    nullable: str
    tag: str
    about: str
    values: FieldValues = omitted(NO_VALUES)  # noqa: RUF009 - it is a tuple


@dataclass(frozen=True, slots=True)
class StructUseRecord:
    """A message that has a shared struct on the wire: in which versions, and in which fields."""

    message: str
    api: str
    versions: str
    fields: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class StructRecord:
    """A shared struct: its file, its fields and its users; `slug` is the address of its page."""

    name: str
    slug: str
    path: str
    versions: str
    fields: tuple[StructFieldRecord, ...]
    used_by: tuple[StructUseRecord, ...]


@dataclass(frozen=True, slots=True)
class StructRecords:
    """structs.json: the shared structs, by name."""

    structs: tuple[StructRecord, ...]


def struct_records(messages: Iterable[Message]) -> StructRecords | None:
    """The structs that messages import; None if none does. Raises InputError for a spec without a
    layout."""
    structs: dict[tuple[str, str], Struct] = {}
    uses: dict[tuple[str, str], list[StructUseRecord]] = {}
    for message in messages:
        own = {
            struct.name: (struct.name, struct.path)
            for struct in message.common_structs
            if struct.path
        }
        if not own:
            continue
        structs |= {own[each.name]: each for each in message.common_structs if each.name in own}
        reached: dict[str, dict[str, set[int]]] = {}
        for layout in layouts(message):
            for field in layout.walk():
                if field.struct in own:
                    reached.setdefault(field.struct, {}).setdefault(field.path, set()).add(
                        layout.version
                    )
        for name, paths in reached.items():
            versions = VersionSet.of(version for each in paths.values() for version in each).text
            use = StructUseRecord(message.name, message.api, versions, tuple(paths))
            uses.setdefault(own[name], []).append(use)
    if not structs:
        return None
    slugs: dict[str, int] = {}
    records = []
    for key, struct in sorted(structs.items()):
        slug = slug_of(struct.name)
        slugs[slug] = slugs.get(slug, 0) + 1
        records.append(
            StructRecord(
                name=struct.name,
                slug=slug if slugs[slug] == 1 else f"{slug}-{slugs[slug]}",
                path=struct.path,
                versions=str(struct.versions),
                fields=tuple(_fields(struct.fields, 0)),
                used_by=tuple(uses.get(key, ())),
            )
        )
    return StructRecords(tuple(records))


def _fields(fields: Iterable[Field], depth: int) -> Iterator[StructFieldRecord]:
    for field in fields:
        tag = "" if field.tag is None else f"{field.tag} ({field.tagged_versions})"
        yield StructFieldRecord(
            field.name,
            depth,
            field.type,
            _range(field.present),
            _range(field.nullable_versions),
            tag,
            field.about,
            listed_values(field),
        )
        yield from _fields(field.fields or (), depth + 1)


def _range(versions: Versions) -> str:
    return str(versions) if versions else ""
