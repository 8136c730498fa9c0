"""A page of a spec in a repository."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from tests.docgen.histories import field, inputs, request
from wirebook.docgen.pages.book import Book
from wirebook.docgen.pages.contents import pages
from wirebook.docgen.pipeline.run import build


def lined_page(folder: Path, repository: str) -> tuple[str, str]:
    """The page of an API whose fields are at many places, with the path of its spec."""
    inner = field(
        "C", "[]Inner", fields=[field("D"), field("E", versions="1+", taggedVersions="1+", tag=0)]
    )
    # A name may be there twice, for different versions.
    spec = request(
        "Foo", 3, "0-1", field("A", versions="0"), field("A", "int64", versions="1+"), inner,
        field("B", "Shared"), flexibleVersions="1+",
        commonStructs=[{"name": "Shared", "versions": "0+", "fields": [field("F")]}],
    )  # fmt: skip
    made = inputs({"1.0.0": [spec]})
    snapshots = tuple(replace(each, commit="0" * 40) for each in made.context.snapshots)
    build(replace(made, context=replace(made.context, snapshots=snapshots)), folder)
    (text,) = made.texts.values()
    html = next(
        str(each.html)
        for each in pages(replace(Book.open(folder), repository=repository))
        if each.path == "api/foo/"
    )
    return html, text.path
