"""Words of the command line as peers: releases, protocol levels, clients, files and specs."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from pathlib import Path

from wirebook.peers.known import java_client, known_clients, newest_marks, release_peer
from wirebook.peers.negotiation import Peer, marks_of
from wirebook.peers.ranges import read_ranges
from wirebook.rules.opened import OpenedProject, open_specs, specs_here
from wirebook.rules.settings import FILE
from wirebook.specs.files import read_input
from wirebook.specs.git import Git
from wirebook.specs.kafka import KAFKA
from wirebook.specs.kafka.brokers import Broker, ReleaseTable, kafka_releases
from wirebook.specs.kafka.registry import load_registry
from wirebook.specs.kafka.version_lifecycle import lifecycles
from wirebook.specs.levels import ApiVersion, Registry
from wirebook.specs.limits import MAX_RANGES
from wirebook.specs.problems import InputError
from wirebook.specs.profile import NEUTRAL
from wirebook.specs.trees import ARCHIVES, folder_with, of_working_tree
from wirebook.specs.versions import Versions

_LEVEL = re.compile(r"\d{1,9}")
_RELEASE = re.compile(r"v?\d+(\.\d+)+(\.[xX]|-dev)?")
_WORD = re.compile(r"[A-Za-z][A-Za-z0-9 -]*")


@dataclass(frozen=True)
class Context:
    """What words mean: Kafka's releases and levels, or the specs of a protocol of one's own.

    `table` names its APIs; `level` is its word for a protocol level.
    """

    own: OpenedProject | None = None
    table: ReleaseTable = field(default_factory=kafka_releases)
    registry: Registry = field(default_factory=load_registry)
    level: str = "ApiVersion"


def context_of(cwd: Path) -> Context:
    """The context of the protocol that the specs here are of, or of Kafka's.

    Raises InputError for specs and tables that cannot be read.
    """
    own = _own_specs(cwd)
    if own is None:
        return Context()
    names = {each.api_key: each.api for each in own.protocol if each.api_key is not None}
    keys = {name.lower(): key for key, name in names.items()}
    table = ReleaseTable((), names, keys, own.profile.server)
    return Context(own, table, own.registry or Registry(()), own.profile.level)


def _own_specs(cwd: Path) -> OpenedProject | None:
    """The specs of the project here; None if they are Kafka's or do not name their protocol."""
    git = Git.find(cwd)
    if git is not None and git.top is not None:
        files = of_working_tree(git).files
        has_settings = any(path.rpartition("/")[2] == FILE for path in files)
    else:
        has_settings = folder_with(cwd.resolve(), FILE) is not None
    # Without settings, nothing here has to be read: a folder may be the root of a disk.
    if not has_settings:
        return None
    here = specs_here(cwd)
    is_foreign = here.profile != NEUTRAL and here.profile.family != KAFKA
    return here if is_foreign and here.project.messages else None


def brokers_of(context: Context, words: Iterable[str]) -> list[Peer]:
    """The brokers that words name; equal names get numbers. Raises InputError, OSError."""
    named: dict[str, Peer] = {}
    for word in words:
        known = _known(context, word)
        for peer in [known] if known else _read(context, word):
            marks = peer.marks
            # Of a broker of Kafka in a file, the release is unknown.
            if peer.kind == "file" and context.table.is_kafka:
                marks = marks_of(peer.versions or {}, newest_marks())
            name, number = peer.name, 2
            while name in named:
                name, number = f"{peer.name} ({number})", number + 1
            named[name] = replace(peer, name=name, marks=marks)
    return list(named.values())


def _known(context: Context, word: str) -> Peer | None:
    """The broker of a protocol level or of a release; None if the word is neither."""
    level = _level(context, word)
    if level is None:
        return release_peer(context.table.broker(word)) if _is_release(context, word) else None
    if context.own is not None:
        peer = _of_specs(context.own, context.registry, level.id)
        origin = f"the history of the specs, up to {level.version}"
    else:
        broker = _broker_of(context, level)
        peer = release_peer(broker)
        origin = f"release {broker.release}: {peer.origin}"
    name = f"{context.level} {level.id} ({level.version})"
    return replace(peer, name=name, kind="level", origin=origin)


