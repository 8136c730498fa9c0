"""The files that a profile names for its site: home page, guides, logo and favicon."""

from __future__ import annotations

import os
import posixpath
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from wirebook.rules.opened import OpenedProject
from wirebook.specs.files import read_input
from wirebook.specs.git import Git
from wirebook.specs.limits import MAX_TEXT
from wirebook.specs.problems import InputError
from wirebook.specs.profile import SiteProfile

PAGE = ".md"
IMAGES = (".svg", ".png", ".jpg", ".jpeg", ".gif", ".webp", ".ico")
HOME = "index.md"


@dataclass(frozen=True, slots=True)
class SiteFiles:
    """The site of a profile, with its files by the names that they have in the catalog."""

    record: SiteProfile
    files: Mapping[str, bytes]


def site_files(specs: OpenedProject) -> SiteFiles:
    """Read what the profile of some specs names. Pages keep their relative paths, which links need.
    Raises InputError for a file that is missing, of another kind, or outside the repository."""
    site, files = specs.profile.site, {}
    firsts = [site.home] if site.home else [guide.rstrip("/") for guide in site.guides]
    tops = [posixpath.dirname(posixpath.normpath(first)) for first in firsts]
    top = posixpath.commonpath(tops) if tops and not any(map(posixpath.isabs, tops)) else ""
    guides: dict[str, None] = {}
    if site.home:
        files[HOME] = _content(specs, "home", site.home, (PAGE,))
    for guide in site.guides:
        for path in _listed(specs, guide):
            name = posixpath.relpath(path, top or ".")
            if name.startswith("../"):
                raise _error(specs, "guides", guide, "is not in the folder of the home page")
            if site.home and posixpath.normpath(path) == posixpath.normpath(site.home):
                continue
            if name == HOME and not site.home:
                raise _error(specs, "guides", path, 'is the home page: name it as "home"')
            if name != HOME:
                files[name] = _content(specs, "guides", path, (PAGE, *IMAGES))
                guides |= {name: None} if name.endswith(PAGE) else {}
    names: dict[str, str] = {"logo": "", "favicon": ""}
    for key, path in (("logo", site.logo), ("favicon", site.favicon)):
        if path:
            names[key] = f"assets/{key}{posixpath.splitext(path)[1].lower()}"
            files[names[key]] = _content(specs, key, path, IMAGES)
    record = site._replace(home=HOME if site.home else "", guides=tuple(guides), **names)
    return SiteFiles(record, files)


def site_paths(specs: OpenedProject) -> list[Path]:
    """Where the files and folders of the site are, of specs in a folder."""
    if specs.top is None:
        return []
    site = specs.profile.site
    named = (site.home, *site.guides, site.logo, site.favicon)
    return [Path(specs.top, posixpath.dirname(specs.profile.path), path) for path in named if path]


def _content(specs: OpenedProject, key: str, path: str, kinds: tuple[str, ...]) -> bytes:
    if not path.lower().endswith(kinds):
        raise _error(specs, key, path, f"is not one of {', '.join(kinds)}")
    place = _inside(specs, key, path)
    text = None
    if specs.top is not None:
        file = specs.file(place)
        text = read_input(file, MAX_TEXT, place) if file.exists() else None
    elif specs.repository is not None:
        with Git(specs.repository) as git:
            text = git.read(f"{specs.commit}:{place}", place)
    if text is None:
        raise _error(specs, key, path, "is not there")
    return text


def _inside(specs: OpenedProject, key: str, path: str) -> str:
    """The path from the top of the specs; raises InputError if that leads out of there."""
    place = posixpath.normpath(posixpath.join(posixpath.dirname(specs.profile.path), path))
    out = posixpath.isabs(place) or "\\" in place or place.startswith("..")
    if not out and specs.top is not None:
        out = not specs.file(place).resolve().is_relative_to(specs.top.resolve())
    if out:
        raise _error(specs, key, path, "is outside the repository")
    return place


def _listed(specs: OpenedProject, guide: str) -> Iterator[str]:
    """A guide, or the pages and images of a folder of them, by paths from the profile's folder."""
    if guide.endswith(PAGE):
        yield guide
        return
    names = sorted(
        _names(specs, _inside(specs, "guides", guide)), key=lambda name: (name != HOME, name)
    )
    if not any(name.endswith(PAGE) for name in names):
        raise _error(specs, "guides", guide, "is neither a Markdown file nor a folder of them")
    for name in names:
        if name.lower().endswith((PAGE, *IMAGES)):
            yield posixpath.join(guide, name)


def _names(specs: OpenedProject, place: str) -> Iterator[str]:
    """The files below a folder, as paths from there; hidden ones are left out."""
    paths: list[str] = []
    if specs.top is not None:
        top = specs.file(place)
        paths = [path.relative_to(top).as_posix() for path in top.rglob("*") if path.is_file()]
    elif specs.repository is not None:
        with Git(specs.repository) as git:
            listed = git.run("ls-tree", "-r", "-z", "--name-only", "--full-tree", str(specs.commit))
        every = map(os.fsdecode, listed.split(b"\0"))
        paths = [path.removeprefix(f"{place}/") for path in every if path.startswith(f"{place}/")]
    yield from (path for path in paths if not any(part.startswith(".") for part in path.split("/")))


def _error(specs: OpenedProject, key: str, path: str, why: str) -> InputError:
    return InputError(f'the {key} of the site, "{path}", {why}', specs.profile.path)
