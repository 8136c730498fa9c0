"""What goes into the pipeline: the snapshots, which texts each of them holds, and the distinct texts."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from pathlib import Path

from wirebook.docgen.catalog.errors import ErrorCode, load_errors
from wirebook.docgen.catalog.order import Snapshot, order_releases
from wirebook.docgen.catalog.rows import Levels, check_names
from wirebook.specs.kafka.purposes import Purpose, load_purposes
from wirebook.specs.kafka.registry import embedded_source, load_registry
from wirebook.specs.levels import Registry
from wirebook.specs.problems import InputError
from wirebook.specs.profile import NEUTRAL, Profile
from wirebook.specs.profiles import profile_of
from wirebook.specs.reading.reader import read_protocol
from wirebook.specs.sources.source import GitRepo, SpecText, open_source


@dataclass(frozen=True, slots=True)
class Inputs:
    """The input of one run.

    `files` says (snapshot's ordinal, path, digest); `texts` has each distinct text once, by digest, with
    the path under which the newest snapshot has it. `levels` is given where the snapshots are ApiVersions.
    `source_texts` are the digests and paths of SOURCE, which a broken text may not be one of.
    """

    snapshots: tuple[Snapshot, ...]
    files: list[tuple[int, str, str]]
    texts: dict[str, tuple[str, bytes]]
    source_name: str
    source_texts: dict[str, str]
    registry: Registry | None
    levels: Levels | None
    errors: tuple[ErrorCode, ...]
    described: dict[str, object] = field(default_factory=dict)
    purposes: dict[tuple[str, str], Purpose] = field(default_factory=dict)
    profile: Profile = NEUTRAL


def gather(source: str | None, history: str | None, releases: str | None) -> Inputs:
    """Read SOURCE (default: the embedded specs) and, where `history` is given, its releases.

    Raises InputError for a broken text of SOURCE and for whatever cannot be read.
    """
    texts, name, commit, profile = _source(source)
    protocol = read_protocol(texts, name, profile)
    for message in protocol:
        check_names(message)
    has_history = any(message.history for message in protocol)
    registry = load_registry() if source is None or has_history else None
    described: dict[str, object] = {
        "source": {"name": name, "commit": commit, "texts": {text.path: text.digest for text in texts}}
    }
    distinct = {text.digest: (text.path, text.text) for text in texts}
    source_texts = {text.digest: text.path for text in texts}
    files: list[tuple[int, str, str]] = []
    levels = None
    if history is not None:
        if releases is None:
            raise InputError("--history needs --releases, a pattern such as '[0-9]*'")
        snapshots = _releases(history, releases, files, distinct, described)
        if source is not None and not has_history:
            # Somebody's own specs beside their releases: what is about to be released.
            snapshots = (*snapshots, _unreleased(source, commit, snapshots))
            files += [(len(snapshots) - 1, text.path, text.digest) for text in texts]
    elif registry is not None and has_history:
        levels = Levels.of(registry)
        snapshots = tuple(
            Snapshot(
                ordinal=item.id,
                name=item.version,
                kind="api_version",
                predecessor=item.id - 1 if item.id else None,
                trunk=True,
                id=item.id,
                release=item.release,
                date=item.date,
            )
            for item in registry.described
        )
        files = [(snapshot.ordinal, text.path, text.digest) for snapshot in snapshots for text in texts]
    else:
        snapshots = (Snapshot(0, name, "source", None, True, commit=commit),)
        files = [(0, text.path, text.digest) for text in texts]
    return Inputs(
        snapshots=snapshots,
        files=files,
        texts=distinct,
        source_name=name,
        source_texts=source_texts,
        registry=registry,
        levels=levels,
        errors=tuple(load_errors()) if source is None else (),
        described=described,
        purposes=load_purposes() if source is None else {},
        profile=profile,
    )


def _source(source: str | None) -> tuple[list[SpecText], str, str | None, Profile]:
    opened = open_source(str(embedded_source()) if source is None else source)
    name = "the specs that come with wirebook" if source is None else opened.description
    texts = opened.texts()
    return texts, name, opened.commit, profile_of(opened, texts)


def _unreleased(source: str, commit: str | None, releases: tuple[Snapshot, ...]) -> Snapshot:
    """SOURCE as the newest snapshot, compared with the newest release of the trunk."""
    name = commit[:12] if commit else Path(os.path.abspath(source)).name
    if any(release.name == name for release in releases):
        name = f"{name} (source)"
    newest = [release.ordinal for release in releases if release.trunk][-1]
    return Snapshot(len(releases), name, "source", newest, True, commit=commit)


def _releases(
    history: str,
    pattern: str,
    files: list[tuple[int, str, str]],
    texts: dict[str, tuple[str, bytes]],
    described: dict[str, object],
) -> tuple[Snapshot, ...]:
    """Add the files and texts of the releases; return them as snapshots."""
    with GitRepo(history) as repository:
        found = {release.name: release for release in repository.releases(pattern).found}
        if not found:
            raise InputError(f'no tag of {history} matches "{pattern}"')
        ordered = order_releases(list(found))
        places = {release.name: ordinal for ordinal, release in enumerate(ordered)}
        snapshots = []
        wanted: dict[str, str] = {}
        for ordinal, place in enumerate(ordered):
            release = found[place.name]
            for entry in repository.entries(release.commit):
                files.append((ordinal, entry.path, entry.digest))
                wanted[entry.digest] = entry.path
            snapshots.append(
                Snapshot(
                    ordinal=ordinal,
                    name=place.name,
                    kind="release",
                    predecessor=None if place.predecessor is None else places[place.predecessor],
                    trunk=place.trunk,
                    commit=release.commit,
                    date=release.date,
                )
            )
        for digest, path in wanted.items():
            if digest not in texts:
                texts[digest] = (path, repository.read(digest))
    described["history"] = {
        "releases": {snapshot.name: snapshot.commit for snapshot in snapshots},
        "pattern": pattern,
    }
    return tuple(snapshots)
