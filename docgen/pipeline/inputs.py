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
from wirebook.specs.git import Git
from wirebook.specs.kafka import KAFKA
from wirebook.specs.kafka.origins import spec_runs
from wirebook.specs.kafka.registry import load_registry
from wirebook.specs.kafka.releases import known_releases
from wirebook.specs.kafka.texts import texts_for
from wirebook.specs.levels import Registry, read_registry
from wirebook.specs.numbers import (
    DescribedError,
    TableValues,
    read_errors,
    read_values,
    values_by_field,
)
from wirebook.specs.problems import InputError
from wirebook.specs.profile import NEUTRAL, Profile
from wirebook.specs.project import Selection, spec_texts, texts_of_commits
from wirebook.specs.releases import ReleaseName

UNRELEASED = "unreleased"


@dataclass(frozen=True, slots=True)
class Inputs:
    """The input of one run.

    `texts` has each distinct text once, by digest. `described` is what the manifest says of the
    input. `is_older_known` is whether the lifecycles of SOURCE describe releases before the
    snapshots. `further` are files of the catalog that are written as they are, by their names.
    """

    context: Context
    files: Sequence[SnapshotFile]
    texts: Mapping[str, DistinctText]
    errors: tuple[DescribedError, ...] = ()
    profile: Profile = NEUTRAL
    described: Mapping[str, object] = field(default_factory=dict)
    is_older_known: bool = False
    protocol: ProtocolRecord = NEUTRAL_PROTOCOL
    further: Mapping[str, bytes] = field(default_factory=dict)

    @property
    def snapshots(self) -> tuple[CatalogSnapshot, ...]:
        """The snapshots in their order."""
        return self.context.snapshots


class DistinctText(NamedTuple):
    """A text, with the path under which the newest snapshot has it."""

    path: str
    text: bytes


class Judged(NamedTuple):
    """The usable texts by digest, warnings about others, the snapshots, and the files with usable
    texts."""

    usable: dict[str, Text]
    warnings: list[str]
    context: Context
    files: list[SnapshotFile]


def gather(sources: Sources) -> Inputs:
    """Read the texts of some specs and of their releases.

    Raises InputError for a broken text of the specs and for unreadable input.
    """
    specs, profile = sources.specs, sources.specs.profile
    texts = [
        text
        for text in spec_texts(specs.tree, specs.project.selection, {})
        if specs.is_embedded or text.path in specs.project.messages
    ]
    name = label_of(specs)
    digests = {text.path: text.digest for text in texts}
    has_history = any(message.history for message in specs.project.messages.values())
    registry = _registry(specs) if specs.is_embedded or has_history else None
    described: dict[str, object] = {
        "source": {"name": name, "commit": specs.commit, "texts": digests}
    }
    is_complete = False
    distinct = {text.digest: DistinctText(text.path, text.text) for text in texts}
    if sources.history is not None:
        selection = specs.project.selection if specs.is_here else Selection()
        snapshots, files, released = _releases(sources, selection)
        distinct = {**released, **distinct}
        first = order_releases([tag.name for tag in sources.releases])[0].name
        is_complete = specs.is_here and not sources.is_named and first == snapshots[0].name
        commits = {snapshot.name: snapshot.commit for snapshot in snapshots}
        described["history"] = {"releases": commits, "pattern": sources.pattern}
        if not specs.is_embedded and not has_history and not _is_newest(digests, snapshots, files):
            # The user's own specs beside their releases: what is about to be released.
            snapshots = (*snapshots, _unreleased(name, specs.commit, snapshots))
            files += [
                SnapshotFile(len(snapshots) - 1, path, digest) for path, digest in digests.items()
            ]
    elif registry is not None and has_history:
        snapshots = snapshots_of(release_lines(registry.described))
        files = [
            SnapshotFile(each.ordinal, path, digest)
            for each in snapshots
            for path, digest in digests.items()
        ]
    else:
        snapshots = (CatalogSnapshot(0, name, "source", None, True, commit=specs.commit),)
        files = [SnapshotFile(0, path, digest) for path, digest in digests.items()]
    written = texts_for(profile, _newest_release(snapshots))
    errors = _error_table(specs)
    site = site_files(specs)
    return Inputs(
        context=Context(
            snapshots,
            registry,
            name,
            {digest: path for path, digest in digests.items()},
            written,
            is_by_specs=sources.history is None and has_history and registry is not None,
            is_complete=is_complete and not profile.family,
            verified=known_releases().verified if written else "",
            origins=spec_runs() if specs.is_embedded else {},
            value_tables=_value_tables(specs, sources.history, snapshots),
        ),
        files=files,
        texts=distinct,
        errors=_errors(errors, specs.is_embedded),
        profile=profile,
        described=described,
        is_older_known=specs.is_embedded and sources.history is not None,
        protocol=protocol_record(profile, site.record, specs.is_embedded, _repository(specs)),
        further={
            **({} if errors is None else {ERRORS: errors[0]}),
            **{f"{FILES}/{path}": content for path, content in site.files.items()},
        },
    )


