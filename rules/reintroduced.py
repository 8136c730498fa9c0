"""Pairs reintroduced versions and fields with the releases that had them, for rules to judge.

The old and the new side do not show this, because the old side lacks them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from wirebook.rules.fields.default_changed import same_default
from wirebook.rules.fields.type_changed import types_alike
from wirebook.rules.pairs.kinds import FieldPair, LoneField, MessagePair, VersionNumbers
from wirebook.rules.pairs.lineage import reserved_tags, successors
from wirebook.rules.pairs.walk import walk, walk_fields
from wirebook.rules.released import ReleasedSpec, stable_versions
from wirebook.specs.model import Field, Message

# What determines the bytes of a tagged field, besides its type.
_ON_WIRE = ("tag", "present", "tagged_versions", "nullable_versions", "flexible_versions", "default")


def reintroduced_versions(
    old: Message | None,
    new: Message,
    released: Mapping[int, str],
    specs: Callable[[], Sequence[ReleasedSpec]],
) -> Iterator[list[MessagePair]]:
    """The released versions that only the new side has, paired with each release that had them, newest first.

    `specs` returns the released specs of the message, oldest first; it is called only if needed.
    """
    left = [
        version
        for version in sorted(released)
        if version in new.valid_versions and (old is None or version not in old.valid_versions)
    ]
    known = [(spec.message, _frozen(spec.message)) for spec in reversed(specs())] if left else []
    groups: dict[tuple[int, ...], set[int]] = {}
    for version in left:
        having = tuple(number for number, (_, versions) in enumerate(known) if version in versions)
        groups.setdefault(having, set()).add(version)
    for having, versions in groups.items():
        yield [MessagePair(known[n][0], new, released, only=frozenset(versions)) for n in having]


def reintroduced_fields(
    pair: MessagePair, parts: Iterable[LoneField | FieldPair]
) -> Iterable[list[FieldPair]]:
    """The fields among `parts` that releases had and the old side lacks, each paired with these, newest
    first.

    Tagged fields are matched by tag or name. Untagged ones, also inside structs, count if their default
    differs, which no layout of a version without them shows; so do fields that get the name of a released
    one, and renamed ones that take the place of a field that the old side has elsewhere. A field that is
    reintroduced with another type is another field: `tag-reused` reports its tag.
    """
    parts = list(parts)
    added = [part for part in parts if _is_new(part)]
    defaults: set[int] = set()
    if added:
        fresh = {id(part) for part in added}
        # A shared struct may be new in one place, but not in another.
        known = {
            _new(part).written.order
            for part in parts
            if isinstance(part, FieldPair) and id(part) not in fresh
        }
        added = [part for part in added if _new(part).written.order not in known]
        # A field that moved with its default was changed before, if at all.
        kept = {item.path for item in walk_fields(pair.new)}
        moved = {_outline(item.field) for item in walk_fields(pair.old) if item.path not in kept}
        for back in added:
            released = back.struct.new_versions & pair.released.keys()
            for item in _with_inner(pair.new, _new(back), released, known):
                if _outline(item) not in moved:
                    defaults.add(item.written.order)
        added = [part for part in added if _outline(_new(part)) not in moved]
    named, renamed = _named_as_released(pair, parts), _renamed(pair, parts)
    if pair.texts is None or not (defaults or named or renamed):
        return []
    found: dict[int, list[FieldPair]] = {
        part.field.written.order: []
        for part in added
        if isinstance(part, LoneField) and part.field.tag is not None and pair.released_messages
        for tag, holders in reserved_tags(pair).get(part.struct.declared[1], {}).items()
        for holder in holders
        if types_alike(holder.type, part.field.type)
        and (tag == part.field.tag or holder.name == part.field.name)
    }
    for spec in reversed(pair.released_specs):
        for part in walk(MessagePair(spec, pair.new, pair.released, only=_frozen(spec))):
            if not isinstance(part, FieldPair) or not types_alike(part.old.type, part.new.type):
                continue
            order = part.new.written.order
            if part.old.tag is not None and order in found:
                found[order].append(_there(part))
            elif (order in defaults or order in named or order in renamed) and not _has_default(pair, part):
                named_alike = part.old.name == part.new.name
                there_alike = order in defaults and part.old.tag is None and part.before == part.after
                named_again = named_alike and part.both and (order in defaults or order in named)
                if named_alike and there_alike:
                    found.setdefault(order, []).append(part)
                elif there_alike or named_again or _was_elsewhere(pair, part, renamed.get(order, ())):
                    found.setdefault(order, []).append(_absent(part))
    return found.values()


def _named_as_released(pair: MessagePair, parts: Iterable[LoneField | FieldPair]) -> set[int]:
    """The fields that get a name which releases had and the old side lacks: where they are absent, readers
    mistake them for those of the releases.
    """
    renamed = [part for part in parts if isinstance(part, FieldPair) and part.old.name != part.new.name]
    if pair.texts is None or not renamed:
        return set()
    had = {item.path for item in walk_fields(pair.old)}
    names = {item.field.name for spec in pair.released_specs for item in walk_fields(spec)}
    return {part.new.written.order for part in renamed if part.new.name in names and part.path not in had}


def _renamed(pair: MessagePair, parts: Iterable[LoneField | FieldPair]) -> dict[int, list[FieldPair]]:
    """The fields that have another name than on the old side in a released version, and those inside them,
    each with its pairs.
    """
    known: set[int] = set()
    found: dict[int, list[FieldPair]] = {
        item.written.order: []
        for part in parts
        if isinstance(part, FieldPair) and part.old.name != part.new.name
        for item in _with_inner(pair.new, part.new, part.after & pair.released.keys(), known)
    }
    for part in parts if found else ():
        if isinstance(part, FieldPair) and part.new.written.order in found:
            found[part.new.written.order].append(part)
    return found


def _was_elsewhere(pair: MessagePair, released: FieldPair, parts: Sequence[FieldPair]) -> bool:
    """Whether a field of a release became another one of the old side than the new field in its place.

    `parts` pair that one with the old side. A further field of the old side may have its name and default
    already.
    """
    had = {item.written.order for item in successors(pair, released.old)}
    if not had or not parts or any(part.old.written.order in had for part in parts):
        return False
    names = (released.old.name, released.new.name)
    others = ((part.old, old) for part in parts for old, _ in part.struct.pairs if old is not None)
    return not any(
        old is not matched and old.name in names and same_default(old, released.new)
        for matched, old in others
    )


def _is_new(part: LoneField | FieldPair) -> bool:
    """Whether no field of the old side corresponds to the part: none at all, none in a valid version, or one
    of other bytes.
    """
    if isinstance(part, LoneField):
        return not part.gone and not _only_renamed(part)
    old, new = part.old, part.new
    if not part.both:
        return True
    # The name of a struct is not on the wire.
    return not (types_alike(old.type, new.type) or old.is_struct_like(new))


def _only_renamed(part: LoneField) -> bool:
    """Whether the old side has the tag in the same versions, with the same bytes and default.

    If its field and another one trade names, the matcher follows the names. A struct is excluded: its fields
    may have changed.
    """
    item = part.field
    if item.tag is None or item.is_struct:
        return False
    return any(
        types_alike(old.type, item.type) and all(getattr(old, key) == getattr(item, key) for key in _ON_WIRE)
        for old, _ in part.struct.pairs
        if old is not None
    )


def _outline(field: Field) -> tuple[str, str, object]:
    return (field.name, field.type, field.default)


def _new(part: LoneField | FieldPair) -> Field:
    return part.field if isinstance(part, LoneField) else part.new


def _with_inner(message: Message, field: Field, versions: VersionNumbers, known: set[int]) -> Iterator[Field]:
    """A field, if it is tagged or present in one of some versions, and the fields of its structs there.

    Those of `known` structs, by the order of their fields, are left out; `known` gets the others.
    """
    there = frozenset(version for version in versions if version in field.present)
    if there or field.tag is not None:
        yield field
    for item in message.fields_of(field) or () if there else ():
        if item.written.order not in known:
            known.add(item.written.order)
            yield from _with_inner(message, item, there, known)


def _there(part: FieldPair) -> FieldPair:
    """A pair without the versions in which only the release has the field: the old side already lacks it
    there.
    """
    lost = part.before - part.after
    return FieldPair(replace(part.struct, versions=part.struct.versions - lost), part.old, part.new)


def _absent(part: FieldPair) -> FieldPair:
    """A pair without the versions that have it, in which the old side may have changed it: where it is
    absent, a field is read as its default under any name.
    """
    return FieldPair(replace(part.struct, versions=frozenset()), part.old, part.new)


def _has_default(pair: MessagePair, part: FieldPair) -> bool:
    """Whether a field has the default of the release, or the old side has the new default already, under
    another name.
    """
    had = successors(pair, part.old)
    return any(same_default(item, part.new) for item in (part.old, *had))


def _frozen(message: Message) -> VersionNumbers:
    return frozenset(stable_versions(message.valid_versions, message.latest_version_unstable))
