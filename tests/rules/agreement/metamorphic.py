"""Changes of all sides of a patch that change no verdict, and second edits that make none milder."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from copy import deepcopy
from random import Random
from typing import Any

from tests.prove.cases import Case, findings_of
from tests.prove.protocols import all_fields, nullable_type, right, write_range
from tests.prove.shapes import KINDS, Spec, element, is_array, present, range_of, valid
from wirebook.rules.finding import Finding, Severity

# All sides of a case with the same change; None where the case has nothing that it could change.
Change = Callable[[Case, Random], Case | None]


def errors(given: Case) -> list[Finding]:
    """The errors of a case, without those on two fields of a name, which is what a split makes."""
    return [
        finding
        for finding in findings_of(given)
        if finding.severity is Severity.ERROR and finding.rule != "duplicate-field-name"
    ]


def rules(given: Case) -> Counter[tuple[str, str]]:
    """The rules of the errors of a case, each with its versions."""
    return Counter((finding.rule, finding.versions.text) for finding in errors(given))


def _sides(given: Case) -> list[Spec]:
    return [given.old, given.new, *given.releases]


def _with(given: Case, sides: list[Spec]) -> Case | None:
    """The case with other sides; None if one of them is not right any more."""
    if not all(right(after) for before, after in zip(_sides(given), sides, strict=True) if right(before)):
        return None
    return Case(given.seed, tuple(sides[2:]), sides[0], sides[1], given.edits)


def _copies(given: Case) -> list[Spec]:
    return [deepcopy(side) for side in _sides(given)]


def names(side: Spec) -> set[str]:
    """The names of all fields."""
    return {field["name"] for _, field in all_fields(side)}


def field_renamed(given: Case, random: Random) -> Case | None:
    """A field, and whatever else has its name, gets another name."""
    sides = _copies(given)
    name = random.choice(sorted(set().union(*map(names, sides))))
    other = random.choice(("Aaa", "Zzz"))  # before or after all others
    for side in sides:
        for _, field in all_fields(side):
            if field["name"] == name:
                field["name"] = other
    return _with(given, sides)


def struct_renamed(given: Case, random: Random) -> Case | None:
    """A struct gets another name."""
    sides = _copies(given)
    types = {element(field) for side in sides for _, field in all_fields(side)} - KINDS.keys()
    if not types:
        return None
    name, other = random.choice(sorted(types)), random.choice(("Aaa", "Zzz"))
    for side in sides:
        for _, field in all_fields(side):
            if element(field) == name:
                field["type"] = ("[]" if is_array(field) else "") + other
        for struct in side.get("commonStructs", ()):
            if struct["name"] == name:
                struct["name"] = other
    return _with(given, sides)


def keys_reordered(given: Case, random: Random) -> Case | None:
    """The keys of every object are in another order, and the common structs."""

    def shuffled(node: Any) -> Any:
        if isinstance(node, dict):
            keys = random.sample(sorted(node), len(node))
            return {key: shuffled(node[key]) for key in keys}
        return [shuffled(part) for part in node] if isinstance(node, list) else node

    sides = [shuffled(side) for side in _copies(given)]
    for side in sides:
        random.shuffle(side.get("commonStructs", []))
    return _with(given, sides)


def field_split(given: Case, random: Random) -> Case | None:
    """Of a field, the versions up to one and those after it are declared apart."""
    sides = _copies(given)
    # A field that one side lacks may be there under another name, in one piece.
    names_of = [
        {field["name"] for _, field in all_fields(side) if "tag" not in field and "fields" not in field}
        for side in sides
    ]
    candidates = set.intersection(*names_of)
    if not candidates:
        return None
    name = random.choice(sorted(candidates))
    version = random.randint(1, 4)
    is_split = False
    for side in sides:
        for around, field in list(all_fields(side)):
            there = present(field)
            if field["name"] != name or "tag" in field or "fields" in field:
                continue
            if not there.low < version <= there.high:
                continue
            later = {**deepcopy(field), "#": -field.get("#", 0) - 5000}
            field["versions"] = write_range(there.low, version - 1)
            later["versions"] = write_range(version, there.high)
            for half in (field, later):
                nulls = range_of(half, "nullableVersions").meets(present(half))
                if nulls.empty:
                    half.pop("nullableVersions", None)
                else:
                    half["nullableVersions"] = write_range(*nulls)
            place = next(number for number, other in enumerate(around) if other is field)
            around.insert(place + 1, later)
            is_split = True
    return _with(given, sides) if is_split else None


def field_wrapped(given: Case, random: Random) -> Case | None:
    """A field of the top level gets a struct around it, which is never null."""
    sides = _copies(given)
    # Where one side lacks a field, it may be there under another name, without the struct.
    candidates = set.intersection(
        *(
            {(field["name"], field["versions"]) for field in side["fields"] if "tag" not in field}
            for side in sides
        )
    )
    if not candidates:
        return None
    name, _ = random.choice(sorted(candidates))
    for side in sides:
        for field in [field for field in side["fields"] if field["name"] == name]:
            if "tag" in field:
                return None
            inner = dict(field)
            field.clear()
            field |= {"#": 7000, "name": "Around", "type": "AroundIt", "versions": inner["versions"]}
            field["fields"] = [inner]
    return _with(given, sides)


def all_wrapped(given: Case, random: Random) -> Case | None:
    """The untagged fields of the top level get one struct around them."""
    sides = _copies(given)
    tops = [field for side in sides for field in side["fields"]]
    names_of = [
        {field["name"] for field in tops if ("tag" in field) is is_tagged} for is_tagged in (False, True)
    ]
    if names_of[0] & names_of[1]:
        # Names count inside a struct: a field that gets a tag, or its name, leaves the struct.
        return None
    for side in sides:
        inside = [field for field in side["fields"] if "tag" not in field]
        tagged = [field for field in side["fields"] if "tag" in field]
        if not inside or any(present(field) != range_of(field, "taggedVersions") for field in tagged):
            return None
        around = {"#": 7000, "name": "Around", "type": "AroundAll", "versions": "0+", "fields": inside}
        side["fields"] = [around, *tagged]
    return _with(given, sides)


def unreleased_added(given: Case, random: Random) -> Case | None:
    """Both sides of the patch have one more version that no release has, and a field from there on."""
    sides = _copies(given)
    tops = [valid(side).high for side in sides]
    if not given.releases or tops[0] != tops[1] or max(tops) != tops[0]:
        return None
    if any(side.get("latestVersionUnstable") for side in sides):
        return None
    top = tops[0] + 1
    place = random.randint(0, min(len(side["fields"]) for side in sides[:2]))
    for side in sides[:2]:
        side["validVersions"] = write_range(valid(side).low, top)
        noise = {"#": 8000, "name": "Noise", "type": "int32", "versions": f"{top}+", "default": "3"}
        side["fields"].insert(place, noise)
    return _with(given, sides)


CHANGES: tuple[Change, ...] = (
    field_renamed,
    struct_renamed,
    keys_reordered,
    field_split,
    field_wrapped,
    all_wrapped,
    unreleased_added,
)
# These declare other fields, so that other rules may explain the same break.
DECLARING = (field_split, field_wrapped, all_wrapped)


def changed(given: Case, change: Change) -> Case | None:
    """The case with one change of all its sides."""
    return change(given, Random(given.seed))


def another_type(field: Spec) -> None:
    """A type that no reader takes for the one before: it has another width, or a length."""
    field["type"] = "int64" if field["type"] != "int64" else "uuid"
    for key in ("default", "nullableVersions", "flexibleVersions"):
        field.pop(key, None)


def another_default(field: Spec) -> None:
    """Another default, where the type can have one."""
    if field["type"] in ("int8", "int16", "int32", "int64"):
        field["default"] = "5" if field.get("default") != "5" else "6"


def another_name(field: Spec) -> None:
    """A name that no field has."""
    field["name"] = "SomethingElse"


def another_array(field: Spec) -> None:
    """An array of what the field holds, or one of its elements."""
    field["type"] = field["type"].removeprefix("[]") if is_array(field) else f"[]{field['type']}"
    for key in ("default", "nullableVersions", "flexibleVersions"):
        field.pop(key, None)


def another_null(field: Spec) -> None:
    """Null in all versions, where the type has it, or in none."""
    if field.pop("nullableVersions", None) is not None:
        field.pop("default", None)
    elif nullable_type(field):
        field["nullableVersions"] = field["versions"]


SECONDS: tuple[Callable[[Spec], None], ...] = (
    another_type,
    another_default,
    another_name,
    another_array,
    another_null,
)


def broken_again(given: Case, second: Callable[[Spec], None]) -> Case | None:
    """The case with another edit of a field that its patch leaves as it is."""
    random = Random(given.seed)
    new = deepcopy(given.new)
    before = [(path, field) for path, field in _leaves(given.old)]
    kept = [field for path, field in _leaves(new) if (path, field) in before]
    if not kept:
        return None
    field = random.choice(kept)
    second(field)
    if new == given.new:
        return None
    return _with(given, [deepcopy(given.old), new, *given.releases])


def _leaves(side: Spec) -> Iterator[tuple[tuple[str, ...], Spec]]:
    """The fields that hold no struct, each with the names around it."""

    def inside(fields: list[Spec], above: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], Spec]]:
        for field in fields:
            yield from inside(field.get("fields", []), (*above, field["name"]))
            if element(field) in KINDS:
                yield above, field

    yield from inside(side["fields"], ())
    for struct in side.get("commonStructs", ()):
        yield from inside(struct["fields"], ("struct", struct["name"]))
