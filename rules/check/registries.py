"""The registries beside the specs of both sides of a check: protocol levels, and which tables may differ."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, NamedTuple

from wirebook.rules.check.protocol import SideView, text_of
from wirebook.rules.check.reading import ReadSide, api_ranges, unstable_messages
from wirebook.rules.check.scope import Scope
from wirebook.rules.check.surroundings import Surroundings
from wirebook.specs.problems import InputError
from wirebook.specs.reading import discovery
from wirebook.specs.reading.discovery import REGISTRY, place_of, places_above
from wirebook.specs.sources.revisions import ComparedSides

if TYPE_CHECKING:
    from wirebook.rules.check.tables import TableTexts
    from wirebook.specs.levels import Registry
    from wirebook.specs.sources.filesets import FileSet


class RegistryPair(NamedTuple):
    """The registries of protocol levels of both sides; None if a side has none, or it was not needed."""

    old: "Registry | None" = None
    new: "Registry | None" = None


def read_registries(around: Surroundings, old: ReadSide, new: ReadSide) -> list[RegistryPair]:
    """The registries of both sides that differ or that changed specs depend on; first those of the specs.

    They are paired by what uses them: a folder has the nearest registry in it or above on each side, and so
    have the two folders of a spec that moved.
    """
    sides = around.sides
    before = sides.old.files if sides.old else {}
    changed = [
        path
        for path in {**before, **sides.new.files}
        if path.rpartition("/")[2] == REGISTRY and before.get(path) != sides.new.files.get(path)
    ]
    needed = (
        bool(changed)
        or any(message.history for message in new.messages.values())
        or api_ranges(old) != api_ranges(new)
        or unstable_messages(old) != unstable_messages(new)
    )
    moved = _moved_files(before, sides.new.files, old, new)
    if not needed and not moved:
        return []
    paths = [path for side in (new, old) for path in side.messages if around.scope.wants(path)]
    users = dict.fromkeys([*((path, path) for path in paths if path not in moved), *moved.items()])
    users.update(((path, path), None) for path in changed)
    rest = around.near(dict.fromkeys(places_above([path for both in users for path in both], REGISTRY)))

    def nearest(side: "FileSet | None", path: str) -> str | None:
        places = places_above([path], REGISTRY)
        return next((place for place in places if _holder(place, side, rest) is not None), None)

    pairs = dict.fromkeys((nearest(sides.old, one), nearest(sides.new, other)) for one, other in users)
    chosen = [pair for pair in pairs if any(pair) and (needed or pair[0] != pair[1])]
    # Of those that no changed spec depends on, only what differs is judged.
    judged = [pair for pair in chosen if pair == chosen[0] or pair[0] != pair[1] or pair[0] in changed]
    registries = [
        RegistryPair(
            *(
                None if place is None else _registry(place, _holder(place, side, rest), read)
                for place, side, read in zip(pair, (sides.old, sides.new), (old, new), strict=True)
            )
        )
        for pair in judged
    ]
    # An unreadable registry is unknown, not removed.
    broken = old.broken | new.broken
    return [
        each for each, pair in zip(registries, judged, strict=True) if broken.isdisjoint(filter(None, pair))
    ]


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


def _holder(place: str, *sides: "FileSet | None") -> "FileSet | None":
    return next((side for side in sides if side is not None and place in side.files), None)


def _registry(path: str, files: "FileSet | None", read: ReadSide) -> "Registry | None":
    """The registry at a path; None for one that cannot be read, which is recorded."""
    from wirebook.specs.levels import read_registry

    assert files is not None
    text = files.read([path])[path]
    try:
        if isinstance(text, InputError):
            raise text
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
    every = scope.request.everything or scope.request.drift
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
        every = scope.request.everything or scope.request.drift
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
