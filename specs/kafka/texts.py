"""Our texts about Kafka's messages, in files that are read when they are needed.

The files are ours: tests compare them with their schemas and with the specs.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache
from typing import Any, NamedTuple

from wirebook.specs.json_records import from_json, omitted
from wirebook.specs.jsontext import parse_json
from wirebook.specs.kafka import KAFKA
from wirebook.specs.kafka.registry import FOLDER
from wirebook.specs.kafka.releases import ReleaseList, known_releases
from wirebook.specs.model import FieldValues, Message, MessageTexts
from wirebook.specs.numbers import read_values
from wirebook.specs.versions import Versions

TEXTS = FOLDER / "texts"


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
    """A text with a source of its own; `reason` is why it is there if it was not read in that."""

    text: str
    source: str
    reason: str = omitted("")


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
    messages: Mapping[str, MessageTexts] = {}
    use: UseText = NO_USE
    pitfalls: tuple[str, ...] = ()
    versions: Mapping[int, str] = {}
    requires: Mapping[int, str] = {}
    errors: tuple[ErrorText, ...] = ()
    group: str = ""
    replaced_by: tuple[str, ...] = ()
    source: str = ""
    cited: tuple[CitedText, ...] = ()


def read_texts(text: str | bytes, path: str, releases: ReleaseList) -> ApiTexts:
    """Read one file."""
    cited: list[dict[str, str]] = []
    root = _in_words(parse_json(text, path).value, releases, cited)
    for row in root.get("errors", ()):
        row.setdefault("versions", "0+")
        row["inferred"] = "reason" in row
    for message in root["messages"].values():
        for name, value in message["fields"].items():
            by_versions = {"0+": value} if isinstance(value, str) else value
            message["fields"][name] = [
                {"versions": versions, "text": each} for versions, each in by_versions.items()
            ]
    return from_json(ApiTexts, {**root, "path": path, "cited": cited})


def _in_words(value: Any, releases: ReleaseList, cited: list[dict[str, str]]) -> Any:
    """A JSON value, with one line of text in place of each text and each object of one.

    A text may have a source of its own, which goes to `cited`, and differ from release to release.
    """
    if isinstance(value, str):
        return " ".join(value.split())
    if isinstance(value, list):
        return [_in_words(each, releases, cited) for each in value]
    if not isinstance(value, dict):
        return value
    words = {key: _in_words(each, releases, cited) for key, each in value.items()}
    of_releases = words.get("releases")
    if isinstance(of_releases, str):
        return {**words, "releases": releases.words(of_releases)}
    if "text" not in words and of_releases is None:
        return words
    text: str = releases.sentence(words.get("text", ""), of_releases or {})
    if "source" in words:
        cited.append({**words, "text": text})
    return text


@cache
def texts_of(name: str) -> ApiTexts | None:
    """The texts about an API or another message; None without a file. Raises InputError."""
    path = TEXTS / f"{name}.json"
    if not path.is_file():
        return None
    shown = f"specs/kafka/texts/{path.name}"
    texts = read_texts(path.read_bytes(), shown, known_releases())
    messages = {
        message: own._replace(values=all_values().get(message, {}))
        for message, own in texts.messages.items()
    }
    return texts._replace(messages=messages)


def all_texts() -> dict[str, ApiTexts]:
    """Read all texts, by the name of the API. Raises InputError."""
    names = sorted(path.stem for path in TEXTS.glob("*.json"))
    return {name: texts for name in names if (texts := texts_of(name)) is not None}


def with_texts(message: Message) -> Message:
    """A message of Kafka's family with the texts of its fields, by name. Raises InputError."""
    if message.profile.family != KAFKA:
        return message
    return described(message, texts_of(message.api))


def described(message: Message, written: ApiTexts | None) -> Message:
    """A message with the texts of its fields, if those of its API have any."""
    texts = written.messages.get(message.name) if written is not None else None
    return message if texts is None else replace(message, texts=texts)


@cache
def all_values() -> Mapping[str, Mapping[str, FieldValues]]:
    """The values of fields, by the name of the message and the path of the field."""
    text = (FOLDER / "values.json").read_bytes()
    return read_values(text, "specs/kafka/values.json", known_releases().words)
