"""Single edits of a spec, sound and breaking ones alike: what they do to peers is for the bytes to
say."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from random import Random
from typing import TypeVar

from tests.prove.protocols import (
    NUMBER,
    Builder,
    Site,
    flexible,
    next_tag,
    nullable_type,
    right,
    sites,
    some_default,
    write_range,
)
from tests.prove.shapes import HIGHEST, KINDS, Spec, element, is_array, present, range_of, valid

_RANGES = ("nullableVersions", "taggedVersions")

Thing = TypeVar("Thing")


class NotHereError(Exception):
    """The spec has nothing that the edit could change."""


def copied(node: Thing) -> Thing:
    """A copy of a JSON value."""
    if isinstance(node, dict):
        return {key: copied(value) for key, value in node.items()}  # type: ignore[return-value]
    return [copied(value) for value in node] if isinstance(node, list) else node  # type: ignore[return-value]


class Workshop:
    """What an edit gets: the message to change, earlier selves of it, and where chance comes
    from."""

    def __init__(self, message: Spec, before: Sequence[Spec], builder: Builder) -> None:
        self.message = message
        self.before = before
        self.builder = builder
        self.random: Random = builder.random

    def one(self, candidates: Sequence[Thing]) -> Thing:
        """One of some candidates. Raises NotHereError where there is none."""
        if not candidates:
            raise NotHereError
        return self.random.choice(candidates)

    def held(self) -> list[tuple[Site, Spec]]:
        """Every field that some valid version has, with its struct."""
        return [
            (site, field) for site in sites(self.message) for field in site.fields if site.of(field)
        ]

    def tagged(self) -> list[tuple[Site, Spec]]:
        """The fields with a tag."""
        return [(site, field) for site, field in self.held() if "tag" in field]

    def untagged(self) -> list[tuple[Site, Spec]]:
        """The fields without a tag."""
        return [(site, field) for site, field in self.held() if "tag" not in field]

    def leaves(self) -> list[tuple[Site, Spec]]:
        """The fields that hold no struct."""
        return [(site, field) for site, field in self.held() if element(field) in KINDS]


Edit = Callable[[Workshop], None]


def new_version(shop: Workshop) -> None:
    top = valid(shop.message).high + 1
    shop.message["validVersions"] = write_range(valid(shop.message).low, top)
    if shop.random.randrange(2):
        shop.random.choice((_begins, _ends, _null_from, _tagged_from))(shop, top)


def _begins(shop: Workshop, top: int) -> None:
    site = shop.one([site for site in sites(shop.message) if top in site.versions])
    field = shop.builder.field(
        shop.message, top, top, 1, tagged=bool(shop.random.randrange(2)), fields=site.fields
    )
    site.fields.insert(shop.random.randint(0, len(site.fields)), field)


def _ends(shop: Workshop, top: int) -> None:
    found = [
        f
        for s, f in shop.untagged()
        if top in s.of(f) and present(f).low < top and "nullableVersions" not in f
    ]
    field = shop.one(found)
    field["versions"] = write_range(present(field).low, top - 1)


def _null_from(shop: Workshop, top: int) -> None:
    fields = [
        f
        for s, f in shop.untagged()
        if top in s.of(f) and nullable_type(f) and "nullableVersions" not in f
    ]
    field = shop.one(fields)
    field["nullableVersions"] = write_range(top, present(field).high)


def _tagged_from(shop: Workshop, top: int) -> None:
    found = [(s, f) for s, f in shop.untagged() if top in s.of(f) and present(f).high == HIGHEST]
    site, field = shop.one([(s, f) for s, f in found if top in flexible(shop.message)])
    field |= {"taggedVersions": f"{top}+", "tag": next_tag(site.fields)}
    if field.get("default") != "null":
        field.pop("nullableVersions", None)


def lowest_version_dropped(shop: Workshop) -> None:
    versions = valid(shop.message)
    if versions.low == versions.high:
        raise NotHereError
    shop.message["validVersions"] = write_range(versions.low + 1, versions.high)


def highest_version_dropped(shop: Workshop) -> None:
    versions = valid(shop.message)
    if versions.low == versions.high:
        raise NotHereError
    shop.message["validVersions"] = write_range(versions.low, versions.high - 1)


def lowest_version_back(shop: Workshop) -> None:
    versions = valid(shop.message)
    if versions.low == 0:
        raise NotHereError
    shop.message["validVersions"] = write_range(versions.low - 1, versions.high)


def field_added(shop: Workshop) -> None:
    site = shop.one(sites(shop.message))
    low, high = min(site.versions), max(site.versions)
    field = shop.builder.field(shop.message, low, high, 1, tagged=False, fields=site.fields)
    site.fields.insert(shop.random.randint(0, len(site.fields)), field)


def tagged_field_added(shop: Workshop) -> None:
    site = shop.one([s for s in sites(shop.message) if max(s.versions) in flexible(shop.message)])
    low, high = min(site.versions), max(site.versions)
    field = shop.builder.field(shop.message, low, high, 1, tagged=True, fields=site.fields)
    if "tag" in field:
        # The lowest number that is free today, used once or not.
        held = {other["tag"] for other in site.fields if "tag" in other}
        field["tag"] = next(tag for tag in range(len(held) + 1) if tag not in held)
        field["versions"] = field["taggedVersions"]
    site.fields.insert(shop.random.randint(0, len(site.fields)), field)


def field_removed(shop: Workshop) -> None:
    site, field = shop.one(
        [(s, f) for s, f in shop.held() if len(s.fields) > 1 or s.where == "top"]
    )
    _take(site.fields, field)


def tagged_field_removed(shop: Workshop) -> None:
    site, field = shop.one(
        [(s, f) for s, f in shop.tagged() if len(s.fields) > 1 or s.where == "top"]
    )
    _take(site.fields, field)


def _take(fields: list[Spec], field: Spec) -> int:
    """Takes a field out; where it was. Fields are told apart by what they are, not by what they
    say."""
    place = next(number for number, other in enumerate(fields) if other is field)
    del fields[place]
    return place


def field_replaced(shop: Workshop) -> None:
    """Another field stands in the place, often with a new name and another type."""
    site, field = shop.one(shop.leaves())
    place = _take(site.fields, field)
    kept: Spec = {
        key: field[key] for key in ("name", "versions", "taggedVersions", "tag") if key in field
    }
    other: Spec = {NUMBER: shop.builder.count, **kept, "type": field["type"]}
    if shop.random.randrange(3):
        other["name"] = shop.builder.fresh("Other")
        other[NUMBER] = shop.builder.count
    if shop.random.randrange(3):
        other["type"] = shop.random.choice(("", "", "[]")) + shop.builder.scalar()
    site.fields.insert(place, other)


def field_shifted(shop: Workshop) -> None:
    """One field goes and another of its type comes elsewhere: others move, and the bytes look the
    same."""
    site, field = shop.one([(s, f) for s, f in shop.untagged() if len(s.fields) > 1])
    _take(site.fields, field)
    other = {**copied(field), "name": shop.builder.fresh("Other"), NUMBER: shop.builder.count}
    for inner in other.get("fields", ()):
        inner[NUMBER] = -shop.builder.count
    if "fields" in other:
        other["type"] = ("[]" if is_array(other) else "") + shop.builder.fresh("Struct")
    site.fields.insert(shop.random.randint(0, len(site.fields)), other)


def field_moved(shop: Workshop) -> None:
    site, field = shop.one([(s, f) for s, f in shop.held() if len(s.fields) > 1])
    _take(site.fields, field)
    site.fields.insert(shop.random.randint(0, len(site.fields)), field)


def field_in_other_struct(shop: Workshop) -> None:
    site, field = shop.one([(s, f) for s, f in shop.untagged() if len(s.fields) > 1])
    other = shop.one([s for s in sites(shop.message) if s.fields is not site.fields])
    _take(site.fields, field)
    other.fields.insert(shop.random.randint(0, len(other.fields)), field)


def field_renamed(shop: Workshop) -> None:
    _, field = shop.one(shop.held())
    field["name"] = shop.builder.fresh("Renamed")


def field_takes_old_name(shop: Workshop) -> None:
    """A name that another field once had."""
    site, field = shop.one(shop.held())
    names = {f["name"] for message in shop.before for s in sites(message) for f in s.fields}
    field["name"] = shop.one(sorted(names - {other["name"] for other in site.fields}))


def names_swapped(shop: Workshop) -> None:
    site, field = shop.one(shop.held())
    other = shop.one([f for f in site.fields if f is not field])
    field["name"], other["name"] = other["name"], field["name"]


def struct_renamed(shop: Workshop) -> None:
    _, field = shop.one([(s, f) for s, f in shop.held() if "fields" in f])
    field["type"] = ("[]" if is_array(field) else "") + shop.builder.fresh("Struct")


def type_changed(shop: Workshop) -> None:
    _, field = shop.one(shop.leaves())
    field["type"] = ("[]" if is_array(field) else "") + shop.builder.scalar()
    if not nullable_type(field):
        field.pop("nullableVersions", None)
    _mend_default(shop, field)


def type_reinterpreted(shop: Workshop) -> None:
    """The same width under another name, with or without the default."""
    alike = {"int16": "uint16", "int32": "uint32", "bytes": "records"}
    alike |= {other: one for one, other in alike.items()}
    _, field = shop.one([(s, f) for s, f in shop.leaves() if element(f) in alike])
    field["type"] = ("[]" if is_array(field) else "") + alike[element(field)]
    if shop.random.randrange(2):
        _mend_default(shop, field, always=True)
    else:
        _mend_default(shop, field)


def array_made_or_unmade(shop: Workshop) -> None:
    _, field = shop.one(shop.held())
    field["type"] = element(field) if is_array(field) else f"[]{field['type']}"
    if not nullable_type(field):
        field.pop("nullableVersions", None)
    _mend_default(shop, field)


def _mend_default(shop: Workshop, field: Spec, *, always: bool = False) -> None:
    """A default that fits the type, where the old one does not, or in any case."""
    default = field.pop("default", None)
    if default == "null" and "nullableVersions" in field and not always:
        field["default"] = default
    elif not is_array(field) and (default is not None or always) and shop.random.randrange(2):
        fresh = some_default(shop.random, field["type"])
        if fresh is not None:
            field["default"] = fresh


def default_changed(shop: Workshop) -> None:
    _, field = shop.one(shop.held())
    choices: list[str | None] = [None]
    if element(field) in KINDS and not is_array(field):
        choices += [some_default(shop.random, field["type"])] * 3
    if "nullableVersions" in field:
        choices += ["null"] * 2
    default = shop.random.choice(choices)
    field.pop("default", None)
    if default is not None:
        field["default"] = default


def nullability_changed(shop: Workshop) -> None:
    site, field = shop.one([(s, f) for s, f in shop.held() if nullable_type(f)])
    if field.pop("nullableVersions", None) is None or shop.random.randrange(2):
        low = present(field).low if "tag" in field else shop.random.choice(sorted(site.of(field)))
        field["nullableVersions"] = write_range(low, present(field).high)
    elif field.get("default") == "null":
        del field["default"]


def range_begins_elsewhere(shop: Workshop) -> None:
    _, field = shop.one(shop.held())
    there = present(field)
    low = there.low + shop.random.choice((-1, 1))
    ends = [there.high, *(range_of(field, key).high for key in _RANGES if key in field)]
    if not 0 <= low <= min(ends):
        raise NotHereError
    field["versions"] = write_range(low, there.high)
    for key in _RANGES:
        if key in field and (range_of(field, key).low < low or shop.random.randrange(2)):
            other = range_of(field, key)
            field[key] = write_range(max(low, 0), other.high)


def range_ends_elsewhere(shop: Workshop) -> None:
    _, field = shop.one(shop.untagged())
    there, top = present(field), valid(shop.message).high
    high = shop.random.choice((HIGHEST, top - 1, top, there.high - 1))
    if high < there.low or high == there.high:
        raise NotHereError
    field["versions"] = write_range(there.low, high)
    nulls = range_of(field, "nullableVersions")
    if not nulls.empty:
        if nulls.low > high:
            raise NotHereError
        field["nullableVersions"] = write_range(nulls.low, high)


def tag_changed(shop: Workshop) -> None:
    site, field = shop.one(shop.tagged())
    others = [f for f in site.fields if "tag" in f and f is not field]
    if others and shop.random.randrange(2):
        other = shop.random.choice(others)
        field["tag"], other["tag"] = other["tag"], field["tag"]
    else:
        field["tag"] = next_tag(site.fields)


def untagged(shop: Workshop) -> None:
    _, field = shop.one(shop.tagged())
    del field["tag"], field["taggedVersions"]


def tagged(shop: Workshop) -> None:
    both = valid(shop.message).meets(flexible(shop.message))
    found = [(s, f) for s, f in shop.untagged() if present(f).high == HIGHEST and not both.empty]
    site, field = shop.one(found)
    low = max(shop.random.choice(both.numbers), present(field).low)
    field |= {"taggedVersions": f"{low}+", "tag": next_tag(site.fields)}


def tagged_from_elsewhere(shop: Workshop) -> None:
    _, field = shop.one(shop.tagged())
    low = range_of(field, "taggedVersions").low + shop.random.choice((-1, 1))
    if low < 0:
        raise NotHereError
    field["taggedVersions"] = f"{low}+"
    if shop.random.randrange(2):
        field["versions"] = f"{min(low, present(field).low)}+"


def flexible_from_elsewhere(shop: Workshop) -> None:
    versions = flexible(shop.message)
    low = valid(shop.message).low if versions.empty else versions.low + shop.random.choice((-1, 1))
    shop.message["flexibleVersions"] = f"{max(low, 0)}+" if shop.random.randrange(6) else "none"


def field_not_compact(shop: Workshop) -> None:
    """A string or bytes with flexible versions of their own: none, all, or from another one on."""
    field = shop.one([f for s, f in shop.held() if f["type"] in ("string", "bytes")])
    if field.pop("flexibleVersions", None) is None or shop.random.randrange(3) == 0:
        low = max(flexible(shop.message).low, 0)
        field["flexibleVersions"] = shop.random.choice(("none", "none", f"{low}+", f"{low + 1}+"))


def field_split(shop: Workshop) -> None:
    """One field becomes two, each for some versions: both of one name, or one of them with a new
    one."""
    site, field = shop.one([(s, f) for s, f in shop.untagged() if len(s.of(f)) > 1])
    first = shop.random.choice(sorted(site.of(field))[1:])
    later = {**copied(field), "versions": write_range(first, present(field).high)}
    later[NUMBER] = -1000 - shop.builder.count
    shop.builder.count += 1
    for inner in later.get("fields", ()):
        inner[NUMBER] = -2000 - shop.builder.count
    if "fields" in later:
        later["type"] = ("[]" if is_array(later) else "") + shop.builder.fresh("Struct")
    field["versions"] = write_range(present(field).low, first - 1)
    for half in (field, later):
        nulls = range_of(half, "nullableVersions").meets(present(half))
        half.pop("nullableVersions", None)
        if not nulls.empty:
            half["nullableVersions"] = write_range(nulls.low, nulls.high)
    renamed = shop.random.choice((None, field, later))
    if renamed is not None:
        renamed["name"] = shop.builder.fresh("Part")
    if shop.random.randrange(4) == 0 and element(later) in KINDS:
        later["type"] = ("[]" if is_array(later) else "") + shop.builder.scalar()
        _mend_default(shop, later)
    place = next(number for number, other in enumerate(site.fields) if other is field)
    site.fields.insert(place + shop.random.choice((0, 1)), later)


def fields_joined(shop: Workshop) -> None:
    """Two fields of one type that share no version become one."""
    found = [
        (s, one, other)
        for s in sites(shop.message)
        for one in s.fields
        for other in s.fields
        if one is not other
        and one["type"] == other["type"]
        and present(one).high + 1 == present(other).low
    ]
    site, one, other = shop.one(found)
    one["versions"] = write_range(present(one).low, present(other).high)
    for key in ("taggedVersions", "tag", "nullableVersions"):
        if key in other:
            one[key] = other[key]
    _take(site.fields, other)


def field_back(shop: Workshop) -> None:
    """A field that a release before had in the struct: as it was, or with another type, name or
    place."""
    site = shop.one(sites(shop.message))
    here = {field["name"] for field in site.fields}
    tags = {field["tag"] for field in site.fields if "tag" in field}
    found = [
        field
        for message in shop.before
        for other in sites(message)
        if other.where == site.where
        and (other.where == "top" or here & {f["name"] for f in other.fields})
        for field in other.fields
        if field["name"] not in here and field.get("tag") not in tags and "fields" not in field
    ]
    field = copied(shop.one(found))
    if shop.random.randrange(3) == 0:
        field["name"] = shop.builder.fresh("Back")
    if shop.random.randrange(3) == 0 and element(field) in KINDS:
        field["type"] = ("[]" if is_array(field) else "") + shop.builder.scalar()
        _mend_default(shop, field)
    site.fields.insert(shop.random.randint(0, len(site.fields)), field)


def type_and_default_changed(shop: Workshop) -> None:
    _, field = shop.one([(s, f) for s, f in shop.leaves() if not is_array(f)])
    field["type"] = shop.builder.scalar()
    field.pop("nullableVersions", None)
    field.pop("default", None)
    default = some_default(shop.random, field["type"])
    if default is not None:
        field["default"] = default


def tagged_and_nullable(shop: Workshop) -> None:
    """A tagged field becomes null, or no longer so, wherever it is tagged or present; with its
    default."""
    _, field = shop.one([(s, f) for s, f in shop.tagged() if nullable_type(f)])
    if field.pop("nullableVersions", None) is None:
        low = shop.random.choice((range_of(field, "taggedVersions").low, present(field).low))
        field["nullableVersions"] = f"{low}+"
        if shop.random.randrange(2):
            field["default"] = "null"
    elif field.get("default") == "null":
        del field["default"]


def tagged_field_in_other_struct(shop: Workshop) -> None:
    site, field = shop.one(
        [(s, f) for s, f in shop.tagged() if len(s.fields) > 1 or s.where == "top"]
    )
    other = shop.one([s for s in sites(shop.message) if s.fields is not site.fields])
    _take(site.fields, field)
    if any(f.get("tag") == field["tag"] for f in other.fields):
        field["tag"] = next_tag(other.fields)
    other.fields.insert(shop.random.randint(0, len(other.fields)), field)


def struct_exchanged(shop: Workshop) -> None:
    """A field of a struct of its own gets a common one, whatever that holds."""
    struct = shop.one(shop.message.get("commonStructs", []))
    _, field = shop.one([(s, f) for s, f in shop.held() if "fields" in f])
    del field["fields"]
    field["type"] = ("[]" if is_array(field) else "") + struct["name"]


def array_nested(shop: Workshop) -> None:
    """The elements of an array become arrays, which the format allows in structs only."""
    _, field = shop.one([(s, f) for s, f in shop.leaves() if is_array(f)])
    name = shop.builder.fresh("Inner")
    inner = {
        NUMBER: shop.builder.count,
        "name": name,
        "type": field["type"],
        "versions": field["versions"],
    }
    field |= {"type": f"[]{shop.builder.fresh('Nest')}", "fields": [inner]}


def map_key_changed(shop: Workshop) -> None:
    found = [
        f for s, a in shop.held() if is_array(a) for f in a.get("fields", ()) if "tag" not in f
    ]
    field = shop.one(found)
    if field.pop("mapKey", None) is None:
        field["mapKey"] = True


def top_unstable(shop: Workshop) -> None:
    if shop.message["type"] != "request":
        raise NotHereError
    shop.message["latestVersionUnstable"] = not shop.message.get("latestVersionUnstable", False)


def fields_grouped(shop: Workshop) -> None:
    site, field = shop.one(shop.untagged())
    place = next(number for number, other in enumerate(site.fields) if other is field)
    taken = site.fields[place : place + shop.random.choice((1, 2))]
    if any("tag" in other or present(other) != present(field) for other in taken):
        raise NotHereError
    name = shop.builder.fresh("Group")
    group = {
        NUMBER: shop.builder.count,
        "name": name,
        "type": name,
        "versions": field["versions"],
        "fields": taken,
    }
    if shop.random.randrange(3) == 0:
        group["type"] = f"[]{name}"
    site.fields[place : place + len(taken)] = [group]


def fields_ungrouped(shop: Workshop) -> None:
    site, field = shop.one([(s, f) for s, f in shop.held() if "fields" in f])
    place = _take(site.fields, field)
    site.fields[place:place] = field["fields"]


def elements_wrapped(shop: Workshop) -> None:
    _, field = shop.one([(s, f) for s, f in shop.leaves() if is_array(f)])
    name = shop.builder.fresh("Inner")
    inner = {
        NUMBER: shop.builder.count,
        "name": name,
        "type": element(field),
        "versions": field["versions"],
    }
    field |= {"type": f"[]{shop.builder.fresh('Wrap')}", "fields": [inner]}


def elements_unwrapped(shop: Workshop) -> None:
    found = [f for s, f in shop.held() if is_array(f) and len(f.get("fields", ())) == 1]
    field = shop.one(found)
    inner = field.pop("fields")[0]
    if is_array(inner):
        raise NotHereError
    field["type"] = f"[]{inner['type']}"
    if "fields" in inner:
        field["fields"] = inner["fields"]


def struct_shared(shop: Workshop) -> None:
    _, field = shop.one([(s, f) for s, f in shop.held() if "fields" in f])
    struct = {"name": element(field), "versions": "0+", "fields": field.pop("fields")}
    shop.message.setdefault("commonStructs", []).append(struct)


def struct_unshared(shop: Workshop) -> None:
    """Every field of a common struct gets its own copy."""
    struct = shop.one(shop.message.get("commonStructs", []))
    shop.message["commonStructs"] = [
        other for other in shop.message["commonStructs"] if other is not struct
    ]
    if not shop.message["commonStructs"]:
        del shop.message["commonStructs"]
    for site in sites_of(shop.message):
        for field in site:
            if element(field) == struct["name"]:
                field["type"] = ("[]" if is_array(field) else "") + shop.builder.fresh("Struct")
                field["fields"] = copied(struct["fields"])


def sites_of(message: Spec) -> list[list[Spec]]:
    """The fields of every struct as written."""
    found: list[list[Spec]] = []

    def inside(fields: list[Spec]) -> None:
        found.append(fields)
        for field in fields:
            if field.get("fields"):
                inside(field["fields"])

    inside(message["fields"])
    for struct in message.get("commonStructs", ()):
        inside(struct["fields"])
    return found


def message_changed(shop: Workshop) -> None:
    """What the header says of a message: its API key, or which side sends it."""
    if "apiKey" not in shop.message:
        raise NotHereError
    if shop.random.randrange(2):
        shop.message["apiKey"] += 1
    else:
        shop.message["type"] = {"request": "response", "response": "request"}[shop.message["type"]]
        shop.message.pop("listeners", None)
        shop.message.pop("latestVersionUnstable", None)
        if shop.message["type"] == "request":
            shop.message["listeners"] = ["broker"]


def message_renamed(shop: Workshop) -> None:
    """Messages with a key are known by it."""
    if "apiKey" not in shop.message:
        raise NotHereError
    shop.message["name"] = shop.builder.fresh("Other") + shop.message["type"].title()


def marks_changed(shop: Workshop) -> None:
    """What only generated code and readers of the text see."""
    _, field = shop.one(shop.held())
    if shop.random.randrange(2):
        field["ignorable"] = not field.get("ignorable", False)
    else:
        field["about"] = shop.random.choice(("What it is.", "What it was."))


def default_respelt(shop: Workshop) -> None:
    _, field = shop.one(
        [(s, f) for s, f in shop.leaves() if f.get("default") in ("7", "0x10", "0")]
    )
    field["default"] = {"7": "0x7", "0x10": 16, "0": 0}[field["default"]]


# How often each is taken: in a patch that is judged, and in the releases before it, which hold less
# often what broke their peers and more often what is taken away and comes back.
EDITS: dict[Edit, tuple[int, int]] = {
    new_version: (6, 10),
    lowest_version_dropped: (1, 3),
    highest_version_dropped: (1, 1),
    lowest_version_back: (1, 1),
    field_added: (2, 1),
    tagged_field_added: (8, 5),
    field_removed: (2, 1),
    tagged_field_removed: (2, 5),
    field_replaced: (4, 1),
    field_shifted: (5, 0),
    field_moved: (3, 1),
    field_in_other_struct: (1, 0),
    field_renamed: (6, 5),
    field_takes_old_name: (2, 1),
    names_swapped: (2, 0),
    struct_renamed: (3, 2),
    type_changed: (3, 1),
    type_reinterpreted: (4, 1),
    array_made_or_unmade: (2, 0),
    default_changed: (4, 1),
    nullability_changed: (3, 1),
    range_begins_elsewhere: (3, 1),
    range_ends_elsewhere: (3, 1),
    tag_changed: (3, 0),
    untagged: (2, 0),
    tagged: (2, 0),
    tagged_from_elsewhere: (3, 1),
    flexible_from_elsewhere: (1, 0),
    field_not_compact: (1, 0),
    fields_grouped: (3, 1),
    fields_ungrouped: (2, 1),
    elements_wrapped: (2, 1),
    elements_unwrapped: (2, 1),
    struct_shared: (4, 2),
    struct_unshared: (3, 1),
    field_split: (3, 2),
    fields_joined: (2, 1),
    field_back: (3, 2),
    type_and_default_changed: (2, 0),
    tagged_and_nullable: (2, 1),
    tagged_field_in_other_struct: (1, 0),
    struct_exchanged: (1, 0),
    array_nested: (1, 0),
    map_key_changed: (1, 1),
    top_unstable: (1, 1),
    message_changed: (1, 0),
    message_renamed: (1, 1),
    marks_changed: (4, 1),
    default_respelt: (3, 1),
}


def edited(
    message: Spec, before: Sequence[Spec], builder: Builder, number: int, *, judged: bool
) -> tuple[Spec, tuple[str, ...]]:
    """A right message that some edits make of another, and their names."""
    weights = [weight[0 if judged else 1] for weight in EDITS.values()]
    names: list[str] = []
    for _ in range(6 * number):
        if len(names) == number:
            break
        edit = builder.random.choices(list(EDITS), weights)[0]
        made = copied(message)
        try:
            edit(Workshop(made, before, builder))
        except NotHereError:
            continue
        if made != message and right(made):
            message = made
            names.append(edit.__name__)
    return message, tuple(names)
