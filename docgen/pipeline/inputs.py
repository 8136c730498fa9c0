"""The input of the pipeline: the snapshots, the texts of each, and the distinct texts."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import groupby, takewhile
from pathlib import Path
from typing import NamedTuple

from wirebook.docgen.catalog.api_history import Context
from wirebook.docgen.catalog.errors import PATH as ERRORS_PATH
from wirebook.docgen.catalog.errors import ErrorCode, embedded_errors, listed
from wirebook.docgen.catalog.files import ERROR_TABLE, write_json
from wirebook.docgen.catalog.order import CatalogSnapshot, SnapshotFile, order_releases
from wirebook.docgen.catalog.protocol import FILES, protocol_record
from wirebook.docgen.catalog.rows import CatalogLevels, TextRow, check_addresses, check_names
from wirebook.docgen.catalog.shared_structs import STRUCTS, StructRecords, struct_records
from wirebook.docgen.pipeline.older_releases import (
    DistinctText,
    EmbeddedSpec,
    release_lines,
    snapshots_of,
    with_older_releases,
)
from wirebook.docgen.pipeline.value_tables import value_tables
from wirebook.docgen.request import BuildRequest
from wirebook.docgen.site_files import NO_FILES, SiteFiles, site_files, site_paths
from wirebook.rules.project.tags import matching_releases
from wirebook.rules.project.workspace import SpecOrigin, Workspace
from wirebook.specs.kafka import KAFKA
from wirebook.specs.kafka.origins import spec_runs
from wirebook.specs.kafka.releases import known_releases
from wirebook.specs.kafka.texts import texts_for
from wirebook.specs.levels import Registry
from wirebook.specs.load import registry_of
from wirebook.specs.model import Protocol
from wirebook.specs.problems import InputError
from wirebook.specs.profile import NEUTRAL, Profile
from wirebook.specs.profile_choice import EMBEDDED, own_table
from wirebook.specs.reading.reader import read_protocol
from wirebook.specs.reading.tables.errors import read_errors
from wirebook.specs.sources.beside import texts_beside
from wirebook.specs.sources.git_command import run
from wirebook.specs.sources.releases import ReleaseName
from wirebook.specs.sources.repository import repository_name
from wirebook.specs.sources.source import GitRepo, Source, SpecText
from wirebook.specs.texts.model import TableValues

UNRELEASED = "unreleased"


class InputTable(NamedTuple):
    """The text of a table of a profile, and its path."""

    text: str
    path: str


class Usable(NamedTuple):
    """What a text that can be read is about: the subject, the part of it, and the name of its API."""

    subject: str
    part: str
    api: str


class JudgedTexts(NamedTuple):
    """The usable texts by digest, warnings about the others, and the files that have usable texts."""

    usable: dict[str, Usable]
    warnings: list[str]
    files: list[SnapshotFile]


@dataclass(frozen=True, slots=True)
class Inputs:
    """The input of one run.

    `texts` has each distinct text once, by digest. `levels` is given if
    lifecycles of specs describe snapshots.
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
    levels: CatalogLevels | None
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

    def context(self) -> Context:
        """What the documents of a run share."""
        texts = texts_for(self.profile, _newest_release(self.snapshots))
        return Context(
            self.snapshots,
            self.registry,
            self.source_name,
            self.source_texts,
            texts,
            is_by_specs=self.levels is not None and bool(self.levels.ids),
            is_complete=self.is_complete,
            verified=known_releases().verified if texts else "",
            origins=spec_runs() if self.is_embedded else {},
            value_tables=self.values,
        )


