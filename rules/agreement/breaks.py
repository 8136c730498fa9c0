"""What a patch breaks for the releases: the disagreements that it brings, as edits of the spec.

For each release with a version, the patch breaks the version if the new side disagrees with the release in a
way in which the old side does not. What a patch restores, what no release has, what was broken before, and
what returns after a removal, all follow from this difference of two sets. A version that the new side no
longer has is not judged, and one that it marks as unstable stays frozen by the releases that had it stable.
Only where the old side misread the release already, bytes after it have no place to compare: there, the
edits of the patch count by themselves, as far as the new side differs from the release in them and the old
side does not, until what hides them is restored. So breaking a version twice is never better than breaking it
once. In versions that no release has, the old side takes the place of the release, and a break is a warning.
Source: KIP-35.

Besides, a tag belongs to one field permanently (KIP-482): a tagged field under another name is taken for
another field, even with the same bytes, whereas an untagged one is taken for the same field, renamed.
"""

from bisect import bisect_right
from collections import deque
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from wirebook.rules.agreement.edits import Matching, SpecEdit, edits, reordered, seen_from, takes_tag
from wirebook.rules.agreement.forms import Forms, WireForm, bounds
from wirebook.rules.agreement.relation import Disagreement, Kind, Side, WriterSide, brought, disagreements
from wirebook.rules.pairs.kinds import MessagePair, VersionNumbers
from wirebook.rules.pairs.walk import structs
from wirebook.rules.released import ReleasedSpec
from wirebook.specs.model import Field, Message
from wirebook.specs.problems import InputError
from wirebook.specs.versions import VersionSet, counted
from wirebook.specs.wire.layout import Layout, Layouts

_NEVER: VersionNumbers = frozenset()
MAX_SEARCHED = 20_000  # fields of layouts in which edits of one message are searched for; then, roots only


@dataclass(eq=False, repr=False)
class Break:
    """An edit that breaks versions of a message.

    `matching` is of the new side and its base: the old side where that agrees with the release, otherwise the
    release. `releases` are the first releases with each form of the message that breaks, oldest
    first; "" is the old side. `is_frozen` is whether a release has the versions. `root` is where peers begin
    to misread: other edits after it count only with it.
    """

    edit: SpecEdit
    matching: Matching
    versions: VersionNumbers
    releases: tuple[str, ...]
    is_frozen: bool
    root: Disagreement | None = None

    @property
    def counted(self) -> str:
        """The versions in words: "versions 1-3"."""
        return counted(VersionSet.of(self.versions))

    @property
    def base(self) -> Message:
        """The spec that the new side is compared with."""
        return self.matching.old

    @property
    def message(self) -> Message:
        """The new side."""
        return self.matching.new

    @property
    def kind(self) -> Kind:
        """What the sides disagree on."""
        return self.edit.kind

    @property
    def old(self) -> Side:
        """The field in the base."""
        return self.edit.old

    @property
    def new(self) -> Side:
        """The field on the new side."""
        return self.edit.new

    @property
    def damage(self) -> str:
        """What peers that use the other spec do with the field, for a sentence."""
        return "misread it and everything after it" if self.kind is Kind.LENGTH else "misread it"

    @property
    def path(self) -> str:
        """The path of the field, on the new side if that declares it."""
        return self.new.path if self.new.field is not None else self.old.path


class Restoration(NamedTuple):
    """Versions in which the new side agrees with releases again, and the first of these releases."""

    versions: VersionNumbers
    releases: tuple[str, ...]


class Judgement(NamedTuple):
    """What a patch does to the versions of a message; in those of `alike`, both sides agree."""

    breaks: tuple[Break, ...]
    restored: Restoration | None
    alike: VersionNumbers


class _Era(NamedTuple):
    """Versions in which every spec of a message has the same layout."""

    number: int
    versions: tuple[int, ...]


def judgement(
    old: Message | None, new: Message, releases: Sequence[ReleasedSpec], frozen: VersionNumbers
) -> Judgement:
    """What a patch breaks and restores, given the releases of the message, oldest first.

    `frozen` are the versions that are stable in a release. Versions without a layout are left out: rules on
    single files report them.
    """
    return _VersionJudge(old, new, releases, frozen).judgement()


