"""Runs a check: reads both sides, judges the differences, and applies waivers and configuration."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import ExitStack
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

from wirebook._version import __version__
from wirebook.rules.check.imports import with_shared_structs
from wirebook.rules.check.policy import governance_of
from wirebook.rules.check.protocol import SideView, SpecProfiles, profile_changes
from wirebook.rules.check.reading import ReadSide, outlines, read_side, some_spec
from wirebook.rules.check.registries import (
    NamedRegistries,
    RegistryPair,
    differing_tables,
    may_be_registries,
    may_be_tables,
    read_registries,
)
from wirebook.rules.check.request import CheckRequest
from wirebook.rules.check.scope import Scope
from wirebook.rules.check.settling import settle
from wirebook.rules.check.sides import Governance, LaterTags, files_folder, in_scope
from wirebook.rules.check.surroundings import Surroundings
from wirebook.rules.result import CheckResult, union
from wirebook.rules.severity import Category, Severity
from wirebook.specs.model import Protocol
from wirebook.specs.problems import InputError
from wirebook.specs.profile import HALVES
from wirebook.specs.sources.filesets import FileSet, differing
from wirebook.specs.sources.revisions import ComparedSides

if TYPE_CHECKING:
    from wirebook.rules.check.baselines import Baselines
    from wirebook.rules.finding import Finding
    from wirebook.rules.pairs.tables import TablesPair


_OF_CHANGES = (Category.WIRE, Category.POLICY, Category.SOURCE)


class Compared(NamedTuple):
    """The messages of one protocol that a check compared, and all registries of protocol levels that it read.

    The old side is None if there is none. `is_unreleased` is whether nothing is released yet. `name` is that
    of the protocol, "" if it has none.
    """

    old: Protocol | None
    new: Protocol
    registries: Sequence["RegistryPair"]
    is_unreleased: bool = False
    name: str = ""


class Judged(NamedTuple):
    """A report, and its subject, for each protocol.

    `described` are the words of the old side in `compared`, "" if the report is about no further one. `names`
    are the messages that were checked, by protocol. `bases` is the number of old sides that the
    request names, and `is_beside_head` as in ComparedSides.
    """

    report: CheckResult
    compared: tuple[Compared, ...]
    names: frozenset[tuple[str | None, str]] = frozenset()
    bases: int = 1
    is_beside_head: bool = False
    described: str = ""


def judge(request: CheckRequest) -> Judged:
    """Run a check, against each old side if there are several; what a review describes is compared with the
    first of them that differs. Raises InputError if it cannot run, OSError.
    """
    every = [_judge(request, 0)]
    # The policy of each old side may name others.
    while len(every) < max(judged.bases for judged in every):
        every.append(_judge(request, len(every)))
    first, *others = every
    if not others:
        return first
    report = first.report
    if first.is_beside_head:
        # The release at HEAD replaces what was in no release before it: only older ones are left to break.
        # A level of the settings makes no break of these milder.
        findings = (
            each
            for each in report.findings
            if each.severity is Severity.ERROR
            or each.waived
            or (each.category is Category.WIRE and each.released_in)
        )
        report = report._replace(findings=tuple(findings))
    names = frozenset(name for judged in every for name in judged.names)
    whole = union([report, *(judged.report for judged in others)])._replace(messages_checked=len(names))
    described = next((judged for judged in every if not judged.report.is_untouched), first)
    return described._replace(report=whole, names=names, described=described.report.compared)


def _judge(request: CheckRequest, nth: int) -> Judged:
    with ExitStack() as stack:
        governance = governance_of(request, stack, nth)
        scope = governance.scope
        scope.later = LaterTags(scope, governance.sides).among
        # Even if no spec differs: a profile that does is judged by specs that are equal on both sides.
        governance = governance._replace(sides=with_shared_structs(scope, governance.sides))
        scope.follow(governance.sides.old, governance.sides.new)
        sides = in_scope(scope, governance.sides)
        of_parts: list[tuple[Scope, ComparedSides]] = []
        if any(policy.config.protocols.value for policy in scope.policies):
            from wirebook.rules.check.parts import arrived, parts_of

            others = profile_changes(scope, governance.sides, False).headers is not None
            others = others or may_be_tables(governance.sides) or may_be_registries(governance.sides)
            parts = parts_of(scope, sides, of_all=others)
            every = governance.sides
            of_parts = [(part, arrived(part, in_scope(part, every), every)) for part in parts]
        jobs = [_Job(part, governance, own) for part, own in of_parts or [(scope, sides)]]
        if scope.names and not sides.new.unread:
            tables = {path for job in jobs for path in job.scope.tables}
            Surroundings(scope, sides).all_there(tables)
        for job in jobs:
            job.judge()
        for job in jobs:
            job.forgive_partners(jobs)
        return _settled(governance, sides, jobs)


def target_branch(request: CheckRequest, base: str) -> str | None:
    """The branch that changes are merged into by the settings that judge, where `base` is the old side.

    None if they name none. Raises InputError.
    """
    with ExitStack() as stack:
        scope = Scope(request, stack)
        if scope.repository is not None:
            scope.judge_by_commit(scope.repository.git.resolve(base))
        return scope.config.branch.value


def _settled(
    governance: Governance,
    sides: ComparedSides,
    jobs: "Sequence[_Job]",
) -> Judged:
    """The result of the jobs on parts of the sides in scope, after waivers and configuration."""
    scope = governance.scope
    all_findings = [finding for job in jobs for finding in job.findings]
    unread = [*(sides.old.unread if sides.old else ()), *sides.new.unread]
    unread += [reason for job in jobs for reason in job.unread]
    names = frozenset((job.name, name) for job in jobs for name in job.names)
    has_all = scope.request.everything and not (scope.names or unread)
    findings, waivers = settle(scope, all_findings, None if has_all else {name for _, name in names})
    policy_changes = tuple(
        dict.fromkeys((*governance.changes, *(line for job in jobs for line in job.policy_changes)))
    )
    notices = [line for job in jobs for line in (*job.notices, *job.scope.notices)]
    new_texts = {path: text for job in jobs for path, text in job.new.texts.items()}
    folder = files_folder(scope, sides)
    if scope.request.everything and folder is not None:
        from wirebook.rules.check.unread_files import notices_on_unread

        notices += notices_on_unread(folder, new_texts, scope.policies[0].excludes)
    old_texts = {path: text for job in jobs for path, text in job.old.texts.items()}
    for job in jobs:
        new_texts |= job.new.imported
        old_texts |= job.old.imported
    result = CheckResult(
        findings=tuple(findings),
        compared=sides.words + ";".join(job.words for job in jobs),
        tool_version=__version__,
        messages_checked=len(names),
        new_texts=_decoded(
            {**new_texts, **waivers}, (finding.location.path for finding in findings if finding.location)
        ),
        old_texts=_decoded(old_texts, (finding.previous.path for finding in findings if finding.previous)),
        policy_changes=policy_changes,
        notices=tuple(
            dict.fromkeys(
                (
                    *policy_changes,
                    *sides.notices,
                    *notices,
                    *scope.notices,
                )
            )
        ),
        unchecked=tuple(dict.fromkeys(unread)),
        unchecked_places={reason: place for job in jobs for reason, place in job.new.places.items()},
        command=_command(scope.request, sides) if findings else "wirebook check",
        site=_site() if findings else "",
        base=sides.pin,
        is_same=sides.is_same,
        is_untouched=not (policy_changes or unread or any(job.touches for job in jobs)),
    )
    compared = tuple(job.compared for job in jobs)
    return Judged(result, compared, names, sides.bases, sides.is_beside_head)


def _command(request: CheckRequest, sides: ComparedSides) -> str:
    """The command line of a check of these sides."""
    return (request if sides.against is None else request._replace(against=sides.against)).command


class _Job:
    """The check of one protocol."""

    def __init__(self, scope: Scope, governance: Governance, sides: ComparedSides) -> None:
        self.scope = scope
        self.name = scope.part
        self.base = governance.base
        self.sides = sides
        self.differing = _differing(self.sides)
        self.around = Surroundings(scope, self.sides)
        all_sides = governance.sides
        views = (
            SideView(scope, all_sides, all_sides.old or FileSet.of_texts(())),
            SideView(scope, all_sides, all_sides.new),
        )
        stated = views[all_sides.old is None :]
        self._judge_by(SpecProfiles(scope, all_sides, stated, self._judged_paths()))
        self.views = views
        profiles = profile_changes(scope, all_sides, self.differing[2], views)
        self.tables = differing_tables(scope, all_sides, views)
        self.named_registries = NamedRegistries(scope, all_sides, views)
        self.policy_changes = (*sides.policy_changes, *profiles.words)
        self.headers = profiles.headers
        self.registries: Sequence[RegistryPair] = ()
        self.touches = True
        self.is_early = False

    def _judge_by(self, profiles: SpecProfiles) -> None:
        """Read specs with some profiles."""
        self.profiles = profiles
        self.scope.profile, self.scope.profile_of = profiles.first, profiles.of

    def _judged_paths(self) -> list[str]:
        """The paths of the specs that differ, or of all if all are judged."""
        paths = [*self.differing[0], *self.differing[1]]
        if self.scope.request.everything:
            before = () if self.sides.old is None else self.sides.old.files
            every = dict.fromkeys((*paths, *before, *self.sides.new.files, *self.around.rest().files))
            paths = [path for path in every if self.scope.wants(path)]
        return paths

    def judge(self) -> None:
        """Read both sides, and judge the differences."""
        sides = self.sides
        released = self._released()
        self.is_early = released is not None and not released.released.releases
        if self.is_early:
            # Nothing is released: what changes may change, and no peer has the old form. The profile of a new
            # protocol changes together with its messages.
            newest = self.views[1:]
            self._judge_by(SpecProfiles(self.scope, self.sides, newest, self._judged_paths()))
        self.old, self.new, self.findings, words = self._judge(released)
        # The protocol that had them before judges them; here, only whether they fit in is judged.
        self.new.context.update(self.scope.arriving)
        self.findings = [
            finding
            for finding in self.findings
            if finding.category is Category.SET
            or finding.location is None
            or finding.location.path not in self.scope.arriving
        ]
        if self.is_early:
            self.findings = [_as_early(finding) for finding in self.findings]
        if self.name:
            # Messages of two protocols may have one name.
            self.findings = [finding.of_protocol(self.name) for finding in self.findings]
        self.unread = [*self.old.unread, *self.new.unread]
        self.unread += released.unread if released else ()
        read = (*self.new.judged, *self.old.judged)
        self.names = {message.name for message in read if self.scope.wants(message.path)}
        if any(finding.rule == "message-deleted" for finding in self.findings):
            from wirebook.rules.check.skipped import reported_as_moved

            self.findings = reported_as_moved(self.findings, self.scope, sides.new)
        named = "" if self.name is None else f" [{self.name or 'no protocol'}]"
        baselines = f"; released: {released.words}" if released else ""
        self.words = f"{named}{baselines}{words}"
        self.notices = self._release_notices(released)

    def forgive_partners(self, jobs: "Sequence[_Job]") -> None:
        """Drop the findings on partners that specs lacked before they moved here from the protocols of other
        jobs.
        """
        lack = {
            finding.location.path
            for finding in self.findings
            if finding.rule == "missing-partner" and finding.location is not None
        }
        former = [job for job in jobs if lack.intersection(self.scope.arriving, job.scope.leaving)]
        unpaired = {path for job in former for path in job.without_partners()}.intersection(
            self.scope.arriving
        )
        self.findings = [
            finding
            for finding in self.findings
            if finding.rule != "missing-partner"
            or finding.location is None
            or finding.location.path not in unpaired
        ]

    def without_partners(self) -> set[str]:
        """The paths of requests and responses of the old side that have no partner there."""
        rest = self.around.rest()
        old, _ = self.around.beside(self.old, self.new, rest, rest.files)
        keys = {(message.type, message.api_key) for message in old.protocol}
        other = dict(zip(HALVES, reversed(HALVES), strict=True))
        return {
            message.path
            for message in old.protocol
            if message.type in other and (other[message.type], message.api_key) not in keys
        }

    @property
    def compared(self) -> Compared:
        """What was judged."""
        before = None if self.sides.old is None else Protocol.of(self.old.judged)
        return Compared(before, Protocol.of(self.new.judged), self.registries, self.is_early, self.name or "")

    def _judge(self, released: "Baselines | None") -> "tuple[ReadSide, ReadSide, list[Finding], str]":
        """What was read of both sides, the findings, and a description of the amount that differs."""
        if self.sides.old is None:
            return self._alone(released)
        return self._compared(self.sides.old, released)

    def _alone(self, released: "Baselines | None") -> "tuple[ReadSide, ReadSide, list[Finding], str]":
        """The new side by itself, and compared with the releases."""
        sides, everything = self.sides, self.scope.request.everything
        new = read_side(self.scope, sides.new, [path for path in sides.new.files if self.scope.wants(path)])
        if not new.texts and not new.unread and not sides.new.unread:
            raise InputError(f"there are no message specs to check: {sides.words}")
        findings = self._check(
            None,
            new.protocol,
            released,
            registries=self._registries(ReadSide(), new),
            tables=self._read_tables(ReadSide(), new, released),
            everything=everything,
        )
        return ReadSide(), new, findings, ""

    def _compared(
        self, files: FileSet, released: "Baselines | None"
    ) -> "tuple[ReadSide, ReadSide, list[Finding], str]":
        """Both sides; `files` are those of the old one."""
        around, everything = self.around, self.scope.request.everything
        old_paths, new_paths, moved = self.differing
        old = read_side(self.scope, files, old_paths, whole=True)
        new = read_side(self.scope, self.sides.new, new_paths, old.texts)
        self.profiles.apply(old, new)
        for path in new.broken & old.messages.keys():
            # It still exists, but its content is unknown.
            del old.messages[path]
        words = self._words(old, new)
        new.unread += around.named_alike(old, new)
        if everything:
            rest = around.rest()
            old, new = around.beside(old, new, rest, rest.files)
        judge = partial(
            self._check,
            released=released,
            registries=self._registries(old, new),
            deprecated_for=self.scope.config.deprecated_for.value,
            tables=self._read_tables(old, new, released),
        )
        # Values depend on the versions of messages whose specs may be unchanged.
        on_all = moved or everything or any(each.are_values_of_a_side for each in self.tables)
        if on_all or self.headers is not None or outlines(old) != outlines(new):
            old, new, findings = self._judge_all(old, new, judge)
        else:
            old, new, findings = self._judge_differing(old, new, judge)
        if self.scope.names:
            wants = self.scope.wants
            findings = [
                finding
                for finding in findings
                if any(spec.path and wants(spec.path) for spec in finding.specs)
            ]
        return old, new, findings, words

    def _judge_all(
        self, old: ReadSide, new: ReadSide, judge: "Callable[..., list[Finding]]"
    ) -> "tuple[ReadSide, ReadSide, list[Finding]]":
        """The findings on all specs together, which may depend on unchanged ones."""
        everything = self.scope.request.everything
        if not everything:
            rest = self.around.rest()
            old, new = self.around.beside(old, new, rest, rest.files)
        if self.headers is not None:
            self.headers.apply(old, new)
        # No reliable finding is possible on an incomplete set.
        together = not old.broken and not new.broken and not self.sides.new.unread
        return old, new, judge(old.protocol, new.protocol, together=together, everything=everything)

    def _judge_differing(
        self, old: ReadSide, new: ReadSide, judge: "Callable[..., list[Finding]]"
    ) -> "tuple[ReadSide, ReadSide, list[Finding]]":
        """The findings on the specs that differ, and the unchanged ones that they depend on."""
        around = self.around
        halves = around.halves(old, new)
        both = (old, new) if halves is None else around.beside(old, new, *halves)
        findings = judge(both[0].protocol, both[1].protocol, together=False)
        context = around.context(old, findings)
        if context is not None:
            paths = [*context[1], *(halves[1] if halves else ())]
            side = around.near(paths) if halves else context[0]
            both = around.beside(old, new, side, paths)
            findings = judge(both[0].protocol, both[1].protocol, together=False)
        return *both, findings

    def _registries(self, old: ReadSide, new: ReadSide) -> "Sequence[RegistryPair]":
        self.registries = read_registries(self.around, self.named_registries, old, new)
        return self.registries

    def _read_tables(
        self, old: ReadSide, new: ReadSide, released: "Baselines | None"
    ) -> "Sequence[TablesPair]":
        """The tables of error codes and values, which few protocols have."""
        if not self.tables:
            return ()
        from wirebook.rules.check.tables import read_tables

        return read_tables(self.around, self.tables, old, new, released)

    def _check(
        self,
        old: Protocol | None,
        new: Protocol,
        released: "Baselines | None",
        *,
        registries: "Sequence[RegistryPair]" = (),
        tables: "Sequence[TablesPair]" = (),
        **options: Any,
    ) -> "list[Finding]":
        """Like `engine.check`; the engine is loaded only to judge something: most commits edit no spec."""
        is_idle = not ((old is not None and old.messages) or new.messages or tables)
        if is_idle and not registries:
            return []
        from wirebook.rules.engine import check

        return check(
            old,
            new,
            () if released is None else released.released,
            old_registry=registries[0].old if registries else None,
            new_registry=registries[0].new if registries else None,
            other_registries=registries[1:],
            tables=tables,
            **options,
        )

    def _words(self, old: ReadSide, new: ReadSide) -> str:
        """A description of the amount that differs. Raises InputError if there is nothing to compare."""
        sides = self.sides
        differ = {
            path for side in (old, new) for path in (*side.texts, *side.messages) if self.scope.wants(path)
        }.difference(self.scope.arriving)
        if not differ and not old.unread and not new.unread and not sides.new.unread:
            is_empty = not self.scope.names and not some_spec(self.around.rest())
            if is_empty and not some_spec(sides.new):
                raise InputError(f"there are no message specs to check: {sides.words}")
        self.touches = bool(differ)
        is_same = sides.is_same and self.headers is None and not self.policy_changes
        if is_same and not differ and not self.scope.request.everything:
            return ": 0 specs differ; both sides are the same, so nothing was compared"
        tables = [each.paths[1] for each in self.tables if each.texts[0] != each.texts[1]]
        tables += ["the registry of protocol levels"] if self.named_registries.differ else []
        self.touches = bool(differ or tables)
        more = f", and {' and '.join(tables)}" if tables else ""
        arriving = len(self.scope.arriving)
        moves = "1 spec moves" if arriving == 1 else f"{arriving} specs move"
        gets = f", and {moves} here from other protocols" if arriving else ""
        return f": {len(differ)} {'spec differs' if len(differ) == 1 else 'specs differ'}{more}{gets}"

    def _released(self) -> "Baselines | None":
        if not self.scope.config.released.value:
            return None
        from wirebook.rules.check.baselines import read_baselines

        return read_baselines(self.around, self.base, self.views[0])

    def _release_notices(self, released: "Baselines | None") -> tuple[str, ...]:
        """The notices about the releases."""
        if released is None:
            return ()
        return released.notices + (released.details if self.scope.request.verbose else ())


def _as_early(finding: "Finding") -> "Finding":
    """A finding before the first release: a warning about a change is for information."""
    is_mild = finding.severity is Severity.WARNING and finding.category in _OF_CHANGES
    return finding._replace(severity=Severity.INFO) if is_mild else finding


def _differing(sides: ComparedSides) -> tuple[list[str], list[str], bool]:
    """Like `differing`; without an old side, all specs."""
    if sides.old is None:
        return [], list(sides.new.files), False
    return differing(sides.old.files, sides.new.files)


def _site() -> str:
    from wirebook.rules.site_address import site_address

    return site_address()


def _decoded(texts: Mapping[str, bytes], paths: Iterable[str]) -> dict[str, str]:
    """The texts that findings point into, decoded so that lines and columns count as in the reader."""
    present = {path for path in paths if path in texts}
    return {path: texts[path].decode("utf-8", "replace").removeprefix("\ufeff") for path in present}
