"""Random right messages, as JSON documents, and the screen that keeps them right."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from random import Random
from typing import Any

from tests.prove.shapes import (
    EVERY,
    HIGHEST,
    KINDS,
    WIDTHS,
    Range,
    Spec,
    element,
    fields_inside,
    is_array,
    present,
    range_of,
    valid,
)

# Numbers the fields, so that a smaller case can leave one out of every release; no text has it.
NUMBER = "#"
NUMBERS = ("int8", "int16", "int32", "int64", "uint16", "uint32", "float64")
SCALARS = (*NUMBERS, "bool", "uuid", "string", "bytes")


def text_of(message: Spec) -> str:
    """The text of a spec, as a file would have it."""
    return json.dumps(_plain(message), indent=2)


def _plain(node: Any) -> Any:
    if isinstance(node, dict):
        return {key: _plain(value) for key, value in node.items() if key != NUMBER}
    return [_plain(item) for item in node] if isinstance(node, list) else node


def write_range(low: int, high: int) -> str:
    """The text of a range; open where it ends nowhere."""
    if high >= HIGHEST:
        return f"{low}+"
    return str(low) if low == high else f"{low}-{high}"


@dataclass(frozen=True)
class Site:
    """The fields of one struct, or of the top level, and the valid versions that have it."""

    fields: list[Spec]
    versions: frozenset[int]
    where: str

    def of(self, field: Spec) -> frozenset[int]:
        """The valid versions that have one of the fields."""
        there = present(field)
        return frozenset(version for version in self.versions if version in there)


def sites(message: Spec) -> list[Site]:
    """The top level and every struct of a message that some valid version has; a common struct
    comes once."""
    reached: dict[str, set[int]] = {}
    found: list[Site] = []

    def visit(fields: list[Spec], versions: frozenset[int], where: str) -> None:
        site = Site(fields, versions, where)
        found.append(site)
        for field in fields:
            if field.get("fields"):
                visit(field["fields"], site.of(field), "struct")
            elif element(field) not in KINDS:
                reached.setdefault(element(field), set()).update(site.of(field))

    visit(message["fields"], frozenset(valid(message).numbers), "top")
    for struct in message.get("commonStructs", ()):
        visit(struct["fields"], frozenset(reached.get(struct["name"], ())), "common")
    return [site for site in found if site.versions]


def all_fields(message: Spec) -> Iterator[tuple[list[Spec], Spec]]:
    """Every field as written, with those of its struct."""

    def inside(fields: list[Spec]) -> Iterator[tuple[list[Spec], Spec]]:
        for field in fields:
            yield fields, field
            yield from inside(field.get("fields", []))

    yield from inside(message["fields"])
    for struct in message.get("commonStructs", ()):
        yield from inside(struct["fields"])


def nullable_type(field: Spec) -> bool:
    """Whether null is a value of the type."""
    return is_array(field) or KINDS.get(element(field), "struct") in ("struct", "string", "bytes")


def flexible(message: Spec) -> Range:
    """The flexible versions of a message."""
    return range_of(message, "flexibleVersions")


def right(message: Spec) -> bool:
    """Whether a spec is one that Kafka's generator takes; what is not is no case."""
    versions = valid(message)
    if versions.empty:
        return False
    names = [struct["name"] for struct in message.get("commonStructs", ())]
    names += [element(field) for _, field in all_fields(message) if "fields" in field]
    if len(names) != len(set(names)) or message["name"] in names:
        return False
    tagged = [range_of(field, "taggedVersions") for _, field in all_fields(message)]
    if not all(part.within(flexible(message)) for part in tagged):
        return False
    keyed = [fields for fields, field in all_fields(message) if "mapKey" in field]
    arrays = [
        field["fields"]
        for _, field in all_fields(message)
        if is_array(field) and field.get("fields")
    ]
    if any(all(fields is not other for other in arrays) for fields in keyed):
        return False
    used = {element(field) for _, field in all_fields(message)}
    if not used <= {*names, *KINDS} or any(
        field.get("fields") == [] for _, field in all_fields(message)
    ):
        return False
    if any(struct["name"] not in used for struct in message.get("commonStructs", ())):
        return False
    for struct in message.get("commonStructs", ()):
        inside = {element(field) for field in _below(struct["fields"])}
        if not struct["fields"] or any(
            other["name"] in inside for other in message["commonStructs"]
        ):
            return False
    try:
        if not all(
            _right_fields(message, struct["fields"], versions.meets(present(struct)))
            for struct in message.get("commonStructs", ())
        ):
            return False
        return _right_fields(message, message["fields"], versions)
    except (ValueError, RecursionError):
        return False


