"""Words of the command line as peers: releases, protocol levels, clients, files, specs, live
brokers."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from difflib import get_close_matches
from pathlib import Path

from wirebook.peers.known import java_client, known_clients, newest_marks, release_peer
from wirebook.peers.negotiation import Peer, marks_of
from wirebook.peers.ranges import read_ranges
from wirebook.rules.opened import OpenedProject, open_specs, specs_here
from wirebook.rules.settings import FILE, settings_files
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
_SUB_VERSION = re.compile(r"[0-9.]+-IV[0-9]+")
_HOST_PORT = re.compile(r"(?:\[[0-9A-Fa-f:.%]+\]|[A-Za-z0-9._-]+):\d{1,5}")
_RELEASE = re.compile(r"v?\d+(\.\d+)+(\.[xX]|-dev)?")
_WORD = re.compile(r"[A-Za-z][A-Za-z0-9 -]*")

Probe = Callable[[str], Mapping[int, Versions]]
"""Queries the broker at HOST:PORT for its ranges; raises InputError if it does not answer."""


@dataclass(frozen=True)
class Context:
    """What words mean: Kafka's releases and levels, or the specs of a protocol of one's own.

    `table` names its APIs; `level` is its word for a protocol level. `listener` is the kind that
    brokers of releases answer on.
    """

    own: OpenedProject | None = None
    table: ReleaseTable = field(default_factory=kafka_releases)
    registry: Registry = field(default_factory=load_registry)
    level: str = "ApiVersion"
    listener: str = ""


def context_of(cwd: Path, listener: str = "") -> Context:
    """The context of the protocol that the specs here are of, or of Kafka's.

    Raises InputError for specs and tables that cannot be read.
    """
    own = _own_specs(cwd)
    if own is None:
        return Context(listener=listener)
    names = {
        message.api_key: message.api for message in own.protocol if message.api_key is not None
    }
    keys = {name.lower(): key for key, name in names.items()}
    table = ReleaseTable((), names, keys, own.profile.server)
    return Context(own, table, own.registry or Registry(()), own.profile.level, listener)


def _own_specs(cwd: Path) -> OpenedProject | None:
    """The specs of the project here; None if they are Kafka's or do not name their protocol."""
    git = Git.find(cwd)
    if git is not None and git.top is not None:
        has_settings = bool(settings_files(of_working_tree(git)))
    else:
        has_settings = folder_with(cwd.resolve(), FILE) is not None
    # Without settings, nothing here has to be read: a folder may be the root of a disk.
    if not has_settings:
        return None
    here = specs_here(cwd)
    is_foreign = here.profile != NEUTRAL and here.profile.family != KAFKA
    return here if is_foreign and here.project.messages else None


def brokers_of(context: Context, words: Iterable[str], probe: Probe) -> list[Peer]:
    """The brokers that words name, in order; equal names get numbers. Raises InputError,
    OSError."""
    named: dict[str, Peer] = {}
    for word in words:
        for peer in _brokers(context, word, probe):
            name, number = peer.name, 2
            while name in named:
                name, number = f"{peer.name} ({number})", number + 1
            named[name] = replace(peer, name=name)
    return list(named.values())


def _brokers(context: Context, word: str, probe: Probe) -> list[Peer]:
    """One word as brokers: a file or a list of addresses may name several."""
    known = _known(context, word)
    if known is not None:
        return [known]
    if not all(map(_HOST_PORT.fullmatch, word.split(","))) or os.path.exists(word):
        return _read(context, word)
    if not context.table.is_kafka:
        raise InputError(
            f"{word} cannot be queried, because servers of this protocol have no API for that "
            "which "
            "wirebook knows: name a release, a file of ranges, or a SOURCE of specs"
        )
    peers = [
        Peer(address, dict(probe(address)), "live", "queried just now")
        for address in word.split(",")
    ]
    return [_marked(peer) for peer in peers]


def _known(context: Context, word: str) -> Peer | None:
    """The broker of a protocol level or of a release; None if the word is neither."""
    level = _level(context, word)
    if level is None:
        return (
            release_peer(context.table.broker(word), context.listener)
            if _is_release(context, word)
            else None
        )
    name = f"{context.level} {level.id} ({level.version})"
    if context.own is not None:
        origin = f"the history of the specs, up to {level.version}"
        return replace(
            _of_specs(context.own, context.registry, level.id),
            name=name,
            kind="level",
            origin=origin,
        )
    broker = _broker_of(context, level)
    peer = release_peer(broker, context.listener)
    return replace(peer, name=name, kind="level", origin=f"release {broker.release}: {peer.origin}")


