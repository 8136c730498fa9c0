"""The page of an audit: one self-contained file, generated from its summary and its findings."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape
from pathlib import Path
from typing import TypeAlias

from wirebook.docgen.render.review.audit_records import (
    AuditFinding,
    AuditManifest,
    AuditSummary,
    CommitCounts,
    Counts,
    MonthCounts,
    ReleaseCounts,
    RuleCounts,
    StepCounts,
)
from wirebook.rules.meta_rules import find
from wirebook.specs.printable import visible

SEVERITIES = ("error", "warning", "info")
POLICY = "default-src 'none'; style-src 'unsafe-inline'"
SHOWN = 2_000  # errors on the page; the rest is in findings.jsonl

AnyCounts: TypeAlias = Counts | ReleaseCounts | MonthCounts | CommitCounts


def audit_page(
    manifest: AuditManifest, summary: AuditSummary, findings: Sequence[AuditFinding], title: str
) -> str:
    """The page, as HTML; `title` is what was audited."""
    name = text(title)
    style = Path(__file__).with_name("audit.css").read_text(encoding="utf-8")
    tip, pattern = (f"<code>{text(value)}</code>" for value in (manifest.tip[:12], manifest.pattern))
    parts = [
        "<!doctype html>",
        '<html lang="en"><head><meta charset="utf-8">',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">',
        f"<title>Audit of {name}</title><style>{style}</style></head><body><main>",
        f"<h1>Audit of {name}</h1>",
        f"<p>Each of {summary.commits} commits up to {tip} against its parent, and each of "
        f"{summary.releases} releases ({pattern}) against the one before. What releases had by then is "
        "frozen: breaking it is an error, breaking anything else a warning.</p>",
        '<nav><a href="#rules">By rule</a> <a href="#releases">By release</a> <a href="#time">Over time</a> '
        '<a href="#commits">Worst commits</a> <a href="#errors">Every error</a></nav>',
        _totals(summary.findings),
        *_section("rules", "By rule", _by_rule(summary.by_rule)),
        *_section("releases", "By release", _by_release(summary.by_release)),
        *_section("time", "Over time", _over_time(summary.over_time)),
        *_section("commits", "The worst commits", _worst(summary.worst)),
        *_section("errors", "Every error", _errors(findings)),
        f'<p class="mute">Made by wirebook {text(manifest.tool.version)}. Beside this page are '
        "<code>findings.jsonl</code>, <code>summary.json</code> and the Parquet table <code>findings</code>."
        "</p>",
        "</main></body></html>",
    ]
    return "\n".join(parts) + "\n"


def text(value: object) -> str:
    """A value as text of the page, escaped, with invisible characters made visible."""
    return escape(visible(str(value)))


def _s(count: int) -> str:
    return "" if count == 1 else "s"


def _section(anchor: str, title: str, body: str) -> tuple[str, str]:
    return f'<h2 id="{anchor}">{title}</h2>', body


def _totals(findings: StepCounts) -> str:
    cards = []
    for counts, word in ((findings.commits, "between commits"), (findings.releases, "between releases")):
        cards.append(
            f'<li><strong class="error">{counts.error}</strong> error{_s(counts.error)} {word}<br>'
            f'<span class="mute">{counts.warning} warning{_s(counts.warning)}, {counts.info} for information'
            "</span></li>"
        )
    return f'<ul class="totals">{"".join(cards)}</ul>'


def _table(caption: str, heads: Iterable[str], rows: Iterable[str]) -> str:
    return (
        f'<div class="scroll" tabindex="0" role="region" aria-label="{caption}"><table>'
        f"<thead><tr>{''.join(heads)}</tr></thead><tbody>{''.join(rows)}</tbody></table></div>"
    )


def _head(word: str, number: bool = False) -> str:
    return f'<th scope="col" class="n">{word}</th>' if number else f'<th scope="col">{word}</th>'


def _by_severity(counts: AnyCounts) -> tuple[tuple[str, int], ...]:
    return (("error", counts.error), ("warning", counts.warning), ("info", counts.info))


def _numbers(counts: AnyCounts) -> str:
    return "".join(
        f'<td class="n {name if count else "zero"}">{count}</td>' for name, count in _by_severity(counts)
    )


def _by_rule(rules: Sequence[RuleCounts]) -> str:
    def order(item: RuleCounts) -> tuple[int, int, str]:
        errors = item.commits.error + item.releases.error
        return (-errors, -(item.commits.warning + item.releases.warning), item.rule)

    heads = [_head("Rule"), *(_head(name.capitalize(), True) for name in SEVERITIES)]
    rows = []
    for item in sorted(rules, key=order):
        rule = find(item.rule)
        about = "" if rule is None else f"<small>{text(rule.summary.replace('`', ''))}</small>"
        cells = "".join(
            _both(name, commits, releases)
            for (name, commits), (_, releases) in zip(
                _by_severity(item.commits), _by_severity(item.releases), strict=True
            )
        )
        rows.append(f'<tr><th scope="row"><code>{text(item.rule)}</code>{about}</th>{cells}</tr>')
    if not rows:
        return "<p>No rule reported anything.</p>"
    return f"<p>Each number: between commits / between releases.</p>{_table('Findings by rule', heads, rows)}"


def _both(name: str, commits: int, releases: int) -> str:
    return f'<td class="n {name if commits or releases else "zero"}">{commits} / {releases}</td>'


def _by_release(releases: Sequence[ReleaseCounts]) -> str:
    heads = [_head("Release"), *(_head(name.capitalize(), True) for name in SEVERITIES)]
    heads += [_head("Date"), _head("Against")]
    most = max((item.error for item in releases), default=0) or 1
    rows = []
    for item in releases:
        width = round(8 * item.error / most, 2)
        bar = f'<span class="bar error" style="width:{width}rem"></span>' if item.error else ""
        rows.append(
            f'<tr><th scope="row">{text(item.release)}</th>{_numbers(item)}<td>{text(item.date)}</td>'
            f"<td>{text(item.against or 'nothing')}</td><td>{bar}</td></tr>"
        )
    return _table("Findings by release", [*heads, "<td></td>"], rows)


def _over_time(months: Sequence[MonthCounts]) -> str:
    """Bars of errors and warnings for each month, from the first to the last, and the same as a table."""
    if not months:
        return "<p>No commit has a finding.</p>"
    counts = {item.month: item for item in months}
    line = list(_months(months[0].month, months[-1].month))
    most = max(item.error + item.warning for item in months) or 1
    step, height = 900 / len(line), 160
    drawn = []
    for place, month in enumerate(line):
        if month.endswith("-01") or place == 0:
            drawn.append(f'<text x="{place * step:.1f}" y="{height + 16}">{text(month[:4])}</text>')
        if month not in counts:
            continue
        top = float(height)
        for name, count in _by_severity(counts[month])[:2]:
            part = height * count / most
            top -= part
            if part:
                tip = f"<title>{text(month)}: {count} {name}{_s(count)}</title>"
                size = f'width="{max(step - 1, 1):.1f}" height="{part:.1f}"'
                drawn.append(f'<rect class="{name}" x="{place * step:.1f}" y="{top:.1f}" {size}>{tip}</rect>')
    label = f"Errors and warnings a month, from {text(line[0])} to {text(line[-1])}; at most {most}"
    chart = (
        f'<svg viewBox="0 0 900 {height + 20}" role="img" aria-label="{label}">'
        f'<line x1="0" y1="{height}" x2="900" y2="{height}"/>{"".join(drawn)}</svg>'
    )
    heads = [_head("Month"), *(_head(name.capitalize(), True) for name in SEVERITIES)]
    rows = [f'<tr><th scope="row">{text(item.month)}</th>{_numbers(item)}</tr>' for item in months]
    words = (
        f'<p>Findings of commits by month: <span class="error">errors</span> below, <span class="warning">'
        f"warnings</span> above; {most} in the highest.</p>"
    )
    table = _table("Findings by month", heads, rows)
    return f"{words}{chart}<details><summary>As a table</summary>{table}</details>"


def _months(first: str, last: str) -> Iterable[str]:
    """Every month from "2019-02" to another."""
    year, month = (int(part) for part in first.split("-"))
    while f"{year:04d}-{month:02d}" <= last:
        yield f"{year:04d}-{month:02d}"
        year, month = (year, month + 1) if month < 12 else (year + 1, 1)


def _worst(commits: Sequence[CommitCounts]) -> str:
    if not commits:
        return "<p>No commit has a finding.</p>"
    heads = [_head("Commit"), _head("Date"), *(_head(name.capitalize(), True) for name in SEVERITIES)]
    rows = [
        f'<tr><th scope="row"><code>{text(item.commit[:12])}</code></th><td>{text(item.date)}</td>'
        f'{_numbers(item)}<td class="words">{text(item.subject)}'
        f"<br><small>{text(', '.join(item.rules))}</small></td></tr>"
        for item in commits
    ]
    return _table("The worst commits", [*heads, _head("What it is, and the rules")], rows)


def _errors(findings: Sequence[AuditFinding]) -> str:
    """Every error, release by release and commit by commit."""
    errors = [finding for finding in findings if finding.severity == "error"]
    parts = []
    for kind, title in (("release", "Releases"), ("commit", "Commits")):
        steps: dict[str, list[AuditFinding]] = {}
        for finding in errors[:SHOWN]:
            if finding.kind == kind:
                steps.setdefault(finding.name, []).append(finding)
        if steps:
            parts.append(f"<h3>{title}</h3>")
        parts += map(_step, steps.values())
    if len(errors) > SHOWN:
        parts.append(f"<p>{len(errors) - SHOWN} more are in <code>findings.jsonl</code>.</p>")
    return "\n".join(parts) if errors else "<p>There is none.</p>"


def _step(findings: Sequence[AuditFinding]) -> str:
    first = findings[0]
    name = first.name if first.kind == "release" else f"{first.name[:12]} {first.subject}"
    items = "".join(map(_finding, findings))
    return (
        f"<details><summary>{text(name)} <small>{text(first.date)}</small> "
        f'<span class="error">{len(findings)}</span></summary><ul class="findings">{items}</ul></details>'
    )


def _finding(finding: AuditFinding) -> str:
    about = f"{finding.message_name} {finding.field}".strip()
    versions = f" <small>versions {text(finding.versions)}</small>" if finding.versions else ""
    place = finding.location or finding.previous
    where = f"<br><small>{text(place.path)}:{place.line}</small>" if place else ""
    return (
        f"<li><code>{text(finding.rule)}</code> <strong>{text(about)}</strong>{versions}<br>"
        f"{text(finding.message)}{where}</li>"
    )
