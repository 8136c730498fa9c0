"""What clients of others make of every release and every fault of the mock broker, all on
loopback."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, NamedTuple

import pytest

from tests.e2e.clients import CLIENTS, ask, lacking, need
from tests.peers.mocks import Mocked, mocked
from tests.support import ROOT
from wirebook.peers.mock import FAULTS

pytestmark = [pytest.mark.xdist_group("clients"), pytest.mark.long]

# Seconds that a client has, where it is to succeed (a machine may be busy) and where it is to fail;
# and at last, where it has not got as far as it should in that time.
PATIENCE, IMPATIENCE, LAST = 90.0, 2.0, 20.0
AT_ONCE = 10

# The versions of ApiVersions asked on the first connection, the first version of Metadata, and what
# came of it. In the order of CLIENTS: librdkafka, kafka-python, aiokafka, kafkajs.
FAULTS_SEEN = {
    "none": ("3 M12 works", "4 M12 works", "0 M5 works", "2 M6 works"),
    "close": ("3 fails", "4 fails", "0 fails", "2 fails"),
    "delay": ("3 M12 works", "4 M12 works", "0 M5 works", "2 M6 works"),
    "cut": ("3 fails", "4 fails", "0 fails", "2 fails"),
    "wrong-version": ("3,0 M12 works", "4 fails", "0 M5 works", "2,1,0 M6 works"),
    "unknown-error": ("3 fails", "4 fails", "0 fails", "2 fails"),
    "silence": ("3 fails", "4 fails", "0 fails", "2 fails"),
}
RELEASES_SEEN = {
    "0.8.2": ("3 fails", "4 fails", "0 fails", "2 fails"),
    "0.9.0": ("3 fails", "4 fails", "0 fails", "2 fails"),
    "0.10.0": ("3,0 M1 works", "4,0 M1 works", "0 M1 works", "2,1,0 M1 works"),
    "0.10.2": ("3,0 M2 works", "4,0 M2 works", "0 M2 works", "2,1,0 M2 works"),
    "0.11.0": ("3,0 M4 works", "4,0 M4 works", "0 M4 works", "2,1 M4 works"),
    "1.0": ("3,0 M5 works", "4,0 M5 works", "0 M5 works", "2,1 M5 works"),
    "2.0": ("3,0 M6 works", "4,0 M6 works", "0 M5 works", "2 M6 works"),
    "2.3": ("3,0 M8 works", "4,0 M8 works", "0 M5 works", "2 M6 works"),
    "2.4": ("3 M9 works", "4,3 M9 works", "0 M5 works", "2 M6 works"),
    "2.8": ("3 M11 works", "4,3 M11 works", "0 M5 works", "2 M6 works"),
    "4.0": ("3 M13 works", "4 M13 works", "0 M5 works", "2 M6 works"),
    "4.3": ("3 M13 works", "4 M13 works", "0 M5 works", "2 M6 works"),
}


class Case(NamedTuple):
    """A client and what it meets."""

    client: str
    release: str
    fault: str
    expected: str


CASES = [
    Case(client, release, fault, expected)
    for release, fault, row in [
        *(("3.9", fault, row) for fault, row in FAULTS_SEEN.items()),
        *((release, "none", row) for release, row in RELEASES_SEEN.items()),
    ]
    for client, expected in zip(CLIENTS, row, strict=True)
]


def summary(answer: Any, requests: Sequence[Mapping[str, Any]]) -> str:
    """A cell of the tables."""
    asked: list[str] = []
    for request in requests:
        if request["api"] == "ApiVersions" and request["connection"] == requests[0]["connection"]:
            version = str(request["version"])
            if asked and asked[-1].rstrip("+") == version:
                asked[-1] = f"{version}+"
            else:
                asked.append(version)
    metadata = [f"M{request['version']}" for request in requests if request["api"] == "Metadata"][
        :1
    ]
    came = answer.partition(":")[0] if isinstance(answer, str) else "works"
    return " ".join([*filter(None, [",".join(asked)]), *metadata, came])


@pytest.fixture(scope="module")
def seen() -> dict[Case, tuple[str, Any, Mocked]]:
    """What every client did, several at a time, for most of them wait most of the time."""

    def one(case: Case) -> tuple[str, Any, Mocked]:
        for seconds in (PATIENCE,) if case.expected.endswith("works") else (IMPATIENCE, LAST):
            with mocked(
                case.release, case.fault.removeprefix("none"), topics={"words": 3}
            ) as broker:
                answer = ask(case.client, f"127.0.0.1:{broker.port}", seconds)
            found = summary(answer, broker.requests)
            if found == case.expected:
                break
        return found, answer, broker

    possible = [case for case in CASES if not lacking(case.client)]
    with ThreadPoolExecutor(AT_ONCE) as pool:
        return dict(zip(possible, pool.map(one, possible), strict=True))


@pytest.mark.parametrize(
    "case", CASES, ids=lambda case: f"{case.client}-{case.release}-{case.fault}"
)
def test_a_client_and_what_it_meets(case: Case, seen: dict[Case, tuple[str, Any, Mocked]]) -> None:
    need(case.client)
    found, answer, broker = seen[case]
    assert found == case.expected, (answer, broker.log[-20:])
    if not isinstance(answer, str):
        assert answer == {"brokers": 1, "topics": ["words"]}


def test_every_fault_has_its_row() -> None:
    assert [*FAULTS_SEEN] == ["none", *FAULTS]


def test_the_page_has_the_same_tables() -> None:
    page = (ROOT / "site_src" / "versions.md").read_text(encoding="utf-8")
    rows = {
        cells[0].strip("`"): tuple(cells[1:])
        for cells in (
            [cell.strip() for cell in line.strip("| ").split(" | ")] for line in page.splitlines()
        )
        if len(cells) == 5
    }
    for name, row in (*FAULTS_SEEN.items(), *RELEASES_SEEN.items()):
        assert rows.get(name) == row, name
