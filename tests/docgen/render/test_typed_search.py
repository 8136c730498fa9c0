"""The index of the search: what it holds, and that all of it leads somewhere."""

from __future__ import annotations

import csv
import json
from dataclasses import replace
from functools import cache
from typing import Any

import pytest

from tests.docgen.site.scripts import needs_node, running
from tests.docgen.sites import own_site, read_pages
from wirebook.docgen.catalog.catalog import Catalog
from wirebook.docgen.catalog.errors import described_errors
from wirebook.docgen.render.kit.links import anchor
from wirebook.docgen.render.search.typed import SUBJECTS, typed_index

pytestmark = [needs_node, pytest.mark.xdist_group("site")]


# The index as search.js reads it, with all that it computes: the same rows for each thing.
_EXPANDED = """(path) => {
  let index = null;
  const wirebookSearch = require(scripts[0]);
  globalThis.wirebookFinder = { take: (data) => { index = wirebookSearch.prepared(data); } };
  require(path);
  const rest = index.entries.filter((entry) => !entry.row && entry.api === undefined && !entry.raw);
  return JSON.stringify({
    apis: index.data.apis, fields: index.fields, snapshots: index.data.snapshots,
    levels: index.entries.filter((entry) => entry.kind === "level").map((entry) => entry.page),
    things: rest.map((item) => [item.kind, item.title, item.page, item.place, item.detail, item.names]),
    places: index.data.places.filter((row) => Array.isArray(row) && row.length).map((row) => {
      const page = index.data.pages[row[0]], named = index.places.get(page + "#" + row[1]);
      return [page, row[1], row[2] || (named && named.title)];
    }),
  });
}"""


@cache
def index() -> dict[str, Any]:
    with running(_EXPANDED, "search.js") as scripts:
        read: dict[str, Any] = scripts.ask(str(own_site() / "assets" / "search-data.js"))
    return read


def things(kind: str) -> dict[str, list[Any]]:
    return {row[1]: row for row in index()["things"] if row[0] == kind}


@pytest.mark.long
def test_every_answer_leads_to_what_is_there() -> None:
    pages = read_pages(own_site())
    places = {(row[2], row[3]) for row in index()["things"]}
    places |= {(row[1], "apis") for row in index()["snapshots"]}
    sides = ("-", "-response-", "-")
    for api in index()["apis"]:
        places |= {(api["page"], ""), (api["page"], "versions")}
        places |= {(api["page"], f"v{version}") for version, _ in api["versions"]}
        places |= {(f"{api['page']}v{version}/", "") for version, _ in api["versions"]}
        places |= {(api["page"], section) for section in ("errors", "tags") if section in api}
    for number, side, path, version, *_ in index()["fields"]:
        places.add((index()["apis"][number]["page"], f"v{version}{sides[side]}{anchor(path)}"))
    places |= {(page, place) for page, place, _ in index()["places"]}
    assert len(places) > 4000
    assert all(title for *_, title in index()["places"])
    lost = [(page, place) for page, place in places if place and place not in pages[page].ids]
    assert lost == []


def test_every_subject_is_found() -> None:
    # One whose place is not there is left out, as on the site of a fork without that page.
    listed = {(row[1], row[2], row[3], row[4]) for row in index()["things"]}
    subjects = json.loads(SUBJECTS.read_text(encoding="utf-8"))
    wanted = {
        (item["title"], item["page"].removeprefix("site:"), item["anchor"], item["about"])
        for item in subjects
    }
    assert len(wanted) == len(subjects) > 30
    assert wanted - listed == set()


@pytest.mark.long
def test_every_page_of_the_site_is_found() -> None:
    found = {row[2] for row in index()["things"]} | {row[1] for row in index()["snapshots"]}
    found |= set(index()["levels"])
    for api in index()["apis"]:
        found |= {api["page"], *(f"{api['page']}v{version}/" for version, _ in api["versions"])}
    assert set(read_pages(own_site())) - found == {"404.html"}


def test_things_have_all_their_names() -> None:
    fetch = next(api for api in index()["apis"] if api["name"] == "Fetch")
    assert fetch["key"] == 1
    assert fetch["names"] == ["FetchRequest", "FetchResponse"]
    assert sorted(version for version, _ in fetch["versions"]) == list(range(19))
    errors = things("error")
    assert errors["NOT_LEADER_OR_FOLLOWER (6)"][5] == [
        "notleaderorfollower",
        "error6",
        "notleaderforpartition",
        "notleaderorfollowerexception",
        "notleaderforpartitionexception",
    ]
    assert len(errors) == len(described_errors())
    assert {"COMPACT_STRING", "UUID"} <= set(things("type"))
    assert "tag-reused" in things("rule")
    assert {"kip-35/", "kip-482/"} <= {row[2] for row in things("kip").values()}
    fields = {tuple(row[:3]): row for row in index()["fields"]}
    number = index()["apis"].index(fetch)
    assert fields[(number, 0, "Topics.TopicId")][3:6] == [18, "uuid", "13+"]
    assert fields[(number, 0, "ClusterId")][6] == 0
    # A field that newer versions lack leads to the newest that has it.
    assert fields[(number, 0, "Topics.Topic")][3] == 12


def test_the_index_agrees_with_the_matrix() -> None:
    with open(own_site() / "data" / "matrix.csv", encoding="utf-8", newline="") as file:
        head, *rows = csv.reader(file)
    apis = {api["name"]: api for api in index()["apis"]}
    assert [row[0] for row in index()["snapshots"]] == head[2:]
    for row in rows:
        cells = [""] * len(head[2:])
        for first, last, words in apis[row[1]]["served"]:
            cells[first : last + 1] = [words.partition(";")[0].replace("\u2013", "-")] * (last - first + 1)
        assert cells == row[2:], row[1]


def test_former_names_are_names() -> None:
    made = Catalog.open(own_site().parent / "catalog")
    renamed = replace(made.api("ElectLeaders"), former_names=("ElectPreferredLeaders",))
    (api,) = typed_index([renamed], made.snapshots).apis
    assert api["names"] == ["ElectPreferredLeaders", "ElectLeadersRequest", "ElectLeadersResponse"]
