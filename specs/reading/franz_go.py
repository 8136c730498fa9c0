"""Reads definitions of franz-go (generate/definitions/*) as messages.

The language describes the bytes of requests and responses, and their names in Go. It cannot express the
following, which the messages lack:

- the lowest valid version: all versions from 0 to "max version" are valid;
- listeners, versions that are unstable or deprecated, headers, and flexible versions of a field;
- `ignorable`, `mapKey`, `entityType`, records (they are bytes), and the meaning of the values of an enum;
- headers, records of the metadata log and data of a topic: their structs ("not top level") have no key and no
  highest version. They are read only if a request or a response refers to them.

Names are franz-go's own ("TopicID" for "TopicId"), so only positions and tags identify fields. Constructs
that no message can represent (varint lengths, lengths taken from another field, arrays of arrays) are errors
if a request or response uses them. A field without versions has those of its struct; a tagged field has those
in which its message is flexible. A tagged field of a nullable type without a default is null by default.
Source: generate/README.md and generate/parse.go of github.com/twmb/franz-go.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping

from wirebook.specs.limits import MAX_FIELDS, MAX_STRUCT_DEPTH
from wirebook.specs.model import NULLABLE_PRIMITIVES, PRIMITIVES, Field, Json, Message, SourceNode, Struct
from wirebook.specs.problems import InputError
from wirebook.specs.profile import Profile
from wirebook.specs.reading.discovery import SpecText
from wirebook.specs.reading.franz_syntax import (
    DefinitionFile,
    Enum,
    FieldLine,
    FranzDefinition,
    read_definitions,
)
from wirebook.specs.reading.size import refuse_too_large
from wirebook.specs.syntax.jsontext import JsonObject, SourcePositions
from wirebook.specs.versions import MAX_VERSION, Versions

_ARRAY = re.compile(r"(varint|nullable(?:-v(\d{1,5})\+)?)?\[([^][]+)\](?:\(([^()]*)\))?", re.ASCII)
_SCALAR = re.compile(r"(nullable-)?([\w-]+?)(?:-v(\d{1,5})\+)?(?:\(([^()]*)\))?", re.ASCII)
_STRUCT = re.compile(r"(nullable)?=>(\w*)", re.ASCII)
_UNSAID = ("varint", "varlong", "varint-string", "varint-bytes")


def read_franz_go(texts: Iterable[SpecText], profile: Profile) -> Iterator[Message]:
    """Read the requests and responses of the files of a source, which share enums and structs.

    Raises InputError, with line and column, for a file that is not in the language, for a name that is
    defined twice or not at all, and for a request or response that the model cannot represent.
    """
    files = [read_definitions(text.text, text.path) for text in texts]
    names = _Names(files)
    for file in files:
        for definition in file.definitions:
            if definition.kind != "struct":
                yield _Builder(names, file, definition, profile).message()


class _Names:
    """The enums and the structs of all files, by name."""

    def __init__(self, files: Iterable[DefinitionFile]) -> None:
        self.enums: dict[str, Enum] = {}
        self.structs: dict[str, tuple[DefinitionFile, FranzDefinition]] = {}
        names: set[str] = set()
        for file in files:
            placed = [(enum.offset, enum.name) for enum in file.enums]
            placed += [(definition.offset, definition.name) for definition in file.definitions]
            for offset, name in placed:
                if name in names:
                    raise InputError(f"{name} is defined before", file.path, file.lines.position(offset))
                names.add(name)
            self.enums |= {enum.name: enum for enum in file.enums}
            self.structs |= {
                definition.name: (file, definition)
                for definition in file.definitions
                if definition.kind == "struct"
            }


class _Positions(SourcePositions):
    """The positions of the nodes of a message, which are not JSON objects."""

    __slots__ = ()

    def __reduce__(self) -> tuple[type[_Positions], tuple[str, list[JsonObject] | None]]:
        return (_Positions, (self.text, self._objects))


class _Builder:
    """Builds a message of a file."""

    def __init__(
        self, names: _Names, file: DefinitionFile, definition: FranzDefinition, profile: Profile
    ) -> None:
        self.names = names
        self.file = file
        self.definition = definition
        self.profile = profile
        self.objects: list[JsonObject] = []
        self.positions = _Positions(file.lines.text, self.objects)
        self.valid = Versions(0, definition.highest)
        first = definition.flexible
        self.flexible = Versions.NONE if first is None else Versions(first, MAX_VERSION)
        self.common: dict[str, Struct | None] = {}
        # The position of nodes in a struct from another file: that of the field that refers to it.
        self.outside: int | None = None

    def message(self) -> Message:
        definition = self.definition
        keys = ("name", "type", "apiKey", "validVersions", "flexibleVersions")
        written = self.node(definition.offset, dict.fromkeys(keys, definition.offset))
        fields = self.fields(self.file, definition.fields, definition.name, Versions.ALL)
        message = Message(
            name=definition.name,
            type=definition.kind,
            valid_versions=self.valid,
            written=written,
            api_key=definition.key,
            flexible_versions=self.flexible,
            fields=fields,
            common_structs=tuple(struct for struct in self.common.values() if struct is not None),
            path=self.file.path,
            profile=self.profile,
        )
        refuse_too_large(message)
        return message

    def node(self, offset: int, values: Mapping[str, int]) -> SourceNode:
        node_object = JsonObject(offset if self.outside is None else self.outside)
        node_object.number = len(self.objects)
        for key, at in values.items():
            node_object.keys_at[key] = node_object.values_at[key] = (
                at if self.outside is None else self.outside
            )
        self.objects.append(node_object)
        return SourceNode(self.positions, node_object.number, tuple(values))

    def fields(
        self, file: DefinitionFile, lines: Iterable[FieldLine], above: str, versions: Versions
    ) -> tuple[Field, ...]:
        fields: list[Field] = []
        names: set[str] = set()
        for line in lines:
            if line.name in names:
                raise self.fail(file, f"{line.name} is in this struct twice", line.offset)
            if len(self.objects) > MAX_FIELDS:
                raise self.fail(file, f"this message has more than {MAX_FIELDS:,} fields", line.offset)
            names.add(line.name)
            fields.append(self.field(file, line, above, versions))
        return tuple(fields)

    def field(self, file: DefinitionFile, line: FieldLine, above: str, versions: Versions) -> Field:
        present = versions if line.versions is None else line.versions & versions
        tagged = Versions.NONE if line.tag is None else present & self.flexible
        if line.tag is not None and not tagged:
            raise self.fail(file, f"{line.name} is tagged, and no version of it is flexible", line.offset)
        if line.tag is not None:
            present = tagged
        places = {"name": line.offset} | dict.fromkeys(("type", "default", "nullableVersions"), line.type_at)
        end = line.type_at + len(line.type)
        places |= dict.fromkeys(("versions", "taggedVersions", "tag"), min(end, len(file.lines.text)))
        written = self.node(line.offset, places)
        kind, nullable, default, fields = self.type(file, line, above, present)
        if default is None and line.tag is not None and nullable and nullable.covers(present):
            default = "null"
        return Field(
            name=line.name,
            type=kind,
            written=written,
            versions=present,
            nullable_versions=nullable,
            tagged_versions=tagged,
            tag=line.tag,
            default=default,
            has_default=default is not None,
            about=line.comment,
            fields=fields,
        )

    def type(
        self, file: DefinitionFile, line: FieldLine, above: str, present: Versions
    ) -> tuple[str, Versions, Json, tuple[Field, ...] | None]:
        """Resolve a field's type, the versions in which it is nullable, its default, and its own fields."""
        if match := _ARRAY.fullmatch(line.type):
            if match[1] == "varint":
                raise self.fail(file, "no message can hold an array with a varint length", line.type_at)
            nullable = Versions(int(match[2] or 0), MAX_VERSION) & present if match[1] else Versions.NONE
            at = line.type_at + match.start(3)
            if match[3].startswith("=>"):
                name = above + (match[3][2:] or _singular(line.name))
                fields = self.fields(file, line.fields, name, present)
                return f"[]{name}", nullable, match[4], fields
            return f"[]{self.named(file, match[3], at)}", nullable, match[4], None
        if match := _STRUCT.fullmatch(line.type):
            nullable = present if match[1] else Versions.NONE
            name = above + (match[2] or line.name)
            return name, nullable, None, self.fields(file, line.fields, name, present)
        match = _SCALAR.fullmatch(line.type)
        if match is None or (match[3] and not match[1]):
            words = "no message can hold a field of this type" if "length-field" in line.type else ""
            raise self.fail(file, words or f'"{line.type[:40]}" is not a type', line.type_at)
        kind = self.named(file, match[2], line.type_at + match.start(2))
        nullable = Versions(int(match[3] or 0), MAX_VERSION) & present if match[1] else Versions.NONE
        if match[1] and kind not in NULLABLE_PRIMITIVES and kind in PRIMITIVES:
            raise self.fail(file, f"a field of type {kind} is never null", line.type_at)
        return kind, nullable, match[4], None

    def named(self, file: DefinitionFile, name: str, at: int) -> str:
        """Resolve the name of a type; a struct is added to the message."""
        if name in PRIMITIVES and name != "records":
            return name
        if name.startswith("enum-"):
            enum = self.names.enums.get(name.removeprefix("enum-"))
            if enum is None:
                raise self.fail(file, f"there is no enum {name.removeprefix('enum-')[:40]}", at)
            if enum.type not in PRIMITIVES:
                raise self.fail(file, f"the enum {enum.name} is not of a type of numbers", at)
            return enum.type
        if name in _UNSAID:
            raise self.fail(file, f"no message can hold a field of type {name}", at)
        if name not in self.names.structs:
            raise self.fail(file, f'there is no type "{name[:40]}"', at)
        if name not in self.common:
            self.add(file, name, at)
        elif self.common[name] is None:
            raise self.fail(file, f"the struct {name} contains itself", at)
        return name

    def add(self, file: DefinitionFile, name: str, at: int) -> None:
        origin, definition = self.names.structs[name]
        own = definition.flexible
        first = MAX_VERSION if own is None else own
        mine = self.definition.flexible
        if (Versions(first, MAX_VERSION) & self.valid) != (self.flexible & self.valid):
            words = "in no version" if own is None else f"from version {own} on"
            other = "in none" if mine is None else f"from version {mine} on"
            raise self.fail(
                file, f"{name} is flexible {words}, and {self.definition.name}, which uses it, {other}", at
            )
        self.common[name] = None
        if sum(struct is None for struct in self.common.values()) > MAX_STRUCT_DEPTH:
            raise self.fail(file, f"structs are nested more than {MAX_STRUCT_DEPTH} deep", at)
        before = self.outside
        if origin.path != self.file.path and before is None:
            self.outside = at
        written = self.node(definition.offset, {"name": definition.offset, "versions": definition.offset})
        fields = self.fields(origin, definition.fields, name, Versions.ALL)
        self.outside = before
        self.common[name] = Struct(written, name, self.valid, fields)

    def fail(self, file: DefinitionFile, message: str, offset: int) -> InputError:
        return InputError(message, file.path, file.lines.position(offset))


def _singular(name: str) -> str:
    """The singular that franz-go uses for the elements of an array: the name without its plural ending."""
    if name.endswith("us"):
        return name
    if name.endswith("ies"):
        return f"{name[:-3]}y"
    return name.removesuffix(
        "es" if name.endswith(("ches", "shes", "sses", "xes", "zes")) else "s" if name.endswith("s") else ""
    )
