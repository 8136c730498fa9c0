"""The edits of the spec that break versions: which of them make the sides of a patch disagree."""

from collections import deque
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from wirebook.rules.agreement.edits import Matching, SpecEdit, edits, reordered, seen_from, takes_tag
from wirebook.rules.agreement.patch import Era, Patch
from wirebook.rules.agreement.relation import Disagreement, Kind, Side, WriterSide
from wirebook.rules.pairs.kinds import MessagePair, VersionNumbers
from wirebook.rules.pairs.walk import structs
from wirebook.rules.released import ReleasedSpec
from wirebook.specs.model import Field, Message
from wirebook.specs.versions import VersionSet, counted

MAX_SEARCHED = 20_000  # fields of layouts in which edits of one message are searched for; then, roots only
_NEVER: VersionNumbers = frozenset()


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


class Causes:
    """Finds the edits behind the disagreements of a patch."""

    def __init__(self, patch: Patch) -> None:
        self.patch = patch
        self.searched = 0
        self.matchings: dict[tuple[int, int], Matching] = {}

    def unknown(self, era: Era) -> Iterator[Break]:
        """The change of a version that has no layout on either side: what it does to peers is unknown.

        If only the new side has none, rules on single files report what is new about it.
        """
        unknown = SpecEdit(Kind.LENGTH, WriterSide.BOTH, Side("", None), Side("", None))
        if (
            self.patch.old is None
            or not self.patch.old_side_has(era)
            or self.patch.form(self.patch.old, era) is not None
        ):
            return
        versions = frozenset(era.versions)
        frozen, names = (
            versions & self.patch.frozen,
            tuple(release.name for release, _ in self.patch.releases_with(era)),
        )
        if (
            self.patch.old.fields != self.patch.new.fields
            or self.patch.old.common_structs != self.patch.new.common_structs
        ):
            yield Break(
                unknown,
                self._matching(self.patch.old, self.patch.new),
                frozen or versions,
                names[:1],
                bool(frozen),
            )

    def broken(
        self,
        era: Era,
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
            own = (
                self.patch.disagreements(self.patch.old, self.patch.new, era)
                if own_edit is not None and self.patch.old
                else ()
            )
            if own_edit is not None and self.patch.old is not None and own:
                yield Break(
                    own_edit, self._matching(self.patch.old, self.patch.new), versions, names, True, own[0]
                )
            else:
                yield Break(edit, self._matching(base, self.patch.new), versions, names, True, after[0])

    def _edits_behind(
        self, before: tuple[Disagreement, ...], after: Sequence[Disagreement], base: Message, era: Era
    ) -> Sequence[SpecEdit]:
        """The edits of a release that the patch makes: those that the old side does not have already.

        If it makes none of them, all are behind what it brings. The disagreements stand for edits that cannot
        be found.
        """
        every = self._edits(base, self.patch.new, era)
        if not every:
            return _plain(after)
        old_keys = {_key(edit) for edit in self._edits(base, self.patch.old, era)} if before else set()
        return [edit for edit in every if _key(edit) not in old_keys] or every

    def hidden(self, era: Era, versions: VersionNumbers, release: ReleasedSpec) -> Iterator[Break]:
        """The edits of the patch that no byte shows to peers of a release, since they misread what is before.

        Once that is restored, these peers misread what the edits change: so each of them counts, too, as what
        it does to peers of the old side. These are the edits of the release to the new side without those to
        the old side. The default of a field that no bytes carry is never hidden.
        """
        base = release.message
        if self.patch.old is None or not (
            own := self.patch.disagreements(self.patch.old, self.patch.new, era)
        ):
            return
        specs = (base, self.patch.old, self.patch.new)
        if any(self.patch.form(spec, era) is None for spec in specs):
            return
        patch, accepted = self._matching(self.patch.old, self.patch.new), self._matching(base, self.patch.old)
        old_keys = {_key(edit) for edit in self._deep_edits(accepted, era)}
        brought = [edit for edit in self._deep_edits(accepted.then(patch), era) if _key(edit) not in old_keys]
        # The old side may have other names for the fields of the release.
        new_keys = {
            _key_of_new(edit, edit.old.field and accepted.new_of.get(edit.old.field.written.order))
            for edit in brought
        }
        moved = reordered(accepted, patch, [self.patch.layouts[id(spec), era.number] for spec in specs])
        for edit in self._deep_edits(patch, era):
            is_unsent = edit.kind is Kind.DEFAULT and edit.old.carried is edit.new.carried is None
            is_moved = edit.is_moved and edit.new.field is not None and edit.new.field.written.order in moved
            if is_moved or (not is_unsent and _key_of_new(edit, edit.old.field) in new_keys):
                yield Break(edit, patch, versions, (release.name,), True, own[0])

    def _in_old(self, edit: SpecEdit, base: Message, era: Era) -> SpecEdit | None:
        """An edit of a release as one of the old side, which agrees with it and which a reviewer sees."""
        if (
            self.patch.old is None
            or not self.patch.old_side_has(era)
            or self.patch.form(self.patch.old, era) is None
        ):
            return None
        if base is self.patch.old:
            return edit
        side = seen_from(
            edit.old, self.patch.layouts[id(self.patch.old), era.number], self._matching(base, self.patch.old)
        )
        return None if side is None else edit._replace(old=side)

    def _edits(self, old: Message, new: Message | None, era: Era) -> list[SpecEdit]:
        return [] if new is None else self._searched(self._matching(old, new), era, is_deep=False)

    def _deep_edits(self, matching: Matching, era: Era) -> list[SpecEdit]:
        return self._searched(matching, era, is_deep=True)

    def _searched(self, matching: Matching, era: Era, *, is_deep: bool) -> list[SpecEdit]:
        old, new = matching.old, matching.new
        if self.patch.form(old, era) is None or self.patch.form(new, era) is None:
            return []
        sides = self.patch.layouts[id(old), era.number], self.patch.layouts[id(new), era.number]
        self.searched += sum(len(side.fields) for side in sides)
        if self.searched > MAX_SEARCHED:
            return []
        is_same = (old.type, old.api_key) == (new.type, new.api_key)
        every = edits(*sides, matching, is_deep=is_deep)
        return [edit for edit in every if is_same or edit.kind is not Kind.HEADER]

    def loose(self, era: Era, versions: VersionNumbers) -> Iterator[Break]:
        """What a patch breaks in versions that no release has."""
        old, new = self.patch.old, self.patch.new
        if old is not None:
            for edit in self._edits(old, new, era) or _plain(self.patch.disagreements(old, new, era)):
                yield Break(edit, self._matching(old, new), versions, (), False)

    def _matching(self, old: Message, new: Message) -> Matching:
        key = (id(old), id(new))
        if key not in self.matchings:
            self.matchings[key] = Matching(old, new)
        return self.matchings[key]

    def tags_taken(self, breaks: Sequence[Break], lacks_tags: Callable[[Message], bool]) -> Iterator[Break]:
        """The tags that a release, or else the old side, has for a field of another name.

        `breaks` are what the bytes show: a field that they show under another tag is not repeated.
        `lacks_tags` is whether a spec has a tag for a field, and the new side does not.
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
        compared: list[tuple[ReleasedSpec, bool]] = [(release, True) for release in self.patch.releases]
        if self.patch.old is not None and all(
            release.message is not self.patch.old for release in self.patch.releases
        ):
            compared.append((ReleasedSpec("", self.patch.old), False))
        for release, is_frozen in compared:
            spec = release.message
            if not lacks_tags(spec):
                continue
            old_keys = (
                set()
                if self.patch.old in (None, spec)
                else {takeover.key for takeover in _taken(self._matching(spec, self.patch.old))}
            )
            reached = _reached(spec)
            for takeover in _taken(self._matching(spec, self.patch.new)):
                sent = takeover.old.tagged_versions & spec.valid_versions
                stable = release.stable.intersection(sent) & reached.get(takeover.old.written.order, _NEVER)
                stable &= (
                    self.patch.frozen if is_frozen else frozenset(spec.valid_versions) - self.patch.frozen
                )
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
                    yield Break(
                        edit, self._matching(spec, self.patch.new), stable, (release.name,), is_frozen
                    )


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
