"""Splits the specs of a source by protocol: one, or those that [[protocol]] names."""

from __future__ import annotations

import posixpath
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import NamedTuple, TypeVar

from wirebook.specs.problems import InputError
from wirebook.specs.profile import Profile
from wirebook.specs.profile_choice import profile_of, stated_protocols
from wirebook.specs.reading.discovery import SpecText
from wirebook.specs.reading.profiles import CONFIGURATIONS
from wirebook.specs.reading.protocols import Protocols
from wirebook.specs.sources.beside import places_beside, texts_beside
from wirebook.specs.sources.source import Source

Named = TypeVar("Named")


class ProtocolPart(NamedTuple):
    """The specs of one protocol of a source; `name` is that of [[protocol]], "" if there is none."""

    name: str
    profile: Profile
    texts: list[SpecText]


class Held(NamedTuple):
    """The protocols that a configuration next to specs names, and where its folder is relative to the source.

    `above` are the folders from it down to the top of the source; `below` is its path if it is inside.
    """

    protocols: Protocols
    above: str = ""
    below: str = ""

    def owner(self, path: str) -> str:
        """The protocol that a spec belongs to, by its path from the top of the source; "" for none.

        Raises InputError if two protocols claim it.
        """
        place = posixpath.join(self.above, path)
        return self.protocols.owner(posixpath.relpath(f"/{place}", f"/{self.below}"))

    def claims(self, name: str, path: str) -> bool:
        """Whether a spec, possibly of a former release, belongs to a protocol."""
        place = posixpath.relpath(f"/{posixpath.join(self.above, path)}", f"/{self.below}")
        return self.protocols.owner(place, contested=True) == name


def held_by(source: Source, paths: Sequence[str]) -> Held | None:
    """The protocols in the nearest configuration with [[protocol]] next to the specs at `paths`; None without
    one.

    Raises InputError for one that cannot be read.
    """

    def opened(path: str) -> bytes | None:
        return next((text.text for text in texts_beside(source, [path])), None)

    places = [place for name in CONFIGURATIONS for place in places_beside(source, paths, name)]
    for text in texts_beside(source, places):
        protocols = stated_protocols(text.text, text.path, opened)
        if protocols is None:
            continue
        folder = posixpath.dirname(text.path)
        if not folder.startswith(".."):
            return Held(protocols, below=folder)
        return Held(protocols, above="/".join(_folders(source)[-len(folder.split("/")) :]))
    return None


def parts_of(source: Source, texts: Sequence[SpecText]) -> list[ProtocolPart]:
    """The texts of a source by protocol, each with its profile; one part if there is no [[protocol]].

    Raises InputError for a profile or a configuration that cannot be read, and for a spec of two protocols.
    """
    configured = held_by(source, [text.path for text in texts])
    if configured is None:
        return [ProtocolPart("", profile_of(source, [text.path for text in texts]), list(texts))]
    texts_by_protocol: dict[str, list[SpecText]] = {}
    for text in texts:
        texts_by_protocol.setdefault(configured.owner(text.path), []).append(text)
    parts = []
    for name, own in sorted(texts_by_protocol.items()):
        claim = configured.protocols.find(name)
        stated = claim.profile if claim is not None else None
        parts.append(ProtocolPart(name, stated or profile_of(source, [text.path for text in own]), own))
    return parts


def chosen(parts: Sequence[tuple[str, Named]], name: str | None, where: str) -> Named:
    """Choose one of several protocols by name, or the only one.

    Raises InputError if there is no such protocol, or if there are several and no name is given.
    """
    if name is None and len(parts) == 1:
        ((_, only),) = parts
        return only
    match = next((part for each, part in parts if each and each == name), None)
    if match is not None:
        return match
    names = listed(each for each, _ in parts)
    if name is None:
        raise InputError(f"there are several protocols in {where}: {names}; choose one with --protocol")
    words = f"it has {names}" if names else "it has one protocol; leave --protocol out"
    raise InputError(f'there is no protocol "{name}" in {where}; {words}')


def chosen_part(
    source: Source, texts: Sequence[SpecText], name: str | None, where: str
) -> tuple[ProtocolPart, Callable[[str], bool]]:
    """The protocol of a source that `chosen` returns, and a predicate for the paths of its specs.

    The predicate also accepts paths of former releases. Raises the errors of `parts_of` and `chosen`.
    """
    part = chosen([(part.name, part) for part in parts_of(source, texts)], name, where)
    configured = held_by(source, [text.path for text in texts]) if part.name else None
    if configured is None:
        return part, lambda path: True
    return part, lambda path: configured.claims(part.name, path)


def listed(names: Iterable[str]) -> str:
    """Names of protocols on one line; the part that no [[protocol]] claims has no name."""
    return ", ".join(name for name in names if name)


def _folders(source: Source) -> list[str]:
    """The folders above the top of a source."""
    if source.kind == "git":
        return [part for part in source.subdir.split("/") if part]
    return list(Path(source.path).resolve().parts)