def client_of(context: Context, word: str) -> Peer:
    """The client that a word names: a known one, that of a release or a level, or one in a file.

    Raises InputError, OSError.
    """
    clients = known_clients() if context.table.is_kafka else {}
    if word in clients:
        return clients[word]
    if word.startswith(("java-", "java ")) and clients:
        return java_client(context.table.broker(word[5:]))
    level = _level(context, word)
    if level is not None:
        peer = _known(context, word)
        assert peer is not None
        return replace(peer, name=f"client of {context.level} {level.id}", marks={})
    if _is_release(context, word):
        return java_client(context.table.broker(word))
    try:
        peers = _read(context, word, marked=False)
    except InputError:
        if _WORD.fullmatch(word) and not os.path.exists(word):
            raise InputError(
                f'the versions of a client "{word}" are not known, and no file or git ref has '
                "this name; "
                f"known are {', '.join((*clients, 'any release'))}"
                f"{' for its Java client' if clients else ''}. Write those of another client to "
                "a file"
            ) from None
        raise
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
    if _LEVEL.fullmatch(word):
        if int(word) < len(levels):
            return levels[int(word)]
        newest = (
            f"the newest is {levels[-1].id}, {levels[-1].version}" if levels else "there are none"
        )
        raise InputError(f"there is no {context.level} {int(word)}; {newest}")
    level = context.registry.by_version(word)
    if level is None and _SUB_VERSION.fullmatch(word) and not os.path.exists(word):
        near = get_close_matches(word, [item.version for item in levels], n=3)
        raise InputError(
            f'there is no {context.level} "{word}"; the nearest are {", ".join(near) or "none"}'
        )
    # The first levels of Kafka are called like releases.
    return level if context.own is not None or "-IV" in word else None


def _broker_of(context: Context, level: ApiVersion) -> Broker:
    """The broker of the release whose newest level this is, or else of the release before."""
    reached = None
    for broker in context.table.brokers:
        newest = context.registry.of_release(broker.release)
        if newest is not None and newest.id <= level.id:
            reached = broker
    if reached is None or context.registry.of_release(level.release) is None:
        raise InputError(
            f"no broker release is known for {context.level} {level.id} ({level.version})"
        )
    return reached


def _read(context: Context, word: str, *, marked: bool = True) -> list[Peer]:
    """The peers in a file of ranges or in a SOURCE of specs; "-" is standard input."""
    if word == "-":
        return _listed(
            context, sys.stdin.buffer.read(MAX_RANGES + 1), "standard input", "stdin", marked
        )
    if os.path.isfile(word) and not word.lower().endswith(ARCHIVES):
        with open(word, "rb") as file:
            text = file.read(MAX_RANGES + 1)
        if b'"validVersions"' not in text:
            name = os.path.splitext(os.path.basename(word))[0]
            return _listed(context, text, word, name, marked)
    opened = open_specs(word)
    registry = context.registry if opened.registry is None else opened.registry
    peer = _of_specs(opened, registry, max(len(registry.api_versions) - 1, 0))
    if not peer.versions:
        raise InputError(f"no request here is one that a {context.table.server} could serve", word)
    return [replace(peer, name=word, origin=f"the specs in {opened.where}")]


def _listed(context: Context, text: bytes, path: str, name: str, marked: bool) -> list[Peer]:
    if len(text) > MAX_RANGES:
        raise InputError(f"this is larger than {MAX_RANGES >> 20} MiB", path)
    origin = path if path == "standard input" else f"the file {path}"
    peers = [
        replace(peer, kind="file", origin=origin)
        for peer in read_ranges(text, path, name, context.table)
    ]
    return list(map(_marked, peers)) if marked and context.table.is_kafka else peers


def _marked(peer: Peer) -> Peer:
    """A broker of Kafka of unknown release, with the marks of all releases; its own are kept."""
    ranges = peer.versions or {}
    marks = {key: dict(own) for key, own in marks_of(ranges, newest_marks()).items()}
    for key, own in peer.marks.items():
        marks.setdefault(key, {}).update(own)
    return replace(peer, marks=marks)


def _of_specs(opened: OpenedProject, registry: Registry, level: int) -> Peer:
    """What a broker at a level serves by the history of its specs, with the marks of their
    documentation."""
    ranges: dict[int, Versions] = {}
    names: dict[int, str] = {}
    marked: dict[str, dict[int, set[int]]] = {"refused": {}, "avoid": {}, "deprecated": {}}
    for message in opened.protocol:
        key = message.api_key
        if message.type != "request" or key is None:
            continue
        names[key] = message.api
        moments = lifecycles(message, registry)
        served = {
            v
            for v, moment in moments.items()
            if moment.lives(level) and not moment.is_unstable(level)
        }
        if message.latest_version_unstable:
            served.discard(message.valid_versions.highest)
        if not served:
            continue
        ranges[key] = Versions(min(served), max(served))
        marked["refused"][key] = set(ranges[key]) - served
        marked["deprecated"][key] = {v for v in served if moments[v].is_deprecated(level)}
        marked["avoid"][key] = {v for v in marked["deprecated"][key] if moments[v].stillborn}
    return Peer(opened.where, ranges, "source", "", marks_of(ranges, marked), names)
