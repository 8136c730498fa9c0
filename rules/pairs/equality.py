"""How equal two specs of a message are at a version: the same bytes, and each field in the same place."""

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from wirebook.specs.model import Field, Json, Message
from wirebook.specs.problems import InputError
from wirebook.specs.versions import Versions
from wirebook.specs.wire.layout import Layout, LayoutField, layout


class LayoutEquality(NamedTuple):
    """What two specs have in common at a version.

    `bytes` is whether they define the same bytes (None if one has no layout). `old` and `new` are the fields
    of each side, by the order of their nodes, that are surrounded by the same bytes on both sides, if fields
    with the same name have the same place or tag on both.
    """

    bytes: bool | None
    old: frozenset[int] = frozenset()
    new: frozenset[int] = frozenset()


def layout_equality(old: Message, new: Message, version: int) -> LayoutEquality:
    """Compare two specs at a version, ignoring new tags.

    Readers skip unknown tags, so new ones do not change relevant bytes. A tag that the old side has in other
    versions is known, and rejected.
    """
    try:
        before, after = layout(old, version), layout(new, version)
    except InputError:
        return LayoutEquality(None)
    known = after.fields
    alike = _written_alike(before.fields, known)
    if not alike:
        known = _without_new_tags(old, old.fields, before.fields, known)
        alike = _written_alike(before.fields, known)
    if alike and before.flexible is after.flexible:
        return LayoutEquality(True, *(frozenset(_nodes(fields)) for fields in (before.fields, known)))
    before, after = _signed_layout(before), _signed_layout(after)
    kept = after._replace(fields=_without_new_tags(old, old.fields, before.fields, after.fields))
    same = before.grammar == kept.grammar
    if before.flexible is not after.flexible:
        return LayoutEquality(same)
    places = _Places(before)
    places.compare(before.fields, after.fields, absent=False)
    return LayoutEquality(same, *(frozenset(places.alike[n] - places.unlike[n]) for n in (0, 1)))


def same_bytes(old: Message, new: Message, version: int) -> bool | None:
    """Whether two specs define the same bytes at a version, ignoring new tags; None if one has no layout."""
    return layout_equality(old, new, version).bytes


def put_back(release: Message, old: Message, new: Message, version: int) -> bool:
    """Whether the new side restores a version as a release had it, unlike the old side.

    It must have the same bytes, and must not have moved fields that the old side has where the release had
    them.
    """
    if not same_bytes(release, new, version):
        return False
    frames = [layout(side, version) for side in (release, old, new)]
    places = _Places(frames[0])
    if not places.names_moved(frames[1].fields, frames[2].fields):
        return same_bytes(old, new, version) is False
    return not places.names_moved(frames[0].fields, frames[2].fields)


def bounds(message: Message) -> set[int]:
    """The versions at which a layout of a message may begin to differ from that of the version before."""
    found = {1}  # ControlledShutdown v0 has its own header

    def add(ranges: Iterable[Versions | None]) -> None:
        for part in ranges:
            if part is not None:
                found.add(part.lowest)
                found.add(part.highest + 1)

    def inside(fields: tuple[Field, ...]) -> None:
        for item in fields:
            add((item.versions, item.nullable_versions, item.tagged_versions, item.flexible_versions))
            if item.fields:
                inside(item.fields)

    add((message.valid_versions, message.flexible_versions))
    add(item.versions for item in message.header_versions or ())
    inside(message.fields)
    for struct in message.common_structs:
        inside(struct.fields)
    return found


# A field in the sequence of a struct: its name, below those of enclosing structs without bytes of their own.
_BITS = {"UINT16": 16, "UINT32": 32}
Path = tuple[str, ...]
_Placed = tuple[Path, LayoutField]


