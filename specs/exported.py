"""A layout as `wirebook export` prints it (wirebook/layout/1): without its spec, convertible from
JSON."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from wirebook.specs.json_records import from_json, to_json
from wirebook.specs.model import Json
from wirebook.specs.numbers import NO_VALUES, FieldValue, FieldValues


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
    values: FieldValues = NO_VALUES

    def walk(self) -> Iterator[ExportedField]:
        """This field and all below it, in wire order."""
        yield self
        for inner in self.fields or ():
            yield from inner.walk()

    @classmethod
    def from_json(cls, document: Mapping[str, Any]) -> ExportedField:
        """Parse an entry of `fields`. Raises KeyError if it lacks a key."""
        inner = document["fields"]
        values = {"element": None, **document}
        values["fields"] = None if inner is None else tuple(cls.from_json(item) for item in inner)
        listed = (from_json(FieldValue, each) for each in document.get("values", ()))
        values["values"] = FieldValues(tuple(listed))
        return cls(*(values[name] for name in cls._fields))

    def to_json(self) -> dict[str, Any]:
        """The entry of `fields`; only arrays have `element`, and only fields that list values
        `values`."""
        document = self._asdict()
        if self.element is None:
            del document["element"]
        del document["values"]
        if self.values.listed:
            document["values"] = [to_json(each) for each in self.values.listed]
        document["fields"] = (
            None if self.fields is None else [field.to_json() for field in self.fields]
        )
        return document


class ExportedLayout(NamedTuple):
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

    def walk(self) -> Iterator[ExportedField]:
        """Every field, in wire order."""
        for item in self.fields:
            yield from item.walk()

    @classmethod
    def from_json(cls, document: Mapping[str, Any]) -> ExportedLayout:
        """Parse a document. Raises KeyError if it lacks a key."""
        fields = tuple(ExportedField.from_json(item) for item in document["fields"])
        return cls(**{name: document[name] for name in cls._fields} | {"fields": fields})

    def to_json(self) -> dict[str, Any]:
        """The document."""
        fields = [field.to_json() for field in self.fields]
        return {"schema": "wirebook/layout/1", **self._asdict(), "fields": fields}
