"""What comes back after it was taken away: paired with the releases that had it, for rules to judge.

Old and new side tell nothing of it, for the old side is without it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from wirebook.rules.pairs.kinds import FieldPair, LoneField, MessagePair, VersionNumbers
from wirebook.rules.pairs.lineage import reserved_tags
from wirebook.rules.pairs.walk import walk
from wirebook.rules.released import ReleasedSpec, stable_versions
from wirebook.specs.model import Message


def reintroduced_versions(
    old: Message | None,
    new: Message,
    released: Mapping[int, str],
    specs: Callable[[], Sequence[ReleasedSpec]],
) -> Iterator[list[MessagePair]]:
    """The released versions that only the new side has, paired with each release that had them, newest first.

    `specs` hands out the released specs of the message, oldest first; they are asked for only where needed.
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


def reintroduced_fields(pair: MessagePair, added: Sequence[LoneField]) -> Iterable[list[FieldPair]]:
    """The fields among `added` that releases had, each with those, newest first: tagged ones by tag or name,
    untagged ones by name, where the default is another, which no layout of a version without them shows.

    What comes back with another type is another field: of its tag `tag-reused` tells.
    """
    defaults = {
        part.field.written.order
        for part in added
        if part.field.tag is not None or part.there & pair.released.keys()
    }
    if pair.texts is None or not defaults:
        return []
    found: dict[int, list[FieldPair]] = {
        part.field.written.order: []
        for part in added
        if part.field.tag is not None and pair.released_messages
        for tag, holders in reserved_tags(pair).get(part.struct.declared[1], {}).items()
        for holder in holders
        if holder.type == part.field.type and (tag == part.field.tag or holder.name == part.field.name)
    }
    for spec in reversed(pair.released_specs):
        for part in walk(MessagePair(spec, pair.new, pair.released, only=_frozen(spec))):
            if not isinstance(part, FieldPair) or part.old.type != part.new.type:
                continue
            order = part.new.written.order
            if part.old.tag is not None and order in found:
                found[order].append(part)
            elif part.old.tag is None and order in defaults and _defaults_differ(part):
                found.setdefault(order, []).append(part)
    return found.values()


def _defaults_differ(part: FieldPair) -> bool:
    """Whether nothing but the default of a field may differ from that of a release, or its tag."""
    return part.before == part.after and part.old.default != part.new.default


def _frozen(message: Message) -> VersionNumbers:
    return frozenset(stable_versions(message.valid_versions, message.latest_version_unstable))
