"""Updates the facts about Kafka to another release, and lists what only a person can write.

    python -m tools.kafka_update OLD NEW

OLD and NEW are REPO@REF: clones of Kafka, at the release that is known and at the one that follows
it; NEW may be a branch with the number of its release, REPO@REF=4.4.0. It writes specs with their
history, levels, errors, the ranges of brokers, releases and origins. Names, numbers and types are
facts; no sentence of Kafka's is taken over.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tools.changed_sources import Checkout, code_texts, run, without_comments
from tools.kafka_origins import json_text
from wirebook.specs.files import write_files
from wirebook.specs.git import Git
from wirebook.specs.kafka.brokers import order_of
from wirebook.specs.kafka.profile import kafka_profile
from wirebook.specs.kafka.registry import FOLDER, embedded_paths, embedded_source
from wirebook.specs.kafka.releases import known_releases
from wirebook.specs.layout import layouts
from wirebook.specs.problems import InputError
from wirebook.specs.reader import read_message
from wirebook.specs.releases import line_of
from wirebook.specs.versions import Versions, VersionSet

TO_WRITE = "To be written."
_SPEC = r"([\w-]+)/src/main/resources/(?:common/)?(?:message|metadata)/(\w+)\.json$"
_PROTOCOL = r"clients/src/main/java/org/apache/kafka/common"
_FILES = re.compile(
    rf"{_SPEC}|gradle\.properties$|{_PROTOCOL}/errors/\w+\.java|{_PROTOCOL}/protocol/Errors\.java"
    r"|server-common/src/main/java/org/apache/kafka/server/common/MetadataVersion\.java"
)
_NUMBER = re.compile(r"^version=(\d+\.\d+\.\d+)(-SNAPSHOT)?$", re.MULTILINE)
_LEVEL = re.compile(r'\bIBP_\w+\((\d+), "([\d.]+)", "(IV\d+)", \w+\)')
_ERROR = re.compile(r"^    ([A-Z_]+)\((-?\d+),.*?(\w+)::new\)[,;]", re.MULTILINE | re.DOTALL)
_KIP = re.compile(r"KIP-(\d+)")
_NOT_TAKEN = ("about", "deprecatedVersions")
_LAST = ("fields", "commonStructs")
Spec = dict[str, Any]


class Kafka(Checkout):
    """A checkout with its number, and the texts of the files that the facts are in.

    `specs` are the path and the spec of each message. A number after "=" is that of the release
    which a branch becomes. Raises InputError if it is not one of Kafka.
    """

    def __init__(self, name: str) -> None:
        name, _, release = name.partition("=")
        super().__init__(name)
        with Git(self.repository) as git:
            self.texts = dict(code_texts(git, self.commit, _FILES))
        number = _NUMBER.search(self.text("gradle.properties"))
        if number is None or not self.text("/Errors.java"):
            raise InputError("this is no checkout of Kafka: it lacks its number or its files", name)
        self.number = release or number[1]
        self.is_out = bool(release) or number[2] is None
        self.line = self.number.rpartition(".")[0]
        if self.line != number[1].rpartition(".")[0]:
            raise InputError(f"the code is {number[1]}, not {release}", name)
        self.specs: dict[str, tuple[str, Spec]] = {}
        for path, text in self.texts.items():
            spec = re.search(_SPEC, path)
            if spec is not None:
                self.specs[spec[2]] = path, json.loads(without_comments(text))

    def day(self) -> str:
        """The day of its commit."""
        return Git(self.repository).run("log", "-1", "--format=%cs", self.commit).decode().strip()

    def text(self, end: str) -> str:
        """The text of the file whose path has an end, or ""."""
        return next((text for path, text in self.texts.items() if path.endswith(end)), "")


@dataclass
class Update:
    """Files to write, by their paths, and what a person has to write, as lines."""

    files: dict[Path, str] = field(default_factory=dict)
    tasks: list[str] = field(default_factory=list)

    def write(self, name: str, document: object) -> None:
        """Note what a file of facts will hold."""
        self.files[FOLDER / name] = json_text(document) + "\n"

    def task(self, name: str, marker: str, what: str) -> None:
        """Note what is to be written in a file of facts, at the line that has a marker."""
        path = FOLDER / name
        text = self.files.get(path, "")
        if not text and path.exists():
            text = path.read_text(encoding="utf-8")
        before, found, _ = text.partition(marker)
        line = before.count("\n") + 1 if found else 1
        self.tasks.append(f"specs/kafka/{name}:{line}: {what}")


def read(name: str) -> Any:
    """The document of a file of facts."""
    return json.loads((FOLDER / name).read_text(encoding="utf-8"))


def updated(old: Kafka, new: Kafka) -> Update:
    """What differs between two checkouts, as files and tasks. Raises InputError."""
    _check_order(old, new)
    update = Update()
    if order_of(new.number) > order_of(known_releases().names[-1]):
        _specs(update, old, new)
        _levels(update, new)
        _errors(update, new)
        _kips(update, old, new)
    _until(update, old, new)
    _brokers(update, new)
    _releases(update, new)
    origins = read("origins.json")
    commits = origins["releases"] | {new.number if new.is_out else new.line: new.commit}
    if new.is_out:
        # Its branch was named only until it came out.
        commits.pop(new.line, None)
    update.write("origins.json", origins | {"releases": _ordered(commits)})
    return update


def _ordered(by_release: dict[str, str]) -> dict[str, str]:
    return {name: by_release[name] for name in sorted(by_release, key=order_of)}


def _check_order(old: Kafka, new: Kafka) -> None:
    names = known_releases().names
    if old.number not in names:
        raise InputError(f"{old.number} is not known yet: update to it first")
    of_line = [name for name in names if line_of(name) == line_of(new.number)]
    newest = max([old.number, *of_line], key=order_of)
    if order_of(new.number) <= order_of(newest):
        raise InputError(f"{new.number} is not newer than {newest}")
    for name in sorted(old.specs.keys() - new.specs.keys()):
        raise InputError(f"Kafka has removed {name}: mark its versions as removed by hand")


def _specs(update: Update, old: Kafka, new: Kafka) -> None:
    paths = {path.stem: path for path in embedded_paths()}
    for name, (file, spec) in sorted(new.specs.items()):
        texts = f"texts/{name.removesuffix('Request').removesuffix('Response')}.json"
        before = old.texts[old.specs[name][0]] if name in old.specs else ""
        for row in sorted(_supported(new.texts[file]) ^ _supported(before)):
            how = "has" if row in new.texts[file] else "lacks"
            update.task(texts, '"errors"', f'{name}: the comment of the spec {how} "{row}"')
        if name in old.specs and spec == old.specs[name][1]:
            continue
        message = read_message(new.texts[file].encode(), file, profile=kafka_profile())
        for problem in message.problems:
            raise InputError.at(problem.place, problem.message)
        layouts(message)
        if name in paths:
            path = paths[name]
            ours: Spec = json.loads(without_comments(path.read_text(encoding="utf-8")))
        else:
            path, ours = _new_spec(name, file.split("/")[0])
        merged = merged_spec(ours, spec, new.line)
        if merged == ours:
            continue
        update.files[path] = spec_text(merged)
        for what in _news(ours, merged):
            update.task(texts, f'"{name}"', f"{name}: {what}")
            if spec["type"] == "request" and what.startswith("version"):
                feature = f"{name}: {what}: the feature that turns it on, if there is one"
                update.task("finalized_features.json", '"features"', feature)


def _supported(text: str) -> set[str]:
    """The errors that a comment of a spec lists."""
    return set(re.findall(r"^\s*// ?- ?([A-Z_]{4,}.*?)\s*$", text, re.MULTILINE))


def spec_text(spec: Spec) -> str:
    """The file of a spec."""
    return "// SPDX-License-Identifier: Apache-2.0\n" + json_text(spec) + "\n"


def _new_spec(name: str, module: str) -> tuple[Path, Spec]:
    """Where the spec of a new message is written, and what it has before Kafka's."""
    if module == "clients":
        return embedded_source() / f"{name}.json", {"$schema": "../../schema/message.json"}
    path = embedded_source() / module / f"{name}.json"
    return path, {"$schema": "../../../schema/message.json"}