class _Places:
    """Compares the fields of each struct of two layouts, by place and by tag.

    Each struct is compared on its own: changes in one struct do not affect the comparison of another.
    """

    def __init__(self, frame: Layout) -> None:
        self.frame = frame
        self.alike: tuple[set[int], set[int]] = (set(), set())
        self.unlike: tuple[set[int], set[int]] = (set(), set())

    def compare(self, old: tuple[LayoutField, ...], new: tuple[LayoutField, ...], *, absent: bool) -> None:
        """Compare the fields of one struct, and of the corresponding structs inside it.

        `absent` is whether the struct is tagged, or is inside one that is: if it is not sent, it reads as its
        defaults.
        """
        first, second = ([*self.in_line(fields)] for fields in (old, new))
        same = self.same_line(first, second)
        found = [{*self.nodes(fields)} for fields in (old, new)]
        if not same and self.frame.flexible:
            # A struct may end where another one did, around more or fewer fields.
            spread = _spread(old), _spread(new)
            same = self.same_line(*spread)
            if same:
                first, second = spread
                found = [{*_on_paths(line, fields)} for line, fields in zip(spread, (old, new), strict=True)]
        for side, orders in enumerate(found):
            (self.alike if same else self.unlike)[side].update(orders)
        # If other fields replace one whose name goes on under a tag, it has moved.
        tagged_names = {item.name for item in new if item.tag is not None} - {path[0] for path, _ in second}
        self.unlike[0].update(
            item.field.written.order for item in old if item.tag is None and item.name in tagged_names
        )
        if same:
            pairs = []
            for (path, before), (other, after) in zip(first, second, strict=True):
                pairs.append((before, after))
                # No rule matches fields that moved into or out of a group, nor their contents.
                shifted = path != other and self.names_moved(before.fields or (), after.fields or ())
                if shifted or (absent and before.default != after.default):
                    self.unlike[0].update(_along(path, old))
                    self.unlike[1].update(_along(other, new))
        else:
            named, there = dict(first), {path for path, _ in second}
            pairs = [(named[path], item) for path, item in second if path in named]
            # A shared struct may be equal elsewhere.
            for side, line, others in ((0, first, there), (1, second, named)):
                left = (item.fields or () for path, item in line if path not in others)
                self.unlike[side].update(order for fields in left for order in _nodes(fields))
        tags = {item.tag: item for item in old if item.tag is not None}
        tagged = [(tags[item.tag], item) for item in new if item.tag in tags]
        # A shared struct may lose a tag here, and keep it elsewhere.
        self.unlike[0].update(_nodes(tags[tag] for tag in tags.keys() - {item.tag for item in new}))
        for before, after in tagged:
            kept = self.same_tag(before, after, old, new)
            for side, item in enumerate((before, after)):
                (self.alike if kept else self.unlike)[side].add(item.field.written.order)
        for before, after in pairs + tagged:
            if before.fields is None or after.fields is None:
                if same:
                    # An array of numbers may have exactly the bytes of an array of structs.
                    self.alike[0].update(_nodes(before.fields or ()))
                    self.alike[1].update(_nodes(after.fields or ()))
                continue
            # A struct that is empty in the version has bytes, too, if it has a marker.
            if (before.element is None) is (after.element is None):
                # An absent object that reads as null has no fields.
                is_object = before.element is None and None not in (before.default, after.default)
                inside = is_object and (absent or before.tag is not None)
                self.compare(before.fields, after.fields, absent=inside)

    def names_moved(self, old: tuple[LayoutField, ...], new: tuple[LayoutField, ...]) -> bool:
        """Whether a field of two structs, or of structs inside them, has another place or tag than before."""
        lines = [[*self.in_line(fields)] for fields in (old, new)]
        tags = [{item.tag: item for item in fields if item.tag is not None} for fields in (old, new)]
        names = [{item.name: tag for tag, item in side.items()} for side in tags]
        plain = [{name for path, _ in line for name in path[:1]} for line in lines]
        if (
            _moved(*([path for path, _ in line] for line in lines))
            or any(names[1].get(name, tag) != tag for name, tag in names[0].items())
            or not plain[0].isdisjoint(names[1])
            or not plain[1].isdisjoint(names[0])
        ):
            return True
        pairs = [(before, after) for (_, before), (_, after) in zip(*lines, strict=False)]
        pairs += [(item, tags[1][tag]) for tag, item in tags[0].items() if tag in tags[1]]
        return any(
            before.fields and after.fields and self.names_moved(before.fields, after.fields)
            for before, after in pairs
        )

    def in_line(self, fields: tuple[LayoutField, ...], above: Path = ()) -> Iterator[_Placed]:
        """The untagged fields in wire order; a struct without bytes of its own is replaced by its fields."""
        for item in fields:
            path = (*above, item.name)
            if item.tag is None and self.is_plain(item):
                yield from self.in_line(item.fields or (), path)
            elif item.tag is None:
                yield path, item

    def nodes(self, fields: tuple[LayoutField, ...]) -> Iterator[int]:
        """These fields, and the enclosing structs without bytes of their own."""
        for item in fields:
            if item.tag is None:
                yield item.field.written.order
                if self.is_plain(item):
                    yield from self.nodes(item.fields or ())

    def is_plain(self, item: LayoutField) -> bool:
        """Whether a struct has no bytes of its own."""
        return item.type == "STRUCT" and not self.frame.flexible

    def same_tag(
        self,
        before: LayoutField,
        after: LayoutField,
        old: tuple[LayoutField, ...],
        new: tuple[LayoutField, ...],
    ) -> bool:
        """Whether two fields with one tag have the same bytes, and neither has another field's name."""
        moved = before.name != after.name and (
            any(item.name == after.name for item in old) or any(item.name == before.name for item in new)
        )
        return not moved and self.same_step(((before.name,), before), ((after.name,), after))

    def same_line(self, old: list[_Placed], new: list[_Placed]) -> bool:
        """Whether untagged fields have the same bytes, and no field that both sides name has moved."""
        paths = [[path for path, _ in side] for side in (old, new)]
        return (
            len(old) == len(new)
            and all(map(self.same_step, old, new))
            and (paths[0] == paths[1] or not _moved(*paths))
        )

    def same_step(self, old: _Placed, new: _Placed) -> bool:
        """Whether two fields have the same bytes; a struct that keeps its name is compared on its own."""
        (path, before), (other, after) = old, new
        if path == other and before.fields is not None and after.fields is not None:
            sides = [(item.type, item.element, item.nullable) for item in (before, after)]
            return sides[0] == sides[1]
        if _field_alike(before, after):
            return True
        kept = _without_new_tags(self.frame.message, (before.field,), (before,), (after,))
        return self.frame._replace(fields=(before,)).grammar == self.frame._replace(fields=kept).grammar


