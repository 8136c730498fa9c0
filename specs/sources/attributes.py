"""The attributes that git gives to files (gitattributes(5)), and which of them change what a build reads.

A check reads the blobs of a commit or of the index, but a build reads what a checkout or `git archive` makes
of them. git itself decides which line of which file applies (`git check-attr`): the files of attributes of a
side are written to an empty folder, which git takes for the working tree. This one mechanism serves every
version of git, commits, indexes and working trees, and bare repositories. And git can be asked the same
question again without some lines, to learn which line decides.
"""

import os
import re
import stat
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from wirebook.specs.limits import MAX_TEXT
from wirebook.specs.problems import InputError
from wirebook.specs.reading.discovery import parent_folders, shown
from wirebook.specs.sources.git_command import run
from wirebook.specs.sources.git_objects import ATTRIBUTES
from wirebook.specs.sources.repository import find_repository

if TYPE_CHECKING:
    from wirebook.specs.sources.git import GitRepo

FILTER, ENCODING, IDENT = "filter", "working-tree-encoding", "ident"
SUBSTITUTED, LEFT_OUT = "export-subst", "export-ignore"
# Line ends (text, eol) are not among them: they do not change what a spec means.
_QUERIED = (FILTER, ENCODING, IDENT, SUBSTITUTED, LEFT_OUT)
_KEYWORDS = {IDENT: b"$Id", SUBSTITUTED: b"$Format:"}
_EVERY_KEYWORD = b" ".join(_KEYWORDS.values())
_NOT_SET = ("unspecified", "unset")
_UTF_8 = ("utf-8", "utf8")
_NO_INDEX = os.path.join(os.sep, "wirebook-reads-no-index")
_SYSTEM = ("/etc", "/usr/local/etc", "/opt/homebrew/etc")  # where git keeps settings of the system
_MOST_QUERIES = 60  # to find lines, for one attribute; what is left then gets no line number

AttributeValues = Mapping[str, str]  # of the attributes of a file that are set, by their names


class Applied(NamedTuple):
    """An attribute of a file: its name, its value, and the line that sets it ("dir/.gitattributes:3")."""

    attribute: str
    value: str
    origin: str

    def __str__(self) -> str:
        assignment = self.attribute if self.value == "set" else f"{self.attribute}={self.value}"
        return f"{assignment} ({self.origin})"


class AttributeReader:
    """The attributes of the files of one side: a commit, the index, or a working tree.

    `read` returns the texts of those of some files that exist. `listed` has the digest of each file of
    attributes, by path, if the side was listed. `is_checked_out` is whether the texts of the side are
    those of a checkout. Paths of files are relative to `folder`. All methods raise InputError for what git
    cannot read.
    """

    def __init__(
        self,
        git: "GitRepo",
        read: Callable[[Sequence[str]], Mapping[str, bytes]],
        listed: Mapping[str, str] | None = None,
        *,
        is_checked_out: bool = False,
        folder: str = "",
    ) -> None:
        self.git = git
        self.read = read
        self.listed = listed
        self.is_checked_out = is_checked_out
        self._start = f"{folder}/" if folder else ""

    @classmethod
    def of_tree(
        cls, git: "GitRepo", commit: str, listed: Mapping[str, str] | None = None, *, folder: str = ""
    ) -> "AttributeReader":
        """The attributes in a commit, or for "" in the index."""

        def read(paths: Sequence[str]) -> dict[str, bytes]:
            texts: dict[str, bytes] = {}
            for path, blob in git.at(commit, paths).items():
                if blob.kind == "blob":
                    if not blob.is_complete:
                        raise _too_large(path)
                    texts[path] = blob.data
            return texts

        return cls(git, read, listed, folder=folder)

    @classmethod
    def of_working_tree(
        cls,
        git: "GitRepo",
        on_disk: Callable[[str], bytes | None],
        listed: Mapping[str, str] | None = None,
    ) -> "AttributeReader":
        """The attributes in a working tree; `on_disk` returns the text of a file, None if it is missing.

        git reads a missing file from the index.
        """
        index = cls.of_tree(git, "")

        def read(paths: Sequence[str]) -> dict[str, bytes]:
            texts = dict(index.read(paths))
            for path in paths:
                text = on_disk(path)
                if text is not None:
                    texts[path] = text
            return texts

        return cls(git, read, listed, is_checked_out=True)

    def values(self, paths: Iterable[str]) -> dict[str, AttributeValues]:
        """The attributes that are set for some files, by path; files without one are left out.

        `git archive` leaves out the contents of a folder that has `export-ignore`, so its files have it, too.
        """
        names = {f"{self._start}{path}": path for path in paths}
        if not names:
            return {}
        texts = self._texts(names)
        if not texts and not _may_be_outside(self.git):
            return {}
        values = _query(self.git, texts, _with_folders(names))
        for name in names:
            if any(LEFT_OUT in values.get(f"{folder}/", ()) for folder in parent_folders(name)):
                values.setdefault(name, {})[LEFT_OUT] = "set"
        return {path: values[name] for name, path in names.items() if name in values}

    def applied(self, attribute: str, values: Mapping[str, str]) -> dict[str, Applied]:
        """An attribute of some files, from its value for each, with the line that sets it."""
        named = {f"{self._start}{path}": value for path, value in values.items()}
        origins = _Search(self.git, attribute, self._texts(named), named).origins()
        return {
            path: Applied(attribute, value, origins[f"{self._start}{path}"]) for path, value in values.items()
        }

    def _texts(self, paths: Iterable[str]) -> dict[str, bytes]:
        """The files of attributes that git reads for some files, by their paths in git's own bytes."""
        folders = dict.fromkeys(folder for path in paths for folder in parent_folders(path))
        places = [f"{folder}/{ATTRIBUTES}".lstrip("/") for folder in folders if _can_be_checked_out(folder)]
        return dict(self.read([os.fsdecode(name) for place in places for name in _names(place)]))


