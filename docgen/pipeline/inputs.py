"""The input of the pipeline: the snapshots, the texts of each, and the distinct texts."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING

from wirebook.docgen.catalog.api_history import Context
from wirebook.docgen.catalog.errors import PATH as ERRORS_PATH
from wirebook.docgen.catalog.errors import ErrorCode, embedded_errors, listed
from wirebook.docgen.catalog.files import write_json, write_table_of_profile
from wirebook.docgen.catalog.order import Snapshot, order_releases
from wirebook.docgen.catalog.protocol import FILES, protocol_record
from wirebook.docgen.catalog.rows import Levels, TextRow, check_addresses, check_names
from wirebook.docgen.choice import OwnSpecs, Specs, label_of
from wirebook.docgen.earlier import with_earlier
from wirebook.docgen.site_files import NO_FILES, SiteFiles, site_files
from wirebook.specs.kafka.brokers import read_release_table
from wirebook.specs.kafka.registry import embedded_source
from wirebook.specs.kafka.text_check import check_texts
from wirebook.specs.kafka.texts import texts_for
from wirebook.specs.levels import Registry
from wirebook.specs.load import as_json, in_configured_formats, registry_of
from wirebook.specs.problems import InputError
from wirebook.specs.profile import NEUTRAL, Profile
from wirebook.specs.profile_choice import KAFKA, embedded_profile
from wirebook.specs.protocols import Part, chosen, held_by, parts_of
from wirebook.specs.reading.reader import read_protocol
from wirebook.specs.reading.tables.errors import read_errors
from wirebook.specs.sources.source import GitRepo, Source, SpecText, open_source

if TYPE_CHECKING:
    from pyspark.sql import Row


@dataclass(frozen=True, slots=True)
class Inputs:
    """The input of one run.

    `files` are (snapshot's ordinal, path, digest); `texts` has each distinct text once, by digest, with
    the path under which the newest snapshot has it. `levels` is given if the snapshots are ApiVersions.
    `source_texts` are the digests and paths of SOURCE, none of which may be broken.
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
    profile: Profile = NEUTRAL
    site: SiteFiles = NO_FILES
    tables: dict[str, tuple[str, str]] = field(default_factory=dict)

    def context(self) -> Context:
        """What the documents of a run share."""
        texts = texts_for(self.profile)
        return Context(self.snapshots, self.registry, self.source_name, self.source_texts, texts)


def gather(
    source: Specs,
    history: str | None,
    releases: str | Sequence[str] | None,
    protocol: str | None = None,
) -> Inputs:
    """Read SOURCE (None: the embedded specs) and, if `history` is given, its releases: the tags that match
    one of `releases`. Of several protocols, `protocol` names the one to read.

    Raises InputError for a broken text of SOURCE and for unreadable input.
    """
    opened, texts, name = _source(source)
    part = _part(source, opened, texts, name, protocol)
    belongs = None
    if source is not None:
        held = held_by(opened, [text.path for text in texts]) if part.name else None
        belongs = partial(held.claims, part.name) if held is not None else None
    texts, profile = part.texts, part.profile
    messages = read_protocol(texts, name, profile)
    for message in messages:
        check_names(message)
    if source is None:
        check_texts(messages)
    has_history = any(message.history for message in messages)
    registry = registry_of(opened, texts, profile) if source is None or has_history else None
    if registry is not None:
        levels_named = ((level.version, level.position) for level in registry.api_versions)
        check_addresses("protocol levels", levels_named, registry.path)
    commit = opened.commit
    described: dict[str, object] = {
        "source": {"name": name, "commit": commit, "texts": {text.path: text.digest for text in texts}}
    }
    distinct = {text.digest: (text.path, text.text) for text in texts}
    source_texts = {text.digest: text.path for text in texts}
    files: list[tuple[int, str, str]] = []
    levels = None
    if history is not None:
        if not releases:
            raise InputError("--history needs --releases, a pattern such as '[0-9]*'")
        patterns = (releases,) if isinstance(releases, str) else releases
        own = source if isinstance(source, OwnSpecs) else None
        snapshots = _releases(history, patterns, own, belongs, files, distinct, described)
        check_addresses("releases", ((snapshot.name, None) for snapshot in snapshots), history)
        if source is not None and not has_history and not _is_newest(texts, snapshots, files):
            # The user's own specs beside their releases: what is about to be released.
            snapshots = (*snapshots, _unreleased(name, commit, snapshots))
            files += [(len(snapshots) - 1, text.path, text.digest) for text in texts]
        if source is None and registry is not None:
            digests = {text.path: text.digest for text in texts}
            embedded = [(message, digests[message.path]) for message in messages]
            snapshots, files, levels = with_earlier(snapshots, files, registry, embedded, distinct)
    elif registry is not None and has_history:
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
        levels = Levels.of(registry)
        files = [(snapshot.ordinal, text.path, text.digest) for snapshot in snapshots for text in texts]
    else:
        snapshots = (Snapshot(0, name, "source", None, True, commit=commit),)
        files = [(0, text.path, text.digest) for text in texts]
    tables = _tables(opened, profile)
    return Inputs(
        snapshots=snapshots,
        files=files,
        texts=distinct,
        source_name=name,
        source_texts=source_texts,
        registry=registry,
        levels=levels,
        errors=tuple(listed(read_errors(*tables["errors"]))) if "errors" in tables else (),
        described=described,
        profile=profile,
        site=site_files(opened, profile),
        tables=tables,
    )


def _tables(source: Source, profile: Profile) -> dict[str, tuple[str, str]]:
    """The text and the path of each table of errors, servers and clients that pages show.

    The pages have Kafka's own; a fork may have its own table of errors. Raises InputError if one cannot
    be read.
    """
    from wirebook.specs.sources.beside import texts_beside

    embedded = embedded_profile(profile.family).tables if profile.family else {}
    found = {"errors": (embedded_errors(), ERRORS_PATH)} if profile.family == KAFKA else {}
    for what in ("errors",) if profile.family else ("errors", "servers", "clients"):
        path = profile.tables.get(what)
        if path is None or path == embedded.get(what):
            continue
        text = next((each.text for each in texts_beside(source, [path])), None)
        if text is None:
            raise InputError(f'there is no "{path}", the table of {what} of the profile', profile.path)
        try:
            found[what] = (text.decode("utf-8"), path)
        except UnicodeDecodeError:
            raise InputError("this is not UTF-8", path) from None
    if "servers" in found:
        read_release_table(found["servers"][0].encode(), found["servers"][1], profile)
    return found


def _part(source: Specs, opened: Source, texts: list[SpecText], name: str, protocol: str | None) -> Part:
    """The selected protocol. Raises InputError."""
    if source is None:
        return Part("", embedded_profile(KAFKA), texts)
    return chosen([(each.name, each) for each in parts_of(opened, texts)], protocol, name)


def opened_part(source: Specs, protocol: str | None) -> tuple[Source, Part]:
    """A source and its selected protocol. Raises InputError."""
    opened, texts, name = _source(source)
    return opened, _part(source, opened, texts, name, protocol)


def write_site(opened: Source, profile: Profile, folder: Path) -> None:
    """Write the current pages of a profile into the folder of a catalog. Raises InputError."""
    found = site_files(opened, profile)
    write_json(folder / "protocol.json", protocol_record(profile, found.record))
    found.write(folder / FILES)


def write_protocol(inputs: Inputs, folder: Path) -> None:
    """Write how the protocol presents itself into the folder of a catalog, with the files of its site."""
    for what, (text, path) in inputs.tables.items():
        if path != ERRORS_PATH:
            write_table_of_profile(folder, what, text)
    write_json(folder / "protocol.json", protocol_record(inputs.profile, inputs.site.record))
    inputs.site.write(folder / FILES)


def _source(source: Specs) -> tuple[Source, list[SpecText], str]:
    """The specs, and their label on published pages."""
    if source is None:
        opened = open_source(embedded_source())
        return opened, opened.texts(), "the specs that come with wirebook"
    if isinstance(source, OwnSpecs):
        opened, texts = source.source, source.texts()
        if not texts:
            raise InputError("no message specs in it", str(source.folder))
    else:
        opened = in_configured_formats(open_source(source, any_format=True))
        texts = opened.texts()
    return opened, as_json(opened, texts), label_of(opened, texts)


def _is_newest(
    texts: Sequence[SpecText], releases: Sequence[Snapshot], files: Sequence[tuple[int, str, str]]
) -> bool:
    """Whether the newest release has exactly these texts."""
    newest = [release.ordinal for release in releases if release.trunk][-1]
    return {text.digest for text in texts} == {digest for ordinal, _, digest in files if ordinal == newest}


def _unreleased(name: str, commit: str | None, releases: tuple[Snapshot, ...]) -> Snapshot:
    """SOURCE as the newest snapshot, compared with the newest release of the trunk."""
    if any(release.name == name for release in releases):
        name = f"{name} (source)"
    newest = [release.ordinal for release in releases if release.trunk][-1]
    return Snapshot(len(releases), name, "source", newest, True, commit=commit)


def _releases(
    history: str,
    patterns: Sequence[str],
    own: OwnSpecs | None,
    belongs: Callable[[str], bool] | None,
    files: list[tuple[int, str, str]],
    texts: dict[str, tuple[str, bytes]],
    described: dict[str, object],
) -> tuple[Snapshot, ...]:
    """Add the files and texts of the releases; return them as snapshots.

    If the repository's own specs are shown, the files that its configuration excludes do not count, nor do
    releases older than the specs. `belongs` says which paths are of the protocol, None if it is the only
    one.
    """
    with GitRepo(history) as repository:
        found = {tag.name: tag for pattern in patterns for tag in repository.releases(pattern).found}
        if not found:
            raise InputError(f'no tag of {history} matches "{" ".join(patterns)}"')
        held = {
            tag.name: repository.entries(tag.commit) if own is None else own.entries(repository, tag.commit)
            for tag in found.values()
        }
        if belongs is not None:
            held = {name: [each for each in entries if belongs(each.path)] for name, entries in held.items()}
        ordered = order_releases([name for name in found if held[name] or (own is None and belongs is None)])
        if not ordered:
            raise InputError(f"no message specs in any of the releases {', '.join(found)}")
        places = {release.name: ordinal for ordinal, release in enumerate(ordered)}
        snapshots = []
        wanted: dict[str, str] = {}
        for ordinal, place in enumerate(ordered):
            release = found[place.name]
            for entry in held[release.name]:
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
        "pattern": " ".join(patterns),
    }
    return tuple(snapshots)