class _VersionJudge:
    def __init__(
        self, old: Message | None, new: Message, releases: Sequence[ReleasedSpec], frozen: VersionNumbers
    ) -> None:
        self.old = old
        self.new = new
        self.frozen = frozen
        # The old side itself, as far as it is one of the releases.
        self.releases = [
            release._replace(message=old) if old is not None and _is_alike(release.message, old) else release
            for release in releases
        ]
        self.stable = {release.name: release.stable for release in self.releases}
        specs = [new, *([] if old is None else [old]), *(release.message for release in self.releases)]
        self.bounds = sorted({bound for spec in specs for bound in bounds(spec)})
        self.forms: dict[tuple[int, int], WireForm | None] = {}
        self.layouts: dict[tuple[int, int], Layout] = {}
        self.builders: dict[int, tuple[Layouts, Forms]] = {}
        self.searched = 0
        self.compared_before: dict[tuple[int, int, int], tuple[Disagreement, ...]] = {}
        self.matchings: dict[tuple[int, int], Matching] = {}

    def judgement(self) -> Judgement:
        breaks: list[Break] = []
        hidden: list[Break] = []
        restored: set[int] = set()
        alike: set[int] = set()
        restoring: dict[str, None] = {}
        for era in self._eras():
            if self._form(self.new, era) is None:
                breaks += self._unknown(era)
            for release, versions in self._releases_with(era):
                before = (
                    self._disagreements(release.message, self.old, era) if self._old_side_has(era) else ()
                )
                after = self._disagreements(release.message, self.new, era)
                new = brought(before, after)
                if new:
                    breaks += self._broken(era, versions, release, before, new)
                elif any(each.is_misread for each in before) and after:
                    hidden += self._hidden(era, versions, release)
                elif before and not after:
                    restored |= versions
                    restoring.setdefault(release.name)
            if self.old is None or not self._old_side_has(era):
                continue
            disagreeing = self._disagreements(self.old, self.new, era)
            loose = frozenset(era.versions) - self.frozen
            if not disagreeing and self._form(self.old, era) and self._form(self.new, era):
                alike.update(era.versions)
            elif disagreeing and loose:
                causes = self._edits(self.old, self.new, era) or _plain(disagreeing)
                breaks += [
                    Break(edit, self._matching(self.old, self.new), loose, (), False) for edit in causes
                ]
        # What brings back one release may be new to another one, which misread the version anyway.
        breaks += [each for each in hidden if restored.isdisjoint(each.versions)]
        breaks += self._tags_taken(breaks)
        broken = frozenset(version for each in breaks for version in each.versions)
        back = frozenset(restored) - broken
        restoration = Restoration(back, tuple(restoring)) if back else None
        return Judgement(tuple(breaks), restoration, frozenset(alike))

    def _unknown(self, era: _Era) -> Iterator[Break]:
        """The change of a version that has no layout on either side: what it does to peers is unknown.

        If only the new side has none, rules on single files report what is new about it.
        """
        unknown = SpecEdit(Kind.LENGTH, WriterSide.BOTH, Side("", None), Side("", None))
        if self.old is None or not self._old_side_has(era) or self._form(self.old, era) is not None:
            return
        versions = frozenset(era.versions)
        frozen, names = versions & self.frozen, tuple(release.name for release, _ in self._releases_with(era))
        if self.old.fields != self.new.fields or self.old.common_structs != self.new.common_structs:
            yield Break(
                unknown, self._matching(self.old, self.new), frozen or versions, names[:1], bool(frozen)
            )

    def _eras(self) -> Iterator[_Era]:
        valid = self.new.valid_versions
        runs: dict[int, list[int]] = {}
        for version in valid:
            runs.setdefault(bisect_right(self.bounds, version), []).append(version)
        for number, versions in runs.items():
            yield _Era(number, tuple(versions))

    def _releases_with(self, era: _Era) -> Iterator[tuple[ReleasedSpec, VersionNumbers]]:
        """The releases with versions of an era."""
        for release in self.releases:
            versions = self.frozen.intersection(era.versions) & self.stable[release.name]
            if versions:
                yield release, versions

    def _old_side_has(self, era: _Era) -> bool:
        return self.old is not None and era.versions[0] in self.old.valid_versions

    def _form(self, message: Message, era: _Era) -> WireForm | None:
        key = (id(message), era.number)
        if key not in self.forms:
            if id(message) not in self.builders:
                self.builders[id(message)] = Layouts(message, opaque=True), Forms(message)
            layouts, forms = self.builders[id(message)]
            try:
                self.layouts[key] = layouts.at(era.versions[0])
            except InputError:
                self.forms[key] = None
            else:
                self.forms[key] = forms.form(self.layouts[key])
        return self.forms[key]

    def _disagreements(self, first: Message, second: Message | None, era: _Era) -> tuple[Disagreement, ...]:
        if second is None or first is second:
            return ()
        key = (id(first), id(second), era.number)
        if key not in self.compared_before:
            self.compared_before[key] = tuple(self._compared(first, second, era))
        return self.compared_before[key]

    def _compared(self, first: Message, second: Message, era: _Era) -> Iterator[Disagreement]:
        one, other = self._form(first, era), self._form(second, era)
        version = era.versions[0]
        if one is not None and other is not None:
            # What is another message has another header by that.
            is_same = (first.type, first.api_key) == (second.type, second.api_key)
            yield from (each for each in disagreements(one, other) if is_same or each.kind is not Kind.HEADER)
        elif (version in first.flexible_versions) != (version in second.flexible_versions):
            # Tagged fields in a version that is no longer flexible: it has no layout for this reason.
            yield Disagreement(Kind.FLEXIBLE, WriterSide.BOTH, (), Side("", None), Side("", None))

    def _broken(
        self,
        era: _Era,
        versions: VersionNumbers,
        release: ReleasedSpec,
        before: tuple[Disagreement, ...],
        after: Sequence[Disagreement],
    ) -> Iterator[Break]:
        """The edits that break an era for a release, as those of the old side if it agrees with the release.

        `after` are the disagreements that the patch brings.
        """
        base, names = release.message, (release.name,)
        for edit in self._edits_behind(before, after, base, era):
            own_edit = self._in_old(edit, base, era) if not before else None
            own = self._disagreements(self.old, self.new, era) if own_edit is not None and self.old else ()
            if own_edit is not None and self.old is not None and own:
                yield Break(own_edit, self._matching(self.old, self.new), versions, names, True, own[0])
            else:
                yield Break(edit, self._matching(base, self.new), versions, names, True, after[0])

    def _edits_behind(
        self, before: tuple[Disagreement, ...], after: Sequence[Disagreement], base: Message, era: _Era
    ) -> Sequence[SpecEdit]:
        """The edits of a release that the patch makes: those that the old side does not have already.

        If it makes none of them, all are behind what it brings. The disagreements stand for edits that cannot
        be found.
        """
        every = self._edits(base, self.new, era)
        if not every:
            return _plain(after)
        old_keys = {_key(edit) for edit in self._edits(base, self.old, era)} if before else set()
        return [edit for edit in every if _key(edit) not in old_keys] or every

    def _hidden(self, era: _Era, versions: VersionNumbers, release: ReleasedSpec) -> Iterator[Break]:
        """The edits of the patch that no byte shows to peers of a release, since they misread what is before.

        Once that is restored, these peers misread what the edits change: so each of them counts, too, as what
        it does to peers of the old side. These are the edits of the release to the new side without those to
        the old side. The default of a field that no bytes carry is never hidden.
        """
        base = release.message
        if self.old is None or not (own := self._disagreements(self.old, self.new, era)):
            return
        specs = (base, self.old, self.new)
        if any(self._form(spec, era) is None for spec in specs):
            return
        patch, accepted = self._matching(self.old, self.new), self._matching(base, self.old)
        old_keys = {_key(edit) for edit in self._deep_edits(accepted, era)}
        brought = [edit for edit in self._deep_edits(accepted.then(patch), era) if _key(edit) not in old_keys]
        # The old side may have other names for the fields of the release.
        new_keys = {
            _key_of_new(edit, edit.old.field and accepted.new_of.get(edit.old.field.written.order))
            for edit in brought
        }
        moved = reordered(accepted, patch, [self.layouts[id(spec), era.number] for spec in specs])
        for edit in self._deep_edits(patch, era):
            is_unsent = edit.kind is Kind.DEFAULT and edit.old.carried is edit.new.carried is None
            is_moved = edit.is_moved and edit.new.field is not None and edit.new.field.written.order in moved
            if is_moved or (not is_unsent and _key_of_new(edit, edit.old.field) in new_keys):
                yield Break(edit, patch, versions, (release.name,), True, own[0])

    def _in_old(self, edit: SpecEdit, base: Message, era: _Era) -> SpecEdit | None:
        """An edit of a release as one of the old side, which agrees with it and which a reviewer sees."""
        if self.old is None or not self._old_side_has(era) or self._form(self.old, era) is None:
            return None
        if base is self.old:
            return edit
        side = seen_from(edit.old, self.layouts[id(self.old), era.number], self._matching(base, self.old))
        return None if side is None else edit._replace(old=side)

    def _edits(self, old: Message, new: Message | None, era: _Era) -> list[SpecEdit]:
        return [] if new is None else self._searched(self._matching(old, new), era, is_deep=False)

    def _deep_edits(self, matching: Matching, era: _Era) -> list[SpecEdit]:
        return self._searched(matching, era, is_deep=True)

    def _searched(self, matching: Matching, era: _Era, *, is_deep: bool) -> list[SpecEdit]:
        old, new = matching.old, matching.new
        if self._form(old, era) is None or self._form(new, era) is None:
            return []
        sides = self.layouts[id(old), era.number], self.layouts[id(new), era.number]
        self.searched += sum(len(side.fields) for side in sides)
        if self.searched > MAX_SEARCHED:
            return []
        is_same = (old.type, old.api_key) == (new.type, new.api_key)
        every = edits(*sides, matching, is_deep=is_deep)
        return [edit for edit in every if is_same or edit.kind is not Kind.HEADER]

    def _matching(self, old: Message, new: Message) -> Matching:
        key = (id(old), id(new))
        if key not in self.matchings:
            self.matchings[key] = Matching(old, new)
        return self.matchings[key]

    def _tags_taken(self, breaks: Sequence[Break]) -> Iterator[Break]:
        """The tags that a release, or else the old side, has for a field of another name.

        `breaks` are what the bytes show: a field that they show under another tag is not repeated.
        """
        retagged = {
            (each.new.field.written.order, each.old.carried.tag, each.is_frozen)
            for each in breaks
            if each.old.carried is not None
            and each.new.carried is not None
            and each.new.field is not None
            and each.old.carried.tag != each.new.carried.tag
            and each.old.carried.name == each.new.carried.name
        }
        tagged = {*_tagged(self.new)}
        compared: list[tuple[ReleasedSpec, bool]] = [(release, True) for release in self.releases]
        if self.old is not None and all(release.message is not self.old for release in self.releases):
            compared.append((ReleasedSpec("", self.old), False))
        for release, is_frozen in compared:
            spec = release.message
            if tagged.issuperset(_tagged(spec)):
                continue
            old_keys = (
                set()
                if self.old in (None, spec)
                else {takeover.key for takeover in _taken(self._matching(spec, self.old))}
            )
            reached = _reached(spec)
            for takeover in _taken(self._matching(spec, self.new)):
                sent = takeover.old.tagged_versions & spec.valid_versions
                stable = release.stable.intersection(sent) & reached.get(takeover.old.written.order, _NEVER)
                stable &= self.frozen if is_frozen else frozenset(spec.valid_versions) - self.frozen
                moved = takeover.moved and takeover.moved.written.order
                if (
                    stable
                    and takeover.key not in old_keys
                    and (moved, takeover.old.tag, is_frozen) not in retagged
                ):
                    edit = SpecEdit(
                        Kind.IDENTITY,
                        WriterSide.BOTH,
                        Side(takeover.path(takeover.old), takeover.old),
                        Side(takeover.path(takeover.new), takeover.new),
                        is_one=False,
                    )
                    yield Break(edit, self._matching(spec, self.new), stable, (release.name,), is_frozen)


