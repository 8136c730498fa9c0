"""Renders new specs: a request with its response, a header, or a message of another type."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from wirebook.specs.jsontext import COMMENT
from wirebook.specs.model import Message
from wirebook.specs.profile import HALVES

_HEAD = re.compile(rf"\A(?:\s|{COMMENT})*+")


class NewField(NamedTuple):
    """A field of a new spec: in every version, without a default of its own."""

    name: str
    type: str
    about: str


@dataclass(frozen=True)
class NewSpec:
    """The content of a new spec: the first and last of its `versions`, and those that are flexible.

    `about` says what it is for, `licence` is the text before the first brace, `level` the protocol level in
    which `history` says that version 0 was added; None if the specs have no history. Without `fields`, it has
    an example of one.
    """

    name: str
    type: str
    api_key: int | None = None
    listeners: Sequence[str] = ()
    licence: str = ""
    level: str | None = None
    versions: tuple[int, int] = (0, 0)
    flexible: str = "0+"
    fields: Sequence[NewField] = ()
    about: str = ""


def spec_of(new: NewSpec) -> str:
    """The text of a new spec, formatted like `formatted` does."""
    keys: list[str] = []
    if new.api_key is not None:
        keys.append(f'"apiKey": {new.api_key}')
    keys.append(f'"type": {_json(new.type)}')
    if new.about:
        keys.append(f'"about": {_json(new.about)}')
    if new.listeners:
        keys.append(f'"listeners": {_json(list(new.listeners))}')
    first, last = new.versions
    valid = f"{first}" if first == last else f"{first}-{last}"
    keys += [
        f'"name": {_json(new.name)}',
        f'"validVersions": "{valid}"',
        f'"flexibleVersions": "{new.flexible}"',
    ]
    if new.level is not None:
        keys.append(
            f'"history": [\n    {{ "version": 0, "added": {_json(new.level)},\n'
            '      "about": "The first version." }\n  ]'
        )
    example = _ERROR_CODE if new.type == "response" else _EXAMPLE
    fields = ",\n".join(
        f'    {{ "name": {_json(field.name)}, "type": {_json(field.type)}, "versions": "{first}+",\n'
        f'      "about": {_json(field.about)} }}'
        for field in new.fields or (example,)
    )
    keys.append(f'"fields": [\n{fields}\n  ]')
    return new.licence + "{\n  " + ",\n  ".join(keys) + "\n}\n"


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)


_ERROR_CODE = NewField("ErrorCode", "int16", "The error code, or 0 if there was no error.")
_EXAMPLE = NewField("Name", "string", "TODO: what the field means, its unit, and who sets it.")


def next_key(
    messages: Iterable[Message], kinds: Sequence[str] = HALVES, former: Iterable[tuple[str, int]] = ()
) -> int:
    """The API key after the highest one of any message of these types: a key is never reused.

    `former` are the types and keys of messages that may have been deleted since.
    """
    keys = [(message.type, message.api_key) for message in messages]
    return max((key for kind, key in [*keys, *former] if kind in kinds and key is not None), default=-1) + 1


def common_licence(texts: Iterable[str]) -> str:
    """The comment at the beginning of most specs; empty if there is none in common."""
    # A comment may contain braces, too.
    heads = Counter("".join(_HEAD.findall(text)) for text in texts)
    if not heads:
        return ""
    head, count = heads.most_common(1)[0]
    return head if count * 2 > heads.total() and head.lstrip().startswith("/") else ""
