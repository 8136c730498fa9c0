"""Prose about messages, kept apart from their specs: JSON with comments.

The files are ours: tests compare them with their schemas and with the specs.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from wirebook.specs.json_records import from_json, omitted
from wirebook.specs.jsontext import parse_json
from wirebook.specs.model import FieldText, MessageTexts
from wirebook.specs.release_ranges import NO_RELEASES, ReleaseList
from wirebook.specs.versions import Versions

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


# By message and path of a field: the method that sets it and the one that reads it, "" for none.
Code = Mapping[str, Mapping[str, Sequence[str]]]


def read_texts(
    text: str | bytes,
    path: str,
    releases: ReleaseList = NO_RELEASES,
    code: Code = _NOTHING,
) -> ApiTexts:
    """Read one file. The code of fields is the source of their texts without another."""
    root: Any = parse_json(text, path).value
    cited: list[CitedText] = []
    of_fields: dict[str, list[Sequence[str]]] = {}

    def prose(value: Any) -> str:
        """A text that may differ from release to release."""
        if isinstance(value, str):
            return plain(value)
        text = plain(value.get("text", ""))
        if "releases" in value:
            parts = {key: plain(part) for key, part in value["releases"].items()}
            text = releases.sentence(text, parts)
        if "source" in value:
            cited.append(CitedText(text, value["source"], value.get("reason", "")))
        return text

    def proses(key: str) -> dict[str, str]:
        return {name: prose(value) for name, value in root.get(key, {}).items()}

    def field(value: Any) -> tuple[FieldText, ...]:
        is_one = isinstance(value, str) or not value.keys().isdisjoint(("text", "releases"))
        by_versions = {"0+": value} if is_one else value
        return tuple(
            FieldText(Versions.parse(versions), prose(each))
            for versions, each in by_versions.items()
        )

    def message(name: str, node: Mapping[str, Any]) -> MessageTexts:
        of_message, fields = code.get(name, {}), {}
        for path, value in node["fields"].items():
            fields[path] = field(value)
            for each in fields[path]:
                of_fields.setdefault(each.text, []).append(of_message.get(path, ("", "")))
        return MessageTexts(fields, node.get("replaced_by", {}))

    def error(row: Mapping[str, Any]) -> ErrorText:
        words = {key: prose(row[key]) for key in ("cause", "action")}
        if "releases" in row:
            words["releases"] = releases.words(row["releases"])
        return from_json(ErrorText, {"versions": "0+", **row, **words, "inferred": "reason" in row})

    texts = ApiTexts(
        name=root["name"],
        purpose=prose(root["purpose"]),
        path=path,
        use=UseText(**proses("use")),
        pitfalls=tuple(map(prose, root.get("pitfalls", ()))),
        versions={int(version): text for version, text in proses("versions").items()},
        requires={int(version): text for version, text in proses("requires").items()},
        messages={name: message(name, node) for name, node in root["messages"].items()},
        errors=tuple(map(error, root.get("errors", ()))),
        group=root.get("group", ""),
        replaced_by=tuple(root.get("replaced_by", ())),
        source=root.get("source", ""),
    )
    # Several fields may share a text.
    sources = {text: _source_of(rows) for text, rows in of_fields.items()}
    own = {each.text for each in cited}
    of_code = (
        CitedText(text, source, is_of_field=True)
        for text, source in sources.items()
        if source and text not in own
    )
    return texts._replace(cited=(*cited, *of_code))


def _source_of(rows: Iterable[Sequence[str]]) -> str:
    """The source of a text about fields with some code; "" if there is none."""
    sides = zip(("set in", "read in"), zip(*rows, strict=True), strict=True)
    return "; ".join(
        f"{verb} {' and '.join(filter(None, dict.fromkeys(names)))}"
        for verb, names in sides
        if any(names)
    )


def plain(text: str) -> str:
    """A text on one line."""
    return " ".join(text.split())
