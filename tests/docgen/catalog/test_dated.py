"""What a `history` adds to a catalog: moments by level, by release line and by patch release.

`WIREBOOK_UPDATE=1` writes the golden files anew; the diff is then what to review.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.docgen.catalog.levels import REGISTRY, at, by_levels, order
from tests.docgen.histories import FOLDER, Spec, field, inputs, request, text_of
from wirebook.docgen.catalog.catalog import Catalog
from wirebook.docgen.catalog.json_records import to_json
from wirebook.docgen.catalog.order import CatalogSnapshot, SnapshotFile
from wirebook.docgen.catalog.records import ApiDocument, Since
from wirebook.docgen.pipeline.inputs import Inputs
from wirebook.docgen.pipeline.older_releases import DistinctText
from wirebook.docgen.pipeline.run import build
from wirebook.specs.sources.source import digest_of

GOLDEN = Path(__file__).parent / "golden"


def key(number: int | None, kind: str, valid: str) -> Spec:
    """The spec of the key of a record."""
    spec = request("Foo", 0, valid, field("A"), flexibleVersions="none")
    del spec["listeners"], spec["apiKey"]
    return spec | {"type": kind, "name": "FooKey"} | ({} if number is None else {"apiKey": number})


RELEASES = {
    "1.0.0": [*order("0-1", late=False), key(None, "data", "2")],
    "1.0.1": [*order("0-1"), key(None, "data", "2")],
    "1.1.0": [*order("0-2"), key(None, "data", "2")],
    # Only on its branch: 2.0.0 has no version 3.
    "1.1.1": [*order("0-3"), key(None, "data", "2")],
    "2.0.0": [*order("1-2"), key(2, "coordinator-key", "0")],
    "2.0.1": [*order("1-2"), key(2, "coordinator-key", "0")],
    "2.1.0": [*order("0-5"), key(2, "coordinator-key", "0-1")],
}
# Version 6 is in no release; the others are more exact than the releases, or as they are.
SOURCE = [
    at(0, "0.9-IV0", deprecated="0.9-IV0", undeprecated="2.1", removed="2.0-IV0", returned="2.1-IV0"),
    at(1, "1.0-IV0"),
    at(2, "1.1-IV1"),
    at(3, "1.1.1"),
    at(4, "2.0-IV0"),
    at(5, "2.1", unstable="2.1-IV0"),
    at(6, "0.9"),
]


def by_releases() -> Inputs:
    """Releases, beside a source that dates some of their versions."""
    made = inputs(RELEASES)
    specs = order("0-6", SOURCE)
    texts = {
        digest_of(text_of(spec)): DistinctText(f"{FOLDER}/{spec['name']}.json", text_of(spec))
        for spec in specs
    }
    paths = {digest: path for digest, (path, _) in texts.items()}
    return replace(
        made, texts={**made.texts, **texts}, source_texts=paths, source_name="own", registry=REGISTRY
    )


def without_levels() -> Inputs:
    """The same, with moments that nothing explains: what the releases show stays."""
    return replace(by_releases(), registry=None)


def unreleased() -> Inputs:
    """Releases, and the source that is about to be released."""
    made = inputs({name: RELEASES[name] for name in ("1.0.0", "1.1.0")})
    specs = [*order("1-3"), request("New", 9, "0", field("A"), field("B"), flexibleVersions="0+")]
    texts = {
        digest_of(text_of(spec)): DistinctText(f"{FOLDER}/{spec['name']}.json", text_of(spec))
        for spec in specs
    }
    files = [*made.files, *(SnapshotFile(2, path, digest) for digest, (path, _) in texts.items())]
    last = CatalogSnapshot(2, "work tree", "source", 1, True, commit="0" * 40)
    return replace(made, snapshots=(*made.snapshots, last), files=files, texts={**made.texts, **texts})


def alone() -> Inputs:
    """A source whose specs have no history: nothing is known to have happened."""
    specs = order("0-2")
    texts = {digest_of(text_of(spec)): DistinctText(f"{spec['name']}.json", text_of(spec)) for spec in specs}
    files = [SnapshotFile(0, path, digest) for digest, (path, _) in texts.items()]
    paths = {digest: path for digest, (path, _) in texts.items()}
    snapshots = (CatalogSnapshot(0, "own", "source", None, True),)
    return Inputs(snapshots, files, texts, "own", paths, None, None, (), {"source": {}})


def moment(since: Since) -> str:
    """A moment: level, its id, release."""
    before = "at or before " if since.at_or_before else ""
    return f"{before}{since.api_version} {since.api_version_id} {since.release}"


def happened(events: Any) -> str:
    return "; ".join(
        " ".join(filter(None, (f"{each.event} {moment(each.since)}", each.words))) for each in events
    )


def lines(document: ApiDocument) -> Iterator[str]:
    """Everything that a document has, except for the layouts."""
    yield f"=== {document.api} ({document.slug}), {document.kind} {document.api_key}, gone {document.gone}"
    yield f"newest stable {document.newest_stable}, formerly {document.former_names}"
    yield f"lifecycle: {happened(document.lifecycle.events)}"
    for there in document.presence:
        marks = f"unstable {there.unstable}, deprecated {there.deprecated}"
        yield f"at {there.snapshot}: {there.versions}, {marks}"
    for version in document.versions:
        yield (
            f"version {version.version} {version.state}, flexible {version.flexible}, "
            f"unstable {version.unstable} {version.about!r}: {happened(version.events)}"
        )
    for message in document.messages:
        yield f"--- {message.name} ({message.type})"
        for number, each in message.versions.items():
            variants = [(item.snapshots, item.changes) for item in each.variants]
            yield f"{number} {each.about!r} {each.changes} {variants} {json.dumps(to_json(each.origin))}"
        for one in message.fields:
            yield (
                f"{one.path} {one.type} {one.versions} nullable {one.nullable_versions} "
                f"tagged {one.tagged_versions} gone {one.gone} {one.last_seen}: {happened(one.events)}"
            )
        yield from (json.dumps(to_json(tag)) for tag in message.tags)


def everything(catalog: Catalog) -> Iterator[str]:
    for document in catalog.apis():
        yield from lines(document)
    for row in catalog.index:
        yield f"row {row.slug} {row.versions} of {row.all_versions}, flexible {row.flexible}, gone {row.gone}"
    for snapshot in catalog.snapshots:
        found: Mapping[str, Any] = to_json(snapshot)
        yield from (f"{snapshot.name} {name}: {json.dumps(value)}" for name, value in found.items() if value)
    yield from (json.dumps(to_json(pair)) for pair in catalog.changes)
    yield from (json.dumps(to_json(level)) for level in catalog.levels)


@pytest.mark.parametrize("given", [by_levels, by_releases, without_levels, unreleased, alone])
def test_moments_are_as_exact_as_known(given: Any, tmp_path: Path) -> None:
    build(given(), tmp_path)
    text = "\n".join(everything(Catalog.open(tmp_path))) + "\n"
    path = GOLDEN / f"{given.__name__}.txt"
    if os.environ.get("WIREBOOK_UPDATE"):
        path.write_text(text, encoding="utf-8")
    assert text == path.read_text(encoding="utf-8")


def test_what_the_first_release_has_is_dated_by_the_version_that_it_is_about(tmp_path: Path) -> None:
    history = [at(0, "0.9-IV0"), at(1, "0.9-IV0"), at(2, "1.0-IV0")]
    fields = [field("A", "string", nullableVersions="2+")]
    released = request("Foo", 1, "0-2", *fields, deprecatedVersions="0-2")
    own = text_of(released | {"history": history})
    given = inputs({"1.0.0": [released]})
    path = f"{FOLDER}/FooRequest.json"
    texts = {**given.texts, digest_of(own): DistinctText(path, own)}
    given = replace(given, texts=texts, source_texts={digest_of(own): path}, registry=REGISTRY)
    build(given, tmp_path)
    document = Catalog.open(tmp_path).api("Foo")
    (only,) = document.messages[0].fields
    assert happened(only.events) == "added 0.9-IV0 0 0.9; nullable 1.0-IV0 1 1.0 may be null from version 2"
    assert happened(document.lifecycle.events) == (
        "added 0.9-IV0 0 0.9; deprecated at or before None 2 1.0.0"
    )
