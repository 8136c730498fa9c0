"""Runs git commands that only read, without the environment of a hook, and interprets their errors."""

from __future__ import annotations

import io
import os
import re
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from wirebook.specs import limits
from wirebook.specs.problems import InputError
from wirebook.specs.sources.location import holds_repository

if TYPE_CHECKING:
    # A command that reads a folder does not need it.
    import subprocess

_BLOCK = 64 << 10
_NO_GIT = "reading a repository needs git, and there is none on PATH"
NO_REPOSITORY = "not a git repository"
_EMBEDDED = "safe.bareRepository"
PARTIAL = "this is a partial clone that lacks some texts; to get them: git fetch --refetch --no-filter"

# The location of git and its settings; other variables may come from a hook and name another repository.
_ENVIRONMENT = frozenset((
    "GIT_EXEC_PATH", "GIT_CEILING_DIRECTORIES", "GIT_DISCOVERY_ACROSS_FILESYSTEM",
    "GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM", "GIT_CONFIG_NOSYSTEM", "GIT_CONFIG_COUNT",
))  # fmt: skip
_SETTINGS = ("GIT_CONFIG_KEY_", "GIT_CONFIG_VALUE_")
# Without these, git runs programs that the settings of a repository name, and takes a folder that has the
# files of a bare repository for one, which anybody may add to another repository.
_SAFE = (
    "-c", "core.hooksPath=/dev/null", "-c", "core.fsmonitor=false", "-c", "gc.auto=0",
    "-c", "log.showSignature=false", "-c", f"{_EMBEDDED}=explicit",
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
    """Whether a folder is itself a repository, such as a bare one, rather than a tree that contains one.

    Inside another repository, only its name makes it one: anybody may add the files of one to a folder.
    """
    if not all(os.path.exists(folder / name) for name in ("HEAD", "objects", "refs")):
        return False
    place = folder.resolve()
    if holds_repository(place):
        return False
    if place.name.endswith(".git") or ".git" in place.parts:
        return True
    return not any(map(holds_repository, place.parents))


def run(
    folder: str | Path,
    *arguments: str,
    index: bool = False,
    stdin_data: bytes = b"",
    variables: Mapping[str, str] | None = None,
) -> bytes:
    """Run a git command that only reads the repository in a folder; returns its output.

    `stdin_data` is its standard input, `variables` are additions to its environment; for `index` see
    `environment`. Raises InputError with git's own words if it fails.
    """
    command = [*_git(Path(folder), index), *arguments]
    return _output(command, str(folder), index=index, stdin_data=stdin_data, variables=variables)[0]


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
        "--progress",  # what a large bundle takes is no silence
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
    stdin_data: bytes = b"",
    variables: Mapping[str, str] | None = None,
) -> tuple[bytes, bytes]:
    import subprocess

    process_environment = {**environment(protocols, index=index), **(variables or {})}
    pipe = subprocess.PIPE
    stdin = pipe if stdin_data else subprocess.DEVNULL
    try:
        process = subprocess.Popen(command, stdin=stdin, stdout=pipe, stderr=pipe, env=process_environment)
    except OSError as error:
        raise _no_git(error, path) from None
    with process:
        try:
            stdout, stderr = _written(process, stdin_data)
        except BaseException as error:
            # After a time limit or Ctrl-C, it would outlive this program.
            process.kill()
            if isinstance(error, TimeoutError):
                raise silent(path) from None
            raise
    if process.returncode:
        raise InputError(reason(stderr), path)
    return stdout, stderr


def silent(path: str) -> InputError:
    """The error for a git process that writes nothing for too long."""
    return InputError(f"git does not answer: not a byte in {limits.GIT_SECONDS:g} seconds", path)


def _written(process: subprocess.Popen[bytes], stdin_data: bytes) -> tuple[bytes, bytes]:
    """What a process that is given some input writes to stdout and stderr until it closes both.

    Raises TimeoutError.
    """
    import subprocess

    if sys.platform == "win32":
        try:
            return process.communicate(stdin_data or None, timeout=limits.GIT_SECONDS)
        except subprocess.TimeoutExpired:
            raise TimeoutError from None
    import selectors

    assert process.stdout is not None
    assert process.stderr is not None
    texts: dict[int, list[bytes]] = {process.stdout.fileno(): [], process.stderr.fileno(): []}
    with selectors.DefaultSelector() as pipes:
        for number in texts:
            pipes.register(number, selectors.EVENT_READ)
        remaining = memoryview(stdin_data)
        if process.stdin is not None:
            os.set_blocking(process.stdin.fileno(), False)
            pipes.register(process.stdin, selectors.EVENT_WRITE)
        while pipes.get_map():
            ready = pipes.select(limits.GIT_SECONDS)
            if not ready:
                raise TimeoutError
            for key, _ in ready:
                if key.fileobj is process.stdin:
                    remaining = remaining[_sent(process.stdin, remaining) :]
                    if not remaining:
                        pipes.unregister(process.stdin)
                        process.stdin.close()
                    continue
                text = os.read(key.fd, _BLOCK)
                texts[key.fd].append(text)
                if not text:
                    pipes.unregister(key.fd)
    stdout, stderr = (b"".join(parts) for parts in texts.values())
    return stdout, stderr


def _sent(pipe: IO[bytes], text: memoryview) -> int:
    """How much of a text a process takes now; all of it if the process reads no more."""
    try:
        return os.write(pipe.fileno(), text)
    except BlockingIOError:
        return 0
    except BrokenPipeError:
        return len(text)


class Answers(io.RawIOBase):
    """The output of a long-running git process; reading raises TimeoutError if nothing comes."""

    def __init__(self, pipe: IO[bytes]) -> None:
        import select

        self._number = pipe.fileno()
        self._poll = None
        if hasattr(select, "poll"):  # Windows has none, and no pipes in folders either
            self._poll = select.poll()
            self._poll.register(self._number, select.POLLIN)

    def readable(self) -> bool:
        """True."""
        return True

    def readinto(self, buffer: Any) -> int:
        """Read what there is into `buffer`, waiting for the first byte; returns the number of bytes."""
        if self._poll is not None and not self._poll.poll(limits.GIT_SECONDS * 1000):
            raise TimeoutError
        if self._poll is not None:
            return os.readv(self._number, [buffer])
        view = memoryview(buffer)
        text = os.read(self._number, len(view))
        view[: len(text)] = text
        return len(text)


def _no_git(error: OSError, path: str) -> InputError:
    if isinstance(error, FileNotFoundError):
        return InputError(_NO_GIT, path)
    return InputError(f"git cannot be run ({error.strerror})", path)


def remedy(ref: str, remotes: list[str], shallow: bool) -> str:
    """The arguments of the `git fetch` that makes a name available."""
    depth = "--depth=1 " if shallow else ""
    if re.search(r"[~^]|@\{", ref):
        return _deeper(ref) if shallow else "--all"
    ref = ref.removeprefix("refs/remotes/")
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
    if _EMBEDDED in line:
        return (
            "this folder is a bare repository inside another one, which is read only if its name ends in "
            ".git; rename it or move it out"
        )
    advice = next((line for line in lines if line.startswith("git config ")), "")
    return f"git: {line}{f'; to trust it: {advice}' if advice else ''}"
