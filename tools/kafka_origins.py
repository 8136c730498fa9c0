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
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain, groupby
from pathlib import Path

from tools.changed_sources import Checkout, cited_rows, code_texts, flow_rows
from wirebook.specs import trees
from wirebook.specs.discovery import SpecText
from wirebook.specs.git import Git
from wirebook.specs.kafka.brokers import order_of
from wirebook.specs.kafka.flows import all_flows
from wirebook.specs.kafka.origins import PATH, Citation, release_of
from wirebook.specs.kafka.profile import kafka_profile
from wirebook.specs.kafka.registry import embedded_protocol, load_registry
from wirebook.specs.kafka.releases import known_releases
from wirebook.specs.kafka.texts import all_texts
from wirebook.specs.layout import layout
from wirebook.specs.model import Message
from wirebook.specs.project import Selection, spec_texts
from wirebook.specs.reader import read_message
from wirebook.specs.versions import VersionSet

_LEVELS = re.compile(
    r"/src/main/.*(?:kafka/api/ApiVersion\.scala|server/common/MetadataVersion\.java)$"
)
_LEVEL = re.compile(r"\s*(?:IBP_(?=\w+\()|case object KAFKA_(?=\w+ ))(\w+)")
_MAIN = Selection(paths=("**/src/main/resources/**",))
SpecPlace = tuple[str, str, int]
Levels = dict[str, tuple[str, str, int]]
Members = dict[str, int]
# By release and class: its files.
Code = dict[str, dict[str, dict[str, Members]]]


def main(arguments: list[str]) -> int:
    """Write the file."""
    if len(arguments) != 1:
        print("give a clone of Kafka: REPO", file=sys.stderr)
        return 2
    commits = json.loads(PATH.read_text(encoding="utf-8"))["releases"]
    released = [name for name in known_releases().names if name in commits]
    # Branches are named only for what no release has.
    order = [name for name in commits if name not in released] + released
    with Git(Path(arguments[0])) as git:
        for name in order:
            if not git.answers("cat-file", "-e", commits[name]):
                print(f"{arguments[0]} lacks {commits[name]} of {name}", file=sys.stderr)
                return 2
        document = {
            "schema": "wirebook/origins/1",
            "releases": commits,
            "levels": _levels(git, commits, order),
            "code": _code(arguments[0], commits),
            "specs": _specs(git, commits, order),
        }
    PATH.write_text(json_text(document) + "\n", encoding="utf-8")
    return 0


def _levels(git: Git, commits: Mapping[str, str], order: Sequence[str]) -> Levels:
    """Each level with the newest release whose code defines it, its file and its line."""
    levels: Levels = {}
    for release in order:
        for path, text in code_texts(git, commits[release], _LEVELS):
            for number, line in enumerate(text.splitlines(), 1):
                match = _LEVEL.match(line)
                if match is not None:
                    level = match[1].replace("_", ".").replace(".IV", "-IV")
                    levels[level] = release, path, number
    known = [level.version for level in load_registry().api_versions]
    return {version: levels[version] for version in known if version in levels}


def _code(repository: str, commits: Mapping[str, str]) -> Code:
    """By release and class: its files, with the lines of the class and of its members that texts
    cite."""
    cited: dict[str, dict[str, set[str]]] = {}
    rows = chain(cited_rows(all_texts()), flow_rows(all_flows()))
    for citation in (citation for row in rows for citation in row.citations):
        of_release = cited.setdefault(release_of(citation), {})
        of_release.setdefault(citation.type, {""}).add(citation.member)
    code: Code = {}
    for release in sorted(cited.keys() & commits.keys(), key=order_of):
        checkout = Checkout(f"{repository}@{commits[release]}")
        code[release] = {}
        for name, members in sorted(cited[release].items()):
            files = class_files(checkout, name, members)
            if files:
                code[release][name] = files
    return code


def class_files(checkout: Checkout, name: str, members: set[str]) -> dict[str, Members]:
    """The lines of a class and of its members, by file; empty if there is no such class.

    Several files may have a class of the name: the one that is meant has the most members, and
    another one what only that has.
    """
    places = {}
    for member in sorted(members):
        # The first line in each file.
        places[member] = dict(reversed(checkout.places(Citation(name, member))))
    if not places[""]:
        return {}
    found = [path for lines_by_path in places.values() for path in lines_by_path]
    file = max(reversed(places[""]), key=found.count)
    files: dict[str, Members] = {}
    for member, lines in places.items():
        if lines:
            of_member = file if file in lines else list(lines)[-1]
            files.setdefault(of_member, {})[member] = lines[of_member]
    return files


def _specs(
    git: Git, commits: Mapping[str, str], order: Sequence[str]
) -> dict[str, list[tuple[str, str, int, str]]]:
    """By message: the file of the newest release that has all fields of each version, and the line
    of the message; the newest first."""
    places: dict[str, dict[int, SpecPlace]] = {}
    whole: set[tuple[str, int]] = set()
    read: dict[str, Message] = {}
    known: dict[tuple[str, str], SpecText | None] = {}
    for release in reversed(order):
        texts = spec_texts(trees.of_commit(git, commits[release]), _MAIN, known)
        for path, text, digest in texts:
            if digest not in read:
                read[digest] = read_message(text, path, strict=False, profile=kafka_profile())
            message = read[digest]
            ours = embedded_protocol().find(message.name)
            if ours is None:
                continue
            of_message = places.setdefault(message.name, {})
            for version in message.valid_versions:
                if version in ours.valid_versions and (message.name, version) not in whole:
                    of_message[version] = release, path, message.written.at().line
                    if _paths(message, version) >= _paths(ours, version):
                        whole.add((message.name, version))
    return {name: list(_runs(of_message)) for name, of_message in sorted(places.items())}


def _runs(of_message: Mapping[int, SpecPlace]) -> Iterator[tuple[str, str, int, str]]:
    """The runs of versions that one file defines, the newest first."""
    versions = sorted(of_message, reverse=True)
    for place, run in groupby(versions, key=of_message.__getitem__):
        yield *place, str(VersionSet.of(run))


def _paths(message: Message, version: int) -> set[str]:
    return {field.path for field in layout(message, version).walk()}


def json_text(value: object, depth: int = 0) -> str:
    """JSON with a line for each key of the document, each entry of these and each field."""
    if isinstance(value, dict):
        # What is below a key of an entry is indented as the entry is.
        inner = depth if depth > 1 else depth + 1
        rows = [f"{json.dumps(key)}: {json_text(each, inner)}" for key, each in value.items()]
        ends = "{}"
    elif isinstance(value, list | tuple) and value and isinstance(value[0], dict):
        rows = [json_text(each, max(2, depth + 1)) for each in value]
        ends = "[]"
    else:
        return json.dumps(value, ensure_ascii=False)
    if not rows or (depth > 1 and ends == "{}"):
        end = "" if rows and rows[-1].endswith("  ]") else " "
        return f"{ends[0]} {', '.join(rows)}{end}{ends[1]}" if rows else ends
    start = "\n" + "  " * depth
    return f"{ends[0]}{start}  {f',{start}  '.join(rows)}{start}{ends[1]}"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
