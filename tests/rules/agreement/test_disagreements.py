"""The disagreements of small messages, one by one: kind, writer and place, beside those of the prover."""

from __future__ import annotations

import json
import random
from collections import Counter
from collections.abc import Iterator
from functools import cache
from typing import NamedTuple

from tests.prove.absence import absent_fields
from tests.prove.shapes import Spec
from tests.prove.truth import DEFAULT, LOST, MISREAD, MOVED, NULL, REFUSED, VALUE, Way, ways
from tests.rules.agreement.exhaustive import VERSION, small_message, states
from wirebook.rules.agreement.forms import WireForm, form_of
from wirebook.rules.agreement.relation import Disagreement, Kind, WriterSide, disagreements
from wirebook.specs.reading.reader import read_message
from wirebook.specs.wire.layout import layout

PAIRS = 2000
WAYS = {
    Kind.TYPE: VALUE,
    Kind.NULL: NULL,
    Kind.DEFAULT: DEFAULT,
    Kind.TAG: REFUSED,
    Kind.LOST: LOST,
    Kind.NAME: MOVED,
}
TURNED = {
    WriterSide.FIRST: WriterSide.SECOND,
    WriterSide.SECOND: WriterSide.FIRST,
    WriterSide.BOTH: WriterSide.BOTH,
}
AROUND: tuple[Spec, ...] = (
    {"type": "Struct"},
    {"type": "Struct", "nullableVersions": "1+"},
    {"type": "[]Struct"},
    {"type": "Struct", "versions": "1+", "taggedVersions": "1+", "tag": 0},
)
# What a way is, the items that it is in down to the first tag, and whether the first side writes.
At = tuple[str, tuple[str, ...], bool]


class Pair(NamedTuple):
    """Two messages, and what the relation compares of them."""

    specs: tuple[Spec, Spec]
    forms: tuple[WireForm, WireForm]


@cache
def near_pairs() -> tuple[Pair, ...]:
    """Messages with up to three fields, some of them in a struct, most of which differ in one field."""
    chosen = random.Random(26)
    drawn = _drawn(chosen)
    return tuple(next(drawn) for _ in range(PAIRS))


def _drawn(chosen: random.Random) -> Iterator[Pair]:
    of_fields = {}
    for flexible in ("1+", "2+"):
        every = states(flexible == "1+")
        # Few states lack the field in the version; each of two fields has to.
        lacking = [state for state in every if "2+" in (state["versions"], state.get("taggedVersions"))]
        of_fields[flexible] = every + 3 * lacking
    while True:
        flexible = chosen.choice(("1+", "1+", "1+", "2+"))
        names = "ABC"[: chosen.choice((1, 2, 3))]
        first = [(name, chosen.choice(of_fields[flexible])) for name in names]
        second = [*first]
        for _ in range(chosen.choice((1, 1, 2))):
            _edit(second, chosen, of_fields[flexible])
        around = chosen.choice(AROUND[: 4 if flexible == "1+" else 3]) if chosen.randrange(3) == 0 else None
        if _is_right(first) and _is_right(second):
            names = "SS" if chosen.randrange(2) else "ST"
            specs = (
                _message(flexible, first, around, names[0]),
                _message(flexible, second, around, names[1]),
            )
            yield Pair(specs, (_form(specs[0]), _form(specs[1])))


def _edit(fields: list[tuple[str, Spec]], chosen: random.Random, of_fields: list[Spec]) -> None:
    at = chosen.randrange(len(fields))
    edit = chosen.choice(("state", "state", "state", "name", "order", "added", "default"))
    if edit == "default":
        fields[at] = (fields[at][0], {"type": "int8", "versions": "2+", "default": "9"})
    elif edit == "state":
        fields[at] = (fields[at][0], chosen.choice(of_fields))
    elif edit == "name":
        fields[at] = ("D", fields[at][1])
    elif edit == "order":
        fields.append(fields.pop(at))
    else:
        fields.append(("E", chosen.choice(of_fields)))


def _is_right(fields: list[tuple[str, Spec]]) -> bool:
    tags = [state["tag"] for _, state in fields if "tag" in state]
    names = [name for name, _ in fields]
    return len(set(tags)) == len(tags) and len(set(names)) == len(names)


