"""Single edits that break somebody, each with the rules that may answer and the number of their findings."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from hypothesis import reject
from hypothesis import strategies as st

from tests.rules.protocols import (
    API_VERSIONS,
    NUMBERS,
    Draw,
    Site,
    Spec,
    Specs,
    Thing,
    can_be_null,
    flexible,
    fresh,
    is_leaf,
    next_tag,
    partners,
    rng,
    valid,
    walk,
)
from wirebook.specs.versions import Versions


@dataclass(frozen=True)
class Break:
    """A kind of breaking edit. `edit` changes the specs, all of whose versions are released.

    One of `rules` answers with one error, or with as many as `edit` says, and no other rule with any, save
    one of `beside` for each message whose file is faulty by the edit. `api_versions` is whether the edit is
    one of ApiVersions.
    """

    edit: Callable[[Draw, Specs], int | None]
    rules: tuple[str, ...]
    beside: tuple[str, ...] = ()
    api_versions: bool = False

    @property
    def name(self) -> str:
        return self.edit.__name__.strip("_").replace("_", " ")


def one(draw: Draw, candidates: list[Thing]) -> Thing:
    """One of the candidates; an example without any is none."""
    if not candidates:
        reject()
    return draw(st.sampled_from(candidates))  # type: ignore[no-any-return]


def held(specs: Specs) -> Iterator[tuple[Site, Spec]]:
    """Every field that some valid version has, with its struct."""
    for site in walk(specs):
        for item in site.fields:
            if site.of(item):
                yield site, item


def tagged(specs: Specs) -> list[tuple[Site, Spec]]:
    return [(site, item) for site, item in held(specs) if "tag" in item]


def untagged(specs: Specs) -> list[tuple[Site, Spec]]:
    return [(site, item) for site, item in held(specs) if "tag" not in item]


def another_type(draw: Draw, item: Spec) -> str:
    """A type of other bytes that may be null where the field may be."""
    was = item["type"].removeprefix("[]")
    signed = {"uint16": "int16", "uint32": "int32"}.get(was, was)
    kinds = ["int8", "int32", "int64", "float64", "string", "[]int16", "[]string"]
    kinds = [kind for kind in kinds if kind.removeprefix("[]") not in (was, signed)]
    if "nullableVersions" in item:
        kinds = [kind for kind in kinds if can_be_null({"type": kind})]
    return str(draw(st.sampled_from(kinds)))


# -- tags -----------------------------------------------------------------------------------------


def tag_reused(draw: Draw, specs: Specs) -> None:
    everywhere = [(site, item) for site, item in tagged(specs) if item["versions"] == item["taggedVersions"]]
    site, item = one(draw, everywhere)
    other = {key: item[key] for key in ("versions", "taggedVersions", "tag")}
    other |= {"name": fresh(specs, "Other"), "type": another_type(draw, {"type": item["type"]})}
    site.fields[site.fields.index(item)] = other


def tag_changed(draw: Draw, specs: Specs) -> None:
    site, item = one(draw, tagged(specs))
    item["tag"] = next_tag(site.fields)


def tags_swapped(draw: Draw, specs: Specs) -> int:
    pairs = [
        (first, second)
        for site, first in tagged(specs)
        for second in site.fields
        if "tag" in second and second["tag"] > first["tag"] and site.of(second)
        # The layouts of two of one type stay as they are, and the bytes of two of one width.
        if first["type"] != second["type"] and not ("fields" in first and "fields" in second)
        if first["type"].replace("uint", "int") != second["type"].replace("uint", "int")
    ]
    first, second = one(draw, pairs)
    first["tag"], second["tag"] = second["tag"], first["tag"]
    return 2


def tag_taken_away(draw: Draw, specs: Specs) -> None:
    _, item = one(draw, tagged(specs))
    del item["tag"], item["taggedVersions"]


def tagged_in_released_version(draw: Draw, specs: Specs) -> None:
    found = []
    for site, item in untagged(specs):
        versions = sorted(site.of(item) & flexible(site.message))
        nulls = rng(item, "nullableVersions")
        whole = not nulls or nulls.covers(rng(item, "versions"))
        if versions and item["type"] != "records" and rng(item, "versions").open and whole:
            found.append((site, item, versions))
    site, item, versions = one(draw, found)
    item |= {"taggedVersions": f"{draw(st.sampled_from(versions))}+", "tag": next_tag(site.fields)}


def tagged_versions_withdrawn(draw: Draw, specs: Specs) -> None:
    found = []
    for site, item in tagged(specs):
        start = rng(item, "taggedVersions").lowest
        if start in site.versions and start + 1 in site.versions:
            found.append((item, start))
    item, start = one(draw, found)
    if item["versions"] == item["taggedVersions"] and is_leaf(item):
        item["versions"] = f"{start + 1}+"
    item["taggedVersions"] = f"{start + 1}+"


def tagged_versions_reach_down(draw: Draw, specs: Specs) -> None:
    found = []
    for site, item in tagged(specs):
        start = rng(item, "taggedVersions").lowest
        if start - 1 in site.versions & flexible(site.message):
            found.append((item, start - 1))
    item, start = one(draw, found)
    if rng(item, "versions").lowest > start:
        if "nullableVersions" in item:
            item["nullableVersions"] = f"{start}+"
        item["versions"] = f"{start}+"
    item["taggedVersions"] = f"{start}+"


def tagged_field_in_inflexible_version(draw: Draw, specs: Specs) -> None:
    found = [(site, sorted(site.versions - flexible(site.message))) for site in walk(specs)]
    site, versions = one(draw, [(site, versions) for site, versions in found if versions])
    since = draw(st.sampled_from(versions))
    made = {"name": fresh(specs, "Extra"), "type": "int32", "tag": next_tag(site.fields)}
    site.fields.append(made | {"versions": f"{since}+", "taggedVersions": f"{since}+"})


# -- types, nullability, defaults -----------------------------------------------------------------


def type_changed(draw: Draw, specs: Specs) -> None:
    _, item = one(draw, [(site, item) for site, item in held(specs) if is_leaf(item)])
    item["type"] = another_type(draw, item)
    if item.get("default") != "null":
        item.pop("default", None)


def becomes_an_array(draw: Draw, specs: Specs) -> None:
    some = [item for _, item in held(specs) if item["type"][:2] != "[]" and item["type"] != "records"]
    item = one(draw, some)
    item["type"] = f"[]{item['type']}"
    if item.get("default") != "null":
        item.pop("default", None)


def null_allowed(draw: Draw, specs: Specs) -> None:
    some = [item for _, item in held(specs) if can_be_null(item) and "nullableVersions" not in item]
    item = one(draw, some)
    item["nullableVersions"] = item["versions"]


def null_forbidden(draw: Draw, specs: Specs) -> None:
    found = []
    for site, item in held(specs):
        nulls = rng(item, "nullableVersions")
        if item.get("default") != "null" and site.of(item) & frozenset(
            v for v in site.versions if v in nulls
        ):
            found.append(item)
    del one(draw, found)["nullableVersions"]


def null_begins_earlier(draw: Draw, specs: Specs) -> None:
    found = []
    for site, item in untagged(specs):
        start = rng(item, "nullableVersions").lowest
        if "nullableVersions" in item and start - 1 in site.of(item):
            found.append((item, start - 1))
    item, start = one(draw, found)
    item["nullableVersions"] = f"{start}+"


def default_of_tagged_changed(draw: Draw, specs: Specs) -> None:
    item = one(draw, [item for _, item in tagged(specs) if item["type"] in (*NUMBERS, "string", "bool")])
    _other_default(item)


def default_of_untagged_changed(draw: Draw, specs: Specs) -> None:
    found = [
        item
        for site, item in untagged(specs)
        # Where all that has the struct has the field, it may never be absent.
        if item["type"] in (*NUMBERS, "string", "bool") and site.of(item) < site.versions
    ]
    _other_default(one(draw, found))


def _other_default(item: Spec) -> None:
    other: dict[str, Any] = {"string": "other", "bool": "true"}
    item["default"] = other.get(item["type"], 11)


# -- fields ---------------------------------------------------------------------------------------


def untagged_field_added(draw: Draw, specs: Specs) -> None:
    site = one(draw, list(walk(specs)))
    since = draw(st.sampled_from(sorted(site.versions)))
    kind = draw(st.sampled_from(["int32", "string", "[]int64", "records"]))
    item = {"name": fresh(specs, "Extra"), "type": kind, "versions": f"{since}+"}
    site.fields.insert(draw(st.integers(0, len(site.fields))), item)


def field_removed(draw: Draw, specs: Specs) -> None:
    found = [(site, item) for site, item in held(specs) if is_leaf(item) and len(site.fields) > 1]
    site, item = one(draw, found)
    site.fields.remove(item)


def field_moved(draw: Draw, specs: Specs) -> None:
    found = []
    for site in walk(specs):
        found += [
            (site.fields, first, second)
            for first, second in pairwise(site.fields)
            if "tag" not in first
            and "tag" not in second
            and site.of(first) & site.of(second)
            # A struct by itself may have no bytes in the versions of the other.
            and all(is_leaf(item) or item["type"].startswith("[]") for item in (first, second))
        ]
    fields, first, second = one(draw, found)
    place = fields.index(first)
    fields[place : place + 2] = [second, first]


def field_begins_later(draw: Draw, specs: Specs) -> None:
    found = []
    for site, item in untagged(specs):
        start = rng(item, "versions").lowest
        if is_leaf(item) and rng(item, "versions").open and {start, start + 1} <= site.versions:
            found.append((item, start + 1))
    item, start = one(draw, found)
    item["versions"] = f"{start}+"


def field_begins_earlier(draw: Draw, specs: Specs) -> None:
    found = []
    for site, item in untagged(specs):
        start = rng(item, "versions").lowest - 1
        if is_leaf(item) and start in site.versions and item.get("default") != "null":
            found.append((item, start))
    item, start = one(draw, found)
    item["versions"] = str(Versions(start, rng(item, "versions").highest))


def field_ended(draw: Draw, specs: Specs) -> None:
    found = []
    for site, item in untagged(specs):
        if is_leaf(item) and rng(item, "versions").open and len(site.of(item)) > 1:
            found.append((item, max(site.of(item)) - 1))
    item, end = one(draw, found)
    item["versions"] = str(Versions(rng(item, "versions").lowest, end))


def field_opened_again(draw: Draw, specs: Specs) -> None:
    found = []
    for site, item in untagged(specs):
        if is_leaf(item) and max(site.versions) > rng(item, "versions").highest:
            found.append(item)
    item = one(draw, [item for item in found if item.get("default") != "null"])
    item["versions"] = f"{rng(item, 'versions').lowest}+"


def fields_grouped_in_flexible_version(draw: Draw, specs: Specs) -> None:
    """A struct that stands in no array still ends with a tagged section."""
    found = [
        (site.fields, item)
        for site, item in untagged(specs)
        if is_leaf(item) and site.of(item) & flexible(site.message)
    ]
    fields, item = one(draw, found)
    name = fresh(specs, "Grouped")
    fields[fields.index(item)] = {"name": name, "type": name, "versions": item["versions"], "fields": [item]}


def elements_wrapped_in_flexible_version(draw: Draw, specs: Specs) -> None:
    found = [
        item
        for site, item in held(specs)
        if is_leaf(item) and item["type"][:2] == "[]" and site.of(item) & flexible(site.message)
    ]
    item = one(draw, found)
    inner = {"name": fresh(specs, "Inner"), "type": item["type"][2:], "versions": item["versions"]}
    item |= {"type": f"[]{fresh(specs, 'Wrap')}", "fields": [inner]}


# -- flexible versions ----------------------------------------------------------------------------


def flexible_versions_narrowed(draw: Draw, specs: Specs) -> int:
    message = one(draw, [spec for spec in specs.values() if flexible(spec)])
    return _flexible(specs, message, f"{min(flexible(message)) + 1}+")


def flexible_versions_widened(draw: Draw, specs: Specs) -> int:
    found = [(spec, sorted(set(valid(spec)) - flexible(spec))) for spec in specs.values()]
    message, versions = one(draw, [item for item in found if item[1]])
    return _flexible(specs, message, f"{draw(st.sampled_from(versions))}+")


def flexible_versions_removed(draw: Draw, specs: Specs) -> int:
    message = one(draw, [spec for spec in specs.values() if flexible(spec)])
    return _flexible(specs, message, "none")


def _flexible(specs: Specs, message: Spec, text: str) -> int:
    both = partners(specs, message)
    for other in both:
        other["flexibleVersions"] = text
    return len(both)


def field_no_longer_compact(draw: Draw, specs: Specs) -> None:
    found = [
        item
        for site, item in held(specs)
        if item["type"] in ("string", "bytes") and site.of(item) & flexible(site.message)
    ]
    one(draw, found)["flexibleVersions"] = "none"


# -- messages -------------------------------------------------------------------------------------


def api_key_changed(draw: Draw, specs: Specs) -> int:
    message = one(draw, [spec for spec in specs.values() if "apiKey" in spec])
    both = partners(specs, message)
    key = max(spec.get("apiKey", 0) for spec in specs.values()) + 1
    for other in both:
        other["apiKey"] = key
    return len(both)


def message_type_changed(draw: Draw, specs: Specs) -> None:
    message = one(draw, [spec for spec in specs.values() if spec["type"] == "response"])
    message["type"] = "data"


def message_deleted(draw: Draw, specs: Specs) -> int:
    message = one(draw, list(specs.values()))
    deleted = partners(specs, message)
    for path in [path for path, spec in specs.items() if any(spec is other for other in deleted)]:
        del specs[path]
    # A response follows from its request.
    types = [spec["type"] for spec in deleted]
    return len(types) - ("request" in types and "response" in types)


def version_dropped_below(draw: Draw, specs: Specs) -> None:
    some = [s for s in specs.values() if s["type"] == "request" and len(valid(s)) > 1]
    message = one(draw, [spec for spec in some if "deprecatedVersions" not in spec])
    for other in partners(specs, message):
        other["validVersions"] = str(Versions(valid(other).lowest + 1, valid(other).highest))


def version_dropped_above(draw: Draw, specs: Specs) -> int:
    message = one(draw, [spec for spec in specs.values() if len(valid(spec)) > 1])
    both = partners(specs, message)
    for other in both:
        other["validVersions"] = str(Versions(valid(other).lowest, valid(other).highest - 1))
    return len(both)


def version_of_one_side_alone(draw: Draw, specs: Specs) -> None:
    message = one(draw, [spec for spec in specs.values() if "apiKey" in spec])
    message["validVersions"] = str(Versions(valid(message).lowest, valid(message).highest + 1))


def one_side_alone_turns_flexible(draw: Draw, specs: Specs) -> None:
    message = one(draw, [s for s in specs.values() if "apiKey" in s and not rng(s, "flexibleVersions")])
    top = valid(message).highest + 1
    for other in partners(specs, message):
        other["validVersions"] = str(Versions(valid(other).lowest, top))
    message["flexibleVersions"] = f"{top}+"


def version_made_unstable(draw: Draw, specs: Specs) -> None:
    message = one(draw, [spec for spec in specs.values() if spec["type"] == "request"])
    message["latestVersionUnstable"] = True


def listener_withdrawn(draw: Draw, specs: Specs) -> None:
    message = one(draw, [spec for spec in specs.values() if len(spec.get("listeners", ())) > 1])
    message["listeners"] = [draw(st.sampled_from(message["listeners"]))]


def api_versions_deprecated(draw: Draw, specs: Specs) -> None:
    message = next(s for s in specs.values() if s.get("apiKey") == API_VERSIONS and s["type"] == "request")
    message["deprecatedVersions"] = str(Versions(0, draw(st.integers(0, valid(message).highest))))


def api_versions_narrowed(draw: Draw, specs: Specs) -> int:
    both = [s for s in specs.values() if s.get("apiKey") == API_VERSIONS and len(valid(s)) > 1]
    one(draw, both)
    for message in both:
        message["validVersions"] = str(Versions(1, valid(message).highest))
    return len(both)


OUTSIDE = ("tagged-in-inflexible-version",)

BREAKS = (
    Break(tag_reused, ("tag-reused",)),
    Break(tag_changed, ("tag-changed",)),
    Break(tags_swapped, ("tag-changed",)),
    Break(tag_taken_away, ("tagging-changed",)),
    Break(tagged_in_released_version, ("tagging-changed",)),
    Break(tagged_versions_withdrawn, ("field-versions-changed", "tagging-changed")),
    Break(tagged_versions_reach_down, ("field-versions-changed", "tagging-changed")),
    Break(tagged_field_in_inflexible_version, ("tagged-in-inflexible-version",)),
    Break(type_changed, ("type-changed",)),
    Break(becomes_an_array, ("type-changed",)),
    Break(null_allowed, ("nullability-changed",)),
    Break(null_forbidden, ("nullability-changed",)),
    Break(null_begins_earlier, ("nullability-changed",)),
    Break(default_of_tagged_changed, ("default-changed",)),
    Break(default_of_untagged_changed, ("default-changed",)),
    Break(untagged_field_added, ("field-added-to-released-version",)),
    Break(field_removed, ("field-removed-from-released-version", "definition-deleted")),
    Break(field_moved, ("field-moved",)),
    Break(field_begins_later, ("field-versions-changed",)),
    Break(field_begins_earlier, ("field-versions-changed",)),
    Break(field_ended, ("field-versions-changed",)),
    Break(field_opened_again, ("field-versions-changed",)),
    Break(fields_grouped_in_flexible_version, ("field-added-to-released-version",)),
    Break(elements_wrapped_in_flexible_version, ("type-changed",)),
    Break(flexible_versions_narrowed, ("flexible-versions-changed",), OUTSIDE),
    Break(flexible_versions_widened, ("flexible-versions-changed",), OUTSIDE),
    Break(flexible_versions_removed, ("flexible-versions-changed",), OUTSIDE),
    Break(field_no_longer_compact, ("field-flexible-versions-changed",), ("tagged-in-inflexible-version",)),
    Break(api_key_changed, ("api-key-changed",)),
    Break(message_type_changed, ("message-type-changed",)),
    Break(message_deleted, ("message-deleted",)),
    Break(version_dropped_below, ("lowest-version-raised",)),
    Break(
        version_dropped_above,
        ("highest-version-lowered",),
        ("field-in-no-version", "nullable-versions-outside"),
    ),
    Break(version_of_one_side_alone, ("partner-versions-differ",)),
    Break(one_side_alone_turns_flexible, ("partner-versions-differ",)),
    Break(version_made_unstable, ("version-made-unstable",)),
    Break(listener_withdrawn, ("listener-withdrawn",)),
    Break(api_versions_deprecated, ("api-versions-deprecated",), api_versions=True),
    Break(api_versions_narrowed, ("api-versions-deprecated",), api_versions=True),
)
