"""The tables of the pages of negotiation: releases that share a column, and what a feature needs."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from html import unescape
from itertools import pairwise

import pytest

from tests.docgen.histories import own_book
from wirebook.docgen.render.pages.negotiation import (
    FeatureSection,
    ReleaseSpan,
    core_table,
    feature_needs,
    features_page,
    negotiate_page,
)
from wirebook.live.negotiation.negotiate import Feature, Peer, Way, choose
from wirebook.live.negotiation.outcome import negotiation
from wirebook.live.negotiation.page_data import CORE
from wirebook.live.negotiation.peers import java_client, release_peer
from wirebook.specs.kafka.brokers import api_names, broker_named, released_brokers
from wirebook.specs.versions import Versions


def within(span: ReleaseSpan, names: Sequence[str]) -> list[str]:
    """The releases of a column or a row."""
    return list(names[names.index(span.first) : names.index(span.last) + 1])


def missing(client: Peer, broker: Peer) -> tuple[str, ...]:
    """The core APIs of a client that find no version."""
    known = client.versions or {}
    return tuple(
        api_names()[key] for key in CORE if key in known and choose(client, broker, key).version is None
    )


def test_neighbours_with_the_same_answers_and_no_others_share_a_column_or_a_row() -> None:
    columns, rows = core_table()
    brokers = [release_peer(broker) for broker in released_brokers() if broker.negotiates]
    names = [peer.name for peer in brokers]
    clients = [broker.release for broker in released_brokers()]
    clients = clients[clients.index("0.10.2") :]
    spans = [span for span, _ in rows]
    assert [name for span in columns for name in within(span, names)] == names
    assert [name for span in spans for name in within(span, clients)] == clients
    for span, cells in rows:
        assert len(cells) == len(columns)
        for column, cell in zip(columns, cells, strict=True):
            pairs = [(ours, theirs) for ours in within(span, clients) for theirs in within(column, names)]
            assert {
                missing(java_client(broker_named(ours)), release_peer(broker_named(theirs)))
                for ours, theirs in pairs
            } == {cell.missing}, (span, column)
            assert cell.link == f"#client=java-{span.last}&broker={column.last}"
    table = [[cell.missing for cell in cells] for _, cells in rows]
    assert all(one != next_ for one, next_ in pairwise(table))
    by_column = list(zip(*table, strict=True))
    assert all(one != next_ for one, next_ in pairwise(by_column))


def section(feature: Feature, *served: int | None) -> FeatureSection:
    """The section of a feature, for brokers that serve version 0 of API 0 up to a number, or none at all."""
    brokers = [
        Peer.of(f"{number}.0", {} if highest is None else {0: Versions(0, highest)})
        for number, highest in enumerate(served, 1)
    ]
    (outcome,) = negotiation(Peer.of("client", None, features=(feature,)), brokers).features
    return FeatureSection(outcome, outcome.brokers)


@pytest.mark.parametrize(
    ("served", "since", "lacking"),
    [
        ((0, 1, 2), "2.0", "1.0"),
        ((1, 1, 1), "1.0", None),
        # One that lost it in between has it only since it is back for good.
        ((1, None, 1, 1), "3.0", "2.0"),
        ((1, 1, 0), "", "3.0"),
        ((None,), "", "1.0"),
        ((1,), "1.0", None),
    ],
)
def test_a_feature_is_there_since_the_first_release_after_which_all_have_it(
    served: tuple[int | None, ...], since: str, lacking: str | None
) -> None:
    found = section(Feature("f", (Way({0: Versions(1, 1)}),)), *served)
    assert found.since == since
    assert (found.lacking.broker if found.lacking else None) == lacking


def test_what_a_way_needs_is_a_sentence() -> None:
    def needs(of: dict[int, Versions], by: str = "") -> tuple[list[tuple[str, str]], bool]:
        found = section(Feature("f", (Way(of, by),)), 1)
        return found.ways, found.has_named_ways

    every, later, exact = Versions.ALL, Versions.parse("2+"), Versions(1, 2)
    assert needs({0: every}) == ([("", "Produce")], False)
    assert needs({0: later}, "one") == ([("one", "Produce from version 2")], True)
    assert needs({1: exact, 0: every}) == ([("", "Produce and Fetch in version 1-2")], False)
    assert needs({2: later, 0: every, 1: exact}) == (
        [("", "Produce, Fetch in version 1-2 and ListOffsets from version 2")],
        False,
    )


@pytest.mark.parametrize(
    ("title", "inside"),
    [
        ("Idempotence", "idempotence"),
        ("SASL authentication", "SASL authentication"),
        ("Kerberos", "Kerberos"),
        ("Zstandard compression", "Zstandard compression"),
        ("A", "a"),
    ],
)
def test_names_keep_their_capital_in_a_question(title: str, inside: str) -> None:
    found = section(Feature("f_x", (Way({0: Versions.ALL}),), title), 1)
    assert found.question == f"Which brokers support {inside}?"
    assert found.id == "f-x"


def test_releases_in_which_every_feature_works_alike_share_a_column() -> None:
    html = str(features_page(()).html)
    head = html.partition("<thead>")[2].partition("</thead>")[0]
    cells = [cell.partition("</th>")[0] for cell in head.split('<th scope="col">')[2:]]
    names = [release_peer(broker).name for broker in released_brokers()]
    spans = [ReleaseSpan(cell.split(" to ")[0], cell.split(" to ")[-1]) for cell in cells]
    assert [name for span in reversed(spans) for name in within(span, names)] == names, "newest first"
    body = html.partition("<tbody>")[2].partition("</tbody>")[0]
    rows = [row.split("<td ")[1:] for row in body.split("<tr>")[1:]]
    columns = list(zip(*rows, strict=True))
    assert len(columns) == len(spans)
    assert all(one != next_ for one, next_ in pairwise(columns))


def test_features_that_a_cluster_enables_are_listed_with_what_needs_them() -> None:
    uses = {
        (each.feature.name, each.feature.level, document.api, number)
        for each in feature_needs(own_book().documents)
        for document, number in each.needed_by
    }
    assert ("group.version", 1, "ConsumerGroupHeartbeat", 0) in uses
    assert {api for name, _, api, _ in uses if name == "transaction.version"} == {
        "EndTxn",
        "Produce",
        "TxnOffsetCommit",
    }
    # The text of a version says what it needs, too.
    named = re.compile(r"finalized feature ([a-z.]+\.version) of at least (\d+)")
    assert uses == {
        (name, int(level), document.api, version.version)
        for document in own_book().documents
        for version in document.versions
        for name, level in named.findall(version.requires)
    }
    html = str(features_page(own_book().documents).html)
    assert "group.version=1" in html
    assert "Which brokers support SaslAuthenticate requests?" in html


def test_a_purpose_names_the_apis_that_a_client_needs_for_it() -> None:
    (roles,) = re.findall(r'data-roles="([^"]*)"', str(negotiate_page(()).html))
    purposes = json.loads(unescape(roles))["purposes"]
    assert {each["does"]: [api_names()[key] for key in each["keys"]] for each in purposes} == {
        "produces": ["Produce", "Metadata"],
        "consumes": ["Fetch", "ListOffsets", "Metadata"],
        "joins groups": [
            *("OffsetCommit", "OffsetFetch", "FindCoordinator", "JoinGroup", "Heartbeat"),
            *("LeaveGroup", "SyncGroup"),
        ],
    }
