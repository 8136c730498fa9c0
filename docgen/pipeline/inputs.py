"""The input of the pipeline: the snapshots, the texts of each, and the distinct texts."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path, PurePosixPath

from wirebook.docgen.catalog.addresses import check_addresses
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
from wirebook.docgen.catalog.spec_texts import SpecText, spec_texts, texts_of_commits
from wirebook.docgen.catalog.texts import BrokenText, Text, offer_of
from wirebook.docgen.pipeline.older_releases import (
    at_levels,
    older_files,
    older_lines,
    release_lines,
    snapshots_of,
)
from wirebook.docgen.request import Sources
from wirebook.docgen.site_files import site_files
from wirebook.rules.opened import OpenedProject
from wirebook.specs.git import Git
from wirebook.specs.kafka import KAFKA
from wirebook.specs.kafka.origins import spec_runs
from wirebook.specs.kafka.registry import embedded_errors, load_registry
from wirebook.specs.kafka.releases import known_releases
from wirebook.specs.kafka.texts import all_texts
from wirebook.specs.levels import NO_LEVELS, Registry
from wirebook.specs.model import TableValues
from wirebook.specs.numbers import DescribedError, read_errors, read_values
from wirebook.specs.problems import InputError
from wirebook.specs.profile import NEUTRAL, Profile
from wirebook.specs.project import Selection
from wirebook.specs.releases import ReleaseName


@dataclass(frozen=True, slots=True)
class Inputs:
    """The input of one run.

    `texts` has each distinct text once, by digest, with the path under which the newest snapshot
    has it. `is_older_known` is whether the lifecycles of SOURCE describe releases before the
    snapshots. `further` are files of the catalog that are written as they are, by their names.
    """

    context: Context
    files: Sequence[SnapshotFile]
    texts: Mapping[str, SpecText]
    errors: tuple[DescribedError, ...] = ()
    profile: Profile = NEUTRAL
    is_older_known: bool = False
    protocol: ProtocolRecord = NEUTRAL_PROTOCOL
    further: Mapping[str, bytes] = field(default_factory=dict)


# A snapshot, and the texts of the specs that it has.
_Released = tuple[CatalogSnapshot, Sequence[SpecText]]


def gather(sources: Sources) -> Inputs:
    """Read the texts of some specs and of their releases. Raises InputError for a broken text of
    the specs and for unreadable input."""
    specs, profile, history = sources.specs, sources.specs.profile, sources.history
    messages = specs.project.messages
    own = spec_texts(specs.tree, specs.project.selection, {})
    if not specs.is_embedded:
        own = [text for text in own if text.path in messages]
    has_history = any(message.history for message in messages.values())
    registry = NO_LEVELS
    if specs.is_embedded or has_history:
        specs.table("levels")  # raises an error if the profile names a file that is not there
        registry = specs.registry or (load_registry() if profile.family else NO_LEVELS)
    is_by_specs = history is None and has_history and registry != NO_LEVELS
    source = CatalogSnapshot(0, label_of(specs), "source", None, True, commit=specs.commit)
    released: list[_Released] = [(source, own)]
    if history is not None:
        released = _released(history, sources, registry)
        if not specs.is_embedded and not has_history:
            released += _unreleased(released, source, own)
    elif is_by_specs:
        released = [(each, own) for each in snapshots_of(release_lines(registry.described))]
    snapshots = tuple(snapshot for snapshot, _ in released)
    is_first = sources.releases[:1] and sources.releases[0].name == snapshots[0].name
    is_whole = is_first and specs.is_here and not sources.is_named
    written = all_texts() if profile.family else {}
    context = Context(
        snapshots,
        registry,
        source.name,
        {text.digest: text.path for text in own},
        written,
        is_by_specs=is_by_specs,
        is_complete=bool(is_whole) and not profile.family,
        verified=known_releases().verified if written else "",
        origins=spec_runs() if specs.is_embedded else {},
        value_tables=_value_tables(specs, history, snapshots),
    )
    table, errors = _errors(specs)
    site = site_files(specs)
    further = {f"{FILES}/{path}": content for path, content in site.files.items()}
    if table is not None:
        further[ERRORS] = table
    return Inputs(
        context,
        [
            SnapshotFile(snapshot.ordinal, text.path, text.digest)
            for snapshot, texts in released
            for text in texts
        ],
        {text.digest: text for _, texts in (*released, (source, own)) for text in texts},
        errors,
        profile,
        is_older_known=specs.is_embedded and history is not None,
        protocol=protocol_record(profile, site.record, specs.is_embedded, _repository(specs)),
        further=further,
    )


def _errors(specs: OpenedProject) -> tuple[bytes | None, tuple[DescribedError, ...]]:
    """The table of errors as it is written and as it is read: the one that a profile names, or
    Kafka's own. Raises InputError if it cannot be read."""
    table = specs.table("errors")
    if table is not None:
        return table[0], read_errors(*table)
    if specs.profile.family != KAFKA:
        return None, ()
    text = embedded_errors()
    errors = read_errors(text, "specs/kafka/errors.json")
    if not specs.is_embedded:
        # The table names the releases of Kafka that introduced the codes.
        errors = tuple(replace(error, first_release=None) for error in errors)
    return text, errors


