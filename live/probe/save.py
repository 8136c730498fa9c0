"""Saves the answers of brokers: as ranges for `negotiate`, or as specs, a SOURCE for any command."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from wirebook.live.probe.answer import Answer
from wirebook.live.probe.comparison import common
from wirebook.specs.files import refuse_links, write_atomically
from wirebook.specs.kafka.registry import embedded_source
from wirebook.specs.model import Message
from wirebook.specs.output import PROBE, check_output, replaced
from wirebook.specs.printable import to_json, visible
from wirebook.specs.problems import InputError
from wirebook.specs.reading.discovery import COMMENT
from wirebook.specs.reading.imports import self_contained
from wirebook.specs.reading.reader import plain, read_message
from wirebook.specs.sources.source import SpecText, open_source
from wirebook.specs.syntax.jsontext import parse_json
from wirebook.specs.versions import Versions

RANGES = "wirebook/ranges/1"
NOTE = "PROBE.txt"
_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_]{0,200}", re.ASCII)
_TOKEN = re.compile(rf'"(?:[^"\\]|\\.)*"|{COMMENT}|[{{}}]', re.DOTALL)
_HISTORY = re.compile(r'^  "history": \[\n.*?^  \],?\n', re.MULTILINE | re.DOTALL)


def save(path: Path, answers: Sequence[Answer], source: str | None) -> str:
    """Write the ranges (a name in .json) or a folder of specs; returns a line for the user.

    No file is left incomplete, and only a folder written by `save` is replaced. Raises InputError, OSError.
    """
    if path.suffix == ".json":
        refuse_links(path)
        write_atomically(path, to_json(ranges(answers)).encode())
        return f"the ranges are in {path}"
    kept = {row.key: row.versions for row in common(answers) if row.versions is not None}
    files, left_out = specs_of(kept, open_source(source or str(embedded_source())).texts())
    if not files:
        raise InputError(
            "there are no specs of any version that the brokers list", source or "the embedded specs"
        )
    files[NOTE] = _note(answers, left_out)

    with replaced(path, PROBE) as folder:
        for name, text in files.items():
            (folder / name).write_text(text, encoding="utf-8")
    where = source or "the embedded specs"
    others = f"; those of {len(left_out)} others are not in {where}" if left_out else ""
    return f"the specs of {len(kept) - len(left_out)} APIs are in {path}{others}"


def check_save(path: Path) -> None:
    """Raise InputError if `save` could not replace a folder, before any broker is queried."""
    if path.suffix != ".json":
        check_output(path, PROBE)


def ranges(answers: Sequence[Answer]) -> dict[str, Any]:
    """The ranges of one or more brokers as `wirebook/ranges/1`."""
    brokers = [
        {
            "name": str(answer.address),
            "versions": {str(key): str(versions) for key, versions in sorted(answer.versions.items())},
        }
        for answer in answers
    ]
    return {"schema": RANGES, **brokers[0]} if len(brokers) == 1 else {"schema": RANGES, "brokers": brokers}


def specs_of(kept: Mapping[int, Versions], texts: Iterable[SpecText]) -> tuple[dict[str, str], set[int]]:
    """Cut the specs of some APIs to ranges; returns them by file name, and the keys without a spec.

    Versions that the specs do not have are missing, because their layout is unknown. Headers are included
    unchanged. Raises InputError for a message whose name is not a valid file name.
    """
    files: dict[str, str] = {}
    keys: set[int] = set()
    for spec in texts:
        text = self_contained(spec.text, spec.path)
        message = read_message(text, spec.path)
        if not _NAME.fullmatch(message.name):
            raise InputError(f'"{message.name}" is not a valid message name', message.path)
        name = f"{message.name}.json"
        if message.type == "header":
            files[name] = text.decode("utf-8-sig")
        versions = kept.get(message.api_key if message.api_key is not None else -1, Versions.NONE)
        if message.type in ("request", "response") and message.valid_versions & versions:
            files[name] = cut(text.decode("utf-8-sig"), message, versions)
            keys.add(message.api_key or 0)
    return (files if keys else {}), set(kept) - keys


def cut(text: str, message: Message, versions: Versions) -> str:
    """Cut the text of a spec to one range of versions, without its history, because a probe is a snapshot."""
    shared = message.valid_versions & versions
    unstable = message.latest_version_unstable and shared.highest == message.valid_versions.highest
    text = _without_later(text, message, shared.highest)
    changed = _HISTORY.sub("", text)
    changed = re.sub(
        r'^(  "validVersions"\s*:\s*)"[^"]*"', rf'\1"{shared}"', changed, count=1, flags=re.MULTILINE
    )
    if not unstable:
        changed = re.sub(
            r'^(  "latestVersionUnstable"\s*:\s*)true', r"\1false", changed, count=1, flags=re.MULTILINE
        )
    try:
        again = read_message(changed, message.path)
        if (again.valid_versions, again.latest_version_unstable, again.history) == (shared, unstable, ()):
            return changed
    except InputError:
        pass
    # The text is formatted in an unexpected way: rewriting it loses comments, but no version.
    value = plain(parse_json(text, message.path).value)
    assert isinstance(value, dict)
    value.pop("history", None)
    value["validVersions"] = str(shared)
    if "latestVersionUnstable" in value:
        value["latestVersionUnstable"] = unstable
    return json.dumps(value, indent=2, ensure_ascii=False) + "\n"


def _without_later(text: str, message: Message, highest: int) -> str:
    """The text without fields that exist only above `highest`, and without structs that only they use."""
    while True:
        spot = next(_later(message, highest), None)
        if spot is None:
            return text
        starts, place = spot
        if place:
            # With the comma and the comments in between, which describe the removed part.
            start, end = _end(text, starts[place - 1]), _end(text, starts[place])
        else:
            start, end = starts[0], _end(text, starts[0])
            comma = re.compile(r"\s*,").match(text, end)
            end = comma.end() if comma else end
        text = text[:start] + text[end:]
        message = read_message(text, message.path)


def _later(message: Message, highest: int) -> Iterator[tuple[list[int], int]]:
    """The starts of the objects in the list with a part to remove, and the index of that part."""
    lists = [message.fields, *(struct.fields for struct in message.common_structs)]
    used = set()
    for fields in lists:
        lists += [field.fields for field in fields if field.fields]
        used |= {field.element for field in fields}
        for index, field in enumerate(fields):
            if field.present and field.present.lowest > highest:
                yield [field.written.offset for field in fields], index
    for index, struct in enumerate(message.common_structs):
        if struct.name not in used:
            yield [each.written.offset for each in message.common_structs], index


def _end(text: str, start: int) -> int:
    """The end of the object that begins at `start`."""
    depth = 0
    for token in _TOKEN.finditer(text, start):
        depth += {"{": 1, "}": -1}.get(token[0], 0)
        if not depth:
            return token.end()
    raise AssertionError("an object that was read has no end")


def _note(answers: Sequence[Answer], left_out: set[int]) -> str:
    names = ", ".join(visible(str(answer.address)) for answer in answers)
    keys = ", ".join(map(str, sorted(left_out))) or "none"
    return (
        f"The versions that {names} accepts, as queried by wirebook probe.\n\n"
        "Each spec is cut to the versions that every one of these brokers lists, as far as the specs that it "
        "was taken from know them.\n"
        f"Listed and not here, since those specs do not have them, are the API keys: {keys}.\n"
        "The answer of a broker holds for the connection on which it was asked: an upgrade changes it.\n"
    )