def gather(request: BuildRequest) -> Inputs:
    """Read the specs of a request and, with a history, its releases.

    Raises InputError for a broken text of the specs and for unreadable input.
    """
    workspace = request.workspace.fresh()
    name = _opened(workspace)
    opened, texts, profile = workspace.source, workspace.texts, workspace.profile
    messages = _messages(workspace, name)
    has_history = any(message.history for message in messages)
    registry = registry_of(opened, texts, profile) if workspace.is_embedded or has_history else None
    if registry is not None:
        levels_named = ((level.version, level.position) for level in registry.api_versions)
        check_addresses("protocol levels", levels_named, registry.path)
    commit = opened.commit
    described: dict[str, object] = {
        "source": {"name": name, "commit": commit, "texts": {text.path: text.digest for text in texts}}
    }
    distinct = {text.digest: DistinctText(text.path, text.text) for text in texts}
    source_texts = {text.digest: text.path for text in texts}
    files: list[SnapshotFile] = []
    levels = None
    releases = _releases_of(request, workspace)
    if releases is None:
        request = replace(request, history=None, releases=())
    if releases is not None:
        snapshots = releases.snapshots
        files += releases.files
        distinct |= {digest: text for digest, text in releases.texts.items() if digest not in distinct}
        described["history"] = releases.described
        check_addresses("releases", ((snapshot.name, None) for snapshot in snapshots), releases.repository)
        if not workspace.is_embedded and not has_history and not _is_newest(texts, snapshots, files):
            # The user's own specs beside their releases: what is about to be released.
            snapshots = (*snapshots, _unreleased(name, commit, snapshots))
            files += _files(snapshots[-1:], texts)
        if workspace.is_embedded and registry is not None:
            digests = {text.path: text.digest for text in texts}
            embedded = [EmbeddedSpec(message, digests[message.path]) for message in messages]
            snapshots, files, levels = with_older_releases(snapshots, files, registry, embedded, distinct)
    elif registry is not None and has_history:
        lines = release_lines(registry.described)
        snapshots = snapshots_of(lines)
        levels = CatalogLevels(registry, {ordinal: level.id for ordinal, level in enumerate(lines)})
        files = _files(snapshots, texts)
    else:
        snapshots = (CatalogSnapshot(0, name, "source", None, True, commit=commit),)
        files = _files(snapshots, texts)
    error_table = _error_table(opened, profile)
    return Inputs(
        snapshots=snapshots,
        files=files,
        texts=distinct,
        source_name=name,
        source_texts=source_texts,
        registry=registry,
        levels=levels,
        errors=_errors(error_table, workspace.is_embedded),
        described=described,
        profile=profile,
        repository=repository_name(opened, EMBEDDED),
        site=site_files(opened, profile),
        error_table=error_table,
        values=value_tables(opened, profile, request.history, snapshots),
        structs=struct_records(messages),
        is_embedded=workspace.is_embedded,
        is_complete=releases is not None
        and releases.is_complete
        and not request.names_releases
        and not profile.family,
    )


def _files(snapshots: Sequence[CatalogSnapshot], texts: Sequence[SpecText]) -> list[SnapshotFile]:
    """The same texts in each of the snapshots."""
    return [SnapshotFile(each.ordinal, text.path, text.digest) for each in snapshots for text in texts]


def _error_table(source: Source, profile: Profile) -> InputTable | None:
    """The text and the path of the table of errors: Kafka's own, or the one that a profile names.

    Raises InputError if it cannot be read.
    """
    path = own_table(profile, "errors")
    if path is None:
        return InputTable(embedded_errors(), ERRORS_PATH) if profile.family == KAFKA else None
    text = next((each.text for each in texts_beside(source, [path])), None)
    if text is None:
        raise InputError(f'there is no "{path}", the table of errors of the profile', profile.path)
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
    workspace = request.workspace.fresh()
    return site_paths(workspace.source, workspace.profile)


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


def _opened(workspace: Workspace) -> str:
    """The label of the specs on published pages. Raises InputError if there are none."""
    if workspace.is_embedded:
        return "the specs that come with wirebook"
    if not workspace.texts:
        raise InputError("no message specs in it", str(workspace.folder))
    return label_of(workspace.source, workspace.texts)


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


def _messages(workspace: Workspace, name: str) -> Protocol:
    """The messages of the specs. Raises InputError for a name that pages cannot show."""
    messages = read_protocol(workspace.texts, name, workspace.profile)
    for message in messages:
        check_names(message)
    return messages


def _releases_of(request: BuildRequest, workspace: Workspace) -> _Releases | None:
    """The releases of a request; None without a history."""
    if request.history is None:
        return None
    own = workspace if workspace.origin is SpecOrigin.HERE else None
    return _releases(request.history, request.releases, own)


