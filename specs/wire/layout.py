"""A message at one version, resolved to the exact wire layout, from which all other views are derived."""

import json
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

from wirebook.specs.digests import text_digest
from wirebook.specs.limits import MAX_VERSIONS
from wirebook.specs.model import NULLABLE_PRIMITIVES, PRIMITIVES, Field, Json, Message
from wirebook.specs.problems import InputError, Position
from wirebook.specs.wire.defaults import default_value

if TYPE_CHECKING:
    from wirebook.specs.wire.exported import ExportedField, ExportedLayout


class UnfitDefault(str):
    """The text of a default that its type does not allow: no value that could be compared."""

    __slots__ = ()


class LayoutField(NamedTuple):
    """A field on the wire at one version.

    `path` joins the names from the top with dots. `type` is the wire type (Kafka's names), `element` that of
    an array's elements, "STRUCT" for structs; `fields` are the fields of the struct, in wire order, None for
    other types. `default` is the value of an absent field: a number, string or boolean, hex for bytes,
    8-4-4-4-12 text for a uuid, [] for an array, {} for a struct of defaults, None for null.
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

    def exported(self, version: int) -> "ExportedField":
        """The field in a version, without its spec."""
        from wirebook.specs.values import listed_values
        from wirebook.specs.wire.exported import ExportedField

        fields = None
        if self.fields is not None:
            fields = tuple(field.exported(version) for field in self.fields)
        return ExportedField(*self[:-2], fields=fields, values=listed_values(self.field).at(version))


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

    def exported(self) -> "ExportedLayout":
        """The layout without its spec, as the documents of the catalog contain it."""
        from wirebook.specs.wire.exported import ExportedLayout

        return ExportedLayout(
            message=self.name,
            type=self.type,
            api_key=self.api_key,
            api=self.api,
            version=self.version,
            flexible=self.flexible,
            header_version=self.header_version,
            unstable=self.unstable,
            deprecated=self.deprecated,
            fields=tuple(field.exported(self.version) for field in self.fields),
        )

    def to_json(self) -> dict[str, Any]:
        """The layout as `wirebook export` prints it (wirebook/layout/1)."""
        return self.exported().to_json()

    @property
    def fingerprint(self) -> str:
        """32 hex digits that change if, and only if, bytes or their meaning to a reader change.

        Names are not on the wire and do not count; nor do structs as such: without a null marker or tagged
        section, a struct has the same bytes as its fields. Records are bytes. The default of a tagged field
        counts, because it is the value of an absent one. One layout does not show whether two fields of the
        same type swapped places or names: the rules compare a pair of messages.
        """
        return text_digest(self.grammar, 32)

    @property
    def wire(self) -> str:
        """The layout of the bytes as text: `grammar` without the message's type, key and version."""
        return json.dumps([self.header_version, *_grammar(self)], separators=(",", ":"), sort_keys=True)

    @property
    def grammar(self) -> str:
        """The text whose digest is the fingerprint; comparing texts is cheaper than computing two digests."""
        parts = [self.type, self.api_key, self.version, self.header_version, *_grammar(self)]
        return json.dumps(parts, separators=(",", ":"), sort_keys=True)


def layout(message: Message, version: int, *, opaque: bool = False) -> Layout:
    """Resolve the layout of `message` at `version`.

    If `opaque`, types that the format does not define are wire types of their own, named "?varint", and a
    default that does not fit is an UnfitDefault: such layouts can be compared, but no codec reads them.

    Raises InputError if that version is not valid, or if the spec has no layout for it: an unknown struct,
    one that contains itself, a tag missing or used twice, a default that does not fit. Source: KIP-482 and
    Kafka's MessageDataGenerator.
    """
    return Layouts(message, opaque=opaque).at(version)


def layouts(message: Message) -> list[Layout]:
    """The layouts of all valid versions, in ascending order. Raises InputError like `layout`."""
    if len(message.valid_versions) > MAX_VERSIONS:
        count = len(message.valid_versions)
        raise InputError(
            f"{message.name} has {count} valid versions; up to {MAX_VERSIONS} are laid out",
            message.path or None,
            message.written.at("validVersions"),
        )
    every = Layouts(message)
    return [every.at(version) for version in message.valid_versions]


