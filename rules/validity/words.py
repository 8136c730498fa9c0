"""The names that a spec may use, and the nearest valid name to an invalid one."""

import re
from collections.abc import Iterator, Sequence

from wirebook.rules.parts import walk_fields
from wirebook.specs.keys import nearest
from wirebook.specs.model import PRIMITIVES, Field, Message, SourceNode

STRUCT_NAME = re.compile(r"[A-Z][A-Za-z0-9]*", re.ASCII)
FIELD_NAME = re.compile(r"[A-Za-z][A-Za-z0-9]*", re.ASCII)

# Names of the types in other languages and formats, in lower case.
_ALIASES = {
    "int": "int32", "integer": "int32", "long": "int64", "short": "int16", "byte": "int8",
    "char": "int8",
    "boolean": "bool", "float": "float64", "double": "float64", "str": "string", "text": "string",
    "unsigned": "uint32", "uint": "uint32", "ushort": "uint16", "bytearray": "bytes",
    "buffer": "bytes",
    "varchar": "string", "guid": "uuid", "uint8": "int16", "ubyte": "int16", "uint64": "int64",
    "ulong": "int64", "float16": "float64", "float32": "float64", "varint": "int32",
    "varlong": "int64",
    "timestamp": "int64",
}  # fmt: skip


def names_struct(field: Field) -> bool:
    """Whether the type of a field, or of its elements, looks like the name of a struct."""
    return STRUCT_NAME.fullmatch(field.element) is not None


def bad_names(message: Message) -> Iterator[tuple[str, str, SourceNode, str]]:
    """The names of a message, its common structs and its fields that are not CamelCase identifiers.

    Each comes with the kind of thing named, its node, and the path of that node.
    """
    if message.name and not STRUCT_NAME.fullmatch(message.name):
        yield "message", message.name, message.written, ""
    for struct in message.common_structs:
        if struct.name and not STRUCT_NAME.fullmatch(struct.name):
            yield "struct", struct.name, struct.written, struct.name
    for member in walk_fields(message):
        if member.field.name and not FIELD_NAME.fullmatch(member.field.name):
            yield "field", member.path, member.field.written, member.path


def primitive_meant(field: Field) -> str:
    """The primitive type that an unknown type probably means, by its name in other languages or in
    another case ("Int", "String"), as an array if it is one; "" if it resembles none.
    """
    plain = field.element.casefold().replace("_", "")
    primitive = plain if plain in PRIMITIVES else _ALIASES.get(plain, "")
    return f"[]{primitive}" if primitive and field.is_array else primitive


def one_of(word: str, choices: Sequence[str]) -> str:
    """What to write instead of an unknown name: the nearest known one, or all of them."""
    near = nearest(word, choices)
    return f'write "{near}"' if near else f"write one of {', '.join(choices)}"
