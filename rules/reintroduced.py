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


def reintroduced_tags(pair: MessagePair, added: Sequence[LoneField]) -> Iterable[list[FieldPair]]:
    """The tagged fields among `added` that releases had, by tag or name, each with those, newest first.

    What comes back with another type is another field: of its tag `tag-reused` tells.
    """
    found: dict[int, list[FieldPair]] = {
        part.field.written.order: []
        for part in added
        if part.field.tag is not None and pair.released_messages
        for tag, holders in reserved_tags(pair).get(part.struct.declared[1], {}).items()
        for holder in holders
        if holder.type == part.field.type and (tag == part.field.tag or holder.name == part.field.name)
    }
    for spec in reversed(pair.released_specs) if found else ():
        for part in walk(MessagePair(spec, pair.new, pair.released, only=_frozen(spec))):
            if not isinstance(part, FieldPair) or part.new.written.order not in found:
                continue
            if part.old.tag is not None and part.old.type == part.new.type:
                found[part.new.written.order].append(part)
    return found.values()


def _frozen(message: Message) -> VersionNumbers:
    return frozenset(stable_versions(message.valid_versions, message.latest_version_unstable))