def _spread(fields: tuple[LayoutField, ...], above: Path = ()) -> list[_Placed]:
    """The untagged fields in wire order, with the fields of structs in their place.

    At the end of each stands a struct of its tagged fields only, for the tagged section.
    """
    found: list[_Placed] = []
    for item in fields:
        path = (*above, item.name)
        if item.tag is None and item.type == "STRUCT":
            found += _spread(item.fields or (), path)
            item = _section(item)
        if item.tag is None:
            found.append((path, item))
    return found


def _section(item: LayoutField) -> LayoutField:
    """A struct of only the tagged fields of one."""
    return item._replace(fields=tuple(inner for inner in item.fields or () if inner.tag is not None))


def _written_alike(old: tuple[LayoutField, ...], new: tuple[LayoutField, ...]) -> bool:
    """Whether two structs have the same fields in the same order, by name and everything that affects their
    bytes.

    This holds for most structs of a changed message.
    """
    return len(old) == len(new) and all(map(_field_alike, old, new))


def _field_alike(old: LayoutField, new: LayoutField) -> bool:
    return (
        (old.name, old.type, old.element, old.nullable, old.tag)
        == (new.name, new.type, new.element, new.nullable, new.tag)
        and old.default == new.default
        and old.default.__class__ is new.default.__class__
        and (
            old.fields is new.fields
            if old.fields is None or new.fields is None
            else _written_alike(old.fields, new.fields)
        )
    )


def _nodes(fields: Iterable[LayoutField]) -> Iterator[int]:
    """The fields, by the order of their nodes, at every depth."""
    for item in fields:
        yield item.field.written.order
        if item.fields:
            yield from _nodes(item.fields)


