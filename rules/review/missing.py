"""What a change still lacks, as JSON to paste and the file that it belongs in."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from wirebook.rules.finding import Finding, Place
from wirebook.specs.levels import ApiVersion, Registry
from wirebook.specs.model import Message, Protocol
from wirebook.specs.versions import VersionSet

_COUNTED = re.compile(r"(.*-IV)([0-9]{1,6})")
_UNKNOWN = "…"

# The registries of protocol levels of both sides.
Registries = tuple[Registry | None, Registry | None]


@dataclass(frozen=True)
class Missing:
    """A piece of JSON that a file lacks: a description of its place, and the text to paste."""

    path: str
    line: int | None
    words: str
    text: str


def missing(findings: Sequence[Finding], new: Protocol, registries: Registries) -> tuple[Missing, ...]:
    """What the findings require that is absent, except for waived findings.

    `registries` are those of both sides. A name or a sentence that only the author of the change knows is
    "…".
    """
    pieces = [
        piece for finding in findings if finding.waived is None for piece in _of(finding, new, registries)
    ]
    return tuple(dict.fromkeys(pieces))


def _of(finding: Finding, new: Protocol, registries: Registries) -> Iterator[Missing]:
    level = _next_level(registries)
    at = finding.location
    message = next(
        (
            candidate
            for candidate in new
            if at and (candidate.path, candidate.name) == (at.path, finding.message_name)
        ),
        None,
    )
    if message is None or at is None:
        return
    if finding.rule == "api-version-missing" and level is not None and registries[1] is not None:
        entry = {"id": level.id, "version": level.version, "release": level.release, "about": _UNKNOWN}
        last = level.id - 1
        words = f"a protocol level at the end, after the entry with id {last}"
        yield Missing(registries[1].path, None, words, _json(entry))
    elif finding.rule == "version-without-note":
        yield from _described(at, VersionSet.parse(finding.discriminator), message, level)
    elif finding.rule == "missing-partner" and message.api_key is not None:
        yield _partner(message)


def _described(
    place: Place, versions: VersionSet, message: Message, level: ApiVersion | None
) -> Iterator[Missing]:
    """The sentence on each version: in its entry of the history, or in a comment if specs have none."""
    entries = {entry.version: entry for entry in message.history}
    added = [version for version in versions if entries and version not in entries]
    for version in added or versions:
        if not entries:
            text = f"// Version {version} {_UNKNOWN}"
            yield Missing(place.path, place.line, "a comment above validVersions", text)
        elif added:
            words = f"an entry at the end of the history of {message.name}"
            since = level.version if level is not None else _UNKNOWN
            entry = {"version": version, "added": since, "about": _UNKNOWN}
            yield Missing(place.path, message.written.at("history").line, words, _json(entry))
        else:
            words = f"what version {version} changes, in its entry of the history"
            line = entries[version].written.position.line
            yield Missing(place.path, line, words, f'"about": {_json(_UNKNOWN)}')


def _partner(message: Message) -> Missing:
    other = "response" if message.type == "request" else "request"
    name = f"{message.api}{message.profile.suffixes.get(other, '')}"
    spec: dict[str, object] = {"apiKey": message.api_key, "type": other}
    listeners = list((message.profile.listeners or ())[:1])
    if other == "request" and listeners:
        spec["listeners"] = listeners
    spec |= {
        "name": name,
        "validVersions": str(message.valid_versions),
        "flexibleVersions": str(message.flexible_versions),
        "fields": [],
    }
    folder, slash, _ = message.path.rpartition("/")
    return Missing(f"{folder}{slash}{name}.json", None, f"the {other} of the API, in a new file", _json(spec))


def _next_level(registries: Registries) -> ApiVersion | None:
    """The last level that this change adds, or the one that must be added; None without a registry."""
    before, after = registries
    if after is None or not after.api_versions:
        return None
    last = after.api_versions[-1]
    names = {level.version for level in before.api_versions} if before else set()
    if before is not None and last.version not in names:
        return last
    match = _COUNTED.fullmatch(last.version)
    name = f"{match[1]}{int(match[2]) + 1}" if match else _UNKNOWN
    return ApiVersion(last.id + 1, name, last.release)


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)
