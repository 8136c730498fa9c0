"""The events of a history, by walking its chains of snapshots: for a few subjects, quicker than Spark.

`docgen/pipeline/lifecycle.py` computes the same for all subjects; tests/docgen/pipeline/test_pipeline.py
compares them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from wirebook.docgen.catalog.errors import HeldText
from wirebook.docgen.catalog.order import ChainPlace, SnapshotFile
from wirebook.docgen.catalog.rows import Fact, TextRow

Thing = tuple[str, str, str, int, str]
Part = tuple[str, int]
Event = dict[str, Any]

_WORDS = {
    "unstable": ("unstable", "stable"),
    "deprecated": ("deprecated", "undeprecated"),
    "flexible": ("flexible", "inflexible"),
    "nullable": ("nullable", "not_nullable"),
    "tagged": ("tagged", "untagged"),
}
_MERGED: dict[str, Callable[[list[Any]], Any]] = {
    "unstable": max, "deprecated": max, "flexible": min, "nullable": min, "tagged": min, "default": max,
}  # fmt: skip


def entries(files: Iterable[SnapshotFile], rows: Mapping[str, TextRow]) -> Iterator[HeldText]:
    """What each snapshot holds, of the files whose texts have rows that can be used."""
    for ordinal, path, digest in files:
        row = rows[digest]
        if row.error is None:
            for at, state in row.states_at or ():
                if at is None or at == ordinal:
                    yield HeldText(ordinal, str(row.subject), str(row.part), digest, path, state)


def events(
    contents: Iterable[HeldText],
    facts: dict[tuple[str | None, str, int], list[Fact]],
    chains: Sequence[ChainPlace],
) -> list[Event]:
    """The rows of docgen.pipeline.lifecycle.events, by walking the chains."""
    texts: dict[str, dict[int, list[Part]]] = {}
    for ordinal, subject, _, digest, _, state in contents:
        texts.setdefault(subject, {}).setdefault(ordinal, []).append((digest, state))
    raw: dict[tuple[Thing, str], list[Event]] = {}
    for subject, by_ordinal in texts.items():
        before: list[Part] = []
        for place in chains:
            after = sorted(by_ordinal.get(place.ordinal, []))
            base = place.chain > 0 and place.position == 0
            if place.position == 0:
                before = []
            if not base and before != after:
                old, new = _merged(subject, before, facts), _merged(subject, after, facts)
                for thing in sorted(old.keys() | new.keys()):
                    for about, event in _changes(thing, old.get(thing), new.get(thing)):
                        row = {"place": place, **event}
                        raw.setdefault((thing, about), []).append(row)
            before = after
    return [row for (thing, _), rows in raw.items() for row in _story(thing, rows)]


def _merged(
    subject: str, parts: Iterable[Part], facts: dict[tuple[str | None, str, int], list[Fact]]
) -> dict[Thing, Fact]:
    """By thing: its facts, those of several messages taken together."""
    merged: dict[Thing, Fact] = {}
    for digest, state in parts:
        for fact in facts[subject, digest, state]:
            thing = (subject, fact.kind, fact.part, fact.version, fact.path)
            other = merged.get(thing)
            if other is not None:
                both: dict[str, Any] = {}
                for name, merge in _MERGED.items():
                    values = [v for v in (getattr(other, name), getattr(fact, name)) if v is not None]
                    both[name] = merge(values) if values else None
                fact = other._replace(**both)
            merged[thing] = fact
    return merged


def _changes(thing: Thing, old: Fact | None, new: Fact | None) -> Iterator[tuple[str, Event]]:
    kind = thing[1]
    if new is None:
        yield "presence", {"event": "removed", "old": None, "new": None}
        return
    if old is None:
        yield "presence", {"event": "added", "old": None, "new": None}
    for name, words in _WORDS.items():
        was, now = getattr(old, name, None), getattr(new, name)
        # Version 0 is one; False is the absence of a mark.
        before, after = (value is not None and value is not False for value in (was, now))
        if before == after:
            continue
        of_field = name in ("nullable", "tagged")
        if of_field != (kind == "field") or kind == "error":
            continue
        if name == "flexible" and old is None and kind != "api":
            continue
        is_listed = name in ("flexible", "nullable", "tagged")
        yield (
            name,
            {
                "event": words[0 if after else 1],
                "old": str(was) if is_listed and was is not None else None,
                "new": str(now) if is_listed and now is not None else None,
            },
        )
    if kind == "field" and old is not None and old.default != new.default:
        yield "default", {"event": "default", "old": old.default, "new": new.default}


def _story(thing: Thing, rows: list[Event]) -> Iterator[Event]:
    """Tell once what several branches have, and call a second coming a return."""
    trunk = {(row["event"], row["new"], row["place"].ordinal) for row in rows if row["place"].chain == 0}
    last: dict[int | None, tuple[str, str | None]] = {}
    was_removed = False
    for row in sorted(rows, key=lambda row: (row["place"].ordinal, row["place"].chain)):
        place: ChainPlace = row["place"]
        is_alone = (
            place.chain > 0
            and place.next_trunk is not None
            and (row["event"], row["new"], place.next_trunk) not in trunk
        )
        branch = place.chain if is_alone else None
        value = (row["event"], row["new"])
        yield {
            **dict(zip(("subject", "kind", "part", "version", "path"), thing, strict=True)),
            "event": "returned" if row["event"] == "added" and was_removed else row["event"],
            "ordinal": place.ordinal,
            "old": row["old"],
            "new": row["new"],
            "first": place.chain == 0 and place.position == 0,
            "branch": branch,
            "kept": last.get(branch) != value,
        }
        last[branch] = value
        was_removed = was_removed or row["event"] == "removed"
