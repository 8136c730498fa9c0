"""The owners of clients: a file assigns patterns of principals and client ids to teams."""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass
from fnmatch import translate
from functools import lru_cache
from pathlib import Path

from wirebook.specs.files import read_input
from wirebook.specs.limits import MAX_SETTINGS
from wirebook.specs.problems import InputError

NOBODY = ""
_KEYS = {"team", "principal", "client_id"}


@dataclass(frozen=True, slots=True)
class _Owner:
    team: str
    principal: re.Pattern[str] | None
    client_id: re.Pattern[str] | None

    def owns(self, principal: str, client_id: str) -> bool:
        return (self.principal is None or self.principal.match(principal) is not None) and (
            self.client_id is None or self.client_id.match(client_id) is not None
        )


class Owners:
    """Teams by patterns; the first entry that matches a client owns it."""

    def __init__(self, entries: tuple[_Owner, ...] = ()) -> None:
        self.entries = entries
        self.owner = lru_cache(1 << 16)(self._owner)

    def __reduce__(self) -> tuple[type[Owners], tuple[tuple[_Owner, ...]]]:
        return Owners, (self.entries,)

    def _owner(self, principal: str, client_id: str) -> str:
        """The team that owns a client, or NOBODY."""
        return next((entry.team for entry in self.entries if entry.owns(principal, client_id)), NOBODY)


def read_owners(path: Path) -> Owners:
    """Read the owners of a TOML file: `[[owner]]` with `team`, and a `principal`, a `client_id` or both.

    The two are patterns as for file names (`*`, `?`, `[…]`). Raises InputError, OSError.
    """
    try:
        document = tomllib.loads(read_input(path, MAX_SETTINGS).decode("utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise InputError(f"this is not TOML: {error}", str(path)) from None
    listed = document.get("owner")
    if not isinstance(listed, list) or not listed or set(document) != {"owner"}:
        raise InputError("list owners as [[owner]], with the keys team, principal and client_id", str(path))
    return Owners(tuple(_entry(item, number, path) for number, item in enumerate(listed, 1)))


def _entry(item: object, number: int, path: Path) -> _Owner:
    if not isinstance(item, dict) or not all(isinstance(value, str) and value for value in item.values()):
        raise InputError(f"the values of owner {number} must be strings that are not empty", str(path))
    unknown = sorted(set(item) - _KEYS)
    if unknown:
        raise InputError(f'owner {number} has an unknown key "{unknown[0]}"', str(path))
    if "team" not in item or len(item) < 2:
        raise InputError(f"owner {number} needs a team, and a principal, a client_id or both", str(path))
    patterns = {
        name: re.compile(translate(item[name])) for name in ("principal", "client_id") if name in item
    }
    return _Owner(item["team"], patterns.get("principal"), patterns.get("client_id"))