def twice(fields: list[Spec]) -> Iterator[tuple[Spec, Spec]]:
    """The pairs of fields with one name: readers can tell them apart where they share no
    version."""
    first: dict[str, list[Spec]] = {}
    for field in fields:
        for other in first.setdefault(field["name"], []):
            yield other, field
        first[field["name"]].append(field)


def _below(fields: list[Spec]) -> Iterator[Spec]:
    for field in fields:
        yield field
        yield from _below(field.get("fields", []))


def _right_fields(message: Spec, fields: list[Spec], around: Range) -> bool:
    tags = [field["tag"] for field in fields if "tag" in field]
    if any(not present(one).meets(present(other)).empty for one, other in twice(fields)):
        return False
    if len(tags) != len(set(tags)):
        return False
    return all(_right(message, field, around) for field in fields)


def _right(message: Spec, field: Spec, around: Range) -> bool:
    there, tagged = present(field), range_of(field, "taggedVersions")
    nulls = range_of(field, "nullableVersions")
    meets = there.meets(around)
    if meets.empty and (there.empty or there.high >= valid(message).low):
        return False
    if ("tag" in field) != (not tagged.empty):
        return False
    if "tag" in field:
        # The range may begin above the valid versions only where it is theirs at all.
        own = range_of(field, "flexibleVersions") if "flexibleVersions" in field else EVERY
        if (
            tagged.high < HIGHEST
            or not tagged.within(there)
            or not tagged.within(flexible(message).meets(own))
        ):
            return False
        if field.get("mapKey") or element(field) == "records":
            return False
        if not nulls.meets(tagged).empty and not tagged.within(nulls):
            return False
    if not nulls.empty and (
        not nullable_type(field) or nulls.meets(there).meets(valid(message)).empty
    ):
        return False
    if not nulls.within(there):
        return False
    if "flexibleVersions" in field and field["type"] not in ("string", "bytes"):
        return False
    if not range_of(field, "flexibleVersions").within(flexible(message)):
        return False
    if field.get("default") == "null" and not there.within(nulls):
        return False
    if is_array(field) and element(field) == "records":
        return False
    inside = fields_inside(message, field)
    if inside is None:
        return "fields" not in field
    if not inside or (meets.empty and not there.empty):
        return bool(inside)
    if not field.get("fields"):
        # Of the fields of a common struct each lives in a version that some path has.
        return True
    return _right_fields(message, inside, meets)


