"""The registries beside the specs of both sides of a check: protocol levels, and which tables may differ."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from wirebook.rules.check.protocol import SideView, configured_profile, meant_by, text_of, used_profile
from wirebook.rules.check.reading import ReadSide, api_ranges, unstable_messages
from wirebook.rules.check.scope import Scope
from wirebook.rules.check.surroundings import Surroundings
from wirebook.specs.problems import InputError
from wirebook.specs.profile_choice import own_table
from wirebook.specs.reading import discovery
from wirebook.specs.reading.discovery import REGISTRY, place_of, places_above
from wirebook.specs.sources.revisions import ComparedSides

if TYPE_CHECKING:
    from wirebook.rules.check.tables import TableTexts
    from wirebook.specs.levels import Registry
    from wirebook.specs.sources.filesets import FileSet
else:  # typing compiles an annotation that is a string
    Registry = object


class RegistryPair(NamedTuple):
    """The registries of protocol levels of both sides for the specs at some paths; None if a side has none,
    or it was not needed.
    """

    old: Registry | None
    new: Registry | None
    has: Callable[[str], bool]


class NamedRegistries:
    """The registries of protocol levels that profiles name, on both sides.

    `differ` has a path beside each profile whose registry differs. Records in `scope.tables` which of FILES
    they are. Raises InputError for a profile that cannot be read.
    """

    def __init__(self, scope: Scope, sides: ComparedSides, views: tuple[SideView, SideView]) -> None:
        self.scope = scope
        self.views = views
        anchors = [*({} if sides.old is None else sides.old.files), *sides.new.files]
        configured = [self._configured(view, anchors) for view in views]
        meant = [meant_by(view.config) for view in views] if any(configured) else [None, None]
        if configured[0] != configured[1] or meant[0] != meant[1] or may_be_registries(sides):
            # The specs that have another registry now may be unchanged, and so may the profile that names it.
            anchors += sides.new.every_path() if sides.new.every_path is not None else []
        anchors = [path for path in anchors if scope.owns is None or scope.owns(path)]
        profiles = [profile for view in views for profile in view.stated_near(anchors).values()]
        beside = {table for profile in profiles if (table := own_table(profile, "levels")) is not None}
        named = beside.union(*configured)
        self.is_empty = not named
        scope.tables |= {path for path in named if path in scope.names}
        paths = dict.fromkeys(profile.path for profile in profiles)
        if any(configured):
            paths.update(dict.fromkeys({path.rpartition("/")[0]: path for path in anchors}.values()))
        self.differ = (
            [] if self.is_empty else [path for path in paths if self._text(0, path) != self._text(1, path)]
        )

    def at(self, side: int, path: str) -> str | None:
        """The registry that the profile of the specs beside a path names on a side, 0 for the old one."""
        if self.is_empty:
            return None
        return own_table(used_profile(self.scope, self.views[side], path), "levels")

    def text(self, side: int, path: str) -> bytes | InputError | None:
        """The text of a registry on a side, or the error that names it; None if there is none."""
        return text_of(self.views[side], path)

    def _configured(self, view: SideView, paths: Sequence[str]) -> set[str]:
        """The registries that the configuration of a side names, for whichever protocol."""
        protocols = view.config.protocols.value
        stated = [claim.profile for claim in protocols.claims] if protocols else [view.configured(paths)]
        profiles = (configured_profile(self.scope, view, profile) for profile in stated)
        return {table for each in profiles if (table := own_table(each, "levels")) is not None}

    def _text(self, side: int, path: str) -> tuple[str | None, bytes | InputError | None]:
        """The registry for the specs beside a path on a side, and its text."""
        registry = self.at(side, path)
        return registry, None if registry is None else self.text(side, registry)


def read_registries(
    around: Surroundings, named: NamedRegistries, old: ReadSide, new: ReadSide
) -> list[RegistryPair]:
    """The registries of both sides that differ or that changed specs depend on; first those of the specs.

    They are paired by what uses them: on each side, a folder has the one that its profile names, or else the
    nearest one in it or above, and so have the two folders of a spec that moved.
    """
    sides = around.sides
    before = sides.old.files if sides.old else {}
    changed = [
        path
        for path in {**before, **sides.new.files}
        if path.rpartition("/")[2] == REGISTRY and before.get(path) != sides.new.files.get(path)
    ]
    changed += named.differ
    needed = (
        bool(changed)
        or any(message.history for message in new.messages.values())
        or api_ranges(old) != api_ranges(new)
        or unstable_messages(old) != unstable_messages(new)
    )
    moved = _moved_files(before, sides.new.files, old, new)
    if not needed and not moved:
        return []
    # The protocol that had what arrives here judges it by the registries of both.
    wanted = (path for side in (new, old) for path in side.messages if around.scope.wants(path))
    paths = [path for path in wanted if path not in around.scope.arriving]
    users = dict.fromkeys([*((path, path) for path in paths if path not in moved), *moved.items()])
    users.update(((path, path), None) for path in changed)
    places = _Places(around, named, moved, [path for both in users for path in both])
    pairs = [
        pair
        for pair in dict.fromkeys(places.pair(*both) for both in users)
        if any(pair) and (needed or pair[0] != pair[1])
    ]
    moved_from = {before for before, after in pairs if after is not None}
    pairs = [pair for pair in pairs if pair[1] or pair[0] not in moved_from or places.still(pair)]
    registries = [
        RegistryPair(
            _registry(before, places.text(0, before), old) if before else None,
            _registry(after, places.text(1, after), new) if after else None,
            partial(places.are, (before, after)),
        )
        for before, after in pairs
    ]
    # An unreadable registry is unknown, not removed.
    broken = old.broken | new.broken
    judged = [pair for pair in pairs if broken.isdisjoint(filter(None, pair))]
    readable = [each for each, pair in zip(registries, pairs, strict=True) if pair in judged]
    others = RegistryPair(None, None, lambda path: any(places.of(path)) and places.of(path) not in judged)
    return [*readable, others] if readable else []


class _Places:
    """Finds the registries of specs on both sides: on each, the one that their profile names, or else the
    nearest one in their folder or above.

    `moved` has the new paths of specs that moved, and `paths` are those of most specs that it is used for.
    """

    def __init__(
        self, around: Surroundings, named: NamedRegistries, moved: Mapping[str, str], paths: Sequence[str]
    ) -> None:
        self.around = around
        self.named = named
        self.moved = moved
        self.earlier = {new: old for old, new in moved.items()}
        self._rest = around.near(places_above(paths, REGISTRY))
        self._listed = {path.rpartition("/")[0] for path in paths}
        self._at: dict[tuple[int, str], str | None] = {}

    def of(self, path: str) -> tuple[str | None, str | None]:
        """Those of the spec at a path of either side."""
        return self.pair(self.earlier.get(path, path), self.moved.get(path, path))

    def are(self, pair: tuple[str | None, str | None], path: str) -> bool:
        """Whether these are those of the spec at a path of either side."""
        return self.of(path) == pair

    def still(self, pair: tuple[str | None, str | None]) -> bool:
        """Whether a file of the new side has these, even if others have moved together with the old one."""
        return any(
            self.of(path) == pair for path in (*self.around.sides.new.files, *self.around.rest().files)
        )

    def pair(self, old: str, new: str) -> tuple[str | None, str | None]:
        """That of the specs beside a path on the old side, and that of those beside one on the new side."""
        return self._nearest(0, old), self._nearest(1, new)

    def text(self, side: int, path: str) -> bytes | InputError | None:
        """The text of a registry on a side."""
        files = self._holder(side, path, self._rest)
        return self.named.text(side, path) if files is None else files.read([path])[path]

    def _nearest(self, side: int, path: str) -> str | None:
        folder = path.rpartition("/")[0]
        if (side, folder) not in self._at:
            self._at[side, folder] = self._found(side, path)
        return self._at[side, folder]

    def _found(self, side: int, path: str) -> str | None:
        registry = self.named.at(side, path)
        if registry is not None:
            return None if self.named.text(side, registry) is None else registry
        places = places_above([path], REGISTRY)
        rest = self._rest if path.rpartition("/")[0] in self._listed else self.around.near(places)
        return next((place for place in places if self._holder(side, place, rest) is not None), None)

    def _holder(self, side: int, path: str, rest: "FileSet") -> "FileSet | None":
        """The files of a side that have a path, which differ or are equal on both."""
        own = self.around.sides.new if side else self.around.sides.old
        return next((files for files in (own, rest) if files is not None and path in files.files), None)


def _moved_files(
    before: Mapping[str, str], after: Mapping[str, str], old: ReadSide, new: ReadSide
) -> dict[str, str]:
    """The files that moved, by their path on the old side: those with the same content or message."""
    removed = [path for path in before if path not in after]
    added = [path for path in after if path not in before]
    if not removed or not added:
        return {}
    places: dict[object, str] = {after[path]: path for path in added}
    places |= {message.identity: path for path, message in new.messages.items() if path in added}
    moved: dict[str, str] = {}
    for path in removed:
        message = old.messages.get(path)
        place = places.get(before[path]) or (message and places.get(message.identity))
        if place:
            moved[path] = place
    return moved


def _registry(path: str, text: bytes | InputError | None, read: ReadSide) -> "Registry | None":
    """The registry with a text; None for one that cannot be read, which is recorded."""
    from wirebook.specs.levels import read_registry

    try:
        if isinstance(text, InputError):
            raise text
        assert text is not None
        registry = read_registry(text, path)
        read.texts[path] = text
    except InputError as error:
        read.refuse(error)
        read.broken.add(path)
        return None
    return registry


def differing_tables(
    scope: Scope, sides: ComparedSides, views: tuple[SideView, SideView]
) -> "Sequence[TableTexts]":
    """The tables of error codes and values that differ between two sides (see `tables_between`).

    Raises InputError for a profile that cannot be read.
    """
    every = scope.request.everything
    # A spec that lists values takes the place of a table for its fields, even if the table is the same.
    lists_values = (every and not scope.profile.family) or _lists_values(sides)
    anchors = _anchors(scope, sides, views, lists_values=lists_values)
    if not anchors:
        return ()
    if not (lists_values or scope.part or any(_has_profile(view, anchors) for view in views)):
        return ()
    from wirebook.rules.check.tables import tables_between

    return tables_between(scope, sides, views, anchors, lists_values=lists_values)


def _has_profile(view: SideView, anchors: Sequence[str]) -> bool:
    """Whether a side has a profile, beside some paths or in its configuration."""
    if any(map(view.stated, view.possible(view.places(anchors)))):
        return True
    return view.configured(anchors) is not None


def _anchors(
    scope: Scope, sides: ComparedSides, views: tuple[SideView, SideView], *, lists_values: bool
) -> list[str]:
    """The paths next to which profiles are searched; none if no table can differ.

    `lists_values` is whether specs may list values.
    """
    before = sides.old.files if sides.old is not None else {}
    # A profile that is read through a link has its own path, too.
    links = {**sides.new.places, **(sides.old.places if sides.old is not None else {})}
    paths = [path for path in {**before, **sides.new.files} if path not in links]
    unchanged: list[str] = []
    if sides.rest is not None:
        # All files of a commit to come that differ are known, and most of them are specs by their paths.
        others = [path for path in paths if place_of(path) < 2]
        named = any(may_be_table(view, path) for view in views for path in scope.names)
        every = scope.request.everything
        if not every and not named and not lists_values and not (others and may_be_tables(sides)):
            return others
        unchanged = sides.new.every_path() if sides.new.every_path is not None else []
    return [path for path in dict.fromkeys([*paths, *unchanged]) if scope.owns is None or scope.owns(path)]


def may_be_table(view: SideView, path: str) -> bool:
    """Whether a side has a file that looks like a table."""
    if not path.endswith(".json") or place_of(path) > 1:
        return False
    text = text_of(view, path)
    return isinstance(text, bytes) and discovery.may_be_table(text)


def may_be_tables(sides: ComparedSides) -> bool:
    """Whether a file that differs may be a table of error codes or values."""
    return any(map(discovery.may_be_table, _differing_texts(sides, lambda path: place_of(path) < 2)))


def may_be_registries(sides: ComparedSides) -> bool:
    """Whether a file that differs may be a registry of protocol levels."""
    return any(map(discovery.may_be_registry, _differing_texts(sides, lambda path: place_of(path) < 2)))


def _lists_values(sides: ComparedSides) -> bool:
    """Whether a file that differs may be a spec with values or flags beside a field."""
    return any(map(_may_list_values, _differing_texts(sides, lambda _: True)))


def _may_list_values(text: bytes) -> bool:
    """Whether a spec may list values or flags, itself or in what it imports."""
    own, appended = discovery.split_imports(text)
    if discovery.may_list_values(own):
        return True
    if appended is None:
        return False
    from wirebook.specs.reading.imports import imported_texts

    with suppress(InputError):
        return any(discovery.may_list_values(each.text.encode()) for each in imported_texts(appended, ""))
    return False


def _differing_texts(sides: ComparedSides, counts: Callable[[str], bool]) -> Iterator[bytes]:
    """The texts of both sides of the JSON files that differ and count."""
    before = {} if sides.old is None else sides.old.files
    for side, other in ((sides.old, sides.new.files), (sides.new, before)):
        if side is not None:
            differing = [path for path, name in side.files.items() if other.get(path) != name]
            texts = side.read(path for path in differing if path.endswith(".json") and counts(path))
            yield from (text for text in texts.values() if isinstance(text, bytes))
