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


class Patch:
    """The two sides of a patch, the old one None if there is none, and the releases, oldest first.

    `frozen` are the versions that are stable in a release.
    """

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
        self.compared_before: dict[tuple[int, int, int], tuple[Disagreement, ...]] = {}

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

    def disagreements(self, first: Message, second: Message | None, era: Era) -> tuple[Disagreement, ...]:
        """The ways in which two specs disagree in an era."""
        if second is None or first is second:
            return ()
        key = (id(first), id(second), era.number)
        if key not in self.compared_before:
            self.compared_before[key] = tuple(self._compared(first, second, era))
        return self.compared_before[key]

    def _compared(self, first: Message, second: Message, era: Era) -> Iterator[Disagreement]:
        one, other = self.form(first, era), self.form(second, era)
        version = era.versions[0]
        if one is not None and other is not None:
            # What is another message has another header by that.
            is_same = (first.type, first.api_key) == (second.type, second.api_key)
            yield from (each for each in disagreements(one, other) if is_same or each.kind is not Kind.HEADER)
        elif (version in first.flexible_versions) != (version in second.flexible_versions):
            # Tagged fields in a version that is no longer flexible: it has no layout for this reason.
            yield Disagreement(Kind.FLEXIBLE, WriterSide.BOTH, (), Side("", None), Side("", None))


def _is_alike(one: Message, other: Message) -> bool:
    return one == other and one.profile == other.profile
