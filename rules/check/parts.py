"""The protocols of a repository with several: one check judges each separately."""

from __future__ import annotations

import copy
import posixpath
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import cached_property

from wirebook.rules.check.protocol import SideView, configured_profile
from wirebook.rules.check.registries import may_be_table
from wirebook.rules.check.scope import Policy, Scope
from wirebook.rules.check.surroundings import Surroundings, files_at
from wirebook.rules.project.settings import Setting
from wirebook.specs.printable import visible
from wirebook.specs.problems import InputError
from wirebook.specs.reading.discovery import REGISTRY, is_spec, place_of
from wirebook.specs.reading.globs import matches
from wirebook.specs.reading.protocols import Protocols
from wirebook.specs.sources.filesets import FileSet
from wirebook.specs.sources.revisions import ComparedSides


def parts_of(scope: Scope, sides: ComparedSides, *, of_all: bool = False) -> list[Scope]:
    """A scope for each protocol with something to judge, or `of_all`; empty if nothing differs.

    The old side decides which protocol a file belongs to; for a new file that it does not claim, the new side
    does. Unclaimed files are judged as a separate protocol. Raises InputError if two protocols of the new
    side claim a file.
    """
    before = sides.old.files if sides.old is not None else {}
    after = sides.new.files
    paths = {path for path in {*before, *after} if before.get(path) != after.get(path)}
    filesets = [side for side in (sides.old, sides.new) if side is not None]
    if of_all or scope.request.everything or any(posixpath.basename(path) == REGISTRY for path in paths):
        # A registry belongs to the protocols whose specs are near it.
        filesets.append(Surroundings(scope, sides).rest())
        paths |= {path for side in filesets for path in side.files}
    specs = sorted({path for side in filesets for path in _specs(side, paths)})
    owners = _Owners(scope, sides, specs)
    names = {owners.owner(path) for path in specs if scope.wants(path)}
    tables = _named_tables(scope, sides, owners) if scope.names.difference(specs) else {}
    for path in specs:
        if path in after:
            owners.check(path)
    parts = [_part(scope, name, owners, tables.get(name, ())) for name in sorted({*names, *tables})]
    newest = [path for path in specs if path in after or path not in before]
    parts += _newcomers(scope, parts, owners, newest)
    _reassign(parts, owners, newest)
    if scope.request.everything:
        scope.notices += _unmatched(owners, newest)
    if "" in names:
        scope.notices += _notices(owners, [path for path in specs if not owners.owner(path)])
    return parts


def _notices(owners: _Owners, unnamed: Sequence[str]) -> Iterator[str]:
    """The notices about specs that no protocol of the old side claims."""
    later = [path for path in unnamed if owners.after(path)]
    never = [path for path in unnamed if not owners.after(path)]
    if later:
        yield f"the [[protocol]] tables of this change apply to {_listed(later)} from the next change on"
    if never:
        yield f"no [[protocol]] claims {_listed(never)}: judged as a separate protocol"


def _unmatched(owners: _Owners, specs: Sequence[str]) -> Iterator[str]:
    """The notices about globs of [[protocol]] tables of the new side that match none of its specs."""
    policy, protocols = owners.new
    others = " that is not excluded" if policy.config.exclude.value else ""
    paths = [policy.placed(owners.scope.top)(path) for path in specs]
    for claim in protocols.claims:
        for glob, position in zip(claim.paths, claim.places, strict=True):
            if not any(matches(path, (glob,)) for path in paths):
                at = "" if position is None else f":{position.line}:{position.column}"
                words = f'"{visible(glob)}" of the protocol "{claim.name}" matches no spec{others}'
                yield f"{protocols.path}{at}: {words}"


def _listed(paths: Sequence[str]) -> str:
    return paths[0] + (f" and {len(paths) - 1} more" if len(paths) > 1 else "")


def _specs(side: FileSet, paths: Iterable[str]) -> Iterator[str]:
    """The paths at which a side has a spec, or something unreadable."""
    named = [path for path in paths if path in side.files and posixpath.basename(path) != REGISTRY]
    for path, text in side.read(named).items():
        if isinstance(text, InputError) or is_spec(text, place_of(path)):
            yield path


def _named_tables(scope: Scope, sides: ComparedSides, owners: _Owners) -> dict[str, set[str]]:
    """Those of FILES that may be tables of protocols, by the names of these.

    Where a profile.toml names them, the protocol that has the folder judges them.
    """
    named: dict[str, set[str]] = {}
    others: set[str] = set()
    for side in filter(None, (sides.old, sides.new)):
        _, protocols = owners.old if side is sides.old else owners.new
        for claim in protocols.claims:
            part = copy.copy(scope)
            part.part, part.part_names = claim.name, (claim.name,)
            profile = configured_profile(part, SideView(part, sides, side), claim.profile)
            named.setdefault(claim.name, set()).update(scope.names & set(profile.tables.values()))
        others.update(path for path in scope.names if may_be_table(SideView(scope, sides, side), path))
    for path in others.difference(*named.values()):
        named.setdefault(owners.owner(path), set()).add(path)
    return {name: tables for name, tables in named.items() if tables}


def _part(scope: Scope, name: str, owners: _Owners, tables: Collection[str]) -> Scope:
    part = scope.of_protocol(name, owners.owner, owners.later(name))
    part.notices, part.tables = [], set()
    part.owns = lambda path: owners.owns(name, path)
    part.claims = (name, *owners.words)
    owned = (
        {path for path in paths if not path.endswith(".json") or part.owns(path) or path in tables}
        for paths in scope.named
    )
    part.named = [paths for paths in owned if paths]
    return part


