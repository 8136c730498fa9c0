"""The edits of the spec that break versions: which of them make the sides of a patch disagree."""

from collections import deque
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence, Set
from typing import TYPE_CHECKING, NamedTuple

from wirebook.rules.agreement.edits import Aspect, Matching, SpecEdit, aspects, aspects_of, edits, takes_tag
from wirebook.rules.agreement.patch import Era, Patch
from wirebook.rules.agreement.relation import Disagreement, Kind, Side, WriterSide
from wirebook.rules.pairs.kinds import MessagePair, VersionNumbers
from wirebook.rules.pairs.walk import structs
from wirebook.rules.released import ReleasedSpec
from wirebook.specs.model import Field, Message
from wirebook.specs.versions import VersionSet, counted

if TYPE_CHECKING:
    from wirebook.rules.agreement.rebased import Rebased

MAX_SEARCHED = 12_000  # fields of layouts in which edits of one message are searched for; then, roots only
_NEVER: VersionNumbers = frozenset()


class Break(NamedTuple):
    """An edit that breaks versions of a message.

    `matching` is of the new side and its base: the old side if its edits explain the break, otherwise the
    release. `releases` are the first releases with each form of the message that breaks, oldest
    first; "" is the old side. `is_frozen` is whether a release has the versions. `root` is where peers begin
    to misread: other edits after it count only with it. `is_of_release` is whether peers of the first release
    have the bytes of the base, without the fields at the paths in `unreleased`.
    """

    edit: SpecEdit
    matching: Matching
    versions: VersionNumbers
    releases: tuple[str, ...]
    is_frozen: bool
    root: Disagreement | None = None
    is_of_release: bool = True
    unreleased: frozenset[str] = frozenset()

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
        self.edits_between: dict[tuple[int, int, int], list[SpecEdit]] = {}

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
        frozen = versions & self.patch.frozen
        names = tuple(release.name for release, _ in self.patch.releases_with(era))
        old, new = self.patch.old, self.patch.new
        if old.fields != new.fields or old.common_structs != new.common_structs:
            yield Break(unknown, self._matching(old, new), frozen or versions, names[:1], bool(frozen))

    def broken(
        self,
        era: Era,
        versions: VersionNumbers,
        release: ReleasedSpec,
        before: tuple[Disagreement, ...],
        after: Sequence[Disagreement],
    ) -> Iterator[Break]:
        """The edits that break an era for a release, which brings the disagreements `after`.

        A reviewer sees the edits of the old side. Those count that are edits of the release, too (see
        `rebased`). If none explains it, they are the edits of the release.
        """
        base, old, new = release.message, self.patch.old, self.patch.new
        own = () if old is None else self._own(old, era)
        if old is not None and own:
            every: Sequence[SpecEdit] = self._edits(old, new, era)
            brought = {part for each in after for part in aspects(each.kind, each.writer, (each.second,))}
            unreleased = frozenset() if base is old else self._paths(old, era) - self._paths(base, era)
            if before and every and self.patch.form(base, era) is not None:
                every = _of(every, self._rebased(base, old, era).edited | brought)
            elif base is not old:
                if not _of(every, brought) and not _alike(own, after):
                    # The names of the old side tell another story than those of the release.
                    every = ()
                every = [edit for edit in every if not _is_skipped(edit, unreleased) or _of((edit,), brought)]
            keys = {each.key for each in after}
            root = next((each for each in own if each.key in keys), own[0])
            matching = self._matching(old, new)
            for edit in every:
                yield Break(edit, matching, versions, (release.name,), True, root, not before, unreleased)
            if every:
                return
        for edit in self._edits(base, new, era) or _plain(after):
            yield Break(edit, self._matching(base, new), versions, (release.name,), True, after[0])

    def hidden(self, era: Era, versions: VersionNumbers, release: ReleasedSpec) -> Iterator[Break]:
        """The edits of the patch that no byte shows to peers of a release: they misread what is before.

        They count if the patch by itself breaks the release (see `rebased`): once that is restored, these
        peers misread what the edits change.
        """
        base, old, new = release.message, self.patch.old, self.patch.new
        if old is None or self.patch.form(base, era) is None or self.patch.form(new, era) is None:
            return
        # The default of a field that no bytes carry says nothing of the bytes.
        own = [each for each in self._own(old, era) if not each.is_unsent]
        misread = [
            {each.key for each in self.patch.disagreements(base, side, era) if each.is_misread}
            for side in (old, new)
        ]
        brought = self._rebased(base, old, era, is_in_place=misread[0] == misread[1]) if own else None
        if brought is not None and brought.is_broken:
            every = self._edits(old, new, era)
            for edit in _of(every, brought.edited) or every or _plain(own):
                yield Break(edit, self._matching(old, new), versions, (release.name,), True, own[0], False)

    def _paths(self, spec: Message, era: Era) -> frozenset[str]:
        """The paths of the fields that a spec carries in an era."""
        if self.patch.form(spec, era) is None:
            return frozenset()
        return frozenset(field.path for field in self.patch.layout(spec, era).walk())

    def _own(self, old: Message, era: Era) -> tuple[Disagreement, ...]:
        """The disagreements of the two sides of the patch; none if the old one has no layout."""
        if self.patch.form(old, era) is None:
            return ()
        return self.patch.disagreements(old, self.patch.new, era)

    def _rebased(self, base: Message, old: Message, era: Era, *, is_in_place: bool = True) -> "Rebased":
        """What the patch does to a release by itself."""
        # Most patches have no break of the old side before them.
        from wirebook.rules.agreement.rebased import rebased

        layouts = (self.patch.layout(spec, era) for spec in (base, old, self.patch.new))
        return rebased(*layouts, is_in_place=is_in_place)

    def _edits(self, old: Message, new: Message, era: Era) -> list[SpecEdit]:
        key = id(old), id(new), era.number
        if key not in self.edits_between:
            self.edits_between[key] = list(self._searched(old, new, era))
        return self.edits_between[key]

    def _searched(self, old: Message, new: Message, era: Era) -> Iterator[SpecEdit]:
        one, other = self.patch.form(old, era), self.patch.form(new, era)
        if one is None or other is None:
            return
        sides = self.patch.layout(old, era), self.patch.layout(new, era)
        self.searched += sum(len(side.fields) for side in sides)
        if self.searched > MAX_SEARCHED:
            return
        is_same = (old.type, old.api_key) == (new.type, new.api_key)
        for edit in edits(*sides, self._matching(old, new), (one, other)):
            if is_same or edit.kind is not Kind.HEADER:
                yield edit

    def loose(self, era: Era, versions: VersionNumbers) -> Iterator[Break]:
        """What a patch breaks in versions that no release has."""
        old, new = self.patch.old, self.patch.new
        if old is not None:
            for edit in self._edits(old, new, era) or _plain(self.patch.disagreements(old, new, era)):
                yield Break(edit, self._matching(old, new), versions, (), False)

    def _matching(self, old: Message, new: Message) -> Matching:
        key = id(old), id(new)
        if key not in self.matchings:
            self.matchings[key] = Matching(old, new)
        return self.matchings[key]

    def tags_taken(self, breaks: Sequence[Break], lacks_tags: Callable[[Message], bool]) -> Iterator[Break]:
        """The tags that a release, or else the old side, has for a field of another name.

        `breaks` are what the bytes show: a field that they show under another tag is not repeated.
        `lacks_tags` is whether the new side may lack a tag of a spec.
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
            # Even a spec itself has one tag under two names, in two parts of a struct that it splits.
            own = () if self.patch.old is None else _taken(self._matching(spec, self.patch.old))
            old_keys = {takeover.key for takeover in own}
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
        named: dict[str, list[Field]] = {}
        for field in other:
            named.setdefault(field.name, []).append(field)
        for field in one:
            for now in (matching.new_of.get(field.written.order), *named.get(field.name, ())):
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


def _alike(own: Sequence[Disagreement], released: Sequence[Disagreement]) -> bool:
    """Whether the peers of the old side and those of a release misread the same bytes."""
    return [disagreement.key for disagreement in own] == [disagreement.key for disagreement in released]


def _is_skipped(edit: SpecEdit, unreleased: Set[str]) -> bool:
    """Whether peers of a release skip the field of an edit: it lacks some that the old side has."""
    old, new = edit.old.carried, edit.new.carried
    is_tagged = old is not None and old.tag is not None and (new is None or new.tag is not None)
    return is_tagged and edit.old.path in unreleased


def _of(every: Iterable[SpecEdit], edited: Set[Aspect]) -> list[SpecEdit]:
    """The edits that are of something."""
    return [edit for edit in every if not edited.isdisjoint(aspects_of(edit))]