def _value_tables(
    specs: OpenedProject, history: Path | None, snapshots: Iterable[CatalogSnapshot]
) -> Mapping[int, TableValues]:
    """The values of fields by snapshot, if the profile names a table of its own. A release has the
    table that is at the same path in its commit; what is unusable there is left out. Raises
    InputError if that of the specs does not exist or cannot be read."""
    table = specs.table("values")
    if table is None:
        return {}
    own, path = read_values(*table), table[1]
    tables: dict[int, TableValues] = {}
    with Git(history or Path()) as git:
        for snapshot in snapshots:
            tables[snapshot.ordinal] = own
            if history is not None and snapshot.kind == "release":
                text = git.read(f"{snapshot.commit}:{path}", path) or b"{}"
                tables[snapshot.ordinal] = {}
                with suppress(InputError):
                    tables[snapshot.ordinal] = read_values(text, path)
    return tables


def _released(history: Path, sources: Sources, registry: Registry) -> list[_Released]:
    """The releases that have specs, in version order, after the older lines of Kafka's releases,
    whose specs are written elsewhere. Raises InputError if none has any."""
    selection = sources.specs.project.selection if sources.specs.is_here else Selection()
    with Git(history) as git:
        texts = texts_of_commits(git, [tag.commit for tag in sources.releases], selection)
    tags = {tag.name: tag for tag in sources.releases if texts[tag.commit]}
    if not tags:
        named = ", ".join(tag.name for tag in sources.releases)
        raise InputError(f"no message specs in any of the releases {named}")
    check_addresses(tags, str(history))
    names = list(tags)
    older = older_lines(registry, names[0]) if sources.specs.is_embedded else []
    released: list[_Released] = [(snapshot, ()) for snapshot in older]
    for snapshot in order_releases(names, len(older)):
        tag = tags[snapshot.name]
        dated = replace(snapshot, commit=tag.commit, date=tag.date)
        released.append((dated, texts[tag.commit]))
    return released


def _unreleased(
    released: Sequence[_Released], source: CatalogSnapshot, own: Sequence[SpecText]
) -> list[_Released]:
    """The user's own specs as the snapshot after releases: what is about to be released.

    They are no snapshot if the newest release has exactly these texts, or the newest one of the
    trunk: the first is often a patch release, and specs that a branch was cut from are the second.
    """
    trunk = [each for each in released if each[0].trunk][-1]
    digests = {text.digest for text in own}
    if any(digests == {text.digest for text in texts} for _, texts in (released[-1], trunk)):
        return []
    is_taken = any(release.name == source.name for release, _ in released)
    name = f"{source.name} (source)" if is_taken else source.name
    ordinal, predecessor = len(released), trunk[0].ordinal
    return [(replace(source, ordinal=ordinal, name=name, predecessor=predecessor), own)]


def judged(
    inputs: Inputs, texts: Sequence[Text | BrokenText]
) -> tuple[dict[str, Text], list[str], list[SnapshotFile]]:
    """The usable texts by digest, in the given order, warnings about others, and the usable files
    with what each snapshot offers of them. A broken text, or a second one for the same message,
    stops the run if it is in SOURCE (InputError); in a release it is left out."""
    context = inputs.context
    usable = {text.digest: text for text in texts if isinstance(text, Text)}
    broken = {text.digest: text.error for text in texts if isinstance(text, BrokenText)}
    own = [digest for digest in context.source_texts if digest in broken]
    if own:
        raise InputError(broken[min(own, key=context.source_texts.__getitem__)])
    files: list[SnapshotFile] = []
    left_out: dict[str, list[str]] = {}
    first_paths: dict[tuple[int, str, str], str] = {}
    for file in sorted(inputs.files):
        snapshot = context.snapshots[file.ordinal]
        reason = broken.get(file.digest)
        if reason is None:
            text = usable[file.digest]
            first = first_paths.setdefault((file.ordinal, text.subject, text.part), file.path)
            if first == file.path:
                files.append(file._replace(offer=offer_of(text.message)))
                continue
            words = f"defines the same message as {first}"
            if snapshot.kind != "release":
                raise InputError(words, file.path)
            reason = f"{file.path}: {words}"
        left_out.setdefault(reason, []).append(snapshot.name)
    warnings = [
        f"left out of {', '.join(names)}: {reason}" for reason, names in sorted(left_out.items())
    ]
    if context.is_by_specs:
        files = at_levels(files, usable, context.registry)
    elif inputs.is_older_known:
        files += older_files(context, files, usable)
    return usable, warnings, sorted(files)


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
