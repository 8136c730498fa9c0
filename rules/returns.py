"""What comes back after it was taken away: a pair with the newest release that had it, for rules to judge.

Old and new side tell nothing of it, for the old side is without it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

from rules.pairs import FieldPair, LoneField, MessagePair, VersionSet, walk
from rules.released import stable_versions
from specs.model import Message


def regained(
    old: Message | None, new: Message, released: Mapping[int, str], elders: Callable[[], Sequence[Message]]
) -> Iterator[MessagePair]:
    """The released versions that only the new side has, each paired with the newest release that had it.

    `elders` hands out the released specs of the message, oldest first; they are asked for only where needed.
    """
    left = {
        version
        for version in released
        if version in new.valid_versions and (old is None or version not in old.valid_versions)
    }
    for elder in reversed(elders()) if left else ():
        versions = _frozen(elder) & left
        if versions:
            left -= versions
            yield MessagePair(elder, new, released, only=versions)


def regained_tags(pair: MessagePair, added: Sequence[LoneField]) -> Iterator[tuple[Message, FieldPair]]:
    """The tagged fields among `added` that a release had under their tag, with what that release says.

    A tag that comes back with another type is `tag-reused`'s.
    """
    wanted = {
        id(part.field)
        for part in added
        for elder in pair.retired
        if part.field.tag is not None
        and (holder := elder.tags.get(part.struct.path, {}).get(part.field.tag)) is not None
        and holder.type == part.field.type
    }
    for elder in reversed(pair.elders) if wanted else ():
        for part in walk(MessagePair(elder, pair.new, pair.released, only=_frozen(elder))):
            if isinstance(part, FieldPair) and id(part.new) in wanted and part.old.tag == part.new.tag:
                wanted.discard(id(part.new))
                yield elder, part


def _frozen(message: Message) -> VersionSet:
    return frozenset(stable_versions(message.valid_versions, message.latest_version_unstable))