def converts(attribute: str, value: str, text: bytes) -> bool:
    """Whether an attribute makes git check out or export a text other than this blob.

    A filter is never run: what it makes of a text depends on the machine. A keyword counts even where git
    would not expand it.
    """
    if attribute == FILTER:
        return value != "set"
    if attribute == ENCODING:
        return value != "set" and value.lower() not in _UTF_8
    return attribute in _KEYWORDS and _KEYWORDS[attribute] in text


class _Search:
    """The search for the lines that give an attribute to files: git is asked again without some lines."""

    def __init__(
        self, git: "GitRepo", attribute: str, texts: Mapping[str, bytes], values: Mapping[str, str]
    ) -> None:
        self.git = git
        self.attribute = attribute
        self.texts = texts
        self.values = values
        self.queries = 0

    def origins(self) -> dict[str, str]:
        """The file, and if possible its line, for each path."""
        origins: dict[str, str] = {}
        unsettled = list(self.values)
        # A line of the nearest file counts; it may name a macro that is in a farther one.
        for file in sorted(self.texts, key=lambda name: -name.count("/")):
            if not unsettled or self.queries > _MOST_QUERIES:
                break
            deciding = self._changed(unsettled, {**self.texts, file: b""})
            unsettled = [path for path in unsettled if path not in deciding]
            origins.update(self._lines(file, deciding))
        if self.queries > _MOST_QUERIES:
            origins.update(dict.fromkeys(unsettled, "a file of attributes in its folder or above"))
        elif unsettled:
            origin = self._outside(unsettled[0])
            origins.update(dict.fromkeys(unsettled, origin))
        return origins

    def _lines(self, file: str, paths: Sequence[str]) -> dict[str, str]:
        lines = self.texts[file].splitlines(keepends=True)
        name = shown(os.fsencode(file))

        def without(count: int, of: Sequence[str]) -> list[str]:
            return self._changed(of, {**self.texts, file: b"".join(lines[:count])})

        origins: dict[str, str] = {}
        unsettled = list(paths)
        while unsettled and self.queries <= _MOST_QUERIES:
            low, high = 0, len(lines)  # the value is another after `low` lines, and the one after `high`
            while high - low > 1:
                middle = (low + high) // 2
                low, high = (middle, high) if without(middle, unsettled[:1]) else (low, middle)
            settled = [path for path in without(low, unsettled) if path not in without(high, unsettled)]
            origins.update(dict.fromkeys([*settled, unsettled[0]], f"{name}:{high}"))
            unsettled = [path for path in unsettled if path not in origins]
        return {**dict.fromkeys(unsettled, name), **origins}

    def _changed(
        self, paths: Sequence[str], texts: Mapping[str, bytes], *settings: str, is_user: bool = False
    ) -> list[str]:
        """The paths for which the attribute has another value under other files of attributes."""
        self.queries += 1
        variables = {"GIT_ATTR_NOSYSTEM": "1"} if is_user else {}
        values = _query(self.git, texts, _with_folders(paths), *settings, variables=variables)
        return [path for path in paths if self._value(values, path) != self.values[path]]

    def _value(self, values: Mapping[str, AttributeValues], path: str) -> str | None:
        names = [path]
        if self.attribute == LEFT_OUT:
            names += [f"{folder}/" for folder in parent_folders(path)]
        return next(filter(None, (values.get(name, {}).get(self.attribute) for name in names)), None)

    def _outside(self, path: str) -> str:
        """The file outside the tree that decides."""
        if self._changed([path], self.texts, "-c", f"core.attributesFile={os.devnull}"):
            return "the attributes file of your git configuration"
        if self._changed([path], self.texts, is_user=True):
            return "the attributes file of this system"
        return "info/attributes of this repository"


