"""The page of a survey: one self-contained file, generated from its summary."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from datetime import date
from html import escape
from pathlib import Path

from wirebook.docgen.render.review import audit
from wirebook.docgen.survey.records import (
    ApiRecord,
    CellRecord,
    Collisions,
    DriftRecord,
    Meaning,
    RepositoryRecord,
    SurveySummary,
    TakenOverRecord,
)
from wirebook.specs.printable import visible

SHOWN = 500
# Not by colour only: a word before the versions of each status.
MARKS = {"same": "", "earlier": "earlier ", "other": "other ", "own": "own ", "missing": "without "}
_WORDS = {
    "same": "the bytes of {}",
    "earlier": "bytes that {} had earlier",
    "other": "bytes that {} never had",
    "own": "versions that {} never had",
    "missing": "versions that only {} has",
}
_LEFT, _WIDTH, _LANE = 150, 950, 20


def survey_page(survey: SurveySummary) -> str:
    """The page, as HTML."""
    style = "".join(
        path.read_text(encoding="utf-8")
        for path in (Path(audit.__file__).with_name("audit.css"), Path(__file__).with_name("survey.css"))
    )
    title = f"Repositories compared with {text(survey.reference)}"
    apis = [api for api in survey.apis if api.api_key is not None]
    others = [api for api in survey.apis if api.api_key is None]
    parts = [
        "<!doctype html>",
        '<html lang="en"><head><meta charset="utf-8">',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        f'<meta http-equiv="Content-Security-Policy" content="{audit.POLICY}">',
        f"<title>{title}</title><style>{style}</style></head><body><main>",
        f"<h1>{title}</h1>",
        _introduction(survey),
        '<nav><a href="#repositories">Repositories</a> <a href="#apis">APIs</a> '
        '<a href="#messages">Other messages</a> <a href="#collisions">Collisions</a> '
        '<a href="#timeline">Timeline</a> <a href="#taken">Adopted changes</a> '
        '<a href="#problems">Problems</a></nav>',
        *_section("repositories", "Repositories", _repositories(survey.repositories)),
        *_section("apis", "APIs", _legend(survey) + _matrix("APIs", survey, apis)),
        *_section("messages", "Other messages", _matrix("Other messages", survey, others)),
        *_section("collisions", "Collisions", _collisions(survey.collisions)),
        *_section("timeline", "Timeline", _timeline(survey)),
        *_section("taken", "Adopted changes", _taken(survey)),
        *_section("problems", "Problems", _problems(survey.repositories)),
        f'<p class="mute">Made by wirebook {text(survey.tool.version)}. The same data is in '
        "<code>survey.json</code> and in the Parquet tables <code>layouts</code>, <code>drift</code> and "
        "<code>taken_over</code>.</p>",
        "</main></body></html>",
    ]
    return "\n".join(parts) + "\n"


def text(value: object) -> str:
    """A value as text of the page, escaped, with invisible characters made visible."""
    return escape(visible(str(value)))


def _introduction(survey: SurveySummary) -> str:
    commits = sum(each.commits for each in survey.repositories)
    points = sum(each.points for each in survey.repositories)
    return (
        f"<p>{survey.texts:,} different specs in {commits:,} commits and {points:,} releases, branches and "
        "tips. A version of a message is the same in two repositories if its bytes are; names do not count."
        "</p>"
    )


def _section(anchor: str, title: str, body: str) -> tuple[str, str]:
    return f'<h2 id="{anchor}">{title}</h2>', body


def _table(caption: str, heads: Iterable[str], rows: Iterable[str], kind: str = "") -> str:
    return (
        f'<div class="scroll{kind}" tabindex="0" role="region" aria-label="{caption}"><table>'
        f"<thead><tr>{''.join(heads)}</tr></thead><tbody>{''.join(rows)}</tbody></table></div>"
    )


def _heads(*words: str, numbers: Sequence[str] = ()) -> list[str]:
    return [f'<th scope="col"{" class=n" if word in numbers else ""}>{word}</th>' for word in words]


def _nearest(names: Sequence[str]) -> str:
    """The nearest releases: the first and the last of them."""
    return text(names[0]) if len(names) == 1 else f"{text(names[0])} … {text(names[-1])}"


def _repositories(repositories: Sequence[RepositoryRecord]) -> str:
    numbers = ("Commits", "Specs", "Same", "Earlier", "Other", "Own", "Missing", "Differ")
    heads = _heads(
        "Repository", "Newest", "Commits", "Specs", "Same", "Earlier", "Other", "Own", "Missing",
        "Nearest release", "Differ", numbers=numbers,
    )  # fmt: skip
    rows = []
    for item in repositories:
        counts = item.layouts
        cells = "".join(
            f'<td class="n {name if number else "zero"}">{number:,}</td>'
            for name, number in (
                ("same", counts.same),
                ("earlier", counts.earlier),
                ("other", counts.other),
                ("own", counts.own),
                ("missing", counts.missing),
            )
        )
        rows.append(
            f'<tr><th scope="row">{text(item.name)}</th>'
            f"<td>{text(item.newest.name)}<br><small>{text(item.newest.day)}, "
            f"<code>{text(item.newest.commit[:12])}</code></small></td>"
            f'<td class="n">{item.commits:,}</td><td class="n">{item.texts:,}</td>{cells}'
            f'<td>{_nearest(item.nearest)}</td><td class="n">{item.difference.differing:,}</td></tr>'
        )
    return (
        "<p>Versions of messages in the newest release of each repository, by their status relative to the "
        "newest release of the reference, and how many differ from the nearest release.</p>"
        + _table("Repositories", heads, rows, " tall")
    )


def _legend(survey: SurveySummary) -> str:
    items = "".join(
        f'<span class="{name}">{MARKS[name]}0-9: {words.format(text(survey.reference))}</span>'
        for name, words in _WORDS.items()
    )
    return f'<p class="legend">{items}</p>'


def _matrix(caption: str, survey: SurveySummary, apis: Sequence[ApiRecord]) -> str:
    if not apis:
        return "<p>There are none.</p>"
    names = [item.name for item in survey.repositories]
    heads = ['<th scope="col">API</th>', *(f'<th scope="col">{text(name)}</th>' for name in names)]
    rows = []
    for api in apis:
        cells = {cell.repository: cell for cell in api.repositories}
        key = "" if api.api_key is None else f" <small>key {api.api_key}</small>"
        columns = "".join(f"<td>{_cell(api, cells.get(name))}</td>" for name in names)
        rows.append(f'<tr><th scope="row">{text(api.name)}{key}</th>{columns}</tr>')
    return _table(caption, heads, rows, " tall matrix")


def _cell(api: ApiRecord, cell: CellRecord | None) -> str:
    if cell is None or not cell.versions:
        return '<span class="missing">–</span>'
    parts = [
        f'<span class="{name}">{mark}{text(getattr(cell, name))}</span>'
        for name, mark in MARKS.items()
        if getattr(cell, name)
    ]
    named = f"<small>{text(cell.name)}</small>" if cell.name not in ("", api.name) else ""
    return "".join(parts) + named


# -- collisions -----------------------------------------------------------------------------------


def _collisions(found: Collisions) -> str:
    keys = [
        f'<tr><th scope="row">{item.api_key}</th><td class="words">{_meanings(item.meanings)}</td></tr>'
        for item in found.keys
    ]
    tags = [
        f'<tr><th scope="row">{text(item.message)}</th><td>{text(item.within) or "<em>message</em>"}</td>'
        f'<td class="n">{item.tag}</td><td class="words">{_meanings(item.meanings)}</td></tr>'
        for item in found.tags
    ]
    versions = [
        f'<tr><th scope="row">{text(item.message)}</th><td class="n">{item.version}</td>'
        f'<td class="words">{_meanings(item.meanings, 12)}</td></tr>'
        for item in found.versions[:SHOWN]
    ]
    left = len(found.versions) - SHOWN
    return "".join(
        (
            "<h3>API keys</h3>",
            _or_none("API keys", _heads("Key", "Means"), keys),
            "<h3>Tags</h3>",
            _or_none("Tags", _heads("Message", "In", "Tag", "Means", numbers=["Tag"]), tags),
            "<h3>Versions</h3>",
            _or_none("Versions", _heads("Message", "Version", "Bytes", numbers=["Version"]), versions),
            f"<p>{left:,} more are in <code>survey.json</code>.</p>" if left > 0 else "",
        )
    )


def _or_none(caption: str, heads: Iterable[str], rows: Sequence[str]) -> str:
    return _table(caption, heads, rows, " tall") if rows else "<p>There are none.</p>"


def _meanings(meanings: Sequence[Meaning], length: int | None = None) -> str:
    items = "".join(
        f"<li>{text(item.meaning[:length])} <small>{_listed(item.repositories)}</small></li>"
        for item in meanings
    )
    return f'<ul class="findings">{items}</ul>'


def _listed(names: Sequence[str]) -> str:
    shown = ", ".join(map(text, names[:10]))
    return f"{shown} and {len(names) - 10:,} more" if len(names) > 10 else shown


# -- time -----------------------------------------------------------------------------------------


def _timeline(survey: SurveySummary) -> str:
    """A lane for each repository, with a mark for each of its points."""
    days = [date.fromisoformat(each.point.day).toordinal() for each in survey.drift]
    first, last = min(days), max(max(days), min(days) + 1)
    lanes = {item.name: number for number, item in enumerate(survey.repositories)}
    height = _LANE * len(lanes)
    drawn = []
    for name, lane in lanes.items():
        y = lane * _LANE + 12
        drawn.append(f'<line class="lane" x1="{_LEFT}" y1="{y}" x2="{_LEFT + _WIDTH}" y2="{y}"/>')
        drawn.append(f'<text class="name" x="0" y="{y + 4}">{text(name[:22])}</text>')
    for each, day in zip(survey.drift, days, strict=True):
        x = _LEFT + _WIDTH * (day - first) / (last - first)
        y = lanes[each.repository] * _LANE + 12
        kind = "other" if each.difference.differing else "same"
        drawn.append(
            f'<circle class="{kind}" cx="{x:.1f}" cy="{y}" r="4"><title>{_said(each)}</title></circle>'
        )
    for year in range(date.fromordinal(first).year + 1, date.fromordinal(last).year + 1):
        x = _LEFT + _WIDTH * (date(year, 1, 1).toordinal() - first) / (last - first)
        drawn.append(f'<text x="{x:.1f}" y="{height + 16}">{year}</text>')
    rows = [_drift_row(each) for each in survey.drift if each.repository != survey.reference]
    heads = _heads(
        "Repository", "Point", "Day", "Nearest release", "Differ", "Other", "Own", "Missing",
        numbers=("Differ", "Other", "Own", "Missing"),
    )  # fmt: skip
    left = len(rows) - SHOWN
    more = f"<p>{left:,} more are in the table <code>drift</code>.</p>" if left > 0 else ""
    return (
        '<p>Releases, branches and tips: <span class="same">as a release of '
        f"{text(survey.reference)}</span>, "
        '<span class="other">different from each</span>.</p>'
        f'<div class="scroll"><svg viewBox="0 0 {_LEFT + _WIDTH + 10} {height + 20}" role="img" '
        f'aria-label="Releases of the repositories over time">{"".join(drawn)}</svg></div>'
        "<details><summary>As a table</summary>"
        f"{_table('Drift', heads, rows[:SHOWN], ' tall')}{more}</details>"
    )


def _said(each: DriftRecord) -> str:
    return text(
        f"{each.repository} {each.point.name}, {each.point.day}: nearest to {each.nearest[0]}, "
        f"{each.difference.differing:,} versions differ"
    )


def _drift_row(each: DriftRecord) -> str:
    found = each.difference
    numbers = "".join(
        f'<td class="n">{number:,}</td>'
        for number in (found.differing, found.other, found.own, found.missing)
    )
    return (
        f'<tr><th scope="row">{text(each.repository)}</th><td>{text(each.point.name)}</td>'
        f"<td>{text(each.point.day)}</td><td>{_nearest(each.nearest)}</td>{numbers}</tr>"
    )


def _taken(survey: SurveySummary) -> str:
    """For each release of the reference, what each repository has adopted of it, and how much later."""
    by_release: dict[tuple[str, str, int], dict[str, TakenOverRecord]] = {}
    for each in survey.taken_over:
        by_release.setdefault((each.release_day, each.release, each.layouts), {})[each.repository] = each
    names = [item.name for item in survey.repositories if item.name != survey.reference]
    if not by_release:
        return "<p>Nothing was adopted.</p>"
    heads = _heads("Release", "New", numbers=["New"])
    heads += [f'<th scope="col">{text(name)}</th>' for name in names]
    rows = []
    for (day, release, layouts), found in sorted(by_release.items()):
        cells = "".join(f"<td>{_share(found.get(name))}</td>" for name in names)
        rows.append(
            f'<tr><th scope="row">{text(release)}<small>{text(day)}</small></th>'
            f'<td class="n">{layouts:,}</td>{cells}</tr>'
        )
    return (
        "<p>How many of the layouts that a release introduced each repository has had, and by how many days "
        f"it was later than {text(survey.reference)}, as the median of first commits or releases.</p>"
        + _table("Adopted changes", heads, rows, " tall")
    )


def _share(found: TakenOverRecord | None) -> str:
    if found is None or not found.taken:
        return '<span class="missing">–</span>'
    kind = "same" if found.taken == found.layouts else "earlier"
    days = "" if found.days is None else f"<br><small>{found.days:+,} days</small>"
    return f'<span class="{kind}">{found.taken:,}</span>{days}'


def _problems(repositories: Sequence[RepositoryRecord]) -> str:
    items = list(_problem_lines(repositories))
    if not items:
        return "<p>Every spec can be read.</p>"
    return f'<ul class="findings">{"".join(items)}</ul>'


def _problem_lines(repositories: Sequence[RepositoryRecord]) -> Iterator[str]:
    for item in repositories:
        if item.problems:
            lines = "".join(
                f"<li><code>{text(problem.path)}</code> {text(problem.problem)}"
                f"{' <small>in the newest state</small>' if problem.in_newest else ''}</li>"
                for problem in item.sample_of_problems
            )
            yield (
                f"<li>{text(item.name)}: {item.problems:,} specs do not count"
                f"<details><summary>Samples</summary><ul>{lines}</ul></details></li>"
            )
