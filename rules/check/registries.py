"""The registries of protocol levels of both sides of a check."""

from __future__ import annotations

from typing import TYPE_CHECKING

from wirebook.rules.check.reading import ReadSide, api_ranges, unstable_messages
from wirebook.rules.check.surroundings import Surroundings
from wirebook.specs.problems import InputError
from wirebook.specs.reading.discovery import REGISTRY, places_above

if TYPE_CHECKING:
    from wirebook.specs.levels import Registry


def read_registries(
    around: Surroundings, old: ReadSide, new: ReadSide
) -> tuple[Registry | None, Registry | None]:
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

    places = dict.fromkeys([*changed, *places_above([*old.messages, *new.messages], REGISTRY)])
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
