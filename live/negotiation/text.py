"""A negotiation as lines for a terminal."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

Doc = dict[str, Any]

_STATES = {"every": "with every broker", "some": "with some brokers", "none": "with no broker"}
_STATES_OF_ONE = {"every": "usable", "some": "", "none": "not usable"}


def text(document: Doc) -> Iterator[str]:
    """The document for a terminal, line by line; control characters are escaped."""
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
            yield f"Served, but not supported by the client ({len(unspoken)}): {', '.join(unspoken)}"
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
    summary = ", ".join(f"{len(found)} {_words(state, brokers)}" for state, found in counts.items() if found)
    yield f"Of {len(rows)} {'API' if len(rows) == 1 else 'APIs'}: {summary or 'none'}."
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
