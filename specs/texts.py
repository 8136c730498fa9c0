"""Prose about messages, kept apart from their specs, and other names of things: JSON with comments.

The files are ours: tests compare them with their schemas and with the specs.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from wirebook.specs.json_records import omitted
from wirebook.specs.jsontext import parse_json
from wirebook.specs.model import FieldText, MessageTexts
from wirebook.specs.release_ranges import NO_RELEASES, ReleaseList
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


_VARIES = ("text", "releases", "source")


def read_texts(
    text: str | bytes,
    path: str,
    releases: ReleaseList = NO_RELEASES,
    release: str = "",
    code: Mapping[str, Mapping[str, FieldCode]] = _NOTHING,
) -> ApiTexts:
    """Read one file, as readers of a release see it.

    `code` has the code of fields, by message and path, which is the source of their texts without
    another.
    """
    root: Any = parse_json(text, path).value
    return _Reader(releases, release, code).read(root, path)


def read_aliases(text: str | bytes, path: str) -> tuple[Alias, ...]:
    """Read a file of other names, in its order."""
    root: Any = parse_json(text, path).value
    return tuple(
        Alias(plain(name), thing) for thing, names in root["aliases"].items() for name in names
    )


def plain(text: str) -> str:
    """A text on one line."""
    return " ".join(text.split())


class _Reader:
    def __init__(
        self, releases: ReleaseList, release: str, code: Mapping[str, Mapping[str, FieldCode]]
    ) -> None:
        self.releases = releases
        self.release = release
        self.code = code
        self.cited: list[CitedText] = []
        self.of_fields: dict[str, list[FieldCode]] = {}

    def read(self, root: Mapping[str, Any], path: str) -> ApiTexts:
        return ApiTexts(
            name=root["name"],
            purpose=self.prose(root["purpose"]),
            path=path,
            use=UseText(**{key: self.prose(text) for key, text in root.get("use", {}).items()}),
            pitfalls=tuple(map(self.prose, root.get("pitfalls", ()))),
            versions=self.by_version(root.get("versions", {})),
            requires=self.by_version(root.get("requires", {})),
            messages={name: self.message(name, node) for name, node in root["messages"].items()},
            errors=tuple(map(self.error, root.get("errors", ()))),
            group=root.get("group", ""),
            replaced_by=tuple(root.get("replaced_by", ())),
            source=root.get("source", ""),
            cited=(*self.cited, *self.cited_for_fields()),
        )

    def cited_for_fields(self) -> Iterator[CitedText]:
        """The texts of fields without another source. Several fields may share a text."""
        cited = {each.text for each in self.cited}
        for text, code in self.of_fields.items():
            source = code_source(code)
            if text not in cited and source:
                yield CitedText(text, source, is_of_field=True)

    def prose(self, value: Any) -> str:
        """A text that may differ from release to release."""
        if isinstance(value, str):
            return plain(value)
        text = plain(value.get("text", ""))
        if "releases" in value:
            parts = {key: plain(part) for key, part in value["releases"].items()}
            text = self.releases.sentence(text, parts, self.release)
        if "source" in value:
            self.cited.append(CitedText(text, value["source"], value.get("reason", "")))
        return text

    def by_version(self, node: Mapping[str, Any]) -> dict[int, str]:
        return {int(version): self.prose(text) for version, text in node.items()}

    def message(self, name: str, node: Mapping[str, Any]) -> MessageTexts:
        code = self.code.get(name, {})
        fields = {}
        for path, value in node["fields"].items():
            fields[path] = texts = self.texts_of_field(value)
            for each in texts:
                self.of_fields.setdefault(each.text, []).append(code.get(path, FieldCode()))
        return MessageTexts(fields, node.get("replaced_by", {}))

    def texts_of_field(self, value: Any) -> tuple[FieldText, ...]:
        if isinstance(value, str) or not value.keys().isdisjoint(_VARIES):
            return (FieldText(Versions.ALL, self.prose(value)),)
        return tuple(
            FieldText(Versions.parse(key), self.prose(text)) for key, text in value.items()
        )

    def error(self, row: Mapping[str, Any]) -> ErrorText:
        given: dict[str, Any] = {**row, "inferred": "reason" in row}
        given["versions"] = Versions.parse(row.get("versions", "0+"))
        given["cause"], given["action"] = self.prose(row["cause"]), self.prose(row["action"])
        if "releases" in row:
            given["releases"] = self.releases.words(row["releases"])
        return ErrorText(**given)
