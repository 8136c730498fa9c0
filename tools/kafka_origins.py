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
from collections.abc import Iterator, Mapping
from itertools import groupby
from pathlib import Path

from tools.changed_sources import Checkout, code_texts
from wirebook.specs import trees
from wirebook.specs.discovery import SpecText
from wirebook.specs.git import Git
from wirebook.specs.kafka.brokers import order_of
from wirebook.specs.kafka.flows import all_flows
from wirebook.specs.kafka.origins import PATH, Citation, citations, release_of
from wirebook.specs.kafka.profile import kafka_profile
from wirebook.specs.kafka.registry import embedded_protocol, load_registry
from wirebook.specs.kafka.releases import known_releases
from wirebook.specs.kafka.texts import all_texts
from wirebook.specs.layout import Layout, layout
from wirebook.specs.model import Message
from wirebook.specs.project import Selection, spec_texts
from wirebook.specs.reader import read_message
from wirebook.specs.versions import Versions, VersionSet

_LEVELS = re.compile(
    r"/src/main/.*(?:kafka/api/ApiVersion\.scala|server/common/MetadataVersion\.java)$"
)
_LEVEL = re.compile(r"\s*(?:IBP_(?=\w+\()|case object KAFKA_(?=\w+ ))(\w+)")
_MAIN = Selection(paths=("**/src/main/resources/**",))
Commits = Mapping[str, tuple[str, str]]
SpecPlace = tuple[str, str, int, list[int]]


def main(arguments: list[str]) -> int:
    """Write the file; what releases say whose commits no clone has stays as it is."""
    was = json.loads(PATH.read_text(encoding="utf-8"))
    released = [name for name in known_releases().names if name in was["releases"]]
    # Branches are named only for what no release has.
    order = [name for name in was["releases"] if name not in released] + released
    commits = {}
    for name in order:
        commit = was["releases"][name]
        for clone in arguments:
            if Git(Path(clone)).answers("cat-file", "-e", commit):
                commits[name] = clone, commit
    levels = was["levels"]
    for level, row in _levels(commits).items():
        levels[level] = max(row, levels.get(level, row), key=lambda each: order.index(each[0]))
    code = was["code"] | _code(commits)
    specs = _specs(commits)
    for name, runs in was["specs"].items():
        for release, path, line, versions, lines in runs:
            for version in Versions.parse(versions) if release not in commits else ():
                known = specs.setdefault(name, {}).get(version)
                if known is None or (
                    0 not in lines and order.index(known[0]) < order.index(release)
                ):
                    specs[name][version] = release, path, line, lines
    document = {
        "schema": "wirebook/origins/1",
        "releases": was["releases"],
        "levels": levels,
        "code": {name: code[name] for name in sorted(code, key=order_of)},
        "specs": {name: list(_runs(specs[name])) for name in sorted(specs)},
    }
    PATH.write_text(json_text(document) + "\n", encoding="utf-8")
    return 0


def _levels(commits: Commits) -> dict[str, tuple[str, str, int]]:
    """Each level with the newest release whose code defines it, its file and its line."""
    levels: dict[str, tuple[str, str, int]] = {}
    for release, (clone, commit) in commits.items():
        for path, text in code_texts(Path(clone), commit, _LEVELS):
            for number, line in enumerate(text.splitlines(), 1):
                match = _LEVEL.match(line)
                if match is not None:
                    levels[match[1].replace("_", ".").replace(".IV", "-IV")] = release, path, number
    known = [level.version for level in load_registry().api_versions]
    return {version: levels[version] for version in known if version in levels}


def _code(commits: Commits) -> dict[str, dict[str, tuple[str, dict[str, int]]]]:
    """By release and class: its file, and the lines of the class and of its members that texts
    cite."""
    cited: dict[str, dict[str, set[str]]] = {}
    for citation in _cited():
        of_release = cited.setdefault(release_of(citation), {})
        of_release.setdefault(citation.type, {""}).add(citation.member)
    code: dict[str, dict[str, tuple[str, dict[str, int]]]] = {}
    for release in cited.keys() & commits.keys():
        code[release] = {}
        checkout = Checkout("@".join(commits[release]))
        for name, members in sorted(cited[release].items()):
            places = {
                member: dict(reversed(checkout.places(Citation(name, member))))
                for member in sorted(members)
            }
            if places[""]:
                # Several files may have a class of the name: the one that is meant has the members.
                found = [path for at in places.values() for path in at]
                file = max(reversed(places[""]), key=found.count)
                lines = {member: at[file] for member, at in places.items() if file in at}
                code[release][name] = file, lines
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
            ours = embedded_protocol().find(message.name)
            if ours is None:
                continue
            of_message = places.setdefault(message.name, {})
            for version in message.valid_versions:
                is_known = version in of_message and 0 not in of_message[version][3]
                if version in ours.valid_versions and not is_known:
                    line = message.written.at().line
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
    lines = {field.path: field.field.written.at().line for field in theirs.walk()}
    return [lines.get(field.path, 0) for field in ours.walk()]


def json_text(value: object, depth: int = 0) -> str:
    """JSON with a line for each key of the document, each entry of these and each field."""
    if isinstance(value, dict):
        rows = [f"{json.dumps(key)}: {json_text(each, depth + 1)}" for key, each in value.items()]
        ends = "{}"
    elif isinstance(value, list | tuple) and value and isinstance(value[0], dict):
        rows = [json_text(each, max(2, depth + 1)) for each in value]
        ends = "[]"
    else:
        return json.dumps(value, ensure_ascii=False)
    if not rows or (depth > 1 and ends == "{}"):
        return f"{ends[0]} {', '.join(rows)} {ends[1]}" if rows else ends
    start = "\n" + "  " * depth
    return f"{ends[0]}{start}  {f',{start}  '.join(rows)}{start}{ends[1]}"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
