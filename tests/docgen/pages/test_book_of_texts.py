"""The pages of an API that everything is written about, in a golden file: its use, errors, values,
proposals.

`WIREBOOK_UPDATE=1` writes the golden file anew; the diff is then what to review.
"""

from __future__ import annotations

import json
import re
from dataclasses import replace
from typing import Any

import pytest

from tests.docgen.histories import Spec, field, inputs, request, response
from tests.docgen.pages.agreement import agree, plain
from wirebook.docgen.catalog.files import ERRORS as ERRORS_FILE
from wirebook.docgen.catalog.protocol import protocol_record
from wirebook.docgen.pages.book import Book
from wirebook.docgen.pages.contents import downloads, pages
from wirebook.docgen.pages.search import entries, search_data
from wirebook.docgen.pipeline.run import build
from wirebook.specs.kafka import KAFKA
from wirebook.specs.kafka.profile import embedded_profile
from wirebook.specs.kafka.releases import ReleaseList, known_releases
from wirebook.specs.kafka.texts import ApiTexts, read_texts
from wirebook.specs.levels import read_registry
from wirebook.specs.model import FieldValue, FieldValues
from wirebook.specs.numbers import read_errors
from wirebook.specs.profile import SiteProfile
from wirebook.specs.versions import Versions

ERRORS = [
    {"code": 0, "name": "NONE", "retriable": False, "first_release": "1.0", "about": "Nothing failed."},
    {"code": 7, "name": "TOO_WET", "retriable": True, "first_release": "1.0",
     "about": "It rains, see KIP-516.", "former_names": ["WET_OTTER"]},
    {"code": 8, "name": "NO_DEN", "retriable": False, "first_release": "2.0", "about": "There is no den.",
     "apis": ["Otter"]},
    {"code": 9, "name": "ELSEWHERE", "retriable": False, "first_release": "1.1", "about": "Ask others."},
]  # fmt: skip
TEXTS: dict[str, Any] = {
    "name": "Otter",
    "purpose": "Finds an otter. Since KIP-482, it may be tagged. A second sentence, with TOO_WET.",
    "group": "Groups",
    "use": {"sender": "Any client, after Beaver.", "ordering": "First come.", "limits": "KIP-35 limits it."},
    "pitfalls": [
        "Otters bite.", "They dive (KIP-516).",
        {"text": "They sleep.", "releases": {"1.1": "by day.", "2.0": "by night.", "3.0+": "never."}},
    ],
    "versions": {"0": "The first.", "2": "KIP-482 makes it flexible, and KIP-516 adds TOO_WET."},
    "requires": {"2": "Beaver 1, which tells the den."},
    "replaced_by": ["Beaver", "Unknown"],
    "errors": [
        {"name": "TOO_WET", "field": "Code", "cause": "Rain.", "action": "Retry.", "source": "KIP-482",
         "versions": "1+"},
        {"name": "ELSEWHERE", "field": "Code", "cause": "Gone.", "action": "Ask Beaver.", "source": "Otter",
         "versions": "0-1", "inferred": True, "reason": "No otter was asked, see Beaver."},
        {"name": "ELSEWHERE", "field": "Code", "cause": {"releases": {"1.0-1.1": "Flood."}}, "action": "Dig.",
         "source": "Otter", "versions": "1", "releases": "1.0-1.1"},
    ],
    "messages": {
        "OtterRequest": {
            "fields": {"Mode": "How it swims (KIP-35).", "Name": {"0-1": "Its name.", "2+": "Its new name."},
                       "Old": "What it was."},
            "replaced_by": {"Old": "Name"},
        },
    },
}  # fmt: skip
VALUES = FieldValues(
    (
        FieldValue(-1, "DEEP_DIVE", "Down.", Versions.parse("0+")),
        FieldValue(1, "FLOAT", "Up.", Versions.parse("2+")),
    ),
    "Others are not known.",
)
BEAVER = {
    "name": "Beaver",
    "purpose": "Builds. It has one version.",
    "group": "Metadata",
    "messages": {},
}


