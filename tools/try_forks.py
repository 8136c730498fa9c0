"""Builds, checks and surveys a fork of Kafka or a library in its format, and compares its site with git.

`python tools/try_forks.py REPO KAFKA [--releases GLOB] [--seed N] [--site DIR]`, with clones of both.
Statements of the site on versions, chosen at random, are compared with the specs at the tags, which this
program reads itself: with git, and as JSON without comments. With `--franz-go` the repository is franz-go's:
its definitions at each tag are first exported as specs, into a repository with the same tags, and the
statements are compared with the definitions.
"""

from __future__ import annotations

import argparse
import fnmatch
import json
import os
import random
import re
import shutil
import subprocess
import sys
import sysconfig
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

STATEMENTS = 20
# Folders of pages that only the site of Kafka has.
KAFKAS_PAGES = ("kips", "kip-35", "negotiate", "features", "incidents", "proposals", "records", "tutorial")
_COMMENT = re.compile(r'("(?:[^"\\]|\\.)*")|//[^\n]*|/\*.*?\*/', re.DOTALL)
_SPEC = re.compile(rb'"validVersions"')
_DEFINITION = re.compile(r"^(\w+)Request => key (\d+), max version (\d+)", re.MULTILINE)


class Statement(NamedTuple):
    """A statement of the site: whether a release has a version of an API or message."""

    text: str
    release: str
    subject: tuple[str, str]
    version: int
    has: bool
    is_event: bool = False


def main(arguments: Sequence[str]) -> int:
    """Run the commands and compare; returns 1 for a false statement or a command that fails."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("repository", metavar="REPO", type=Path)
    parser.add_argument("kafka", metavar="KAFKA", type=Path)
    parser.add_argument("--releases", metavar="GLOB")
    parser.add_argument("--franz-go", action="store_true", help="REPO has franz-go's definitions, not specs")
    parser.add_argument("--seed", type=int, default=random.randrange(10**6))
    parser.add_argument("--site", metavar="DIR", type=Path, help="an existing site, instead of a new one")
    parser.add_argument("--wirebook", metavar="PROGRAM", help="by default, the one beside this Python")
    options = parser.parse_args(arguments)
    program = options.wirebook or shutil.which("wirebook", path=sysconfig.get_path("scripts")) or "wirebook"
    glob = options.releases
    site = options.site or Path("site")
    wrong: list[str] = []
    fork: Path = options.repository
    if options.franz_go and options.site is None:
        fork = Path("franz-go")
        wrong += _export_releases(program, options.repository, fork, glob or "v*")
    repository = str(fork)
    if options.site is None:
        named = ("--releases", glob) if glob else ()
        wrong += _run(program, "build", "--history", repository, *named, "--site-dir", str(site), "--quiet")
    if not wrong:
        read = _defined if options.franz_go else _held
        wrong += _of_site(site, options.repository, options.kafka, options.seed, read)
    if options.site is None and site.exists():
        # Releases without a commit come from lifecycles.
        snapshots = _document(site / "data" / "snapshots.json")["snapshots"]
        releases = [each["name"] for each in snapshots if each["commit"]]
        sides = [f"git:{repository}@{name}" for name in (releases[0], releases[-1])]
        wrong += _run(program, "check", "--old", sides[0], "--new", sides[1], allowed=(0, 1))
        surveyed = f"fork={repository}@{glob}" if glob else f"fork={repository}"
        wrong += _run(program, "survey", f"kafka={options.kafka}@[0-9]*", surveyed, "--output", "survey")
    print("\n".join(wrong) if wrong else "no false statement", file=sys.stderr)
    return bool(wrong)


def _export_releases(program: str, repository: Path, converted: Path, glob: str) -> list[str]:
    """Export franz-go's definitions at each tag that matches into a new repository; returns what is wrong."""
    shutil.rmtree(converted, ignore_errors=True)
    subprocess.run(["git", "init", "--quiet", str(converted)], check=True)
    listed = _git(repository, "tag", "--sort=version:refname", "--format=%(refname:short) %(creatordate:raw)")
    wrong: list[str] = []
    for line in listed.decode().splitlines():
        tag, _, date = line.partition(" ")
        if not re.fullmatch(r"v[0-9.]+", tag) or not fnmatch.fnmatchcase(tag, glob):
            continue
        wrong += _run(
            program, "export", f"franz-go:{repository}@{tag}", "--specs", str(converted / "messages")
        )
        _git(converted, "add", "--all")
        names = ("-c", "user.name=franz-go", "-c", "user.email=franz-go@example.org")
        dates = {"GIT_AUTHOR_DATE": date, "GIT_COMMITTER_DATE": date}
        _git(converted, *names, "commit", "--quiet", "--allow-empty", "--message", tag, environment=dates)
        _git(converted, "tag", tag)
    return wrong


