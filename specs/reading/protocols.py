"""The protocols of a repository with several of them: the tables [[protocol]] of a configuration."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, NamedTuple

from wirebook.specs.limits import MAX_GLOBS
from wirebook.specs.problems import InputError, Position
from wirebook.specs.profile import Profile
from wirebook.specs.reading.globs import is_deep_name, matches
from wirebook.specs.reading.profiles import CONFIGURATIONS, KEYS, TABLE, Extended, profile_of
from wirebook.specs.syntax.tomltext import TomlDocument, read_toml

_OWN = ("name", "paths", "profile", "released")
_NAME = re.compile(r"[a-z][a-z0-9-]*", re.ASCII)


class Claim(NamedTuple):
    """One of several protocols: its name, globs of its specs, and its profile.

    Without globs, it has the specs that no other protocol claims. `profile` is None if the table has no key
    of a profile: then the profile.toml next to the specs counts, if there is one. `released` are globs of the
    tags of its releases, or sources; None if the releases of the repository are its own. `places` and
    `released_at` are the positions of both kinds of globs in the configuration.
    """

    name: str
    paths: tuple[str, ...]
    profile: Profile | None
    places: tuple[Position | None, ...] = ()
    released: tuple[str, ...] | None = None
    released_at: tuple[Position | None, ...] = ()


class Protocols(NamedTuple):
    """The protocols that a configuration names, and its path, whose folder globs are relative to."""

    path: str = ""
    claims: tuple[Claim, ...] = ()

    def find(self, name: str) -> Claim | None:
        """The protocol with this name."""
        return next((claim for claim in self.claims if claim.name == name), None)

    def owner(self, path: str, *, contested: bool = False) -> str:
        """The protocol that a spec belongs to, by its path from the folder of the configuration; "" for none.

        Raises InputError if two protocols claim it; with `contested`, the first one does.
        """
        claims = [claim for claim in self.claims if claim.paths and matches(path, claim.paths)]
        if len(claims) > 1 and not contested:
            raise self._contested(path, *claims[:2])
        if claims:
            return claims[0].name
        return next((claim.name for claim in self.claims if not claim.paths), "")

    def _contested(self, path: str, first: Claim, second: Claim) -> InputError:
        """The error for a spec that two protocols claim, at the glob that claims too much."""
        words = f'{path} belongs to two protocols: "{first.name}" claims it, and so does "{second.name}"'
        # The name of a folder is likely to mean the one beside the configuration.
        for claim in (second, first):
            for glob, position in zip(claim.paths, claim.places, strict=True):
                if is_deep_name(glob) and matches(path, (glob,)) and not matches(path, (f"/{glob}",)):
                    words += f'; "{glob}" matches at any depth, "/{glob}" only beside this file'
                    return InputError(words, self.path, position)
        number = next(at for at, glob in enumerate(second.paths) if matches(path, (glob,)))
        return InputError(words, self.path, second.places[number])

    @property
    def meant(self) -> tuple[Claim, ...]:
        """The protocols without the positions in the configuration."""
        return tuple(
            claim._replace(
                places=(), released_at=(), profile=claim.profile and claim.profile._replace(path="")
            )
            for claim in self.claims
        )


def read_protocols(
    document: TomlDocument, tables: list[Any], above: tuple[str | int, ...], extended: Extended
) -> Protocols:
    """Read the tables [[protocol]] of a configuration; `above` are the keys that lead to the list.

    `extended` returns the profile with a name or path. Raises InputError, with the line, for unknown keys,
    values of the wrong type, and two protocols with the same name.
    """
    claims: list[Claim] = []
    for number, table in enumerate(tables):
        where = (*above, number)
        if not isinstance(table, dict):
            raise document.error(f"write [[{TABLE}]] above each of them", *where)
        claim = _claim(document, table, where, extended)
        if any(other.name == claim.name for other in claims):
            raise document.error(f'there are two protocols "{claim.name}"', *where, "name")
        if not claim.paths and any(not other.paths for other in claims):
            words = f'name the "paths" of "{claim.name}": another protocol has the specs that none claims'
            raise document.error(words, *where)
        claims.append(claim)
        if sum(len((*each.paths, *(each.released or ()))) for each in claims) + len(claims) > MAX_GLOBS:
            raise document.error(f"more than {MAX_GLOBS:,} protocols and globs", *where)
    return Protocols(document.path, tuple(claims))


def protocols_of_document(text: bytes, path: str, extended: Extended) -> Protocols | None:
    """The protocols that a configuration has; None if it has none, or only one.

    Raises InputError like `read_protocols`.
    """
    document = read_toml(text, path)
    above = CONFIGURATIONS[path.rpartition("/")[2]]
    table = document.inside(above)
    tables = tables_of(table) if isinstance(table, dict) else None
    return None if tables is None else read_protocols(document, tables, (*above, TABLE), extended)


def _claim(
    document: TomlDocument, table: Mapping[str, Any], where: tuple[str | int, ...], extended: Extended
) -> Claim:
    for key in table:
        if key not in (*_OWN, *KEYS):
            raise document.unknown(key, (*_OWN, *KEYS), *where)
    name = table.get("name")
    if not isinstance(name, str) or _NAME.fullmatch(name) is None:
        raise document.error('a protocol needs a "name" of lowercase letters, digits and "-"', *where, "name")
    globs, places = _globs(document, table, "paths", where)
    released, released_at = _globs(document, table, "released", where)
    if "paths" in table and not globs:
        raise document.error(
            '"paths" is empty; omit it for the protocol that has all unclaimed files', *where, "paths"
        )
    own = {key: value for key, value in table.items() if key not in _OWN}
    profile = None
    if "profile" in table:
        if own:
            words = f'"{next(iter(own))}" belongs in the profile that "profile" names'
            raise document.error(words, *where, next(iter(own)))
        profile = _named(document, table["profile"], where, extended)
    elif own:
        profile = profile_of(document, {"name": name, **own}, where, extended)
    return Claim(
        name,
        globs,
        profile and profile._replace(name=name),
        places,
        released if "released" in table else None,
        released_at,
    )


def _globs(
    document: TomlDocument, table: Mapping[str, Any], key: str, where: tuple[str | int, ...]
) -> tuple[tuple[str, ...], tuple[Position | None, ...]]:
    """The globs under a key, a string or a list of them, with their positions; none without the key."""
    globs = [table[key]] if isinstance(table.get(key), str) else table.get(key, [])
    if not isinstance(globs, list) or not all(isinstance(glob, str) and glob.strip() for glob in globs):
        raise document.error(f'"{key}" must be a list of strings', *where, key)
    places = tuple(document.at(*where, key, number) for number in range(len(globs)))
    return tuple(globs), places


def _named(document: TomlDocument, name: object, where: tuple[str | int, ...], extended: Extended) -> Profile:
    """The profile that "profile" names: a built-in one, or a file."""
    if not isinstance(name, str) or not name.strip():
        raise document.error(
            '"profile" must be the path of a profile.toml, or the name of a profile', *where, "profile"
        )
    try:
        return extended(name)
    except InputError as error:
        if error.path is not None:
            raise
        raise document.error_in(error.message.replace(" to extend", ""), *where, "profile") from None


def tables_of(table: Mapping[str, Any]) -> list[Any] | None:
    """The tables [[protocol]] in a table of settings; None if it has none."""
    tables = table.get(TABLE)
    return tables if isinstance(tables, list) and tables else None
