"""Specs with the files of structs that they import: together, these are the text that a survey judges."""

from __future__ import annotations

import json
import posixpath
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace

from wirebook.docgen.survey.reading import RepositoryHistory, SurveyedFile, protocol_of, read_repository
from wirebook.docgen.survey.repositories import Given
from wirebook.specs.reading.discovery import is_structs, may_import
from wirebook.specs.reading.imports import with_imports
from wirebook.specs.sources.git import GitRepo
from wirebook.specs.sources.git_objects import GitObject

ObjectAt = Callable[[str], GitObject]


def read_with_imports(repository: Given, protocol: str | None = None) -> RepositoryHistory:
    """The history of a repository (`read_repository`), in which a spec that imports structs is another text
    wherever these are other ones.

    The object of such a file names all that is read with it (`whole_text`), and its first commit is that of
    the newest part. What such specs were only between the points of the history is left out.
    """
    history = read_repository(repository, protocol)
    if history.profile.family:
        return history
    with GitRepo(repository.path) as opened:
        return _History(history, opened.objects.query_one).with_imports()


def with_profile(
    history: RepositoryHistory, repository: Given, protocol: str | None = None
) -> RepositoryHistory:
    """A history that was read before, with its profile, for which only its newest specs are read again."""
    plain = tuple(file._replace(object=blob_of(file.object)) for file in history.files)
    with GitRepo(repository.path) as opened:
        part, _ = protocol_of(replace(history, files=plain), opened, repository, protocol)
    return replace(history, profile=part.profile)


class _History:
    """A history, with the texts of its files as far as they have been read."""

    def __init__(self, history: RepositoryHistory, read: ObjectAt) -> None:
        self.history = history
        self.read = read
        self.texts: dict[str, bytes] = {}

    def text(self, name: str) -> bytes:
        if name not in self.texts:
            blob = self.read(name)
            self.texts[name] = blob.data if blob.kind == "blob" and blob.is_complete else b""
        return self.texts[name]

    def with_imports(self) -> RepositoryHistory:
        history = self.history
        importing = {file.object for file in history.files if may_import(self.text(file.object))}
        if not importing:
            return history
        first = dict(zip(history.files, history.since, strict=True))
        since = {file: commit for file, commit in first.items() if file.object not in importing}
        points = []
        for point in history.points:
            by_path = {history.files[number].path: history.files[number] for number in point.files}
            files = []
            for file in by_path.values():
                used = [file]
                if file.object in importing:
                    if is_structs(self.text(file.object)):
                        continue
                    used += self.imported(file, by_path)
                whole = SurveyedFile(file.path, _name(used))
                commits = [commit for commit in map(first.get, used) if commit is not None]
                since.setdefault(whole, max(commits) if len(commits) == len(used) else None)
                files.append(whole)
            points.append((point, files))
        numbers = {file: number for number, file in enumerate(since)}
        return replace(
            history,
            files=tuple(since),
            since=tuple(since.values()),
            points=tuple(
                point._replace(files=tuple(numbers[file] for file in files)) for point, files in points
            ),
        )

    def imported(self, file: SurveyedFile, by_path: Mapping[str, SurveyedFile]) -> list[SurveyedFile]:
        """The files that a spec imports, directly or through others, among those of a point by path."""
        used: list[SurveyedFile] = []

        def opened(path: str) -> bytes | None:
            if path not in by_path:
                return None
            used.append(by_path[path])
            return self.text(by_path[path].object)

        with_imports(self.text(file.object), file.path, opened)
        return used


def _name(used: Sequence[SurveyedFile]) -> str:
    """The name of a text: the object of the spec, and of what it imports, by its path from the spec."""
    spec, *others = used
    folder = posixpath.dirname(spec.path) or "."
    imported = {posixpath.relpath(each.path, folder): each.object for each in others}
    return f"{spec.object} {json.dumps(imported, sort_keys=True)}" if imported else spec.object


def blob_of(name: str) -> str:
    """The object of the spec itself, by the name of a text."""
    return name.partition(" ")[0]


def imported_blobs(names: Iterable[str]) -> dict[str, None]:
    """The objects that texts import, by the names of the texts."""
    return {blob: None for name in names for blob in _imported(name).values()}


def whole_text(name: str, blob: GitObject, path: str, blobs: Mapping[str, GitObject]) -> GitObject:
    """The spec at a path with what it imports, which is among `blobs`, under the name of the text."""
    folder = posixpath.dirname(path) or "."
    imported = _imported(name)

    def opened(place: str) -> bytes | None:
        other = blobs.get(imported.get(posixpath.relpath(place, folder), ""))
        return other.data if other is not None and other.kind == "blob" else None

    return blob._replace(name=name, data=with_imports(blob.data, path, opened))


def _imported(name: str) -> Mapping[str, str]:
    imported: dict[str, str] = json.loads(name.partition(" ")[2] or "{}")
    return imported
