"""The input of the pipeline: the snapshots, the texts of each, and the distinct texts."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path, PurePosixPath
from typing import NamedTuple

from wirebook.docgen.catalog.addresses import check_addresses
from wirebook.docgen.catalog.errors import PATH as ERRORS_PATH
from wirebook.docgen.catalog.errors import embedded_errors
from wirebook.docgen.catalog.files import ERRORS
from wirebook.docgen.catalog.history import Context
from wirebook.docgen.catalog.order import CatalogSnapshot, SnapshotFile, order_releases
from wirebook.docgen.catalog.protocol import (
    FILES,
    NEUTRAL_PROTOCOL,
    ProtocolRecord,
    protocol_record,
)
from wirebook.docgen.catalog.records import UNRELEASED
from wirebook.docgen.catalog.texts import BrokenText, Text, offer_of
from wirebook.docgen.pipeline.older_releases import (
    at_levels,
    release_lines,
    snapshots_of,
    with_older_releases,
)
from wirebook.docgen.request import Sources
from wirebook.docgen.site_files import site_files
from wirebook.rules.opened import OpenedProject
from wirebook.specs.discovery import SpecText
from wirebook.specs.git import Git
from wirebook.specs.kafka import KAFKA
from wirebook.specs.kafka.origins import spec_runs
from wirebook.specs.kafka.registry import load_registry
from wirebook.specs.kafka.releases import known_releases
from wirebook.specs.kafka.texts import all_texts
from wirebook.specs.levels import Registry, read_registry
from wirebook.specs.numbers import (
    DescribedError,
    TableValues,
    read_errors,
    read_values,
)
from wirebook.specs.problems import InputError
from wirebook.specs.profile import NEUTRAL, Profile
from wirebook.specs.project import Selection, spec_texts, texts_of_commits
from wirebook.specs.releases import ReleaseName


class DistinctText(NamedTuple):
    """A text, with the path under which the newest snapshot has it."""

    path: str
    text: bytes


@dataclass(frozen=True, slots=True)
class Inputs:
    """The input of one run.

    `texts` has each distinct text once, by digest. `is_older_known` is whether the lifecycles of
    SOURCE describe releases before the snapshots. `further` are files of the catalog that are
    written as they are, by their names.
    """

    context: Context
    files: Sequence[SnapshotFile]
    texts: Mapping[str, DistinctText]
    errors: tuple[DescribedError, ...] = ()
    profile: Profile = NEUTRAL
    is_older_known: bool = False
    protocol: ProtocolRecord = NEUTRAL_PROTOCOL
    further: Mapping[str, bytes] = field(default_factory=dict)


class _Snapshots(NamedTuple):
    """Snapshots in their order, and their files; `is_complete` is whether nothing precedes them."""

    snapshots: tuple[CatalogSnapshot, ...]
    files: list[SnapshotFile]
    is_complete: bool = False


class Judged(NamedTuple):
    """The usable texts by digest, warnings about others, snapshots, and usable files."""

    usable: dict[str, Text]
    warnings: list[str]
    context: Context
    files: list[SnapshotFile]


def gather(sources: Sources) -> Inputs:
    """Read the texts of some specs and of their releases. Raises InputError for a broken text of
    the specs and for unreadable input."""
    specs, profile = sources.specs, sources.specs.profile
    own = [
        text
        for text in spec_texts(specs.tree, specs.project.selection, {})
        if specs.is_embedded or text.path in specs.project.messages
    ]
    name, digests = label_of(specs), {text.path: text.digest for text in own}
    has_history = any(message.history for message in specs.project.messages.values())
    registry = _registry(specs) if specs.is_embedded or has_history else None
    released: dict[str, list[SpecText]] = {}
    if sources.history is not None:
        released = _released(sources)
        found = _of_releases(sources, released)
        if not specs.is_embedded and not has_history:
            found = _with_own(found, name, specs.commit, digests)
    elif registry is not None and has_history:
        lines = snapshots_of(release_lines(registry.described))
        found = _Snapshots(lines, [file for each in lines for file in _files(each, digests)])
    else:
        source = CatalogSnapshot(0, name, "source", None, True, commit=specs.commit)
        found = _Snapshots((source,), _files(source, digests))
    every = [text for texts in (*released.values(), own) for text in texts]
    written = all_texts(_newest_release(found.snapshots)) if profile.family else {}
    table, errors = _errors(specs)
    site = site_files(specs)
    context = Context(
        found.snapshots,
        registry,
        name,
        {digest: path for path, digest in digests.items()},
        written,
        is_by_specs=sources.history is None and has_history and registry is not None,
        is_complete=found.is_complete and not profile.family,
        verified=known_releases().verified if written else "",
        origins=spec_runs() if specs.is_embedded else {},
        value_tables=_value_tables(specs, sources.history, found.snapshots),
    )
    further = {f"{FILES}/{path}": content for path, content in site.files.items()}
    if table is not None:
        further[ERRORS] = table
    return Inputs(
        context,
        found.files,
        {text.digest: DistinctText(text.path, text.text) for text in every},
        errors,
        profile,
        is_older_known=specs.is_embedded and sources.history is not None,
        protocol=protocol_record(profile, site.record, specs.is_embedded, _repository(specs)),
        further=further,
    )


def _registry(specs: OpenedProject) -> Registry | None:
    """The registry of the specs; the embedded one if their protocol is of its family and has none.
    Raises InputError for one that contradicts itself."""
    if not specs.is_embedded:
        specs.table("levels")
    if specs.registry is None:
        return load_registry() if specs.profile.family else None
    path = specs.registry.path
    text = specs.tree.text(path)
    return specs.registry if text is None else read_registry(text, path)


def _errors(specs: OpenedProject) -> tuple[bytes | None, tuple[DescribedError, ...]]:
    """The table of errors as it is written and as it is read: the one that a profile names, or
    Kafka's own. Raises InputError if it cannot be read."""
    table = specs.table("errors")
    if table is not None:
        return table[0], read_errors(*table)
    if specs.profile.family != KAFKA:
        return None, ()
    text = embedded_errors()
    errors = read_errors(text, ERRORS_PATH)
    if not specs.is_embedded:
        # The table names the releases of Kafka that introduced the codes.
        errors = tuple(replace(error, first_release=None) for error in errors)
    return text, errors


