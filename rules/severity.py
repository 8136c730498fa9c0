"""The value types that rules use: severity, category, and place in a file."""

from enum import StrEnum
from typing import Any, NamedTuple

from wirebook.specs.jsontext import ImportedPosition, SourcePositions
from wirebook.specs.problems import Position
from wirebook.specs.profile import Profile


class Severity(StrEnum):
    """The severity of a finding: only an error fails a check."""

    ERROR = "error"
    WARNING = "warning"
    INFO = "info"

    @property
    def rank(self) -> int:
        """0 for the worst."""
        return list(Severity).index(self)


class Category(StrEnum):
    """What a rule protects."""

    WIRE = "wire"
    POLICY = "policy"
    SPEC = "spec"
    SET = "set"
    SOURCE = "source"


class Place(NamedTuple):
    """A place in a file: where it begins, and where the item there ends, if known.

    Lines and columns count from 1, columns in characters; `end_column` is that of the character
    after it.
    """

    path: str
    line: int
    column: int
    end_line: int | None = None
    end_column: int | None = None

    @classmethod
    def of(cls, path: str, lines: SourcePositions, at: Position) -> "Place":
        """The place of the token at a position of a text, or of a file that the text imports."""
        if isinstance(at, ImportedPosition):
            path, lines = at.imported, at.lines
        return cls(path, *at, *lines.end_of(at))

    @classmethod
    def of_profile(cls, profile: Profile) -> "Place | None":
        """The file of a profile; None for one without a file."""
        return cls(profile.path, 1, 1) if profile.path else None

    def to_json(self) -> dict[str, Any]:
        """The place as wirebook/findings/1 has it; the keys of its end are those of editors and of
        SARIF."""
        return {
            "path": self.path,
            "line": self.line,
            "column": self.column,
            "endLine": self.end_line,
            "endColumn": self.end_column,
        }
