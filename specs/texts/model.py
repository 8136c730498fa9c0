"""Prose about messages, kept apart from their specs: by message, field path and version."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from wirebook.specs.json_records import omitted
from wirebook.specs.model import MessageTexts
from wirebook.specs.versions import Versions


class Alias(NamedTuple):
    """Another name of a thing: of a message, of an error code, or of a field
    ("FetchRequest.RackId")."""

    name: str
    thing: str


_NOTHING: Mapping[Any, Any] = {}


class UseText(NamedTuple):
    """How an API is used; "" if nothing is described."""

    sender: str = ""
    preconditions: str = ""
    ordering: str = ""
    limits: str = ""
    authorization: str = ""

    @property
    def is_complete(self) -> bool:
        """Whether each part is described."""
        return all(self)


NO_USE = UseText()


@dataclass(frozen=True, slots=True)
class ErrorText:
    """An error code that a response may contain: in which versions, why, and what a client does.

    `field` is the path of the field with the code; `source` names the origin of the fact, and
    `inferred` is true if it was concluded rather than read there, for a `reason`.
    """

    name: str
    versions: Versions
    field: str
    cause: str
    action: str
    source: str
    inferred: bool = omitted(False)
    reason: str = omitted("")
    releases: str = omitted("", "The releases whose servers return it, in words; absent for all.")
    observed: str = omitted("", "The newest release whose server was seen to return it.")


@dataclass(frozen=True, slots=True)
class CitedText:
    """A text with a source of its own.

    `reason` is why it is there although it was concluded rather than read in the source; "" if it
    was read. The source `is_of_field` if nobody wrote it for the text: it is the code that sets and
    reads the field.
    """

    text: str
    source: str
    reason: str = omitted("")
    is_of_field: bool = omitted(False)


class FieldCode(NamedTuple):
    """The method that sets a field and the one that reads it, as texts cite code; "" for none."""

    set_in: str = ""
    read_in: str = ""

    @property
    def source(self) -> str:
        """The source of a text about the field; "" if there is no code."""
        return code_source([self])


def code_source(fields: Sequence[FieldCode]) -> str:
    """The source of a text about some fields; "" if there is no code."""
    sides = (
        ("set in", [each.set_in for each in fields]),
        ("read in", [each.read_in for each in fields]),
    )
    parts = (
        f"{verb} {' and '.join(filter(None, dict.fromkeys(names)))}"
        for verb, names in sides
        if any(names)
    )
    return "; ".join(parts)


class ApiTexts(NamedTuple):
    """The texts about an API, or about a message outside any API; `path` is the file.

    `requires` has, by version, the prerequisites of sending it: other APIs, features, releases.
    `group` is the heading under which lists of APIs show it; "" for none. `replaced_by` names the
    APIs and messages that replace it if it is deprecated or removed. `source` names the code that
    the texts are about; `cited` are the texts that have a source of their own.
    """

    name: str
    purpose: str
    path: str
    use: UseText = NO_USE
    pitfalls: tuple[str, ...] = ()
    versions: Mapping[int, str] = _NOTHING
    requires: Mapping[int, str] = _NOTHING
    messages: Mapping[str, MessageTexts] = _NOTHING
    errors: tuple[ErrorText, ...] = ()
    group: str = ""
    replaced_by: tuple[str, ...] = ()
    source: str = ""
    cited: tuple[CitedText, ...] = ()

    def sources(self) -> Iterator[str]:
        """The sources that its texts name."""
        if self.source:
            yield self.source
        yield from (text.source for text in self.cited)
        yield from (error.source for error in self.errors)


def first_sentence(text: str) -> str:
    """The first sentence of a text of several paragraphs, without its full stop."""
    return text.partition("\n\n")[0].partition(". ")[0].rstrip(".")


def folded(name: str) -> str:
    """A name without case and separators: NotLeader, NOT_LEADER and not.leader are one name."""
    return "".join(character for character in name.lower() if character.isalnum())
