"""The specs of a SOURCE, as texts or as a protocol."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from wirebook.docgen.catalog.spec_texts import SpecText, spec_texts
from wirebook.specs.git import Git
from wirebook.specs.kafka.origins import citations, code_place
from wirebook.specs.model import Protocol
from wirebook.specs.profile import NEUTRAL, Profile
from wirebook.specs.project import Selection
from wirebook.specs.reader import read_message
from wirebook.specs.trees import named, of_commit


def texts_of(source: str | Path) -> list[SpecText]:
    """The texts of the specs of a SOURCE."""
    return spec_texts(named(str(source), Path(), None).tree, Selection(), {})


def texts_at(repository: Path, commit: str) -> list[SpecText]:
    """The texts of the specs in a commit of a repository."""
    with Git(repository) as git:
        return spec_texts(of_commit(git, commit), Selection(), {})


def read_protocol(texts: Iterable[SpecText], profile: Profile = NEUTRAL) -> Protocol:
    """The protocol that some texts describe."""
    return Protocol.of(
        read_message(text.text, text.path, text.imports, profile=profile) for text in texts
    )


def unlisted_code(source: str) -> list[str]:
    """The current code that a source names and origins.json does not list."""
    current = (citation for citation in citations(source) if not citation.release)
    return [str(citation) for citation in current if code_place(citation) is None]
