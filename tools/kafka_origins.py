"""Writes specs/kafka/origins.json: where Apache Kafka's repository defines what the reference
describes.

    python -m tools.kafka_origins REPO

REPO is a clone of Kafka with the commits of all releases that the file names. Paths and line
numbers are facts about those commits; nothing else of them is taken over.
"""

from __future__ import annotations

import json
import re
import sys
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from pathlib import Path

from tools.changed_sources import citing_texts
from tools.kafka_code import Checkout, run
from wirebook.specs import trees
from wirebook.specs.git import Git
from wirebook.specs.kafka.origins import PATH, Citation, SourceLine, citations, release_of
from wirebook.specs.kafka.profile import kafka_profile
from wirebook.specs.kafka.registry import embedded_protocol, load_registry
from wirebook.specs.kafka.releases import known_releases, numbers_of
from wirebook.specs.layout import layout
from wirebook.specs.model import Message
from wirebook.specs.project import ParsedMessages, Selection, read_project
from wirebook.specs.versions import VersionSet

_LEVEL = re.compile(r"(?:IBP_(?=\w+\()|case object KAFKA_(?=\w+ ))(\w+)")
_LEVELS = ("*/src/main/*/kafka/api/ApiVersion.scala", "*/server/common/MetadataVersion.java")
_MAIN = Selection(paths=("**/src/main/resources/**",))
Members = dict[str, int]
"""The lines of a class, whose name is "", and of its members."""


def written(repository: str) -> Iterator[str]:
    """Write the file. Raises InputError if the clone lacks the commit of a release."""
    commits = json.loads(PATH.read_text(encoding="utf-8"))["releases"]
    checkouts = {release: Checkout(f"{repository}@{commits[release]}") for release in commits}
    released = [name for name in known_releases().names if name in commits]
    # Branches are named only for what no release has.
    order = [name for name in commits if name not in released] + released
    with Git(Path(repository)) as git:
        document = {
            "schema": "wirebook/origins/1",
            "releases": commits,
            "levels": _levels(git, commits, order),
            "code": _code(checkouts),
            "specs": _specs(git, commits, order),
        }
    PATH.write_text(json_text(document) + "\n", encoding="utf-8")
    yield f"written: {PATH.name}"


def _levels(git: Git, commits: Mapping[str, str], order: Sequence[str]) -> dict[str, SourceLine]:
    """Each level, and where the newest release that has it defines it."""
    levels: dict[str, SourceLine] = {}
    for release in order:
        lines = git.attempt("grep", "-n", "-E", "IBP_|KAFKA_", commits[release], "--", *_LEVELS)
        for line in lines.stdout.decode().splitlines():
            _, path, number, text = line.split(":", 3)
            match = _LEVEL.match(text.strip())
            if match is not None:
                level = match[1].replace("_", ".").replace(".IV", "-IV")
                levels[level] = SourceLine(release, path, int(number))
    known = [level.version for level in load_registry().api_versions]
    return {version: levels[version] for version in known if version in levels}


def _code(checkouts: Mapping[str, Checkout]) -> dict[str, dict[str, dict[str, Members]]]:
    """By release and class: the files of what texts cite."""
    cited: dict[tuple[str, str], set[str]] = defaultdict(set)
    for text in citing_texts():
        for citation in citations(text.source):
            cited[release_of(citation), citation.type].add(citation.member)
    code: dict[str, dict[str, dict[str, Members]]] = {}
    for release in sorted({release for release, _ in cited} & checkouts.keys(), key=numbers_of):
        code[release] = {}
        for of_release, name in sorted(cited):
            if of_release == release:
                files = class_files(checkouts[release], name, {"", *cited[release, name]})
                if files:
                    code[release][name] = files
    return code


def class_files(checkout: Checkout, name: str, members: set[str]) -> dict[str, Members]:
    """The lines of a class and of its members, by file; empty if there is no such class.

    Several files may have a class of the name: the one that is meant has the most members, and
    another one what only that has. Of several with as many, the file that is named for the class
    is meant.
    """
    by_member: dict[str, dict[str, int]] = {}
    for member in sorted(members):
        lines = by_member[member] = {}
        for code in checkout.code(Citation(name, member)):
            lines.setdefault(code.path, code.line)
    number = Counter(path for lines in by_member.values() for path in lines)
    paths = sorted(by_member[""], key=lambda path: (-number[path], Path(path).stem != name))
    files: dict[str, Members] = {}
    for member, lines in by_member.items():
        path = next((path for path in paths if path in lines), None)
        if path is not None:
            files.setdefault(path, {})[member] = lines[path]
    return files


def _specs(
    git: Git, commits: Mapping[str, str], order: Sequence[str]
) -> dict[str, list[tuple[str, str, int, str]]]:
    """By message: the file of the newest release that has all fields of each version, and the line
    of the message; the newest first."""
    places: dict[str, dict[int, SourceLine]] = {each.name: {} for each in embedded_protocol()}
    whole: set[tuple[str, int]] = set()
    parsed: ParsedMessages = {}
    for release in reversed(order):
        tree = trees.of_commit(git, commits[release])
        for path, message in read_project(tree, _MAIN, kafka_profile(), parsed).messages.items():
            ours = embedded_protocol().find(message.name)
            if ours is None:
                continue
            place = SourceLine(release, path, message.written.at().line)
            for version in message.valid_versions:
                if version in ours.valid_versions and (ours.name, version) not in whole:
                    places[ours.name][version] = place
                    if _paths(message, version) >= _paths(ours, version):
                        whole.add((ours.name, version))
    return {name: _runs(of_message) for name, of_message in sorted(places.items())}


def _runs(of_message: Mapping[int, SourceLine]) -> list[tuple[str, str, int, str]]:
    """The runs of versions that one file defines, the newest first."""
    runs = []
    for place, versions in groupby(sorted(of_message, reverse=True), key=of_message.__getitem__):
        runs.append((*place, str(VersionSet.of(versions))))
    return runs


def _paths(message: Message, version: int) -> set[str]:
    return {field.path for field in layout(message, version).walk()}


def json_text(value: object, depth: int = 0) -> str:
    """JSON with a line for each key of the document, each entry of these and each field."""
    if isinstance(value, dict) and value:
        # What is below a key of an entry is indented as the entry is.
        inner = depth if depth > 1 else depth + 1
        rows = [f"{json.dumps(key)}: {json_text(each, inner)}" for key, each in value.items()]
        if depth <= 1:
            return _block("{", rows, "}", depth)
        end = "" if rows[-1].endswith("  ]") else " "
        return f"{{ {', '.join(rows)}{end}}}"
    if isinstance(value, list | tuple) and value and isinstance(value[0], dict):
        return _block("[", [json_text(each, max(2, depth + 1)) for each in value], "]", depth)
    return json.dumps(value, ensure_ascii=False)


def _block(begin: str, rows: list[str], end: str, depth: int) -> str:
    """Rows on lines of their own, between brackets."""
    line = "\n" + "  " * depth
    return begin + ",".join(f"{line}  {row}" for row in rows) + line + end


if __name__ == "__main__":
    sys.exit(run(written, __doc__, "REPO"))
