"""The owners file: assigns patterns of principals and client ids to teams, and to applications."""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass
from fnmatch import translate
from pathlib import Path
from typing import NamedTuple

from wirebook.fleet.patterns import pattern_of
from wirebook.specs.files import read_input
from wirebook.specs.limits import MAX_SETTINGS
from wirebook.specs.problems import InputError

# The tables of the file, with the key that each entry assigns.
_TABLES = {"owner": "team", "application": "name"}
_PATTERNS = ("principal", "client_id")


class Names(NamedTuple):
    """What distinguishes an application."""

    application: str
    principal: str
    owner: str


class Entry(NamedTuple):
    """What is assigned to the clients that match both patterns."""

    value: str
    principal: re.Pattern[str]
    client_id: re.Pattern[str]


@dataclass(frozen=True, slots=True)
class Owners:
    """Teams and applications by patterns; of each, the first entry that matches a client counts."""

    teams: tuple[Entry, ...] = ()
    applications: tuple[Entry, ...] = ()

    def names(self, principal: str, client_id: str) -> Names:
        """The application of a client, its principal, and the team that owns it, or ""."""
        named = _first(self.applications, principal, client_id)
        team = _first(self.teams, principal, client_id)
        return Names(named or pattern_of(client_id), principal, team)


def _first(entries: tuple[Entry, ...], principal: str, client_id: str) -> str:
    for entry in entries:
        if entry.principal.match(principal) and entry.client_id.match(client_id):
            return entry.value
    return ""


def read_owners(path: Path) -> Owners:
    """Read a TOML file of `[[owner]]`, with `team`, and `[[application]]`, with `name`; each has a
    `principal`, a `client_id` or both.

    The two are patterns as for file names (`*`, `?`, `[…]`). Raises InputError, OSError.
    """
    try:
        document = tomllib.loads(read_input(path, MAX_SETTINGS).decode("utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise InputError(f"this is not TOML: {error}", str(path)) from None
    is_listed = all(isinstance(listed, list) and listed for listed in document.values())
    if not document or not document.keys() <= _TABLES.keys() or not is_listed:
        words = "list owners as [[owner]], with the keys team, principal and client_id, and"
        words += " applications as [[application]], with name instead of team"
        raise InputError(words, str(path))
    read: dict[str, list[Entry]] = {name: [] for name in _TABLES}
    for name, rows in document.items():
        key = _TABLES[name]
        for number, row in enumerate(rows, 1):
            if not _is_entry(row, key):
                words = f"needs a {key}, and a principal, a client_id or both, as strings,"
                words += " and no other keys"
                raise InputError(f"{name} {number} {words}", str(path))
            patterns = (re.compile(translate(row.get(each, "*"))) for each in _PATTERNS)
            read[name].append(Entry(row[key], *patterns))
    return Owners(tuple(read["owner"]), tuple(read["application"]))


def _is_entry(row: object, key: str) -> bool:
    return (
        isinstance(row, dict)
        and {key} < row.keys() <= {key, *_PATTERNS}
        and all(isinstance(value, str) and value for value in row.values())
    )
