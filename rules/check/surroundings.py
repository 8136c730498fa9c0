"""The unchanged files of a check that findings on changed ones depend on."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Sequence, Set
from typing import TYPE_CHECKING

from wirebook.rules.check.reading import ReadSide, api_ranges, read_side
from wirebook.rules.check.scope import Scope, below
from wirebook.specs.problems import InputError
from wirebook.specs.sources.filesets import FileSet
from wirebook.specs.sources.revisions import ComparedSides

if TYPE_CHECKING:
    from wirebook.rules.finding import Finding


def files_at(sides: ComparedSides, paths: Collection[str]) -> FileSet:
    """The files that the new side has at some paths, whether they differ or not."""
    every = sides.new if sides.some is None else sides.new.beside(sides.some(paths))
    return every._replace(files={path: every.files[path] for path in paths if path in every.files})


_NO_SPEC = "there is no such spec on either side"


class Surroundings:
    """The unchanged files, listed and read only if needed."""

    def __init__(self, scope: Scope, sides: ComparedSides) -> None:
        self.scope = scope
        self.sides = sides
        self._alike: FileSet | None = None

    def rest(self) -> FileSet:
        """The unchanged files."""
        if self.sides.rest is not None:
            if self._alike is None:
                self._alike = self.scope.taken(self.sides.rest())
            return self._alike
        before = {} if self.sides.old is None else self.sides.old.files
        same = {path: name for path, name in self.sides.new.files.items() if before.get(path) == name}
        return self.sides.new._replace(files=same)

    def near(self, paths: Iterable[str]) -> FileSet:
        """Like `rest`, at least for some files: listing a whole index starts another git process."""
        if self.sides.some is None or self._alike is not None:
            return self.rest()
        return self.scope.taken(self.sides.some(paths))

    def named_alike(self, old: ReadSide, new: ReadSide) -> list[str]:
        """Why unchanged files named in the request cannot be read: naming a file reports its errors."""
        read_paths = {*old.texts, *new.texts, *old.broken, *new.broken, ""}
        names = self.scope.names
        if names <= read_paths:
            return []
        rest = self.rest()
        return read_side(self.scope, rest, sorted((names - read_paths) & rest.files.keys())).unread

    def all_there(self, tables: Set[str]) -> None:
        """Raise InputError for a named file that neither side has, and if no file that is named is judged;
        `tables` are those that profiles name.
        """
        paths = [*self.sides.new.files, *(self.sides.old.files if self.sides.old else ())]
        others = tables | self.scope.structs
        missing = [
            names
            for names in self.scope.named
            if names.isdisjoint(others) and not any(below(path, names) for path in paths)
        ]
        unchanged = self.rest().files if missing else ()
        absent = [names for names in missing if not any(below(path, names) for path in unchanged)]
        for names in absent:
            name = min(names)
            why = self._absence(name)
            if len(absent) == len(self.scope.named) or why != _NO_SPEC or not self._exists(names):
                raise InputError(why, name)

    def _exists(self, names: Set[str]) -> bool:
        """Whether a file has one of some paths: a list of changed files has others than specs, too."""
        repository, commits = self.scope.repository, (self.sides.base, self.sides.tip)
        if any(os.path.lexists(self.scope.top / name) for name in names):
            return True
        return repository is not None and any(
            repository.git.at(commit, names) for commit in commits if commit is not None
        )

    def _absence(self, name: str) -> str:
        """Why neither side has a spec with this name, a path from the top."""
        if name.startswith("../") and self.scope.repository is not None:
            return "this is outside the repository: name two sources with --old and --new"
        parts = name.split("/")
        folders = ["/".join(parts[: number + 1]) for number in range(len(parts))]
        inner = next((folder for folder in folders if (self.scope.top / folder / ".git").exists()), None)
        if self.scope.repository is not None and inner is not None:
            return f"{inner} is another repository: check it from there"
        return _NO_SPEC

    def context(self, old: ReadSide, findings: Sequence[Finding]) -> tuple[FileSet, Iterable[str]] | None:
        """The unchanged files, and those among them that affect the severity of findings."""
        if not findings:
            return None
        from wirebook.rules.precedents import OF_ALL_FILES

        if any(finding.rule in OF_ALL_FILES for finding in findings):
            rest = self.rest()
            return rest, rest.files
        request_keys = {message.api_key for message in old.messages.values() if message.type == "request"}
        keys = {finding.api_key for finding in findings if finding.message_type == "response"} - request_keys
        if not keys:
            return None
        # Specs may mark only the request as unstable.
        side, paths = self._partners(old.messages, {("request", key) for key in keys})
        partners = read_side(self.scope, side, paths).messages.values()
        return (side, paths) if any(message.latest_version_unstable for message in partners) else None

    def halves(self, old: ReadSide, new: ReadSide) -> tuple[FileSet, Iterable[str]] | None:
        """The unchanged files, and those among them that a change of these specs concerns.

        They have the other half of an API whose versions change, or a copy of a struct that does.
        """
        if self._may_change_copies(old, new):
            rest = self.rest()
            return rest, rest.files
        before, after = api_ranges(old), api_ranges(new)
        changed = {identity for identity, ranges in after.items() if before.get(identity) != ranges}
        others = {("response" if kind == "request" else "request", key) for kind, key in changed}
        if not others - after.keys():
            return None
        return self._partners(new.messages, others - after.keys())

    def _may_change_copies(self, old: ReadSide, new: ReadSide) -> bool:
        """Whether a struct changes that other specs may define, too; those of Kafka's family share none."""
        if not old.messages or any(message.profile.family for message in new.messages.values()):
            return False
        from wirebook.rules.pairs.copies import changes_copies

        return changes_copies(old.protocol, new.protocol)

    def _partners(
        self, paths: Iterable[str], halves: set[tuple[str, int | None]]
    ) -> tuple[FileSet, Iterable[str]]:
        """The unchanged files, and those among them with requests and responses of some API keys.

        They are found by the name of the other half of the API, or else by reading all files.
        """
        swapped = {"Request.json": "Response.json", "Response.json": "Request.json"}
        near = [
            path.removesuffix(ending) + other
            for path in paths
            for ending, other in swapped.items()
            if path.endswith(ending)
        ]
        side = self.near(near)
        partners = read_side(
            self.scope, side, [path for path in near if path in side.files]
        ).messages.values()
        if halves <= {(message.type, message.api_key) for message in partners}:
            return side, [message.path for message in partners]
        rest = self.rest()
        return rest, rest.files

    def beside(
        self, old: ReadSide, new: ReadSide, rest: FileSet, paths: Iterable[str]
    ) -> tuple[ReadSide, ReadSide]:
        """Both sides with additional files that are equal on both; unreadable ones are not reported."""
        same = read_side(self.scope, rest, paths)
        unread = same.unread if self.scope.request.everything else []
        before, after = old.added_to(same), new.added_to(same)
        after.unread = [*after.unread, *unread]
        if self.sides.old is not None:
            # Files that moved without a change.
            old_files = self.sides.old.files
            present = self.sides.new.files
            old_paths = [path for path in old_files if path not in before.texts and path not in present]
            new_paths = [path for path in present if path not in after.texts and path not in old_files]
            moved_old = read_side(self.scope, self.sides.old, old_paths, whole=True)
            moved_new = read_side(self.scope, self.sides.new, new_paths)
            for side, more in ((before, moved_old), (after, moved_new)):
                side.texts.update(more.texts)
                side.messages.update(more.messages)
                side.imported.update(more.imported)
        before.context = before.messages.keys() - old.messages.keys()
        after.context = after.messages.keys() - new.messages.keys()
        if self.scope.request.everything:
            after.context = set()
        return before, after