def _along(path: Path, fields: Iterable[LayoutField]) -> Iterator[int]:
    """The fields on a path, by the order of their nodes."""
    for name in path:
        for item in [item for item in fields if item.name == name]:
            yield item.field.written.order
            fields = item.fields or ()


def _on_paths(line: Iterable[_Placed], fields: tuple[LayoutField, ...]) -> Iterator[int]:
    """The untagged fields of a struct, and those inside them that a sequence has."""
    for path, _ in line:
        yield from _along(path, [item for item in fields if item.tag is None])


def _moved(old: list[Path], new: list[Path]) -> bool:
    """Whether a field, or a struct without bytes of its own, has none of its former places."""
    old_places, new_places = _places(old), _places(new)
    if any(old_places[path].isdisjoint(new_places[path]) for path in old_places.keys() & new_places.keys()):
        return True
    # A field that a struct now encloses, or no longer encloses, is identified by its own name.
    regrouped: set[str] = set()
    named: tuple[dict[str, set[int]], dict[str, set[int]]] = ({}, {})
    for side, (paths, other) in enumerate(((old, new_places), (new, old_places))):
        for place, path in enumerate(paths):
            if path not in other:
                named[side].setdefault(path[-1], set()).add(place)
                if len(path) > 1 and path[:-1] not in other:
                    regrouped.add(path[-1])
    return any(
        named[0][name].isdisjoint(named[1][name]) for name in regrouped & named[0].keys() & named[1].keys()
    )


def _places(paths: list[Path]) -> dict[Path, set[int]]:
    """The places of each field, and of each enclosing struct."""
    found: dict[Path, set[int]] = {}
    for place, path in enumerate(paths):
        for length in range(1, len(path) + 1):
            found.setdefault(path[:length], set()).add(place)
    return found


def _signed_layout(frame: Layout) -> Layout:
    return frame._replace(fields=_signed(frame.fields))


def _signed(fields: tuple[LayoutField, ...]) -> tuple[LayoutField, ...]:
    """The fields with signed numbers in place of unsigned ones, at every depth: their bytes are the same."""
    signed: list[LayoutField] = []
    for item in fields:
        if item.fields:
            item = item._replace(fields=_signed(item.fields))
        elif item.type in _BITS:
            item = item._replace(type=item.type[1:], default=_signed_number(item.default, _BITS[item.type]))
        elif item.element in _BITS:
            item = item._replace(element=item.element[1:])
        signed.append(item)
    return tuple(signed)


def _signed_number(value: Json, bits: int) -> Json:
    return value - (1 << bits) if isinstance(value, int) and value >= 1 << (bits - 1) else value


def _without_new_tags(
    message: Message, declared: tuple[Field, ...], old: tuple[LayoutField, ...], new: tuple[LayoutField, ...]
) -> tuple[LayoutField, ...]:
    """The new fields except tagged ones whose tag the old side does not know, at every depth.

    `declared` are the fields of the struct on the old side in all versions. A struct may begin elsewhere with
    the same bytes: its tagged section is that of the one that ends there.
    """
    known = {item.tag for item in declared}
    tags = {item.tag: item for item in old if item.tag is not None}
    line = iter(_spread(old))

    def kept(item: LayoutField, partner: LayoutField | None) -> LayoutField:
        if item.fields is None or partner is None or partner.fields is None:
            return item
        inside = message.fields_of(partner.field) or ()
        return item._replace(fields=_without_new_tags(message, inside, partner.fields, item.fields))

    def untagged(fields: tuple[LayoutField, ...]) -> Iterator[LayoutField]:
        for item in fields:
            if item.tag is None:
                plain: tuple[LayoutField, ...] = ()
                if item.type == "STRUCT":
                    plain, item = (*untagged(item.fields or ()),), _section(item)
                item = kept(item, next(line, ((), None))[1])
                yield item._replace(fields=plain + (item.fields or ())) if plain else item

    tagged = (kept(item, tags.get(item.tag)) for item in new if item.tag is not None and item.tag in known)
    return (*untagged(new), *tagged)
