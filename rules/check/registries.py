"""The registries beside the specs of both sides of a check: protocol levels, error codes and values."""

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from wirebook.rules.check.protocol import SideView, claimed, tables_from_top
from wirebook.rules.check.reading import ReadSide, api_ranges, unstable_messages
from wirebook.rules.check.surroundings import Surroundings
from wirebook.specs.problems import InputError
from wirebook.specs.reading import discovery
from wirebook.specs.reading.discovery import REGISTRY, candidate, place_of, places_above

if TYPE_CHECKING:
    from wirebook.rules.check.baselines import Baselines
    from wirebook.rules.check.releases.snapshots import Snapshot
    from wirebook.rules.check.scope import Scope
    from wirebook.rules.pairs.tables import Tables, TablesPair
    from wirebook.specs.levels import Registry
    from wirebook.specs.profile import Profile
    from wirebook.specs.sources.revisions import ComparedSides

ERRORS, VALUES = "errors", "values"  # tables that a profile names


def read_registries(
    around: Surroundings, old: ReadSide, new: ReadSide
) -> "tuple[Registry | None, Registry | None]":
    """The registries of protocol levels of both sides, if they differ or changed specs depend on them."""
    sides = around.sides
    before = sides.old.files if sides.old else {}
    changed = [
        path
        for path in {**before, **sides.new.files}
        if path.rpartition("/")[2] == REGISTRY and before.get(path) != sides.new.files.get(path)
    ]
    has_history = any(message.history for message in new.messages.values())
    if (
        not changed
        and not has_history
        and api_ranges(old) == api_ranges(new)
        and unstable_messages(old) == unstable_messages(new)
    ):
        return None, None
    from wirebook.specs.levels import read_registry

    paths = [path for side in (old, new) for path in side.messages if around.scope.wants(path)]
    places = dict.fromkeys([*changed, *places_above(paths, REGISTRY)])
    rest = around.near(places)
    found: list[Registry | None] = []
    for side, read in ((sides.old, old), (sides.new, new)):
        registry = None
        for place in places:
            files = next((part for part in (side, rest) if part is not None and place in part.files), None)
            if files is None:
                continue
            text = files.read([place])[place]
            try:
                if isinstance(text, InputError):
                    raise text
                registry = read_registry(text, place)
                read.texts[place] = text
            except InputError as error:
                read.refuse(error)
                read.broken.add(place)
            break
        found.append(registry)
    # An unreadable registry is unknown, not removed.
    whole = not any(place in side.broken for side in (old, new) for place in places)
    return (found[0], found[1]) if whole else (None, None)


class TableTexts(NamedTuple):
    """A table that differs: what it holds, its path and text on both sides, and the profile that names it.

    A text is None if the side has no such table; an error if it cannot be read. `profile` is the path of the
    profile, "" for that of a configuration, `name` the protocol's, and `profiles` has the paths of all
    profiles.
    """

    what: str
    paths: tuple[str, str]
    texts: tuple[bytes | InputError | None, bytes | InputError | None]
    profile: str
    name: str
    profiles: frozenset[str]


def differing_tables(
    scope: "Scope", sides: "ComparedSides", views: tuple[SideView, SideView]
) -> list[TableTexts]:
    """The tables of error codes and values that differ between two sides; with `--all`, every table.

    Records in `scope.tables` which of FILES are tables. Raises InputError for a profile that cannot be read.
    """
    anchors = _anchors(scope, sides, views)
    if not anchors:
        return []
    found: dict[tuple[str, str, str], TableTexts] = {}
    profiles = list(_profiles(scope, anchors, views))
    places = frozenset(place for place, *_ in profiles)
    named = {(what, path) for _, _, _, new in profiles for what, path in new.items()}
    for place, name, old, new in profiles:
        for what in (ERRORS, VALUES):
            before = old.get(what) or new.get(what)
            after = new.get(what) or before
            if before is None or after is None or (what, before, after) in found:
                continue
            is_named = what in new
            if not is_named and (what, after) in named:
                continue  # Another profile names it now.
            if not (scope.wants(before) or scope.wants(after)):
                continue
            scope.tables |= {before, after} & scope.names
            may_differ = before != after or not is_named or _may_differ(sides, before)
            if scope.request.everything or may_differ:
                texts = (
                    _text(views[0], before) if sides.old is not None else None,
                    # What no profile names any more is no promise to the next change.
                    _text(views[1], after) if is_named else None,
                )
                if texts[0] != texts[1] or scope.request.everything:
                    found[what, before, after] = TableTexts(what, (before, after), texts, place, name, places)
    return list(found.values())


