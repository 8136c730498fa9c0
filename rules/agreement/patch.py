"""A patch of a message with the releases of the message: their forms, and where two of them disagree."""

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from wirebook.rules.agreement.forms import Forms, WireForm, bounds
from wirebook.rules.agreement.relation import Disagreement, Kind, Side, WriterSide, disagreements
from wirebook.rules.pairs.kinds import VersionNumbers
from wirebook.rules.released import ReleasedSpec
from wirebook.specs.model import Message
from wirebook.specs.problems import InputError
from wirebook.specs.wire.layout import Layout, Layouts


class Era(NamedTuple):
    """A run of versions in which no spec changes its own layout of a message; the specs may differ."""

    number: int
    versions: tuple[int, ...]


class Comparisons:
    """The layouts and forms of specs by version, and where two specs disagree, each computed once.

    Patches of one history share them: most of their specs are the same objects.
    """

    def __init__(self) -> None:
        self._forms: dict[tuple[int, int], WireForm | None] = {}
        self._layouts: dict[tuple[int, int], Layout] = {}
        # They hold the specs, so that no other object gets the id of one.
        self._builders: dict[int, tuple[Layouts, Forms]] = {}
        self._disagreements: dict[tuple[int, int, int], tuple[Disagreement, ...]] = {}

    def layout(self, message: Message, version: int) -> Layout:
        """The layout of a spec that has a form at a version."""
        return self._layouts[id(message), version]

    def form(self, message: Message, version: int) -> WireForm | None:
        """The form of a spec at a version; None if it has no layout there."""
        key = (id(message), version)
        if key not in self._forms:
            if id(message) not in self._builders:
                self._builders[id(message)] = Layouts(message, opaque=True), Forms(message)
            layouts, forms = self._builders[id(message)]
            try:
                self._layouts[key] = layouts.at(version)
            except InputError:
                self._forms[key] = None
            else:
                self._forms[key] = forms.form(self._layouts[key])
        return self._forms[key]

    def disagreements(self, first: Message, second: Message, version: int) -> tuple[Disagreement, ...]:
        """The ways in which two specs disagree at a version."""
        if first is second:
            return ()
        key = (id(first), id(second), version)
        if key not in self._disagreements:
            self._disagreements[key] = tuple(self._compared(first, second, version))
        return self._disagreements[key]

    def _compared(self, first: Message, second: Message, version: int) -> Iterator[Disagreement]:
        one, other = self.form(first, version), self.form(second, version)
        if one is not None and other is not None:
            # What is another message has another header by that.
            is_same = (first.type, first.api_key) == (second.type, second.api_key)
            yield from (each for each in disagreements(one, other) if is_same or each.kind is not Kind.HEADER)
        elif (version in first.flexible_versions) != (version in second.flexible_versions):
            # Tagged fields in a version that is no longer flexible: it has no layout for this reason.
            yield Disagreement(Kind.FLEXIBLE, WriterSide.BOTH, (), Side("", None), Side("", None))


class Patch:
    """The two sides of a patch, the old one None if there is none, and the releases, oldest first.

    `frozen` are the versions that are stable in a release.
    """

    def __init__(
        self,
        old: Message | None,
        new: Message,
        releases: Sequence[ReleasedSpec],
        frozen: VersionNumbers,
        comparisons: Comparisons | None = None,
    ) -> None:
        self.old = old
        self.new = new
        self.frozen = frozen
        # The old side itself, as far as it is one of the releases.
        self.releases = [
            release._replace(message=old) if old is not None and _is_alike(release.message, old) else release
            for release in releases
        ]
        self.stable = {each.name: each.stable - each.replaced for each in self.releases}
        specs = [new, *([] if old is None else [old]), *(release.message for release in self.releases)]
        self.bounds = sorted({bound for spec in specs for bound in bounds(spec)})
        self.comparisons = comparisons or Comparisons()

    def eras(self) -> Iterator[Era]:
        """The eras of the versions of the new side."""
        valid = self.new.valid_versions
        runs: dict[int, list[int]] = {}
        for version in valid:
            runs.setdefault(bisect_right(self.bounds, version), []).append(version)
        for number, versions in runs.items():
            yield Era(number, tuple(versions))

    def releases_with(self, era: Era) -> Iterator[tuple[ReleasedSpec, VersionNumbers]]:
        """The releases with versions of an era."""
        for release in self.releases:
            versions = self.frozen.intersection(era.versions) & self.stable[release.name]
            if versions:
                yield release, versions

    def old_side_has(self, era: Era) -> bool:
        """Whether the old side has the versions of an era."""
        return self.old is not None and era.versions[0] in self.old.valid_versions

    def form(self, message: Message, era: Era) -> WireForm | None:
        """The form of a spec in an era; None if it has no layout there."""
        return self.comparisons.form(message, era.versions[0])

    def layout(self, message: Message, era: Era) -> Layout:
        """The layout of a spec that has a form in an era."""
        return self.comparisons.layout(message, era.versions[0])

    def disagreements(self, first: Message, second: Message | None, era: Era) -> tuple[Disagreement, ...]:
        """The ways in which two specs disagree in an era."""
        return () if second is None else self.comparisons.disagreements(first, second, era.versions[0])


def _is_alike(one: Message, other: Message) -> bool:
    return one == other and one.profile == other.profile
