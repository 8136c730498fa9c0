"""What a patch breaks, by nothing but the definition.

Two specs agree at a version of a message if everything that a writer of the one writes is read by
the other without an error, with equal values in every field that both have, and the reverse. A
patch breaks a version for the peers of the newest release that serves it if the new side disagrees
with it where the old side did not.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

from tests.prove.absence import Absent, absent_fields
from tests.prove.codec import RefusedError, Value, decode, encode
from tests.prove.probes import probes
from tests.prove.shapes import (
    END,
    EVERY,
    WIDTHS,
    Names,
    Place,
    Range,
    Shape,
    Shapes,
    Slot,
    Spec,
    element,
    fields_inside,
    is_array,
    layout,
    places,
    present,
    range_of,
    shape,
    stable,
    valid,
)

ANOTHER = frozenset(("message-deleted", "api-key-changed", "message-type-changed"))
REUSED = frozenset(("tag-reused",))
RETAGGED = frozenset(("tag-changed", "tagging-changed"))

MISREAD = "bytes are taken for others"
VALUE = "another type of the same bytes"
NULL = "a null is refused"
DEFAULT = "another default"
REFUSED = "a tag is refused"
LOST = "a tag is skipped by who has its field"
MOVED = "a name is elsewhere"
HEADER = "another header"
ABSENT = "another value where absent"
OTHER_STRUCT = "a tag of a struct with another name"
UNSEEN = "behind a place that the release misreads already"


class Way(NamedTuple):
    """How two peers disagree, and where, in the places of the first one. `forward`: the first one
    writes."""

    place: Place
    what: str
    forward: bool = True


class Break(NamedTuple):
    """What breaks in a message: in some versions, or, whatever the versions, for one of some rules
    to say.

    Where `fields` has names, a finding is of a field with one of them; the rules of `of_fields` say
    it, too.
    """

    what: str
    versions: frozenset[int]
    rules: frozenset[str] = frozenset()
    fields: frozenset[str] = frozenset()
    of_fields: frozenset[str] = frozenset()


class Unsure(NamedTuple):
    """Where the definition does not decide: some versions, or a rule."""

    why: str
    versions: frozenset[int]
    rules: frozenset[str] = frozenset()


class Truth(NamedTuple):
    """What is true of one message of a patch."""

    breaks: tuple[Break, ...]
    unsure: tuple[Unsure, ...]


def truth(old: Spec, new: Spec, releases: Sequence[Spec]) -> Truth:
    """What a patch from `old` to `new` breaks for peers of some releases of one message."""
    if _identity(old) != _identity(new):
        numbers = {version for release in releases for version in stable(release).numbers}
        served = {version for version in numbers if version in valid(old)}
        back = {version for version in numbers if version in valid(new)} - served
        another = Break("peers take it for another message", frozenset(served), ANOTHER)
        return Truth(
            (another,) if served else (),
            (Unsure("another message comes back", frozenset(back), REUSED),),
        )
    found: list[Break | Unsure] = []
    shaped = Shapes()
    for version in valid(new).numbers:
        had = version in valid(old)
        newest = next((each for each in reversed(releases) if version in stable(each)), None)
        if newest is not None:
            peers = _Peers(
                newest,
                ways(newest, old, version, shaped) if had else set(),
                ways(newest, new, version, shaped),
                [*absent_fields(newest, new, version, shaped)],
            )
            found += _at(peers, old, new, version, shaped)
    found += _reused(old, new, releases)
    return Truth(
        tuple(dict.fromkeys(item for item in found if isinstance(item, Break))),
        tuple(dict.fromkeys(item for item in found if isinstance(item, Unsure))),
    )


def _identity(message: Spec) -> tuple[str, object]:
    """What a header says of a message; what goes without a header has none."""
    return (message["type"], message["apiKey"]) if "apiKey" in message else ("", "")


class _Peers(NamedTuple):
    """The peers of a release in a version: how they disagree with the old side, and with the new
    one, and the fields that neither they nor the new side carry.
    """

    release: Spec
    known: set[Way]
    after: set[Way]
    absent: list[Absent]


def _at(
    peers: _Peers, old: Spec, new: Spec, version: int, shaped: Shapes
) -> Iterator[Break | Unsure]:
    """What the patch breaks in a version for the peers of a release."""
    here = frozenset((version,))
    release, known, after, absent = peers
    brought = sorted(after - known, key=str)
    changes = version not in valid(old) or ways(old, new, version, shaped)
    is_misread = any(way.what in (MISREAD, MOVED) for way in known)
    for way in () if is_misread else brought:
        if not any(_hidden(way, other) for other in known):
            who = "by new readers of old bytes" if way.forward else "by old readers of new bytes"
            yield Break(f"{way.what} at {'.'.join(map(str, way.place)) or 'the top'} {who}", here)
            return
    # Where these peers misread the old side, no byte shows them what else the patch changes there,
    # nor what of it the patch restores.
    if after and is_misread and (changes or brought):
        yield Unsure(UNSEEN, here)
    if not absent:
        return
    had = absent_fields(release, old, version, shaped) if version in valid(old) else ()
    was_absent = {item.names: item.unsure for item in had}
    for item in absent:
        was = was_absent.get(item.names)
        if was == "":
            continue
        if was or item.unsure:
            yield Unsure(item.unsure or "a default that was unsure", here)
        else:
            yield Break(f"{ABSENT} at {'.'.join(map(str, item.names))}", here)
            return


def _hidden(way: Way, other: Way) -> bool:
    """Whether a way is where another one has misread, in the item or behind it: there, bytes have
    no place. The place that a name has in the release does not hide that it is in another one, too.
    """
    is_at = way.place == other.place and way.what != MOVED
    is_in = len(way.place) > len(other.place) and way.place[: len(other.place)] == other.place
    return (other.what == MISREAD and (is_at or is_in)) or _behind(way, other)


def _behind(way: Way, other: Way) -> bool:
    """Whether a way is behind what another one has misread: there, bytes have no place any more."""
    *sequence, index = other.place
    if (
        other.what != MISREAD
        or way.place[: len(sequence)] != tuple(sequence)
        or len(way.place) <= len(sequence)
    ):
        return False
    at = way.place[len(sequence)]
    return isinstance(at, int) and isinstance(index, int) and at > index


def ways(
    release: Spec, other: Spec, version: int, shaped: Callable[[Spec, int], Shape] = shape
) -> set[Way]:
    """How peers of two specs disagree in a version; `shaped` is where their shapes are from."""
    found = set(_of_shapes(shaped(release, version), shaped(other, version)))
    # The headers of flexible versions have a tagged section; what is data has none.
    flexible = [version in range_of(side, "flexibleVersions") for side in (release, other)]
    if flexible[0] != flexible[1] and release["type"] in ("request", "response"):
        found |= set(_both((), HEADER))
    return found


@lru_cache(maxsize=256)  # the specs of a case have the same shapes over and over
def _of_shapes(one: Shape, two: Shape) -> frozenset[Way]:
    """How peers of two shapes disagree. That they do is for the codec to say, where for both."""
    if one == two:
        return frozenset()
    every = set(_ways(one, two, ()))
    found = frozenset(way for way in every if not any(_behind(way, other) for other in every))
    for forward, writer, reader in ((True, one, two), (False, two, one)):
        agree = not any(way.forward is forward and way.what != MOVED for way in found)
        assert agree == _reads(writer, reader), (writer, reader, found)
    return found


def _reads(writer: Shape, reader: Shape) -> bool:
    """Whether a reader understands everything of a writer, which may send a default or leave it
    out.

    Items that both begin with are written and read alike, whatever their values: they show nothing.
    """
    unlike = (at for at, (one, two) in enumerate(zip(writer, reader, strict=False)) if one != two)
    at = next(unlike, min(len(writer), len(reader)))
    writer, reader = writer[at:], reader[at:]
    try:
        for sent in probes(writer, reader):
            body = encode(writer, sent, leaving_out=True)
            if not _equal(writer, reader, sent, decode(reader, body)):
                return False
            longer = encode(writer, sent, leaving_out=False)
            if longer != body and not _equal(writer, reader, sent, decode(reader, longer)):
                return False
    except RefusedError:
        return False
    return True


def _equal(writer: Shape, reader: Shape, sent: Value, read: Value) -> bool:
    return len(writer) == len(reader) and all(map(_equal_item, writer, reader, sent, read))


def _equal_item(writer: Slot, reader: Slot, sent: Value, read: Value) -> bool:
    if (writer.kind, writer.array) != (reader.kind, reader.array):
        return False
    if writer.kind == END:
        return all(
            _equal_item(slot, reader.tagged[tag], sent[tag], read[tag])
            if tag in reader.tagged
            else writer.path != reader.path or not _may_be_lost(slot, reader)
            for tag, slot in writer.tagged.items()
        )
    if sent is None or read is None or writer.inside is None or reader.inside is None:
        return bool(sent == read)
    if not writer.array:
        return _equal(writer.inside, reader.inside, sent, read)
    return len(sent) == len(read) and all(
        _equal(writer.inside, reader.inside, one, other)
        for one, other in zip(sent, read, strict=True)
    )


def _ways(one: Shape, other: Shape, place: Place) -> Iterator[Way]:
    """The ways of two sequences, item by item in the order of the wire: the first misread one ends
    them."""
    read = 0
    for index, (was, now) in enumerate(zip(one, other, strict=False)):
        if layout(was) != layout(now):
            break
        read += 1
        if was.kind == END:
            yield from _tags(was, now, (*place, index), was.path == now.path)
        else:
            yield from _items(was, now, (*place, index))
    if read < max(len(one), len(other)):
        yield from _both((*place, read), MISREAD)
    yield from _moved(one, other, place, read)


def _both(place: Place, what: str) -> Iterator[Way]:
    yield Way(place, what, True)
    yield Way(place, what, False)


def _items(one: Slot, other: Slot, here: Place) -> Iterator[Way]:
    """The ways of two items of the same layout."""
    if one.kind != other.kind:
        yield from _both(here, VALUE)
    if one.nullable != other.nullable:
        yield Way(here, NULL, one.nullable)
    if one.inside is not None and other.inside is not None:
        yield from _ways(one.inside, other.inside, (*here, "inside"))


def _tags(one: Slot, other: Slot, here: Place, is_one: bool) -> Iterator[Way]:
    """The ways of the ends of two structs; `is_one` is whether these are one."""
    for tag in sorted(one.tagged.keys() | other.tagged.keys()):
        place = (*here, f"tag {tag}")
        for forward, side, reader in ((True, one, other), (False, other, one)):
            if tag in reader.tagged:
                continue
            if tag in reader.refused:
                yield Way(place, REFUSED, forward)
            elif is_one and _may_be_lost(side.tagged[tag], reader):
                yield Way(place, LOST, forward)
        if tag in one.tagged and tag in other.tagged:
            first, second = one.tagged[tag], other.tagged[tag]
            if layout(first, tagged=True) != layout(second, tagged=True):
                yield from _both(place, MISREAD)
            else:
                yield from _items(first, second, place)
                yield from _defaults(first, second, place)


def _may_be_lost(slot: Slot, reader: Slot) -> bool:
    """Whether a reader that skips a tagged field has the field, and takes it for another value."""
    return slot.name in reader.names and not _has_one_value(slot)


def _has_one_value(slot: Slot) -> bool:
    """Whether an item is a struct without fields in the version, which always reads as {}."""
    inside = slot.tagged.values() if slot.kind == END else slot.inside or ()
    is_struct = slot.kind in (END, "struct") and not slot.array and not slot.nullable
    return is_struct and all(map(_has_one_value, inside))


def _defaults(one: Slot, other: Slot, here: Place) -> Iterator[Way]:
    """The ways of two items that are not sent; in a struct that is not null, item by item."""
    if one.kind == END:
        for tag in one.tagged.keys() & other.tagged.keys():
            yield from _defaults(one.tagged[tag], other.tagged[tag], (*here, f"tag {tag}"))
    elif (
        one.array
        or one.inside is None
        or other.inside is None
        or None in (one.nothing, other.nothing)
    ):
        if one.nothing != other.nothing and comparable(one, other):
            yield from _both(here, DEFAULT)
    else:
        for index, (first, second) in enumerate(zip(one.inside, other.inside, strict=False)):
            if layout(first) != layout(second):
                return
            yield from _defaults(first, second, (*here, "inside", index))


def comparable(one: Slot, other: Slot) -> bool:
    """Whether the values of two items can be equal, as those of two types of integers can."""
    kinds = {_value_kind(one), _value_kind(other)}
    return one.array == other.array and (len(kinds) == 1 or kinds <= WIDTHS.keys())


def _value_kind(slot: Slot) -> str:
    """The kind of the elements of an array, otherwise of the item."""
    element = slot.inside[0] if slot.array and slot.inside else slot
    is_struct = bool(element.path) or element.kind == END
    return "struct" if slot.array and is_struct else element.kind


def _moved(one: Shape, other: Shape, place: Place, read: int) -> Iterator[Way]:
    """The names that both sequences have at different places of the items that are `read`, at that
    of the first one.
    """
    after = {name: _before(at, read) for name, at in places(other).items()}
    for name, at in places(one).items():
        was, now = _before(at, read), after.get(name)
        if was and now and not was & now:
            yield from _both((*place, *min(was, key=str)), MOVED)


def _before(at: set[Place], read: int) -> set[Place]:
    return {(index, *rest) for index, *rest in at if isinstance(index, int) and index < read}


def _reused(old: Spec, new: Spec, releases: Sequence[Spec]) -> Iterator[Break | Unsure]:
    """The tags that a patch gives to fields of another name than releases have them for: KIP-482,
    "tag numbers must never be reused", whatever the bytes say.
    """
    had, now = (_tags_of(side, EVERY, EVERY) for side in (old, new))
    structs_had = {struct for struct, _, _ in had}
    declared_old, declared_now = _declarations(old), _declarations(new)
    declared_had = {(struct, tag, name) for at, tag, name in had for struct in declared_old[at]}
    sent = _tags_of(new, valid(new), valid(new))
    for release in releases:
        held = _tags_of(release, stable(release), EVERY)
        known = _tags_of(release, stable(release), stable(release))
        structs = {struct for struct, _, _ in held}
        types, types_now = (_types_of(side) for side in (release, new))
        declared = _declarations(release)
        for taken in now - had:
            struct, tag, name = taken
            # The struct may be one that the old side has with that field already, under another
            # name.
            is_had = struct not in structs_had and any(
                (number, other) == (tag, name) and _may_be_one(struct, there)
                for there, number, other in had
            )
            for belongs in held:
                there, number, other = belongs
                if number != tag or other == name:
                    continue
                both = declared_now[struct] & declared[there]
                if any((one, tag, name) in declared_had for one in both):
                    # Another field of a common struct that has the tag under this name already.
                    continue
                # One of the two sides may have the struct at the path of another one.
                is_another = (
                    there == struct
                    and types_now[struct] != types[struct]
                    and (types_now[struct] in types.values() or types[struct] in types_now.values())
                )
                if there == struct and (is_had or is_another):
                    yield Unsure(OTHER_STRUCT, frozenset(), REUSED)
                elif there == struct and taken in sent and belongs in known:
                    fields = frozenset((name, other))
                    yield Break(
                        f"tag {tag} belongs to {other} for ever",
                        frozenset(),
                        REUSED,
                        fields,
                        RETAGGED,
                    )
                elif there == struct:
                    yield Unsure("a tag that no version sends", frozenset(), REUSED)
                elif _may_be_one(struct, there) and (
                    struct not in structs or there not in {above for above, _, _ in now}
                ):
                    yield Unsure(OTHER_STRUCT, frozenset(), REUSED)


def _types_of(message: Spec) -> dict[Names, str]:
    """The name of the struct at each path, "" for the message."""
    found: dict[Names, str] = {(): ""}

    def inside(fields: list[Spec], above: Names) -> None:
        for field in fields:
            name = f"{field['name']}[]" if is_array(field) else field["name"]
            found[*above, name] = element(field)
            inside(fields_inside(message, field) or [], (*above, name))

    inside(message["fields"], ())
    return found


def _declarations(message: Spec) -> dict[Names, set[Names]]:
    """Where the structs at each path are declared: below the message, or below a common struct."""
    declared: dict[Names, set[Names]] = {}
    common = {struct["name"] for struct in message.get("commonStructs", ())}

    def inside(fields: list[Spec], above: Names, declaration: Names) -> None:
        declared.setdefault(above, set()).add(declaration)
        for field in fields:
            name = f"{field['name']}[]" if is_array(field) else field["name"]
            own = (
                (f"struct {element(field)}",) if element(field) in common else (*declaration, name)
            )
            inside(fields_inside(message, field) or [], (*above, name), own)

    inside(message["fields"], (), ())
    return declared


def _may_be_one(struct: Names, other: Names) -> bool:
    """Whether a struct can be another one that has got its name: as deep, and an array like it."""
    return len(struct) == len(other) and all(
        one.endswith("[]") == two.endswith("[]") for one, two in zip(struct, other, strict=True)
    )


def _tags_of(message: Spec, versions: Range, around: Range) -> set[tuple[Names, int, str]]:
    """The fields that have a tag in some versions, below structs that some versions `around` them
    have: the names around each, its tag and its name.
    """
    found: set[tuple[Names, int, str]] = set()

    def inside(fields: list[Spec], above: Names, around: Range) -> None:
        for field in fields:
            if not range_of(field, "taggedVersions").meets(versions).meets(around).empty:
                found.add((above, int(field["tag"]), field["name"]))
            below = around if around == EVERY else around.meets(present(field))
            # An array of structs is not the struct that a field of its name was.
            name = f"{field['name']}[]" if is_array(field) else field["name"]
            inside(fields_inside(message, field) or [], (*above, name), below)

    inside(message["fields"], (), around)
    return found