class Builder:
    """Makes messages; every field and struct gets a number and a name that no other has."""

    def __init__(self, random: Random) -> None:
        self.random = random
        self.count = 0
        # Fields of one type trade their places without a reader noticing: let there be many.
        self.favourites = random.sample(SCALARS, 2)

    def scalar(self) -> str:
        """A type that may be tagged, or be that of an element."""
        return self.random.choice(self.favourites if self.random.randrange(2) else SCALARS)

    def fresh(self, stem: str) -> str:
        """A name that nothing has yet."""
        self.count += 1
        return f"{stem}{self.count}"

    def chance(self, one_in: int) -> bool:
        """True once in so many times."""
        return self.random.randrange(one_in) == 0

    def message(self) -> Spec:
        """A right spec of a message."""
        random = self.random
        while True:
            low = random.choice((0, 0, 0, 1))
            high = low + random.choice((0, 1, 2, 2, 3))
            flexible_from = random.choice((None, low, low, low + 1, low + 1, high, high + 1))
            kind = random.choice(("request", "request", "response", "data"))
            made: Spec = {"type": kind, "name": {"data": "Thing"}.get(kind, f"Api{kind.title()}")}
            if kind != "data":
                made["apiKey"] = 7
            if kind == "request":
                made["listeners"] = ["broker"]
            made["validVersions"] = write_range(low, high)
            made["flexibleVersions"] = "none" if flexible_from is None else f"{flexible_from}+"
            made["fields"] = []
            if self.chance(3):
                struct: Spec = {"name": self.fresh("Shared"), "versions": "0+"}
                struct["fields"] = self.fields(made, low, high, 1, 1)
                made["commonStructs"] = [struct]
            made["fields"] = self.fields(made, low, high, 2, 1)
            for _ in range(random.choice((1, 2)) if "commonStructs" in made else 0):
                self._use(made, low, high)
            if right(made):
                return made

    def _use(self, message: Spec, low: int, high: int) -> None:
        """A field of a common struct, somewhere."""
        name = message["commonStructs"][0]["name"]
        fields = self.random.choice(
            [message["fields"], *(f["fields"] for f in message["fields"] if "fields" in f)]
        )
        field = self.field(message, low, high, 0, tagged=self.chance(3), fields=fields)
        for key in ("default", "nullableVersions"):
            field.pop(key, None)
        field["type"] = self.random.choice(("", "[]")) + name
        self._adorn(field, high)
        fields.insert(self.random.randint(0, len(fields)), field)

    def fields(self, message: Spec, low: int, high: int, depth: int, least: int) -> list[Spec]:
        """The fields of a struct that lives in the versions from `low` to `high`."""
        made: list[Spec] = []
        for _ in range(self.random.randint(least, 3)):
            made.append(self.field(message, low, high, depth, tagged=False, fields=made))
        for _ in range(self.random.choice((0, 1, 1, 2)) if flexible(message).low <= high else 0):
            item = self.field(message, low, high, depth, tagged=True, fields=made)
            made.insert(self.random.randint(0, len(made)), item)
        return made

    def field(
        self, message: Spec, low: int, high: int, depth: int, *, tagged: bool, fields: list[Spec]
    ) -> Spec:
        """A field for a struct; tagged only where some version of it is flexible."""
        random = self.random
        since = random.choice((low, low, random.randint(low, high)))
        name = self.fresh("Field")
        item: Spec = {NUMBER: self.count, "name": name, "type": "", "versions": f"{since}+"}
        first = max(since, flexible(message).low)
        if tagged and not flexible(message).empty and first <= high:
            since = first if random.randrange(3) else since
            item["versions"] = f"{since}+"
            item |= {"taggedVersions": f"{first}+", "tag": next_tag(fields)}
        elif self.chance(5):
            item["versions"] = write_range(since, random.randint(since, high))
        roll = random.randrange(8)
        if roll < 2 and depth > 0:
            item["type"] = random.choice(("", "[]")) + self.fresh("Struct")
            there = present(item)
            item["fields"] = self.fields(message, there.low, min(high, there.high), depth - 1, 1)
        elif roll < 4:
            item["type"] = f"[]{self.scalar()}"
        else:
            item["type"] = self.scalar() if "tag" in item or random.randrange(12) else "records"
        self._adorn(item, high)
        return item

    def _adorn(self, item: Spec, high: int) -> None:
        """What else a field may say."""
        random, there = self.random, present(item)
        if nullable_type(item) and self.chance(3):
            since = (
                there.low
                if "tag" in item
                else random.randint(there.low, max(there.low, min(high, there.high)))
            )
            item["nullableVersions"] = write_range(since, there.high)
            if since == there.low and self.chance(2):
                item["default"] = "null"
        elif not is_array(item) and self.chance(2):
            default = some_default(random, item["type"])
            if default is not None:
                item["default"] = default
        if self.chance(6):
            item["ignorable"] = True


def some_default(random: Random, kind: str) -> str | None:
    """A default that a type can have; None where it has none to choose."""
    if kind in WIDTHS:
        return random.choice(("0", "7", "0x10", "127" if kind[0] == "u" else "-2"))
    return random.choice(
        {"bool": ("true", "false"), "float64": ("0", "1.5"), "string": ("word",)}.get(kind, (None,))
    )


def next_tag(fields: list[Spec]) -> int:
    """The lowest tag above all that the fields of a struct have."""
    return max((field["tag"] for field in fields if "tag" in field), default=-1) + 1
