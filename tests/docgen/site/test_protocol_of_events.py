"""The site of a protocol whose events have keys and headers, and whose clients do not negotiate."""

from __future__ import annotations

import html
import re
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.docgen.site.other_protocol import build
from tests.repositories import Repo

PROFILE = """
name = "lift"
product = "Lift"
client = "panel"
server = "controller"
message_types = ["event"]
keyed_types = ["event"]

[suffixes]
request = ""
response = "Ack"
event = ""

[headers]
request = [1, 1]
response = [1, 1]
event = [1, 1]
fields = { api_key = "kind", api_version = "revision", correlation_id = "sequence" }
"""


def message(kind: str, name: str, versions: str = "0", **more: Any) -> dict[str, Any]:
    floor = {"name": "floor", "type": "int16", "versions": "0+", "about": "The floor."}
    keys = {"type": kind, "name": name, "validVersions": versions, "flexibleVersions": "0+"}
    return {"apiKey": 0, **keys, "fields": [floor], **more}


def header(kind: str) -> dict[str, Any]:
    names = (("kind", "int16"), ("revision", "int16"), ("sequence", "int32"))
    fields = [{"name": name, "type": form, "versions": "1+", "about": "Its."} for name, form in names]
    keys = {"type": "header", "name": f"{kind}Header", "validVersions": "1", "flexibleVersions": "none"}
    return {**keys, "fields": fields}


@pytest.fixture(scope="module")
def site() -> Iterator[Path]:
    with tempfile.TemporaryDirectory(prefix="wirebook-lift-") as folder:
        repo = Repo(Path(folder) / "lift")
        repo.write("profile.toml", PROFILE)
        for kind in ("Request", "Response", "Event"):
            repo.spec(header(kind), "messages")
        repo.spec(message("request", "CallCar"), "messages")
        repo.spec(message("response", "CallCarAck"), "messages")
        releases: tuple[tuple[str, str, dict[str, Any]], ...] = (
            ("v1.0.0", "0", {}),
            ("v1.1.0", "0-1", {}),
            ("v1.2.0", "0-1", {"deprecatedVersions": "0"}),
        )
        for tag, versions, more in releases:
            repo.spec(message("event", "CarMoved", versions, **more), "messages")
            repo.commit(tag)
            repo.git("tag", tag)
        done = build(repo.folder)
        assert done.returncode == 0, done.stderr
        yield repo.folder / "site"


def words(site: Path, path: str) -> str:
    """The text of a page, with single spaces."""
    text = (site / path / "index.html").read_text("utf-8").split("<main", 1)[1].replace("<wbr>", "")
    return " ".join(html.unescape(re.sub(r"<[^>]*>", " ", text)).split())


def test_pages_state_only_what_the_protocol_does(site: Path) -> None:
    decoding = words(site, "decode")
    assert "A response names neither" not in decoding
    assert "If the bytes include a request header, API and version are read from it" in decoding
    encoding = words(site, "encode")
    assert "API key and version of the message and correlation ID 1" in encoding
    assert "my-client" not in encoding
    assert "A removed version of an API is not served. " in words(site, "deprecations")
    assert "negotiate" not in words(site, "releases/v1.1.0")


def test_the_header_of_an_event_is_called_by_its_type(site: Path) -> None:
    history = words(site, "api/car-moved").split("Versions of CarMoved", 1)[1]
    assert "event v1" in history
    assert "carmoved v1" not in history


def test_a_release_says_what_readers_of_an_event_must_do(site: Path) -> None:
    added = words(site, "releases/v1.1.0")
    assert "What panel authors must do" in added
    assert "CarMoved (event): version 1 is new: support it before it is sent" in added
    assert "Nothing: no request" not in added
    assert "CarMoved (event): version 0 is deprecated" in words(site, "releases/v1.2.0")


def test_events_are_listed_with_their_keys(site: Path) -> None:
    home = words(site, "").split("All APIs", 1)[1].split("Newest changes", 1)[0]
    assert "Event 0 CarMoved" in home
    table = words(site, "api").split("Event ( event )", 1)[1].lstrip()
    assert table.startswith("Key Message Versions Since 0 CarMoved")


def test_the_first_release_has_messages_and_not_no_changes(site: Path) -> None:
    first = words(site, "releases/v1.0.0")
    assert "What changed First release with specs: 1 API and 4 other messages." in first
    assert "Nothing in the protocol" not in first


def test_what_the_first_of_all_releases_has_is_no_older(site: Path) -> None:
    assert "added in v1.0.0" in words(site, "api/call-car")
    assert not [page for page in site.rglob("index.html") if "v1.0.0 or earlier" in page.read_text("utf-8")]