def merged_spec(ours: Spec, new: Spec, line: str) -> Spec:
    """A spec as Kafka's line has it, with the versions and fields that Kafka has removed."""
    valid = Versions.parse(new["validVersions"])
    known = Versions.parse(ours.get("validVersions", new["validVersions"]))
    taken = _taken(ours, new, valid.lowest) if valid else ours
    merged: Spec = {"$schema": ours["$schema"]}
    merged |= {key: value for key, value in taken.items() if key not in _LAST}
    merged["validVersions"] = str(Versions(known.lowest, max(known.highest, valid.highest)))
    merged["history"] = _history(ours, new, taken, line)
    return merged | {key: taken[key] for key in _LAST if key in taken}


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


def _history(ours: Spec, new: Spec, taken: Spec, line: str) -> list[Spec]:
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
    known = dict(_paths(ours))
    for path, row in _paths(taken):
        tagged = Versions.parse(str(row.get("taggedVersions", "none")))
        for entry in ours.get("history", ()):
            if path not in known and entry["version"] in tagged:
                history[entry["version"]].setdefault("fields", {})[path] = line
    return [history[version] for version in sorted(history)]


def _news(ours: Spec, merged: Spec) -> Iterator[str]:
    """What is new in a spec: its versions, the paths of its fields, and what has changed there."""
    known = {entry["version"] for entry in ours.get("history", ())}
    for entry in merged["history"]:
        if entry["version"] not in known:
            yield f"version {entry['version']}"
    before = dict(_paths(ours))
    for path, row in _paths(merged):
        if path not in before:
            yield f"field {path}"
            continue
        for key in sorted((row.keys() | before[path].keys()) - {"fields"}):
            was, now = (json.dumps(each.get(key)) for each in (before[path], row))
            if was != now:
                yield f"field {path}: {key} was {was}, is {now}"


