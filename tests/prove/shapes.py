"""What a version of a spec has on the wire, worked out anew from the JSON text: KIP-482 and Kafka's
README.

Nothing here comes from wirebook: two readings of one text that agree are evidence, one that agrees
with itself is none. `tests/prove/test_truth.py` keeps it so.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any, NamedTuple

Spec = dict[str, Any]
HIGHEST = 32767
WIDTHS = {
    "int8": 1,
    "int16": 2,
    "int32": 4,
    "int64": 8,
    "uint8": 1,
    "uint16": 2,
    "uint32": 4,
    "uint64": 8,
}
# What a type holds: records are bytes. A number and one of another sign are different values, as
# are text and bytes, though they may have the same bytes.
KINDS = {
    "bool": "bool",
    "float64": "float",
    "uuid": "uuid",
    "string": "string",
    "bytes": "bytes",
    "records": "bytes",
    **{name: name for name in WIDTHS},
}
# The kind of the tagged section that ends a struct of a flexible version.
END = "end"


class Range(NamedTuple):
    """Versions from `low` to `high`, both included; none where `high` is below."""

    low: int
    high: int

    def __contains__(self, version: object) -> bool:
        return isinstance(version, int) and self.low <= version <= self.high

    def within(self, other: Range) -> bool:
        """Whether all of it lies in another."""
        return self.low > self.high or (other.low <= self.low and self.high <= other.high)

    def meets(self, other: Range) -> Range:
        """What the two have in common."""
        return Range(max(self.low, other.low), min(self.high, other.high))

    @property
    def empty(self) -> bool:
        """Whether it holds no version."""
        return self.low > self.high

    @property
    def numbers(self) -> range:
        """Its versions."""
        return range(self.low, self.high + 1)


NOTHING = Range(0, -1)
EVERY = Range(0, HIGHEST)


def range_of(node: Spec, key: str) -> Range:
    """The versions that a key of a message or field names; none where it is left out."""
    return _range(node[key]) if key in node else NOTHING


@lru_cache(maxsize=4096)  # the same few ranges are asked for over and over
def _range(text: str) -> Range:
    text = str(text).strip()
    if text == "none":
        return NOTHING
    if text.endswith("+"):
        return Range(int(text[:-1]), HIGHEST)
    low, dash, high = text.partition("-")
    return Range(int(low), int(high) if dash else int(low))


def valid(message: Spec) -> Range:
    """The valid versions of a message."""
    return range_of(message, "validVersions")


def stable(message: Spec) -> Range:
    """The valid versions without the top one where that is marked unstable."""
    versions = valid(message)
    return (
        Range(versions.low, versions.high - 1) if message.get("latestVersionUnstable") else versions
    )


def present(field: Spec) -> Range:
    """The versions that have a field: `versions`, or for a tagged field without it
    `taggedVersions`."""
    return range_of(field, "versions" if "versions" in field else "taggedVersions")


def element(field: Spec) -> str:
    """The type of a field without the mark of an array."""
    return str(field["type"]).removeprefix("[]")


def lives(message: Spec, field: Spec, version: int) -> bool:
    """Whether a message has a field at all, for the peers of one of its versions: what only an
    unstable version has is a matter of that one.
    """
    versions = valid(message) if version not in stable(message) else stable(message)
    return not present(field).meets(versions).empty


def is_array(field: Spec) -> bool:
    """Whether the field is an array."""
    return str(field["type"]).startswith("[]")


def fields_inside(message: Spec, field: Spec) -> list[Spec] | None:
    """The fields of the struct that a field holds: its own, or those of the common struct it
    names."""
    if element(field) in KINDS:
        return None
    if field.get("fields"):
        found: list[Spec] = field["fields"]
        return found
    for struct in message.get("commonStructs", ()):
        if struct["name"] == element(field):
            shared: list[Spec] = struct["fields"]
            return shared
    raise ValueError(f"nothing defines the struct {element(field)}")


Names = tuple[str, ...]
Place = tuple[int | str, ...]
Places = dict[Names, set[Place]]


class ByTag(dict[int, Any]):
    """What a tagged section has by tag: never changed, so that shapes can be keys."""

    def __hash__(self) -> int:  # type: ignore[override]
        return hash(frozenset(self.items()))


class Slot(NamedTuple):
    """An item that a version has on the wire, in the order of its sequence, or under a tag.

    `path` is the name of a field, after those of the structs around it that the wire does not set
    off. `nothing` is the value that a reader takes where the item is absent, `compact` how lengths
    are written. `inside` is the sequence of a struct that may be null or has a tag, or of an
    element of an array.

    The tagged section of a struct is an item, too (kind END), with the name of the struct: `tagged`
    are its fields by tag, `refused` the tags that the struct knows from other versions, which
    readers refuse in this one ("Tag N is not valid for version V"), `names` the fields that it has
    in other valid versions only.
    """

    path: Names
    kind: str
    array: bool = False
    nullable: bool = False
    compact: bool = False
    nothing: Any = None
    inside: Shape | None = None
    tagged: dict[int, Slot] = ByTag()
    refused: frozenset[int] = frozenset()
    names: frozenset[str] = frozenset()

    @property
    def name(self) -> str:
        """The name of the field itself; "" for the elements of an array of numbers."""
        return self.path[-1] if self.path else ""


# The items of a message, or of a struct that the wire sets off. Other structs leave no byte: their
# items are those of the sequence that they stand in.
Shape = tuple[Slot, ...]


def layout(slot: Slot, *, tagged: bool = False) -> object:
    """How an item is told from the next one: what has the same layout is read to the same byte."""
    if slot.kind == END:
        return END
    if slot.array:
        return "array", slot.compact
    if slot.kind == "struct":
        return "struct", tagged and slot.nullable
    if slot.kind in ("string", "bytes"):
        return "compact" if slot.compact else slot.kind
    return {"bool": 1, "float": 8, "uuid": 16, **WIDTHS}[slot.kind]


def places(items: Shape) -> Places:
    """Where each field of a sequence is, by its name and those of the structs that leave no byte; a
    struct of these is where its fields and its tagged section are.
    """
    found: Places = {}
    for index, slot in enumerate(items):
        fields: dict[Place, Names] = {(index,): slot.path}
        fields |= {
            (index, f"tag {tag}"): (*slot.path, item.name) for tag, item in slot.tagged.items()
        }
        for at, path in fields.items():
            for length in range(1, len(path) + 1):
                found.setdefault(path[:length], set()).add(at)
    return found


def shape(message: Spec, version: int) -> Shape:
    """The items of a message in one of its valid versions."""
    return _shape(
        message, message["fields"], version, version in range_of(message, "flexibleVersions")
    )


class Shapes:
    """The shapes of some specs, each worked out once; nobody changes these specs meanwhile."""

    def __init__(self) -> None:
        # The spec is kept, so that no other one gets its id.
        self.known: dict[tuple[int, int], tuple[Spec, Shape]] = {}

    def __call__(self, message: Spec, version: int) -> Shape:
        """The shape of a spec in a version."""
        key = id(message), version
        if key not in self.known:
            self.known[key] = message, shape(message, version)
        return self.known[key][1]


def _shape(message: Spec, fields: list[Spec], version: int, flexible: bool) -> Shape:
    items: list[Slot] = []
    tagged: dict[int, Slot] = {}
    refused: set[int] = set()
    for field in fields:
        in_section = version in range_of(field, "taggedVersions")
        if "tag" in field and not in_section:
            refused.add(int(field["tag"]))
        if version not in present(field):
            continue
        slot = _slot(message, field, version, flexible)
        if in_section:
            tagged[int(field["tag"])] = slot
        elif slot.kind == "struct" and not slot.array and not slot.nullable:
            items += [inner._replace(path=slot.path + inner.path) for inner in slot.inside or ()]
        else:
            items.append(slot)
    if flexible:
        nothing = ByTag({tag: slot.nothing for tag, slot in tagged.items()})
        carried = {field["name"] for field in fields if version in present(field)}
        names = (
            frozenset(field["name"] for field in fields if lives(message, field, version)) - carried
        )
        items.append(
            Slot(
                (),
                END,
                False,
                False,
                False,
                nothing,
                None,
                ByTag(tagged),
                frozenset(refused),
                names,
            )
        )
    return tuple(items)


def _slot(message: Spec, field: Spec, version: int, flexible: bool) -> Slot:
    own = range_of(field, "flexibleVersions") if "flexibleVersions" in field else EVERY
    compact = flexible and version in own
    fields = fields_inside(message, field)
    inside = None if fields is None else _shape(message, fields, version, flexible)
    kind = KINDS.get(element(field), "struct")
    array = is_array(field)
    if array and inside is None:
        # The elements of an array of numbers: what an array of a struct of one of them has, less
        # its section.
        inside = (Slot((), kind, compact=compact, nothing=absent(kind, None)),)
    return Slot(
        (field["name"],),
        "struct" if array else kind,
        array,
        version in range_of(field, "nullableVersions"),
        compact,
        absent_value(field, inside),
        inside,
    )


def absent_value(field: Spec, inside: Shape | None) -> Any:
    """What a reader takes a field for that is not there: its default."""
    default = field.get("default")
    if default == "null":
        return None
    if is_array(field):
        return ()
    if inside is not None:
        return tuple(slot.nothing for slot in inside)
    if default is None and field["type"] == "records":
        return None
    return absent(KINDS[element(field)], default)


def absent(kind: str, default: Any) -> Any:
    """The value that a default means for a kind."""
    text = "" if default is None else str(default)
    if kind == "string":
        return text.encode()
    if kind == "bytes":
        return b""
    if kind == "uuid":
        return bytes(16)
    if kind == "bool":
        return text.lower() == "true"
    if kind == "float":
        return float(text or 0)
    return int(text or "0", 0)