def otter(valid: str, **more: object) -> list[Spec]:
    fields = [
        field("Mode", "int8", about=""),
        field("Name", "string", mapKey=True, about=""),
        field("Old", "int32", "0-1", ignorable=True, entityType="brokerId"),
    ]
    return [
        request("Otter", 900, valid, *fields, flexibleVersions="2+", **more),
        response(
            "Otter",
            900,
            valid,
            field("Code", "int16"),
            field("Den", "string", "1+"),
            flexibleVersions="2+",
        ),
    ]


RELEASES = {
    "1.0.0": otter("0-1"),
    "1.1.0": [*otter("0-1"), request("Beaver", 901, "0")],
    "2.0.0": [
        *otter("0-3", deprecatedVersions="0", latestVersionUnstable=True),
        request("Beaver", 901, "0"),
    ],
}
NAMED_RELEASES = ReleaseList(tuple(RELEASES), "2.0.0")
LEVELS = [
    {"id": number, "version": f"{line}-IV0", "release": line, "about": about}
    for number, (line, about) in enumerate(
        {"1.0": "Otters.", "1.1": "More.", "2.0": "KIP-516 in full."}.items()
    )
]


def texts() -> dict[str, ApiTexts]:
    read: dict[str, ApiTexts] = {
        str(each["name"]): read_texts(json.dumps(each), f"{each['name']}.json", NAMED_RELEASES)
        for each in (TEXTS, BEAVER)
    }
    (asked,) = read["Otter"].messages.values()
    messages = {"OtterRequest": asked._replace(values={"Mode": VALUES})}
    return read | {"Otter": read["Otter"]._replace(messages=messages)}


@pytest.fixture(scope="module")
def book(tmp_path_factory: pytest.TempPathFactory) -> Book:
    """The book of two APIs of a fork of Kafka with texts and a table of errors of its own."""
    table = json.dumps({"errors": ERRORS})
    folder = tmp_path_factory.mktemp("catalog")
    made = inputs(RELEASES)
    context = replace(
        made.context,
        registry=read_registry(json.dumps(LEVELS).encode(), "api_versions.json"),
        texts=texts(),
        verified=known_releases().verified,
    )
    profile = embedded_profile(KAFKA)
    given = replace(
        made,
        context=context,
        profile=profile,
        errors=read_errors(table, "errors.json"),
        protocol=protocol_record(profile, SiteProfile(), is_embedded=True),
        further={ERRORS_FILE: table.encode()},
    )
    build(given, folder)
    return Book.open(folder)


OURS = re.compile(r"api/|errors/|releases/|levels/|deprecations/|kips?/|kip-")


def test_what_is_written_is_where_it_belongs(book: Book) -> None:
    lines = []
    for page in pages(book):
        if not OURS.match(page.path) or re.search(r"/v\d+/$", page.path):
            continue
        lines += [f"=== {page.path}: {page.title}", page.description]
        lines += ["; ".join(f"{item.level} {item.title} #{item.id}" for item in page.headings)]
        lines += [plain(str(page.html))]
    agree("book_of_texts.txt", "\n".join(lines) + "\n")


def test_what_is_written_is_found(book: Book) -> None:
    urls = {page.path: page.path for page in pages(book)}
    apis = search_data(book, (), urls)["apis"]
    lines = [json.dumps(api) for api in apis]
    kept = {"version", "text", "value", "error", "kip", "issue", "level", "page"}
    lines += [json.dumps(entry) for entry in entries(book, ()) if entry.kind in kept]
    files = dict(downloads(book))
    lines += [
        files["data/errors.json"],
    ]
    agree("found_of_texts.txt", "\n".join(lines) + "\n")


def test_releases_and_reasons_are_in_the_data_as_on_the_pages(book: Book) -> None:
    (document,) = (each for each in book.documents if each.api == "Otter")
    sleep = "They sleep. 2.0: by night. 1.1: by day. From 3.0 (not released): never."
    assert document.pitfalls[2] == sleep
    rows = [(error.name, error.releases, error.inferred, error.reason) for error in document.errors]
    assert rows == [
        ("TOO_WET", "", False, ""),
        ("ELSEWHERE", "", True, "No otter was asked, see Beaver."),
        ("ELSEWHERE", "1.0 to 1.1", False, ""),
    ]
    (page,) = (each for each in pages(book) if each.path == "api/otter/")
    text = " ".join(re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", plain(str(page.html))).split())
    for words in (sleep, "(1.0 to 1.1)", "inferred: No otter was asked", "releases up to "):
        assert words in text
