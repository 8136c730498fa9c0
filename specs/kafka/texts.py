"""Our prose about Kafka's messages, and other names of things: files that are read when they are
needed."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from functools import cache
from typing import NamedTuple

from wirebook.specs.kafka import KAFKA, facts
from wirebook.specs.kafka.registry import FOLDER
from wirebook.specs.kafka.releases import known_releases
from wirebook.specs.model import FieldValues, Message
from wirebook.specs.numbers import read_values
from wirebook.specs.texts import ApiTexts, read_texts

TEXTS = FOLDER / "texts"
# "Authorization" and "Authentication" fail, but a class is named without that.
_SUFFIX = re.compile(r"_(?:EXCEPTION|ERROR|FAILURE|NUMBER)$|(?<=ATION)_FAILED$")
# The purposes of APIs and messages, in the order of lists.
GROUPS = (
    "Produce and fetch",
    "Metadata and clusters",
    "Consumer groups",
    "Share groups",
    "Streams groups",
    "Transactions",
    "Topics and configurations",
    "Security",
    "Quotas and telemetry",
    "KRaft",
    "Removed with ZooKeeper",
)


@cache
def texts_of(name: str) -> ApiTexts | None:
    """Read the texts about an API or another message; None if there is no file. Raises
    InputError."""
    path = TEXTS / f"{name}.json"
    if not path.is_file():
        return None
    of_code = facts("field_code.json")["fields"]
    shown = f"specs/kafka/texts/{path.name}"
    texts = read_texts(path.read_bytes(), shown, known_releases(), of_code)
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
    """A message of Kafka's family with the texts of its fields; any other is unchanged. Raises
    InputError.

    The texts are found by name, so they serve the embedded specs, every release, and forks.
    """
    if message.profile.family != KAFKA:
        return message
    return described(message, texts_of(message.api))


def described(message: Message, written: ApiTexts | None) -> Message:
    """A message with the texts of its fields, from those of its API; unchanged if there are
    none."""
    texts = written.messages.get(message.name) if written is not None else None
    return message if texts is None else replace(message, texts=texts)


@cache
def all_values() -> Mapping[str, Mapping[str, FieldValues]]:
    """The values of fields, by the name of the message and the path of the field."""
    text = (FOLDER / "values.json").read_bytes()
    return read_values(text, "specs/kafka/values.json", known_releases().words)


class Alias(NamedTuple):
    """Another name of a thing: of a message, of an error code, or of a field
    ("FetchRequest.RackId")."""

    name: str
    thing: str


@cache
def all_aliases() -> tuple[Alias, ...]:
    """The other names, in the order of their file (aliases.json)."""
    aliases = facts("aliases.json")["aliases"]
    return tuple(Alias(name, thing) for thing, names in aliases.items() for name in names)


def exception_of(code: str) -> str:
    """The class that Java clients throw for an error code: NotLeaderOrFollowerException.

    A class with an irregular name is in aliases.json.
    """
    return "".join(word.capitalize() for word in _SUFFIX.sub("", code).split("_")) + "Exception"
