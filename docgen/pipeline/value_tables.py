"""The table of values of a protocol's own profile, in the source and in each release."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from wirebook.docgen.catalog.order import CatalogSnapshot
from wirebook.specs.load import table_values
from wirebook.specs.problems import InputError
from wirebook.specs.profile import Profile
from wirebook.specs.reading.tables.values import read_values, values_by_field
from wirebook.specs.sources.beside import texts_beside
from wirebook.specs.sources.git_command import run
from wirebook.specs.sources.source import GitRepo, Source
from wirebook.specs.texts.model import TableValues


def value_tables(
    source: Source, profile: Profile, history: str | None, snapshots: Sequence[CatalogSnapshot]
) -> Mapping[int, TableValues]:
    """The values of fields by snapshot, if the profile names a table of its own.

    A release has the table that is at the same path in its commit; what is unusable there is left out.
    Raises InputError if that of the source does not exist or cannot be read.
    """
    own = table_values(source, profile)
    if own is None:
        return {}
    path = profile.tables["values"]
    if history is None:
        return dict.fromkeys((each.ordinal for each in snapshots), own)
    tables: dict[int, TableValues] = {}
    with GitRepo(history) as repository:
        for snapshot in snapshots:
            if snapshot.kind != "release" or snapshot.commit is None:
                tables[snapshot.ordinal] = own
                continue
            released = _at(source, repository, snapshot.commit)
            for each in texts_beside(released, [path]):
                tables[snapshot.ordinal] = _readable(each.text, path)
    return tables


def _at(source: Source, repository: GitRepo, commit: str) -> Source:
    """A source at a commit of its repository."""
    below = source.subdir
    if source.kind == "directory":
        below = run(source.path, "rev-parse", "--show-prefix").decode(errors="replace").strip()
    return source._replace(kind="git", commit=commit, subdir=below, repository=repository)


def _readable(text: bytes, path: str) -> TableValues:
    """The values of a released table; of one with errors, those that can be read."""
    try:
        return values_by_field(read_values(text, path))
    except InputError:
        pass
    try:
        return values_by_field(read_values(text, path, strict=False))
    except InputError:
        return {}
