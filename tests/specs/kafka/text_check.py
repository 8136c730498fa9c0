"""Compares our prose with the specs: texts about things that do not exist, and things without a
text."""

from __future__ import annotations

import json
from collections.abc import Container, Iterator, Mapping, Sequence, Set
from itertools import chain
from typing import Any

from tests.sources import unlisted_code
from tests.specs.kafka.prose_check import Complaint, Facts, contradictions
from tools.changed_sources import citing
from wirebook.docgen.pages.groups import GROUPS
from wirebook.docgen.pages.search import exception_of
from wirebook.specs.defaults import INTEGERS
from wirebook.specs.kafka import facts
from wirebook.specs.kafka.brokers import kafka_releases
from wirebook.specs.kafka.registry import FOLDER
from wirebook.specs.kafka.releases import UNRELEASED
from wirebook.specs.kafka.texts import (
    ApiTexts,
    all_texts,
    all_values,
)
from wirebook.specs.layout import layouts
from wirebook.specs.model import Message, MessageTexts, Protocol
from wirebook.specs.problems import InputError

_EXCHANGE = ("request", "response")


def folded(name: str) -> str:
    """A name without case and separators: NotLeader, NOT_LEADER and not.leader are one name."""
    return "".join(character for character in name.lower() if character.isalnum())


def check_texts(protocol: Protocol) -> dict[str, ApiTexts]:
    """Read our texts by name; fails with a line for each text about something that does not exist.

    That may be a message, field, version or error code, a value that a field cannot have, cited
    code, or a statement that the specs contradict.
    """
    wrong = [f"specs/kafka/values.json: {reason}" for reason in _wrong_values(protocol)]
    texts_by_name, errors = all_texts(), _error_codes()
    messages = _by_api(protocol)
    facts = Facts.of(messages, errors, _names_of_values())
    for name, texts in texts_by_name.items():
        of_api = messages.get(name, [])
        complaints = chain(
            _unknown(texts, of_api, errors, messages), contradictions(texts, of_api, facts)
        )
        wrong += [f"{texts.path}: {where}: {message}" for where, message in complaints]
        coming = {error.source for error in texts.errors if error.releases.startswith(UNRELEASED)}
        for row in citing(texts):
            codes = [] if row.source in coming else unlisted_code(row.source)
            wrong += [f'{row.path}: no code "{code}": "{row.source}"' for code in codes]
    assert not wrong, "\n".join(dict.fromkeys(wrong))
    check_aliases(protocol)
    return texts_by_name


def gaps(protocol: Protocol, texts_by_name: Mapping[str, ApiTexts]) -> Iterator[str]:
    """What has no text: APIs, versions of requests and responses, and fields in each of their
    versions."""
    for name, messages in sorted(_by_api(protocol).items()):
        texts = texts_by_name.get(name)
        is_api = messages[0].type in _EXCHANGE
        if texts is None or (is_api and not all(texts.use)):
            yield f"{name}: purpose and use"
            continue
        versions = (
            {number for message in messages for number in message.valid_versions}
            if is_api
            else set()
        )
        yield from (
            f"{name}: version {version}" for version in sorted(versions - texts.versions.keys())
        )
        for message in messages:
            own = texts.messages.get(message.name)
            for laid_out in layouts(message):
                for field in laid_out.walk():
                    if own is None or not own.about(field.path, laid_out.version):
                        yield f"{message.name}: {field.path}, version {laid_out.version}"


def _wrong_values(protocol: Protocol) -> Iterator[str]:
    """The errors in the lists of values: fields that do not exist, and values that they cannot
    have."""
    by_name = {message.name: message for message in protocol.messages}
    for name, fields in all_values().items():
        if name not in by_name:
            yield f'there is no message "{name}"'
            continue
        versions_of = _fields_of(by_name[name])
        for path, field_values in fields.items():
            versions = versions_of.get(path)
            if versions is None:
                yield f'{name} has no field "{path}"'
                continue
            numbers = [entry.value for entry in field_values.listed]
            if len(set(numbers)) < len(numbers):
                yield f"a value of {name}.{path} is listed twice"
            for entry in field_values.listed:
                if not all(_holds(kind, entry.value) for kind in versions.values()):
                    yield f"{name}.{path} cannot be {entry.value}"
                if not any(version in entry.versions for version in versions):
                    yield f"{name}.{path} is not in versions {entry.versions} of its value {entry.value}"


def _holds(kind: str, value: int) -> bool:
    """Whether a type is one of integers and has a value."""
    lowest, highest = INTEGERS.get(kind, (0, -1))
    return lowest <= value <= highest


def _fields_of(message: Message) -> dict[str, dict[int, str]]:
    """The fields of a message by path: for each version, the type of the field or of its
    elements."""
    types: dict[str, dict[int, str]] = {}
    for laid_out in layouts(message):
        for item in laid_out.walk():
            types.setdefault(item.path, {})[laid_out.version] = item.element or item.type
    return types