def _paths(spec: Spec) -> Iterator[tuple[str, Spec]]:
    """The path and the row of each field, those of a shared struct wherever it is used."""
    structs = {row["name"]: row for row in spec.get("commonStructs", ())}

    def below(rows: list[Spec], start: str) -> Iterator[tuple[str, Spec]]:
        for row in rows:
            path = start + row["name"]
            yield path, row
            struct = structs.get(row["type"].removeprefix("[]"), row)
            yield from below(struct.get("fields", []), f"{path}.")

    return below(spec.get("fields", []), "")


def _levels(update: Update, new: Kafka) -> None:
    levels = read("api_versions.json")
    known = {level.get("feature_level") for level in levels}
    for number, release, step in _LEVEL.findall(new.text("/MetadataVersion.java")):
        if int(number) not in known:
            level = {"id": len(levels), "version": f"{release}-{step}", "release": release}
            levels.append(level | {"feature_level": int(number)})
    if new.is_out:
        for at, level in enumerate(levels):
            if level["release"] == new.line and "date" not in level:
                first = {key: level[key] for key in ("id", "version", "release")}
                levels[at] = first | {"date": new.day()} | level
    update.write("api_versions.json", levels)
    for level in levels:
        if "about" not in level and level["release"] == new.line:
            version = level["version"]
            update.task("api_versions.json", f'"{version}"', f'"about" of {version}')


def _errors(update: Update, new: Kafka) -> None:
    document = read("errors.json")
    known = {error["code"] for error in document["errors"]}
    added = []
    for name, code, exception in _ERROR.findall(new.text("/protocol/Errors.java")):
        if int(code) not in known:
            error = {"code": int(code), "name": name, "retriable": _is_retriable(new, exception)}
            added.append(error | {"first_release": new.line, "about": TO_WRITE})
    document["errors"] += added
    update.write("errors.json", document)
    for error in added:
        update.task("errors.json", f'"{error["name"]}"', f'"about" of {error["name"]}')


def _is_retriable(new: Kafka, exception: str) -> bool:
    """Whether an exception extends RetriableException, also through others."""
    while exception and exception != "RetriableException":
        text = new.text(f"/{exception}.java")
        match = re.search(rf"class {exception} extends (\w+)", text)
        exception = match[1] if match else ""
    return bool(exception)


