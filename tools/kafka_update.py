"""Writes what another release of Kafka serves: specs with their history, and ranges of the broker.

    python -m tools.kafka_update OLD NEW RELEASE

OLD and NEW are REPO@REF: the release whose specs we have, and the one that follows. RELEASE names
NEW ("4.5", "4.4.1"), or the branch that it is ("4.5-dev"). What only a person can write is printed.
Names, numbers and types are facts; no sentence of Kafka's is taken over.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from tools.kafka_code import Checkout, run
from tools.kafka_origins import json_text
from wirebook.specs.files import write_files
from wirebook.specs.json_records import to_json
from wirebook.specs.jsontext import parse_json
from wirebook.specs.kafka import facts
from wirebook.specs.kafka.brokers import Broker
from wirebook.specs.kafka.registry import FOLDER, embedded_paths, embedded_source, load_registry
from wirebook.specs.kafka.releases import known_releases, numbers_of
from wirebook.specs.problems import InputError
from wirebook.specs.releases import line_of
from wirebook.specs.versions import Versions, VersionSet

_SPEC = re.compile(r"([\w-]+)/src/main/resources/(?:common/)?(?:message|metadata)/(\w+)\.json$")
_TABLES = re.compile(r"/common/protocol/Errors\.java$|/server/common/MetadataVersion\.java$")
_ERROR = re.compile(r"^    ([A-Z_]+)\((-?\d+),", re.MULTILINE)
_LEVEL = re.compile(r'\bIBP_\w+\((\d+), "([\d.]+)", "(IV\d+)", \w+\)')
_NOT_TAKEN = ("about", "deprecatedVersions")
_LAST = ("fields", "commonStructs")
Spec = dict[str, Any]


class KafkaSpec(NamedTuple):
    """The spec of a message, and the module of Kafka's code that has it."""

    module: str
    spec: Any


def written(old_name: str, new_name: str, release: str) -> Iterator[str]:
    """Write the files, and tell what a person has to write. Raises InputError before it writes."""
    checkout = Checkout(new_name)
    old, new = _specs(Checkout(old_name)), _specs(checkout)
    files: dict[Path, str] = {}
    # A maintenance release of an older line changes no spec.
    if numbers_of(release) > numbers_of(known_releases().names[-1]):
        changed = {name: each for name, each in new.items() if each != old.get(name)}
        files |= _merged(changed, ".".join(map(str, line_of(release) or ())))
    files[FOLDER / "broker_versions.json"] = json_text(_brokers(new, release)) + "\n"
    write_files({path: text.encode() for path, text in files.items()})
    for path in files:
        yield f"written: {path.relative_to(FOLDER)}"
    for name in sorted(old.keys() - new.keys()):
        yield f"Kafka has removed {name}: mark its versions as removed"
    yield from _lacking(checkout)


def _specs(checkout: Checkout) -> dict[str, KafkaSpec]:
    """The specs of a checkout by the name of the message. Raises InputError."""
    specs = {}
    for path, text in checkout.texts(_SPEC):
        module, name = _SPEC.findall(path)[0]
        specs[name] = KafkaSpec(module, parse_json(text, path).value)
    if not specs:
        raise InputError("this is no commit of Kafka: it has no specs", checkout.name)
    return specs


def _merged(specs: Mapping[str, KafkaSpec], line: str) -> dict[Path, str]:
    """The files of some specs, as a line of releases has them."""
    paths = {path.stem: path for path in embedded_paths()}
    files = {}
    for name, (module, spec) in sorted(specs.items()):
        if name in paths:
            path = paths[name]
            ours: Any = parse_json(path.read_bytes(), str(path)).value
        else:
            folder = "" if module == "clients" else module
            path = embedded_source() / folder / f"{name}.json"
            up = "../../../" if folder else "../../"
            ours = {"$schema": f"{up}schema/message.json"}
        merged = merged_spec(ours, spec, line)
        if merged != ours:
            files[path] = spec_text(merged)
    return files


def spec_text(spec: Spec) -> str:
    """The file of a spec."""
    return "// SPDX-License-Identifier: Apache-2.0\n" + json_text(spec) + "\n"


def merged_spec(ours: Spec, new: Spec, line: str) -> Spec:
    """A spec as Kafka's line has it, with the versions and fields that Kafka has removed."""
    valid = Versions.parse(new["validVersions"])
    known = Versions.parse(ours.get("validVersions", new["validVersions"]))
    taken = _taken(ours, new, valid.lowest) if valid else ours
    merged: Spec = {"$schema": ours["$schema"], **taken}
    merged["validVersions"] = str(Versions(known.lowest, max(known.highest, valid.highest)))
    merged["history"] = _history(ours, new, line)
    for key in _LAST:
        if key in merged:
            merged[key] = merged.pop(key)
    return merged


