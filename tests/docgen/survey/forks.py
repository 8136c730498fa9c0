"""Made-up forks of a repository: its history repeated with edits, and the truth of what they changed.

A fork has every commit and tag of the repository, some days later. Of the specs it edits some from a commit
on, adds an API of its own, and removes one. Objects that are the same are not copied. The truth is counted
from the texts by a reader of its own, which shares no code with wirebook.
"""

from __future__ import annotations

import json
import random
import re
import subprocess
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

OWN_KEYS = 9000
_DAY = 86_400
_FIELDS = re.compile(rb'"fields"\s*:\s*\[\s*(?=\{)')
_PERSON = "committer F <f@f.invalid>"


@dataclass(frozen=True, slots=True)
class Truth:
    """What a survey has to report of a fork: for its newest release the versions of messages by status, the
    key and name of its own API, how many specs were broken once, and by how many days it is late.
    """

    name: str
    path: Path
    days: int
    same: int
    other: int
    own: int
    missing: int
    key: int | None = None
    api: str | None = None
    broken: int = 0

    @property
    def differing(self) -> int:
        """The versions that differ from the release that the newest one is a copy of."""
        return self.other + self.own + self.missing


@dataclass(slots=True)
class _Commit:
    head: list[bytes]
    name: bytes
    mark: bytes
    day: int
    parent: bytes | None
    changes: list[tuple[bytes, bytes, bytes]]  # mode or "D", object, path


@dataclass(slots=True)
class _Edits:
    tagged: list[bytes] = field(default_factory=list)
    first: list[bytes] = field(default_factory=list)
    removed: list[bytes] = field(default_factory=list)
    broken: list[bytes] = field(default_factory=list)


class Upstream:
    """The repository that forks are made of, as `git fast-export` gives it; `release` is its newest one."""

    def __init__(self, repository: Path, release: str) -> None:
        self.repository = repository
        self.texts: dict[bytes, bytes] = {}
        exported = _git(
            repository, "fast-export", "--no-data", "--all", "--signed-tags=strip", "--reencode=no",
            "--show-original-ids",
        )  # fmt: skip
        self.parts = list(_parts(exported))
        listed = _git(repository, "ls-tree", "-r", f"{release}^{{commit}}").splitlines()
        entries = [line.partition(b"\t") for line in listed]
        self.newest = {path: head.split()[2] for head, _, path in entries if path.endswith(b".json")}
        self.specs = {path: self.text(name) for path, name in self.newest.items()}
        self.branch = _git(repository, "symbolic-ref", "--short", "HEAD").decode().strip()
        trunk = _git(repository, "rev-list", "--first-parent", "--reverse", "HEAD").splitlines()
        self.trunk = {name: number for number, name in enumerate(trunk)}
        self.middle = len(trunk) // 2
        half = _git(repository, "ls-tree", "-r", "--name-only", trunk[self.middle].decode()).splitlines()
        self.lasting = {path: text for path, text in self.specs.items() if path in {*half}}

    def text(self, name: bytes) -> bytes:
        """The text of an object."""
        if name not in self.texts:
            self.texts[name] = _git(self.repository, "cat-file", "blob", name.decode())
        return self.texts[name]

    def versions(self) -> int:
        """The versions of all messages of the newest release."""
        return sum(len(_valid(text)) for text in self.specs.values())


def make_forks(upstream: Upstream, folder: Path, count: int) -> list[Truth]:
    """Write `count` forks as bare repositories below a folder; the first one is a copy without any edit."""
    return [_fork(upstream, folder, number, random.Random(f"1 {number}")) for number in range(count)]


def _fork(upstream: Upstream, folder: Path, number: int, chance: random.Random) -> Truth:
    name = f"fork-{number:03}"
    path = folder / f"{name}.git"
    subprocess.run(
        ["git", "init", "-q", "--bare", "--template=", "-b", upstream.branch, str(path)], check=True
    )
    objects = Path(_git(upstream.repository, "rev-parse", "--absolute-git-dir").decode().strip()) / "objects"
    (path / "objects" / "info").mkdir(parents=True, exist_ok=True)
    (path / "objects" / "info" / "alternates").write_text(f"{objects}\n")
    if number == 0:
        truth = Truth(name, path, 0, upstream.versions(), 0, 0, 0)
        _import(path, _replayed(upstream, _Edits(), 0, b"", number))
        return truth
    edits = _chosen(upstream, chance)
    days = chance.randrange(1, 200)
    own = _own_api(number)
    other = sum(_flexible(upstream.specs[each]) for each in edits.tagged)
    other += sum(len(_valid(upstream.specs[each])) for each in edits.first)
    missing = sum(len(_valid(upstream.specs[each])) for each in edits.removed)
    _import(path, _replayed(upstream, edits, days, own, number))
    return Truth(
        name, path, days, upstream.versions() - other - missing, other, 2, missing,
        OWN_KEYS + number // 2, f"Made{number}", len(edits.broken),
    )  # fmt: skip