def _registry(specs: OpenedProject) -> Registry | None:
    """The registry of the specs; the embedded one if their protocol is of its family and has none.

    Raises InputError for one that contradicts itself, or whose levels have no addresses.
    """
    registry = specs.registry
    if not specs.is_embedded:
        specs.table("levels")
    if registry is None:
        return load_registry() if specs.profile.family else None
    text = specs.tree.text(registry.path)
    registry = registry if text is None else read_registry(text, registry.path, in_order=True)
    check_addresses(
        "protocol levels",
        ((level.version, level.position) for level in registry.api_versions),
        registry.path,
    )
    return registry


def _error_table(specs: OpenedProject) -> tuple[bytes, str] | None:
    """The text and the path of the table of errors: the one that a profile names, or Kafka's
    own."""
    table = specs.table("errors")
    if table is None and specs.profile.family == KAFKA:
        return embedded_errors(), ERRORS_PATH
    return table


def _errors(table: tuple[bytes, str] | None, is_embedded: bool) -> tuple[DescribedError, ...]:
    """The error codes of a table. Raises InputError if it cannot be read."""
    if table is None:
        return ()
    errors = read_errors(*table)
    if table[1] == ERRORS_PATH and not is_embedded:
        # The table names the releases of Kafka that introduced the codes.
        return tuple(replace(error, first_release=None) for error in errors)
    return errors


def _value_tables(
    specs: OpenedProject, history: Path | None, snapshots: Sequence[CatalogSnapshot]
) -> Mapping[int, TableValues]:
    """The values of fields by snapshot, if the profile names a table of its own.

    A release has the table that is at the same path in its commit; what is unusable there is left
    out. Raises InputError if that of the specs does not exist or cannot be read.
    """
    table = specs.table("values")
    if table is None:
        return {}
    path = table[1]
    tables = dict.fromkeys(
        (each.ordinal for each in snapshots), values_by_field(read_values(*table))
    )
    if history is None:
        return tables
    with Git(history) as git:
        for snapshot in snapshots:
            if snapshot.kind == "release" and snapshot.commit is not None:
                text = git.read(f"{snapshot.commit}:{path}", path) or b"{}"
                tables[snapshot.ordinal] = {}
                with suppress(InputError):
                    tables[snapshot.ordinal] = values_by_field(read_values(text, path))
    return tables


def _releases(
    sources: Sources, selection: Selection
) -> tuple[tuple[CatalogSnapshot, ...], list[SnapshotFile], dict[str, DistinctText]]:
    """The releases that have specs, their files, and the distinct texts of these.

    Raises InputError if no release has specs.
    """
    assert sources.history is not None
    with Git(sources.history) as git:
        of_commits = texts_of_commits(git, [tag.commit for tag in sources.releases], selection)
    texts_of = {tag.name: of_commits[tag.commit] for tag in sources.releases}
    ordered = order_releases([name for name, texts in texts_of.items() if texts])
    if not ordered:
        raise InputError(f"no message specs in any of the releases {', '.join(texts_of)}")
    tags = {tag.name: tag for tag in sources.releases}
    ordinals = {release.name: ordinal for ordinal, release in enumerate(ordered)}
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
        for name, predecessor, trunk in ordered
    )
    check_addresses("releases", ((name, None) for name in ordinals), str(sources.history))
    files: list[SnapshotFile] = []
    texts: dict[str, DistinctText] = {}
    for name, ordinal in ordinals.items():
        files += [SnapshotFile(ordinal, text.path, text.digest) for text in texts_of[name]]
        texts |= {text.digest: DistinctText(text.path, text.text) for text in texts_of[name]}
    return snapshots, files, texts