def _releases(history: str, patterns: Sequence[str], own: Workspace | None) -> _Releases:
    """The releases of a history.

    Releases older than the specs do not count. If the repository's own specs are shown, neither do the files
    that its settings exclude, nor any release without specs.
    """
    with GitRepo(history) as repository:
        prerelease = None if own is None else own.settings.prerelease.value
        tags = {tag.name: tag for tag in matching_releases(repository, patterns, prerelease)}
        if not tags:
            raise InputError(f'no tag of {history} matches "{" ".join(patterns)}"')
        entries_of = {
            tag.name: repository.entries(tag.commit) if own is None else own.entries(repository, tag.commit)
            for tag in tags.values()
        }
        names = [name for name in tags if entries_of[name] or own is None]
        # What the specs had when they began may be older than they are.
        prereleases = {tag.name for tag in tags.values() if tag.is_prerelease}
        by_version = [release.name for release in order_releases(names, prereleases)]
        older = set(takewhile(lambda name: not entries_of[name], by_version))
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
        paths = {file.digest: file.path for file in files}
        texts = {digest: DistinctText(path, repository.read(digest)) for digest, path in paths.items()}
    commits = {snapshot.name: snapshot.commit for snapshot in snapshots}
    is_complete = own is not None and order_releases(list(tags), prereleases)[0].name == ordered[0].name
    described: dict[str, object] = {"releases": commits, "pattern": " ".join(patterns)}
    return _Releases(history, snapshots, files, texts, described, is_complete)


def judged(inputs: Inputs, rows: Iterable[TextRow]) -> JudgedTexts:
    """The texts as they were read, judged.

    A broken text, or a second one for the same message, stops the run if it is in SOURCE (InputError);
    in a release it is left out.
    """
    usable: dict[str, Usable] = {}
    broken: dict[str, str] = {}
    for row in sorted(rows, key=lambda row: (str(row.path), str(row.digest))):
        if row.error is None:
            usable[row.digest] = Usable(str(row.subject), str(row.part), str(row.api))
        elif row.digest in inputs.source_texts:
            raise InputError(row.error)
        else:
            broken[row.digest] = row.error
    files: list[SnapshotFile] = []
    left_out: dict[str, list[str]] = {}
    for ordinal, of_snapshot in groupby(sorted(inputs.files), key=lambda file: file.ordinal):
        first_paths: dict[tuple[str, str], str] = {}
        for file in of_snapshot:
            reason = broken.get(file.digest)
            if reason is None:
                text = usable[file.digest]
                first = first_paths.setdefault((text.subject, text.part), file.path)
                if first == file.path:
                    files.append(file)
                    continue
                reason = f"{file.path}: defines the same message as {first}"
                if inputs.snapshots[ordinal].kind != "release":
                    raise InputError(f"defines the same message as {first}", file.path)
            left_out.setdefault(reason, []).append(inputs.snapshots[ordinal].name)
    warnings = [f"left out of {', '.join(names)}: {reason}" for reason, names in sorted(left_out.items())]
    return JudgedTexts(usable, warnings, files)


def label_of(source: Source, texts: Sequence[SpecText]) -> str:
    """The label of a SOURCE that is not a release, on published pages: never a path.

    It is the output of `git describe` if the texts are those of a commit, the release that an archive is
    named after, or "unreleased".
    """
    if source.kind == "archive":
        name = Path(source.path).name.removesuffix(Path(source.path).suffix)
        return name if ReleaseName.parse(name) else UNRELEASED
    try:
        if source.kind == "git" and source.repository is not None and source.commit:
            folder, commit = source.repository.folder, source.commit
        else:
            folder, commit = Path(source.path), "HEAD"
            if source.kind != "directory" or not _is_committed(source, texts):
                return UNRELEASED
        return run(folder, "describe", "--tags", commit).decode().strip() or UNRELEASED
    except (InputError, UnicodeDecodeError):
        return UNRELEASED


def _is_committed(source: Source, texts: Sequence[SpecText]) -> bool:
    """Whether HEAD has the texts of a folder."""
    above = run(source.path, "rev-parse", "--show-prefix").decode().strip()
    with GitRepo(source.path) as repository:
        entries = repository.entries("HEAD", above, tests=source.tests)
    return {(text.path, text.digest) for text in texts} <= {(entry.path, entry.digest) for entry in entries}