class Layouts:
    """Resolves the versions of one message, as `layout` does.

    A field that is no struct is one object in all versions in which it is the same on the wire.
    """

    def __init__(self, message: Message, *, opaque: bool = False) -> None:
        self.message = message
        self.opaque = opaque
        self.leaves: dict[_Leaf, LayoutField] = {}
        self.ranges: dict[int, _Ranges] = {}

    def at(self, version: int) -> Layout:
        """The layout of a version. Raises InputError like `layout`."""
        message = self.message
        if version not in message.valid_versions:
            raise InputError(
                f"{message.name} has no version {version}; its valid versions are {message.valid_versions}",
                message.path or None,
                message.written.at("validVersions") if message.path else None,
            )
        flexible = version in message.flexible_versions
        entry = next((entry for entry in message.history if entry.version == version), None)
        resolver = _Resolver(message, version, flexible, self.opaque, self.leaves, self.ranges)
        return Layout(
            message=message,
            version=version,
            flexible=flexible,
            header_version=message.header_of(version),
            unstable=message.latest_version_unstable and version == message.valid_versions.highest,
            deprecated=version in message.deprecated_versions
            or (entry is not None and entry.deprecated is not None and entry.undeprecated is None),
            fields=resolver.fields(message.fields, "", ()),
        )


# What a field that is no struct depends on: its declaration, path, text, tag, null and lengths.
_Leaf = tuple[int, str, str, int | None, bool, bool]

# The fields of a struct, each with its lowest and highest version.
_Ranges = list[tuple[int, int, Field]]


class _Resolver:
    """Resolves the fields of one message at one version."""

    def __init__(
        self,
        message: Message,
        version: int,
        flexible: bool,
        opaque: bool,
        leaves: dict[_Leaf, LayoutField],
        ranges: dict[int, _Ranges],
    ) -> None:
        self.message = message
        self.version = version
        self.flexible = flexible
        self.opaque = opaque
        self.leaves = leaves
        self.ranges = ranges

    def fail(self, text: str, at: Position) -> InputError:
        return InputError(text, self.message.path or None, at if self.message.path else None)

    def fields(
        self, fields: tuple[Field, ...], above: str, within: tuple[str, ...]
    ) -> tuple[LayoutField, ...]:
        plain: list[LayoutField] = []
        tagged: dict[int, LayoutField] = {}
        version = self.version
        ranges = self.ranges.get(id(fields))
        if ranges is None:
            ranges = [(field.present.lowest, field.present.highest, field) for field in fields]
            self.ranges[id(fields)] = ranges
        for lowest, highest, field in ranges:
            if not lowest <= version <= highest:
                continue
            resolved = self.field(field, above, within)
            if resolved.tag is None:
                plain.append(resolved)
            elif resolved.tag in tagged:
                raise self.fail(
                    f"tag {resolved.tag} of {resolved.path} is already the tag of "
                    f"{tagged[resolved.tag].path}",
                    field.written.at("tag"),
                )
            else:
                tagged[resolved.tag] = resolved
        return (*plain, *(tagged[tag] for tag in sorted(tagged)))

    def field(self, field: Field, above: str, within: tuple[str, ...]) -> LayoutField:
        path = f"{above}.{field.name}" if above else field.name
        version, nullables, tags = self.version, field.nullable_versions, field.tagged_versions
        # A check resolves each field in each version: calls of `in` would take a tenth of its time.
        nullable = nullables.lowest <= version <= nullables.highest
        tag = None
        if tags.lowest <= version <= tags.highest:
            tag = field.tag
            if tag is None:
                raise self.fail(f"{path} has taggedVersions but no tag", field.written.position)
            if not self.flexible:
                raise self.fail(
                    f"{path} is tagged in version {self.version}, which is not flexible",
                    field.written.at("taggedVersions"),
                )
        own = field.flexible_versions
        compact = self.flexible if own is None else self.flexible and self.version in own
        about = self.message.about(field, path, self.version)
        leaf = (id(field), path, about, tag, nullable, compact)
        leaf_field = self.leaves.get(leaf)
        if leaf_field is not None:
            return leaf_field
        inner = self.inner(field, path, within)
        is_null_alien = not field.is_array and inner is None and field.type not in NULLABLE_PRIMITIVES
        if nullable and is_null_alien and not self.opaque:
            raise self.fail(
                f"{path} is of type {field.type}, which is never null", field.written.at("nullableVersions")
            )
        kind = "struct" if inner is not None else field.element
        if inner is None and kind not in PRIMITIVES:
            kind = f"?{kind}"
        element = wire_type(kind, compact, False) if field.is_array else None
        resolved = LayoutField(
            name=field.name,
            path=path,
            type=wire_type("array" if field.is_array else kind, compact, nullable),
            element=element,
            spec_type=field.type,
            nullable=nullable,
            tag=tag,
            default=self.default(field, path),
            ignorable=field.ignorable,
            entity_type=field.entity_type,
            map_key=field.map_key,
            about=about,
            fields=inner,
            field=field,
        )
        if inner is None:
            self.leaves[leaf] = resolved
        return resolved

    def inner(self, field: Field, path: str, within: tuple[str, ...]) -> tuple[LayoutField, ...] | None:
        name = field.element
        if name in PRIMITIVES:
            return None
        if name in within:
            raise self.fail(f"the struct {name} of {path} contains itself", field.written.at("type"))
        inner = self.message.fields_of(field)
        if inner is None and self.opaque:
            return None
        if inner is None:
            what = (
                "an array of arrays is"
                if name.startswith("[]")
                else f"{name} is neither a type nor a struct here:"
            )
            raise self.fail(f"{what} the type of {path}", field.written.at("type"))
        return self.fields(inner, path, (*within, name))

    def default(self, field: Field, path: str) -> Json:
        try:
            return default_value(field)
        except ValueError as error:
            if self.opaque:
                return UnfitDefault(field.default)
            raise self.fail(f"the default of {path} {error}", field.written.at("default")) from None