def judged(
    inputs: Inputs, rows: Iterable[Row | TextRow]
) -> tuple[dict[str, tuple[str, str, str]], list[str], list[tuple[int, str, str]]]:
    """The usable texts, the warnings, and the files without unusable texts.

    `rows` are the texts as they were read; the usable ones are returned by digest, with subject, part and
    API. A broken text, or a second one for the same message, stops the run if it is in SOURCE (InputError);
    in a release it is left out.
    """
    good: dict[str, tuple[str, str, str]] = {}
    broken: dict[str, str] = {}
    for row in sorted(rows, key=lambda row: (str(row.path), str(row.digest))):
        if row.error is None:
            good[row.digest] = (str(row.subject), str(row.part), str(row.api))
        elif row.digest in inputs.source_texts:
            raise InputError(row.error)
        else:
            broken[row.digest] = row.error
    files: list[tuple[int, str, str]] = []
    left_out: dict[str, list[str]] = {}
    for ordinal, held in groupby(sorted(inputs.files), key=lambda file: file[0]):
        seen: dict[tuple[str, str], str] = {}
        for file in held:
            _, path, digest = file
            reason = broken.get(digest)
            if reason is None:
                first = seen.setdefault(good[digest][:2], path)
                if first == path:
                    files.append(file)
                    continue
                reason = f"{path}: defines the same message as {first}"
                if inputs.snapshots[ordinal].kind != "release":
                    raise InputError(f"defines the same message as {first}", path)
            left_out.setdefault(reason, []).append(inputs.snapshots[ordinal].name)
    warnings = [f"left out of {', '.join(names)}: {reason}" for reason, names in sorted(left_out.items())]
    return good, warnings, files
