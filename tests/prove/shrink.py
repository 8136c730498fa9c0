"""A smaller case that shows the same disagreement: less releases, fields, edits and words."""

from __future__ import annotations

import difflib
import json
from collections.abc import Callable, Iterator
from copy import deepcopy
from functools import partial
from typing import Any

from tests.prove.cases import Case, disagreements, smaller
from tests.prove.protocols import NUMBER, all_fields, right, write_range
from tests.prove.shapes import Spec, valid

DULL = ("about", "ignorable", "default", "nullableVersions", "listeners", "mapKey", "flexibleVersions")


def shrink(given: Case, label: str) -> Case:
    """The smallest case found that still has a disagreement of that label."""

    def shows(case: Case) -> bool:
        specs = (*case.releases, case.old, case.new)
        return all(map(right, specs)) and any(item.label == label for item in disagreements(case))

    while True:
        smaller_one = next(
            (other for other in _attempts(given) if _size(other) < _size(given) and shows(other)), None
        )
        if smaller_one is None:
            return given
        given = smaller_one


def _size(case: Case) -> int:
    """How much there is to read."""
    specs = (*case.releases, case.old, case.new)
    return sum(len(str(spec)) for spec in specs) + 50 * len(specs) + 5 * len(_changed(case))


def _changed(case: Case) -> list[Any]:
    """The fields that the patch changes."""
    before = {field.get(NUMBER): field for _, field in all_fields(case.old)}
    return [field for _, field in all_fields(case.new) if before.get(field.get(NUMBER)) != field]


def _attempts(case: Case) -> Iterator[Case]:
    for place in range(len(case.releases)):
        yield smaller(case, (*case.releases[:place], *case.releases[place + 1 :]), case.old, case.new)
    specs = [*case.releases, case.old, case.new]
    numbers = sorted({f[NUMBER] for spec in specs for _, f in all_fields(spec) if NUMBER in f}, reverse=True)
    for number in numbers:
        yield _all(case, partial(_without, number=number))
        yield _all(case, partial(_inlined, number=number))
    for number in numbers:
        yield _undone(case, number)
        for key in DULL:
            yield _all(case, partial(_plainer, number=number, key=key))
    yield _all(case, lambda spec: spec["flexibleVersions"] == "none" or spec.update(flexibleVersions="none"))
    yield _all(case, _raised)
    yield _all(case, _lowered)
    yield _all(case, _as_data)


def _all(case: Case, change: Callable[[Spec], Any]) -> Case:
    specs = [deepcopy(spec) for spec in (*case.releases, case.old, case.new)]
    for spec in specs:
        change(spec)
    return smaller(case, tuple(specs[:-2]), specs[-2], specs[-1])


def _without(spec: Spec, number: int) -> None:
    for fields, field in list(all_fields(spec)):
        if field.get(NUMBER) == number:
            fields[:] = [other for other in fields if other is not field]
    used = {field["type"].removeprefix("[]") for _, field in all_fields(spec)}
    if "commonStructs" in spec:
        spec["commonStructs"] = [struct for struct in spec["commonStructs"] if struct["name"] in used]
        if not spec["commonStructs"]:
            del spec["commonStructs"]


def _inlined(spec: Spec, number: int) -> None:
    for fields, field in list(all_fields(spec)):
        if field.get(NUMBER) == number and "fields" in field and fields is not field["fields"]:
            place = next(index for index, other in enumerate(fields) if other is field)
            fields[place : place + 1] = field["fields"]
            return


def _plainer(spec: Spec, number: int, key: str) -> None:
    for _, field in all_fields(spec):
        if field.get(NUMBER) == number:
            field.pop(key, None)


def _undone(case: Case, number: int) -> Case:
    """The field of the new side as the old side has it."""
    was = next((field for _, field in all_fields(case.old) if field.get(NUMBER) == number), None)
    new = deepcopy(case.new)
    for _, field in all_fields(new):
        if was is not None and field.get(NUMBER) == number:
            inside = field.get("fields")
            field.clear()
            field.update(deepcopy(was))
            if inside is not None:
                field["fields"] = inside
    return smaller(case, case.releases, case.old, new)


def _raised(spec: Spec) -> None:
    versions = valid(spec)
    if versions.low < versions.high:
        spec["validVersions"] = write_range(versions.low + 1, versions.high)


def _lowered(spec: Spec) -> None:
    versions = valid(spec)
    if versions.low < versions.high:
        spec["validVersions"] = write_range(versions.low, versions.high - 1)


def _as_data(spec: Spec) -> None:
    spec["type"] = "data"
    spec["name"] = "Thing"
    for key in ("apiKey", "listeners"):
        spec.pop(key, None)


def shown(case: Case) -> str:
    """A case for people: its specs as texts, and how they differ."""
    parts = []
    names = [f"release {number}" for number in range(1, len(case.releases) + 1)]
    before = ""
    for name, spec in zip((*names, "old", "new"), (*case.releases, case.old, case.new), strict=True):
        text = compact(spec)
        if text == before:
            parts.append(f"--- {name}: the same")
        elif name == "new":
            lines = difflib.ndiff(compact(case.old).splitlines(), text.splitlines())
            parts.append("--- new, against old\n" + "\n".join(line for line in lines if line[0] != "?"))
        else:
            parts.append(f"--- {name}\n{text}")
        before = text
    return "\n".join(parts)


def compact(spec: Spec) -> str:
    """A spec with a line for each field."""
    head = {key: value for key, value in spec.items() if key not in ("fields", "commonStructs")}
    lines = [json.dumps(head)]

    def add(fields: list[Spec], depth: int) -> None:
        for field in fields:
            own = {key: value for key, value in field.items() if key not in (NUMBER, "fields")}
            lines.append("  " * depth + json.dumps(own))
            add(field.get("fields", []), depth + 1)

    add(spec["fields"], 1)
    for struct in spec.get("commonStructs", ()):
        lines.append(f"  struct {struct['name']} {struct['versions']}")
        add(struct["fields"], 2)
    return "\n".join(lines)
