"""Runs git commands that only read, without the environment of a hook, and interprets their errors."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import IO, TYPE_CHECKING

from wirebook.specs.problems import InputError

if TYPE_CHECKING:
    # A command that reads a folder does not need it.
    import subprocess

_NO_GIT = "reading a repository needs git, and there is none on PATH"
NO_REPOSITORY = "not a git repository"
PARTIAL = "this is a partial clone that lacks some texts; to get them: git fetch --refetch --no-filter"

# The location of git and its settings; other variables may come from a hook and name another repository.
_ENVIRONMENT = frozenset((
    "GIT_EXEC_PATH", "GIT_CEILING_DIRECTORIES", "GIT_DISCOVERY_ACROSS_FILESYSTEM",
    "GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM", "GIT_CONFIG_NOSYSTEM", "GIT_CONFIG_COUNT",
))  # fmt: skip
_SETTINGS = ("GIT_CONFIG_KEY_", "GIT_CONFIG_VALUE_")
# Without these, git runs programs that the settings of a repository name.
_SAFE = (
    "-c", "core.hooksPath=/dev/null", "-c", "core.fsmonitor=false", "-c", "gc.auto=0",
    "-c", "log.showSignature=false",
)  # fmt: skip

# These give a hook the index that is about to be committed, and related settings.
_INDEX = frozenset((
    "GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_COMMON_DIR", "GIT_OBJECT_DIRECTORY",
    "GIT_ALTERNATE_OBJECT_DIRECTORIES",
))  # fmt: skip


def environment(protocols: str = "", *, index: bool = False) -> dict[str, str]:
    """The environment for git: no variables of a hook, no prompts, no locks, no implicit fetching.

    With `index`, it keeps the repository and the index that a hook works on.
    """
    kept = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith("GIT_")
        or name in _ENVIRONMENT
        or name.startswith(_SETTINGS)
        or (index and name in _INDEX)
    }
    return kept | {
        "GIT_ALLOW_PROTOCOL": protocols,
        "GIT_NO_LAZY_FETCH": "1",
        "GIT_NO_REPLACE_OBJECTS": "1",
        "GIT_OPTIONAL_LOCKS": "0",
        "GIT_TERMINAL_PROMPT": "0",
        "LC_ALL": "C",
    }


def is_bare(folder: Path) -> bool:
    """Whether a folder is itself a repository, such as a bare one, rather than a tree that contains one."""
    return all(os.path.exists(folder / name) for name in ("HEAD", "objects", "refs"))


def run(
    folder: str | Path,
    *arguments: str,
    index: bool = False,
    given: bytes = b"",
    variables: Mapping[str, str] | None = None,
) -> bytes:
    """Run a git command that only reads the repository in a folder; returns its output.

    `given` is its standard input, `variables` are additions to its environment; for `index` see
    `environment`. Raises InputError with git's own words if it fails.
    """
    command = [*_git(Path(folder), index), *arguments]
    return _output(command, str(folder), index=index, given=given, variables=variables)[0]


def run_with_warnings(folder: str | Path, *arguments: str, index: bool) -> tuple[bytes, bytes]:
    """Like `run`; returns the output and the warnings."""
    return _output([*_git(Path(folder), index), *arguments], str(folder), index=index)


def start(folder: Path, errors: IO[bytes], *arguments: str, index: bool = False) -> subprocess.Popen[bytes]:
    """Start a long-running git process with a line protocol.

    Its stderr goes to the file `errors`, because an unread pipe would block it.
    """
    import subprocess

    command = [*_git(folder, index), *arguments]
    try:
        return subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=errors,
            env=environment(index=index),
        )
    except OSError as error:
        raise _no_git(error, str(folder)) from None


def unpack_bundle(path: str, target: str) -> None:
    """Create a bare repository from a bundle, with all its refs, in an empty folder. Raises InputError."""
    clone = [
        program(),
        *_SAFE,
        "clone",
        "--quiet",
        "--mirror",
        "--template=",
        "--",
        os.path.abspath(path),
        target,
    ]
    try:
        _output(clone, path, "file")
    except InputError as error:
        raise InputError(f"this git bundle cannot be read ({error.message})", path) from None


def program() -> str:
    """The path of git. Raises InputError if Windows has none on its PATH.

    Windows looks for a program in the current folder first, where a repository may have placed one.
    """
    if sys.platform != "win32":
        return "git"
    for folder in os.environ.get("PATH", "").split(os.pathsep):
        place = os.path.join(folder, "git.exe")
        if os.path.isabs(folder) and os.path.isfile(place):
            return place
    raise InputError(_NO_GIT)


def _git(folder: Path, index: bool = False) -> list[str]:
    # A bare repository is named as such: settings may forbid detecting one.
    named = is_bare(folder) and not (index and "GIT_DIR" in os.environ)
    where = [f"--git-dir={folder}"] if named else ["-C", str(folder)]
    return [program(), *_SAFE, *where]


def _output(
    command: list[str],
    path: str,
    protocols: str = "",
    *,
    index: bool = False,
    given: bytes = b"",
    variables: Mapping[str, str] | None = None,
) -> tuple[bytes, bytes]:
    import subprocess

    known = {**environment(protocols, index=index), **(variables or {})}
    try:
        done = subprocess.run(
            command,
            capture_output=True,
            input=given or None,
            stdin=None if given else subprocess.DEVNULL,
            env=known,
            check=False,
        )
    except OSError as error:
        raise _no_git(error, path) from None
    if done.returncode:
        raise InputError(reason(done.stderr), path)
    return done.stdout, done.stderr


def _no_git(error: OSError, path: str) -> InputError:
    if isinstance(error, FileNotFoundError):
        return InputError(_NO_GIT, path)
    return InputError(f"git cannot be run ({error.strerror})", path)


def remedy(ref: str, remotes: list[str], shallow: bool) -> str:
    """The arguments of the `git fetch` that makes a name available."""
    depth = "--depth=1 " if shallow else ""
    if re.search(r"[~^]|@\{", ref):
        return _deeper(ref) if shallow else "--all"
    remote = "origin" if "origin" in remotes else next(iter(remotes), "URL")
    for name in remotes:
        if ref.startswith(f"{name}/"):
            branch = ref.removeprefix(f"{name}/")
            return f"{depth}{name} {branch}:refs/remotes/{ref}"
    if re.fullmatch("[0-9a-f]{40}|[0-9a-f]{64}", ref):
        return f"{depth}{remote} {ref}"
    if re.search(r"\d\.\d", ref):
        return f"{depth}{remote} tag {ref.removeprefix('refs/tags/')}"
    return f"{depth}{remote} {ref}:{ref}"


def _deeper(ref: str) -> str:
    """The option of `git fetch` that makes an ancestor available, such as HEAD~2, in a shallow repository."""
    steps = re.findall(r"([~^])(\d*)", ref) if re.fullmatch(r"[^~^@]+([~^]\d{0,6})+", ref) else []
    # ^2 is a parent, and ~2 the parent of a parent.
    depth = sum(int(number or 1) if sign == "~" else 1 for sign, number in steps)
    return f"--deepen={depth}" if depth else "--unshallow"


def reason(stderr: bytes) -> str:
    """The line of git's stderr that names the error, as a message."""
    if b"promisor" in stderr:
        return PARTIAL
    lines = [line.strip() for line in stderr.decode(errors="replace").splitlines() if line.strip()]
    fatal = [line.removeprefix("fatal: ") for line in lines if line.startswith("fatal: ")]
    clear = [line for line in fatal if not re.search("died|reported error", line)]
    errors = [line.removeprefix("error: ") for line in lines if line.startswith("error: ")]
    line = next(iter([*clear, *errors, *fatal]), "git stopped").removesuffix(":")
    if NO_REPOSITORY in line:
        return f"this is {NO_REPOSITORY}"
    advice = next((line for line in lines if line.startswith("git config ")), "")
    return f"git: {line}{f'; to trust it: {advice}' if advice else ''}"
