"""A git repository as a source of specs: commits, trees and tags. It never writes and never runs a hook."""

import os
import posixpath
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, NamedTuple

from wirebook.specs.limits import MAX_LINK_CHAIN, MAX_TEXT
from wirebook.specs.problems import InputError
from wirebook.specs.reading.discovery import (
    candidate,
    digest_of,
    is_spec,
    is_structs,
    may_import,
    place_of,
    shown,
)
from wirebook.specs.sources.git_command import remedy, run
from wirebook.specs.sources.git_objects import EMPTY_TREES, LINK, GitObject, ObjectReader, TreeEntry

__all__ = ["GitRepo", "SpecEntry", "git_releases", "run"]

if TYPE_CHECKING:
    # A command that reads no trees or tags does not need them.
    from wirebook.specs.sources.git_trees import TreeFiles, TreeReader
    from wirebook.specs.sources.links import LinkedFiles
    from wirebook.specs.sources.refs import Refs
    from wirebook.specs.sources.releases import Release, Releases

_KEPT = 64 << 20  # bytes of texts that are kept after they were read to see whether they are specs
_LISTED = 100  # paths in a command line
_OUTSIDE = "this is a link that points outside the repository"
_FULL_NAME = "[0-9a-f]{40}|[0-9a-f]{64}"


class SpecEntry(NamedTuple):
    """A spec in a tree: its path and the digest of its text."""

    path: str
    digest: str


class OversizeError(InputError):
    """A text that is too large for a spec; `beginning` is what was read of it."""

    def __init__(self, beginning: bytes) -> None:
        super().__init__("larger than any spec")
        self.beginning = beginning


def git_releases(repository: str, pattern: str) -> "list[Release]":
    """The tags of a repository (or bundle) that match a glob and name a release, oldest version first.

    See `GitRepo.releases`, which also lists the tags that were left out, each with the reason.
    """
    with GitRepo(repository) as opened:
        return opened.releases(pattern).found