class _Takeover(NamedTuple):
    """A tag of a struct at a path that another field has than before.

    `moved` is the field on the new side that has the name of the old one, None if there is none.
    """

    above: str
    old: Field
    new: Field
    moved: Field | None

    @property
    def key(self) -> Hashable:
        """What identifies it in a comparison with another spec: a struct has several paths."""
        return self.old.written.order, self.new.name

    def path(self, field: Field) -> str:
        return f"{self.above}.{field.name}" if self.above else field.name


def _taken(matching: Matching) -> Iterator[_Takeover]:
    """The tags taken in the structs that are one on both sides."""
    seen: set[Hashable] = set()
    for path, one, other in _same_structs(matching):
        unchanged = {(field.name, field.tag) for field in other}
        named = {field.name: field for field in other}
        before = {
            field.tag: field
            for field in one
            if field.tag is not None and (field.name, field.tag) not in unchanged
        }
        for field in other:
            was = None if field.tag is None else before.get(field.tag)
            if was is not None and takes_tag(was, field):
                takeover = _Takeover(path, was, field, named.get(was.name))
                if takeover.key not in seen:
                    seen.add(takeover.key)
                    yield takeover


def _same_structs(matching: Matching) -> Iterator[tuple[str, Sequence[Field], Sequence[Field]]]:
    """The fields of each struct that is one on both sides; each two structs at the first of their paths.

    These are the structs of two fields that are one field or have one name: a struct that is split by
    versions is the same as both of its parts. A struct and the element of an array are never in one place.
    """
    old, new = matching.old, matching.new
    seen: set[tuple[int, int]] = set()
    waiting: deque[tuple[str, Sequence[Field], Sequence[Field]]] = deque([("", old.fields, new.fields)])
    while waiting:
        path, one, other = waiting.popleft()
        yield path, one, other
        named = {field.name: field for field in other}
        for field in one:
            for now in (matching.new_of.get(field.written.order), named.get(field.name)):
                if now is None or not field.is_struct_like(now):
                    continue
                inner, own = old.fields_of(field), new.fields_of(now)
                if inner is not None and own is not None and (id(inner), id(own)) not in seen:
                    seen.add((id(inner), id(own)))
                    waiting.append((f"{path}.{now.name}" if path else now.name, inner, own))


