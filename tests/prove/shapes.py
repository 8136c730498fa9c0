"""What a version of a spec has on the wire, worked out anew from the JSON text: KIP-482 and Kafka's README.

Nothing here comes from wirebook: two readings of one text that agree are evidence, one that agrees with
itself is none. `tests/prove/test_truth.py` keeps it so.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import Any, NamedTuple

Spec = dict[str, Any]
HIGHEST = 32767
WIDTHS = {"int8": 1, "int16": 2, "int32": 4, "int64": 8, "uint8": 1, "uint16": 2, "uint32": 4, "uint64": 8}
# Types that are read the same way: an unsigned number has the bits of a signed one, records those of bytes.
KINDS = {
    "bool": "bool",
    "float64": "float",
    "uuid": "uuid",
    "string": "string",
    "bytes": "bytes",
    "records": "bytes",
    **{name: f"int{8 * width}" for name, width in WIDTHS.items()},
}


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
    return _range(str(node.get(key, "none")))


@lru_cache(maxsize=4096)  # the same few ranges are asked for over and over
def _range(text: str) -> Range:
    text = text.strip()
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
    return Range(versions.low, versions.high - 1) if message.get("latestVersionUnstable") else versions


def present(field: Spec) -> Range:
    """The versions that have a field: `versions`, or for a tagged field without it `taggedVersions`."""
    return range_of(field, "versions" if "versions" in field else "taggedVersions")


def element(field: Spec) -> str:
    """The type of a field without the mark of an array."""
    return str(field["type"]).removeprefix("[]")


def is_array(field: Spec) -> bool:
    """Whether the field is an array."""
    return str(field["type"]).startswith("[]")


def fields_inside(message: Spec, field: Spec) -> list[Spec] | None:
    """The fields of the struct that a field holds: its own, or those of the common struct it names."""
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


class Slot(NamedTuple):
    """A field as a version has it. `path` is its name, after those of structs that leave no byte around it.

    `declared` is the name of its type, which the wire does not have; `nothing` is the value that a reader
    takes where the field is absent; `compact` is how lengths are written. `inside` are the fields of the
    struct, or of an element of the array.
    """

    path: tuple[str, ...]
    declared: str
    kind: str
    array: bool
    nullable: bool
    compact: bool
    nothing: Any
    inside: Shape | None

    @property
    def name(self) -> str:
        """The name of the field itself; "" for the elements of an array of numbers."""
        return self.path[-1] if self.path else ""


class Shape(NamedTuple):
    """The fields of a struct as a version has them: in order, and by tag.

    `section` says whether a tagged section ends it; `refused` are the tags that the struct knows from other
    versions, which readers refuse in this one ("Tag N is not valid for version V").
    """

    fields: tuple[Slot, ...]
    tagged: dict[int, Slot]
    section: bool
    refused: frozenset[int]


def shape(message: Spec, version: int) -> Shape:
    """The fields of a message in one of its valid versions."""
    return _shape(message, message["fields"], version, version in range_of(message, "flexibleVersions"))


def _shape(message: Spec, fields: list[Spec], version: int, flexible: bool) -> Shape:
    untagged: list[Slot] = []
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
        else:
            untagged += _in_line(slot, flexible)
    return Shape(tuple(untagged), tagged, flexible, frozenset(refused))


def _in_line(slot: Slot, flexible: bool) -> Iterator[Slot]:
    """The slots of a field: those of its struct, where nothing on the wire sets it off."""
    if slot.kind == "struct" and not slot.array and not slot.nullable and not flexible:
        assert slot.inside is not None
        for inner in slot.inside.fields:
            yield inner._replace(path=slot.path + inner.path)
    else:
        yield slot


def _slot(message: Spec, field: Spec, version: int, flexible: bool) -> Slot:
    own = range_of(field, "flexibleVersions") if "flexibleVersions" in field else EVERY
    nullable = version in range_of(field, "nullableVersions")
    fields = fields_inside(message, field)
    inside = None if fields is None else _shape(message, fields, version, flexible)
    kind = "struct" if inside is not None else KINDS[element(field)]
    array = is_array(field)
    if array and inside is None:
        # The elements of an array of numbers: what an array of a struct of one of them has, less its section.
        alone = Slot(
            (), element(field), kind, False, False, flexible and version in own, absent(kind, None), None
        )
        inside = Shape((alone,), {}, False, frozenset())
    nothing = absent_value(field, inside)
    compact = flexible and version in own
    kind = "struct" if array else kind
    return Slot((field["name"],), element(field), kind, array, nullable, compact, nothing, inside)


def absent_value(field: Spec, inside: Shape | None) -> Any:
    """What a reader takes a field for that is not there: its default."""
    default = field.get("default")
    if default == "null":
        return None
    if is_array(field):
        return ()
    if inside is not None:
        return (
            tuple(slot.nothing for slot in inside.fields),
            {t: s.nothing for t, s in inside.tagged.items()},
        )
    if default is None and field["type"] == "records":
        return None
    return absent(KINDS[element(field)], default)


def absent(kind: str, default: Any) -> Any:
    """The value that a default means for a kind: numbers by their bits, as they are on the wire."""
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
    return int(text or "0", 0) % (1 << int(kind[3:]))