class GitRepo:
    """A repository (working, bare, or a bundle), read in place; a reusable context manager.

    With `index`, it is the repository that a hook works on. All methods raise InputError if git cannot find
    or read something.
    """

    def __init__(self, path: str | Path, *, index: bool = False) -> None:
        self.path = str(path)
        self.objects = ObjectReader(path, index=index)
        self.index = index
        self._digests: dict[str, str] = {}
        self._objects_by_digest: dict[str, str] = {}
        self._specs: dict[tuple[str, int], bool] = {}
        self._linked: dict[str, LinkedFiles] = {}
        self._imports: dict[str, bool] = {}
        self._whole: dict[str, bytes] = {}
        self._texts: dict[str, bytes] = {}
        self._size_of_texts = 0
        self._absent: dict[str, set[str]] = {}

    def __enter__(self) -> "GitRepo":
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def __del__(self) -> None:
        self.close()

    def close(self) -> None:
        """End the process and remove what was unpacked."""
        self._absent.clear()  # a ref may move until the next use
        self.objects.close()

    @cached_property
    def _trees(self) -> "TreeReader":
        from wirebook.specs.sources.git_trees import TreeReader

        return TreeReader(self.objects)

    @property
    def folder(self) -> Path:
        """The folder of the repository; a bundle is unpacked outside all repositories."""
        return self.objects.folder

    def resolve(self, ref: str) -> str:
        """The commit that a name resolves to. The InputError for a missing one suggests a command, and that
        for a name of two refs names both.
        """
        return self.named(ref)[1]

    def named(self, ref: str) -> tuple[str, str]:
        """A name with its ref in full (see `refs.full_name`), and its commit. Raises InputError as `resolve`
        does.
        """
        if not ref or ref.startswith("-") or min(ref) < " ":
            raise InputError(f"{ref!r} is not a git ref", self.path)
        full = ref
        if ref.partition("~")[0].partition("^")[0] != "HEAD":
            from wirebook.specs.sources.refs import full_name

            full = full_name(self.objects, ref, index=self.index)
        commit = self.objects.query_one(f"{ref}^{{commit}}")
        if not commit.kind:
            kind = self.objects.query_one(ref).kind
            raise InputError(f'"{ref}" is a {kind}, not a commit' if kind else self._missing(ref), self.path)
        return full, commit.name

    def entries(
        self,
        commit: str,
        subdir: str = "",
        *,
        tests: bool = False,
        takes: Callable[[str], bool] = lambda path: True,
    ) -> list[SpecEntry]:
        """The specs of a commit below a folder, with paths relative to that folder.

        The digest of one that imports structs is that of its text with what it imports. `subdir` may name one
        file, which counts wherever it is if it is a spec. A spec behind a link is also at the path of the
        link if its own path is not one that the caller `takes`. Raises InputError if it does not exist.
        """
        parts = [part for part in subdir.split("/") if part not in ("", ".")]
        if not re.fullmatch(_FULL_NAME, commit):
            commit = self.resolve(commit)
        top = GitObject("", "", b"")
        if ".." not in parts:
            top = self.at(commit, ["/".join(parts)]).get("/".join(parts), top)
        if top.kind == "blob" and parts:
            name = shown(os.fsencode(parts[-1]))
            spec = is_spec(top.data, place_of(name), whole=top.is_complete)
            if not spec:
                return []
            self._keep(top, name)
            folder = "/".join(parts[:-1])

            def beside(path: str) -> bytes | None:
                place = f"{folder}/{path}" if folder else path
                blob = self.at(commit, [place]).get(place, top._replace(kind=""))
                return blob.data if blob.kind == "blob" and blob.is_complete else None

            return self._with_imports([SpecEntry(name, top.name)], beside)
        if top.kind != "tree":
            if not parts:
                raise self.objects.damaged(f"{commit[:12]}^{{tree}}")
            raise InputError(f'there is no "{"/".join(parts)}" in the commit {commit[:12]}', self.path)
        candidates = [
            (path, name, place_of(f"{parts[-1]}/{path}" if parts else path))
            for path, name in self._files_of(commit, "/".join(parts), top.name, tests, takes)
        ]
        self._judge(candidates)
        specs = [SpecEntry(path, name) for path, name, signs in candidates if self._specs[name, signs]]
        return sorted(self._with_imports(specs))

    def _with_imports(
        self, specs: list[SpecEntry], beside: Callable[[str], bytes | None] | None = None
    ) -> list[SpecEntry]:
        """The specs of a tree, given by their objects, with the digests of their texts and what they import.

        Files of structs are not among them. `beside` returns the text of a file that is not among `specs`.
        """
        if not any(map(self._imports.get, (name for _, name in specs))):
            return [SpecEntry(path, self._digests[name]) for path, name in specs]
        from wirebook.specs.reading.imports import with_imports

        objects = dict(specs)

        def opened(path: str) -> bytes | InputError | None:
            if path in objects:
                return self.read(self._digests[objects[path]])
            return None if beside is None else beside(path)

        entries = []
        for path, name in specs:
            digest = self._digests[name]
            if self._imports[name]:
                text = self.read(digest)
                if is_structs(text):
                    continue
                whole = with_imports(text, path, opened)
                if whole is not text:
                    digest = digest_of(whole)
                    self._whole[digest] = whole
            entries.append(SpecEntry(path, digest))
        return entries

    def read(self, digest: str) -> bytes:
        """The text with a digest that `entries` returned. Raises InputError if there is none."""
        text = self._texts.get(digest) or self._whole.get(digest)
        if text is None:
            if not re.fullmatch("[0-9a-f]{40}", digest):
                raise InputError(f"{digest!r} is not a digest", self.path)
            blob = self.objects.query_one(self._objects_by_digest.get(digest, digest))
            if blob.kind != "blob":
                raise self.objects.damaged(blob.name)
            self._keep(blob, blob.name)
            text = blob.data
        return text

    def text(self, side: str, path: str, limit: int = MAX_TEXT) -> bytes | None:
        """The text of a file by its path from the top, in a commit, or in the index for ""; None if it does
        not exist.

        A link is followed within the repository. Raises InputError for a file in a merge conflict.
        """
        if path in self._absent.get(side, ()):
            return None
        for _ in range(MAX_LINK_CHAIN):
            blob = self.at(side, [path]).get(path)
            if blob is None and not side:
                self._refuse_conflicts([path])
            if blob is None or blob.kind != "blob":
                return None
            if not blob.is_complete or len(blob.data) > limit:
                raise InputError(f"larger than {limit >> 20} MiB", path)
            # The target of a link is one line; hardly any other file is.
            if not blob.data or b"\n" in blob.data or not self.is_link(side, path):
                return blob.data
            path = posixpath.normpath(posixpath.join(posixpath.dirname(path), os.fsdecode(blob.data)))
            if path.startswith(("../", "/")):
                raise InputError(_OUTSIDE, path)
        raise InputError("links lead in a circle", path)

    def followed(self, side: str, path: str) -> str:
        """The path of a folder with the links of a commit followed; the path itself if it does not exist."""
        parts, folder = path.split("/"), ""
        links = 0
        while parts:
            inner = posixpath.join(folder, parts.pop(0))
            target = self.at(side, [inner]).get(inner)
            if target is None:
                return posixpath.join(inner, *parts)
            if target.kind != "blob" or not self.is_link(side, inner):
                folder = inner
                continue
            path = posixpath.normpath(posixpath.join(folder, os.fsdecode(target.data)))
            links += 1
            if path.startswith(("..", "/")) or links > MAX_LINK_CHAIN:
                why = "links lead in a circle" if links > MAX_LINK_CHAIN else _OUTSIDE
                raise InputError(why, inner)
            parts, folder = [*(path.split("/") if path != "." else ()), *parts], ""
        return folder

    def at(self, side: str, paths: Iterable[str]) -> dict[str, GitObject]:
        """The objects at those of some paths from the top that a commit or tree has, or for "" the index.

        A name may look like a stage of the index (0:a) or the magic of a pathspec (:/a), or have a line end.
        """
        # Without the stage, git takes the number that a name begins with for one.
        start = f"{side}:" if side else ":0:"
        distinct = list(dict.fromkeys(paths))
        names = {path: f"{start}{path}" for path in distinct if "\n" not in path}
        # The protocol of git's long-running process ends a name with a line end.
        entries = self._entries(side, [path for path in distinct if path not in names])
        names.update((path, entry.object) for path, entry in entries.items())
        objects = dict(zip(names, self.objects.query(names.values()), strict=True))
        intended = () if side else self.intended({path: item.name for path, item in objects.items()})
        return {path: item for path, item in objects.items() if item.kind and path not in intended}

    def intended(self, objects: Mapping[str, str]) -> set[str]:
        """Those of some files of the index, given with their objects, that are only intended to be added
        (`git add -N`): the next commit does not have them.
        """
        empty = {path: EMPTY_TREES[name] for path, name in objects.items() if name in EMPTY_TREES}
        paths, staged = list(empty), set[str]()
        for start in range(0, len(paths), _LISTED):
            few = paths[start : start + _LISTED]
            listed = run(
                self.folder,
                "diff-index",
                "--cached",
                "--name-only",
                "-z",
                "--no-renames",
                "--ita-invisible-in-index",
                empty[few[0]],
                "--",
                *(f":(top,literal){path}" for path in few),
                index=self.index,
            )
            staged.update(map(os.fsdecode, listed.split(b"\0")))
        return empty.keys() - staged

    def is_link(self, side: str, path: str) -> bool:
        """Whether a commit, or for "" the index, has a link at a path."""
        entry = self._entries(side, [path]).get(path)
        return entry is not None and entry.mode == LINK

    def _entries(self, side: str, paths: Sequence[str]) -> dict[str, TreeEntry]:
        """The entries at those of some paths that a commit, or for "" the index, has; files only in that."""
        entries: dict[str, TreeEntry] = {}
        for start in range(0, len(paths), _LISTED):
            few = paths[start : start + _LISTED]
            if side:
                command = ("--literal-pathspecs", "ls-tree", "-z", "--full-tree", side, "--", *few)
            else:
                literal = (f":(top,literal){path}" for path in few)
                command = ("ls-files", "-s", "-z", "--full-name", "--", *literal)
            for line in run(self.folder, *command, index=self.index).split(b"\0"):
                head, _, path = line.partition(b"\t")
                if path:
                    # ls-tree has the kind before the object, ls-files the stage after it.
                    mode, *rest = head.decode().split()
                    name, stage = (rest[1], "0") if side else rest
                    if stage == "0":
                        entries[os.fsdecode(path)] = TreeEntry(mode, name)
        return {path: entries[path] for path in paths if path in entries}

    def refs(self) -> "Refs":
        """The refs of the repository, read by one process."""
        from wirebook.specs.sources.refs import read_refs

        return read_refs(self.folder, index=self.index)

    def releases(self, pattern: str, prerelease: Sequence[str] | None = None) -> "Releases":
        """The tags that match a glob and name a release, by version, pre-releases before their release.

        `prerelease` are globs of pre-releases (see `pick_releases`). Tags that match but are not versions, or
        do not resolve to a commit, are in `left_out` with the reason.
        """
        from wirebook.specs.sources.releases import Release, Releases, pick_releases

        tags = pick_releases(self.refs().tags, pattern, prerelease)
        releases: list[Release] = []
        refs = [f"refs/tags/{name}" for name in tags.names]
        both = list(self.objects.query(each for ref in refs for each in (f"{ref}^{{}}", ref)))
        for name, ref, target, tag in zip(tags.names, refs, both[::2], both[1::2], strict=True):
            if target.kind == "commit":
                is_prerelease = name in tags.prereleases
                day = _day(tag.data) or _day(target.data)
                releases.append(Release(name, ref, target.name, day, is_prerelease))
            elif target.kind:
                tags.left_out[name] = f"it is the tag of a {target.kind}, not of a commit"
            else:
                raise InputError(f"the object of the tag {name!a} is missing or damaged", self.path)
        return Releases(releases, tags.left_out)

    def names(self, names: Iterable[str]) -> dict[str, str]:
        """The existing objects among those that some names ("HEAD^{commit}") resolve to."""
        queried = [name for name in names if "\n" not in name]
        objects = zip(queried, self.objects.query(queried), strict=True)
        return {name: item.name for name, item in objects if item.kind}

    def existing(self, commit: str, paths: Sequence[str]) -> list[str]:
        """Those of some paths that a commit has, or for "" the index, by one query. Absent ones are not
        looked up again. Raises InputError for a file in a merge conflict.
        """
        absent = self._absent.setdefault(commit, set())
        queried = [path for path in paths if path not in absent]
        missing = set(queried) - self.at(commit, queried).keys()
        if not commit:
            self._refuse_conflicts(missing)
        absent.update(missing)
        return [path for path in paths if path not in absent]

    def _refuse_conflicts(self, absent: Iterable[str]) -> None:
        """Raise InputError for one of some paths that the index has only in a merge conflict."""
        stages = {f":{stage}:{path}": path for path in sorted(absent) for stage in "123"}
        for name in self.names(stages):
            raise conflict(stages[name])

    def commit(self, name: str) -> str | None:
        """The commit that a name resolves to; None if there is none."""
        return self.names([f"{name}^{{commit}}"]).get(f"{name}^{{commit}}")

    def parents(self, commit: str) -> list[str]:
        """The parents that a commit names; in a shallow clone they may be missing."""
        read = self.objects.query_one(commit)
        if read.kind != "commit":
            raise self.objects.damaged(commit)
        return _parents(read.data)

    def day(self, name: str) -> str:
        """The day of the tag or commit that a name resolves to (YYYY-MM-DD); "" if it is unknown."""
        target, read = self.objects.query([f"{name}^{{}}", name])
        return _day(read.data) or _day(target.data) if target.kind == "commit" else ""

    def first_parents(self, commit: str) -> Iterator[str]:
        """The first parent of a commit, its first parent, and so on, as far as the commits are present."""
        read = self.objects.query_one(commit)
        while read.kind == "commit" and (parents := _parents(read.data)):
            yield parents[0]
            read = self.objects.query_one(parents[0])

    def files(self, tree: str, *, tests: bool = False) -> "TreeFiles":
        """The JSON files in a tree that may be specs, and other relevant entries; no file is read."""
        return self._trees.files(tree, f"the tree {tree[:12]}", tests=tests)

    def linked(self, tree: str) -> "LinkedFiles":
        """The targets of the links in a tree."""
        if tree not in self._linked:
            listed = run(self.folder, "ls-tree", "-r", "-z", "--full-tree", tree, index=self.index)
            entries = {}
            for line in listed.split(b"\0"):
                head, sign, path = line.partition(b"\t")
                if sign:
                    mode, _, name = head.decode().split()
                    entries[path] = TreeEntry(mode, name)
            self._linked[tree] = self.linked_among(entries)
        return self._linked[tree]

    def linked_among(self, entries: Mapping[bytes, TreeEntry]) -> "LinkedFiles":
        """The targets of the links among all entries of an index or a tree."""
        from wirebook.specs.sources.links import linked_files

        links = {path: entry.object for path, entry in entries.items() if entry.mode == LINK}
        texts = dict(self.texts(links.values()))
        targets = {path: text for path, name in links.items() if isinstance(text := texts[name], bytes)}
        return linked_files(entries, targets, self.path)

    def candidates(self, commit: str) -> dict[str, str]:
        """The objects of the files of a commit that may be specs, by path; no file is read."""
        top = self.objects.query_one(f"{commit}^{{tree}}")
        if top.kind != "tree":
            raise self.objects.damaged(f"{commit[:12]}^{{tree}}")
        return dict(self._files_of(commit, "", top.name, False))

    def _files_of(
        self,
        commit: str,
        folder: str,
        tree: str,
        tests: bool,
        takes: Callable[[str], bool] = lambda path: True,
    ) -> Iterator[tuple[str, str]]:
        """The files that may be specs in a tree, that of a folder of a commit, and the targets of its links
        outside such paths, or that nobody takes.
        """
        listing = self._trees.files(tree, f"the commit {commit[:12]}", tests=tests)
        yield from listing.files.items()
        if listing.has_links:
            above = shown(os.fsencode(f"{folder}/")) if folder else ""
            linked = self.linked(self.objects.query_one(f"{commit}^{{tree}}").name)
            for path, name in linked.objects.items():
                inner = path.removeprefix(above)
                own_path = linked.places[path].removeprefix(above)
                if not path.startswith(above) or not candidate(inner, tests):
                    continue
                is_own = linked.places[path].startswith(above) and own_path in listing.files
                if not (is_own and takes(own_path)):
                    yield inner, name

    def texts(self, objects: Iterable[str]) -> Iterator[tuple[str, bytes | InputError]]:
        """The text of each object, or the reason why it cannot be read."""
        distinct = list(dict.fromkeys(objects))
        for name, blob in zip(distinct, self.objects.query(distinct), strict=True):
            if blob.kind != "blob":
                yield name, self.objects.damaged(name)
            elif not blob.is_complete:
                yield name, OversizeError(blob.data)
            else:
                yield name, blob.data

    def _judge(self, candidates: list[tuple[str, str, int]]) -> None:
        """Decide for each object and path whether it is a spec; an object is read once for all paths."""
        unknown: dict[str, dict[int, str]] = {}
        for path, name, signs in candidates:
            if (name, signs) not in self._specs:
                unknown.setdefault(name, {})[signs] = path
        for name, blob in zip(unknown, self.objects.query(unknown), strict=True):
            if blob.kind != "blob":
                raise self.objects.damaged(name)
            specs = {signs: is_spec(blob.data, signs, whole=blob.is_complete) for signs in unknown[name]}
            for signs, spec in specs.items():
                if spec:
                    self._keep(blob, unknown[name][signs])
            self._specs |= {(name, signs): spec for signs, spec in specs.items()}

    def _keep(self, blob: GitObject, path: str) -> str:
        """Keep the digest of a spec, and its text while there is room: the oldest is dropped first."""
        if not blob.is_complete:
            raise InputError(f"larger than {MAX_TEXT >> 20} MiB, too large for a spec", path)
        digest = digest_of(blob.data)
        if len(blob.name) == len(digest) and blob.name != digest:
            raise self.objects.damaged(blob.name)
        self._digests[blob.name] = digest
        # Files of structs are spared, too, so that few texts are searched for what they are.
        self._imports[blob.name] = may_import(blob.data) or is_structs(blob.data)
        self._objects_by_digest[digest] = blob.name
        if digest not in self._texts:
            self._texts[digest] = blob.data
            self._size_of_texts += len(blob.data)
            while self._size_of_texts > _KEPT and len(self._texts) > 1:
                self._size_of_texts -= len(self._texts.pop(next(iter(self._texts))))
        return digest

    def _missing(self, ref: str) -> str:
        """Why a name does not resolve to a commit here, with a suggested command."""
        if ".." in ref:
            return f'"{ref}" is a range, but one commit is expected'
        text = f'there is no commit "{ref}" here'
        refs = os.fsdecode(run(self.folder, "for-each-ref", "--format=%(refname:short)")).split()
        if self.objects.is_bundle or not refs:
            text = f'there is no commit "{ref}" in it' if refs else "it has no commit yet"
        shallow = run(self.folder, "rev-parse", "--is-shallow-repository").startswith(b"true")
        remotes = [] if self.objects.is_bundle else os.fsdecode(run(self.folder, "remote")).split()
        if re.fullmatch(_FULL_NAME, ref) and (remotes or shallow):
            text = f"there is no commit {ref[:12]} here"  # the command names all of it
        if shallow:
            text += "; the repository is shallow"
        if remotes or shallow:
            return f"{text}; to get it: git fetch {remedy(ref, remotes, shallow)}"
        import difflib

        near = difflib.get_close_matches(ref, refs, n=3)
        return f"{text}; did you mean {' or '.join(near)}?" if near else text


