"""A negotiation as lines for a terminal."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from wirebook.live.negotiation.outcome import (
    STATES,
    ApiOutcome,
    FeatureOutcome,
    Negotiation,
    Pair,
    UsableBy,
)
from wirebook.specs.columns import columns
from wirebook.specs.printable import quiet, visible

_BROKERS = re.compile(r"(\b(?:the|every|some|no|all) |, )broker(s?)\b")
_WORDS = {"every": "with every broker", "some": "with some brokers", "none": "with no broker"}
_WORDS_OF_ONE = {"every": "usable", "some": "", "none": "not usable"}


def text(result: Negotiation, server: str = "broker") -> Iterator[str]:
    """Format the negotiation for a terminal, line by line; names of peers are escaped.

    `server` is the protocol's word for a broker.
    """
    for line in _lines(result, server):
        yield quiet(visible(of_server(line, server).rstrip()))


def of_server(line: str, server: str) -> str:
    """A line with the protocol's word for a broker: reasons and states use it in the same few phrases."""
    return _BROKERS.sub(lambda found: f"{found[1]}{server}{found[2]}", line)


def _lines(result: Negotiation, server: str) -> Iterator[str]:
    client, brokers, client_known = result.client, result.brokers, result.client_known
    if client is not None:
        yield f"client  {client.name}: {client.origin or 'its ranges'}"
    for broker, similarity in zip(brokers, result.similarities or [None] * len(brokers), strict=True):
        yield f"{server}  {broker.name}: {broker.origin}"
        if similarity is not None and similarity.summary():
            yield f"        {similarity.summary()}"
    yield ""
    apis = result.apis
    rows = [api for api in apis if api.client is not None] if client_known else apis
    yield from _table(rows, [broker.name for broker in brokers], client_known)
    yield ""
    yield from _reasons(rows, len(brokers))
    if client_known:
        unspoken = [api.name or str(api.key) for api in apis if api.client is None]
        if unspoken:
            yield f"Served, but not supported by the client ({len(unspoken)}): {', '.join(unspoken)}"
    yield from _features(result.features, len(brokers))


def _table(rows: Sequence[ApiOutcome], brokers: Sequence[str], client_known: bool) -> Iterator[str]:
    head = ["key", "API", *(["client"] if client_known else []), *brokers]
    if len(brokers) > 1:
        head.append("all brokers")
    cells = [head]
    for outcome in rows:
        row = [str(outcome.key), outcome.name or "?"]
        if client_known:
            row.append(str(outcome.client))
        row += [_cell(pair, client_known) for pair in outcome.pairs]
        if len(brokers) > 1:
            shared = outcome.version if client_known else outcome.across
            row.append("-" if shared is None else str(shared))
        cells.append(row)
    yield from columns(cells, right=1, rule=True)


def _cell(pair: Pair, client_known: bool) -> str:
    if pair.serves is None:
        return "not served"
    choice = pair.choice
    notes = [
        f"{version} {'not to be used' if mark == 'avoid' else mark}"
        for version, mark in choice.passed_over[:3]
    ]
    if choice.reason == "deprecated":
        notes.append("deprecated")
    note = f" ({', '.join(notes)})" if notes else ""
    if not client_known:
        return f"{pair.serves}{note}"
    return f"{'-' if choice.version is None else choice.version} of {pair.serves}{note}"


def _reasons(rows: Sequence[ApiOutcome], brokers: int) -> Iterator[str]:
    by_state = {state: [api for api in rows if api.usable == state] for state in STATES}
    summary = ", ".join(f"{len(each)} {_words(state, brokers)}" for state, each in by_state.items() if each)
    yield f"Of {len(rows)} {'API' if len(rows) == 1 else 'APIs'}: {summary or 'none'}."
    for api in [*by_state["some"], *by_state["none"]]:
        for pair in api.pairs:
            if pair.choice.version is None:
                yield f"  {api.name or api.key}, {pair.broker}: {pair.choice.words}"


def _features(features: Sequence[FeatureOutcome], brokers: int) -> Iterator[str]:
    if features:
        yield ""
        yield "Features:"
    for item in features:
        feature = item.feature
        title = f"{feature.name} ({feature.title})" if feature.title else feature.name
        yield f"  {title}: {_words(item.usable, brokers)}"
        for pair in item.brokers:
            yield f"    {'yes' if pair.usable else 'no '}  {pair.broker}: {pair.words}"


def _words(state: UsableBy, brokers: int) -> str:
    return _WORDS_OF_ONE[state] if brokers == 1 else _WORDS[state]