def _taken(ours: Spec, new: Spec, lowest: int) -> Spec:
    """A message, struct or field of Kafka's, with what only versions below the lowest one have."""
    taken = {key: value for key, value in new.items() if key not in _NOT_TAKEN}
    if not taken.get("latestVersionUnstable"):
        taken.pop("latestVersionUnstable", None)
    for part in _LAST:
        if part not in new:
            continue
        before = {row["name"]: row for row in ours.get(part, ())}
        rows = [_taken(before.get(row["name"], {}), row, lowest) for row in new[part]]
        names = {row["name"] for row in rows}
        for at, (name, row) in enumerate(before.items()):
            if name not in names and Versions.parse(row["versions"]).highest < lowest:
                rows.insert(at, row)
        taken[part] = rows
    return taken


def _history(ours: Spec, new: Spec, line: str) -> list[Spec]:
    """The history of a spec, with what a line of releases does to its versions."""
    history = {entry["version"]: dict(entry) for entry in ours.get("history", ())}
    valid = Versions.parse(new["validVersions"])
    for version in valid:
        history.setdefault(version, {"version": version, "added": line})
    deprecated = Versions.parse(new.get("deprecatedVersions", "none"))
    for version, entry in history.items():
        if new.get("latestVersionUnstable") and version == valid.highest:
            entry.setdefault("unstable", entry["added"])
        elif "unstable" in entry and version in valid:
            entry.setdefault("stable", line)
        if version in deprecated:
            entry.setdefault("deprecated", line)
        if version not in valid and "returned" not in entry:
            entry.setdefault("removed", line)
    return [history[version] for version in sorted(history)]


def _brokers(specs: Mapping[str, KafkaSpec], release: str) -> Spec:
    """The ranges of all brokers, with those of a release unless they are those of the one before
    it in its line."""
    document: Spec = facts("broker_versions.json")
    requests = [spec for _, spec in specs.values() if spec["type"] == "request"]
    requests.sort(key=lambda spec: spec["apiKey"])
    row = broker_row(requests, release)
    ours = (release, f"{release}-dev")
    rows = [each for each in document["releases"] if each["release"] not in ours]
    of_line = [each for each in rows if line_of(each["release"]) == line_of(release)]
    if of_line and of_line[-1] | {"release": release} == row:
        return document
    apis = dict(document["apis"])
    for spec in requests:
        key = str(spec["apiKey"])
        if key in row["versions"] and key not in apis:
            apis[key] = {"name": spec["name"].removesuffix("Request")}
    rows = sorted([*rows, row], key=lambda each: numbers_of(each["release"]))
    return document | {"apis": apis, "releases": rows}


def broker_row(requests: Iterable[Spec], release: str) -> Spec:
    """What brokers of a release serve, by the specs of its requests in the order of their keys: a
    row of the file."""
    versions, unstable, deprecated = {}, {}, {}
    on: dict[str, list[int]] = {"zkBroker": [], "broker": [], "controller": []}
    for spec in requests:
        key, served = spec["apiKey"], Versions.parse(spec["validVersions"])
        if served and spec.get("latestVersionUnstable"):
            unstable[key] = Versions(served.highest, served.highest)
            served = Versions(served.lowest, served.highest - 1)
        if not served:
            continue
        versions[key] = served
        for listener in spec["listeners"]:
            on[listener].append(key)
        if "deprecatedVersions" in spec:
            deprecated[key] = Versions.parse(spec["deprecatedVersions"])
    listeners = {name: VersionSet.of(keys) for name, keys in on.items() if keys}
    row = to_json(Broker(release, versions, listeners, deprecated, unstable))
    return {key: value for key, value in row.items() if value}


def _lacking(new: Checkout) -> Iterator[str]:
    """The errors and levels of a checkout that our tables lack."""
    codes = {error["code"] for error in facts("errors.json")["errors"]}
    levels = {level.feature_level for level in load_registry().api_versions}
    for _, text in new.texts(_TABLES):
        for name, code in _ERROR.findall(text):
            if int(code) not in codes:
                yield f"errors.json lacks {name}, {code}"
        for number, line, step in _LEVEL.findall(text):
            if int(number) not in levels:
                yield f"api_versions.json lacks {line}-{step}, feature level {number}"


if __name__ == "__main__":
    sys.exit(run(written, __doc__, "OLD", "NEW", "RELEASE"))
