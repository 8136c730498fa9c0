"""The specs of a SOURCE, as texts."""

from __future__ import annotations

from pathlib import Path

from wirebook.specs.git import Git
from wirebook.specs.project import Selection, spec_texts
from wirebook.specs.reading.discovery import SpecText
from wirebook.specs.trees import named, of_commit


def texts_of(source: str | Path) -> list[SpecText]:
    """The texts of the specs of a SOURCE."""
    return spec_texts(named(str(source), Path(), None).tree, Selection(), {})


def texts_at(repository: Path, commit: str) -> list[SpecText]:
    """The texts of the specs in a commit of a repository."""
    with Git(repository) as git:
        return spec_texts(of_commit(git, commit), Selection(), {})
