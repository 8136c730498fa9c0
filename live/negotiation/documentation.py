"""What the specs of a source document about versions: lifecycles and marks, as negotiations use them."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from dataclasses import dataclass
from difflib import get_close_matches
from functools import cached_property

from wirebook.rules.opened import open_specs
from wirebook.specs.kafka import KAFKA
from wirebook.specs.kafka.registry import load_registry
from wirebook.specs.kafka.version_lifecycle import VersionLifecycle, lifecycles
from wirebook.specs.levels import ApiVersion, Registry
from wirebook.specs.model import Message, Protocol
from wirebook.specs.problems import InputError
from wirebook.specs.versions import Versions

_LEVEL = re.compile(r"\d{1,9}")
_SUB_VERSION = re.compile(r"[0-9.]+-IV[0-9]+")

NumbersByKey = dict[int, frozenset[int]]


@dataclass(frozen=True)
class Documentation:
    """What the specs of a source document about versions: their lifecycle by protocol level, and their marks.

    `explicit` is whether a source was named: then levels are read only from it. `word` is the protocol's word
    for a level.
    """

    protocol: Protocol
    registry: Registry
    explicit: bool = False
    word: str = "ApiVersion"

    @classmethod
    def of(cls, source: str | None = None) -> Documentation:
        """The documentation of a SOURCE (None: the embedded specs). Raises InputError."""
        protocol = open_specs(source or KAFKA).protocol
        return cls(protocol, load_registry(), explicit=source is not None)

    @cached_property
    def _lifecycles(self) -> dict[int, tuple[Message, dict[int, VersionLifecycle]]]:
        requests = [m for m in self.protocol if m.type == "request" and m.api_key is not None]
        return {m.api_key: (m, lifecycles(m, self.registry)) for m in requests if m.api_key is not None}

    def ranges(self, level: int) -> tuple[dict[int, Versions], NumbersByKey]:
        """The ranges that a broker at this level lists, and the versions in them that it does not serve."""
        ranges: dict[int, Versions] = {}
        refused: NumbersByKey = {}
        for key, (message, by_version) in self._lifecycles.items():
            served = {
                version
                for version, lifecycle in by_version.items()
                if lifecycle.lives(level) and not lifecycle.is_unstable(level)
            }
            if message.latest_version_unstable:
                served.discard(message.valid_versions.highest)
            if served:
                ranges[key] = Versions(min(served), max(served))
                refused[key] = frozenset(ranges[key]) - served
        return ranges, refused

    def marks(self, level: int, *, living: bool = True) -> dict[str, NumbersByKey]:
        """The marks that the documentation of a level has: deprecated, and not to be used.

        They are limited to the versions that exist at the level, unless the level of the broker is unknown.
        """

        def those(test: Callable[[VersionLifecycle], bool]) -> NumbersByKey:
            return {
                key: frozenset(
                    version
                    for version, moment in by_version.items()
                    if test(moment) and (moment.lives(level) or not living)
                )
                for key, (_, by_version) in self._lifecycles.items()
            }

        return {
            "deprecated": those(lambda moment: moment.is_deprecated(level)),
            "avoid": those(lambda moment: moment.stillborn and moment.is_deprecated(level)),
        }

    def newest_marks(self) -> dict[str, NumbersByKey]:
        """The marks of every version in the newest documentation, including removed versions."""
        return self.marks(self.newest, living=False)

    @property
    def newest(self) -> int:
        """The id of the newest level; 0 if there are no levels, so that every version counts."""
        return max(len(self.registry.api_versions) - 1, 0)

    @property
    def names(self) -> dict[int, str]:
        """The names of APIs by key."""
        return {key: message.api for key, (message, _) in self._lifecycles.items()}

    def level(self, text: str) -> ApiVersion | None:
        """The ApiVersion with an id in digits or with a version ("3.7-IV4"); None if the text is neither.

        Raises InputError if no level has the id.
        """
        levels = self.registry.api_versions
        if _LEVEL.fullmatch(text):
            if int(text) >= len(levels):
                newest = (
                    f"the newest is {levels[-1].id}, {levels[-1].version}" if levels else "there are none"
                )
                raise InputError(f"there is no {self.word} {int(text)}; {newest}")
            return levels[int(text)]
        level = self.registry.by_version(text)
        if level is None and _SUB_VERSION.fullmatch(text) and not os.path.exists(text):
            near = get_close_matches(text, [item.version for item in levels], n=3)
            raise InputError(f'there is no {self.word} "{text}"; the nearest are {", ".join(near) or "none"}')
        return level if level is not None and (self.explicit or "-IV" in text) else None
