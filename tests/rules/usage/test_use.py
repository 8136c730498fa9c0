"""Who sends some versions: several senders together, the summary of a fleet, and the words."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.kafka import read_kafka
from tests.rules.reports import some_finding
from wirebook.rules.finding import Category, Severity
from wirebook.rules.grading import FleetGrades, graded, grades
from wirebook.rules.usage.model import MOST_SENDERS, FleetSender, FleetUse, together
from wirebook.rules.usage.reading import SCHEMA, SUMMARY, Usage, read_usage
from wirebook.rules.usage.words import client_of, requests_of, used
from wirebook.specs.model import Message, Protocol
from wirebook.specs.output import FLEET, LIST
from wirebook.specs.output import SCHEMA as LISTED
from wirebook.specs.problems import InputError
from wirebook.specs.versions import VersionSet


def sender(
    name: str = "shop", requests: int = 10, day: str | None = None, versions: str = "3"
) -> FleetSender:
    """A client; half of its requests are on its last day."""
    of_day = requests // 2 if day else 0
    return FleetSender("", "", name, f"User:{name}", "", VersionSet.parse(versions), requests, day, of_day)


def use(*senders: FleetSender, clients: int | None = None) -> FleetUse:
    """What some clients send of Fetch."""
    return FleetUse(
        "Fetch",
        VersionSet.of(version for item in senders for version in item.versions),
        sum(item.requests for item in senders),
        len(senders) if clients is None else clients,
        senders,
        "2026-10-01",
        "2026-11-20",
    )


def test_a_client_that_sends_several_versions_is_one() -> None:
    early, late = sender(day="2026-11-19"), sender(requests=30, day="2026-11-20", versions="5")
    (both,) = together([early, late])
    assert (both.versions.text, both.requests) == ("3, 5", 40)
    # What it sends on its last day is what stops when it is migrated.
    assert (both.last_day, both.last_day_requests) == ("2026-11-20", 15)
    assert together([late, early]) == [both]
    assert together([early, sender(day="2026-11-19", versions="4")])[0].last_day_requests == 10
    (undated,) = together([sender(), sender(versions="4")])
    assert (undated.last_day, undated.last_day_requests, undated.requests) == (None, 0, 20)
    assert together([early, replace(early, principal="User:other")]) == sorted(
        [early, replace(early, principal="User:other")], key=lambda item: item.principal
    )


def test_most_requests_come_first_and_then_names() -> None:
    many, few = sender("z", 20), [sender("b", 10), sender("a", 10)]
    assert [item.name for item in together([*few, many])] == ["z", "a", "b"]
    software = [replace(sender(), software=name) for name in ("b", "a")]
    assert [item.software for item in together(software)] == ["a", "b"]


def test_a_client_has_a_name_and_its_software() -> None:
    assert sender("shop").name == "shop"
    assert sender("").name == "User:"
    assert replace(sender(""), principal="").name == "a client without a name"
    assert client_of(sender()) == client_of(replace(sender(), software="unknown")) == "shop"
    named = replace(sender(), software="librdkafka", software_version="2.3.0")
    assert client_of(named) == "shop, librdkafka 2.3.0"
    assert client_of(replace(named, software_version="unknown")) == "shop, librdkafka"


@pytest.mark.parametrize(
    ("item", "words"),
    [
        (sender(requests=1), "1 request"),
        (sender(requests=2), "2 requests"),
        (sender(requests=1200000), "1,200,000 requests"),
        (sender(requests=2, day="2026-11-20"), "1 request on 2026-11-20"),
        (sender(requests=24, day="2026-11-20"), "12 requests on 2026-11-20"),
    ],
)
def test_requests_are_those_of_the_last_day(item: FleetSender, words: str) -> None:
    assert requests_of(item) == words


def test_the_words_name_three_clients_and_count_the_rest() -> None:
    names = [f"{name}, 10 requests, still sends Fetch v3" for name in "abcd"]
    four = [sender(name) for name in "abcd"]
    assert used(use(*four[:3])) == "; ".join(names[:3])
    assert used(use(*four)) == "; ".join([*names[:3], "and 1 more client"])
    assert used(use(*four, clients=1203)) == "; ".join([*names[:3], "and 1,200 more clients"])
    assert used(replace(use(*four, clients=9), is_least=True)).endswith("; and at least 6 more clients")
    assert used(use(*four), most=1) == f"{names[0]}; and 3 more clients"
    assert used(use(replace(four[0], owner="web"))) == "a (web), 10 requests, still sends Fetch v3"


def test_the_words_for_what_no_client_sends() -> None:
    when = " from 2026-10-01 to 2026-11-20"
    unused, sent = use(), use(sender())
    of_servers = replace(sent, between_servers=True)
    assert used(unused) == f"no client of the fleet sends these versions of Fetch{when}"
    known = replace(unused, versions=VersionSet.parse("3"))
    assert used(known) == f"no client of the fleet sends Fetch v3{when}"
    for undated in (replace(unused, first=None), replace(unused, last=None)):
        assert used(undated) == "no client of the fleet sends these versions of Fetch"
    assert used(of_servers) == f"only servers send Fetch v3{when}"
    assert [each.cuts_off for each in (unused, sent, of_servers)] == [False, True, False]


def version(number: int, *senders: FleetSender, key: int = 1, **more: object) -> dict[str, object]:
    """An entry of a summary."""
    return {
        "api_key": key,
        "api": "Fetch" if key == 1 else f"API key {key}",
        "version": number,
        "requests": sum(item.requests for item in senders),
        "clients": len(senders),
        "between_servers": False,
        "senders": [item.to_json() for item in senders],
        **more,
    }


@pytest.fixture
def summary(tmp_path: Path) -> dict[str, object]:
    """A summary of a fleet; `read` writes and reads it."""
    (tmp_path / LIST).write_text(json.dumps({"schema": LISTED, "kind": FLEET, "files": [SUMMARY]}))
    by_version = [
        version(2, sender("a", 4), clients=7),
        version(3, sender("a"), sender("b", 20, "2026-11-20T10:00:00")),
        version(4, *(sender(f"many-{number}") for number in range(MOST_SENDERS + 5))),
        version(0, sender("broker"), key=7, between_servers=True),
        version(1, sender("tool"), key=7),
    ]
    period = {"first": "2026-10-01T00:00:00", "last": None}
    return {"schema": SCHEMA, "period": period, "by_version": by_version, "by_version_left_out": 1234}


def read(folder: Path, document: object) -> Usage:
    (folder / SUMMARY).write_text(json.dumps(document))
    return read_usage(folder, "fleet")


def test_a_summary_answers_for_versions_of_an_api(tmp_path: Path, summary: dict[str, object]) -> None:
    usage = read(tmp_path, summary)
    assert usage.to_json() == {"first": "2026-10-01", "last": None, "left_out": 1234}

    def of(versions: str, key: int | None = 1, api: str = "Fetch") -> FleetUse | None:
        return usage.of(key, api, VersionSet.parse(versions))

    one = of("3")
    assert one is not None
    assert (one.versions.text, one.requests, one.clients, one.is_least) == ("3", 30, 2, False)
    assert [(item.name, item.last_day) for item in one.senders] == [("b", "2026-11-20"), ("a", None)]
    # The five clients of version 2 without names may be those of version 3.
    two = of("0-3")
    assert two is not None
    assert (two.versions.text, two.requests, two.clients, two.is_least) == ("2-3", 34, 7, True)
    alone = of("2")
    assert alone is not None
    assert (alone.clients, alone.is_least) == (7, False)
    many = of("3-4")
    assert many is not None
    assert (many.clients, len(many.senders), many.is_least) == (MOST_SENDERS + 7, MOST_SENDERS, False)
    none = of("9")
    assert none is not None
    assert (none.versions, none.requests, none.cuts_off, none.between_servers) == (
        VersionSet.NONE,
        0,
        False,
        False,
    )
    # Another API under the key is unknown; a key that the fleet does not know is not in use.
    assert of("3", api="Other") is None
    assert of("3", key=None) is None
    assert usage.is_other(1, "Other")
    assert not usage.is_other(1, "Fetch")
    assert not usage.is_other(7, "Whatever")
    assert not usage.is_other(99, "Other")
    servers, mixed = of("0", 7), of("0-1", 7)
    assert servers is not None
    assert mixed is not None
    assert (servers.between_servers, mixed.between_servers) == (True, False)
    (notice,) = usage.notices
    assert notice.startswith("the fleet has 1,234 more versions of APIs than its summary lists")
    assert read(tmp_path, summary | {"by_version_left_out": 0}).notices == ()


@pytest.mark.parametrize(
    "change",
    [{"version": -1}, {"version": True}, {"requests": "4"}, {"api": 1}, {"clients": None}, {"senders": [{}]}],
)
def test_a_damaged_summary_is_refused(
    tmp_path: Path, summary: dict[str, object], change: dict[str, object]
) -> None:
    with pytest.raises(InputError, match=r"fleet/summary\.json: this summary of a fleet is damaged"):
        read(tmp_path, summary | {"by_version": [version(2) | change]})
    assert read(tmp_path, summary | {"by_version": [version(0)]}).apis[1][0].version == 0


def test_a_summary_that_is_too_large_is_refused_unread(tmp_path: Path, summary: dict[str, object]) -> None:
    read(tmp_path, summary)
    with open(tmp_path / SUMMARY, "r+b") as file:
        file.truncate((256 << 20) + 1)
    with pytest.raises(InputError, match="this is larger than 256 MiB"):
        read_usage(tmp_path)


@pytest.mark.parametrize(
    ("changed", "severity", "is_graded"),
    [
        ({}, Severity.WARNING, True),
        ({"versions": VersionSet.parse("2-3")}, Severity.WARNING, True),
        ({"versions": VersionSet.parse("9")}, Severity.INFO, True),
        ({"severity": Severity.ERROR}, Severity.ERROR, True),
        ({"rule": "tag-reused"}, Severity.INFO, True),
        ({"category": Category.WIRE}, Severity.WARNING, True),
        ({"category": Category.SPEC}, Severity.INFO, False),
        ({"versions": VersionSet.NONE}, Severity.INFO, False),
        ({"message_type": "response", "message_name": "FetchResponse"}, Severity.WARNING, True),
        ({"message_type": "data"}, Severity.INFO, False),
        ({"message_name": "OtherRequest"}, Severity.INFO, False),
        ({"api_key": None}, Severity.INFO, False),
        ({"api_key": 99}, Severity.INFO, True),
        (
            {"api_key": 7, "message_name": "AnyRequest", "versions": VersionSet.parse("0")},
            Severity.INFO,
            True,
        ),
        (
            {"api_key": 7, "message_name": "AnyRequest", "versions": VersionSet.parse("1")},
            Severity.WARNING,
            True,
        ),
    ],
)
def test_a_removal_that_clients_notice_is_more_than_a_note(
    tmp_path: Path, summary: dict[str, object], changed: dict[str, Any], severity: Severity, is_graded: bool
) -> None:
    found = some_finding(
        rule="lowest-version-raised",
        severity=Severity.INFO,
        category=Category.POLICY,
        message_name="FetchRequest",
        api_key=1,
        versions=VersionSet.parse("3"),
    )
    named = changed.get("message_name", "FetchRequest").removesuffix("Request").removesuffix("Response")
    (item,) = graded([found._replace(api=named, **changed)], read(tmp_path, summary))
    assert (item.severity, item.use is not None) == (severity, is_graded)
    assert item.identity == found._replace(**changed).identity


def test_versions_that_a_change_deprecates_are_those_of_requests(
    tmp_path: Path, summary: dict[str, object]
) -> None:
    usage = read(tmp_path, summary)

    def spec(kind: str = "request", name: str = "Fetch", key: int = 1, **keys: Any) -> Message:
        top = {"apiKey": key, "type": kind, "name": f"{name}{kind.title()}", "validVersions": "2-5"}
        return read_kafka(json.dumps({**top, "flexibleVersions": "none", "fields": [], **keys}), "F.json")

    def of(old: list[Message] | None, *new: Message) -> FleetGrades:
        return grades([(None if old is None else Protocol(tuple(old)), Protocol(new))], usage)

    marked = spec(deprecatedVersions="0-3")
    (item,) = of([spec()], marked).deprecations
    assert (item.message, item.versions.text, item.use.requests) == (marked, "2-3", 34)
    assert item.to_json()["message_name"] == "FetchRequest"
    assert [each.versions.text for each in of([spec(deprecatedVersions="2")], marked).deprecations] == ["3"]
    assert of([marked], marked).deprecations == ()
    assert of(None, marked).deprecations == ()
    assert of([], marked).deprecations == ()
    assert of([spec("response")], spec("response", deprecatedVersions="2")).deprecations == ()
    assert of([spec(name="Other")], spec(name="Other", deprecatedVersions="2")).deprecations == ()
    assert of([], spec(name="Other")).others == ("Other",)
    assert of([], spec(), spec(key=9, name="New")).others == ()
    said = of([spec()], marked, spec(key=7, name="Any")).notices
    assert said[0].startswith("FetchRequest deprecates versions 2-3: ")
    assert said[-1].startswith("the fleet has 1,234 more versions")
    assert len(of([spec()], spec(deprecatedVersions="5")).notices) == 1
    other = of([], spec(name="Other")).notices
    assert other[0] == "the fleet has other APIs under the keys of Other: they are not graded by use"