def _newest_release(snapshots: Sequence[CatalogSnapshot]) -> str:
    """The release whose behavior texts describe first: the newest, "" if none."""
    named = (each.name if each.kind == "release" else "" for each in reversed(snapshots))
    return next((name for name in named if ReleaseName.parse(name)), "")


def _is_newest(
    digests: Mapping[str, str], releases: Sequence[CatalogSnapshot], files: Sequence[SnapshotFile]
) -> bool:
    """Whether the newest release has exactly these texts, or the newest one of the trunk.

    The first is often a patch release, and the specs that a branch was cut from are the second.
    """
    newest = {releases[-1].ordinal, _newest_of_trunk(releases)}
    return any(
        set(digests.values()) == {file.digest for file in files if file.ordinal == each}
        for each in newest
    )


def _newest_of_trunk(releases: Sequence[CatalogSnapshot]) -> int:
    return [release.ordinal for release in releases if release.trunk][-1]


def _unreleased(
    name: str, commit: str | None, releases: Sequence[CatalogSnapshot]
) -> CatalogSnapshot:
    """SOURCE as the newest snapshot, compared with the newest release of the trunk."""
    if any(release.name == name for release in releases):
        name = f"{name} (source)"
    return CatalogSnapshot(
        len(releases), name, "source", _newest_of_trunk(releases), True, commit=commit
    )


def judged(inputs: Inputs, texts: Iterable[Text | BrokenText]) -> Judged:
    """The texts as they were read, judged, and what each snapshot offers of the usable ones.

    A broken text, or a second one for the same message, stops the run if it is in SOURCE
    (InputError); in a release it is left out.
    """
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
            if inputs.snapshots[file.ordinal].kind != "release":
                raise InputError(f"defines the same message as {first}", file.path)
        left_out.setdefault(reason, []).append(inputs.snapshots[file.ordinal].name)
    warnings = [
        f"left out of {', '.join(names)}: {reason}" for reason, names in sorted(left_out.items())
    ]
    context, registry = inputs.context, inputs.context.registry
    if registry is not None and context.is_by_specs:
        files = at_levels(files, usable, registry)
    elif registry is not None and inputs.is_older_known:
        known = with_older_releases(
            context.snapshots, files, usable, context.source_texts, registry
        )
        context, files = replace(context, snapshots=known[0]), known[1]
    files = [
        file._replace(offer=file.offer or offer_of(usable[file.digest].message)) for file in files
    ]
    return Judged(dict(sorted(usable.items())), warnings, context, sorted(files))


def label_of(specs: OpenedProject) -> str:
    """The label of specs that are not a release, on published pages: never a path.

    It is the output of `git describe` for specs without changes that are not committed, the release
    that an archive is named after, or "unreleased".
    """
    if specs.is_embedded:
        return specs.where
    if specs.repository is None:
        name = PurePosixPath(specs.where.rpartition(" ")[2]).stem
        return name if specs.is_archive and ReleaseName.parse(name) else UNRELEASED
    with Git(specs.repository) as git:
        if specs.commit is None and git.run("status", "--porcelain", "--", f":/{specs.folder}"):
            return UNRELEASED
        described = git.attempt("describe", "--tags", specs.commit or "HEAD").stdout
    return described.decode(errors="replace").strip() or UNRELEASED


def _repository(specs: OpenedProject) -> str:
    """The name of the repository of the specs, "" without one."""
    if specs.repository is None:
        return ""
    with Git(specs.repository) as git:
        return git.name()
