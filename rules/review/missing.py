"""What a change still lacks, as JSON to paste and the file that it belongs in."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from wirebook.rules.finding import Finding, Place, Repair
from wirebook.specs.levels import ApiVersion, Registry
from wirebook.specs.model import Message, Protocol
from wirebook.specs.versions import VersionSet

# The rules that require something that is absent, rather than a different value of something present.
_ASKED_BY = {"version-without-note", "partner-versions-differ"}
_COUNTED = re.compile(r"(.*-IV)([0-9]{1,6})")
_UNKNOWN = "…"

# The registries of protocol levels of both sides, and whether they are those of the spec at a path.
UsedRegistries = tuple[Registry | None, Registry | None, Callable[[str], bool]]


@dataclass(frozen=True)
class Missing:
    """A piece of JSON that a file lacks: a description of its place, and the text to paste."""

    path: str
    line: int | None
    words: str
    text: str


def missing(
    findings: Sequence[Finding], new: Protocol, registries: Sequence[UsedRegistries]
) -> tuple[Missing, ...]:
    """What the findings require that is absent, except for waived findings.

    `registries` are those of both sides. A name or a sentence that only the author of the change knows is
    "…".
    """
    pieces = [
        piece
        for finding in findings
        if finding.waived is None
        for piece in _of(finding, new, _registries_of(finding, registries))
    ]
    return tuple(dict.fromkeys(pieces))


def _registries_of(
    finding: Finding, registries: Sequence[UsedRegistries]
) -> tuple[Registry | None, Registry | None]:
    """The registries of both sides for the spec of a finding."""
    path = finding.location.path if finding.location else ""
    return next(((old, new) for old, new, has in registries if has(path)), (None, None))


def _of(
    finding: Finding, new: Protocol, registries: tuple[Registry | None, Registry | None]
) -> Iterator[Missing]:
    level = _next_level(registries)
    # With several protocols, the findings are those of all; a name may be in more than one.
    at = finding.location
    message = next(
        (
            candidate
            for candidate in new
            if at and (candidate.path, candidate.name) == (at.path, finding.message_name)
        ),
        None,
    )
    if finding.rule in _ASKED_BY and finding.repairs:
        # The half of an API that lacks the versions may be unchanged.
        if message is not None or finding.rule == "partner-versions-differ":
            for repair in finding.repairs:
                yield from _repaired(finding, repair, level)
    elif message is None or at is None:
        return
    elif finding.rule == "api-version-missing" and level is not None and registries[1] is not None:
        entry = {"id": level.id, "version": level.version, "release": level.release, "about": _UNKNOWN}
        last = level.id - 1
        words = f"a protocol level at the end, after the entry with id {last}"
        yield Missing(registries[1].path, None, words, _json(entry))
    elif finding.rule == "version-without-note":
        yield from _described(at, VersionSet.parse(finding.discriminator), message)
    elif finding.rule == "missing-partner" and message.api_key is not None:
        yield _partner(message)


def _described(place: Place, versions: VersionSet, message: Message) -> Iterator[Missing]:
    """The sentence on each version: in its entry of the history, or in a comment if specs have none."""
    entries = {entry.version: entry for entry in message.history}
    for version in versions:
        if version in entries:
            words = f"what version {version} changes, in its entry of the history"
            line = entries[version].written.position.line
            yield Missing(place.path, line, words, f'"about": {_json(_UNKNOWN)}')
        else:
            text = f"// Version {version} {_UNKNOWN}"
            yield Missing(place.path, place.line, "a comment above validVersions", text)


def _repaired(finding: Finding, repair: Repair, level: ApiVersion | None) -> Iterator[Missing]:
    if repair.key == "history" and isinstance(repair.value, list):
        for value in repair.value:
            if not isinstance(value, dict):
                continue
            added = level.version if level is not None else _UNKNOWN
            entry = {"version": value.get("version"), "added": added, "about": _UNKNOWN}
            line = repair.node.at("history").line
            yield Missing(
                repair.path,
                line,
                f"an entry at the end of the history of {finding.message_name}",
                _json(entry),
            )
    elif repair.key == "validVersions":
        words = "the versions of the other half of the API"
        yield Missing(
            repair.path, repair.node.at(repair.key).line, words, f'"validVersions": {_json(repair.value)},'
        )


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


def _next_level(registries: tuple[Registry | None, Registry | None]) -> ApiVersion | None:
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