def _newcomers(
    scope: Scope, parts: Sequence[Scope], owners: _Owners, specs: Iterable[str]
) -> Iterator[Scope]:
    """A scope for each protocol of the new side that has only specs that others have before the change."""
    if scope.names:
        return
    former = [path for path in specs if path not in owners.added]
    names = {owners.after(path) for path in former if owners.after(path) != owners.later(owners.owner(path))}
    for name in sorted(names.difference(part.part_names[-1] for part in parts)):
        part = _part(scope, name, owners, ())
        part.part_names = (name, name)
        part.owns = part.may_own = lambda path: False
        part.config = part.config._replace(released=Setting(()))
        yield part


def _reassign(parts: Sequence[Scope], owners: _Owners, specs: Iterable[str]) -> None:
    """Set which specs of the new side the change gives from one protocol to another.

    The protocol of the old side compares them, and the other one sees whether it has room for them.
    """
    by_name = {part.part: part for part in reversed(parts)}
    later = {part.part_names[-1]: part for part in reversed(parts)}
    for path in specs:
        own, other = by_name.get(owners.owner(path)), later.get(owners.after(path))
        if own is not None and owners.after(path) != own.part_names[-1]:
            own.leaving = (*own.leaving, path)
            if other is not None:
                other.arriving = (*other.arriving, path)


def arrived(part: Scope, own: ComparedSides, every: ComparedSides) -> ComparedSides:
    """The sides of a protocol, with the specs that the change gives to it as new ones."""
    if not part.arriving:
        return own
    return own._replace(new=own.new.beside(files_at(every, part.arriving)))


def _moved(removed: Mapping[str, str], after: Mapping[str, str], added: Collection[str]) -> dict[str, str]:
    """The new paths of files that are removed and added again with the same content, or else file name."""
    contents = {after[path]: path for path in added}
    names = {posixpath.basename(path): path for path in added}
    places = {
        path: contents.get(name) or names.get(posixpath.basename(path)) for path, name in removed.items()
    }
    return {path: place for path, place in places.items() if place is not None}


class _Owners:
    """Decides which protocol a file belongs to, by its path from the top."""

    def __init__(self, scope: Scope, sides: ComparedSides, specs: Sequence[str]) -> None:
        self.scope = scope
        self.specs = specs
        self.old, self.new = (self._of(policy) for policy in (scope.policies[0], scope.policies[-1]))
        before = sides.old.files if sides.old is not None else {}
        self.added = sides.new.files.keys() - before.keys()
        removed = [path for path in specs if path in before and path not in sides.new.files]
        self.moved = _moved({path: before[path] for path in removed}, sides.new.files, self.added)
        self.known: dict[str, str] = {}

    @staticmethod
    def _of(policy: Policy) -> tuple[Policy, Protocols]:
        return policy, policy.config.protocols.value or Protocols()

    @property
    def words(self) -> tuple[str, ...]:
        """The claims, and the files that the change assigns, as text for the key of a cache."""
        assigned = [path for path in self.specs if self.owner(path) != self._by(self.old, path)]
        return (*(repr(protocols.meant) for _, protocols in (self.old, self.new)), *assigned)

    def owner(self, path: str) -> str:
        """The name of the protocol of a file; "" for none."""
        if path not in self.known:
            self.known[path] = self._owner(path)
        return self.known[path]

    def _owner(self, path: str) -> str:
        policy, protocols = self.old
        # A file that only the new side has may belong to a protocol that only the new side names.
        if path in self.added and protocols.claimed(policy.placed(self.scope.top)(path)) is None:
            name = self.after(path)
            former = [each for each, later in self._later.items() if later == name]
            return name if name in former or not former else former[0]
        return self._by(self.old, path)

    @cached_property
    def _later(self) -> dict[str, str]:
        """The protocols of the old side by name, each with its name on the new side: that of the protocol to
        which most of its specs belong there. Of several that become one, that with the most has its name.
        """
        names: dict[str, Counter[str]] = {}
        for path in self.specs:
            if path not in self.added:
                later_path = self.moved.get(path, path)
                names.setdefault(self._by(self.old, path), Counter())[self.after(later_path)] += 1
        # One that keeps a spec has not been renamed, wherever the others go.
        later_names = {name for name, every in names.items() if name in every}
        later = {name: name for name in names}
        shares = ((count, name, each) for name, every in names.items() for each, count in every.items())
        for _, name, each in sorted(shares, key=lambda share: (-share[0], *share[1:])):
            if name not in later_names and later[name] == name and each not in later_names:
                later[name] = each
                later_names.add(each)
        return later

    def later(self, name: str) -> str:
        """The name of a protocol on the new side."""
        return self._later.get(name, name)

    def after(self, path: str) -> str:
        """The protocol to which the new side assigns a file; "" for none."""
        return self._by(self.new, path)

    def _by(self, side: tuple[Policy, Protocols], path: str) -> str:
        policy, protocols = side
        return protocols.owner(policy.placed(self.scope.top)(path), contested=True)

    def check(self, path: str) -> None:
        """Raise InputError if two protocols of the new side claim a file."""
        policy, protocols = self.new
        protocols.owner(policy.placed(self.scope.top)(path))

    def owns(self, name: str, path: str) -> bool:
        """Whether a file belongs to a protocol. A registry belongs to those with specs below it."""
        if posixpath.basename(path) == REGISTRY:
            above = posixpath.dirname(path)
            near = (spec for spec in self.specs if not above or spec.startswith(f"{above}/"))
            return any(self.owner(spec) == name for spec in near)
        return self.owner(path) == name