def wire_type(kind: str, compact: bool, nullable: bool) -> str:
    """The wire type at one version for a type of a spec, "array" or "struct": "COMPACT_NULLABLE_STRING".

    The names are those of Kafka's documentation; `compact` lengths are those of flexible versions (KIP-482).
    "?varint" is the name of a type that the format does not define.
    """
    if kind == "struct":
        return "NULLABLE_STRUCT" if nullable else "STRUCT"
    if kind in ("string", "bytes", "records", "array"):
        return f"{'COMPACT_' if compact else ''}{'NULLABLE_' if nullable else ''}{kind.upper()}"
    if kind.startswith("?"):
        return f"{kind}?" if nullable else kind
    return "BOOLEAN" if kind == "bool" else kind.upper()


def _grammar(layout: Layout) -> list[Any]:
    return _items(layout.fields, layout.flexible)


def _items(fields: tuple[LayoutField, ...], flexible: bool) -> list[Any]:
    """The items in reading order, with structs that have no null marker or tagged section inlined."""
    items: list[Any] = []
    tagged: list[Any] = []
    for field in fields:
        steps = _steps(field, flexible)
        if field.tag is None:
            items += steps
        else:
            tagged.append([field.tag, field.default, steps])
    return [*items, ["tags", tagged]] if flexible else items


def _steps(field: LayoutField, flexible: bool) -> list[Any]:
    inner = [] if field.fields is None else _items(field.fields, flexible)
    if field.element is not None:
        return [[field.type, inner if field.fields is not None else [_bytes_alike(field.element)]]]
    if field.fields is None:
        return [_bytes_alike(field.type)]
    return [[field.type, inner]] if field.nullable else inner


def _bytes_alike(wire_type: str) -> str:
    return wire_type.replace("RECORDS", "BYTES")