def client_of(context: Context, word: str) -> Peer:
    """The client that a word names: a known one, that of a release or a level, or one in a file.

    Raises InputError, OSError.
    """
    clients = known_clients() if context.table.is_kafka else {}
    if word in clients:
        return clients[word]
    if _is_release(context, word):
        return java_client(context.table.broker(word))
    peer = _known(context, word)
    if peer is not None:
        return replace(peer, name=f"client of {peer.name}", marks={})
    try:
        peers = _read(context, word)
    except InputError:
        if not _WORD.fullmatch(word) or os.path.exists(word):
            raise
        words = f'the versions of a client "{word}" are not known, and no file or git ref has this'
        if clients:
            words += f" name; known are {', '.join(clients)}, any release for its Java client"
        raise InputError(f"{words}. Write those of another client to a file") from None
    if len(peers) > 1:
        raise InputError(f"a client is one peer, but this lists {len(peers)}", word)
    return peers[0]


def _is_release(context: Context, word: str) -> bool:
    """Whether a word can only be a release; where none is known, it may be a ref."""
    return context.table.is_kafka and bool(_RELEASE.fullmatch(word)) and not os.path.exists(word)


def _level(context: Context, word: str) -> ApiVersion | None:
    """The protocol level with an id in digits or with a version ("3.7-IV4"); None if the word is
    neither.

    Raises InputError if no level has the id.
    """
    levels = context.registry.api_versions
    if not _LEVEL.fullmatch(word):
        level = context.registry.by_version.get(word)
        # The first levels of Kafka are called like releases.
        return level if context.own is not None or "-IV" in word else None
    if int(word) < len(levels):
        return levels[int(word)]
    newest = f"the newest is {levels[-1].id}, {levels[-1].version}" if levels else "there are none"
    raise InputError(f"there is no {context.level} {int(word)}; {newest}")


def _broker_of(context: Context, level: ApiVersion) -> Broker:
    """The broker of the release whose newest level this is, or else of the release before."""
    reached = None
    for broker in context.table.brokers:
        newest = context.registry.of_release(broker.release)
        if newest is not None and newest.id <= level.id:
            reached = broker
    if reached is None or context.registry.of_release(level.release) is None:
        name = f"{context.level} {level.id} ({level.version})"
        raise InputError(f"no broker release is known for {name}")
    return reached


def _read(context: Context, word: str) -> list[Peer]:
    """The peers in a file of ranges or in a SOURCE of specs; "-" is standard input."""
    if word == "-":
        text = sys.stdin.buffer.read(MAX_RANGES)
        return _listed(context, text, "standard input", "stdin")
    if os.path.isfile(word) and not word.lower().endswith(ARCHIVES):
        text = read_input(Path(word), MAX_RANGES)
        if b'"validVersions"' not in text:
            return _listed(context, text, word, Path(word).stem)
    opened = open_specs(word)
    registry = context.registry if opened.registry is None else opened.registry
    peer = _of_specs(opened, registry, max(len(registry.api_versions) - 1, 0))
    if not peer.versions:
        raise InputError(f"no request here is one that a {context.table.server} could serve", word)
    return [replace(peer, name=word, origin=f"the specs in {opened.where}")]


def _listed(context: Context, text: bytes, path: str, name: str) -> list[Peer]:
    """The peers in a text of ranges."""
    peers = read_ranges(text, path, name, context.table)
    return [replace(peer, kind="file", origin=f"read from {path}") for peer in peers]


def _of_specs(opened: OpenedProject, registry: Registry, level: int) -> Peer:
    """What a broker at a level serves by the history of its specs, with its marks."""
    ranges: dict[int, Versions] = {}
    names: dict[int, str] = {}
    marked: dict[str, dict[int, set[int]]] = {"refused": {}, "avoid": {}, "deprecated": {}}
    for message in opened.protocol:
        key = message.api_key
        if message.type != "request" or key is None:
            continue
        names[key] = message.api
        served = {}
        for version, moments in lifecycles(message, registry).items():
            is_newest = version == message.valid_versions.highest
            is_unstable = message.latest_version_unstable and is_newest
            if moments.lives(level) and not is_unstable and not moments.is_unstable(level):
                served[version] = moments
        if served:
            ranges[key] = Versions(min(served), max(served))
            deprecated = {v for v, moments in served.items() if moments.is_deprecated(level)}
            marked["refused"][key] = set(ranges[key]) - served.keys()
            marked["deprecated"][key] = deprecated
            marked["avoid"][key] = {v for v in deprecated if served[v].stillborn}
    return Peer(opened.where, ranges, "source", "", marks_of(ranges, marked), names)