def _by_api(protocol: Protocol) -> dict[str, list[Message]]:
    messages_by_api: dict[str, list[Message]] = {}
    for message in protocol.messages:
        messages_by_api.setdefault(message.api, []).append(message)
    return messages_by_api


def _unknown(
    texts: ApiTexts,
    messages: Sequence[Message],
    errors: Container[str],
    others: Container[str],
) -> Iterator[Complaint]:
    """The texts about things that do not exist."""
    if not messages:
        yield ("name",), f'there is no API or message "{texts.name}"'
        return
    if not texts.path.endswith(f"/{texts.name}.json"):
        yield ("name",), f'the texts of "{texts.name}" belong in {texts.name}.json'
    if texts.group not in GROUPS:
        yield ("group",), f'"{texts.group}" is not a group; choose one of {", ".join(GROUPS)}'
    for number, other in enumerate(texts.replaced_by):
        if other not in others or other == texts.name:
            yield ("replaced_by", number), f'there is no other API or message "{other}"'
    versions = {number for message in messages for number in message.valid_versions}
    for key, versions_named in (("versions", texts.versions), ("requires", texts.requires)):
        for version in versions_named:
            if version not in versions:
                yield (key, str(version)), f"{texts.name} has no version {version}"
    paths = {message.name: _fields_of(message) for message in messages}
    for name, own in texts.messages.items():
        if name in paths:
            yield from _unknown_fields(name, own, paths[name])
            yield from _unknown_replacements(name, own, paths[name])
        else:
            yield ("messages", name), f'{texts.name} has no message "{name}"'
    answers = [message.name for message in messages if message.type != "request"]
    yield from _unknown_errors(
        texts, errors, versions, {path for name in answers for path in paths[name]}
    )


def _unknown_fields(
    name: str, texts: MessageTexts, types: Mapping[str, Mapping[int, str]]
) -> Iterator[Complaint]:
    """Texts about fields that a message does not have, at all or in their versions."""
    for path, parts in texts.fields.items():
        if path not in types:
            yield ("messages", name, "fields", path), f'{name} has no field "{path}"'
            continue
        for part in parts:
            if not any(version in part.versions for version in types[path]):
                keys = ("messages", name, "fields", path, str(part.versions))
                yield keys, f"{path} is not in versions {part.versions} of {name}"


def _unknown_replacements(
    name: str, texts: MessageTexts, types: Mapping[str, Mapping[int, str]]
) -> Iterator[Complaint]:
    """Replacements of fields by others that do not exist, or that do not come later."""
    for path, other in texts.replaced_by.items():
        keys = ("messages", name, "replaced_by", path)
        if path not in types or other not in types:
            yield keys, f'{name} has no field "{other if path in types else path}"'
        elif max(types[other]) <= max(types[path]):
            yield keys, f"{other} is in no later version of {name} than {path}"


def _unknown_errors(
    texts: ApiTexts, errors: Container[str], versions: Set[int], paths: Set[str]
) -> Iterator[Complaint]:
    """Texts about error codes that do not exist, or in fields and versions that no response has."""
    for number, error in enumerate(texts.errors):
        if error.name not in errors:
            yield ("errors", number, "name"), f'there is no error code "{error.name}"'
        if error.field not in paths:
            yield ("errors", number, "field"), f'the response has no field "{error.field}"'
        if not any(version in error.versions for version in versions):
            yield ("errors", number, "versions"), f"{texts.name} has no versions {error.versions}"


def _error_codes() -> dict[str, int]:
    return {row["name"]: row["code"] for row in _error_rows()}


def check_aliases(protocol: Protocol) -> None:
    """Raise InputError at the first alias of a thing that does not exist, or that is a name without
    it."""
    by_name = {message.name: message for message in protocol.messages}
    codes = {row["name"]: tuple(row.get("former_names", ())) for row in _error_rows()}
    owners = {folded(name): f"API key {key}" for name, key in kafka_releases().keys.items()}
    for code, former in codes.items():
        names = (code, *former)
        owners |= {folded(name): code for name in (*names, *map(exception_of, names))}
    own_names = {
        name for message in by_name.values() for name in (message.name, message.api)
    } | codes.keys()
    owners |= {folded(name): name for name in own_names}
    for thing, aliases in facts("aliases.json")["aliases"].items():
        name, _, path = thing.partition(".")
        if name not in (by_name if path else own_names):
            raise InputError(f'there is no message or error code "{name}"', "aliases.json")
        if path and path not in _fields_of(by_name[name]):
            raise InputError(f'{name} has no field "{path}"', "aliases.json")
        for alias in aliases:
            if folded(alias) in owners:
                owner = owners[folded(alias)]
                raise InputError(f'"{alias}" is a name of {owner} already', "aliases.json")


def _error_rows() -> Sequence[Mapping[str, Any]]:
    rows: Sequence[Mapping[str, Any]] = json.loads(
        (FOLDER / "errors.json").read_text(encoding="utf-8")
    )["errors"]
    return rows


def _names_of_values() -> frozenset[str]:
    listed = (values.listed for by_path in all_values().values() for values in by_path.values())
    return frozenset(item.name for each in listed for item in each)
