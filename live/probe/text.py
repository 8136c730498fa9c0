"""Formats the result of a probe for a terminal."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from wirebook.live.probe.answer import Answer
from wirebook.live.probe.comparison import ApiRow, ApiVersionsOf, BrokerReport, CommonApi, ProbeReport
from wirebook.specs.columns import columns
from wirebook.specs.printable import quiet, visible


def text(report: ProbeReport, colour: bool = False) -> Iterator[str]:
    """Format the report for a terminal, line by line; strings of brokers are escaped."""
    for style, line in _lines(report):
        escaped = quiet(visible(line.rstrip()))
        yield f"\x1b[{style}m{escaped}\x1b[0m" if colour and style and escaped else escaped


def _lines(report: ProbeReport) -> Iterator[tuple[str, str]]:
    for place, broker in enumerate(report.brokers):
        if place:
            yield "", ""
        yield from _one(broker)
    if report.common is not None:
        yield "", ""
        yield from _together(report.common, report.answered)


def _one(broker: BrokerReport) -> Iterator[tuple[str, str]]:
    answer, comparison = broker.answer, broker.comparison
    how = _how(answer)
    if answer.failure is None:
        yield "1", f"{answer.address}: {len(answer.versions)} APIs, by ApiVersions {how}"
    else:
        yield "31", f"{answer.address}: {answer.failure.message}"
        if answer.versions:
            yield "", f"  it answered ApiVersions {how}"
    if comparison is not None and comparison.similarity.summary():
        yield "", f"  {comparison.similarity.summary()}"
    cluster = answer.cluster
    if cluster is not None:
        name = f"cluster {cluster.id}" if cluster.id else "a cluster without an id"
        listed = ", ".join(f"{node.id} at {node.host}:{node.port}" for node in cluster.brokers[:8])
        yield "", f"  {name}: {listed or 'no brokers'}{', …' if len(cluster.brokers) > 8 else ''}"
    yield from _features(answer)
    for note in answer.notes:
        yield "33", f"  note: {note}"
    if comparison is not None:
        yield "", ""
        rows = [["key", "API", "takes", "release", ""]]
        rows += [
            [str(row.key), row.name or "?", str(row.versions), str(row.release or "-"), _marks(row)]
            for row in comparison.apis
        ]
        for number, line in enumerate(columns(rows, right=1)):
            odd = number and rows[number][2] != rows[number][3]
            yield "33" if odd else "", f"  {line}"
        if comparison.lacking:
            lacks = ", ".join(f"{_name(lack)} {lack.versions}" for lack in comparison.lacking)
            yield "33", f"  in that release but not here: {lacks}"


def _features(answer: Answer) -> Iterator[tuple[str, str]]:
    finalized = {item.name: item.versions for item in answer.finalized_features}
    for item in answer.supported_features:
        final = f", finalized {finalized.pop(item.name)}" if item.name in finalized else ""
        yield "", f"  feature {item.name} {item.versions}{final}"
    for name, versions in finalized.items():
        yield "", f"  feature {name} finalized {versions}"


def _how(answer: Answer) -> str:
    parts = []
    if answer.asked is not None:
        parts.append(str(answer.asked))
    if answer.tls is not None:
        parts.append(f"over {answer.tls.version}{'' if answer.tls.verified else ' (unverified)'}")
    if answer.sasl is not None and answer.sasl.mechanism:
        parts.append(f"logged in with {answer.sasl.mechanism}")
    return " ".join(parts)


def _marks(row: ApiRow) -> str:
    marks = (
        (row.refused, "listed, but not served"),
        (row.deprecated, "deprecated"),
        *((versions, f"removed in {release}") for release, versions in row.removals.items()),
        (row.unstable, "unstable"),
        (row.unknown, "unknown"),
    )
    return "; ".join(f"{versions} {words}" for versions, words in marks if versions)


def _together(common: Sequence[CommonApi], brokers: Sequence[BrokerReport]) -> Iterator[tuple[str, str]]:
    differing = [row for row in common if row.differ]
    if not differing:
        yield "1", f"The {len(brokers)} brokers that answered list the same versions."
        return
    yield "1", f"{len(differing)} APIs differ between the {len(brokers)} brokers that answered:"
    answers = [broker.answer for broker in brokers]
    rows = [["key", "API", *(str(answer.address) for answer in answers), "all"]]
    rows += [
        [
            str(row.key),
            _name(row),
            *(str(answer.versions.get(row.key, "-")) for answer in answers),
            str(row.versions or "-"),
        ]
        for row in differing
    ]
    for line in columns(rows, right=1):
        yield "", f"  {line}"


def _name(row: CommonApi | ApiVersionsOf) -> str:
    return row.name or f"key {row.key}"
