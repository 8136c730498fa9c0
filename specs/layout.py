"""A message at one version, resolved to its exact wire layout: all else is a view of it."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from wirebook.specs.defaults import default_value, known_default
from wirebook.specs.json_records import from_json, to_json
from wirebook.specs.jsontext import SourcePositions
from wirebook.specs.limits import MAX_VERSIONS
from wirebook.specs.model import (
    NULLABLE_PRIMITIVES,
    PRIMITIVES,
    Field,
    FieldValue,
    Json,
    Message,
    SourceNode,
)
from wirebook.specs.versions import Versions

# What the JSON of a layout states of its version.
_OF_VERSION = ("version", "flexible", "header_version", "unstable", "deprecated")
NOWHERE = SourceNode(SourcePositions("", ""))  # of what was not read from a spec


class LayoutField(NamedTuple):
    """A field on the wire at one version.

    `path` joins the names from the top with dots. `type` is the wire type (Kafka's names),
    `element` that of an array's elements, "STRUCT" for structs; `fields` are the fields of the
    struct, in wire order, None for other types. `default` is the value of an absent field: a
    number, string or boolean, hex for bytes, 8-4-4-4-12 text for a uuid, [] for an array, {} for a
    struct of defaults, None for null. `values` are those that the spec lists for the version.
    """

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
    fields: tuple["LayoutField", ...] | None
    values: tuple[FieldValue, ...]
    field: Field

    @property
    def struct(self) -> str | None:
        """The name of the struct that the field or its elements contain, if any."""
        return None if self.fields is None else self.field.element

    def walk(self) -> "Iterator[LayoutField]":
        """This field and all fields below it, in wire order."""
        yield self
        for inner in self.fields or ():
            yield from inner.walk()

    def to_json(self) -> dict[str, Any]:
        """The entry of `fields`; an absent `element`, and no `values`, have no key."""
        document = self._asdict()
        del document["field"]
        document["fields"], document["values"] = to_json(self.fields), to_json(self.values)
        for optional in ("element", "values"):
            if not document[optional]:
                del document[optional]
        return document

    @classmethod
    def from_json(cls, document: Mapping[str, Any]) -> "LayoutField":
        """Parse an entry of `fields`, without its spec. Raises KeyError or TypeError."""
        inner = document["fields"]
        fields = None if inner is None else tuple(map(cls.from_json, inner))
        values = from_json(tuple[FieldValue, ...], document.get("values", ()))
        field = Field(NOWHERE, document["name"], document["spec_type"])
        known = {"element": None, **document, "fields": fields, "values": values}
        return cls(**known, field=field)


class Layout(NamedTuple):
    """A message at one version: the fields on the wire, in wire order.

    `header_version` is the version of the request or response header; None for other messages.
    """

    message: Message
    version: int
    flexible: bool
    header_version: int | None
    unstable: bool
    deprecated: bool
    fields: tuple[LayoutField, ...]

    @property
    def name(self) -> str:
        """The message's name."""
        return self.message.name

    @property
    def type(self) -> str:
        """The message's type."""
        return self.message.type

    @property
    def api_key(self) -> int | None:
        """The message's API key."""
        return self.message.api_key

    @property
    def api(self) -> str:
        """The name of the API."""
        return self.message.api

    def walk(self) -> Iterator[LayoutField]:
        """Every field at every depth, in wire order."""
        for field in self.fields:
            yield from field.walk()

    def to_json(self) -> dict[str, Any]:
        """The layout as `wirebook export` prints it (wirebook/layout/1): without its spec."""
        return {
            "schema": "wirebook/layout/1",
            "message": self.name,
            "type": self.type,
            "api_key": self.api_key,
            "api": self.api,
            **{key: getattr(self, key) for key in _OF_VERSION},
            "fields": to_json(self.fields),
        }

    @classmethod
    def from_json(cls, document: Mapping[str, Any]) -> "Layout":
        """Parse the output of `to_json`, without its spec. Raises KeyError or TypeError."""
        name, kind, key = (document[each] for each in ("message", "type", "api_key"))
        version = Versions(document["version"], document["version"])
        facts = {key: document[key] for key in _OF_VERSION}
        fields = tuple(map(LayoutField.from_json, document["fields"]))
        return cls(message=Message(NOWHERE, name, kind, version, key), fields=fields, **facts)


def layout(message: Message, version: int, *, opaque: bool = False) -> Layout:
    """Resolve the layout of `message` at `version`.

    If `opaque`, types that the format does not define are wire types of their own, named "?varint",
    and a default that does not fit is an UnfitDefault: such layouts can be compared, but no codec
    reads them.

    Raises InputError if that version is not valid, or if the spec has no layout for it: a field
    without a name, an unknown struct, one that contains itself, a tag missing or used twice, a
    default that does not fit.
    Source: KIP-482 and Kafka's MessageDataGenerator.
    """
    if version not in message.valid_versions:
        raise message.written.error(
            f"{message.name} has no version {version}; its valid versions are "
            f"{message.valid_versions}",
            "validVersions",
        )
    flexible = version in message.flexible_versions
    is_deprecated = any(
        entry.version == version and entry.deprecated and not entry.undeprecated
        for entry in message.history
    )
    resolver = _Resolver(message, version, flexible, opaque)
    return Layout(
        message=message,
        version=version,
        flexible=flexible,
        header_version=message.header_of(version),
        unstable=message.latest_version_unstable and version == message.valid_versions.highest,
        deprecated=version in message.deprecated_versions or is_deprecated,
        fields=resolver.fields(message.fields, "", ()),
    )


def layouts(message: Message) -> list[Layout]:
    """The layouts of all valid versions, in ascending order. Raises InputError like `layout`."""
    if len(message.valid_versions) > MAX_VERSIONS:
        count = len(message.valid_versions)
        words = f"{message.name} has {count} valid versions; up to {MAX_VERSIONS} are laid out"
        raise message.written.error(words, "validVersions")
    every = []
    before: dict[str, LayoutField] = {}
    for version in message.valid_versions:
        of = layout(message, version)
        # A field as in the version before is the same object: many versions would need much memory.
        fields = tuple(_same(each, before.get(each.path)) for each in of.fields)
        every.append(of._replace(fields=fields))
        before = {each.path: each for each in fields}
    return every


def _same(field: LayoutField, before: LayoutField | None) -> LayoutField:
    return before if before is not None and before == field else field


@dataclass(slots=True)
class _Resolver:
    """Resolves the fields of a message at a version, as `layout` does."""

    message: Message
    version: int
    flexible: bool
    opaque: bool

    def fields(
        self, fields: tuple[Field, ...], above: str, within: tuple[str, ...]
    ) -> tuple[LayoutField, ...]:
        """The fields of a struct that the version has; `within` are the structs around it."""
        version = self.version
        plain: list[LayoutField] = []
        tagged: dict[int, LayoutField] = {}
        for field in fields:
            present = field.present
            # Calls of `in` would take a tenth of a check, for each field in each version.
            if not present.lowest <= version <= present.highest:
                continue
            resolved = self._field(field, f"{above}{field.name}", within)
            if resolved.tag is None:
                plain.append(resolved)
                continue
            same = tagged.setdefault(resolved.tag, resolved)
            if same is not resolved:
                words = f"tag {resolved.tag} of {resolved.path} is already the tag of {same.path}"
                raise field.written.error(words, "tag")
        return (*plain, *(tagged[tag] for tag in sorted(tagged)))

    def _field(self, field: Field, path: str, within: tuple[str, ...]) -> LayoutField:
        if not field.name:
            raise field.written.error("a field has no name")
        version = self.version
        nullable = field.nullable_versions.lowest <= version <= field.nullable_versions.highest
        tag = self._tag(field, path)
        own = field.flexible_versions
        compact = self.flexible and (own is None or version in own)
        inner = None
        name = field.element
        if name not in PRIMITIVES:
            inner = self._inner(field, path, within)
        is_never_null = (
            not field.is_array and inner is None and field.type not in NULLABLE_PRIMITIVES
        )
        if nullable and is_never_null and not self.opaque:
            words = f"{path} is of type {field.type}, which is never null"
            raise field.written.error(words, "nullableVersions")
        kind = "struct" if inner is not None else name if name in PRIMITIVES else f"?{name}"
        return LayoutField(
            name=field.name,
            path=path,
            type=wire_type("array" if field.is_array else kind, compact, nullable),
            element=wire_type(kind, compact, False) if field.is_array else None,
            spec_type=field.type,
            nullable=nullable,
            tag=tag,
            default=self._default(field, path),
            ignorable=field.ignorable,
            entity_type=field.entity_type,
            map_key=field.map_key,
            about=self.message.about(field, path, version),
            fields=inner,
            values=tuple(value for value in field.values if version in value.versions),
            field=field,
        )

    def _tag(self, field: Field, path: str) -> int | None:
        if not field.tagged_versions.lowest <= self.version <= field.tagged_versions.highest:
            return None
        if field.tag is None:
            raise field.written.error(f"{path} has taggedVersions but no tag")
        if not self.flexible:
            words = f"{path} is tagged in version {self.version}, which is not flexible"
            raise field.written.error(words, "taggedVersions")
        return field.tag

    def _inner(
        self, field: Field, path: str, within: tuple[str, ...]
    ) -> tuple[LayoutField, ...] | None:
        """The fields of the struct in a field; None for an unknown type, if layouts are opaque."""
        name = field.element
        inner = self.message.fields_of(field)
        if name in within:
            words = f"the struct {name} of {path} contains itself"
        elif inner is not None:
            return self.fields(inner, f"{path}.", (*within, name))
        elif self.opaque:
            return None
        elif name.startswith("[]"):
            words = f"an array of arrays is the type of {path}"
        else:
            words = f"{name} is neither a type nor a struct here: the type of {path}"
        raise field.written.error(words, "type")

    def _default(self, field: Field, path: str) -> Json:
        if self.opaque:
            return known_default(field)
        try:
            return default_value(field)
        except ValueError as error:
            raise field.written.error(f"the default of {path} {error}", "default") from None


def wire_type(kind: str, compact: bool, nullable: bool) -> str:
    """The wire type for a type of a spec, "array" or "struct": "COMPACT_NULLABLE_STRING".

    The names are those of Kafka's documentation; `compact` lengths are those of flexible versions
    (KIP-482). "?varint" is the name of a type that the format does not define.
    """
    if kind == "struct":
        return "NULLABLE_STRUCT" if nullable else "STRUCT"
    if kind in ("string", "bytes", "records", "array"):
        return f"{'COMPACT_' if compact else ''}{'NULLABLE_' if nullable else ''}{kind.upper()}"
    if kind.startswith("?"):
        return f"{kind}?" if nullable else kind
    return "BOOLEAN" if kind == "bool" else kind.upper()
