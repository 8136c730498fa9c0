"""Compares layouts with what another library has for the same message and version, field by field."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, fields
from functools import cache

from tests.specs.released_specs import released
from wirebook.specs.kafka.registry import embedded_paths, read_embedded
from wirebook.specs.model import Json, Message
from wirebook.specs.wire.layout import Layout, LayoutField, layout

Identity = tuple[str, int | str]


@dataclass(frozen=True, slots=True)
class Theirs:
    """One field as another library has it, in our words: a wire type, a default as a layout states it."""

    name: str
    type: str
    element: str | None
    nullable: bool
    tag: int | None
    default: Json
    fields: tuple[Theirs, ...] | None


@dataclass(frozen=True, slots=True)
class TheirLayout:
    """One message at one version as another library has it."""

    identity: Identity
    version: int
    flexible: bool
    header_version: int | None
    fields: tuple[Theirs, ...]


@dataclass(frozen=True, slots=True)
class Difference:
    """Where a layout and the other library part: one attribute of the field at `path`, "" for the message."""

    message: str
    version: int
    path: str
    attribute: str
    ours: Json
    theirs: Json


@dataclass(frozen=True, slots=True)
class Known:
    """A difference that is right: the other library has `theirs` as `attribute` of these fields.

    `places` holds the paths by message name; it is so in every version that has the field.
    """

    attribute: str
    theirs: Json
    reason: str
    places: Mapping[str, tuple[str, ...]]

    def explains(self, found: Difference) -> bool:
        """Whether `found` is one of these."""
        return (
            found.attribute == self.attribute
            and found.theirs == self.theirs
            and found.path in self.places.get(found.message, ())
        )


def wire_type(kind: str, compact: bool, nullable: bool) -> str:
    """The name of a wire type, of "string", "int32", "array", "struct" …; apart from specs/layout.py."""
    if kind in ("string", "bytes", "records", "array"):
        return f"{'COMPACT_' if compact else ''}{'NULLABLE_' if nullable else ''}{kind.upper()}"
    if kind == "struct":
        return "NULLABLE_STRUCT" if nullable else "STRUCT"
    return "BOOLEAN" if kind == "bool" else kind.upper()


def differences(ours: Layout, theirs: TheirLayout, same_name: Callable[[str, str], bool]) -> list[Difference]:
    """All that differs, from the top down; fields are paired by their place on the wire."""

    def walk(
        left: tuple[LayoutField, ...], others: tuple[Theirs, ...], above: str
    ) -> Iterator[tuple[str, str, Json, Json]]:
        right = in_wire_order(others)
        if len(left) != len(right):
            yield above, "count", [field.name for field in left], [other.name for other in right]
            return
        for field, other in zip(left, right, strict=True):
            if not same_name(field.name, other.name):
                yield field.path, "name", field.name, other.name
            for key in ("type", "element", "nullable", "tag", "default"):
                mine, its = getattr(field, key), getattr(other, key)
                if mine != its or type(mine) is not type(its):
                    yield field.path, key, mine, its
            if (field.fields is None) != (other.fields is None):
                yield field.path, "fields", field.fields is not None, other.fields is not None
            elif field.fields is not None and other.fields is not None:
                yield from walk(field.fields, other.fields, field.path)

    found = list(walk(ours.fields, theirs.fields, ""))
    for key in ("flexible", "header_version"):
        if getattr(ours, key) != getattr(theirs, key):
            found.append(("", key, getattr(ours, key), getattr(theirs, key)))
    return [Difference(ours.name, ours.version, *each) for each in found]


def in_wire_order(others: Iterable[Theirs]) -> list[Theirs]:
    """Untagged fields first, then tagged ones by rising tag."""
    return sorted(others, key=lambda other: -1 if other.tag is None else other.tag)


def unexplained(found: Iterable[Difference], known: Iterable[Known]) -> list[Difference]:
    """The differences that no entry of the table explains."""
    table = list(known)
    return [each for each in found if not any(entry.explains(each) for entry in table)]


def unneeded(found: Iterable[Difference], known: Iterable[Known]) -> list[str]:
    """The places of the table where there is no such difference any more."""
    seen = list(found)
    return [
        f"{entry.attribute} {message} {path}"
        for entry in known
        for message, paths in entry.places.items()
        for path in paths
        if not any(entry.explains(each) and each.message == message and each.path == path for each in seen)
    ]


def newest_released(identity: Identity, version: int) -> Layout | None:
    """The layout of a message at a version in the newest release that has it."""
    for each in reversed(released(identity)):
        if version in each.message.valid_versions:
            return layout(each.message, version)
    return None


@cache
def own_messages() -> dict[Identity, Message]:
    """The specs that come with wirebook."""
    read = [read_embedded(path) for path in embedded_paths()]
    return {message.identity: message for message in read}


def altered(layout: TheirLayout) -> Iterator[tuple[str, TheirLayout]]:
    """The same with one thing altered that a comparison must notice, and what it is."""
    first, *rest = in_wire_order(layout.fields)
    values: dict[str, Json] = {
        "name": "Nobody",
        "type": "FLOAT64",
        "element": "FLOAT64",
        "nullable": not first.nullable,
        "tag": 77 if first.tag is None else None,
        "default": "x",
        "fields": None if first.fields is not None else (),
    }
    assert set(values) == {each.name for each in fields(Theirs)}
    for key, value in values.items():
        if key != "tag" or not rest:  # another tag also changes the place
            changed = Theirs(**{each: getattr(first, each) for each in values} | {key: value})
            yield key, _with(layout, (changed, *rest))
    yield "count", _with(layout, layout.fields[1:])


def _with(layout: TheirLayout, changed: tuple[Theirs, ...]) -> TheirLayout:
    return TheirLayout(layout.identity, layout.version, layout.flexible, layout.header_version, changed)