def _reached(message: Message) -> Mapping[int, VersionNumbers]:
    """The versions in which some path reaches the struct of each field, by the order of the field."""
    return {
        field.written.order: struct.old_versions
        for struct in structs(MessagePair(message, message))
        for field, _ in struct.pairs
        if field is not None
    }


def _tagged(message: Message) -> Iterator[tuple[str, str, int]]:
    """The tagged fields of a message: the struct of each, "" for the message itself, its name and its tag."""

    def inside(struct: str, fields: Iterable[Field]) -> Iterator[tuple[str, str, int]]:
        for field in fields:
            if field.tag is not None:
                yield struct, field.name, field.tag
            yield from inside(field.element, field.fields or ())

    yield from inside("", message.fields)
    for struct in message.common_structs:
        yield from inside(struct.name, struct.fields)


def _is_alike(one: Message, other: Message) -> bool:
    return one == other and one.profile == other.profile


def _plain(differences: Iterable[Disagreement]) -> list[SpecEdit]:
    return [SpecEdit(each.kind, each.writer, each.first, each.second) for each in differences]


def _key(edit: SpecEdit) -> Hashable:
    """What identifies an edit of a release: a field that it has with what becomes of it, or a new field."""
    now = edit.new.carried
    form: Hashable = None
    if now is not None and edit.old.field is not None:
        form = str(now.default) if edit.kind is Kind.DEFAULT else (now.type, now.element, now.tag)
    return (
        edit.kind,
        edit.writer,
        edit.old.path,
        edit.old.field is None and edit.new.path,
        edit.is_moved,
        form,
    )


def _key_of_new(edit: SpecEdit, old: Field | None) -> Hashable:
    """What identifies an edit, by the field of the new side; by that of the old side where it removes one."""
    removed = old.written.order if old is not None and edit.new.field is None else None
    return edit.kind, edit.writer, edit.is_moved, edit.new.field is not None and edit.new.path, removed
