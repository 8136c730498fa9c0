"""Reads the texts about messages, and their other names: JSON with comments, separate from the
specs.

The files are ours: tests compare them with their schemas and with the specs.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import Any

from wirebook.specs.jsontext import parse_json
from wirebook.specs.model import FieldText, MessageTexts
from wirebook.specs.texts.model import (
    Alias,
    ApiTexts,
    CitedText,
    ErrorText,
    FieldCode,
    UseText,
    code_source,
)
from wirebook.specs.texts.releases import NO_RELEASES, ReleaseList, ReleaseText
from wirebook.specs.versions import Versions

_VARIES = ("text", "releases", "source")


def read_texts(
    text: str | bytes,
    path: str,
    releases: ReleaseList = NO_RELEASES,
    release: str = "",
    code: Mapping[str, Mapping[str, FieldCode]] = MappingProxyType({}),
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
            parts = [
                ReleaseText(self.releases.range(key), plain(part))
                for key, part in value["releases"].items()
            ]
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
        releases = row.get("releases", "")
        return ErrorText(
            name=row["name"],
            versions=Versions.parse(row.get("versions", "0+")),
            field=row["field"],
            cause=self.prose(row["cause"]),
            action=self.prose(row["action"]),
            source=row["source"],
            inferred="reason" in row,
            reason=row.get("reason", ""),
            releases=self.releases.described(releases) if releases else "",
            observed=row.get("observed", ""),
        )