def _kips(update: Update, old: Kafka, new: Kafka) -> None:
    known = {str(kip["number"]) for kip in read("kips.json")["kips"]}
    for file, text in new.texts.items():
        before = old.texts.get(file, "").splitlines()
        added = [line for line in text.splitlines() if line not in before]
        for number in _KIP.findall("\n".join(added)):
            if number not in known:
                known.add(number)
                update.task("kips.json", '"kips"', f"KIP-{number} ({Path(file).name})")


def _until(update: Update, old: Kafka, new: Kafka) -> None:
    """What is said to be so up to the line before."""
    until = re.compile(rf"(?:\S+ )?\b(?:to|until|through) {re.escape(old.line)}\b(?!\.\d)")
    for path in sorted(FOLDER.rglob("*.json")) if old.line != new.line else ():
        name = path.relative_to(FOLDER)
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
            for said in dict.fromkeys(until.findall(line)):
                update.tasks.append(f'specs/kafka/{name}:{number}: "{said}": and in {new.line}?')


def _brokers(update: Update, new: Kafka) -> None:
    document = read("broker_versions.json")
    row = _broker(new)
    rows = [each for each in document["releases"] if each["release"] != f"{new.line}-dev"]
    of_line = [each for each in rows if line_of(each["release"]) == line_of(new.number)]
    if of_line and of_line[-1] | {"release": row["release"]} == row:
        return
    for _, spec in new.specs.values():
        key = str(spec.get("apiKey"))
        if spec["type"] == "request" and key in row["versions"]:
            document["apis"].setdefault(key, {"name": spec["name"].removesuffix("Request")})
    document["releases"] = sorted([*rows, row], key=lambda each: order_of(each["release"]))
    update.write("broker_versions.json", document)


def _broker(new: Kafka) -> dict[str, Any]:
    """What brokers of a checkout serve, by the specs of its requests: a row of the file."""
    versions: dict[str, str] = {}
    deprecated: dict[str, str] = {}
    unstable: dict[str, str] = {}
    on: dict[str, list[int]] = {"zkBroker": [], "broker": [], "controller": []}
    requests = [spec for _, spec in new.specs.values() if spec["type"] == "request"]
    for spec in sorted(requests, key=lambda spec: spec["apiKey"]):
        key, served = str(spec["apiKey"]), Versions.parse(spec["validVersions"])
        if served and spec.get("latestVersionUnstable"):
            unstable[key] = str(served.highest)
            served = Versions(served.lowest, served.highest - 1)
        if served:
            versions[key] = str(served)
            for listener in spec["listeners"]:
                on[listener].append(spec["apiKey"])
            if "deprecatedVersions" in spec:
                deprecated[key] = spec["deprecatedVersions"]
    row = {
        "release": new.number.removesuffix(".0") if new.is_out else f"{new.line}-dev",
        "versions": versions,
        "listeners": {name: str(VersionSet.of(keys)) for name, keys in on.items() if keys},
        "deprecated": deprecated,
        "unstable": unstable,
    }
    return {key: value for key, value in row.items() if value}


def _releases(update: Update, new: Kafka) -> None:
    document = read("releases.json")
    kept = [each for each in document["unreleased"] if each not in (new.number, new.line)]
    document["unreleased"] = kept if new.is_out else [*kept, new.line]
    if new.is_out:
        document["releases"] = _ordered(document["releases"] | {new.number: new.day()})
    update.write("releases.json", document)
    if new.is_out:
        announced = f"the day on which {new.number} was announced"
        update.task("releases.json", f'"{new.number}": ', announced)


def written(old: str, new: str) -> Iterator[str]:
    """Write the files; the places for a person, a line each. Raises InputError before it writes."""
    update = updated(Kafka(old), Kafka(new))
    write_files({path: text.encode() for path, text in update.files.items()})
    yield from sorted(update.tasks)
    yield f"{len(update.files)} files written, {len(update.tasks)} places for a person"


if __name__ == "__main__":
    sys.exit(run(written, sys.argv[1:]))
