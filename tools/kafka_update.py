"""Updates the facts about Kafka to another release, and lists what only a person can write.

    python -m tools.kafka_update OLD NEW

OLD and NEW are REPO@REF: clones of Kafka, at the release that is known and at the one that follows
it. It writes specs with their history, levels, errors, the ranges of brokers, releases and origins.
Names, numbers and types are facts; no sentence of Kafka's is taken over.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from tools.changed_sources import code_texts, without_comments
from tools.kafka_origins import updated_origins
from wirebook.specs.files import write_files
from wirebook.specs.git import Git
from wirebook.specs.kafka.brokers import Broker, kafka_releases, order_of
from wirebook.specs.kafka.profile import kafka_profile
from wirebook.specs.kafka.registry import FOLDER, embedded_paths, embedded_source
from wirebook.specs.kafka.releases import known_releases
from wirebook.specs.layout import layouts
from wirebook.specs.problems import InputError
from wirebook.specs.reader import read_message
from wirebook.specs.releases import line_of
from wirebook.specs.versions import Versions, VersionSet

USAGE = "usage: python -m tools.kafka_update OLD NEW (each REPO@REF)"
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
_RANGES = ("versions", "nullableVersions", "taggedVersions", "flexibleVersions")
_NOT_TAKEN = ("about", "latestVersionUnstable", "deprecatedVersions", "validVersions")
Spec = dict[str, Any]


@dataclass(frozen=True)
class Kafka:
    """A checkout: its repository, commit and number, and the files that the facts are in."""

    repository: Path
    commit: str
    number: str
    is_out: bool
    files: Mapping[str, str] = field(repr=False)

    @classmethod
    def open(cls, name: str) -> Kafka:
        """Read a checkout. Raises InputError if it is not one of Kafka."""
        place, _, ref = name.partition("@")
        repository = Path(place)
        if not repository.is_dir():
            raise InputError("no such folder", place)
        commit = Git(repository).commit(ref or "HEAD")
        if commit is None:
            raise InputError(f'there is no commit "{ref or "HEAD"}"', place)
        files = dict(code_texts(repository, commit, _FILES))
        number = _NUMBER.search(files.get("gradle.properties", ""))
        if number is None or not any(path.endswith("/Errors.java") for path in files):
            raise InputError("this is no checkout of Kafka: it lacks its number or its files", name)
        return cls(repository, commit, number[1], number[2] is None, files)

    @cached_property
    def line(self) -> str:
        """The line of its release: "4.4" of 4.4.0."""
        return ".".join(self.number.split(".")[:2])

    @cached_property
    def specs(self) -> dict[str, tuple[str, Spec]]:
        """The path and the spec of each message. Raises InputError for a spec that is not JSON."""
        specs: dict[str, tuple[str, Spec]] = {}
        for path, text in self.files.items():
            match = re.search(_SPEC, path)
            if match is not None:
                read_message(text.encode(), path, profile=kafka_profile())
                specs[match[2]] = path, json.loads(without_comments(text))
        return specs

    def text(self, end: str) -> str:
        """The text of the file whose path has an end."""
        return next(text for path, text in self.files.items() if path.endswith(end))


@dataclass
class Update:
    """Files to write, by their paths, and what a person has to write, as lines."""

    files: dict[Path, str] = field(default_factory=dict)
    tasks: list[str] = field(default_factory=list)

    def task(self, path: Path, marker: str, what: str) -> None:
        """Note what is to be written in a file, at the line that has a marker."""
        text = self.files.get(path) or (path.read_text(encoding="utf-8") if path.exists() else "")
        before = text.partition(marker)[0] if marker in text else ""
        place = path.relative_to(FOLDER.parents[1])
        self.tasks.append(f"{place}:{before.count(chr(10)) + 1}: {what}")


def updated(old: Kafka, new: Kafka) -> Update:
    """What differs between two checkouts, as files and tasks. Raises InputError."""
    _check_order(old, new)
    update = Update()
    if order_of(new.number) > order_of(known_releases().names[-1]):
        _specs(update, old, new)
        _levels(update, new)
        _errors(update, new)
        _kips(update, old, new)
    _brokers(update, new)
    _releases(update, new)
    name = new.number if new.is_out else new.line
    update.files[FOLDER / "origins.json"] = updated_origins({name: new.commit}, [])
    return update


def _check_order(old: Kafka, new: Kafka) -> None:
    names = known_releases().names
    if old.number not in names:
        raise InputError(f"{old.number} is not known yet: update to it first")
    of_line = [name for name in names if line_of(name) == line_of(new.number)]
    if order_of(new.number) <= max(map(order_of, [old.number, *of_line])):
        raise InputError(f"{new.number} is not newer than {of_line[-1] if of_line else old.number}")
    removed = sorted(set(old.specs) - set(new.specs))
    if removed:
        raise InputError(f"Kafka has removed {removed[0]}: mark its versions as removed by hand")


def _specs(update: Update, old: Kafka, new: Kafka) -> None:
    paths = {path.stem: path for path in embedded_paths()}
    for name, (file, spec) in sorted(new.specs.items()):
        if spec == old.specs.get(name, ("", {}))[1]:
            continue
        message = read_message(new.files[file].encode(), file, profile=kafka_profile())
        for problem in message.problems:
            raise InputError(problem.message, file, problem.position)
        layouts(message)
        module = file.split("/")[0]
        if name in paths:
            path = paths[name]
            ours = json.loads(without_comments(path.read_text(encoding="utf-8")))
            before = old.specs[name][1] if name in old.specs else {}
        else:
            folder = "" if module == "clients" else module
            path = embedded_source() / folder / f"{name}.json"
            up = "../../" if module == "clients" else "../../../"
            ours, before = {"$schema": f"{up}schema/message.json"}, {}
        merged = _merged(ours, before, spec, new.line, str(path.name))
        if merged != ours:
            update.files[path] = spec_text(merged)
            api = re.sub(r"(?:Request|Response)$", "", name)
            for what in _news(ours, merged):
                update.task(FOLDER / "texts" / f"{api}.json", f'"{name}"', f"{name}: {what}")


def _merged(ours: Spec, old: Spec, new: Spec, line: str, path: str) -> Spec:
    """Our spec with what differs between two releases; versions that Kafka removed stay."""
    valid, before = (Versions.parse(str(spec.get("validVersions", "none"))) for spec in (new, old))
    lowest = valid.lowest if old and valid.lowest > before.lowest else 0
    merged = _merged_row(ours, old, new, lowest, path)
    first = (
        Versions.parse(ours["validVersions"]).lowest if "validVersions" in ours else valid.lowest
    )
    merged["validVersions"] = str(Versions(first, valid.highest))
    history = {entry["version"]: dict(entry) for entry in ours.get("history", [])}
    unstable = valid.highest if new.get("latestVersionUnstable") else None
    deprecated = Versions.parse(new.get("deprecatedVersions", "none"))
    for version in Versions(first, valid.highest):
        entry = history.setdefault(version, {"version": version, "added": line})
        if version == unstable:
            entry.setdefault("unstable", entry["added"])
        elif "unstable" in entry:
            entry.setdefault("stable", line)
        if version in deprecated:
            entry.setdefault("deprecated", line)
        if version < valid.lowest and "returned" not in entry:
            entry.setdefault("removed", line)
    known = dict(_paths(ours))
    for path, row in _paths(merged):
        tagged = Versions.parse(str(row.get("taggedVersions", "none")))
        for entry in ours.get("history", []) if path not in known else ():
            if entry["version"] in tagged:
                history[entry["version"]].setdefault("fields", {})[path] = line
    merged["history"] = [history[version] for version in sorted(history)]
    order = [*dict.fromkeys(["$schema", *new]), *merged]
    at = order.index("fields") if "fields" in order else len(order)
    order[at:at] = ["history"]
    return {key: merged[key] for key in dict.fromkeys(order) if key in merged}


def _merged_row(ours: Spec, old: Spec, new: Spec, lowest: int, path: str) -> Spec:
    merged = dict(ours)
    for key in dict.fromkeys([*old, *new]):
        if key in _NOT_TAKEN or old.get(key) == new.get(key):
            continue
        if key in ("fields", "commonStructs"):
            merged[key] = _merged_rows(
                ours.get(key, []), old.get(key, []), new.get(key, []), lowest, path
            )
        elif key in _RANGES and lowest and key in ours and key in new:
            start = re.match(r"\d+", str(ours[key]))
            end = re.search(r"\+$|-\d+$", str(new[key]))
            merged[key] = f"{start[0]}{end[0]}" if start and end else new[key]
        elif key not in new:
            merged.pop(key, None)
        elif ours.get(key) in (old.get(key), new[key]):
            merged[key] = new[key]
        else:
            raise InputError(
                f'"{key}" of {new.get("name")} is not what Kafka had: merge by hand', path
            )
    return {key: merged[key] for key in dict.fromkeys([*new, *merged]) if key in merged}


def _merged_rows(
    ours: Sequence[Spec], old: Sequence[Spec], new: Sequence[Spec], lowest: int, path: str
) -> list[Spec]:
    """Rows of fields or structs: paired by name and type, else as renamed by type, in order."""
    rows = list(ours)
    before = {_name(row): row for row in old}
    gone = [row for key, row in before.items() if key not in map(_name, new)]
    at = 0
    for row in new:
        was = before.get(_name(row))
        if was is None:
            was = next((each for each in gone if each.get("type") == row.get("type")), None)
            if was is not None:
                gone.remove(was)
        place = next((n for n, each in enumerate(rows) if was and _name(each) == _name(was)), None)
        if place is None:
            rows.insert(at, _without_texts(row))
            at += 1
        else:
            rows[place] = _merged_row(rows[place], was or {}, row, lowest, path)
            at = place + 1
    return rows


def _name(row: Spec) -> tuple[str, str]:
    return row["name"], row.get("type", "")


def _without_texts(row: Spec) -> Spec:
    own = {key: value for key, value in row.items() if key != "about"}
    if "fields" in own:
        own["fields"] = [_without_texts(each) for each in own["fields"]]
    return own


def _news(ours: Spec, merged: Spec) -> Iterator[str]:
    """What is new in a spec: its versions, and the paths of its fields."""
    known = {entry["version"] for entry in ours.get("history", [])}
    for entry in merged["history"]:
        if entry["version"] not in known:
            yield f"version {entry['version']}"
    before = dict(_paths(ours))
    yield from (f"field {path}" for path, _ in _paths(merged) if path not in before)


def _paths(spec: Spec) -> Iterator[tuple[str, Spec]]:
    """The path and the row of each field, those of shared structs below their names."""
    for row in [*spec.get("fields", []), *spec.get("commonStructs", [])]:
        if "type" in row:
            yield row["name"], row
        yield from ((f"{row['name']}.{path}", inner) for path, inner in _paths(row))


def spec_text(spec: Spec) -> str:
    """A spec as our files have it: a line for each key, each version and each field."""
    parts = []
    for key, value in spec.items():
        if isinstance(value, list) and value and isinstance(value[0], dict):
            rows = ",\n".join(_row_text(row, "    ") for row in value)
            parts.append(f'  "{key}": [\n{rows}\n  ]')
        else:
            parts.append(f'  "{key}": {json.dumps(value)}')
    return "// SPDX-License-Identifier: Apache-2.0\n{\n" + ",\n".join(parts) + "\n}\n"


def _row_text(row: Spec, indent: str) -> str:
    own = {key: value for key, value in row.items() if key != "fields" or not _has_rows(row)}
    text = f"{indent}{{ {json.dumps(own)[1:-1]}"
    if not _has_rows(row):
        return f"{text} }}"
    rows = ",\n".join(_row_text(each, f"{indent}  ") for each in row["fields"])
    return f'{text}, "fields": [\n{rows}\n{indent}]}}'


def _has_rows(row: Spec) -> bool:
    return any(isinstance(each, dict) for each in row.get("fields", ()))


def _levels(update: Update, new: Kafka) -> None:
    path = FOLDER / "api_versions.json"
    text = path.read_text(encoding="utf-8")
    levels = json.loads(text)
    known, rows = {level.get("feature_level") for level in levels}, ""
    for number, release, step in _LEVEL.findall(new.text("/MetadataVersion.java")):
        if int(number) not in known:
            level = {"id": len(levels), "version": f"{release}-{step}", "release": release}
            levels.append(level)
            rows += f",\n  {json.dumps(level | {'feature_level': int(number)})}"
    if rows:
        update.files[path] = text.removesuffix("\n]\n") + rows + "\n]\n"
    for level in levels:
        if "about" not in level and level["release"] == new.line:
            update.task(path, f'"{level["version"]}"', f'"about" of {level["version"]}')


def _errors(update: Update, new: Kafka) -> None:
    path = FOLDER / "errors.json"
    text = path.read_text(encoding="utf-8")
    known = {error["code"] for error in json.loads(text)["errors"]}
    rows, names = "", []
    for name, code, exception in _ERROR.findall(new.text("/protocol/Errors.java")):
        if int(code) not in known:
            error = {
                "code": int(code), "name": name, "retriable": _is_retriable(new, exception),
                "first_release": new.line,
            }  # fmt: skip
            rows += f',\n    {{ {json.dumps(error)[1:-1]},\n      "about": "{TO_WRITE}" }}'
            names.append(name)
    update.files[path] = text.removesuffix("\n  ]\n}\n") + rows + "\n  ]\n}\n"
    for name in names:
        update.task(path, f'"{name}"', f'"about" of {name}')


def _is_retriable(new: Kafka, exception: str) -> bool:
    """Whether an exception extends RetriableException, also through others."""
    while exception and exception != "RetriableException":
        texts = [text for path, text in new.files.items() if path.endswith(f"/{exception}.java")]
        match = re.search(rf"class {exception} extends (\w+)", texts[0]) if texts else None
        exception = match[1] if match else ""
    return bool(exception)


def _kips(update: Update, old: Kafka, new: Kafka) -> None:
    path = FOLDER / "kips.json"
    kips = json.loads(path.read_text(encoding="utf-8"))["kips"]
    known = {str(kip["number"]) for kip in kips}
    for file, text in new.files.items():
        before = old.files.get(file, "").splitlines()
        for line in text.splitlines():
            for number in _KIP.findall(line) if line not in before else ():
                if number not in known:
                    known.add(number)
                    update.task(path, '"kips"', f"KIP-{number} ({Path(file).name})")


def _brokers(update: Update, new: Kafka) -> None:
    path = FOLDER / "broker_versions.json"
    text = path.read_text(encoding="utf-8")
    row = _broker(new)
    line = [each for each in known_releases().names if line_of(each) == line_of(new.number)]
    if line and _facts(kafka_releases().broker(line[-1])) == _facts(row):
        return
    apis = json.loads(text)["apis"]
    names = {spec["apiKey"]: spec["name"] for _, spec in new.specs.values() if "listeners" in spec}
    last = list(apis)[-1]
    for key in sorted(set(row.versions) - set(map(int, apis))):
        name = names[key].removesuffix("Request")
        text = re.sub(
            rf'(\n    "{last}": \{{.*?\}})', rf'\1,\n    "{key}": {{"name": "{name}"}}', text
        )
        last = str(key)
    rows = re.split(r',\n(?=    \{"release": )', text.removesuffix("\n  ]\n}\n"))
    rows = [each for each in rows if f'"release": "{new.line}-dev"' not in each]
    at = sum(
        order_of(each["release"]) < order_of(row.release) for each in json.loads(text)["releases"]
    )
    rows.insert(min(at, len(rows)), _broker_text(row))
    update.files[path] = ",\n".join(rows) + "\n  ]\n}\n"


def _broker(new: Kafka) -> Broker:
    """What brokers of a checkout serve, by the specs of its requests."""
    facts: dict[str, dict[int, Versions]] = {"versions": {}, "deprecated": {}, "unstable": {}}
    on: dict[str, set[int]] = {}
    for _, spec in new.specs.values():
        valid = Versions.parse(spec["validVersions"])
        if spec["type"] != "request" or not valid:
            continue
        key, unstable = spec["apiKey"], bool(spec.get("latestVersionUnstable"))
        if unstable:
            facts["unstable"][key] = Versions(valid.highest, valid.highest)
        stable = Versions(valid.lowest, valid.highest - unstable)
        if not stable:
            continue
        facts["versions"][key] = stable
        if "deprecatedVersions" in spec:
            facts["deprecated"][key] = Versions.parse(spec["deprecatedVersions"])
        for listener in spec["listeners"]:
            on.setdefault(listener, set()).add(key)
    name = new.line if new.number.endswith(".0") else new.number
    listeners = {name: VersionSet.of(keys) for name, keys in on.items()}
    return Broker(name if new.is_out else f"{new.line}-dev", listeners=listeners, **facts)


def _facts(broker: Broker) -> tuple[object, ...]:
    return broker.versions, broker.listeners, broker.deprecated, broker.unstable


def _broker_text(broker: Broker) -> str:
    listeners = [name for name in ("zkBroker", "broker", "controller") if name in broker.listeners]
    parts = [
        f'    {{"release": "{broker.release}"',
        f'      "versions": {_ranges_text(broker.versions)}',
        '      "listeners": '
        + json.dumps({name: str(broker.listeners[name]) for name in listeners}),
    ]
    for name in ("deprecated", "unstable"):
        ranges = getattr(broker, name)
        parts += [f'      "{name}": {_ranges_text(ranges)}'] if ranges else []
    return ",\n".join(parts) + "}"


def _ranges_text(ranges: Mapping[int, Versions]) -> str:
    return json.dumps({str(key): str(ranges[key]) for key in sorted(ranges)})


def _releases(update: Update, new: Kafka) -> None:
    path = FOLDER / "releases.json"
    text = path.read_text(encoding="utf-8")
    unreleased = json.loads(text)["unreleased"]
    if not new.is_out:
        unreleased += [new.line] if new.line not in unreleased else []
    else:
        unreleased = [each for each in unreleased if each not in (new.number, new.line)]
        day = Git(new.repository).run("log", "-1", "--format=%cs", new.commit).decode().strip()
        older = [name for name in known_releases().names if order_of(name) < order_of(new.number)]
        text = re.sub(rf'("{older[-1]}": "[\d-]+")', rf'\1, "{new.number}": "{day}"', text)
    text = re.sub(r'"unreleased": \[.*?\]', f'"unreleased": {json.dumps(unreleased)}', text)
    update.files[path] = text
    if new.is_out:
        update.task(path, f'"{new.number}": ', f"the day on which {new.number} was announced")


def main(arguments: list[str]) -> int:
    """Write the files and print the tasks; return 2 for bad input, with nothing written."""
    if len(arguments) != 2 or any(name.startswith("-") for name in arguments):
        print(USAGE, file=sys.stderr)
        return 2
    try:
        old, new = map(Kafka.open, arguments)
        update = updated(old, new)
        write_files({path: text.encode() for path, text in update.files.items()})
    except (InputError, subprocess.SubprocessError, OSError) as error:
        print(error, file=sys.stderr)
        return 2
    print("\n".join(sorted(update.tasks)))
    print(f"{len(update.files)} files written, {len(update.tasks)} places for a person")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
