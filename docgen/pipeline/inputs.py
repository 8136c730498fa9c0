"""The input of the pipeline: the snapshots, the texts of each, and the distinct texts."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import takewhile
from pathlib import Path, PurePosixPath
from typing import NamedTuple

from wirebook.docgen.catalog.addresses import check_addresses, check_names
from wirebook.docgen.catalog.errors import PATH as ERRORS_PATH
from wirebook.docgen.catalog.errors import ErrorCode, embedded_errors, listed
from wirebook.docgen.catalog.files import ERROR_TABLE, write_json
from wirebook.docgen.catalog.history import Context
from wirebook.docgen.catalog.order import CatalogSnapshot, SnapshotFile, order_releases
from wirebook.docgen.catalog.protocol import FILES, protocol_record
from wirebook.docgen.catalog.shared_structs import STRUCTS, StructRecords, struct_records
from wirebook.docgen.catalog.texts import BrokenText, Text, offer_of
from wirebook.docgen.pipeline.older_releases import (
    DistinctText,
    EmbeddedSpec,
    files_of_levels,
    release_lines,
    snapshots_of,
    with_older_releases,
)
from wirebook.docgen.pipeline.value_tables import value_tables
from wirebook.docgen.request import BuildRequest
from wirebook.docgen.site_files import NO_FILES, SiteFiles, site_files, site_paths
from wirebook.rules.opened import OpenedProject
from wirebook.rules.settings import Settings
from wirebook.specs import trees
from wirebook.specs.git import Git
from wirebook.specs.kafka import KAFKA
from wirebook.specs.kafka.origins import spec_runs
from wirebook.specs.kafka.registry import embedded_source, load_registry
from wirebook.specs.kafka.releases import known_releases
from wirebook.specs.kafka.texts import texts_for
from wirebook.specs.levels import Registry, checked_registry
from wirebook.specs.model import Protocol
from wirebook.specs.problems import InputError
from wirebook.specs.profile import NEUTRAL, Profile
from wirebook.specs.project import Selection, spec_texts
from wirebook.specs.reading.discovery import SpecText
from wirebook.specs.reading.reader import read_protocol
from wirebook.specs.reading.tables.errors import read_errors
from wirebook.specs.releases import ReleaseName, pick_releases, releases_of
from wirebook.specs.texts.model import TableValues

UNRELEASED = "unreleased"


class InputTable(NamedTuple):
    """The text of a table of a profile, and its path."""

    text: str
    path: str


class JudgedTexts(NamedTuple):
    """The usable texts by digest, warnings about the others, and the files with usable texts."""

    usable: dict[str, Text]
    warnings: list[str]
    files: list[SnapshotFile]


@dataclass(frozen=True, slots=True)
class Inputs:
    """The input of one run.

    `texts` has each distinct text once, by digest. `is_by_specs` is whether the lifecycles of specs are all
    that is known of the snapshots.
    `source_texts` are the digests and paths of SOURCE, none of which may be broken. `error_table` is the
    text behind `errors`; `values` are those that a table of the profile lists, by snapshot. `structs` are
    those that specs of SOURCE share. `is_embedded` is whether SOURCE is the embedded specs,
    `is_complete` whether the snapshots begin with the first release of a protocol of its own.
    """

    snapshots: tuple[CatalogSnapshot, ...]
    files: list[SnapshotFile]
    texts: dict[str, DistinctText]
    source_name: str
    source_texts: dict[str, str]
    registry: Registry | None
    errors: tuple[ErrorCode, ...]
    described: dict[str, object] = field(default_factory=dict)
    profile: Profile = NEUTRAL
    repository: str = ""
    site: SiteFiles = NO_FILES
    error_table: InputTable | None = None
    values: Mapping[int, TableValues] = field(default_factory=dict)
    structs: StructRecords | None = None
    is_embedded: bool = False
    is_complete: bool = False
    is_by_specs: bool = False

    def context(self) -> Context:
        """What the documents of a run share."""
        texts = texts_for(self.profile, _newest_release(self.snapshots))
        return Context(
            self.snapshots,
            self.registry,
            self.source_name,
            self.source_texts,
            texts,
            is_by_specs=self.is_by_specs,
            is_complete=self.is_complete,
            verified=known_releases().verified if texts else "",
            origins=spec_runs() if self.is_embedded else {},
            value_tables=self.values,
        )


def gather(request: BuildRequest) -> Inputs:
    """Read the specs of a request and, with a history, its releases.

    Raises InputError for a broken text of the specs and for unreadable input.
    """
    specs = _opened(request)
    texts = spec_texts(specs.tree, specs.project.selection, {})
    name, profile = label_of(specs, texts), specs.profile
    messages = _messages(specs, texts, name)
    has_history = any(message.history for message in messages)
    registry = _registry(specs) if specs.is_embedded or has_history else None
    if registry is not None:
        levels_named = ((level.version, level.position) for level in registry.api_versions)
        check_addresses("protocol levels", levels_named, registry.path)
    commit = specs.commit
    described: dict[str, object] = {
        "source": {"name": name, "commit": commit, "texts": {text.path: text.digest for text in texts}}
    }
    distinct = {text.digest: DistinctText(text.path, text.text) for text in texts}
    source_texts = {text.digest: text.path for text in texts}
    files: list[SnapshotFile] = []
    is_by_specs = False
    releases = None if request.history is None else _releases(request, request.history, specs)
    if releases is not None:
        snapshots = releases.snapshots
        files += releases.files
        distinct |= {digest: text for digest, text in releases.texts.items() if digest not in distinct}
        described["history"] = releases.described
        check_addresses("releases", ((snapshot.name, None) for snapshot in snapshots), releases.repository)
        if not specs.is_embedded and not has_history and not _is_newest(texts, snapshots, files):
            # The user's own specs beside their releases: what is about to be released.
            snapshots = (*snapshots, _unreleased(name, commit, snapshots))
            files += _files(snapshots[-1:], texts)
        if specs.is_embedded and registry is not None:
            digests = {text.path: text.digest for text in texts}
            embedded = [EmbeddedSpec(message, digests[message.path]) for message in messages]
            snapshots, files = with_older_releases(snapshots, files, registry, embedded, distinct)
    elif registry is not None and has_history:
        lines = release_lines(registry.described)
        snapshots = snapshots_of(lines)
        digests = {text.path: text.digest for text in texts}
        specs_of_levels = [EmbeddedSpec(message, digests[message.path]) for message in messages]
        files = files_of_levels(specs_of_levels, registry)
        is_by_specs = True
    else:
        snapshots = (CatalogSnapshot(0, name, "source", None, True, commit=commit),)
        files = _files(snapshots, texts)
    error_table = _error_table(specs)
    return Inputs(
        snapshots=snapshots,
        files=files,
        texts=distinct,
        source_name=name,
        source_texts=source_texts,
        registry=registry,
        errors=_errors(error_table, specs.is_embedded),
        described=described,
        profile=profile,
        repository=_repository(specs),
        site=site_files(specs),
        error_table=error_table,
        values=value_tables(specs, request.history, snapshots),
        structs=struct_records(messages),
        is_embedded=specs.is_embedded,
        is_complete=releases is not None
        and releases.is_complete
        and not request.names_releases
        and not profile.family,
        is_by_specs=is_by_specs,
    )


def _files(snapshots: Sequence[CatalogSnapshot], texts: Sequence[SpecText]) -> list[SnapshotFile]:
    """The same texts in each of the snapshots."""
    return [SnapshotFile(each.ordinal, text.path, text.digest) for each in snapshots for text in texts]


def _registry(specs: OpenedProject) -> Registry | None:
    """The registry of the specs; the embedded one if their protocol is of its family and has none.

    Raises InputError for one that contradicts itself.
    """
    registry = specs.registry
    if not specs.is_embedded:
        specs.table("levels")
    if registry is None:
        return load_registry() if specs.profile.family else None
    text = specs.tree.text(registry.path)
    return registry if text is None else checked_registry(text, registry.path)


def _error_table(specs: OpenedProject) -> InputTable | None:
    """The text and the path of the table of errors: Kafka's own, or the one that a profile names.

    Raises InputError if it cannot be read.
    """
    table = specs.table("errors")
    if table is None:
        return InputTable(embedded_errors(), ERRORS_PATH) if specs.profile.family == KAFKA else None
    text, path = table
    try:
        return InputTable(text.decode("utf-8"), path)
    except UnicodeDecodeError:
        raise InputError("this is not UTF-8", path) from None


def _errors(table: InputTable | None, is_embedded: bool) -> tuple[ErrorCode, ...]:
    """The error codes of a table. Raises InputError if it cannot be read."""
    if table is None:
        return ()
    codes = listed(read_errors(*table))
    if table.path == ERRORS_PATH and not is_embedded:
        # The table names the releases of Kafka that introduced the codes.
        codes = [code._replace(first_release=None) for code in codes]
    return tuple(codes)


def own_pages(request: BuildRequest) -> list[Path]:
    """The files and folders of the pages that the profile of the specs names. Raises InputError."""
    return site_paths(_opened(request))


def write_protocol(inputs: Inputs, folder: Path) -> None:
    """Write how the protocol presents itself into the folder of a catalog, with the files of its site."""
    table = inputs.error_table
    if table is not None and table.path != ERRORS_PATH:
        (folder / ERROR_TABLE).write_text(table.text, encoding="utf-8")
    record = protocol_record(inputs.profile, inputs.site.record, inputs.is_embedded, inputs.repository)
    write_json(folder / "protocol.json", record)
    if inputs.structs is not None:
        write_json(folder / STRUCTS, inputs.structs)
    inputs.site.write(folder / FILES)


def _opened(request: BuildRequest) -> OpenedProject:
    """The specs of a request; the embedded ones with the tree of their files. Raises InputError."""
    specs = request.open()
    if not specs.is_embedded:
        return specs
    folder = embedded_source()
    return replace(specs, tree=trees.of_folder(folder), top=folder, where="the specs that come with wirebook")


def _newest_release(snapshots: Sequence[CatalogSnapshot]) -> str:
    """The release whose behavior texts describe first: the newest, "" if none."""
    named = (each.name if each.kind == "release" else "" for each in reversed(snapshots))
    return next((name for name in named if ReleaseName.parse(name)), "")


def _is_newest(
    texts: Sequence[SpecText], releases: Sequence[CatalogSnapshot], files: Sequence[SnapshotFile]
) -> bool:
    """Whether the newest release has exactly these texts, or the newest one of the trunk.

    The first is often a patch release, and the specs that a branch was cut from are the second.
    """
    own = {text.digest for text in texts}
    newest = {releases[-1].ordinal, [release.ordinal for release in releases if release.trunk][-1]}
    return any(own == {file.digest for file in files if file.ordinal == each} for each in newest)


def _unreleased(name: str, commit: str | None, releases: tuple[CatalogSnapshot, ...]) -> CatalogSnapshot:
    """SOURCE as the newest snapshot, compared with the newest release of the trunk."""
    if any(release.name == name for release in releases):
        name = f"{name} (source)"
    newest = [release.ordinal for release in releases if release.trunk][-1]
    return CatalogSnapshot(len(releases), name, "source", newest, True, commit=commit)


class _Releases(NamedTuple):
    """The releases of a repository: their files and texts as in `Inputs`, and a record of them.

    `is_complete` is whether the first release of the repository has specs of its own.
    """

    repository: str
    snapshots: tuple[CatalogSnapshot, ...]
    files: list[SnapshotFile]
    texts: dict[str, DistinctText]
    described: dict[str, object]
    is_complete: bool


def _messages(specs: OpenedProject, texts: Sequence[SpecText], name: str) -> Protocol:
    """The messages of the specs. Raises InputError for a name that pages cannot show."""
    messages = read_protocol(texts, name, specs.profile)
    for message in messages:
        check_names(message)
    return messages


def _releases(request: BuildRequest, history: Path, specs: OpenedProject) -> _Releases:
    """The releases of a history.

    Releases older than the specs do not count. If the repository's own specs are shown, neither do the files
    that its settings exclude, nor any release without specs.
    """
    own = specs.settings if specs.is_here else Settings()
    selection = specs.project.selection if specs.is_here else Selection()
    with Git(history) as git:
        tags = {tag.name: tag for tag in releases_of(git, request.releases, own.prerelease)}
        if not tags:
            raise InputError(f'no tag of {history} matches "{" ".join(request.releases)}"')
        known: dict[tuple[str, str], SpecText | None] = {}
        entries_of = {
            tag.name: spec_texts(trees.of_commit(git, tag.commit), selection, known) for tag in tags.values()
        }
    names = [name for name in tags if entries_of[name] or not specs.is_here]
    # What the specs had when they began may be older than they are.
    # Without settings, the names of pre-releases decide, which count only if there is nothing else.
    prereleases = None if own.prerelease is None else pick_releases(tags, "*", own.prerelease).prereleases
    every = order_releases(list(tags), prereleases)
    older = set(takewhile(lambda name: not entries_of[name], [release.name for release in every]))
    kept = [name for name in names if name not in older or len(older) == len(names)]
    ordered = order_releases(kept, prereleases)
    if not ordered:
        raise InputError(f"no message specs in any of the releases {', '.join(tags)}")
    ordinals = {release.name: ordinal for ordinal, release in enumerate(ordered)}
    snapshots = tuple(
        CatalogSnapshot(
            ordinal=ordinal,
            name=release.name,
            kind="release",
            predecessor=None if release.predecessor is None else ordinals[release.predecessor],
            trunk=release.trunk,
            commit=tags[release.name].commit,
            date=tags[release.name].date,
        )
        for ordinal, release in enumerate(ordered)
    )
    files = [
        SnapshotFile(ordinal, entry.path, entry.digest)
        for ordinal, release in enumerate(ordered)
        for entry in entries_of[release.name]
    ]
    texts = {
        entry.digest: DistinctText(entry.path, entry.text)
        for release in ordered
        for entry in entries_of[release.name]
    }
    commits = {snapshot.name: snapshot.commit for snapshot in snapshots}
    is_complete = specs.is_here and every[0].name == ordered[0].name
    described: dict[str, object] = {"releases": commits, "pattern": " ".join(request.releases)}
    return _Releases(str(history), snapshots, files, texts, described, is_complete)


def judged(inputs: Inputs, texts: Iterable[Text | BrokenText]) -> JudgedTexts:
    """The texts as they were read, judged, and what each snapshot offers of the usable ones.

    A broken text, or a second one for the same message, stops the run if it is in SOURCE (InputError);
    in a release it is left out.
    """
    usable: dict[str, Text] = {}
    broken: dict[str, str] = {}
    for text in sorted(texts, key=lambda text: (text.path, text.digest)):
        if isinstance(text, Text):
            usable[text.digest] = text
        elif text.digest in inputs.source_texts:
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
                files.append(file._replace(offer=file.offer or offer_of(text.message)))
                continue
            reason = f"{file.path}: defines the same message as {first}"
            if inputs.snapshots[file.ordinal].kind != "release":
                raise InputError(f"defines the same message as {first}", file.path)
        left_out.setdefault(reason, []).append(inputs.snapshots[file.ordinal].name)
    warnings = [f"left out of {', '.join(names)}: {reason}" for reason, names in sorted(left_out.items())]
    return JudgedTexts(dict(sorted(usable.items())), warnings, files)


def label_of(specs: OpenedProject, texts: Sequence[SpecText]) -> str:
    """The label of specs that are not a release, on published pages: never a path.

    It is the output of `git describe` if the texts are those of a commit, the release that an archive is
    named after, or "unreleased".
    """
    if specs.is_embedded:
        return specs.where
    if specs.repository is None:
        name = PurePosixPath(specs.where.rpartition(" ")[2]).stem
        return name if specs.is_archive and ReleaseName.parse(name) else UNRELEASED
    with Git(specs.repository) as git:
        commit = specs.commit or git.commit("HEAD")
        if commit is None or not (specs.commit or _is_committed(git, commit, specs, texts)):
            return UNRELEASED
        described = git.attempt("describe", "--tags", commit).stdout
    return described.decode(errors="replace").strip() or UNRELEASED


def _is_committed(git: Git, commit: str, specs: OpenedProject, texts: Sequence[SpecText]) -> bool:
    """Whether a commit has the texts of a working tree."""
    committed = spec_texts(trees.of_commit(git, commit), specs.project.selection, {})
    return {(text.path, text.digest) for text in texts} <= {(text.path, text.digest) for text in committed}


def _repository(specs: OpenedProject) -> str:
    """The name of the repository of the specs, "" without one; that of a fork begins with its owner."""
    if specs.repository is None:
        return ""
    with Git(specs.repository) as git:
        name, address = git.name(), git.remote()
    if name != KAFKA:
        return name
    owner = re.search(r"([^/:\\]+)/[^/]*/*$", address) if "://" in address else None
    return f"{owner[1]}-{name}" if owner else f"{name}-fork"