def _value_tables(
    specs: OpenedProject, history: Path | None, snapshots: Sequence[CatalogSnapshot]
) -> Mapping[int, TableValues]:
    """The values of fields by snapshot, if the profile names a table of its own. A release has the
    table that is at the same path in its commit; what is unusable there is left out. Raises
    InputError if that of the specs does not exist or cannot be read."""
    table = specs.table("values")
    if table is None:
        return {}
    own, path = read_values(*table), table[1]
    tables = dict.fromkeys((each.ordinal for each in snapshots), own)
    released = [each for each in snapshots if each.kind == "release" and each.commit is not None]
    with Git(history or Path()) as git:
        for snapshot in released if history is not None else ():
            text = git.read(f"{snapshot.commit}:{path}", path) or b"{}"
            tables[snapshot.ordinal] = {}
            with suppress(InputError):
                tables[snapshot.ordinal] = read_values(text, path)
    return tables


def _released(sources: Sources) -> dict[str, list[SpecText]]:
    """The texts of the releases, in version order. Raises InputError if none has any."""
    assert sources.history is not None
    selection = sources.specs.project.selection if sources.specs.is_here else Selection()
    with Git(sources.history) as git:
        of_commits = texts_of_commits(git, [tag.commit for tag in sources.releases], selection)
    released = {tag.name: texts for tag in sources.releases if (texts := of_commits[tag.commit])}
    if not released:
        names = ", ".join(tag.name for tag in sources.releases)
        raise InputError(f"no message specs in any of the releases {names}")
    check_addresses(released, str(sources.history))
    return released


def _of_releases(sources: Sources, released: Mapping[str, list[SpecText]]) -> _Snapshots:
    """The releases that have specs."""
    tags = {tag.name: tag for tag in sources.releases}
    ordinals = {name: ordinal for ordinal, name in enumerate(released)}
    snapshots = tuple(
        CatalogSnapshot(
            ordinal=ordinals[name],
            name=name,
            kind="release",
            predecessor=None if predecessor is None else ordinals[predecessor],
            trunk=trunk,
            commit=tags[name].commit,
            date=tags[name].date,
        )
        for name, predecessor, trunk in order_releases(list(released))
    )
    files = [
        SnapshotFile(ordinals[name], text.path, text.digest)
        for name, texts in released.items()
        for text in texts
    ]
    is_first = sources.releases[0].name == snapshots[0].name
    return _Snapshots(snapshots, files, sources.specs.is_here and not sources.is_named and is_first)