def _run(program: str, *arguments: str, allowed: Sequence[int] = (0,)) -> list[str]:
    """What is wrong with a command: nothing if its exit code is allowed."""
    print("wirebook", *arguments, flush=True)
    code = subprocess.run([program, *arguments], check=False).returncode
    return [] if code in allowed else [f"{' '.join(arguments[:2])}: exit code {code}"]


def _of_site(
    site: Path,
    repository: Path,
    kafka: Path,
    seed: int,
    read: Callable[[Path, str], dict[tuple[str, str], set[int]]],
) -> list[str]:
    """What is wrong on the pages of a site; `read` returns the versions that a repository has at a tag."""
    home = (site / "index.html").read_text(encoding="utf-8")
    wrong: list[str] = []
    if not repository.samefile(kafka):
        wrong += [f"the site has {name}/" for name in KAFKAS_PAGES if (site / name).exists()]
        if "Apache Kafka's wire protocol" in home or "Kafka protocol reference" in home:
            wrong.append("the home page is that of Kafka")
    derived = re.search(r"derives from Apache Kafka [^<(]*\(\d+% of its versions\)", home)
    print(derived[0] if derived else "does not derive from Apache Kafka")
    chance = random.Random(seed)
    statements = list(_statements(site))
    events = [statement for statement in statements if statement.is_event]
    chosen = chance.sample(events, min(STATEMENTS // 2, len(events)))
    chosen += chance.sample(statements, min(STATEMENTS - len(chosen), len(statements)))
    print(f"{len(chosen)} of {len(statements):,} statements, seed {seed}:")
    for statement in chosen:
        held = read(repository, statement.release)
        # An API may have had another name.
        alike = [each for subject, each in held.items() if _key_of(*subject) == _key_of(*statement.subject)]
        versions = held.get(statement.subject, set[int]().union(*alike))
        is_true = (statement.version in versions) == statement.has
        print(f"  {'true ' if is_true else 'FALSE'} {statement.text}")
        wrong += [] if is_true else [f"false: {statement.text}"]
    for text, key, version in _own(site):
        releases = [name for name in _kafkas(kafka) if version in _by_key(kafka, name).get(key, set())]
        wrong += [f"false: {text}: {releases[0]} has it"] if releases else []
    return wrong


def _statements(site: Path) -> Iterator[Statement]:
    """What a site states of versions: when they were added and removed, and which releases have them."""
    snapshots = _document(site / "data" / "snapshots.json")["snapshots"]
    before = {each["name"]: each["predecessor"] for each in snapshots}
    released = {each["name"] for each in snapshots if each["kind"] == "release" and each["commit"]}
    for path in sorted((site / "data" / "api").glob("*.json")):
        document = _document(path)
        subject = _subject(document)
        for record in document["versions"]:
            name, version = f"{document['api']} {record['version']}", record["version"]
            for event in record["events"]:
                release, kind = event["since"]["release"], event["event"]
                if release not in released or kind not in ("added", "removed"):
                    continue
                earlier = event["since"]["at_or_before"]
                text = f"{name} {kind} in {release}{' or earlier' if earlier else ''}"
                yield Statement(text, release, subject, version, kind == "added", is_event=True)
                if before[release] in released and not earlier:
                    yield Statement(
                        f"{text}: {before[release]}", before[release], subject, version, kind != "added"
                    )
        for presence in document["presence"]:
            if presence["snapshot"] in released:
                numbers = _numbers(presence["versions"])
                for version in sorted({*numbers, max(numbers, default=-1) + 1}):
                    has = version in numbers
                    text = f"{presence['snapshot']} {'has' if has else 'lacks'} {document['api']} {version}"
                    yield Statement(text, presence["snapshot"], subject, version, has)


def _own(site: Path) -> Iterator[tuple[str, str, int]]:
    """The versions of which a site states that no release of Kafka has them."""
    for path in sorted((site / "data" / "api").glob("*.json")):
        document = _document(path)
        for message in document["messages"]:
            for number, version in message["versions"].items():
                if version.get("own", {}).get("standing") in ("own", "own_message"):
                    text = f"no release of Kafka has {document['api']} {number}"
                    yield text, _key_of(*_subject(document)), int(number)


def _subject(document: Any) -> tuple[str, str]:
    """What identifies an API or a message in the specs: its name and its key."""
    return document["api"], str(document["api_key"] if document["kind"] == "api" else None)


@cache
def _held(repository: Path, tag: str) -> dict[tuple[str, str], set[int]]:
    """The versions of each API and message at a tag, by its specs."""
    held: dict[tuple[str, str], set[int]] = {}
    listed = _git(repository, "ls-tree", "-r", "-z", tag).split(b"\0")
    for line in listed:
        entry, _, path = line.partition(b"\t")
        if not path.endswith(b".json") or b"/test/" in path or b"/tests/" in path:
            continue
        text = _blob(repository, entry.split()[2].decode())
        if text is None:
            continue
        subject = (text["name"], "None")
        if text["type"] in ("request", "response"):
            subject = (re.sub(r"(Request|Response)$", "", text["name"]), str(text["apiKey"]))
        held.setdefault(subject, set()).update(_numbers(str(text["validVersions"])))
    return held


@cache
def _by_key(repository: Path, tag: str) -> dict[str, set[int]]:
    """The versions at a tag by key: a library may spell the name of an API in its own way."""
    return {_key_of(*subject): versions for subject, versions in _held(repository, tag).items()}


def _key_of(name: str, key: str) -> str:
    return name if key == "None" else key


@cache
def _defined(repository: Path, tag: str) -> dict[tuple[str, str], set[int]]:
    """The versions of each API at a tag of franz-go, by its definitions."""
    held: dict[tuple[str, str], set[int]] = {}
    folder = f"{tag}:generate/definitions"
    for name in _git(repository, "ls-tree", "--name-only", folder).decode().split():
        for api, key, highest in _DEFINITION.findall(_git(repository, "show", f"{folder}/{name}").decode()):
            held[api, key] = set(range(int(highest) + 1))
    return held


@cache
def _blob(repository: Path, name: str) -> Any:
    text = _git(repository, "cat-file", "blob", name)
    if not _SPEC.search(text):
        return None
    plain = _COMMENT.sub(lambda match: match[1] or "", text.decode("utf-8"))
    try:
        document = json.loads(re.sub(r",(\s*[\]}])", r"\1", plain))
    except ValueError:
        return None
    return (
        document
        if isinstance(document, dict) and {"type", "name", "validVersions"} <= document.keys()
        else None
    )


@cache
def _kafkas(repository: Path) -> tuple[str, ...]:
    tags = _git(repository, "tag").decode().split()
    return tuple(tag for tag in tags if re.fullmatch(r"\d+\.\d+\.\d+", tag))


def _git(repository: Path, *arguments: str, environment: Mapping[str, str] = MappingProxyType({})) -> bytes:
    command = ["git", "-C", str(repository), *arguments]
    return subprocess.run(command, check=True, capture_output=True, env=os.environ | environment).stdout


def _numbers(ranges: str) -> set[int]:
    """The versions of ranges such as "0-3, 7"."""
    numbers: set[int] = set()
    for part in ranges.split(",") if ranges != "none" else ():
        low, _, high = part.strip().partition("-")
        numbers |= set(range(int(low), int(high or low) + 1))
    return numbers


def _document(path: Path) -> Any:
    return json.loads(path.read_text(encoding="utf-8"))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
