"""The request for a check: which two sides, what was released, and which files."""

from __future__ import annotations

import shlex
from dataclasses import dataclass, field
from pathlib import Path


@dataclass(frozen=True)
class CheckRequest:
    """A check, as the command line, a hook or a program requests it.

    `against` is what the change is compared with: a branch, a range of commits, or another SOURCE.
    `staged` judges the index instead of the working tree, `tip` a commit that a push brings; `old`
    and `new` name both sides, which need no repository. `released` are globs of tags, `config`
    is a settings file; without them, the settings decide. With
    `everything`, findings that the base has are reported, too. `files` limits the findings to some
    files or folders. Relative names are relative to `cwd`.
    """

    files: tuple[str, ...] = ()
    against: str | None = None
    staged: bool = False
    tip: str | None = None
    old: str | None = None
    new: str | None = None
    released: tuple[str, ...] = ()
    config: Path | None = None
    everything: bool = False
    cwd: Path = field(default_factory=Path.cwd)

    @property
    def command(self) -> str:
        """The command line of this check, without its output options."""
        parts = ["wirebook", "check"]
        for name in ("against", "old", "new", "config"):
            value = getattr(self, name)
            parts += [f"--{name}", str(value)] if value is not None else []
        parts += [part for name in self.released for part in ("--released", name)]
        parts += ["--staged"] if self.staged else []
        parts += ["--all"] if self.everything else []
        return shlex.join([*parts, *self.files])
