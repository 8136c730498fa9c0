"""Random right protocols, as the JSON documents that a patch would edit, and the way about them."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from hypothesis import strategies as st

from tests.kafka import read_kafka
from wirebook.specs.model import NULLABLE_PRIMITIVES, Protocol
from wirebook.specs.versions import MAX_VERSION, Versions

Spec = dict[str, Any]
Specs = dict[str, Spec]  # by path
Draw = Callable[[st.SearchStrategy[Any]], Any]
Thing = TypeVar("Thing")

API_VERSIONS = 18
NUMBERS = ("int8", "int16", "int32", "int64", "uint16", "uint32", "float64")
SCALARS = ("bool", *NUMBERS, "uuid", "string", "bytes")
PRIMITIVES = (*SCALARS, "records")


@dataclass(frozen=True)
class Site:
    """The fields of one struct (or of the top level) of a message, and the valid versions that have it."""

    path: str
    message: Spec
    fields: list[Spec]
    versions: frozenset[int]
    common: bool = False

    def of(self, item: Spec) -> frozenset[int]:
        """The valid versions that have one of its fields."""
        return frozenset(v for v in self.versions if v in rng(item, "versions"))

    def leaves(self) -> list[Spec]:
        """Its fields that some valid version has and that hold no struct."""
        return [item for item in self.fields if self.of(item) and is_leaf(item)]


def rng(node: Spec, key: str) -> Versions:
    """A version range of a node; none where it is absent."""
    return Versions.parse(node.get(key, "none"))


def valid(message: Spec) -> Versions:
    return rng(message, "validVersions")


def flexible(message: Spec) -> frozenset[int]:
    """The valid versions that are flexible."""
    return frozenset(valid(message) & rng(message, "flexibleVersions"))


def is_leaf(item: Spec) -> bool:
    return item["type"].removeprefix("[]") in PRIMITIVES


def can_be_null(item: Spec) -> bool:
    return item["type"] in NULLABLE_PRIMITIVES or item["type"].startswith("[]") or not is_leaf(item)


def walk(specs: Specs) -> Iterator[Site]:
    """Every struct of every message that some valid version has."""
    for message in specs.values():
        yield from sites(message)


def sites(message: Spec) -> list[Site]:
    """The top level of a message, and its structs that some valid version has."""
    common = {struct["name"]: struct for struct in message.get("commonStructs", [])}
    reached: dict[str, set[int]] = {name: set() for name in common}
    found: list[Site] = []

    def visit(fields: list[Spec], path: str, versions: frozenset[int], shared: bool) -> None:
        if not versions:
            return
        site = Site(path, message, fields, versions, shared)
        found.append(site)
        for item in fields:
            there = site.of(item)
            name = item["type"].removeprefix("[]")
            if name in common:
                reached[name] |= there
            elif "fields" in item:
                visit(item["fields"], f"{path}.{item['name']}", there, shared)

    visit(message["fields"], "", frozenset(valid(message)), False)
    for name, struct in common.items():
        visit(struct["fields"], name, frozenset(reached[name]), True)
    return found


def partners(specs: Specs, message: Spec) -> list[Spec]:
    """The messages of one API; the message alone where it is none."""
    if "apiKey" not in message:
        return [message]
    return [other for other in specs.values() if other.get("apiKey") == message["apiKey"]]


def fresh(specs: Specs, stem: str) -> str:
    """A name that nothing in the specs has."""
    text = json.dumps(specs)
    return next(name for name in (f"{stem}{number}" for number in range(10_000)) if f"{name}" not in text)


def next_tag(fields: Iterable[Spec]) -> int:
    return max((item["tag"] for item in fields if "tag" in item), default=-1) + 1


def texts(specs: Specs) -> list[tuple[str, str]]:
    return [(path, json.dumps(spec, indent=2)) for path, spec in specs.items()]


def read(specs: Specs, name: str = "") -> Protocol:
    """The protocol of the specs, by way of their text."""
    return Protocol.of((read_kafka(text, path, strict=False) for path, text in texts(specs)), name)


def pick(draw: Draw, candidates: Sequence[Thing]) -> Thing | None:
    """One of the candidates; None where there is none."""
    return draw(st.sampled_from(candidates)) if candidates else None


class _Builder:
    """Makes the fields of one message."""

    def __init__(self, draw: Draw, lowest: int, highest: int, flexible_from: int | None) -> None:
        self.draw = draw
        self.lowest, self.highest, self.flexible_from = lowest, highest, flexible_from
        self.count = 0
        self.common: list[Spec] = []

    def number(self, low: int, high: int) -> int:
        return int(self.draw(st.integers(low, high)))

    def chance(self) -> bool:
        return bool(self.draw(st.booleans()))

    def name(self, stem: str) -> str:
        self.count += 1
        return f"{stem}{self.count}"

    def range(self, low: int, high: int) -> str:
        """A range that begins in the versions of a struct, open more often than not."""
        start = self.number(low, high)
        if self.number(0, 3):
            return f"{start}+"
        return str(Versions(start, self.number(start, high)))

    def fields(self, low: int, high: int, depth: int, least: int) -> list[Spec]:
        made = [self.field(low, high, depth, tagged=False) for _ in range(self.number(least, 4))]
        first = max(low, MAX_VERSION if self.flexible_from is None else self.flexible_from)
        for tag in range(self.number(0, 3) if first <= high else 0):
            item = self.field(first, high, depth, tagged=True)
            item["tag"] = tag
            made.insert(self.number(0, len(made)), item)
        return made

    def field(self, low: int, high: int, depth: int, tagged: bool) -> Spec:
        item: Spec = {"name": self.name("Field"), "type": "", "versions": self.range(low, high)}
        start = rng(item, "versions").lowest
        if tagged:
            # What was untagged below may have become tagged.
            since = start if self.chance() else self.number(low, start)
            item |= {"versions": f"{since}+", "taggedVersions": f"{start}+"}
            start = since
        kinds = ["scalar", "scalar", "scalar", "array"] + ["struct", "structs"] * (depth > 0)
        kinds += ["common"] * bool(self.common and not tagged and depth == 2)
        kind = self.draw(st.sampled_from(kinds))
        if kind in ("scalar", "array"):
            element = self.draw(st.sampled_from(SCALARS if tagged or kind == "array" else PRIMITIVES))
            item["type"] = f"[]{element}" if kind == "array" else element
        elif kind == "common":
            struct = self.draw(st.sampled_from(self.common))
            item["type"] = self.draw(st.sampled_from(["", "[]"])) + struct["name"]
        else:
            item["type"] = ("[]" if kind == "structs" else "") + self.name("Struct")
            top = min(high, rng(item, "versions").highest)
            item["fields"] = self.fields(start, top, depth - 1, 1)
        self.adorn(item, start, high)
        return item

    def adorn(self, item: Spec, start: int, high: int) -> None:
        """What else a field may say."""
        tagged = "taggedVersions" in item
        if can_be_null(item) and self.chance():
            since = start if tagged else self.number(start, high)
            item["nullableVersions"] = f"{since}+"
            if since == start and self.chance():
                item["default"] = "null"
        elif item["type"] in NUMBERS and self.chance():
            item["default"] = self.draw(st.sampled_from(["0", "7", 7, "-1" if item["type"][0] != "u" else 1]))
        elif item["type"] == "string" and self.chance():
            item["default"] = "word"
        if self.chance():
            item["ignorable"] = True
        if self.number(0, 3) == 0:
            item["about"] = "What it is."


@st.composite
def messages(draw: Draw, name: str, kind: str, lowest: int, highest: int, flexible_from: int | None) -> Spec:
    """A right spec of a message, without the keys of its API."""
    builder = _Builder(draw, lowest, highest, flexible_from)
    common: list[Spec] = []
    if draw(st.integers(0, 2)) == 0:
        fields = builder.fields(lowest, highest, 1, 1)
        common.append({"name": builder.name("Shared"), "versions": f"{lowest}+", "fields": fields})
    builder.common = common
    made: Spec = {
        "type": kind,
        "name": name,
        "validVersions": str(Versions(lowest, highest)),
        "flexibleVersions": "none" if flexible_from is None else f"{flexible_from}+",
        "fields": builder.fields(lowest, highest, 2, 0),
    }
    if common:
        made["fields"] += [
            {"name": builder.name("Use"), "type": f"[]{common[0]['name']}", "versions": f"{lowest}+"},
            {"name": builder.name("Use"), "type": common[0]["name"], "versions": f"{lowest}+"},
        ]
        made["commonStructs"] = common
    return made


@st.composite
def apis(draw: Draw, key: int, name: str, unstable: bool = False) -> Specs:
    """The request and the response of one API, by path."""
    lowest = 0 if key == API_VERSIONS else draw(st.integers(0, 2))
    highest = lowest + draw(st.integers(int(unstable), 4))
    flexible_from = draw(st.none() | st.integers(lowest, highest + 1))
    found: Specs = {}
    for kind in ("request", "response"):
        full = f"{name}{kind.title()}"
        made = draw(messages(full, kind, lowest, highest, flexible_from))
        found[f"specs/{full}.json"] = {"apiKey": key, **made}
    request = found[f"specs/{name}Request.json"]
    request["listeners"] = draw(st.sampled_from([["broker"], ["controller"], ["broker", "controller"]]))
    if key != API_VERSIONS and lowest < highest and draw(st.booleans()):
        request["deprecatedVersions"] = str(Versions(lowest, draw(st.integers(lowest, highest - 1))))
    if unstable:
        request["latestVersionUnstable"] = True
    return found


@st.composite
def protocols(draw: Draw, unstable: bool = False, api_versions: bool = False) -> Specs:
    """The specs of a right protocol: a few APIs and perhaps a record; `unstable` marks every top version."""
    found: Specs = {}
    for number in range(draw(st.integers(1, 2))):
        found |= draw(apis(number, f"Api{number}", unstable))
    if api_versions:
        found |= draw(apis(API_VERSIONS, "ApiVersions"))
    if draw(st.booleans()):
        lowest = draw(st.integers(0, 1))
        highest = lowest + draw(st.integers(0, 3))
        flexible_from = draw(st.none() | st.integers(lowest, highest + 1))
        found["specs/State.json"] = draw(messages("State", "data", lowest, highest, flexible_from))
    return found
