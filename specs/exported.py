"""A layout as `wirebook export` prints it: without its spec, convertible from JSON."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

from wirebook.specs.json_records import from_json, to_json
from wirebook.specs.model import Json
from wirebook.specs.numbers import FieldValue


class ExportedField(NamedTuple):
    """A field of a layout; LayoutField documents its attributes. `values` are those that its spec
    lists."""

    name: str
    path: str
    type: str
    element: str | None
    spec_type: str
    nullable: bool
    tag: int | None
    default: Json
    ignorable: bool
    entity_type: str | None
    map_key: bool
    about: str
    fields: tuple[ExportedField, ...] | None
    values: tuple[FieldValue, ...] = ()

    def walk(self) -> Iterator[ExportedField]:
        """This field and all below it, in wire order."""
        yield self
        for inner in self.fields or ():
            yield from inner.walk()

    @classmethod
    def from_json(cls, document: Mapping[str, Any]) -> ExportedField:
        """Parse an entry of `fields`. Raises KeyError or TypeError for another."""
        inner = document["fields"]
        fields = None if inner is None else tuple(cls.from_json(each) for each in inner)
        values = from_json(tuple[FieldValue, ...], document.get("values", ()))
        return cls(**{"element": None, **document, "fields": fields, "values": values})

    def to_json(self) -> dict[str, Any]:
        """The entry of `fields`; only arrays have `element`, and only fields that list values
        `values`."""
        document = self._asdict()
        document["fields"], document["values"] = to_json(self.fields), to_json(self.values)
        for optional in ("element", "values"):
            if not document[optional]:
                del document[optional]
        return document


@dataclass(frozen=True, slots=True)
class ExportedLayout:
    """A message at one version; Layout documents its attributes."""

    message: str
    type: str
    api_key: int | None
    api: str
    version: int
    flexible: bool
    header_version: int | None
    unstable: bool
    deprecated: bool
    fields: tuple[ExportedField, ...]

    SCHEMA: ClassVar = "wirebook/layout/1"

    def walk(self) -> Iterator[ExportedField]:
        """Every field, in wire order."""
        for item in self.fields:
            yield from item.walk()
