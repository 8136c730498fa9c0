"""A protocol as its specs write it: Message, Field, Struct, Protocol; nothing is resolved here."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple, final

from wirebook.specs.json_records import omitted, unwritten
from wirebook.specs.jsontext import SourcePositions, paragraphs
from wirebook.specs.problems import InputError, Place, Problem
from wirebook.specs.profile import HALVES, HEADERS, NEUTRAL, HeaderRange, Profile
from wirebook.specs.versions import Versions

# A JSON value as read: str, int, float, bool, None, dict or list.
Json = object
# The value of a message, or of another object on the wire.
MessageValue = dict[str, Json]
# The type of a message with its API key, or with its name: see `Message.identity`.
Identity = tuple[str, int | str]

MESSAGE_TYPES = (
    "request",
    "response",
    "header",
    "data",
    "metadata",
    "coordinator-key",
    "coordinator-value",
)
PRIMITIVES = ("bool", "int8", "int16", "uint16", "int32", "uint32", "int64", "float64", "uuid",
              "string", "bytes", "records")  # fmt: skip
_PRIMITIVES = frozenset(PRIMITIVES)
NULLABLE_PRIMITIVES = ("string", "bytes", "records")
# What an entry of a history may state about its version, each with a protocol level or a release.
STANDING = ("added", "unstable", "stable", "deprecated", "undeprecated", "removed", "returned")


_NOTHING: Mapping[str, Any] = {}


class SourceNode(NamedTuple):
    """What every node of a spec keeps from its text.

    `order` increases from one node of a struct to the next; `keys` are those that are present,
    `unknown` those that the format does not have. Positions and comments are looked up on demand.
    """

    lines: SourcePositions
    order: int = 0
    keys: tuple[str, ...] = ()
    unknown: Mapping[str, Json] = _NOTHING

    @property
    def offset(self) -> int:
        """The offset of the node's object."""
        return self.lines.object(self.order).offset

    @property
    def offsets(self) -> Mapping[str | int, int]:
        """The offset of the value of each key."""
        return self.lines.object(self.order).values_at

    @property
    def comments(self) -> tuple[str, ...]:
        """The comments that belong to it, one paragraph each, without the slashes."""
        return paragraphs(self.lines.object(self.order).comments)

    def at(self, key: str = "") -> Place:
        """The place of the value of `key`, or that of the node if the key is absent."""
        return self.lines.place(self.offsets.get(key, self.offset))

    def error(self, words: str, key: str = "") -> InputError:
        """The error for something there."""
        return InputError.at(self.at(key), words)


@final
@dataclass(frozen=True)
class FieldValue:
    """A number that a field may have, or a bit of it; comparisons ignore its meaning and its place.

    For a flag, `bit` is its bit, counted from 0, and `value` has only that bit set. `deprecated`
    are versions in which it should not be used any more. `since`, `deprecated_since` and
    `removed_in` are the snapshots that show this first, "" if unknown; `since` is also "" for a
    value that is as old as its field. `releases` are those whose servers know it, in words; "" for
    all. `written` is its entry in the spec or table that lists it.
    """

    value: int
    name: str
    meaning: str = field(compare=False)
    versions: Versions
    bit: int | None = omitted(None)
    deprecated: Versions = omitted(Versions.NONE)  # noqa: RUF009 - it is frozen
    former_names: tuple[str, ...] = omitted(())
    since: str = omitted("")
    deprecated_since: str = omitted("")
    removed_in: str = omitted("")
    releases: str = omitted("")
    written: SourceNode | None = unwritten(None)

    @property
    def place(self) -> Place | None:
        """Where its name begins and ends in the text."""
        return None if self.written is None else self.written.at("name")

    @property
    def words(self) -> str:
        """What sentences call it: "3", or "bit 3"."""
        return str(self.value) if self.bit is None else f"bit {self.bit}"


class FieldValues(NamedTuple):
    """The numbers of a field that have a meaning, and the meaning of all others, if described."""

    listed: tuple[FieldValue, ...] = ()
    others: str = ""

    def at(self, version: int) -> "FieldValues":
        """The values that a version defines."""
        return self._replace(listed=tuple(item for item in self.listed if version in item.versions))

    def name_of(self, number: int, bits: int = 64) -> str:
        """The name of a number, or of the flags that are set in one of this many bits, or "".

        Set bits without a name come last, by their numbers.
        """
        names = {each.value: each.name for each in self.listed}
        if not any(each.bit is not None for each in self.listed):
            return names.get(number, "")
        set_bits = [bit for bit in range(bits) if number >> bit & 1]
        unknown = [str(bit) for bit in set_bits if 1 << bit not in names]
        words = [names[1 << bit] for bit in set_bits if 1 << bit in names]
        if unknown:
            words.append(f"unknown bit{'s' if unknown[1:] else ''} {', '.join(unknown)}")
        return ", ".join(words)


