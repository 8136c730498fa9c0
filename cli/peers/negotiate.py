"""`wirebook negotiate`: the versions that a client and brokers use, and what works with which broker."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from wirebook.cli import exits
from wirebook.cli.terminal import emit
from wirebook.specs.printable import to_json
from wirebook.specs.problems import InputError

Doc = dict[str, Any]

_STATES = {"every": "with every broker", "some": "with some brokers", "none": "with no broker"}
_STATES_OF_ONE = {"every": "usable", "some": "", "none": "not usable"}


def declare(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    parser.add_argument(
        "--broker",
        metavar="BROKER",
        action="append",
        required=True,
        help="a release (3.9), an ApiVersion by id (58) or name (4.0-IV3), HOST:PORT[,HOST:PORT…] to ask, "
        "a file of ranges, - for the standard input, or a SOURCE of specs; once for each broker",
    )
    parser.add_argument(
        "--client",
        metavar="CLIENT",
        help="kafka-python, kio, librdkafka, a release for its Java client, an ApiVersion, a file of ranges "
        "or a SOURCE of specs; without one, any version will do",
    )
    parser.add_argument(
        "--features", metavar="CLIENT", help="judge the features of this client or file too (librdkafka)"
    )
    parser.add_argument(
        "--require",
        metavar="NAME",
        action="append",
        default=[],
        help="an API or a feature that must work with every broker: exit 1 where one does not",
    )
    parser.add_argument("--api", metavar="NAME", action="append", default=[], help="show only this API")
    parser.add_argument(
        "--listener",
        choices=("zkBroker", "broker", "controller"),
        default="",
        help="which listener of a release answers; by default that of a broker, with ZooKeeper until 3.9",
    )
    parser.add_argument(
        "--source", metavar="SOURCE", help="the specs that mark versions and tell what an ApiVersion has"
    )
    parser.add_argument("--registry", metavar="FILE", help="the registry of ApiVersions that goes with them")
    parser.add_argument("--format", choices=("text", "json"), default="text")


def run(options: argparse.Namespace) -> int:
    """Print what comes of it; returns 1 where something required does not work. Raises InputError."""
    from wirebook.live.negotiation.peers import Documentation, PeerResolver

    resolver = PeerResolver(Documentation.of(options.source, options.registry), options.listener)
    client = resolver.client(options.client) if options.client is not None else None
    if options.features is not None:
        features = resolver.client(options.features).features
        if not features:
            raise InputError("no feature is told of here", options.features)
        client = replace(client or resolver.client(options.features), features=features)
    brokers = resolver.brokers(options.broker)
    from wirebook.live.negotiation.negotiate import negotiation

    document = negotiation(client, brokers)
    liken(document, brokers)
    unmet = list(_unmet(document, options.require))
    if options.api:
        wanted = {_key(document, name) for name in options.api}
        document["apis"] = [item for item in document["apis"] if item["key"] in wanted]
    if options.format == "json":
        emit(to_json(document))
    else:
        emit("\n".join(text(document)) + "\n")
    for line in unmet:
        print(f"wirebook: {line}", file=sys.stderr)
    return exits.FINDINGS if unmet else exits.CLEAN


def liken(document: Doc, brokers: Sequence[Any]) -> None:
    """Add to each broker whose release nobody told which releases answer like it."""
    from wirebook.live.negotiation.similarity import release_similarity

    for item, broker in zip(document["brokers"], brokers, strict=True):
        unknown = broker.kind in ("file", "live", "source") and broker.versions
        item["like"] = release_similarity(broker.versions).to_json() if unknown else None
        item["like_words"] = release_similarity(broker.versions).words() if unknown else ""


def text(document: Doc) -> Iterator[str]:
    """The document for a terminal, line by line; what could steer one is made visible."""
    from wirebook.specs.printable import visible

    for line in _lines(document):
        yield visible(line.rstrip())


def _lines(document: Doc) -> Iterator[str]:
    client, brokers = document["client"], document["brokers"]
    if client is not None:
        yield f"client  {client['name']}: {client['from'] or 'its ranges'}"
    for broker in brokers:
        yield f"broker  {broker['name']}: {broker['from']}"
        if broker["like_words"]:
            yield f"        {broker['like_words']}"
    yield ""
    apis = document["apis"]
    known = client is not None and client["versions"] is not None
    rows = [item for item in apis if item["client"] is not None] if known else apis
    yield from _table(rows, brokers, known)
    yield ""
    yield from _reasons(rows, len(brokers))
    if known:
        unspoken = [f"{item['name'] or item['key']}" for item in apis if item["client"] is None]
        if unspoken:
            yield f"Served, and not spoken by the client ({len(unspoken)}): {', '.join(unspoken)}"
    yield from _features(document["features"], len(brokers))


def _table(rows: Sequence[Doc], brokers: Sequence[Doc], known: bool) -> Iterator[str]:
    head = ["key", "API", *(["client"] if known else []), *(broker["name"] for broker in brokers)]
    if len(brokers) > 1:
        head.append("all brokers")
    cells = [head]
    for item in rows:
        row = [str(item["key"]), item["name"] or "?"]
        if known:
            row.append(item["client"])
        row += [_cell(pair, known) for pair in item["pairs"]]
        if len(brokers) > 1:
            shared = item["version"] if known else item["across"]
            row.append("-" if shared is None else str(shared))
        cells.append(row)
    widths = [max(len(row[column]) for row in cells) for column in range(len(head))]
    for place, row in enumerate(cells):
        yield "  ".join(
            cell.rjust(width) if column == 0 else cell.ljust(width)
            for column, (cell, width) in enumerate(zip(row, widths, strict=True))
        )
        if place == 0:
            yield "  ".join("-" * width for width in widths)


def _cell(pair: Doc, known: bool) -> str:
    if pair["serves"] is None:
        return "not served"
    passed = ", ".join(
        f"{item['version']} {'not to be used' if item['mark'] == 'avoid' else item['mark']}"
        for item in pair["passed_over"][:3]
    )
    notes = [note for note in (passed, "deprecated" if pair["reason"] == "deprecated" else "") if note]
    note = f" ({', '.join(notes)})" if notes else ""
    if not known:
        return f"{pair['serves']}{note}"
    return f"{'-' if pair['version'] is None else pair['version']} of {pair['serves']}{note}"


def _reasons(rows: Sequence[Doc], brokers: int) -> Iterator[str]:
    counts = {state: [item for item in rows if item["usable"] == state] for state in _STATES}
    told = ", ".join(f"{len(found)} {_words(state, brokers)}" for state, found in counts.items() if found)
    yield f"Of {len(rows)} {'API' if len(rows) == 1 else 'APIs'}: {told or 'none'}."
    for item in [*counts["some"], *counts["none"]]:
        for pair in item["pairs"]:
            if pair["version"] is None:
                yield f"  {item['name'] or item['key']}, {pair['broker']}: {pair['words']}"


def _features(features: Sequence[Doc], brokers: int) -> Iterator[str]:
    if features:
        yield ""
        yield "Features:"
    for feature in features:
        title = f"{feature['name']} ({feature['title']})" if feature["title"] else feature["name"]
        yield f"  {title}: {_words(feature['usable'], brokers)}"
        for row in feature["brokers"]:
            yield f"    {'yes' if row['usable'] else 'no '}  {row['broker']}: {row['words']}"


def _words(state: str, brokers: int) -> str:
    return _STATES_OF_ONE[state] if brokers == 1 else _STATES[state]


def _unmet(document: Doc, required: Sequence[str]) -> Iterator[str]:
    """What is required and does not work with every broker, a line each."""
    told = document["features"]
    features = {word.lower(): feature for feature in told for word in (feature["title"], feature["name"])}
    for name in required:
        found = features.get(name.lower())
        if found is None:
            try:
                key = _key(document, name)
            except InputError as error:
                names = ", ".join(feature["name"] for feature in told)
                raise InputError(f"{error}; features are {names}" if names else str(error)) from None
            found = next(item for item in document["apis"] if item["key"] == key)
            lacking = [(p["broker"], p["words"]) for p in found["pairs"] if p["version"] is None]
        else:
            lacking = [(row["broker"], row["words"]) for row in found["brokers"] if not row["usable"]]
        for broker, words in lacking:
            yield f"{name} is required and does not work with {broker}: {words}"


def _key(document: Doc, name: str) -> int:
    """The key of an API of the document; raises InputError where neither side has it."""
    from wirebook.live.negotiation.ranges import api_key

    named = next((item["key"] for item in document["apis"] if item["name"] == name), None)
    key = api_key(name) if named is None else int(named)
    if all(item["key"] != key for item in document["apis"]):
        raise InputError(f'neither the client nor a broker has "{name}"')
    return key