def _query(
    git: "GitRepo",
    texts: Mapping[str, bytes],
    paths: Sequence[str],
    *settings: str,
    variables: Mapping[str, str] = {},
) -> dict[str, dict[str, str]]:
    """The attributes that are set for some files if a tree has some files of attributes."""
    names = {name: path for path in paths for name in _names(path)}
    query = b"".join(name + b"\0" for name in names)
    environment = {**variables, "GIT_INDEX_FILE": _NO_INDEX}
    # Some versions of git would read the attributes of HEAD in a bare repository.
    settings = ("-c", "attr.tree=", *settings)
    command = ("check-attr", "-z", "--stdin", *_QUERIED)
    if not texts:
        answer = run(
            git.folder,
            *settings,
            *command,
            "--cached",
            index=git.index,
            stdin_data=query,
            variables=environment,
        )
        return _parsed(answer, names, {})
    import tempfile

    with tempfile.TemporaryDirectory(prefix="wirebook-attributes-") as folder:
        for path, text in texts.items():
            place = os.path.join(folder, path)
            try:
                os.makedirs(os.path.dirname(place), exist_ok=True)
                with open(place, "wb") as file:
                    file.write(text)
            except OSError as error:
                raise InputError(error.strerror or str(error), path) from None
        environment["GIT_WORK_TREE"] = folder
        values: dict[str, dict[str, str]] = {}
        # A pattern in other letters applies on systems that ignore case: what either would do counts.
        for ignores_case in ("true", "false"):
            case = ("-c", f"core.ignoreCase={ignores_case}")
            answer = run(
                git.folder,
                *settings,
                *case,
                *command,
                index=git.index,
                stdin_data=query,
                variables=environment,
            )
            _parsed(answer, names, values)
    return values


def _parsed(
    answer: bytes, names: Mapping[bytes, str], values: dict[str, dict[str, str]]
) -> dict[str, dict[str, str]]:
    """Add the attributes that are set in an answer of `git check-attr -z` to others of the same files.

    Of two values of an attribute, one that converts texts counts.
    """
    parts = answer.split(b"\0")
    for name, attribute, value in zip(parts[0::3], parts[1::3], parts[2::3], strict=False):
        text, key = value.decode("utf-8", "replace"), attribute.decode()
        if text not in _NOT_SET:
            of_path = values.setdefault(names[name], {})
            if key not in of_path or not converts(key, of_path[key], _EVERY_KEYWORD):
                of_path[key] = text
    return values


def _may_be_outside(git: "GitRepo") -> bool:
    """Whether git may have attributes that are in no tree.

    Most machines have none, and a process of git would take a twentieth of the time of a check. Settings that
    name a file of attributes, or that include others, may lead anywhere: then git answers.
    """
    repository = find_repository(Path(git.folder), index=git.index)
    if sys.platform == "win32" or repository is None or "GIT_CONFIG_COUNT" in os.environ:
        return True
    own = [str(repository.folder), *_common_folder(repository.folder)]
    user = os.environ.get("XDG_CONFIG_HOME") or os.path.expanduser("~/.config")
    named = os.environ.get("GIT_CONFIG_GLOBAL")
    system = os.environ.get("GIT_CONFIG_SYSTEM")
    attributes = [f"{user}/git/attributes", *(f"{folder}/info/attributes" for folder in own)]
    attributes += [f"{folder}/gitattributes" for folder in _SYSTEM]
    settings = [named] if named else [os.path.expanduser("~/.gitconfig"), f"{user}/git/config"]
    settings += [system] if system else [f"{folder}/gitconfig" for folder in _SYSTEM]
    settings += [f"{folder}/{name}" for folder in own for name in ("config", "config.worktree")]
    return any(map(os.path.lexists, attributes)) or any(map(_may_name_attributes, settings))


def _common_folder(folder: Path) -> list[str]:
    """The git directory that a linked working tree shares with others."""
    try:
        return [os.path.join(folder, (folder / "commondir").read_text().strip())]
    except OSError:
        return []


def _may_name_attributes(path: str) -> bool:
    """Whether a file of settings may name a file of attributes."""
    try:
        if not stat.S_ISREG(os.stat(path).st_mode):
            return path != os.devnull
        with open(path, "rb") as file:
            text = file.read().lower()
    except (FileNotFoundError, NotADirectoryError):
        return False
    except OSError:
        return True
    return b"attributesfile" in text or b"include" in text


def _with_folders(paths: Iterable[str]) -> list[str]:
    """Files and all their folders, in the notation of git."""
    folders = dict.fromkeys(f"{folder}/" for path in paths for folder in parent_folders(path) if folder)
    return [*paths, *folders]


def _can_be_checked_out(folder: str) -> bool:
    """Whether git checks out files in a folder; a damaged tree may have one of any name."""
    parts = [os.fsencode(part) for part in folder.split("/")] if folder else []
    return all(
        part not in (b"", b".", b"..") and part.lower() != b".git" and len(part) < 256 for part in parts
    )


def _names(path: str) -> list[bytes]:
    r"""The names that a path may stand for: bytes that are not UTF-8 are written as \xNN."""
    plain = path.encode("utf-8", "surrogateescape")
    if b"\\x" not in plain:
        return [plain]
    raw = re.sub(rb"\\x([89a-f][0-9a-f])", lambda match: bytes([int(match[1], 16)]), plain)
    return [plain] if raw == plain else [plain, raw]


def _too_large(path: str) -> InputError:
    return InputError(f"larger than {MAX_TEXT >> 20} MiB", path)
