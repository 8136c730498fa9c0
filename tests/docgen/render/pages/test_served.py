"""The page of versions by release and by client: a row for each API, newest release first."""

from __future__ import annotations

import json
import re

import pytest

from wirebook.docgen.catalog.records import IndexRow, Lifecycle
from wirebook.docgen.render.pages.lists import served_page
from wirebook.specs.profile import Profile

SERVERS = json.dumps(
    {
        "apis": {"1": {"name": "Read"}, "2": {"name": "Write"}},
        "releases": [
            {"release": "1.0", "listeners": {}, "versions": {"1": "0"}},
            {
                "release": "2.0",
                "listeners": {},
                "versions": {"1": "0-2", "2": "0"},
                "deprecated": {"1": "0-1"},
            },
        ],
    }
)
CLIENTS = json.dumps(
    {"clients": [{"id": "c", "name": "client 7", "versions": {"2": "0", "9": "3-4"}, "from": "here"}]}
)


def row(api: str, key: int | None, kind: str = "api") -> IndexRow:
    """An entry of the index."""
    return IndexRow(
        api.lower(), api, (), key, kind, "", "0", "0", 0, "", "", "none", Lifecycle(()), (), False
    )  # fmt: skip


# A message without a key and one of another kind have no row.
INDEX = [row("Read", 1), row("Poll", 9), row("Stored", 2, "data"), row("Odd", None)]


def tables(html: str) -> list[list[str]]:
    """The rows of each table, cells separated by bars."""
    found = []
    for table in re.findall(r"<table.*?</table>", html, re.DOTALL):
        rows = re.findall(r"<tr>(.*?)</tr>", table, re.DOTALL)
        cells = [re.findall(r"<t[hd][^>]*>(.*?)</t[hd]>", each, re.DOTALL) for each in rows]
        found.append(
            [" | ".join(" ".join(re.sub(r"<[^>]+>", " ", cell).split()) for cell in each) for each in cells]
        )
    return found


KNOWN = ["API | client 7", "2 Write | 0", "9 Poll | 3-4"]
RELEASES = ["API | 2.0 | 1.0", "1 Read | 0-2 deprecated: 0-1 | 0", "2 Write | 0 | "]


@pytest.mark.parametrize(
    ("servers", "clients", "shown", "captions"),
    [
        # Clients have no names of APIs of their own: those of the releases and of the index hold.
        (SERVERS, CLIENTS, [RELEASES, KNOWN], ["release", "client"]),
        (SERVERS, None, [RELEASES], ["release"]),
        (None, CLIENTS, [["API | client 7", "2 API key 2 | 0", "9 Poll | 3-4"]], ["client"]),
    ],
    ids=["both", "servers", "clients"],
)  # fmt: skip
def test_a_row_has_what_each_release_or_client_serves(
    servers: str | None, clients: str | None, shown: list[list[str]], captions: list[str]
) -> None:
    page = served_page(servers, clients, INDEX, Profile())
    html = str(page.html)
    assert tables(html) == shown
    assert re.findall(r"<caption>API by (\w+)</caption>", html) == captions
    assert [heading.id for heading in page.headings] == [f"{name}s" for name in captions]
    assert ("and the clients" in html) == (clients is not None)
    assert 'href="../api/read/"' in html or servers is None
    assert "api/stored/" not in html
