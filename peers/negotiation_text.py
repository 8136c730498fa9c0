"""A negotiation as lines for a terminal."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from wirebook.peers.negotiation import (
    MARK_WORDS,
    STATES,
    ApiOutcome,
    FeatureOutcome,
    Negotiation,
    Pair,
)
from wirebook.specs.printable import columns, number_of, quiet, visible

_BROKERS = re.compile(r"(\b(?:the|every|some|no|all) |, )broker(s?)\b")
_WORDS = {"every": "with every broker", "some": "with some brokers", "none": "with no broker"}
_WORDS_OF_ONE = {"every": "usable", "some": "", "none": "not usable"}


def text(result: Negotiation, like: Mapping[str, str], server: str = "broker") -> Iterator[str]:
    """Format the negotiation for a terminal, line by line; names of peers are escaped.

    `like` describes brokers of unknown release by name, `server` is the protocol's word for a
    broker.
    """
    for line in _lines(result, like, server):
        yield quiet(visible(of_server(line, server).rstrip()))


def of_server(line: str, server: str) -> str:
    """A line with the protocol's word for a broker: reasons and states use it in the same few
    phrases."""
    return _BROKERS.sub(lambda found: f"{found[1]}{server}{found[2]}", line)


def _lines(result: Negotiation, like: Mapping[str, str], server: str) -> Iterator[str]:
    if result.client is not None:
        yield f"client  {result.client.name}: {result.client.origin or 'its ranges'}"
    for broker in result.brokers:
        yield f"{server}  {broker.name}: {broker.origin}"
        if broker.name in like:
            yield f"        {like[broker.name]}"
    yield ""
    known, number = result.client_known, len(result.brokers)
    rows = [api for api in result.apis if api.client is not None or not known]
    head = ["key", "API"]
    if known:
        head.append("client")
    head += [broker.name for broker in result.brokers]
    if number > 1:
        head.append("all brokers")
    yield from columns([head, *(_row(api, known) for api in rows)], right=1, rule=True)
    yield ""
    yield from _reasons(rows, number)
    unspoken = [api.name or str(api.key) for api in result.apis if known and api.client is None]
    if unspoken:
        yield f"Served, but not supported by the client ({len(unspoken)}): {', '.join(unspoken)}"
    yield from _features(result.features, number)


def _row(api: ApiOutcome, known: bool) -> list[str]:
    row = [str(api.key), api.name or "?"]
    if known:
        row.append(str(api.client))
    row += [_cell(pair, known) for pair in api.pairs]
    if len(api.pairs) > 1:
        shared = api.version if known else api.across
        row.append("-" if shared is None else str(shared))
    return row


def _cell(pair: Pair, known: bool) -> str:
    if pair.serves is None:
        return "not served"
    notes = [f"{passed.version} {MARK_WORDS[passed.mark]}" for passed in pair.passed_over[:3]]
    if pair.reason == "deprecated":
        notes.append("deprecated")
    note = f" ({', '.join(notes)})" if notes else ""
    if not known:
        return f"{pair.serves}{note}"
    return f"{'-' if pair.version is None else pair.version} of {pair.serves}{note}"


def _reasons(rows: Sequence[ApiOutcome], brokers: int) -> Iterator[str]:
    words = _WORDS_OF_ONE if brokers == 1 else _WORDS
    numbers = Counter(api.usable for api in rows)
    summary = [f"{numbers[state]} {words[state]}" for state in STATES if numbers[state]]
    yield f"Of {number_of(len(rows), 'API')}: {', '.join(summary) or 'none'}."
    for api in rows:
        for pair in api.pairs:
            if not pair.usable:
                yield f"  {api.name or api.key}, {pair.broker}: {pair.words}"


def _features(features: Sequence[FeatureOutcome], brokers: int) -> Iterator[str]:
    words = _WORDS_OF_ONE if brokers == 1 else _WORDS
    if features:
        yield ""
        yield "Features:"
    for item in features:
        title = f" ({item.title})" if item.title else ""
        yield f"  {item.name}{title}: {words[item.usable]}"
        for pair in item.brokers:
            yield f"    {'yes' if pair.usable else 'no '}  {pair.broker}: {pair.words}"
