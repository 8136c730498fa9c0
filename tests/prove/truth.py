"""What a patch breaks, decided by bytes: those of every release read by the new side, and the reverse.

A fault is a difference in what two peers make of the same bytes, at a place of a version. Places are what the
wire has, an index or a tag; names count only where they say that a field which both sides know lies at
another place, since a rename by itself breaks nobody. A fault that the old side had is not the patch's.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain, repeat
from typing import Any, NamedTuple

from tests.prove.absence import absent_faults, value_where_absent
from tests.prove.codec import RefusedError, Value, decode, encode
from tests.prove.probes import probes
from tests.prove.shapes import (
    KINDS,
    Shape,
    Slot,
    Spec,
    element,
    fields_inside,
    is_array,
    range_of,
    shape,
    stable,
    valid,
)

Place = tuple[str, ...]
Places = dict[tuple[str, ...], set[str]]
# What peers that skip a tag lose is a fault, but hides no other one behind it.
LOST = "lost"
# The kind of the tagged section at the end of a struct, in a sequence of the fields of several.
END = "end"
ANOTHER = frozenset(("message-deleted", "api-key-changed", "message-type-changed"))


class Fault(NamedTuple):
    """One way in which two peers disagree. `forward`: the release writes, the new side reads."""

    forward: bool
    place: Place
    what: str


class Break(NamedTuple):
    """What breaks in a message: a finding names one of the `versions`, or is of one of the `rules`."""

    what: str
    versions: frozenset[int]
    rules: frozenset[str] = frozenset()


class Leave(NamedTuple):
    """Where an error is no false alarm although no byte breaks, by an exception of `exceptions.py`."""

    exception: str
    versions: frozenset[int]


class Truth(NamedTuple):
    """What is true of one message of a patch."""

    breaks: tuple[Break, ...]
    leaves: tuple[Leave, ...]


def truth(old: Spec | None, new: Spec, releases: Sequence[Spec]) -> Truth:
    """What a patch from `old` to `new` breaks for peers of some releases of one message."""
    if old is not None and _identity(old) != _identity(new):
        # Nobody reads the one as the other; the check may say of the same file what else has changed.
        fields = _truth_of_fields(old, new, releases)
        others = [Leave("another-message", frozenset(valid(old).numbers))]
        broken = [
            Break("peers take it for another message", frozenset(), ANOTHER)
            for release in releases
            if not stable(release).meets(valid(old)).empty
        ]
        return Truth(tuple(broken[:1]), (*others, *fields.leaves))
    return _truth_of_fields(old, new, releases)


def _truth_of_fields(old: Spec | None, new: Spec, releases: Sequence[Spec]) -> Truth:
    breaks: list[Break] = []
    leaves: list[Leave] = []
    known: dict[int, list[Outcome]] = {}
    for version in valid(new).numbers:
        having = [release for release in releases if version in stable(release)]
        if not having:
            continue
        after = shape(new, version)
        before = shape(old, version) if old is not None and version in valid(old) else None
        if before == after:
            continue
        shapes = [shape(release, version) for release in having]
        # What a version says most neighbours say, too.
        told = known.get(version - 1)
        if told is None or told[0] != (before, after, shapes):
            told = [(before, after, shapes), tuple(_at(before, after, shapes))]
        known[version] = told
        here = frozenset((version,))
        for text, exception in told[1]:
            if exception:
                leaves.append(Leave(exception, here))
            else:
                breaks.append(Break(text, here))
    for item in _reserved(old, new, releases):
        if isinstance(item, Break):
            breaks.append(item)
        else:
            leaves.append(item)
    for item in _absent(old, new, releases):
        if isinstance(item, Break):
            breaks.append(item)
        else:
            leaves.append(item)
    leaves += [] if old is None else _renamed_between(old, new, releases)
    return Truth(tuple(breaks), tuple(leaves))


Outcome = Any


def _absent(old: Spec | None, new: Spec, releases: Sequence[Spec]) -> Iterator[Break | Leave]:
    """The fields that read as another value where they are absent, and did not so before the patch: not with
    that value, or in none of the versions that the old side has.
    """
    had = frozenset[int]() if old is None else frozenset(valid(old).numbers)
    found = [list(absent_faults(release, new)) for release in releases]
    for release, faults_here in zip(releases, found, strict=True):
        known = set() if old is None else {fault.key for fault in absent_faults(release, old)} | _split(old)
        for fault in faults_here:
            place, value = fault.key
            if fault.now != place and old is not None and value in _values(old).get(fault.now, ()):
                # It had its value before, and only another field left its place to it.
                continue
            back = fault.lacking - had
            fresh = back if fault.key in known else fault.lacking
            if not fresh:
                continue
            if fresh <= back and any(
                fresh <= {*stable(other).numbers}
                and not any(fault.key[0] == each.key[0] and fresh & each.lacking for each in others)
                for other, others in zip(releases, found, strict=True)
            ):
                # Back after it was withdrawn, as one release had it; another had it otherwise.
                yield Leave("releases-disagree", fault.versions)
            else:
                yield Break(fault.what, fault.versions)


def _split(old: Spec) -> set[tuple[Place, Value]]:
    """The fields that share their name, and the values that they are read as: all are that field."""
    found = _values(old)
    return {(place, value) for place, values in found.items() if len(values) > 1 for value in values}


def _values(message: Spec) -> dict[Place, list[Value]]:
    """The values that the fields of each name are read as where they are absent."""
    found: dict[Place, list[Value]] = {}

    def inside(fields: list[Spec], above: Place) -> None:
        for field in fields:
            here = (*above, field["name"])
            found.setdefault(here, []).append(value_where_absent(field))
            inside(fields_inside(message, field) or [], here)

    inside(message["fields"], ())
    return found


def _renamed_between(old: Spec, new: Spec, releases: Sequence[Spec]) -> Iterator[Leave]:
    """The fields that read as another value where they are absent, as only the old side shows: it has the
    bytes of a release under other names, or the field under its name, and the patch renames it.
    """
    for fault in absent_faults(old, new):
        for release in releases:
            here = fault.versions & frozenset(stable(release).numbers)
            alike = any({f.what for f in faults(shape(release, v), shape(old, v))} <= {LOST} for v in here)
            place, value = fault.key
            if alike or value not in _values(release).get(place, [value]):
                yield Leave("renamed-between", here)


def _identity(message: Spec) -> tuple[str, object]:
    """What a header says of a message; what goes without a header has none."""
    return (message["type"], message["apiKey"]) if "apiKey" in message else ("", "")


def _at(before: Shape | None, after: Shape, shapes: Sequence[Shape]) -> Iterator[tuple[str, str]]:
    """What breaks in one version that some releases have: words, or an exception."""
    if before is None and len(shapes) > 1:
        whole = [not _differ(there, after) for there in shapes]
        if any(whole) and not all(whole):
            # Back after it was withdrawn, as one release had it; another had it otherwise.
            yield "", "releases-disagree"
            return
    for number, there in enumerate(shapes):
        if there in shapes[:number]:
            continue
        known = frozenset[Fault]() if before is None else frozenset(faults(there, before))
        hard = any(fault.what != LOST for fault in known)
        # Names that fields had before earlier renames say nothing: those of the old side count, too.
        moved = (
            _moved(there, after, ())
            if before is None
            else set(_moved(before, after, ())) & set(_moved(there, after, ()))
        )
        # What is still lost hides nothing, either.
        left = chain(moved, faults(there, after))
        caused = next(
            (
                f
                for f in left
                if (hard and f.what != LOST) or (f not in known and not _lost_before(f, known, there, after))
            ),
            None,
        )
        if caused is None:
            if before is not None and known and _differ(before, after):
                yield "", "broken-before"
            continue
        if hard and before is not None:
            # Only what the patch adds is its own, and only in what a release has.
            ours, theirs = _without_own(there, _released(there, before), after)
            if _differ(ours, theirs):
                yield f"broken before, and {caused.what} at {'.'.join(caused.place) or 'the top'}", ""
            elif _retagged(there, before, after):
                yield "broken before, and a tag of a release is another field's", ""
            elif _differ(before, after) or _retagged(there, before, after, by_place=True):
                yield "", "broken-before"
        else:
            who = "new readers of old bytes" if caused.forward else "old readers of new bytes"
            yield f"{caused.what} at {'.'.join(caused.place) or 'the top'}, {who}", ""


def _lost_before(fault: Fault, known: frozenset[Fault], release: Shape, after: Shape) -> bool:
    """Whether a tag was lost before, in a struct that has had another place in its sequence."""
    same = [f for f in known if f.what == fault.what == LOST and f.place[-1:] == fault.place[-1:]]
    return bool(same) and not {*faults(release, after)}.issuperset(same)


def _differ(before: Shape, after: Shape) -> bool:
    """Whether peers of the two disagree, or a field that both name is elsewhere."""
    return next(chain(_moved(before, after, ()), faults(before, after)), None) is not None


def _released(release: Shape, before: Shape) -> Shape:
    """A shape without the tags that a release does not know, in it and in the structs that both name."""
    inside = {slot.path: slot.inside for _, slot in _places(release)}

    def kept(slot: Slot) -> Slot:
        there = inside.get(slot.path) or Shape((), {}, True, frozenset())
        return slot if slot.inside is None else slot._replace(inside=_released(there, slot.inside))

    known = release.tagged.keys() | release.refused
    tagged = {
        tag: kept(slot)
        for tag, slot in before.tagged.items()
        if tag in known and (tag not in release.tagged or _read_alike(release.tagged[tag], slot))
    }
    return Shape(tuple(map(kept, before.fields)), tagged, before.section, before.refused & known)


def _without_own(release: Shape, before: Shape, after: Shape) -> tuple[Shape, Shape]:
    """Two shapes without the untagged fields that both name and a release does not, or as another type:
    whatever they are, it misreads them. Where a field of the release is missing, one of its type may be it,
    renamed.
    """
    sides = (release, before, after)
    named = [{slot.path: slot for slot in side.fields} for side in sides]
    missing = [slot for path, slot in named[0].items() if path not in named[1]]
    own = {
        path
        for path in named[1].keys() & named[2].keys()
        if not any(
            _read_alike(slot, named[1][path]) for slot in ((named[0][path],) if path in named[0] else missing)
        )
    }
    found: list[Shape] = []
    for number, side in enumerate(sides[1:]):

        def kept(slot: Slot, there: Sequence[Slot | None], number: int = number) -> Slot:
            was, _, now = there
            if was is not None and now is not None and was.nothing == now.nothing:
                # A default that the patch gives back as the release has it breaks nobody further.
                slot = slot._replace(nothing=now.nothing)
            inside = [other.inside for other in there if other is not None and other.inside is not None]
            if len(inside) < len(sides):
                return slot
            shape = _without_own(*inside)[number]
            if slot.nothing is None or slot.array:
                return slot._replace(inside=shape)
            tags = {tag: item.nothing for tag, item in shape.tagged.items()}
            return slot._replace(inside=shape, nothing=(tuple(item.nothing for item in shape.fields), tags))

        fields = [
            kept(slot, [fields.get(slot.path) for fields in named])
            for slot in side.fields
            if slot.path not in own
        ]
        tagged = {
            tag: kept(slot, [other.tagged.get(tag) for other in sides]) for tag, slot in side.tagged.items()
        }
        found.append(side._replace(fields=tuple(fields), tagged=tagged))
    ours, theirs = found
    # A tag that the patch gives back what the release has breaks nobody further.
    back = {
        tag: slot
        for tag, slot in theirs.tagged.items()
        if tag in ours.tagged and tag in release.tagged
        if not _differ(_alone(release.tagged[tag]), _alone(after.tagged[tag]))
    }
    return ours._replace(tagged={**ours.tagged, **back}), theirs


def _alone(slot: Slot) -> Shape:
    """A struct of one tagged field, which is left out where it has its default."""
    return Shape((), {0: slot}, True, frozenset())


def _read_alike(one: Slot, other: Slot) -> bool:
    """Whether two fields are of one type: what is not, the release cannot read, whatever else changes."""
    if (one.kind, one.array) != (other.kind, other.array):
        return False
    # Elements that are no structs are fields without a name.
    first, second = (
        [each.kind for each in slot.inside.fields if not each.path] if slot.inside else []
        for slot in (one, other)
    )
    return first == second


def _retagged(release: Shape, before: Shape, after: Shape, *, by_place: bool = False) -> bool:
    """Whether a struct gets a tag that a release reads as another type, or refuses, or sends in vain."""
    for tag in (after.tagged.keys() | after.refused) - before.tagged.keys() - before.refused:
        was, now = release.tagged.get(tag), after.tagged.get(tag)
        if was is None:
            if now is not None and tag in release.refused:
                return True
        elif now is None or next(faults(_alone(was), _alone(now)), None) is not None:
            return True
    for key, slot in _places(after):
        there, then = (_same_struct(side, key if by_place else "", slot) for side in (release, before))
        if slot.inside and there and then and _retagged(there, then, slot.inside, by_place=by_place):
            return True
    return False


def _same_struct(side: Shape, key: str, slot: Slot) -> Shape | None:
    """The struct of a field on another side: by the names around it, else by its own, since its field may
    have got another name before, else by its place, if that is given.
    """
    others = [(place, other) for place, other in _places(side) if other.inside is not None]
    found = [other for _, other in others if other.path == slot.path]
    found = found or [other for _, other in others if other.declared == slot.declared]
    found = found or [other for place, other in others if place == key]
    return found[0].inside if found else None


def _reserved(old: Spec | None, new: Spec, releases: Sequence[Spec]) -> Iterator[Break | Leave]:
    """The tags that a patch gives to other fields than releases did that share no version with it.

    KIP-482: "Tag numbers must never be reused". Where peers of both share a version, its bytes say so.
    """
    held: set[tuple[Place, int, str]] = set()
    for where, _, tag, field in () if old is None else _tags(old, old["fields"], ()):
        # What the old side had there already is no more reused under another name.
        held |= {(where, tag, field["name"]), (where, tag, f"of {field['type']}")}
    around = {} if old is None else _opposite_structs(old, new)
    for where, struct, tag, field in _tags(new, new["fields"], ()):
        if not held.isdisjoint({(where, tag, field["name"]), (where, tag, f"of {field['type']}")}):
            continue
        for release in releases:
            for place, holder, number, was in _tags(release, release["fields"], ()):
                sent = range_of(was, "taggedVersions").meets(stable(release))
                if place == where and number != tag and was["name"] == field["name"] and not sent.empty:
                    yield Leave("back-elsewhere", frozenset(sent.numbers))
                if number != tag or sent.empty or (was["name"] == field["name"] and _one_kind(was, field)):
                    continue
                if place != where and (place in around.get(where, ()) or (holder and holder == struct)):
                    yield Leave("renamed-around", frozenset(sent.numbers))
                if place != where:
                    continue
                if not sent.meets(valid(new)).empty:
                    continue
                if element(was) == element(field) or (element(was) in KINDS and _one_kind(was, field)):
                    yield Leave("renamed-unseen", frozenset(sent.numbers))
                else:
                    yield Break(
                        f"tag {tag} belongs to {was['name']} for ever",
                        frozenset(),
                        frozenset(("tag-reused",)),
                    )


def _one_kind(one: Spec, other: Spec) -> bool:
    """Whether two fields may be one: a field that comes back with another type is another field."""
    kinds = [(KINDS.get(element(item)), is_array(item)) for item in (one, other)]
    return kinds[0] == kinds[1]


def _tags(
    message: Spec, fields: list[Spec], above: Place, struct: str = ""
) -> Iterator[tuple[Place, str, int, Spec]]:
    """The tagged fields with the names around them, that of their struct, and their tags."""
    for field in fields:
        if "tag" in field:
            yield above, struct, int(field["tag"]), field
        inside = fields_inside(message, field) or []
        yield from _tags(message, inside, (*above, field["name"]), element(field))


def _opposite_structs(old: Spec, new: Spec) -> dict[Place, set[Place]]:
    """The structs of the new side, each with those of the old side that have its place in some version."""
    found: dict[Place, set[Place]] = {}
    for version in valid(old).meets(valid(new)).numbers:
        for one, other in _opposite(shape(old, version), shape(new, version), (), ()):
            found.setdefault(other, set()).add(one)
    return found


def _opposite(old: Shape, new: Shape, above: Place, below: Place) -> Iterator[tuple[Place, Place]]:
    after = dict(_places(new))
    for key, slot in _places(old):
        other = after.get(key)
        if other is not None and slot.inside is not None and other.inside is not None:
            first, second = (*above, *slot.path), (*below, *other.path)
            yield first, second
            yield from _opposite(slot.inside, other.inside, first, second)


def faults(release: Shape, other: Shape) -> Iterator[Fault]:
    """How peers of a release and of another side disagree on the bytes of one version."""
    if release == other:
        return
    for place, what in _carried(release, other, losing=True):
        yield Fault(True, place, what)
    for place, what in _carried(other, release, losing=False):
        yield Fault(False, place, what)


def _carried(writer: Shape, reader: Shape, *, losing: bool) -> Iterator[tuple[Place, str]]:
    """What goes wrong with messages of a writer; with `losing`, tags that the reader does not know count."""
    for number, sent in enumerate(probes(writer, reader)):
        try:
            # A writer may send a default, too: of what it can leave out, the first message has all.
            read = decode(reader, encode(writer, sent, leaving_out=number > 0))
        except RefusedError as error:
            yield (), str(error)
        else:
            yield from _compare(writer, reader, sent, read, (), losing)


Line = Sequence[tuple[Slot, Value]]
Lines = tuple[Line, Line]


def _compare(
    writer: Shape, reader: Shape, sent: Value, read: Value, place: Place, losing: bool
) -> Iterator[tuple[Place, str]]:
    if sent == read and writer == reader:
        return
    sides = _in_sequence((writer, sent), (reader, read))
    if len(sides[0]) != len(sides[1]):
        yield place, "more or fewer fields"
    for index, (first, second) in enumerate(zip(*sides, strict=False)):
        here = (*place, str(index))
        yield from _compare_slot(first[0], second[0], first[1], second[1], here, losing)
    for tag, one in writer.tagged.items():
        inside = (*place, f"tag {tag}")
        if tag in reader.tagged:
            yield from _compare_slot(one, reader.tagged[tag], sent[1][tag], read[1][tag], inside, losing)
        elif losing:
            yield inside, LOST


def _in_sequence(one: tuple[Shape, Value], other: tuple[Shape, Value]) -> Lines:
    """The fields of two structs with their values. If the structs inside them begin elsewhere, but end where
    others do, their fields are in one sequence.
    """
    sides: Lines = [*_line(*one, spread=False)], [*_line(*other, spread=False)]
    if _kinds(sides[0]) != _kinds(sides[1]):
        lines: Lines = [*_line(*one)], [*_line(*other)]
        ends = [[slot.kind == END for slot, _ in line] for line in lines]
        if ends[0] == ends[1] and (len(sides[0]) != len(sides[1]) or _kinds(lines[0]) == _kinds(lines[1])):
            return lines
    return sides


def _kinds(line: Line) -> list[tuple[str, bool]]:
    """What the fields of a sequence hold."""
    return [(slot.kind, slot.array) for slot, _ in line]


def _line(
    fields: Shape, value: Value, above: Place = (), *, spread: bool = True
) -> Iterator[tuple[Slot, Value]]:
    """The fields of a struct and of those that it holds, with their values in the order of the wire; the
    tagged section of each stands at its end. Without a value, all are None.
    """
    for slot, item in zip(fields.fields, repeat(None) if value is None else value[0], strict=False):
        inside = slot.inside
        here = slot._replace(path=above + slot.path) if above else slot
        plain = spread and slot.kind == "struct" and not slot.array and not slot.nullable
        if plain and inside is not None and inside.section:
            yield from _line(inside, item, here.path)
            tags = None if item is None else ((), item[1])
            yield here._replace(kind=END, inside=inside._replace(fields=())), tags
        else:
            yield here, item


def _compare_slot(
    writer: Slot, reader: Slot, sent: Value, read: Value, place: Place, losing: bool
) -> Iterator[tuple[Place, str]]:
    if (writer.kind, writer.array) != (reader.kind, reader.array):
        yield place, "another type"
    elif sent is None or read is None:
        if sent is not read:
            yield place, "null for a value, or the reverse"
    elif writer.inside is not None and reader.inside is not None:
        if writer.array and len(sent) != len(read):
            yield place, "more or fewer elements"
        elements = zip(sent, read, strict=False) if writer.array else ((sent, read),)
        for one, other in elements:
            yield from _compare(writer.inside, reader.inside, one, other, place, losing)
    elif sent != read:
        yield place, "another value"


def _moved(release: Shape, other: Shape, place: Place) -> Iterator[Fault]:
    """The fields that both sides name and have at another place: each takes them for a neighbour."""
    before, after = (
        {str(number): slot for number, (slot, _) in enumerate(line)} | _tagged_places(side)
        for line, side in zip(_in_sequence((release, None), (other, None)), (release, other), strict=True)
    )
    was, now = _named(before), _named(after)
    for key, slot in after.items():
        starts = [slot.path[:length] for length in range(1, len(slot.path) + 1)]
        there = [(was[start], now[start]) for start in starts if start in was]
        if slot.path and slot.path not in was:
            there += _regrouped(slot, before, after, was, now)
        for first, second in there:
            # What has a new tag, and whose old one is left out, is lost; that is a fault by itself.
            if not first & second and (key in before or first & after.keys()):
                yield Fault(True, (*place, key), f"{slot.name} has moved")
                break
        inside = before[key].inside if key in before else None
        if inside is not None and slot.inside is not None:
            yield from _moved(inside, slot.inside, (*place, key))


def _regrouped(
    slot: Slot, before: dict[str, Slot], after: dict[str, Slot], was: Places, now: Places
) -> Iterator[tuple[set[str], set[str]]]:
    """The places of a field that came out of a group, or into one, by its own name."""
    there = {
        place
        for place, other in before.items()
        if other.name == slot.name
        and other.path not in now
        and (_outside(slot.path[:-1], was) or _outside(other.path[:-1], now))
    }
    if there:
        yield (
            there,
            {place for place, other in after.items() if other.name == slot.name and other.path not in was},
        )


def _outside(group: Place, known: Places) -> bool:
    return bool(group) and group not in known


def _named(slots: dict[str, Slot]) -> Places:
    """The places of each field and of each struct that leaves no byte."""
    found: Places = {}
    for key, slot in slots.items():
        for length in range(1, len(slot.path) + 1):
            found.setdefault(slot.path[:length], set()).add(key)
    return found


def _places(fields: Shape) -> Iterator[tuple[str, Slot]]:
    for index, slot in enumerate(fields.fields):
        yield str(index), slot
    yield from _tagged_places(fields).items()


def _tagged_places(fields: Shape) -> dict[str, Slot]:
    return {f"tag {tag}": slot for tag, slot in fields.tagged.items()}