def conflict(path: str) -> InputError:
    """The error for a file in a merge conflict."""
    return InputError("this file has a merge conflict", path)


def _parents(commit: bytes) -> list[str]:
    lines = commit.partition(b"\n\n")[0].split(b"\n")
    return [line[7:].decode("ascii", "replace") for line in lines if line.startswith(b"parent ")]


def _day(read: bytes) -> str:
    """The day of a commit or of an annotated tag, in UTC; "" if it has none."""
    seconds = _seconds(read)
    return "" if seconds is None else utc_day(seconds)


def _seconds(read: bytes) -> int | None:
    """The time of a commit or of an annotated tag; None if it has none."""
    head = read.partition(b"\n\n")[0]
    match = re.search(rb"^(?:committer|tagger) .*> (-?\d{1,12}) [+-]\d{4}$", head, re.MULTILINE)
    return None if match is None else int(match[1])


def utc_day(seconds: int) -> str:
    """The UTC day (YYYY-MM-DD) of a Unix timestamp; "" if it is out of the range of dates.

    Every day of a history is in UTC, because days in the time zones of their committers do not compare.
    """
    import datetime

    try:
        return datetime.date.fromordinal(719_163 + seconds // 86_400).isoformat()
    except (ValueError, OverflowError):
        return ""
