"""The tables of error codes and values of both sides of a check, and of the releases."""

import posixpath
from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

from wirebook.rules.check.protocol import (
    SideView,
    configured_profile,
    moved_profiles,
    text_of,
    used_profile,
)
from wirebook.rules.check.reading import ReadSide, read_side
from wirebook.rules.check.releases import profile_at, profiles_of_release
from wirebook.rules.check.scope import Scope
from wirebook.rules.check.surroundings import Surroundings, files_at
from wirebook.rules.pairs.tables import Tables, TablesPair
from wirebook.specs.problems import InputError
from wirebook.specs.profile import NEUTRAL, Profile
from wirebook.specs.reading.discovery import candidate
from wirebook.specs.reading.tables.errors import read_errors
from wirebook.specs.reading.tables.values import read_values
from wirebook.specs.sources.revisions import ComparedSides

if TYPE_CHECKING:
    from wirebook.rules.check.baselines import Baselines
    from wirebook.rules.check.releases import ReleaseSnapshot

ERRORS, VALUES = "errors", "values"  # tables that a profile names


class Namer(NamedTuple):
    """A profile that names a table: the path of its file, "" for a built-in one, and its protocol's name."""

    place: str
    name: str


class TableTexts(NamedTuple):
    """A table that differs: what it holds, its path and text on both sides, and the profiles that name it.

    A text is None if the side has no such table; an error if it cannot be read. `profiles` has the paths of
    all profiles, also of those that do not name it. `moved` are the messages that use another table than
    before, if not all do: the others keep the old one.
    """

    what: str
    paths: tuple[str, str]
    texts: tuple[bytes | InputError | None, bytes | InputError | None]
    namers: tuple[Namer, ...]
    profiles: frozenset[str]
    moved: frozenset[str] | None = None

    def named_by(self, namer: Namer) -> "TableTexts":
        """The table, which one more profile names."""
        return self._replace(namers=tuple(dict.fromkeys((*self.namers, namer))))

    @property
    def are_values_of_a_side(self) -> bool:
        """Whether a side has this table, and it is one of values: they depend on the versions of messages."""
        return self.what == VALUES and any(self.paths)


class NamedTables(NamedTuple):
    """The tables that a profile names on both sides, by what they hold.

    `moved` is as in `TableTexts`.
    """

    namer: Namer
    old: Mapping[str, str]
    new: Mapping[str, str]
    moved: frozenset[str] | None = None


def tables_between(
    scope: Scope,
    sides: ComparedSides,
    views: tuple[SideView, SideView],
    anchors: Sequence[str],
    *,
    lists_values: bool,
) -> list[TableTexts]:
    """The tables of error codes and values that differ between two sides; with `--all`, every table.

    Tables of values count as well if a changed spec lists values: releases may list them in tables that no
    profile names any more.

    `anchors` are the paths next to which profiles are searched, and `lists_values` is whether specs may list
    values. Records in `scope.tables` which of FILES are tables. Raises InputError for a profile that cannot
    be read.
    """
    tables: dict[tuple[object, ...], TableTexts] = {}
    profiles = list(_profiles(scope, anchors, views))
    places = frozenset(each.namer.place for each in profiles)
    named = {(what, path) for each in profiles for what, path in each.new.items()}
    if any(each.old for each in profiles):
        profiles += _of_moved_specs(scope, sides, views)
        profiles += _of_reassigned_specs(scope, sides, views)
    every = scope.request.everything
    for each in profiles:
        for what in (ERRORS, VALUES):
            before = each.old.get(what) or each.new.get(what)
            after = each.new.get(what) or before
            is_named = what in each.new
            key = (what, before, after, None if is_named else each.moved)
            if before is None or after is None:
                continue
            if key in tables:
                tables[key] = tables[key].named_by(each.namer)
                continue
            if each.moved is None and not is_named and (what, after) in named:
                continue  # Another profile names it now.
            if not (scope.wants(before) or scope.wants(after)):
                continue
            scope.tables |= {before, after} & scope.names
            may_differ = before != after or not is_named or _may_differ(sides, before)
            counts = every or (what == VALUES and lists_values)
            if counts or may_differ:
                texts = (
                    text_of(views[0], before) if sides.old is not None else None,
                    # What no profile names any more is no promise to the next change.
                    text_of(views[1], after) if is_named else None,
                )
                if texts[0] != texts[1] or counts:
                    tables[key] = TableTexts(what, (before, after), texts, (each.namer,), places, each.moved)
    if lists_values:
        # Profiles of releases may name tables that those of today do not.
        today = frozenset(each.namer.place for each in profiles if VALUES in each.old or VALUES in each.new)
        tables[VALUES,] = TableTexts(VALUES, ("", ""), (None, None), (), today)
    return list(tables.values())


