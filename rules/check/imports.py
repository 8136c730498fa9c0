"""What specs import, on each side of a check from that side: a change of shared structs reaches all users."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from wirebook.rules.check.scope import Scope, below
from wirebook.specs.problems import InputError
from wirebook.specs.reading.discovery import candidate, digest_of, is_structs, may_import
from wirebook.specs.reading.reader import read_structs
from wirebook.specs.sources.filesets import FileSet, FileTexts
from wirebook.specs.sources.revisions import ComparedSides


def with_shared_structs(scope: Scope, sides: ComparedSides) -> ComparedSides:
    """The two sides, whose specs are read with what they import.

    A file of structs that differs is not a spec of its own: all specs that import it differ instead. One that
    is wrong is unread. FILES that name it name the specs that import it, too.
    """
    importing = _Importing(sides)
    scope.structs = importing.shared[True] | importing.shared[False]
    for path in scope.structs:
        for named in scope.named:
            if below(path, named):
                named.update(importing.differing_users(path))
    notices = tuple(
        f"no message imports {path}: its structs are part of no message, and any change of them is compatible"
        for path in sorted(importing.unused(scope.request.everything))
        if scope.takes(path) and scope.wants(path)
    )
    with_structs = importing.sides()
    return with_structs._replace(notices=(*with_structs.notices, *notices))


class _Importing:
    """Reads the specs of both sides with what they import; most protocols have no such specs."""

    def __init__(self, compared: ComparedSides) -> None:
        self.compared = compared
        # By whether the side is the old one; the texts that differ, and the digests of all files.
        self.texts: dict[bool, FileTexts] = {}
        self.files: dict[bool, dict[str, str]] = {}
        before = {} if compared.old is None else compared.old.files
        for is_old, side, other in ((True, compared.old, compared.new.files), (False, compared.new, before)):
            self.files[is_old] = {} if side is None else dict(side.files)
            differing = [path for path, name in self.files[is_old].items() if other.get(path) != name]
            self.texts[is_old] = {} if side is None else side.read(_json(differing))
        # A path may have a file of structs on one side, and a message on the other.
        self.shared = {
            is_old: {path for path, text in texts.items() if isinstance(text, bytes) and is_structs(text)}
            for is_old, texts in self.texts.items()
        }
        self.reached: set[str] = set()
        # What specs or files of structs of the new side import.
        self.imported: set[str] = set()
        # The specs of either side that import each file, also by way of others.
        self.users: dict[str, set[str]] = {}
        for is_old, texts in self.texts.items():
            for path, text in texts.items():
                if path in self.shared[is_old]:
                    self.files[is_old].pop(path, None)
                elif isinstance(text, bytes) and may_import(text):
                    self.files[is_old][path] = self._digest(is_old, path, text)
        if any(self.shared.values()):
            self._reach()

    def differing_users(self, path: str) -> set[str]:
        """The specs that import a file on either side, and that differ with it."""
        differing = self.reached | self.texts[True].keys() | self.texts[False].keys()
        return self.users.get(path, set()) & differing

    def unused(self, everything: bool) -> set[str]:
        """The files of structs that no spec of the new side imports: those that differ, or all of them."""
        paths = self.shared[False] & self.texts[False].keys()
        if everything:
            side, equal = self._equal()
            for path, text in side.read(_json(equal)).items():
                if isinstance(text, InputError):
                    continue
                if is_structs(text):
                    paths = paths | {path}
                else:
                    self._whole(False, path, text)
        return paths - self.imported

    def sides(self) -> ComparedSides:
        """The two sides."""
        compared = self.compared
        old = compared.old and self._reading(True, compared.old)._replace(files=self.files[True])
        unread = (*compared.new.unread, *self._wrong())
        new = self._reading(False, compared.new)._replace(files=self.files[False], unread=unread)
        if compared.rest is None or compared.some is None:
            return compared._replace(old=old, new=new)
        rest, some = compared.rest, compared.some
        return compared._replace(
            old=old,
            new=new,
            rest=lambda: self._same(rest()),
            some=lambda paths: self._same(some(path for path in paths if path not in self.reached)),
        )

    def _same(self, side: FileSet) -> FileSet:
        """Files that are equal on both sides, and so is what they import."""
        files = {path: name for path, name in side.files.items() if path not in self.reached}
        return self._reading(False, side)._replace(files=files)

    def _wrong(self) -> Iterator[str]:
        """Why the files of structs that the new side changes cannot be used."""
        if not any(self.shared.values()):
            return
        from wirebook.specs.reading.imports import structs_document

        for path in sorted((self.shared[True] | self.shared[False]) & self.texts[False].keys()):
            text = self.texts[False][path]
            try:
                if isinstance(text, InputError):
                    raise InputError(text.message, path)
                if is_structs(text):
                    structs_document(text, path)
                    if not self.reached and not any(map(self._may_import, self.texts[False])):
                        # Values of imported structs are judged in the specs that import them.
                        read_structs(text, path)
            except InputError as error:
                yield str(error)

    def _may_import(self, path: str) -> bool:
        """Whether a spec that differs on the new side imports structs."""
        text = self.texts[False][path]
        return isinstance(text, bytes) and path not in self.shared[False] and may_import(text)

    def _reading(self, is_old: bool, side: FileSet) -> FileSet:
        """A side whose specs are read with what they import."""
        if side.has_imports:
            return side

        def read(paths: Iterable[str]) -> FileTexts:
            known_texts, every_path = self.texts[is_old], list(paths)
            more = side.read(path for path in every_path if path not in known_texts)
            texts = {path: known_texts[path] if path in known_texts else more[path] for path in every_path}
            return {path: self._whole(is_old, path, text) for path, text in texts.items()}

        return side._replace(read=read)

    def _whole(self, is_old: bool, path: str, text: bytes | InputError) -> bytes | InputError:
        if isinstance(text, InputError) or not may_import(text):
            return text
        from wirebook.specs.reading.imports import with_imports

        return with_imports(text, path, self._opening(is_old, path))

    def _digest(self, is_old: bool, path: str, text: bytes) -> str:
        """The digest of a spec with what it imports."""
        side = self.compared.old if is_old else self.compared.new
        whole = text if side is not None and side.has_imports else self._whole(is_old, path, text)
        assert isinstance(whole, bytes)
        return digest_of(whole)

    def _opening(self, is_old: bool, spec: str) -> Callable[[str], bytes | InputError | None]:
        """What opens a file that a spec of one side imports: one that does not differ is the same on both."""
        sides = (self.compared.old, self.compared.new)
        side, other = sides if is_old else sides[::-1]

        def opened(path: str) -> bytes | InputError | None:
            self.users.setdefault(path, set()).add(spec)
            if not is_old:
                self.imported.add(path)
            if path in self.texts[is_old]:
                return self.texts[is_old][path]
            if side is not None and path in side.files:
                return side.read([path])[path]
            is_other = other is not None and path in other.files
            if self.compared.some is None or is_other or not candidate(path, tests=True):
                return None
            same = self.compared.some([path])
            return same.read([path])[path] if path in same.files else None

        return opened

    def _reach(self) -> None:
        """Find the specs that are equal on both sides, but import something that differs."""
        compared = self.compared
        if compared.new.has_imports or (compared.old is not None and compared.old.has_imports):
            return
        same, equal = self._equal()
        for path, text in same.read(_json(equal)).items():
            if isinstance(text, InputError) or not may_import(text) or is_structs(text):
                continue
            digests = {is_old: self._digest(is_old, path, text) for is_old in (True, False)}
            if digests[True] != digests[False]:
                self.reached.add(path)
                for is_old, digest in digests.items():
                    self.texts[is_old][path] = text
                    self.files[is_old][path] = digest

    def _equal(self) -> tuple[FileSet, list[str]]:
        """The side that has the files which are equal on both sides, and their paths."""
        compared = self.compared
        if compared.rest is not None:
            side = compared.rest()
            return side, list(side.files)
        before = {} if compared.old is None else compared.old.files
        side = compared.new
        return side, [path for path, name in side.files.items() if before.get(path) == name]


def _json(paths: Iterable[str]) -> list[str]:
    return [path for path in paths if path.endswith(".json")]