def _message(flexible: str, fields: list[tuple[str, Spec]], around: Spec | None, struct: str) -> Spec:
    spec = small_message(flexible, *({"name": name, **state} for name, state in fields))
    if around is not None:
        kind = around["type"].replace("Struct", "Around")
        spec["fields"] = [
            {"name": struct, "versions": "0+", **around, "type": kind, "fields": spec["fields"]}
        ]
    return spec


def _form(spec: Spec) -> WireForm:
    return form_of(layout(read_message(json.dumps(spec).encode(), "SmallValue.json"), VERSION))


def _at(each: Disagreement) -> Iterator[At]:
    what = MISREAD if each.is_misread else WAYS[each.kind]
    items = [step for step in each.place if step.isdigit() or step[0] == "#"]
    tags = [index for index, step in enumerate(items) if step[0] == "#"]
    place = () if what == MOVED else tuple(items[: tags[0] + 1] if tags else items)
    for forward, other in ((True, WriterSide.SECOND), (False, WriterSide.FIRST)):
        if each.writer is not other:
            yield what, place, forward


def _of_way(way: Way) -> At:
    steps = [str(step).replace("tag ", "#") for step in way.place if step != "inside"]
    tags = [index for index, step in enumerate(steps) if step[0] == "#"]
    place = () if way.what == MOVED else tuple(steps[: tags[0] + 1] if tags else steps)
    return way.what, place, way.forward


def _plain(found: set[At]) -> set[At]:
    """Without what the two readings count differently: a field that is lost beside one that has moved, and
    what else differs about a tag that is misread.
    """
    whats = {what for what, _, _ in found}
    misread = {place for what, place, _ in found if what == MISREAD}
    return {
        (what, place, forward)
        for what, place, forward in found
        if not (what == LOST and whats & {MOVED, MISREAD}) and not (what == DEFAULT and place in misread)
    }


def test_kinds_writers_and_places_are_those_of_the_prover() -> None:
    kinds: Counter[str] = Counter()
    for pair in near_pairs():
        every = list(disagreements(*pair.forms))
        # The defaults of fields that a version lacks have no place.
        found = {
            at for each in every if each.kind is not Kind.DEFAULT or each.first.carried for at in _at(each)
        }
        expected = {_of_way(way) for way in ways(*pair.specs, VERSION)}
        assert _plain(found) == _plain(expected), pair.specs
        kinds.update(what for what, _, _ in expected)
    assert min(kinds[what] for what in (*WAYS.values(), MISREAD)) > 5


def test_absent_defaults_are_those_of_the_prover() -> None:
    count = 0
    for pair in near_pairs():
        every = disagreements(*pair.forms)
        lacking = (each for each in every if each.kind is Kind.DEFAULT and each.place[-1] != "default")
        found = {tuple(step for step in ".".join(each.place).split(".") if step != "[]") for each in lacking}
        expected = {
            tuple(str(step).replace("tag ", "#") for step in each.names)
            for each in absent_fields(*pair.specs, VERSION)
        }
        assert found == expected, pair.specs
        count += len(expected)
    assert count > 20


def test_each_side_has_the_path_of_its_field() -> None:
    for pair in near_pairs():
        for each in disagreements(*pair.forms):
            for side in (each.first, each.second):
                assert side.carried is None or side.path == side.carried.path, pair.specs
                assert side.field is None or side.path.endswith(side.field.name), pair.specs
                assert side.path.startswith(side.above), pair.specs


def _words(each: Disagreement) -> tuple[object, ...]:
    return (
        each.kind,
        each.writer,
        *(
            (side.path, side.above, side.field and side.field.name, side.carried and side.carried.path)
            for side in (each.first, each.second)
        ),
    )


def test_two_messages_disagree_in_the_same_ways_in_both_directions() -> None:
    for pair in near_pairs():
        found = Counter(map(_words, disagreements(*pair.forms)))
        turned = (
            each._replace(writer=TURNED[each.writer], first=each.second, second=each.first)
            for each in disagreements(*reversed(pair.forms))
        )
        assert Counter(map(_words, turned)) == found, pair.specs
