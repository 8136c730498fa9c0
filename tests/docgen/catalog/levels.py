"""A catalog of levels with dates."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tests.docgen.histories import Spec, field, request, response, text_of
from wirebook.docgen.catalog.history import Context
from wirebook.docgen.catalog.order import SnapshotFile
from wirebook.docgen.catalog.spec_texts import SpecText
from wirebook.docgen.pipeline.inputs import Inputs
from wirebook.docgen.pipeline.older_releases import release_lines, snapshots_of
from wirebook.specs.levels import ApiVersion, Registry
from wirebook.specs.trees import blob_id

NAMES = ("0.9-IV0", "1.0-IV0", "1.0-IV1", "1.1-IV0", "1.1-IV1", "2.0-IV0", "2.1-IV0", "2.2-IV0")


REGISTRY = Registry(
    tuple(
        ApiVersion(number, name, name.partition("-")[0], about="New." if name != "2.2-IV0" else "")
        for number, name in enumerate(NAMES)
    )
)


def at(version: int, added: str, **more: object) -> Spec:
    """An entry of a history."""
    return {"version": version, "added": added, **more}


def order(valid: str, history: Sequence[Spec] = (), *, late: bool = True) -> list[Spec]:
    """An API to which everything happens that can happen to a version."""
    fields = [
        field("Id"),
        field("Lines", "[]Line", fields=[field("Sku", "string"), field("Price", versions="1+")]),
        *([field("Late", versions="0+", ignorable=True)] if late else []),
        field("Note", "string", versions="2+", taggedVersions="2+", tag=0),
        field("Old", versions="0-1"),
    ]
    more: dict[str, Any] = {"flexibleVersions": "2+"}
    # What the two say about a version differs only in words; a version is dated by its request.
    answer = [{**entry, "about": "What is answered."} for entry in history[:-1]]
    asked, answered = ({"history": each} if each else {} for each in (history, answer))
    return [
        request("Order", 1, valid, *fields, **more, **asked),
        response("Order", 1, valid, field("Code", "int16"), **more, **answered),
    ]


HISTORY = [
    at(0, "0.9-IV0", deprecated="1.1-IV1", removed="2.0-IV0", returned="2.1", about="The first.",
       fields={"Late": "1.0-IV1", "Lines.Sku": "1.0.1"}),
    at(1, "1.0-IV1", deprecated="1.1-IV0", undeprecated="2.0-IV0"),
    at(2, "1.1-IV0", unstable="1.1-IV0", stable="1.1-IV1"),
    at(3, "1.1.1"),
    at(4, "2.0-IV0", unstable="2.0-IV0", fields={"Note": "2.1-IV0"}),
    at(5, "1.0-IV0", removed="2.0.1", returned="2.0.2"),
    at(6, "1.1", removed="2.0"),
    at(7, "2.2-IV0"),
]  # fmt: skip


LATE = [at(0, "1.1"), at(1, "1.1-IV1"), at(2, "2.0-IV0")]


RELEASED = [at(0, "1.1", deprecated="1.1.1"), at(1, "2.1")]


SPECS = [
    *order("0-7", HISTORY),
    request(
        "Late", 2, "0-2", field("A"), field("B", versions="2+"), flexibleVersions="2+", history=LATE
    ),
    request("Patch", 3, "0", field("A"), flexibleVersions="0+", history=[at(0, "2.0.2")]),
    request("Released", 5, "0-1", field("A", "string", nullableVersions="1+"), history=RELEASED),
    request(
        "Always", 4, "0-1", field("A", nullableVersions="1+", type="string"), deprecatedVersions="0"
    ),
]


def by_levels(specs: Sequence[Spec] = SPECS) -> Inputs:
    """Specs with a history, at each release line of the registry."""
    snapshots = snapshots_of(release_lines(REGISTRY.described))
    given = [
        SpecText(f"{spec['name']}.json", text_of(spec), blob_id(text_of(spec))) for spec in specs
    ]
    texts = {text.digest: text for text in given}
    paths = {text.digest: text.path for text in given}
    files = [
        SnapshotFile(each.ordinal, path, digest)
        for each in snapshots
        for digest, path in paths.items()
    ]
    context = Context(tuple(snapshots), REGISTRY, "own", paths, is_by_specs=True)
    return Inputs(context, files, texts)
