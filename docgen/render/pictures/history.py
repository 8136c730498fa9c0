"""The history of a protocol as pictures: what each release line changed, and a strip for each API."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from markupsafe import Markup

from wirebook.docgen.catalog.order import is_unreleased
from wirebook.docgen.catalog.records import IndexRow, NewsItem, SnapshotRecord
from wirebook.specs.releases import ReleaseName

# More lines than this cannot be distinguished on a phone: only the newest are drawn.
_MOST, _LABELS, _APART = 60, 9, 0.1
_HEIGHT, _AXIS, _NUMBER = 150, 22, 16
_KINDS = ("added", "deprecated", "removed")
_Paths = dict[str, list[str]]


@dataclass
class Column:
    """A release line, or a snapshot of another kind: its last snapshot, and what changed in all of them.

    `changes` has, for each kind of change, the number of versions by the slug of their API; `link` is the
    snapshot with most changes.
    """

    name: str
    last: SnapshotRecord
    link: SnapshotRecord
    most: int = -1
    changes: dict[str, Counter[str]] = field(default_factory=lambda: {kind: Counter() for kind in _KINDS})

    def take(self, snapshot: SnapshotRecord, apis: frozenset[str]) -> None:
        """Add what a snapshot of the line changed in `apis`."""
        lists: Mapping[str, Iterable[NewsItem]] = {
            "added": (*snapshot.new, *snapshot.returned),
            "deprecated": snapshot.deprecated,
            "removed": snapshot.removed,
        }
        count = 0
        for kind, items in lists.items():
            for news_item in items:
                if news_item.slug in apis:
                    self.changes[kind][news_item.slug] += len(news_item.versions)
                    count += len(news_item.versions)
        self.last = snapshot
        if count > self.most:
            self.most, self.link = count, snapshot

    def total(self, kind: str) -> int:
        """How many versions of all APIs that is."""
        return self.changes[kind].total()

    @property
    def words(self) -> str:
        """What changed, in words."""
        numbers = [f"{self.total(kind)} {kind}" for kind in _KINDS if self.total(kind)]
        return (
            f"{self.name}: versions {', '.join(numbers)}" if numbers else f"{self.name}: no version changed"
        )


def columns(index: Sequence[IndexRow], snapshots: Sequence[SnapshotRecord]) -> list[Column]:
    """The columns of the picture in the order of their first snapshots; the newest 60."""
    apis = frozenset(row.slug for row in index if row.is_api)
    by_line: dict[str, Column] = {}
    for snapshot in snapshots:
        name = _line(snapshot)
        if name not in by_line:
            by_line[name] = Column(name, snapshot, snapshot)
        by_line[name].take(snapshot, apis)
    return list(by_line.values())[-_MOST:]


def chart(lines: Sequence[Column], address: Mapping[str, str]) -> Markup:
    """Versions by column, added ones upwards, deprecated and removed ones downwards; "" for fewer than two.

    `address` leads from the name of a snapshot to its page. Each column is a link with its numbers in words.
    Lengths across are percentages: the picture is as wide as its place, and its letters keep their size.
    """
    up = max((column.total("added") for column in lines), default=0)
    down = max((column.total("deprecated") + column.total("removed") for column in lines), default=0)
    if len(lines) < 2 or not up + down:
        return Markup("")
    unit, step = min(_HEIGHT / (up + down), 12), 100 / len(lines)
    # Above it there is room for the number of the longest bar.
    middle = round(up * unit) + _NUMBER
    bottom = middle + round(down * unit) + (_NUMBER if down else 2)
    parts = [
        Markup('<svg class="wb-history" role="group" aria-label="{}" width="100%" height="{}">').format(
            "Versions of APIs that each release added, deprecated and removed", bottom + _AXIS
        ),
        Markup(
            '<defs><pattern id="wb-hatch" width="5" height="5" patternUnits="userSpaceOnUse" '
            'patternTransform="rotate(45)"><path d="M0 0V5" class="hatch"/></pattern></defs>'
        ),
    ]
    labelled = _labelled(lines)
    for position, column in enumerate(lines):
        x = position * step
        parts.append(
            Markup('<a href="{}" aria-label="{}"><title>{}</title>').format(
                address[column.link.name], column.words, column.words
            )
        )
        parts.append(_bar("hit", x, step, 0, bottom))
        if added := column.total("added"):
            top = middle - max(added * unit, 2)
            parts.append(_bar("added", x + step * 0.14, step * 0.72, top, middle))
            if added == up:
                parts.append(_number(x + step / 2, top - 4, added))
        top = middle + 1.0
        for kind in ("deprecated", "removed"):
            if count := column.total(kind):
                end = top + max(count * unit, 2)
                parts.append(_bar(kind, x + step * 0.14, step * 0.72, top, end))
                top = end
        if down and top - middle - 1 >= down * unit:
            parts.append(_number(x + step / 2, top + 12, down))
        parts.append(Markup("</a>"))
        if position in labelled:
            late = x > 88
            words = Markup('<text class="{}" x="{:.2f}%" y="{}">{}</text>')
            edge = x + step * (0.86 if late else 0.14)
            parts.append(words.format("end" if late else "at", edge, bottom + _AXIS - 6, labelled[position]))
    parts.append(Markup('<path class="axis" d="M0 {}h9999"/></svg>').format(middle))
    return Markup("").join(parts)


def strips(index: Sequence[IndexRow], lines: Sequence[Column]) -> dict[str, Markup]:
    """For the slug of each API its strip: where it is served, and where versions were added and removed.

    Empty for fewer than two columns. Screen readers read `aria-label`.
    """
    if len(lines) < 2:
        return {}
    return {row.slug: _strip(row.slug, lines) for row in index if row.is_api}


def _strip(slug: str, lines: Sequence[Column]) -> Markup:
    paths: _Paths = {"served": [], **{kind: [] for kind in _KINDS}}
    start: int | None = None
    for position, column in enumerate([*lines, None]):
        in_snapshot = column.last.apis.get(slug) if column else None
        if in_snapshot is not None and in_snapshot.served != "none":
            start = position if start is None else start
        elif start is not None:
            paths["served"].append(f"M{start} 4h{position - start}v2h-{position - start}z")
            start = None
        for kind, shape in (("added", "v-4h.8v4z"), ("deprecated", "v2h.8v-2z"), ("removed", "v4h.8v-4z")):
            if column and column.changes[kind][slug]:
                paths[kind].append(f"M{position}.1 {4 if kind == 'added' else 6}{shape}")
    changes = [words for kind in _KINDS if (words := _named(lines, kind, slug))]
    path = Markup('<path class="{}" d="{}"/>')
    picture = Markup("").join(
        path.format(kind, "".join(segments)) for kind, segments in paths.items() if segments
    )
    return Markup(
        '<svg class="wb-strip" role="img" aria-label="{}" viewBox="0 0 {} 10" '
        'preserveAspectRatio="none">{}</svg>'
    ).format("; ".join(changes) or "no changes", len(lines), picture)


def _named(lines: Sequence[Column], kind: str, slug: str) -> str:
    """Where versions were added, deprecated or removed: "added in 0.8.1, 3.7 and 4.0"; "" if nowhere."""
    names = [line.name for line in lines if line.changes[kind][slug]]
    if not names:
        return ""
    joined = names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
    return f"{kind} in {joined}"


def _number(x: float, y: float, number: int) -> Markup:
    return Markup('<text class="n" x="{:.2f}%" y="{:.1f}">{}</text>').format(x, y, number)


def _bar(kind: str, x: float, width: float, top: float, bottom: float) -> Markup:
    return Markup('<rect class="{}" x="{:.2f}%" y="{:.1f}" width="{:.2f}%" height="{:.1f}"/>').format(
        kind, x, top, width, bottom - top
    )


def _line(snapshot: SnapshotRecord) -> str:
    """The release line of a snapshot, or its name if it is not a release."""
    release = None if is_unreleased(snapshot) else ReleaseName.parse(snapshot.name)
    return snapshot.name if release is None else release.line_name


def _labelled(lines: Sequence[Column]) -> dict[int, str]:
    """The columns whose names are written: those that begin a major line, or some at equal distances."""
    names = [column.name for column in lines]
    firsts = ["", *(name.split(".")[0] for name in names)]
    majors = [index for index, (before, here) in enumerate(pairwise(firsts)) if before != here]
    if not 2 < len(majors) <= _LABELS:
        apart = -(-len(names) // _LABELS)
        majors = list(range(0, len(names), apart))
    labelled: list[int] = []
    for index in reversed(majors):
        # Names keep a distance that fits on a phone.
        if not labelled or (labelled[-1] - index) / len(names) >= _APART:
            labelled.append(index)
    return {index: names[index][:12] for index in labelled}