def _files(snapshot: CatalogSnapshot, digests: Mapping[str, str]) -> list[SnapshotFile]:
    """The files of a snapshot, of digests by path."""
    return [SnapshotFile(snapshot.ordinal, path, digest) for path, digest in digests.items()]


def _newest_release(snapshots: Sequence[CatalogSnapshot]) -> str:
    """The release whose behavior texts describe first: the newest, "" if none."""
    named = (each.name if each.kind == "release" else "" for each in reversed(snapshots))
    return next((name for name in named if ReleaseName.parse(name)), "")


def _with_own(
    found: _Snapshots, name: str, commit: str | None, digests: Mapping[str, str]
) -> _Snapshots:
    """Releases and, as the newest snapshot, the user's own specs: what is about to be released.

    They are no snapshot if the newest release has exactly these texts, or the newest one of the
    trunk: the first is often a patch release, and specs that a branch was cut from are the second.
    """
    releases, files, is_complete = found
    trunk = [release.ordinal for release in releases if release.trunk][-1]
    own = set(digests.values())
    for newest in (releases[-1].ordinal, trunk):
        if own == {file.digest for file in files if file.ordinal == newest}:
            return found
    if any(release.name == name for release in releases):
        name = UNRELEASED
    source = CatalogSnapshot(len(releases), name, "source", trunk, True, commit=commit)
    return _Snapshots((*releases, source), [*files, *_files(source, digests)], is_complete)


def judged(inputs: Inputs, texts: Iterable[Text | BrokenText]) -> Judged:
    """The texts as they were read, judged, and what each snapshot offers of the usable ones. A
    broken text, or a second one for the same message, stops the run if it is in SOURCE
    (InputError); in a release it is left out."""
    usable: dict[str, Text] = {}
    broken: dict[str, str] = {}
    for text in sorted(texts, key=lambda text: (text.path, text.digest)):
        if isinstance(text, Text):
            usable[text.digest] = text
        elif text.digest in inputs.context.source_texts:
            raise InputError(text.error)
        else:
            broken[text.digest] = text.error
    files: list[SnapshotFile] = []
    left_out: dict[str, list[str]] = {}
    first_paths: dict[tuple[int, str, str], str] = {}
    for file in sorted(inputs.files):
        reason = broken.get(file.digest)
        if reason is None:
            text = usable[file.digest]
            first = first_paths.setdefault((file.ordinal, text.subject, text.part), file.path)
            if first == file.path:
                files.append(file)
                continue
            reason = f"{file.path}: defines the same message as {first}"
            if inputs.context.snapshots[file.ordinal].kind != "release":
                raise InputError(f"defines the same message as {first}", file.path)
        left_out.setdefault(reason, []).append(inputs.context.snapshots[file.ordinal].name)
    warnings = [
        f"left out of {', '.join(names)}: {reason}" for reason, names in sorted(left_out.items())
    ]
    files = [file._replace(offer=offer_of(usable[file.digest].message)) for file in files]
    context, registry = inputs.context, inputs.context.registry
    if registry is not None and context.is_by_specs:
        files = at_levels(files, usable, registry)
    elif registry is not None and inputs.is_older_known:
        known = with_older_releases(
            context.snapshots, files, usable, context.source_texts, registry
        )
        context, files = replace(context, snapshots=known[0]), known[1]
    return Judged(dict(sorted(usable.items())), warnings, context, sorted(files))


def label_of(specs: OpenedProject) -> str:
    """The label of specs on published pages: never a path. It is the tag of their commit if they
    have no changes that are not committed, the release that an archive is named after, or
    "unreleased"."""
    if specs.is_embedded:
        return specs.where
    if specs.repository is None:
        name = PurePosixPath(specs.where.rpartition(" ")[2]).stem
        return name if specs.top is None and ReleaseName.parse(name) else UNRELEASED
    with Git(specs.repository) as git:
        if specs.commit is None and git.run("status", "--porcelain", "--", f":/{specs.folder}"):
            return UNRELEASED
        described = git.attempt(
            "describe", "--tags", "--exact-match", specs.commit or "HEAD"
        ).stdout
    return described.decode(errors="replace").strip() or UNRELEASED


def _repository(specs: OpenedProject) -> str:
    """The name of the repository of the specs, "" without one."""
    if specs.repository is None:
        return ""
    with Git(specs.repository) as git:
        return git.name()