def _chosen(upstream: Upstream, chance: random.Random) -> _Edits:
    """Which specs a fork edits: each of them in one way only."""
    pairs = sorted(path for path in upstream.lasting if path.endswith(b"Request.json"))
    pairs = [path for path in pairs if path.replace(b"Request", b"Response") in upstream.lasting]
    chance.shuffle(pairs)
    edits = _Edits()
    removed = pairs.pop()
    edits.removed = [removed, removed.replace(b"Request", b"Response")]
    edits.broken = [pairs.pop()]
    for path in pairs:
        text = upstream.specs[path]
        if not _FIELDS.search(text):
            continue
        if len(edits.tagged) < 2 and _flexible(text):
            edits.tagged.append(path)
        elif len(edits.first) < 2:
            edits.first.append(path)
    return edits


def _own_api(number: int) -> bytes:
    """The two specs of a fork's own API: forks of a pair have the same key and other bytes."""
    fields = [{"name": f"Field{each}", "type": "int32", "versions": "0+"} for each in range(1 + number % 7)]
    made = []
    for kind in ("request", "response"):
        spec = {
            "apiKey": OWN_KEYS + number // 2,
            "type": kind,
            **({"listeners": ["broker"]} if kind == "request" else {}),
            "name": f"Made{number}{kind.capitalize()}",
            "validVersions": "0",
            "flexibleVersions": "0+",
            "fields": fields,
        }
        made.append(json.dumps(spec, indent=2).encode())
    return b"\0".join(made)


# -- the repeated history -----------------------------------------------------------------------


def _replayed(upstream: Upstream, edits: _Edits, days: int, own: bytes, number: int) -> Iterable[bytes]:
    """The stream for `git fast-import`."""
    paths = [*edits.tagged, *edits.first, *edits.removed, *edits.broken]
    began: set[bytes] = set()
    mark = 10_000_000
    folder = next((path.rpartition(b"/")[0] for path in sorted(upstream.specs)), b"")
    present: dict[bytes, dict[bytes, bytes]] = {}
    moved: dict[bytes, bytes] = {}
    for part in upstream.parts:
        if not isinstance(part, _Commit):
            yield _retold(part, days, moved)
            continue
        tree = dict(present.get(part.parent or b"", {}))
        for mode, name, path in part.changes:
            if mode == b"D":
                tree.pop(path, None)
            elif path in upstream.newest:
                tree[path] = name
        present[part.mark] = tree
        if part.parent in began:
            began.add(part.mark)
        edited = part.mark in began
        yield _committed(part, days, moved, [_change(upstream, edits, each, edited) for each in part.changes])
        if not edited and own and upstream.trunk.get(part.name) == upstream.middle:
            # From here on the fork has its edits: what follows is on top of them.
            began.add(part.mark)
            files = [_change(upstream, edits, (b"100644", tree[path], path), True) for path in paths]
            for spec, kind in zip(own.split(b"\0"), (b"Request", b"Response"), strict=True):
                files.append(_inline(folder + b"/Made%d%s.json" % (number, kind), spec))
            broken = [_inline(path, b'{ "broken') for path in edits.broken]
            for content in ([*files, *broken], _back(tree, edits)):
                mark += 1
                yield b"\n".join((
                    b"commit refs/heads/" + upstream.branch.encode(), b"mark :%d" % mark,
                    b"%s %d +0000" % (_PERSON.encode(), part.day + days * _DAY),
                    b"data 4\nedit", b"from " + moved.get(part.mark, part.mark), *content, b"",
                ))  # fmt: skip
                moved[part.mark] = b":%d" % mark


def _back(tree: dict[bytes, bytes], edits: _Edits) -> list[bytes]:
    """What takes back that specs are broken."""
    return [b"M 100644 %s %s" % (tree[path], path) for path in edits.broken]


def _committed(part: _Commit, days: int, moved: dict[bytes, bytes], changes: Sequence[bytes]) -> bytes:
    return b"\n".join((*(_shifted(line, days, moved) for line in part.head), *filter(None, changes), b""))


def _retold(part: bytes, days: int, moved: dict[bytes, bytes]) -> bytes:
    """A tag or a reset, some days later."""
    return b"\n".join(_shifted(line, days, moved) for line in part.split(b"\n"))