NO_VALUES = FieldValues()
# The values of fields by the path of the field, and these by the name of the message.
ValuesByField = Mapping[str, FieldValues]
TableValues = Mapping[str, ValuesByField]


@final
@dataclass(frozen=True, repr=False)
class Field:
    """A field of a message or struct, as written; comparisons ignore positions and texts.

    `type` is the text of the spec ("int32", "[]FetchTopic"); `versions` is None if the key is
    absent (a tagged field then has its `tagged_versions`); `default` is the JSON value and
    `has_default` whether there is one. JSON null there means no default, the text "null" means
    null. `values` has those of the key `values`, or the bits of the key `flags`.
    """

    written: SourceNode = field(compare=False)
    name: str
    type: str
    versions: Versions | None = None
    nullable_versions: Versions = Versions.NONE
    tagged_versions: Versions = Versions.NONE
    flexible_versions: Versions | None = None
    tag: int | None = None
    default: Json = None
    has_default: bool = False
    ignorable: bool = False
    map_key: bool = False
    zero_copy: bool = False
    entity_type: str | None = None
    about: str = field(default="", compare=False)
    fields: tuple["Field", ...] | None = None
    values: tuple[FieldValue, ...] = ()

    @property
    def present(self) -> Versions:
        """The versions of the field, or else its tagged versions, as in Kafka's generator."""
        return self.tagged_versions if self.versions is None else self.versions

    @property
    def is_array(self) -> bool:
        """Whether the type is an array."""
        return self.type.startswith("[]")

    @property
    def element(self) -> str:
        """The type without the array prefix."""
        return self.type.removeprefix("[]")

    @property
    def is_struct(self) -> bool:
        """Whether the type, or the type of the elements, is a struct."""
        return self.type.removeprefix("[]") not in _PRIMITIVES

    def is_struct_like(self, other: "Field") -> bool:
        """Whether both are structs, or arrays of structs; their names are not on the wire."""
        return self.is_struct and other.is_struct and self.is_array == other.is_array


@final
@dataclass(frozen=True, repr=False)
class Struct:
    """A struct of `commonStructs`, as written; `path` is the file that it is imported from, or "".

    The versions of an imported struct and its fields are those of the message.
    """

    written: SourceNode = field(compare=False)
    name: str
    versions: Versions
    fields: tuple[Field, ...] = ()
    deprecated_versions: Versions = Versions.NONE
    path: str = field(default="", compare=False)
    about: str = field(default="", compare=False)


@final
@dataclass(frozen=True, repr=False)
class HistoryEntry:
    """The history of one version: the protocol levels at which its state changed, and why.

    Every value but `about` is a `version` string of the ApiVersion registry, or a release if no
    level is known. A version with `unstable` is not offered by default until `stable`. `fields`
    are, by path, when fields joined the version after it was added, as tagged ones may.
    """

    written: SourceNode = field(compare=False)
    version: int
    added: str | None = None
    unstable: str | None = None
    stable: str | None = None
    deprecated: str | None = None
    undeprecated: str | None = None
    removed: str | None = None
    returned: str | None = None
    fields: Mapping[str, str] = field(default_factory=dict)
    about: str = ""


class FieldText(NamedTuple):
    """The description of a field in some of its versions."""

    versions: Versions
    text: str


class MessageTexts(NamedTuple):
    """The descriptions of the fields of a message, by path; at most one for each version.

    `values` has the meanings of a field's numbers, `replaced_by` the field that replaces another.
    """

    fields: Mapping[str, tuple[FieldText, ...]]
    replaced_by: Mapping[str, str] = _NOTHING
    values: Mapping[str, FieldValues] = _NOTHING

    def about(self, path: str, version: int) -> str:
        """The description of a field in a version; "" if there is none."""
        texts = self.fields.get(path, ())
        return next((item.text for item in texts if version in item.versions), "")

    def newest(self, path: str) -> str:
        """The description of the newest versions of a field; "" if there is none."""
        texts = self.fields.get(path, ())
        return max(texts, key=lambda item: item.versions.lowest).text if texts else ""


