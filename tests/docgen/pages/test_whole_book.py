"""All that is rendered of a small protocol with five releases, in golden files.

`WIREBOOK_UPDATE=1` writes the golden files anew; the diff is then what to review.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest

from tests.docgen.histories import field, inputs, request, response
from tests.docgen.pages.agreement import agree, plain
from tests.docgen.pages.marks import ELSEWHERE, marked
from wirebook.docgen.pages import contents
from wirebook.docgen.pages.book import Book
from wirebook.docgen.pages.home import home
from wirebook.docgen.pages.search import entries, search_data
from wirebook.docgen.pipeline.run import build
from wirebook.specs.levels import read_registry

Spec = dict[str, Any]


def fetch(valid: str, *, epoch: bool, **more: object) -> list[Spec]:
    """An API with tags, structs, nullable fields and entities."""
    inner = [
        field("Topic", "string", entityType="topicName", mapKey=True),
        field("Partitions", "[]int32", "0-1"),
        field("Ranges", "[]Range", "2+", nullableVersions="3+"),
    ]
    fields = [
        field("ReplicaId", "int32", "0-2", default="-1"),
        field("MaxBytes", "int32", "1+", default="0x7fffffff", ignorable=True),
        field("Topics", "[]FetchTopic", fields=inner),
        *(
            [field("Epoch", "int64", "3+", taggedVersions="3+", tag=0, default="-1")]
            if epoch
            else []
        ),
    ]
    common = [
        {
            "name": "Range",
            "versions": "2+",
            "fields": [field("From", versions="2+"), field("To", versions="2+")],
        }
    ]
    answer = [field("ErrorCode", "int16"), field("Records", "records", "2+", nullableVersions="2+")]
    return [
        request("Fetch", 1, valid, *fields, flexibleVersions="3+", commonStructs=common, **more),
        response("Fetch", 1, valid, *answer, flexibleVersions="3+"),
    ]


def ping(valid: str, **more: object) -> list[Spec]:
    """An API that comes late and goes."""
    return [
        request("Ping", 7, valid, **more),
        response("Ping", 7, valid, field("Sent", "uuid"), field("Load", "float64", "1+")),
    ]


def stored(*fields: Spec) -> list[Spec]:
    """A message that is no API."""
    return [
        {
            "type": "data", "name": "StoredValue", "validVersions": "0-1", "flexibleVersions": "1+",
            "fields": [field("Flag", "bool"), *fields],
        }
    ]  # fmt: skip


def pong(back: bool = True, **more: object) -> list[Spec]:
    """An API of two listeners whose marks come and go, with fields that nobody describes."""
    silent = field("Silent", "int8", "2+") | {"about": ""}
    return [
        # Back is away for a release, and only in the oldest version.
        request(
            "Pong", 8, "0-3", field("Told"), *[field("Back", versions="0")] * back, silent, **more
        )
        | {"listeners": ["broker", "controller"]},
        response(
            "Pong", 8, "0-3", silent, deprecatedVersions=more.get("deprecatedVersions", "none")
        ),
    ]


LONG = " ".join(f"word{number}" for number in range(100))
RELEASES = {
    "1.0.0": [*fetch("0-1", epoch=False), *pong()],
    "1.0.1": [*fetch("0-1", epoch=False), *pong()],
    "1.1.0": [*fetch("0-2", epoch=False), *stored(), *pong(back=False, deprecatedVersions="0-2")],
    "2.0.0": [
        *pong(deprecatedVersions="1"),
        *fetch("0-3", epoch=True, deprecatedVersions="0-1"),
        *ping("0-1"),
        *stored(field("Text", "string", "1+")),
    ],
    "2.1.0": [
        *fetch("1-4", epoch=True, deprecatedVersions="1", latestVersionUnstable=True),
        *ping("0-1", deprecatedVersions="0-1"),
        *pong(deprecatedVersions="1"),
        *stored(field("Text", "string", "1+", about="A text, renamed.")),
    ],
    "3.0.0": [
        *fetch("2-4", epoch=True),
        *pong(deprecatedVersions="1"),
        *stored(field("Text", "string", "1+", about=LONG)),
    ],
}
# One is older than the releases, and one newer.
LEVELS = [
    {
        "id": number,
        "version": f"{release}-IV0",
        "release": release,
        "about": f"What is new in {release}.",
    }
    for number, release in enumerate(("0.9", "1.0", "1.1", "2.0", "3.0", "3.1"))
]


@pytest.fixture(scope="module")
def book(tmp_path_factory: pytest.TempPathFactory) -> Book:
    """The book of the releases; all but the first have a date."""
    folder = tmp_path_factory.mktemp("catalog")
    made = inputs(RELEASES)
    dated = [
        replace(
            each,
            commit=f"{each.ordinal:040x}",
            date=f"202{each.ordinal}-0{each.ordinal + 1}-15T10:00:00+02:00",
        )
        for each in made.context.snapshots[1:]
    ]
    levels = read_registry(json.dumps(LEVELS).encode(), "api_versions.json")
    context = replace(made.context, snapshots=(made.context.snapshots[0], *dated), registry=levels)
    build(replace(made, context=context), folder)
    return replace(Book.open(folder), repository="https://example.org/kafka.git")


def test_the_pages_say_what_they_said(book: Book) -> None:
    lines = []
    for page in contents.pages(book):
        if ELSEWHERE.match(page.path):
            continue
        headings = "; ".join(f"{item.level} {item.title} #{item.id}" for item in page.headings)
        lines += [
            f"=== {page.path}: {page.title}",
            f"words: {', '.join(page.words)}",
            f"description: {page.description}",
            f"headings: {headings}",
            plain(str(page.html)),
        ]
    lines.append(f"=== insert home\n{plain(home(book))}")
    agree("book.txt", "\n".join(lines) + "\n")


def test_elements_have_the_classes_and_ids_that_they_had(book: Book) -> None:
    lines = []
    for page in contents.pages(book):
        # Those of bytes have a golden file of their own.
        if not ELSEWHERE.match(page.path) and not re.search(r"/v\d+/$", page.path):
            lines += [f"=== {page.path}", *marked(str(page.html))]
    lines += ["=== insert home", *marked(home(book))]
    agree("markup.txt", "\n".join(lines) + "\n")


def test_what_is_found_is_what_was_found(book: Book) -> None:
    urls = {page.path: page.path for page in contents.pages(book)}
    apis = search_data(book, (), urls)["apis"]
    lines = [json.dumps(api) for api in apis]
    lines += [json.dumps(entry) for entry in entries(book, ())]
    agree("found.txt", "\n".join(lines) + "\n")


def downloads(book: Book) -> Iterator[str]:
    for place, text in contents.downloads(book):
        if not re.match(r"schemas?/|data/headers|.*vectors", place):
            if place.endswith(".json"):
                text = json.dumps(json.loads(text), indent=1, ensure_ascii=False)
            yield f"=== {place}\n{text}"


def test_the_data_are_what_they_were(book: Book) -> None:
    agree("data.txt", "\n".join(downloads(book)) + "\n")
