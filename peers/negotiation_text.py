"""A negotiation as lines for a terminal."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from wirebook.peers.negotiation import MARK_WORDS, ApiOutcome, Negotiation, Pair
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
    """A line with the protocol's word for a broker, which occurs in the same few phrases."""
    return _BROKERS.sub(lambda found: f"{found[1]}{server}{found[2]}", line)


def _lines(result: Negotiation, like: Mapping[str, str], server: str) -> Iterator[str]:
    if result.client is not None:
        yield f"client  {result.client.name}: {result.client.origin or 'its ranges'}"
    for broker in result.brokers:
        yield f"{server}  {broker.name}: {broker.origin}"
        if broker.name in like:
            yield f"        {like[broker.name]}"
    yield ""
    known = result.client_known
    spoken = [api for api in result.apis if api.client is not None]
    rows = spoken if known else result.apis
    yield from _table(result, rows)
    yield ""
    words = _WORDS_OF_ONE if len(result.brokers) == 1 else _WORDS
    numbers: Counter[str] = Counter(api.usable for api in rows)
    summary = [f"{numbers[state]} {word}" for state, word in words.items() if numbers[state]]
    yield f"Of {number_of(len(rows), 'API')}: {', '.join(summary) or 'none'}."
    for api in rows:
        for pair in api.pairs:
            if not pair.usable:
                yield f"  {api.name or api.key}, {pair.broker}: {pair.words}"
    unspoken = [api.name or str(api.key) for api in result.apis if api.client is None]
    if known and unspoken:
        yield f"Served, but not supported by the client ({len(unspoken)}): {', '.join(unspoken)}"
    if result.features:
        yield ""
        yield "Features:"
    for feature in result.features:
        title = f" ({feature.title})" if feature.title else ""
        yield f"  {feature.name}{title}: {words[feature.usable]}"
        for with_broker in feature.brokers:
            answer = "yes" if with_broker.usable else "no "
            yield f"    {answer}  {with_broker.broker}: {with_broker.words}"


def _table(result: Negotiation, rows: Sequence[ApiOutcome]) -> Iterator[str]:
    known = result.client_known
    is_several = len(result.brokers) > 1
    head = ["key", "API"]
    if known:
        head.append("client")
    head += [broker.name for broker in result.brokers]
    if is_several:
        head.append("all brokers")
    table = [head]
    for api in rows:
        row = [str(api.key), api.name or "?"]
        if known:
            row.append(str(api.client))
        row += [_cell(pair, known) for pair in api.pairs]
        if is_several:
            row.append(_or_dash(api.version if known else api.across))
        table.append(row)
    return columns(table, right=1, rule=True)


def _cell(pair: Pair, known: bool) -> str:
    if pair.serves is None:
        return "not served"
    notes = [f"{passed.version} {MARK_WORDS[passed.mark]}" for passed in pair.passed_over[:3]]
    if pair.reason == "deprecated":
        notes.append("deprecated")
    used = f"{_or_dash(pair.version)} of " if known else ""
    note = f" ({', '.join(notes)})" if notes else ""
    return f"{used}{pair.serves}{note}"


def _or_dash(value: object) -> str:
    return "-" if value is None else str(value)