@final
@dataclass(frozen=True, repr=False)
class Message:
    """A spec file: a message with all its versions, as written. Comparisons ignore where it is
    written and what it is read with.

    `flexible_versions` is `Versions.NONE` if the key is absent, as before Kafka 2.4.
    `header_versions` is None if the key is absent: the header then follows from `flexible_versions`
    (KIP-1313). `path` is where the text came from. `problems` are the loose or invalid parts that
    the reader found. `purpose` is the description of the message, its key `about`. `lists_values`
    is whether any field, used or not, has values or flags. `profile` is that of the protocol;
    `texts` are the descriptions of its fields that are kept apart from the spec.
    """

    written: SourceNode = field(compare=False)
    name: str
    type: str
    valid_versions: Versions
    api_key: int | None = None
    flexible_versions: Versions = Versions.NONE
    deprecated_versions: Versions = Versions.NONE
    header_versions: tuple[HeaderRange, ...] | None = None
    listeners: tuple[str, ...] = ()
    latest_version_unstable: bool = False
    fields: tuple[Field, ...] = ()
    common_structs: tuple[Struct, ...] = ()
    history: tuple[HistoryEntry, ...] = ()
    path: str = field(default="", compare=False)
    purpose: str = field(default="", compare=False)
    problems: tuple[Problem, ...] = field(default=(), compare=False)
    lists_values: bool = field(default=False, compare=False)
    profile: Profile = field(default=NEUTRAL, compare=False)
    texts: MessageTexts | None = field(default=None, compare=False)

    def about(self, field: Field, path: str, version: int) -> str:
        """The description of a field in a version: from the separate texts, else from the spec."""
        return (self.texts.about(path, version) if self.texts is not None else "") or field.about

    @property
    def api(self) -> str:
        """The name of the API: that of a request or response without this ending."""
        ending = self.type.capitalize() if self.type in HALVES else ""
        return self.name if self.name == ending else self.name.removesuffix(ending)

    @property
    def negotiates_versions(self) -> bool:
        """Whether clients query the versions of all APIs with it."""
        api = self.profile.negotiation
        return api is not None and self.type in HALVES and self.api_key == api.api_key

    @property
    def identity(self) -> Identity:
        """What identifies the same message in another snapshot: its type with its API key, or its
        name: records of different logs may share keys."""
        key = self.api_key if self.type in HALVES else None
        return (self.type, self.name if key is None else key)

    def header_of(self, version: int) -> int | None:
        """The header version at a version; None for messages without a header.

        Without `headerVersions` (KIP-1313), flexible versions and the profile decide.
        """
        if self.type not in HEADERS:
            return None
        exceptions = self.profile.headers.exceptions_of(self.type, self.api_key)
        for versions, header in (*(self.header_versions or ()), *exceptions):
            if version in versions:
                return header
        return HEADERS[self.type][version in self.flexible_versions]

    @cached_property
    def headers(self) -> frozenset[int]:
        """The header versions of its valid versions; none for messages without a header."""
        versions = map(self.header_of, self.valid_versions)
        return frozenset(header for header in versions if header is not None)

    @cached_property
    def structs(self) -> Mapping[str, Struct]:
        """The structs of `commonStructs` by name, of several the first."""
        return {struct.name: struct for struct in reversed(self.common_structs)}

    def fields_of(self, field: Field) -> tuple[Field, ...] | None:
        """The fields, in all versions, of the struct in a field of this message or its elements.

        Fields written in the field itself take precedence over those of the common struct that its
        type names; an empty list in the field counts only if there is no such struct. None if the
        field contains no struct, or one that the message does not define. A struct may contain
        itself: callers that descend must keep track of it. Source: Kafka's StructRegistry.
        """
        if not field.is_struct:
            return None
        if not field.fields:
            struct = self.structs.get(field.element)
            if struct is not None:
                return struct.fields
        return field.fields

    def knows_type(self, field: Field) -> bool:
        """Whether the type of a field is a primitive, or a struct that the message defines."""
        return not field.is_struct or self.fields_of(field) is not None


@final
@dataclass(frozen=True, repr=False)
class Protocol:
    """One snapshot: the messages of a source, in the order of (type, API key, name)."""

    messages: tuple[Message, ...]

    @classmethod
    def of(cls, messages: Iterable[Message]) -> "Protocol":
        """A snapshot of these messages, in the order of all listings."""

        def order(each: Message) -> tuple[bool, int, str, str]:
            return each.api_key is None, each.api_key or 0, each.api, each.type

        return cls(tuple(sorted(messages, key=order)))

    def __iter__(self) -> Iterator[Message]:
        return iter(self.messages)

    def __len__(self) -> int:
        return len(self.messages)

    def find(self, name: str) -> Message | None:
        """The message with this name (`FetchRequest`), ignoring case."""
        return self._by_name.get(name.casefold())

    def api(self, name: str) -> tuple[Message, ...]:
        """The messages of an API, by its name or its key in digits; empty if there are none."""
        key, folded = int(name) if name.isdecimal() else None, name.casefold()
        return tuple(
            message
            for message in self.messages
            if message.type in HALVES
            and (message.api.casefold() == folded if key is None else message.api_key == key)
        )

    @cached_property
    def _by_name(self) -> Mapping[str, Message]:
        # Of two messages of a name, the first counts.
        return {message.name.casefold(): message for message in reversed(self.messages)}
