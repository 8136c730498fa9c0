"""A setting: a value with its origin; and [[override]]: severities for only some paths or messages."""

from collections.abc import Mapping, Sequence
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Generic, NamedTuple, TypeVar

from wirebook.rules.rule import Rule
from wirebook.specs.problems import InputError, Position
from wirebook.specs.reading.globs import matches

if TYPE_CHECKING:
    from wirebook.rules.finding import Finding

DEFAULT, COMMAND_LINE = "default", "command line"
TAGS_HINT = "to get the tags of a clone: git fetch --tags"

Value = TypeVar("Value")


class ElementPosition(NamedTuple):
    """The position in a configuration at which an element of a list is written."""

    path: str
    position: Position | None


class Setting(NamedTuple, Generic[Value]):
    """A value, and its origin: "default", "wirebook.toml:3" or "command line".

    `elements` are the positions of the elements of a list in the configuration, if they are known.
    """

    value: Value
    origin: str = DEFAULT
    elements: tuple[ElementPosition, ...] = ()


def unusable_releases(released: Setting[tuple[str, ...]], names: Sequence[str], why: str) -> InputError:
    """The error for names of releases: at the position of the first in the configuration that has it, or else
    at the option of the command line.
    """
    elements = dict(zip(released.value, released.elements, strict=False))
    written = elements.get(names[0])
    text = " ".join(names)
    if written is None:
        return InputError(f"--released {text}: {why}")
    return InputError(f'released "{text}": {why}', *written)


Severities = Mapping[str, Setting[str]]


class Override(NamedTuple):
    """Severities by rule or category for the findings of some files, of some messages, or of both.

    `paths` are globs as everywhere in the configuration, `messages` globs of names of messages; if one
    is empty, it matches all. `origin` is where it is from.
    """

    paths: tuple[str, ...]
    messages: tuple[str, ...]
    severities: Severities
    origin: str

    def fits(self, message: str, path: str | None) -> bool:
        """Whether it applies to a message in a file; paths begin at the folder of the configuration."""
        named = not self.messages or any(fnmatchcase(message, glob) for glob in self.messages)
        return named and (not self.paths or (path is not None and matches(path, self.paths)))


class Overriding:
    """All overrides of a configuration; those that match a message in a file are computed once."""

    def __init__(self, overrides: Sequence[Override]) -> None:
        self._overrides = overrides
        self._fitting: dict[tuple[str, str | None], list[Severities]] = {}

    def severity(
        self, finding: "Finding", rule: Rule | None, spec: tuple[str, str | None], general: Severities
    ) -> Setting[str] | None:
        """The severity set for a finding: by the last override that fits and has one, else by the project.

        `spec` is the name of the message and the path of its file. In each, a rule takes precedence over its
        category, which does not lower a firm rule.
        """
        if spec not in self._fitting:
            fitting = [override.severities for override in self._overrides if override.fits(*spec)]
            self._fitting[spec] = fitting[::-1]
        for severities in (*self._fitting[spec], general):
            if finding.rule in severities:
                return severities[finding.rule]
            if finding.category.value in severities and (rule is None or not rule.firm):
                return severities[finding.category.value]
        return None
