"""The result of a probe as lines for a terminal."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

Doc = dict[str, Any]


def text(told: Doc, colour: bool = False) -> Iterator[str]:
    """The document for a terminal, line by line; control characters are escaped."""
    from wirebook.specs.printable import visible

    for style, line in _lines(told):
        shown = visible(line.rstrip())
        yield f"\x1b[{style}m{shown}\x1b[0m" if colour and style and shown else shown


def _lines(told: Doc) -> Iterator[tuple[str, str]]:
    brokers = told["brokers"]
    for place, broker in enumerate(brokers):
        if place:
            yield "", ""
        yield from _one(broker, told["newest_release"])
    there = [broker for broker in brokers if broker["answered"]]
    if told["common"] is not None:
        yield "", ""
        yield from _together(told, there)


def _one(broker: Doc, newest: str) -> Iterator[tuple[str, str]]:
    how = _how(broker)
    if broker["failure"] is not None:
        yield "31", f"{broker['address']}: {broker['failure']['message']}"
    else:
        yield "1", f"{broker['address']}: {len(broker['apis'])} APIs, by ApiVersions {how}"
    if broker["failure"] is not None and broker["apis"]:
        yield "", f"  it answered ApiVersions {how}"
    if broker["like_words"]:
        yield "", f"  {broker['like_words']}"
    cluster = broker["cluster"]
    if cluster is not None:
        name = f"cluster {cluster['id']}" if cluster["id"] else "a cluster without an id"
        listed = ", ".join(
            f"{item['id']} at {item['host']}:{item['port']}" for item in cluster["brokers"][:8]
        )
        yield "", f"  {name}: {listed or 'no brokers'}{', …' if len(cluster['brokers']) > 8 else ''}"
    features = {item["name"]: item["versions"] for item in broker["finalized_features"]}
    for item in broker["supported_features"]:
        final = f", finalized {features.pop(item['name'])}" if item["name"] in features else ""
        yield "", f"  feature {item['name']} {item['versions']}{final}"
    for name, versions in features.items():
        yield "", f"  feature {name} finalized {versions}"
    for note in broker["notes"]:
        yield "33", f"  note: {note}"
    if broker["apis"]:
        yield "", ""
        rows = [["key", "API", "takes", "release", ""]]
        rows += [
            [str(row["key"]), row["name"] or "?", row["versions"], row["release"] or "-", _marks(row, newest)]
            for row in broker["apis"]
        ]
        for place, line in enumerate(_columns(rows)):
            odd = place and rows[place][2] != rows[place][3]
            yield "33" if odd else "", f"  {line}"
        if broker["lacking"]:
            lacks = ", ".join(f"{_name(item)} {item['versions']}" for item in broker["lacking"])
            yield "33", f"  in that release but not here: {lacks}"


def _how(broker: Doc) -> str:
    parts = []
    if broker["api_versions_version"] is not None:
        parts.append(str(broker["api_versions_version"]))
    if broker["tls"]:
        parts.append(f"over {broker['tls']['version']}{'' if broker['tls']['verified'] else ' (unverified)'}")
    sasl = broker["sasl"]
    if sasl and sasl["mechanism"]:
        parts.append(f"logged in by {sasl['mechanism']}")
    return " ".join(parts)


def _marks(row: Doc, newest: str) -> str:
    words = {
        "refused": "listed, but not served",
        "deprecated": "deprecated",
        "removed": f"removed in {newest}",
        "unstable": "unstable",
        "unknown": "unknown",
    }
    return "; ".join(f"{row[mark]} {said}" for mark, said in words.items() if row[mark])


def _together(told: Doc, there: Sequence[Doc]) -> Iterator[tuple[str, str]]:
    differing = [row for row in told["common"] if row["differ"]]
    if not differing:
        yield "1", f"The {len(there)} brokers that answered list the same versions."
        return
    yield "1", f"{len(differing)} APIs differ between the {len(there)} brokers that answered:"
    each = [{row["key"]: row["versions"] for row in broker["apis"]} for broker in there]
    rows = [["key", "API", *(broker["address"] for broker in there), "all"]]
    rows += [
        [str(row["key"]), _name(row), *(found.get(row["key"], "-") for found in each), row["versions"] or "-"]
        for row in differing
    ]
    for line in _columns(rows):
        yield "", f"  {line}"


def _name(row: Doc) -> str:
    return str(row["name"] or f"key {row['key']}")


def _columns(rows: Sequence[Sequence[str]]) -> Iterator[str]:
    """Rows in columns, the first one to the right, with a line under the head."""
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    for row in rows:
        cells = [
            cell.rjust(w) if not place else cell.ljust(w)
            for place, (cell, w) in enumerate(zip(row, widths, strict=True))
        ]
        yield "  ".join(cells)