def _profiles(
    scope: Scope, anchors: Sequence[str], views: tuple[SideView, SideView]
) -> Iterator[NamedTables]:
    """The tables that each profile names on both sides."""
    if scope.part:
        old, new = (configured_profile(scope, view, view.claimed) for view in views)
        if old.tables or new.tables:
            yield _named(old, new)
            return
    stated = [view.stated_near(anchors) for view in views]
    if any(view.is_outside for view in views) and all(stated):
        # The folders of two sources may have different names.
        first, second = (next(iter(each.values())) for each in stated)
        yield _named(first, second)
        return
    moved = moved_profiles(*stated)
    places = {path: moved.get(path, path) for path in stated[0]}
    places |= {path: path for path in stated[1] if path not in moved.values()}
    for before, after in places.items():
        yield _named(stated[0].get(before, NEUTRAL), stated[1].get(after, NEUTRAL))
        if before not in stated[0]:
            # The specs below it have used those of a profile above it.
            yield _named(used_profile(scope, views[0], after), stated[1][after], frozenset())
    old, new = (configured_profile(scope, view, view.configured(anchors)) for view in views)
    if old.tables or new.tables:
        yield _named(old, new)


def _named(old: Profile, new: Profile, moved: frozenset[str] | None = None) -> NamedTables:
    """The tables that a profile names on both sides; it is neutral on one that does not have it."""
    namer = new if new.path else old
    return NamedTables(Namer(namer.path, namer.name), old.tables, new.tables, moved)


def _of_moved_specs(
    scope: Scope, sides: ComparedSides, views: tuple[SideView, SideView]
) -> Iterator[NamedTables]:
    """The tables of specs that have moved to other profiles: those that each has used, and uses now."""
    before = {} if sides.old is None else sides.old.files
    removed = [path for path in before if path not in sides.new.files]
    added = [path for path in sides.new.files if path not in before]
    if sides.old is None or not removed or not added or scope.part or any(view.is_outside for view in views):
        return
    old, new = read_side(scope, sides.old, removed), read_side(scope, sides.new, added)
    places = {message.identity: (path, message.name) for path, message in old.messages.items()}
    names: dict[tuple[str, str], set[str]] = {}
    for path, message in new.messages.items():
        if message.identity in places:
            earlier, name = places[message.identity]
            folders = earlier.rpartition("/")[0], path.rpartition("/")[0]
            names.setdefault(folders, set()).update((name, message.name))
    for (one, other), moved in names.items():
        used, uses = used_profile(scope, views[0], f"{one}/_"), used_profile(scope, views[1], f"{other}/_")
        if used.path != uses.path or used.tables != uses.tables:
            yield _named(used, uses, frozenset(moved))


def _of_reassigned_specs(
    scope: Scope, sides: ComparedSides, views: tuple[SideView, SideView]
) -> Iterator[NamedTables]:
    """The tables of specs that the change gives to another protocol: those that each has used, and uses
    now.
    """
    paths: dict[str, list[str]] = {}
    for path in scope.leaving:
        paths.setdefault(views[1].owner(path), []).append(path)
    for own in paths.values():
        used, uses = (used_profile(scope, view, own[0]) for view in views)
        if used.tables != uses.tables:
            read = read_side(scope, files_at(sides, own), own).messages.values()
            names = frozenset(message.name for message in read)
            yield _named(used, uses, names)


def _may_differ(sides: ComparedSides, path: str) -> bool:
    """Whether a file may differ between the sides, if it has the same path on both."""
    if any(sides.sources) or not candidate(path, tests=True):
        return True
    before = {} if sides.old is None else sides.old.files
    return before.get(path) != sides.new.files.get(path)


