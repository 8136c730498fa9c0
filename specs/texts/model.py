"""Prose about messages, kept apart from their specs: by message, field path and version."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import NamedTuple

from wirebook.specs.versions import Versions


class FieldText(NamedTuple):
    """The description of a field in some of its versions."""

    versions: Versions
    text: str


@dataclass(frozen=True, slots=True)
class MessageTexts:
    """The descriptions of the fields of a message, by path; at most one for each version."""

    fields: Mapping[str, tuple[FieldText, ...]]

    def about(self, path: str, version: int) -> str:
        """The description of a field in a version; "" if there is none."""
        found = self.fields.get(path, ())
        return next((item.text for item in found if version in item.versions), "")

    def newest(self, path: str) -> str:
        """The description of the newest versions of a field; "" if there is none."""
        found = self.fields.get(path, ())
        return max(found, key=lambda item: item.versions.lowest).text if found else ""


@dataclass(frozen=True, slots=True)
class Use:
    """How an API is used; "" if nothing is described."""

    sender: str = ""
    preconditions: str = ""
    ordering: str = ""
    limits: str = ""
    authorization: str = ""

    @property
    def is_complete(self) -> bool:
        """Whether each part is described."""
        return all(getattr(self, item.name) for item in fields(self))


NO_USE = Use()


class ErrorText(NamedTuple):
    """An error code that a response may contain: in which versions, why, and what a client does.

    `field` is the path of the field with the code; `source` names the origin of the fact, and `inferred` is
    true if it was concluded rather than read there.
    """

    name: str
    versions: Versions
    field: str
    cause: str
    action: str
    source: str
    inferred: bool = False


@dataclass(frozen=True, slots=True)
class ApiTexts:
    """The texts about an API, or about a message outside any API; `path` is the file.

    `requires` has, by version, the prerequisites of sending it: other APIs, features, releases. `group` is
    the heading under which lists of APIs show it; "" for none.
    """

    name: str
    purpose: str
    path: str
    use: Use = NO_USE
    pitfalls: tuple[str, ...] = ()
    versions: Mapping[int, str] = field(default_factory=dict)
    requires: Mapping[int, str] = field(default_factory=dict)
    messages: Mapping[str, MessageTexts] = field(default_factory=dict)
    errors: tuple[ErrorText, ...] = ()
    group: str = ""
