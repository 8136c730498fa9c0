"""Writes specs/kafka/origins.json: where Apache Kafka's repository defines what the reference
describes.

    python -m tools.kafka_origins CODE...

CODE are clones that have commits of releases, which the file names; what other releases say stays.
Paths and line numbers are facts about those commits; nothing else of them is taken over.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from pathlib import Path
from typing import Any

from tools.changed_sources import Checkout
from wirebook.specs import trees
from wirebook.specs.discovery import SpecText
from wirebook.specs.git import Git
from wirebook.specs.kafka.brokers import order_of
from wirebook.specs.kafka.citations import Citation, citations
from wirebook.specs.kafka.flows import all_flows
from wirebook.specs.kafka.origins import PATH, release_of
from wirebook.specs.kafka.profile import kafka_profile
from wirebook.specs.kafka.registry import embedded_protocol, load_registry
from wirebook.specs.kafka.releases import known_releases
from wirebook.specs.kafka.texts import all_texts
from wirebook.specs.layout import Layout, layout
from wirebook.specs.model import Message
from wirebook.specs.project import Selection, spec_texts
from wirebook.specs.reader import read_message
from wirebook.specs.versions import Versions, VersionSet

_LEVELS = r"(?:\w+/)*(?:kafka/api/ApiVersion\.scala|server/common/MetadataVersion\.java)"
_MAIN = Selection(paths=("**/src/main/resources/**",))
Commits = Mapping[str, tuple[str, str]]
SpecPlace = tuple[str, str, int, list[int]]


def main(arguments: list[str]) -> int:
    """Write the file."""
    PATH.write_text(updated_origins({}, arguments), encoding="utf-8")
    return 0


def updated_origins(releases: Mapping[str, str], code: Sequence[str]) -> str:
    """The text of the file with more releases, by their commits, and with what some clones say.

    What releases say whose commits no clone has stays as it is.
    """
    was = json.loads(PATH.read_text(encoding="utf-8"))
    named = was["releases"] | releases
    released = [name for name in known_releases().names if name in named]
    # Branches are named only for what no release has.
    order = [name for name in named if name not in released] + released
    commits = {name: place for name in order for place in _places(named[name], code)}
    levels = {level: row for level, row in was["levels"].items() if row[0] not in commits}
    for level, row in _levels(commits):
        levels[level] = max(levels.get(level, row), row, key=lambda each: order.index(each[0]))
    texts = was["code"] | _code(commits)
    places = _specs(commits)
    for name, runs in was["specs"].items():
        for release, path, line, versions, lines in runs:
            of_message = places.setdefault(name, {})
            for version in Versions.parse(versions) if release not in commits else ():
                known = of_message.get(version)
                is_older = known and order.index(known[0]) < order.index(release)
                if known is None or (0 not in lines and is_older):
                    of_message[version] = release, path, line, lines
    document = {
        "schema": "wirebook/origins/1",
        "releases": {name: named[name] for name in sorted(named, key=order_of)},
        "levels": {
            each.version: levels[each.version]
            for each in load_registry().api_versions
            if each.version in levels
        },
        "code": {name: texts[name] for name in sorted(texts, key=order_of)},
        "specs": {name: list(_runs(places[name])) for name in sorted(places)},
    }
    return _text(document)


def _places(commit: str, code: Sequence[str]) -> list[tuple[str, str]]:
    """The first repository that has a commit, with the commit; nothing if none has it."""
    return [(each, commit) for each in code if Git(Path(each)).answers("cat-file", "-e", commit)][
        :1
    ]


def _levels(commits: Commits) -> Iterator[tuple[str, tuple[str, str, int]]]:
    """Each level with the newest release whose code defines it."""
    files: list[tuple[str, str, list[str]]] = []
    for release, (repository, commit) in reversed(list(commits.items())):
        listed = (
            Git(Path(repository)).run("ls-tree", "-r", "--name-only", commit).decode().splitlines()
        )
        for path in listed:
            if "src/main/" in path and re.search(rf"{_LEVELS}$", path):
                text = Git(Path(repository)).run("show", f"{commit}:{path}").decode()
                files.append((release, path, text.splitlines()))
    for level in load_registry().api_versions:
        name, _, step = level.version.partition("-")
        constant = "_".join(("IBP", *name.split("."), *([step] if step else [])))
        old = constant.replace("IBP", "KAFKA")
        wanted = re.compile(rf"^\s*(?:{constant}\(|case object {old} )")
        for release, path, lines in files:
            number = next((at for at, line in enumerate(lines, 1) if wanted.match(line)), 0)
            if number:
                yield level.version, (release, path, number)
                break


def _code(commits: Commits) -> dict[str, dict[str, tuple[str, dict[str, int]]]]:
    """By release and class: its file, and the lines of the class and of its members that texts
    cite."""
    cited: dict[str, set[Citation]] = {}
    for citation in _cited():
        cited.setdefault(release_of(citation), set()).add(citation)
    code: dict[str, dict[str, tuple[str, dict[str, int]]]] = {}
    for release in sorted(
        cited, key=lambda name: list(commits).index(name) if name in commits else -1
    ):
        if release not in commits:
            continue
        checkout = Checkout("@".join(commits[release]))
        for name, of_type in groupby(
            sorted(cited[release], key=str), key=lambda citation: citation.type
        ):
            members = {
                citation.member: dict(reversed(checkout.places(citation))) for citation in of_type
            }
            files = [path for path, _ in checkout.places(Citation(name))]
            if not files:
                continue
            # Several files may have a class of the name: the one that is meant has the members.
            file = max(files, key=lambda path: sum(path in places for places in members.values()))
            members[""] = dict(reversed(checkout.places(Citation(name))))
            lines = {
                member: places[file] for member, places in sorted(members.items()) if file in places
            }
            code.setdefault(release, {})[name] = (file, lines)
    return code


def _cited() -> Iterator[Citation]:
    for texts in all_texts().values():
        for source in texts.sources():
            yield from citations(source)
    for flow in all_flows():
        for source in flow.sources():
            yield from citations(source)


def _specs(commits: Commits) -> dict[str, dict[int, SpecPlace]]:
    """By message and version: the file of the newest release that defines it, with its lines."""
    wanted: dict[str, Message] = {message.name: message for message in embedded_protocol().messages}
    places: dict[str, dict[int, SpecPlace]] = {}
    read: dict[str, Message] = {}
    known: dict[tuple[str, str], SpecText | None] = {}
    for release, (repository, commit) in reversed(list(commits.items())):
        with Git(Path(repository)) as git:
            texts = spec_texts(trees.of_commit(git, commit), _MAIN, known)
        for path, text, digest in texts:
            if digest not in read:
                read[digest] = read_message(text, path, strict=False, profile=kafka_profile())
            message = read[digest]
            ours = wanted.get(message.name)
            if ours is None:
                continue
            of_message = places.setdefault(message.name, {})
            for version in message.valid_versions:
                is_known = version in of_message and 0 not in of_message[version][3]
                if version in ours.valid_versions and not is_known:
                    line = message.written.position.line
                    lines = _lines(layout(message, version), layout(ours, version))
                    of_message[version] = release, path, line, lines
    return places


def _runs(
    of_message: Mapping[int, SpecPlace],
) -> Iterator[tuple[str, str, int, str, list[int]]]:
    """The runs of versions that one file defines with the same lines, the newest first."""
    for (release, path, line, lines), run in groupby(
        sorted(of_message.items(), reverse=True), key=lambda item: item[1]
    ):
        yield release, path, line, str(VersionSet.of(version for version, _ in run)), lines


def _lines(theirs: Layout, ours: Layout) -> list[int]:
    """The lines of the fields in their spec, in the order of ours."""
    lines = {field.path: field.field.written.position.line for field in theirs.walk()}
    return [lines.get(field.path, 0) for field in ours.walk()]


def _text(document: Mapping[str, Any]) -> str:
    """The document, with a line for each entry of its parts."""
    parts = []
    for key, value in document.items():
        if isinstance(value, str):
            parts.append(f'"{key}": {json.dumps(value)}')
        else:
            rows = (
                f"    {json.dumps(name)}: {json.dumps(row, separators=(',', ':'))}"
                for name, row in value.items()
            )
            parts.append(f'"{key}": {{\n' + ",\n".join(rows) + "\n  }")
    return "{\n  " + ",\n  ".join(parts) + "\n}\n"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
