"""Sound evolutions of a protocol: each changes the specs as a patch that breaks nobody would."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable, Sequence
from typing import Any

from hypothesis import strategies as st

from tests.rules.protocols import (
    API_VERSIONS,
    SCALARS,
    Draw,
    Site,
    Spec,
    Specs,
    apis,
    can_be_null,
    flexible,
    fresh,
    is_leaf,
    messages,
    next_tag,
    partners,
    pick,
    rng,
    sites,
    valid,
    walk,
)
from wirebook.specs.versions import Versions

Evolution = Callable[[Draw, Specs], None]


def new_version(draw: Draw, specs: Specs) -> None:
    """An API or a record gets a version, in which its fields may differ from those below."""
    message = pick(draw, list(specs.values()))
    if message is None or not valid(message):
        return
    together = partners(specs, message)
    top = valid(message).highest + 1
    turns = not rng(message, "flexibleVersions") and draw(st.booleans())
    for other in together:
        other["validVersions"] = str(Versions(valid(other).lowest, top))
        if turns:
            other["flexibleVersions"] = f"{top}+"
        for change in draw(st.lists(st.sampled_from(IN_NEW_VERSIONS), max_size=3)):
            change(draw, specs, other, top)


def _open(site: Site, top: int) -> bool:
    """Whether the fields of a struct are there in the new version."""
    return top in site.versions


def _add_untagged(draw: Draw, specs: Specs, message: Spec, top: int) -> None:
    site = pick(draw, [site for site in sites(message) if _open(site, top)])
    if site is not None:
        kind = draw(st.sampled_from(["int32", "string", "[]int64", "bool", "records"]))
        item = {"name": fresh(specs, "Newer"), "type": kind, "versions": f"{top}+"}
        site.fields.insert(draw(st.integers(0, len(site.fields))), item)


def _end_field(draw: Draw, specs: Specs, message: Spec, top: int) -> None:
    some = [item for item in _untagged(message, top) if rng(item, "versions").lowest < top]
    # A struct does not end in the version that one of its fields begins with.
    item = pick(draw, [item for item in some if f'"versions": "{top}+"' not in json.dumps(item)])
    if item is not None:
        item["versions"] = str(Versions(rng(item, "versions").lowest, top - 1))


def _begin_null(draw: Draw, specs: Specs, message: Spec, top: int) -> None:
    some = [item for item in _untagged(message, top) if can_be_null(item) and "nullableVersions" not in item]
    item = pick(draw, some)
    if item is not None:
        item["nullableVersions"] = f"{top}+"


def _end_null(draw: Draw, specs: Specs, message: Spec, top: int) -> None:
    some = [item for item in _untagged(message, top) if 0 <= rng(item, "nullableVersions").lowest < top]
    item = pick(draw, [item for item in some if "nullableVersions" in item and item.get("default") != "null"])
    if item is not None:
        item["nullableVersions"] = str(Versions(rng(item, "nullableVersions").lowest, top - 1))


def _become_tagged(draw: Draw, specs: Specs, message: Spec, top: int) -> None:
    found = []
    for site in sites(message):
        for item in site.fields:
            null = rng(item, "nullableVersions")
            plain = item["type"] != "records" and (not null or null.covers(Versions(top, null.highest)))
            if plain and any(item is other for other in _untagged(message, top)):
                found.append((site, item))
    chosen = pick(draw, found)
    if chosen is not None and top in flexible(message):
        site, item = chosen
        item |= {"taggedVersions": f"{top}+", "tag": next_tag(site.fields)}


IN_NEW_VERSIONS = (_add_untagged, _end_field, _begin_null, _end_null, _become_tagged)


def _untagged(message: Spec, top: int) -> list[Spec]:
    """The untagged fields with an open range that a version has."""
    return [
        item
        for site in sites(message)
        for item in site.fields
        if top in site.of(item) and rng(item, "versions").open and "tag" not in item
    ]


def add_tagged(draw: Draw, specs: Specs) -> None:
    """A new tagged field joins flexible versions, released or not."""
    found = [(site, sorted(site.versions & flexible(site.message))) for site in walk(specs)]
    chosen = pick(draw, [item for item in found if item[1]])
    if chosen is None:
        return
    site, versions = chosen
    since = draw(st.sampled_from(versions))
    item: dict[str, Any] = {"name": fresh(specs, "Extra"), "type": draw(st.sampled_from(SCALARS))}
    item |= {"versions": f"{since}+", "taggedVersions": f"{since}+", "tag": next_tag(site.fields)}
    if item["type"] == "string" and draw(st.booleans()):
        item |= {"nullableVersions": f"{since}+", "default": "null"}
    site.fields.insert(draw(st.integers(0, len(site.fields))), item)


def new_api(draw: Draw, specs: Specs) -> None:
    """An API with the next free key, or a record."""
    if draw(st.booleans()):
        key = max((spec.get("apiKey", -1) for spec in specs.values()), default=-1) + 1
        specs |= draw(apis(key, fresh(specs, "NewApi")))
    else:
        name = fresh(specs, "NewRecord")
        specs[f"specs/{name}.json"] = draw(messages(name, "data", 0, 0, 0))


def deprecate(draw: Draw, specs: Specs) -> None:
    """The oldest versions of a request are marked; none of ApiVersions."""
    some = [s for s in specs.values() if s["type"] == "request" and s["apiKey"] != API_VERSIONS and valid(s)]
    message = pick(draw, some)
    if message is not None:
        lowest, highest = valid(message).lowest, valid(message).highest
        marked = max(draw(st.integers(lowest, highest)), rng(message, "deprecatedVersions").highest)
        message["deprecatedVersions"] = str(Versions(lowest, marked))


def drop_deprecated(draw: Draw, specs: Specs) -> None:
    """Versions that the old side has marked as deprecated go, on both sides of the API."""
    marked = [
        (spec, range_)
        for spec in specs.values()
        for range_ in [rng({"r": spec["marked before"]}, "r") if "marked before" in spec else Versions.NONE]
        if range_ and range_.highest < valid(spec).highest and range_.lowest == valid(spec).lowest
    ]
    chosen = pick(draw, marked)
    if chosen is None:
        return
    message, range_ = chosen
    lowest = draw(st.integers(range_.lowest, range_.highest)) + 1
    for other in partners(specs, message):
        other["validVersions"] = str(Versions(lowest, valid(other).highest))


def describe(draw: Draw, specs: Specs) -> None:
    """An `about` changes, or one is written."""
    site = pick(draw, [site for site in walk(specs) if site.fields])
    if site is not None:
        draw(st.sampled_from(site.fields))["about"] = draw(st.text(max_size=20))


def move_file(draw: Draw, specs: Specs) -> None:
    """A spec file lies elsewhere, under another name."""
    path = pick(draw, sorted(specs))
    if path is not None:
        name = fresh({path: {} for path in specs}, "moved")
        specs[f"other/{name}.json"] = specs.pop(path)


def make_stable(draw: Draw, specs: Specs) -> None:
    """A version is no longer marked as unstable: from now on it is frozen."""
    message = pick(draw, [spec for spec in specs.values() if "latestVersionUnstable" in spec])
    if message is not None:
        del message["latestVersionUnstable"]


def respell(draw: Draw, specs: Specs) -> None:
    """The same value in other words: a default, or a range that goes on above the top version."""
    fields = [item for site in walk(specs) for item in site.fields]
    item = pick(draw, [item for item in fields if item.get("default") in ("7", 7, "0")])
    if item is not None and draw(st.booleans()):
        number = int(item["default"])
        hexadecimal = [] if item["type"] == "float64" else [hex(number)]
        item["default"] = draw(st.sampled_from([number, str(number), *hexadecimal]))
        return
    zero = [item for item in fields if "default" not in item and item["type"] in ("int32", "string")]
    item = pick(draw, zero)
    if item is not None:
        item["default"] = draw(st.sampled_from([None, "0" if item["type"] == "int32" else ""]))


def rename(draw: Draw, specs: Specs) -> None:
    """A field is called otherwise: generated code changes, bytes do not."""
    fields = (item for site in walk(specs) for item in site.fields if site.of(item))
    item = pick(draw, [item for item in fields if "tag" not in item])
    if item is not None:
        item["name"] = fresh(specs, "Renamed")


def rename_api(draw: Draw, specs: Specs) -> None:
    """An API is called otherwise, with its key."""
    message = pick(draw, [spec for spec in specs.values() if "apiKey" in spec])
    if message is not None:
        name = fresh(specs, "OtherApi")
        for other in partners(specs, message):
            other["name"] = f"{name}{other['type'].title()}"


def rename_struct(draw: Draw, specs: Specs) -> None:
    """A struct is called otherwise."""
    item = pick(draw, [item for site in walk(specs) for item in site.fields if "fields" in item])
    if item is not None:
        item["type"] = ("[]" if item["type"].startswith("[]") else "") + fresh(specs, "Group")


def share_struct(draw: Draw, specs: Specs) -> None:
    """A struct that stood in its field goes to the common ones."""
    found = [(site.message, item) for site in walk(specs) for item in site.fields if "fields" in item]
    chosen = pick(draw, [item for item in found if site_is_open(item[1])])
    if chosen is not None:
        message, item = chosen
        struct = {"name": item["type"].removeprefix("[]"), "versions": "0+", "fields": item.pop("fields")}
        message.setdefault("commonStructs", []).append(struct)


def site_is_open(item: Spec) -> bool:
    return rng(item, "versions").open


def more_listeners(draw: Draw, specs: Specs) -> None:
    """A request is served on both listeners."""
    message = pick(draw, [spec for spec in specs.values() if spec["type"] == "request"])
    if message is not None:
        message["listeners"] = draw(st.permutations(["broker", "controller"]))


def reinterpret(draw: Draw, specs: Specs) -> None:
    """Another type of the same bytes, and what else only generated code sees."""
    chosen = pick(draw, [(site, item) for site in walk(specs) for item in site.fields if is_leaf(item)])
    if chosen is None:
        return
    site, item = chosen
    # Where a version lacks the field, absent bytes are empty and absent records are null.
    always = site.of(item) == frozenset(valid(site.message))
    if item["type"] == "bytes" and "tag" not in item and "default" not in item and always:
        item["type"] = "records"
    elif item["type"] == "string":
        item["entityType"] = "topicName"
    else:
        item["ignorable"] = not item.get("ignorable", False)


def wrap_elements(draw: Draw, specs: Specs) -> None:
    """In inflexible versions an array of a struct of one field has the bytes of an array of that field."""
    found = [(site, item) for site in walk(specs) for item in site.leaves() if item["type"].startswith("[]")]
    chosen = pick(draw, [(site, item) for site, item in found if _inflexible(site, item)])
    if chosen is not None:
        item = chosen[1]
        inner = {"name": fresh(specs, "Inner"), "type": item["type"][2:], "versions": item["versions"]}
        item |= {"type": f"[]{fresh(specs, 'Wrap')}", "fields": [inner]}


def group_fields(draw: Draw, specs: Specs) -> None:
    """In inflexible versions a struct around fields leaves no byte."""
    found = [(site, place) for site in walk(specs) for place in range(len(site.fields) - 1)]
    chosen = pick(
        draw,
        [
            (site, place)
            for site, place in found
            if all(_inflexible(site, item) for item in site.fields[place : place + 2])
            and site.fields[place]["versions"] == site.fields[place + 1]["versions"]
        ],
    )
    if chosen is not None:
        site, place = chosen
        name = fresh(specs, "Grouped")
        grouped = site.fields[place : place + 2]
        item = {"name": name, "type": name, "versions": grouped[0]["versions"], "fields": grouped}
        site.fields[place : place + 2] = [item]


def _inflexible(site: Site, item: Spec) -> bool:
    """Whether a field is in some valid version, and in none that is flexible."""
    return bool(site.of(item)) and not site.of(item) & flexible(site.message)


SOUND: tuple[Evolution, ...] = (
    new_version,
    new_version,
    new_version,
    add_tagged,
    add_tagged,
    new_api,
    deprecate,
    drop_deprecated,
    describe,
    move_file,
    make_stable,
    respell,
    rename,
    rename_api,
    rename_struct,
    share_struct,
    more_listeners,
    reinterpret,
    wrap_elements,
    group_fields,
)


def evolve(draw: Draw, specs: Specs, changes: Sequence[Evolution]) -> Specs:
    """The specs after some changes; those given stay as they are."""
    made = copy.deepcopy(specs)
    for spec in made.values():
        if "deprecatedVersions" in spec:
            spec["marked before"] = spec["deprecatedVersions"]
    for change in changes:
        change(draw, made)
    for spec in made.values():
        spec.pop("marked before", None)
    return made
