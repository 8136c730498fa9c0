"""What a patch breaks for the releases: the disagreements that it brings, as edits of the spec.

For each release with a version, the patch breaks the version if the new side disagrees with the release in
a way in which the old side does not. Two disagreements with a release are the same if they are at the same
place of the release's form (the item, the element, or the tag), if the same side writes, and if they are of
the same kind; to be at other bytes after an item is one kind, whatever is read instead. So a patch that
restores part of a version, or that changes what peers of the release misread anyway, brings nothing.

After an item that peers of the old side misread, no place of the release's form is comparable. What the
patch changes there counts by itself (see `rebased`): the patch is made to the release, without what the old
side had changed before, and breaks the version if the result disagrees with the release. So breaking a
version twice is never better than breaking it once. Such a change does not count if the new side agrees with
another release at the version, because restoring one release can require differing from another. For
example, 1.0 has A and B as int32, 2.0 has A as int64 and B as a string, and the old side has A as int64 and B
as int32. A patch that makes B a string restores 2.0. It also moves further away from 1.0, but only after A,
which peers of 1.0 misread anyway, so it breaks nothing.

What a patch restores, what no release has, what was broken before, and what returns after a removal, all
follow from this. The check ignores versions that the new side removes. A version that a release had as
stable stays frozen, even if the new side marks it as unstable. In versions that no release has as stable,
the old side takes the place of the release, and a break is milder (`rules/breaking.py`). Whether a message
keeps its API key and type is decided elsewhere: if not, only bodies are compared. Source: KIP-35.

Besides, a tag belongs to one field permanently (KIP-482): a tagged field under another name is taken for
another field, even with the same bytes, whereas an untagged one is taken for the same field, renamed.
"""

from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

from wirebook.rules.agreement.patch import Comparisons, Patch
from wirebook.rules.agreement.relation import brought
from wirebook.rules.pairs.kinds import VersionNumbers
from wirebook.rules.released import ReleasedSpec
from wirebook.specs.model import Field, Message

if TYPE_CHECKING:
    from wirebook.rules.agreement.breaks import Break, Causes


class Restoration(NamedTuple):
    """Versions in which the new side agrees with releases again, and the first of these releases."""

    versions: VersionNumbers
    releases: tuple[str, ...]


class Judgement(NamedTuple):
    """What a patch does to the versions of a message; in those of `alike`, both sides agree."""

    breaks: tuple["Break", ...]
    restored: Restoration | None
    alike: VersionNumbers


def judgement(
    old: Message | None,
    new: Message,
    releases: Sequence[ReleasedSpec],
    frozen: VersionNumbers,
    comparisons: Comparisons | None = None,
) -> Judgement:
    """What a patch breaks and restores, given the releases of the message, oldest first.

    `frozen` are the versions that are stable in a release, `comparisons` those of other patches of the same
    history. Versions without a layout are left out: rules on single files report them.
    """
    return _VersionJudge(Patch(old, new, releases, frozen, comparisons)).judgement()


class _VersionJudge:
    def __init__(self, patch: Patch) -> None:
        self.patch = patch

    @cached_property
    def causes(self) -> "Causes":
        """The edits that break versions; most patches have none."""
        from wirebook.rules.agreement.breaks import Causes

        return Causes(self.patch)

    def judgement(self) -> Judgement:
        breaks: list[Break] = []
        hidden: list[Break] = []
        restored: set[int] = set()
        alike: set[int] = set()
        restoring: dict[str, None] = {}
        patch, old, new = self.patch, self.patch.old, self.patch.new
        for era in patch.eras():
            if patch.form(new, era) is None:
                breaks += self.causes.unknown(era)
            for release, versions in patch.releases_with(era):
                before = patch.disagreements(release.message, old, era) if patch.old_side_has(era) else ()
                after = patch.disagreements(release.message, new, era)
                changed = brought(before, after)
                if changed:
                    breaks += self.causes.broken(era, versions, release, before, changed)
                elif any(each.is_misread for each in before) and not all(each.is_unsent for each in after):
                    hidden += self.causes.hidden(era, versions, release)
                elif before and not after:
                    restored |= versions
                    restoring.setdefault(release.name)
            if old is None or not patch.old_side_has(era):
                continue
            disagreeing = patch.disagreements(old, new, era)
            loose = frozenset(era.versions) - patch.frozen
            if not disagreeing and patch.form(old, era) and patch.form(new, era):
                alike.update(era.versions)
            elif disagreeing and loose:
                breaks += self.causes.loose(era, loose)
        # What brings back one release may be new to another one, which misread the version anyway.
        breaks += [each for each in hidden if restored.isdisjoint(each.versions)]
        specs = [*(release.message for release in patch.releases), *([] if old is None else [old])]
        if any(map(self._lacks_tags, specs)):
            breaks += self.causes.tags_taken(breaks, self._lacks_tags)
        broken = frozenset(version for each in breaks for version in each.versions)
        back = frozenset(restored) - broken
        restoration = Restoration(back, tuple(restoring)) if back else None
        return Judgement(tuple(breaks), restoration, frozenset(alike))

    def _lacks_tags(self, spec: Message) -> bool:
        """Whether a spec has tags or structs that the new side does not have in the same struct.

        A field that the new side splits by versions may have another struct in some.
        """
        return self._splits_structs or not self._declared.issuperset(_declared(spec))

    @cached_property
    def _splits_structs(self) -> bool:
        holders = [(struct, name) for struct, name, held in self._declared if isinstance(held, str)]
        return len({*holders}) < len(holders)

    @cached_property
    def _declared(self) -> set[tuple[str, str, int | str]]:
        return {*_declared(self.patch.new)}


def _declared(message: Message) -> Iterator[tuple[str, str, int | str]]:
    """The tagged fields and the structs of a message: where each is declared, its name, and what it has.

    These are the name of the struct around it, "" for the message, and its tag or the name of its struct.
    """

    def inside(struct: str, fields: Iterable[Field]) -> Iterator[tuple[str, str, int | str]]:
        for field in fields:
            if field.tag is not None:
                yield struct, field.name, field.tag
            if field.is_struct:
                yield struct, field.name, field.element
                yield from inside(field.element, field.fields or ())

    yield from inside("", message.fields)
    for struct in message.common_structs:
        yield from inside(struct.name, struct.fields)