def _anchors(scope: "Scope", sides: "ComparedSides", views: tuple[SideView, SideView]) -> list[str]:
    """The paths next to which profiles are searched; none if no table can differ."""
    before = sides.old.files if sides.old is not None else {}
    # A profile that is read through a link has its own path, too.
    links = {**sides.new.places, **(sides.old.places if sides.old is not None else {})}
    paths = [path for path in {**before, **sides.new.files} if path not in links]
    every: list[str] = []
    if sides.rest is not None:
        # All files of a commit to come that differ are known, and most of them are specs by their paths.
        others = [path for path in paths if place_of(path) < 2]
        named = any(may_be_table(view, path) for view in views for path in scope.names)
        if not scope.request.everything and not named and not (others and may_be_tables(sides)):
            return others
        every = sides.new.every_path() if sides.new.every_path is not None else []
    return [path for path in dict.fromkeys([*paths, *every]) if scope.owns is None or scope.owns(path)]


def may_be_table(view: SideView, path: str) -> bool:
    """Whether a side has a file that looks like a table."""
    if not path.endswith(".json") or place_of(path) > 1:
        return False
    text = _text(view, path)
    return isinstance(text, bytes) and discovery.may_be_table(text)


def may_be_tables(sides: "ComparedSides") -> bool:
    """Whether a file that differs looks like a table, whose profile may be in any folder."""
    before = {} if sides.old is None else sides.old.files
    for side, other in ((sides.old, sides.new.files), (sides.new, before)):
        if side is not None:
            differing = [path for path, name in side.files.items() if other.get(path) != name]
            texts = side.read(path for path in differing if path.endswith(".json") and place_of(path) < 2)
            if any(isinstance(text, bytes) and discovery.may_be_table(text) for text in texts.values()):
                return True
    return False


def _profiles(
    scope: "Scope", anchors: Sequence[str], views: tuple[SideView, SideView]
) -> Iterator[tuple[str, str, Mapping[str, str], Mapping[str, str]]]:
    """The tables that each profile names on both sides, by what they hold, with the path of the profile and
    its name.
    """
    if scope.part:
        both = tuple(tables_of(scope, view, claimed(scope, view.config)) for view in views)
        if any(both):
            yield "", "", both[0], both[1]
            return
    stated = [
        {name: profile for name in view.there(view.places(anchors)) if (profile := view.stated(name))}
        for view in views
    ]
    if any(view.is_outside for view in views) and all(stated):
        # The folders of two sources may have different names.
        first, second = (next(iter(each.items())) for each in stated)
        yield second[0], second[1].name, first[1].tables, second[1].tables
        return
    moved = _moved(*stated)
    places = {path: moved.get(path, path) for path in stated[0]}
    places |= {path: path for path in stated[1] if path not in moved.values()}
    for before, after in places.items():
        old, new = stated[0].get(before), stated[1].get(after)
        both = tuple({} if profile is None else profile.tables for profile in (old, new))
        named = new or old
        yield after, named.name if named is not None else "", both[0], both[1]
    both = tuple(tables_of(scope, view, view.configured(anchors)) for view in views)
    if any(both):
        yield "", "", both[0], both[1]


def _moved(old: "Mapping[str, Profile]", new: "Mapping[str, Profile]") -> dict[str, str]:
    """The profiles that only the old side has, each with its path on the new side: by its name, or alone."""
    gone = [path for path in old if path not in new]
    added = [path for path in new if path not in old]
    if len(gone) == len(added) == 1:
        return {gone[0]: added[0]}
    named = {path: [each for each in added if new[each].name == old[path].name] for path in gone}
    moved = {path: places[0] for path, places in named.items() if len(places) == 1}
    return {path: place for path, place in moved.items() if [*moved.values()].count(place) == 1}


