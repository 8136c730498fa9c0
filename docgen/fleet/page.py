"""The page of a fleet: one self-contained file, generated from its summary."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape
from pathlib import Path

from wirebook.docgen.fleet.records import (
    ApiUse,
    ChangedClient,
    ClientsComparison,
    ClientUse,
    DayUse,
    FleetSummary,
    OwnerUse,
)
from wirebook.docgen.fleet.successors import QUIET_DAYS, CutOffState
from wirebook.docgen.render.review import audit
from wirebook.specs.printable import visible

STATUSES = ("served", "deprecated", "refused", "unknown")
SHOWN = 500
NOBODY = "no owner known"


def fleet_page(summary: FleetSummary) -> str:
    """The page, as HTML."""
    release = text(summary.target)
    style = "".join(
        path.read_text(encoding="utf-8")
        for path in (Path(audit.__file__).with_name("audit.css"), Path(__file__).with_name("fleet.css"))
    )
    title = f"Clients cut off at {release}"
    parts = [
        "<!doctype html>",
        '<html lang="en"><head><meta charset="utf-8">',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        f'<meta http-equiv="Content-Security-Policy" content="{audit.POLICY}">',
        f"<title>{title}</title><style>{style}</style></head><body><main>",
        f"<h1>{title}</h1>",
        _introduction(summary),
        '<nav><a href="#clients">Clients</a> <a href="#owners">By owner</a> <a href="#time">Over time</a> '
        '<a href="#apis">By API</a> <a href="#changed">Changes</a> <a href="#logs">The logs</a></nav>',
        _totals(summary),
        *_section("clients", "Clients that are cut off", _clients(summary)),
        *_section("owners", "By owner", _owners(summary.by_owner)),
        *_section("time", "Over time", _days(summary.by_day)),
        *_section("apis", "By API", _apis(summary)),
        *_section("changed", "What changed", _changes(summary.baseline)),
        *_section("logs", "What was read", _logs(summary)),
        f'<p class="mute">Made by wirebook {text(summary.tool.version)}. The same data is in '
        "<code>summary.json</code> and in the Parquet tables below <code>requests/</code>.</p>",
        "</main></body></html>",
    ]
    return "\n".join(parts) + "\n"


def text(value: object) -> str:
    """A value as text of the page, escaped, with invisible characters made visible."""
    return escape(visible(str(value)))


def _moment(value: str | None) -> str:
    return text(value.replace("T", " ")) if value else '<span class="mute">no date</span>'


def _section(anchor: str, title: str, body: str) -> tuple[str, str]:
    return f'<h2 id="{anchor}">{title}</h2>', body


def _introduction(summary: FleetSummary) -> str:
    period, release = summary.period, text(summary.target)
    when = ""
    if period.first and period.last:
        when = f" from {_moment(period.first)} to {_moment(period.last)}, in the time of the logs"
    return (
        f"<p>{summary.logs.requests:,} requests of {summary.clients.total:,} clients{when}. A client is "
        f"cut off if it sends a version of an API that release {release} does not serve.</p>"
    )


def _totals(summary: FleetSummary) -> str:
    clients, requests = summary.clients, summary.requests
    cards = [
        ("refused", clients.cut_off, "clients are cut off", _known(summary)),
        ("deprecated", clients.deprecated, "use deprecated versions", f"{requests.deprecated:,} requests"),
        ("unknown", clients.unknown, "use unknown versions", f"{requests.unknown:,} requests"),
        ("served", clients.served, "are served", f"{requests.served:,} requests"),
    ]
    if clients.brokers:
        cards.append(("mute", clients.brokers, "are brokers", "they change with the upgrade"))
    items = "".join(
        f'<li><strong class="{name}">{number:,}</strong> {words}<br><span class="mute">{more}</span></li>'
        for name, number, words, more in cards
    )
    return f'<ul class="totals">{items}</ul>'


def _known(summary: FleetSummary) -> str:
    """What is known about the clients that are cut off, in a few words."""
    clients = summary.clients
    words = [f"{summary.requests.refused:,} requests refused"]
    if clients.quiet:
        words.append(f"{clients.quiet:,} of them not seen for {QUIET_DAYS} days or more")
    if clients.upgraded:
        words.append(f"{clients.upgraded:,} more were upgraded meanwhile")
    return "<br>".join(words)


def _table(caption: str, heads: Iterable[str], rows: Iterable[str]) -> str:
    return (
        f'<div class="scroll" tabindex="0" role="region" aria-label="{caption}"><table>'
        f"<thead><tr>{''.join(heads)}</tr></thead><tbody>{''.join(rows)}</tbody></table></div>"
    )


def _heads(*words: str, numbers: Sequence[str] = ()) -> list[str]:
    return [f'<th scope="col"{" class=n" if word in numbers else ""}>{word}</th>' for word in words]


def _name(item: ClientUse | ChangedClient) -> str:
    software = (
        item.software if item.software_version == "unknown" else f"{item.software} {item.software_version}"
    )
    named = "software unknown" if item.software == "unknown" else software
    return (
        f'<th scope="row">{text(item.client_id) or "<em>no client id</em>"}<small>{text(named)}</small>'
        f"<small>{text(item.principal)}</small></th>"
    )


def _clients(summary: FleetSummary) -> str:
    if not summary.cut_off:
        return f"<p>No client sends a version that {text(summary.target)} does not serve.</p>"
    heads = _heads("Client", "Owner", "Refused", "Last refused", "Sends", numbers=["Refused"])
    rows = []
    for item in summary.cut_off[:SHOWN]:
        days = "1 day" if item.unseen_days == 1 else f"{item.unseen_days} days"
        unseen = f"<br><small>not seen for {days}</small>" if item.unseen_days else ""
        sends = "".join(
            f"<li>{text(use.api)} {text(use.versions)} "
            f"<small>{text(summary.target)} serves {text(use.target_serves)}</small></li>"
            for use in item.sends
            if use.status == "refused"
        )
        lines = "".join(f"<li>{text(line)}</li>" for line in item.advice)
        known = f"<details><summary>What is known</summary><ul>{lines}</ul></details>" if lines else ""
        color = "served" if item.state == CutOffState.UPGRADED else "refused"
        rows.append(
            f"<tr>{_name(item)}<td>{text(item.owner or NOBODY)}</td>"
            f'<td class="n {color}">{item.refused:,}<br><small>refused of {item.requests:,}</small></td>'
            f"<td>{_moment(item.last_refused)}{unseen}</td>"
            f'<td class="words"><ul class="sends">{sends}</ul><p>{text(item.action)}</p>{known}</td></tr>'
        )
    left = len(summary.cut_off) - SHOWN + summary.cut_off_left_out
    more = f"<p>{left:,} more, with fewer requests, are in the tables.</p>" if left > 0 else ""
    table = _table("Clients that are cut off", heads, rows)
    return table.replace("<table>", '<table class="stacked">', 1) + more


def _owners(owners: Sequence[OwnerUse]) -> str:
    heads = _heads(
        "Owner", "Clients", "Cut off", "Refused", "Last refused", numbers=["Clients", "Cut off", "Refused"]
    )
    most = max((item.refused for item in owners), default=0) or 1
    rows = []
    for item in owners[:SHOWN]:
        width = round(8 * item.refused / most, 2)
        bar = _bar(width) if item.refused else ""
        last = _moment(item.last_refused) if item.refused else ""
        rows.append(
            f'<tr><th scope="row">{text(item.owner or NOBODY)}</th><td class="n">{item.clients:,}</td>'
            f'<td class="n {"refused" if item.cut_off else "zero"}">{item.cut_off:,}</td>'
            f'<td class="n {"refused" if item.refused else "zero"}">{item.refused:,}</td>'
            f"<td>{last}</td><td>{bar}</td></tr>"
        )
    return _table("Clients by owner", [*heads, "<td></td>"], rows)


def _bar(width: float) -> str:
    return f'<span class="bar refused" style="width:{width}rem"></span>'


def _days(days: Sequence[DayUse]) -> str:
    """Bars of the requests that are not simply served, for each day, and all numbers as a table."""
    worse = [(day, [(name, getattr(day, name)) for name in STATUSES[1:]]) for day in days]
    most = max((sum(number for _, number in numbers) for _, numbers in worse), default=0)
    heads = _heads(
        "Day", *(name.capitalize() for name in STATUSES), numbers=[n.capitalize() for n in STATUSES]
    )
    rows = [
        f'<tr><th scope="row">{text(day.day)}</th>'
        + "".join(
            f'<td class="n {name if getattr(day, name) else "zero"}">{getattr(day, name):,}</td>'
            for name in STATUSES
        )
        + "</tr>"
        for day in days
    ]
    table = f"<details><summary>As a table</summary>{_table('Requests by day', heads, rows)}</details>"
    if not most:
        return f"<p>Every request is served on every day.</p>{table}"
    step, height = 900 / len(days), 160
    drawn = []
    for place, (day, numbers) in enumerate(worse):
        top = float(height)
        for name, number in reversed(numbers):
            part = height * number / most
            top -= part
            if number:
                tip = f"<title>{text(day.day)}: {number:,} {name}</title>"
                size = f'width="{min(max(step - 1, 1), 48):.1f}" height="{part:.1f}"'
                drawn.append(f'<rect class="{name}" x="{place * step:.1f}" y="{top:.1f}" {size}>{tip}</rect>')
    every = max(1, len(days) // 8)
    for place, day in enumerate(days):
        if place % every == 0:
            drawn.append(f'<text x="{place * step:.1f}" y="{height + 16}">{text(day.day)}</text>')
    label = f"Requests a day that are refused, deprecated or unknown; at most {most:,}"
    return (
        '<p>Requests a day: <span class="refused">refused</span>, '
        f'<span class="deprecated">deprecated</span>, '
        f'<span class="unknown">unknown</span>; {most:,} in the highest bar.</p>'
        f'<svg viewBox="0 0 900 {height + 20}" role="img" aria-label="{label}">'
        f'<line x1="0" y1="{height}" x2="900" y2="{height}"/>{"".join(drawn)}</svg>{table}'
    )


def _apis(summary: FleetSummary) -> str:
    parts = [
        _api_table("APIs that clients use", summary.by_api, summary.target)
        if summary.by_api
        else "<p>Clients use only versions that are served and not deprecated.</p>"
    ]
    if summary.between_brokers:
        parts.append(
            "<h3>Between brokers</h3><p>Brokers and controllers send these to each other, and other "
            "versions or APIs once they are upgraded. No client is cut off by them.</p>"
            + _api_table("APIs between brokers", summary.between_brokers, summary.target)
        )
    return "".join(parts)


def _api_table(caption: str, uses: Sequence[ApiUse], target: str) -> str:
    heads = _heads(
        "API", "Versions", "Status", "Requests", "Last seen", f"{text(target)} serves", "Last release",
        numbers=["Requests"],
    )  # fmt: skip
    rows = [
        f'<tr><th scope="row">{text(item.api)}</th><td>{text(item.versions)}</td>'
        f'<td class="{text(item.status)}">{text(item.status)}</td><td class="n">{item.requests:,}</td>'
        f"<td>{_moment(item.last_seen)}</td><td>{text(item.target_serves)}</td>"
        f"<td>{text(item.last_served_by)}</td></tr>"
        for item in uses
    ]
    return _table(caption, heads, rows)


def _changes(baseline: ClientsComparison | None) -> str:
    if baseline is None:
        return "<p>Compare with an earlier output: <code>--baseline DIR</code>.</p>"
    parts = [
        f"<p>Compared with requests from {_moment(baseline.period.first)} to "
        f"{_moment(baseline.period.last)}: {len(baseline.new):,} clients are newly cut off, "
        f"{len(baseline.ended):,} no longer are, {baseline.still:,} still are.</p>"
    ]
    for title, clients in (("Newly cut off", baseline.new), ("No longer cut off", baseline.ended)):
        if clients:
            heads = _heads("Client", "Owner", "Refused before", "Refused now",
                           numbers=["Refused before", "Refused now"])  # fmt: skip
            rows = [
                f"<tr>{_name(item)}<td>{text(item.owner or NOBODY)}</td>"
                f'<td class="n">{item.refused_before:,}</td><td class="n">{item.refused_now:,}</td></tr>'
                for item in clients[:SHOWN]
            ]
            parts.append(f"<h3>{title}</h3>{_table(title, heads, rows)}")
    return "".join(parts)


def _logs(summary: FleetSummary) -> str:
    logs = summary.logs
    forms = ", ".join(f"{number:,} {text(form)}" for form, number in logs.read.items())
    parts = [f"<p>Requests by the form that they were read in: {forms or 'none'}.</p>"]
    if logs.skipped:
        skipped = ", ".join(f"{number:,} {text(reason)}" for reason, number in logs.skipped.items())
        items = "".join(
            f"<li>{text(item.reason)} <small>{text(item.file)}</small><br><code>{text(item.text)}</code></li>"
            for item in logs.samples
        )
        parts.append(
            f"<p>Lines that are not requests: {skipped}.</p><details><summary>Samples</summary>"
            f'<ul class="findings">{items}</ul></details>'
        )
    notes = [f"{text(item.file)}: {text(item.problem)}" for item in logs.problems]
    notes += [
        f"{text(item.file)}: the last line has no end yet ({item.bytes:,} bytes); it is read when it has one"
        for item in logs.unfinished[:SHOWN]
    ]
    if logs.unlisted_requests:
        notes.append(
            f"{logs.unlisted_requests:,} requests are by clients that are too many to list; they are "
            "counted, without their names"
        )
    if logs.pseudonyms:
        notes.append("Principals and client ids are pseudonyms.")
    if notes:
        parts.append(f"<ul>{''.join(f'<li>{note}</li>' for note in notes)}</ul>")
    return "".join(parts)
