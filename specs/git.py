"""Runs git in a repository: its environment is kept, none of its hooks runs, nothing is written."""

from __future__ import annotations

import os
import re
import subprocess
import tempfile
from contextlib import suppress
from pathlib import Path

from wirebook.specs.limits import GIT_SECONDS, MAX_TEXT
from wirebook.specs.problems import InputError

# A hook or a monitor of the file system is code of the repository.
_SAFE = [
    *("-c", "core.hooksPath=/dev/null", "-c", "core.fsmonitor=false"),
    *("-c", "log.showSignature=false"),
]
_QUIET = {
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_NO_REPLACE_OBJECTS": "1",
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_ALLOW_PROTOCOL": "",
    "LC_ALL": "C",
}
_LAST = re.compile(r"([^/:\\]+?)(?:\.git|\.bundle)?/*$")


class Git:
    """A repository, and one process that reads its objects. Use it in a `with` statement.

    `top` is the folder of its working tree, None for a bare one, in which `pre-receive` runs.
    """

    def __init__(self, place: Path) -> None:
        self.place = place
        self._command = ["git", "-C", str(place), *_SAFE]
        # A hook has its own index, and its objects in a quarantine.
        self.environment = {**os.environ, **_QUIET}
        self._reader: subprocess.Popen[bytes] | None = None
        self._temporary: tempfile.TemporaryDirectory[str] | None = None
        done = self.attempt("rev-parse", "--is-inside-work-tree", "--show-toplevel")
        is_inside, _, top = done.stdout.removesuffix(b"\n").partition(b"\n")
        if not is_inside:
            raise InputError(_reason(done.stderr))
        # A bare repository answers the first question only.
        self.top = Path(os.fsdecode(top)) if is_inside == b"true" else None

    @classmethod
    def find(cls, place: Path) -> Git | None:
        """The repository that a folder is in, None if it is in none. Raises InputError."""
        try:
            return cls(place)
        except InputError as error:
            inside = (each / ".git" for each in (place.resolve(), *place.resolve().parents))
            if "not a git repository" in error.message and not any(map(os.path.lexists, inside)):
                return None
            raise

    def __enter__(self) -> Git:
        return self

    def __exit__(self, *_: object) -> None:
        """End the process, and remove temporary objects."""
        self._stop_reading()
        if self._temporary is not None:
            self._temporary.cleanup()

    def run(self, *arguments: str, data: bytes = b"", **variables: str) -> bytes:
        """The output of a command. Raises InputError with git's own message if it fails."""
        done = self.attempt(*arguments, data=data, **variables)
        if done.returncode:
            raise InputError(_reason(done.stderr))
        return done.stdout

    def attempt(
        self, *arguments: str, data: bytes = b"", **variables: str
    ) -> subprocess.CompletedProcess[bytes]:
        """A finished command. Raises InputError if there is no git, or if it does not answer."""
        try:
            return subprocess.run(
                [*self._command, *arguments],
                input=data,
                capture_output=True,
                env={**self.environment, **variables},
                timeout=GIT_SECONDS,
            )
        except subprocess.TimeoutExpired:
            raise InputError(f"git {arguments[0]} does not answer", str(self.place)) from None
        except FileNotFoundError:
            raise InputError("git is not installed, or not on the PATH") from None

    def lines(self, *arguments: str) -> list[str]:
        """The lines that a command prints."""
        return self.run(*arguments).decode(errors="surrogateescape").split("\n")[:-1]

    def commit(self, name: str) -> str | None:
        """The commit that a name resolves to, None if there is none.

        Raises InputError for a name of several refs: who can push a tag could choose the base.
        """
        own = [name] if name.startswith("refs/") else []
        places = own + [f"refs/{kind}{name}" for kind in ("", "tags/", "heads/", "remotes/")]
        if re.match(r"HEAD(?![^~^])|@\{", name):
            places = []
        named = [ref for ref in places if self._commit(ref)]
        is_hexadecimal = re.fullmatch("[0-9a-f]{4,64}", name)
        if named and is_hexadecimal and self.run("rev-parse", f"--disambiguate={name}"):
            raise InputError(
                f'"{name}" may be a commit and is {named[0]}: delete the ref, or write it in full'
            )
        if len(named) > 1:
            advice = "delete one of them" if name in named else "write one of them in full"
            raise InputError(f'"{name}" is ambiguous: {" and ".join(named)}; {advice}')
        return self._commit(named[0] if named else name)

    def _commit(self, name: str) -> str | None:
        """The commit that git finds under a name, None if there is none."""
        target = f"{name}^{{commit}}"
        if "@{" in name:
            # The process that reads ends at an upstream, or at a moment, that is not there.
            done = self.attempt("rev-parse", "--verify", "--quiet", "--end-of-options", target)
            return done.stdout.decode().strip() or None
        found = self._ask(f"info {target}", name)
        return None if found is None else found[0].decode()

    def is_shallow(self) -> bool:
        """Whether the clone lacks the beginning of its history."""
        return self.run("rev-parse", "--is-shallow-repository").strip() == b"true"

    def remote(self) -> str:
        """The address that the repository was cloned from, "" for none."""
        remote = self.run("config", "--default", "", "--get", "remote.origin.url")
        return remote.decode(errors="replace").strip()

    def name(self) -> str:
        """The name at the end of that address, or else that of its folder."""
        last = _LAST.search(self.remote() or str(self.top or self.place.resolve()))
        return last[1] if last else ""

    def read(self, name: str, shown: str) -> bytes | None:
        """The content of a blob by its id, or by `COMMIT:PATH`; None if there is no such blob.

        Raises InputError, which calls it `shown`, if it is too large, or not in a partial clone.
        """
        found = self._ask(f"contents {name}", shown)
        if found is None:
            return None
        _, kind, size = found
        if int(size) > MAX_TEXT:
            # What is left of it must not be taken for the next answer.
            self._stop_reading()
            raise InputError(f"it is larger than {MAX_TEXT >> 20} MiB", shown)
        assert self._reader is not None
        assert self._reader.stdout is not None
        content = self._reader.stdout.read(int(size) + 1)
        return content[:-1] if kind == b"blob" else None

    def content(self, blob: str, path: str) -> bytes:
        """The content of the blob that a tree has at a path. Raises InputError."""
        content = self.read(blob, path)
        if content is None:
            raise InputError("git does not have its content: the repository is damaged", path)
        return content

    def blob(self, name: str) -> str | None:
        """The id of the blob that `COMMIT:PATH` names, None if there is none."""
        found = self._ask(f"info {name}", name)
        return found[0].decode() if found is not None and found[1] == b"blob" else None

    def _ask(self, question: str, shown: str) -> list[bytes] | None:
        """The id, type and size of an object, None if there is none; its content follows."""
        if "\n" in question:
            return None
        if self._reader is None:
            self._reader = subprocess.Popen(
                [*self._command, "cat-file", "--batch-command"],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                env=self.environment,
            )
        assert self._reader.stdin is not None
        assert self._reader.stdout is not None
        with suppress(BrokenPipeError):
            self._reader.stdin.write(os.fsencode(question) + b"\n")
            self._reader.stdin.flush()
        answer = self._reader.stdout.readline().split()
        if not answer:
            raise InputError(
                "git cannot read it: a partial clone lacks it (git fetch --refetch --no-filter), "
                "or the repository is damaged",
                shown,
            )
        return answer if len(answer) == 3 and answer[2].isdigit() else None

    def merged(self, target: str, head: str) -> tuple[str, list[str]]:
        """The tree that merging `head` into `target` gives, and the paths in conflict.

        Its objects are in a temporary folder. Raises InputError if git cannot merge them.
        """
        self._write_aside()
        done = self.attempt(
            "merge-tree", "--write-tree", "-z", "--name-only", "--no-messages", target, head
        )
        if done.returncode > 1:
            raise InputError(_reason(done.stderr))
        tree, *conflicts = done.stdout.decode(errors="surrogateescape").split("\0")
        return tree, [path for path in conflicts if path]

    def scratch(self) -> Path:
        """A temporary folder, which exists as long as the repository is open."""
        if self._temporary is None:
            self._temporary = tempfile.TemporaryDirectory(prefix="wirebook-")
        return Path(self._temporary.name)

    def _write_aside(self) -> None:
        """Let git write new objects to a temporary folder instead of the repository."""
        own = self.run("rev-parse", "--path-format=absolute", "--git-path", "objects")
        objects = self.scratch() / "objects"
        objects.mkdir(exist_ok=True)
        others = [os.fsdecode(own.removesuffix(b"\n"))]
        others += filter(None, [os.environ.get("GIT_ALTERNATE_OBJECT_DIRECTORIES")])
        self.environment["GIT_OBJECT_DIRECTORY"] = str(objects)
        self.environment["GIT_ALTERNATE_OBJECT_DIRECTORIES"] = os.pathsep.join(others)
        # The process that reads does not know of the new objects.
        self._stop_reading()

    def _stop_reading(self) -> None:
        """End the process that reads objects; the next one to be read starts another."""
        if self._reader is not None:
            self._reader.kill()
            self._reader.communicate()
            self._reader = None


def _reason(stderr: bytes) -> str:
    """The last line of what git prints, without its prefix, and what may help."""
    lines = stderr.decode(errors="replace").strip().splitlines() or ["git failed without a message"]
    reason = lines[-1].removeprefix("fatal: ").removeprefix("error: ")
    if "missing" in reason or "bad object" in reason or "promisor" in reason:
        reason += "; a partial clone gets it with: git fetch --refetch --no-filter"
    return reason