def tables_of(scope: "Scope", view: SideView, profile: "Profile | None") -> Mapping[str, str]:
    """The tables of the profile of a configuration, by their paths from the top."""
    if profile is None or view.is_outside:
        return {} if profile is None else profile.tables
    policy = scope.policies[0 if view.is_old else -1]
    # The profile of a protocol among several may be in a file that the configuration names.
    protocols = policy.config.protocols.value if scope.part else None
    return tables_from_top(scope, policy, profile, protocols.path if protocols else profile.path)


def _may_differ(sides: "ComparedSides", path: str) -> bool:
    """Whether a file may differ between the sides, if it has the same path on both."""
    if any(sides.sources) or not candidate(path, tests=True):
        return True
    before = {} if sides.old is None else sides.old.files
    return before.get(path) != sides.new.files.get(path)


def _text(view: SideView, path: str) -> bytes | InputError | None:
    try:
        return view.text(path)
    except InputError as error:
        return error if error.path is not None else InputError(error.message, path, error.position)


def read_tables(
    tables: Sequence[TableTexts], old: ReadSide, new: ReadSide, released: "Baselines | None", everything: bool
) -> "list[TablesPair]":
    """Read the tables of both sides and of the releases; those that cannot be read are recorded there."""
    if not tables:
        return []
    from wirebook.rules.pairs.tables import TablesPair

    pairs: list[TablesPair] = []
    for each in tables:
        sides: list[Tables] = []
        for path, text, read in zip(each.paths, each.texts, (old, new), strict=True):
            try:
                sides.append(_parsed(each.what, path, text, strict=read is new))
            except InputError as error:
                read.refuse(error)
                continue
            if isinstance(text, bytes):
                read.texts[path] = text
        if len(sides) == 2:
            releases = tuple(_of_releases(each, new, released))
            pairs.append(TablesPair(sides[0], sides[1], releases, everything))
    return pairs


def _parsed(
    what: str, path: str, text: bytes | InputError | None, *, strict: bool = False, release: str = ""
) -> "Tables":
    """One table. Raises InputError."""
    from wirebook.rules.pairs.tables import Tables
    from wirebook.specs.reading.tables.errors import read_errors
    from wirebook.specs.reading.tables.values import read_values

    if isinstance(text, InputError):
        raise text
    found = Tables(paths={what: path}, release=release)
    if text is None:
        return found
    if what == ERRORS:
        return found._replace(errors=read_errors(text, path, strict=strict))
    return found._replace(values=read_values(text, path, strict=strict))


def _of_releases(table: TableTexts, new: ReadSide, released: "Baselines | None") -> "Iterator[Tables]":
    """The table of each release that has one, where the profile of the release names it."""
    if released is None:
        return
    known: dict[tuple[str, bytes], Tables] = {}
    for snapshot in released.snapshots:
        release = snapshot.name
        try:
            texts = _of_release(table, snapshot)
        except InputError as error:
            new.unread.append(f"{release}: {error}")
            continue
        for path, text in texts.items():
            try:
                if (path, text) not in known:
                    known[path, text] = _parsed(table.what, path, text)
                yield known[path, text]._replace(release=release)
            except InputError as error:
                new.unread.append(f"{release}: {error}")
            break


def _of_release(table: TableTexts, snapshot: "Snapshot") -> Mapping[str, bytes]:
    """The texts that a release has as this table, the first of which counts."""
    from wirebook.specs.profile_choice import stated_profile

    def opened(path: str) -> bytes | None:
        return snapshot.files([path]).get(path)

    paths = list(dict.fromkeys(table.paths))
    text = opened(table.profile) if table.profile else None
    profile = None if text is None else stated_profile(text, table.profile, opened)
    own = None if profile is None else profile.tables.get(table.what)
    texts = snapshot.files(paths if own is None else list(dict.fromkeys([own, *paths])))
    if texts or not table.profile:
        return texts
    # The folder of the protocol has moved since, or the release is a folder of its own.
    from wirebook.rules.check.releases.snapshots import profiles_of_release

    others = {
        other.tables[table.what]: None
        for place, (_, other) in profiles_of_release(snapshot).items()
        if place not in table.profiles and other.name == table.name and table.what in other.tables
    }
    return snapshot.files(list(others)) if len(others) == 1 else {}