def read_tables(
    around: Surroundings,
    tables: Sequence[TableTexts],
    old: ReadSide,
    new: ReadSide,
    released: "Baselines | None",
) -> list[TablesPair]:
    """Read the tables of both sides and of the releases; those that cannot be read are recorded there."""
    if not tables:
        return []
    scope, base = around.scope, around.sides.base
    pairs: list[TablesPair] = []
    for each in tables:
        sides: list[Tables] = []
        for path, text, read in zip(each.paths, each.texts, (old, new), strict=True):
            try:
                sides.append(_parsed(each.what, path, text, strict=read is new))
            except InputError as error:
                read.refuse(error if read is new or base is None else scope.of_old_side(error, base))
                continue
            if isinstance(text, bytes):
                read.texts[path] = text
        if len(sides) == 2:
            releases = tuple(_of_releases(each, new, released, around))
            names = None
            if each.moved is not None:
                names = each.moved | sides[1].messages
                sides[0], releases = sides[0].only(names), tuple(table.only(names) for table in releases)
            everything = scope.request.everything
            pairs.append(TablesPair(sides[0], sides[1], releases, everything, names))
    return pairs


def _parsed(
    what: str, path: str, text: bytes | InputError | None, *, strict: bool = False, release: str = ""
) -> Tables:
    """One table. Raises InputError."""
    if isinstance(text, InputError):
        raise text
    tables = Tables(paths={what: path}, release=release)
    if text is None:
        return tables
    if what == ERRORS:
        return tables._replace(errors=read_errors(text, path, strict=strict))
    return tables._replace(values=read_values(text, path, strict=strict))


def _of_releases(
    table: TableTexts, new: ReadSide, released: "Baselines | None", around: Surroundings
) -> "Iterator[Tables]":
    """The table of each release that has one, where the profile of the release names it."""
    if released is None:
        return

    @cache
    def names() -> frozenset[str]:
        return frozenset(posixpath.basename(path) for path in (*around.sides.new.files, *around.rest().files))

    parsed: dict[tuple[str, bytes], Tables] = {}
    for snapshot in released.snapshots:
        release = snapshot.name
        try:
            texts = _of_release(table, snapshot, names) if any(table.paths) else _in_release(table, snapshot)
        except InputError as error:
            new.unread.append(f"{release}: {error}")
            continue
        for path, text in texts.items():
            try:
                if (path, text) not in parsed:
                    parsed[path, text] = _parsed(table.what, path, text)
                yield parsed[path, text]._replace(release=release)
            except InputError as error:
                new.unread.append(f"{release}: {error}")


def _in_release(table: TableTexts, snapshot: "ReleaseSnapshot") -> Mapping[str, bytes]:
    """The texts of the tables that the profiles of a release name, but no profile of today."""
    named = {
        each.profile.tables[table.what]: None
        for each in profiles_of_release(snapshot)
        if each.place not in table.profiles and table.what in each.profile.tables
    }
    return snapshot.files(list(named))


def _of_release(
    table: TableTexts, snapshot: "ReleaseSnapshot", names: Callable[[], Container[str]]
) -> Mapping[str, bytes]:
    """The texts that a release has as this table, by path: what each profile of today named in it, or else
    one at the path of today.

    `names` returns the file names of the specs of the new side.
    """
    texts: dict[str, bytes] = {}
    for namer in table.namers:
        texts.update(_named_by(namer, table, snapshot, names))
    return texts


def _named_by(
    namer: Namer, table: TableTexts, snapshot: "ReleaseSnapshot", names: Callable[[], Container[str]]
) -> Mapping[str, bytes]:
    """Like `_of_release`, for one of the profiles that name the table."""
    paths = [*table.paths]
    profile = profile_at(snapshot, namer.place, namer.name) if namer.place else None
    if profile is not None and table.what in profile.tables:
        paths.insert(0, profile.tables[table.what])
    texts = snapshot.files(list(dict.fromkeys(paths)))
    if texts or profile is not None:
        return dict([*texts.items()][:1])
    # The file or its folder has moved since, or the release is a folder of its own.
    named = [each for each in profiles_of_release(snapshot, names) if table.what in each.profile.tables]
    same = [each for each in named if each.place == namer.place]
    moved = {
        each.profile.tables[table.what]: None
        for each in same or named
        if each in same or (each.place not in table.profiles and each.profile.name == namer.name)
    }
    return snapshot.files(list(moved)) if same or len(moved) == 1 else {}