def _shifted(line: bytes, days: int, moved: dict[bytes, bytes]) -> bytes:
    word, _, rest = line.partition(b" ")
    if word in (b"from", b"merge"):
        return word + b" " + moved.get(rest, rest)
    if word in (b"author", b"committer", b"tagger") and b"> " in rest:
        who, _, when = rest.rpartition(b"> ")
        seconds, _, zone = when.partition(b" ")
        return b"%s %s> %d %s" % (word, who, int(seconds) + days * _DAY, zone)
    return line


def _change(upstream: Upstream, edits: _Edits, change: tuple[bytes, bytes, bytes], edited: bool) -> bytes:
    """A change of a file in a fork."""
    mode, name, path = change
    if mode == b"D":
        return b"D " + path
    if edited and path in edits.removed:
        return b"D " + path
    if edited and path in edits.tagged:
        return _inline(path, _with_tag(upstream.text(name)))
    if edited and path in edits.first:
        return _inline(path, _with_field(upstream.text(name)))
    return b"M %s %s %s" % (mode, name, path)


def _inline(path: bytes, text: bytes) -> bytes:
    return b"M 100644 inline %s\ndata %d\n%s" % (path, len(text), text)


def _with_tag(text: bytes) -> bytes:
    """The spec with one more tagged field in all flexible versions."""
    lowest = _lowest_flexible(text)
    if lowest is None:
        return text
    versions = f'"versions": "{lowest}+", "taggedVersions": "{lowest}+", "tag": 10000'
    return _with(text, f'{{ "name": "ForkTag", "type": "string", {versions}, "default": "fork" }}')


def _with_field(text: bytes) -> bytes:
    """The spec with one more field in front, in all versions."""
    return _with(text, '{ "name": "ForkField", "type": "int8", "versions": "0+" }')


def _with(text: bytes, more: str) -> bytes:
    return _FIELDS.sub(lambda match: match[0] + more.encode() + b",\n    ", text, count=1)


# -- a reader of its own --------------------------------------------------------------------------


def _first(key: str, text: bytes) -> str:
    """The first text under a key of a spec: that of the message, before those of fields."""
    plain = re.sub(r"^\s*//.*$", "", text.decode(), flags=re.MULTILINE)
    found = re.search(rf'"{key}"\s*:\s*"([^"]*)"', plain)
    return "none" if found is None else found[1]


def _valid(text: bytes) -> range:
    """The valid versions of a spec."""
    versions = _first("validVersions", text)
    if versions == "none":
        return range(0)
    low, _, high = versions.partition("-")
    return range(int(low), int(high or low) + 1)


def _lowest_flexible(text: bytes) -> int | None:
    flexible = _first("flexibleVersions", text)
    return None if flexible == "none" else int(flexible.rstrip("+").partition("-")[0])


def _flexible(text: bytes) -> int:
    """How many valid versions of a spec are flexible."""
    lowest = _lowest_flexible(text)
    return 0 if lowest is None else sum(version >= lowest for version in _valid(text))


# -- git ------------------------------------------------------------------------------------------


def _parts(exported: bytes) -> Iterator[_Commit | bytes]:
    """The commits of an export, and what else is in it as it is."""
    block: list[bytes] = []
    at = 0
    while at < len(exported):
        end = exported.find(b"\n", at) + 1 or len(exported) + 1
        line = exported[at : end - 1]
        if block and line.startswith((b"commit ", b"tag ", b"reset ")):
            yield _part(block)
            block = []
        at = end
        if line.startswith(b"data "):
            at += int(line[5:])
            line = b"data 5\nagain"
        if line:
            block.append(line)
    if block:
        yield _part(block)


def _part(block: list[bytes]) -> _Commit | bytes:
    if not block[0].startswith(b"commit "):
        return b"\n".join(block)
    made = _Commit([], b"", b"", 0, None, [])
    for line in block:
        word, _, rest = line.partition(b" ")
        if word == b"M":
            mode, name, path = rest.split(b" ", 2)
            made.changes.append((mode, name, path))
        elif word == b"D":
            made.changes.append((b"D", b"", rest))
        elif word == b"original-oid":
            made.name = rest
        else:
            made.head.append(line)
            if word == b"mark":
                made.mark = rest
            elif word == b"committer":
                made.day = int(line.split(b" ")[-2])
            elif word == b"from":
                made.parent = rest
    return made


def _git(repository: Path, *arguments: str) -> bytes:
    return subprocess.run(["git", "-C", str(repository), *arguments], capture_output=True, check=True).stdout


def _import(path: Path, stream: Iterable[bytes]) -> None:
    subprocess.run(
        ["git", "-C", str(path), "fast-import", "--quiet", "--force"],
        input=b"".join(each + b"\n" for each in stream),
        check=True,
    )
