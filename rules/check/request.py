"""The request for a check: which two sides, what was released, and which files."""

from pathlib import Path
from typing import NamedTuple


class CheckRequest(NamedTuple):
    """A check, as requested by the command line, the configuration of a hook, or a program.

    `files` limits it to some files or folders. `against` is the old side (a SOURCE, or a range of commits);
    `staged` compares the index; `old` and `new` name both sides explicitly. `released` are globs over tags,
    or SOURCES. `branch` is the target of changes, `config` the configuration file; None means detected.
    `everything` judges every spec, and also reports findings of the old side. `verbose` also reports what
    does not affect the verdict. Relative names are relative to `cwd`. `tip` names a commit to judge instead
    of the files; with a range, it is the name under which a push has the last commit. `origin` says what
    named `against`, if that was not the command line. With `whole_branch`, the index is compared with where
    its branch left the default branch, unless `against` names another side.
    """

    files: tuple[str, ...] = ()
    against: str | None = None
    staged: bool = False
    old: str | None = None
    new: str | None = None
    released: tuple[str, ...] = ()
    branch: str | None = None
    config: Path | None = None
    everything: bool = False
    verbose: bool = False
    cwd: Path | None = None
    tip: str | None = None
    origin: str | None = None
    whole_branch: bool = False

    @property
    def command(self) -> str:
        """The command line of this check, without its output options."""
        import shlex

        parts = ["wirebook", "check"]
        for name in ("against", "old", "new", "branch", "config"):
            value = getattr(self, name)
            parts += [f"--{name}", str(value)] if value is not None else []
        parts += [part for name in self.released for part in ("--released", name)]
        parts += ["--staged"] if self.staged and not self.whole_branch else []
        parts += ["--all"] if self.everything else []
        return shlex.join([*parts, *self.files])
