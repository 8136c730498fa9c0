"""The files that a profile names for its site: home page, guides, logo and favicon."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from wirebook.rules.opened import OpenedProject
from wirebook.specs.files import read_input
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
    Raises InputError for a file that is missing, of another kind, or outside the repository, and if
    the specs are in no folder."""
    site, files = specs.profile.site, {}
    guides = [page for guide in site.guides for page in _listed(specs, guide)]
    names: dict[str, str] = {}
    if site.home:
        home = _place(specs, "home", site.home)
        names["home"], files[HOME] = HOME, _content(specs, "home", home, (PAGE,))
        guides = [page for page in guides if page != home]
        top = home.parent
    elif guides:
        firsts = [_place(specs, "guides", guide).parent for guide in site.guides]
        top = Path(os.path.commonpath(firsts))
    for page in guides:
        if not page.is_relative_to(top):
            raise _error(specs, "guides", page, "is not in the folder of the home page")
        name = page.relative_to(top).as_posix()
        if name == HOME:
            raise _error(specs, "guides", page, 'is the home page: name it as "home"')
        files[name] = _content(specs, "guides", page, (PAGE, *IMAGES))
    for key, path in (("logo", site.logo), ("favicon", site.favicon)):
        if path:
            image = _place(specs, key, path)
            names[key] = f"assets/{key}{image.suffix.lower()}"
            files[names[key]] = _content(specs, key, image, IMAGES)
    pages = tuple(name for name in files if name.endswith(PAGE) and name != HOME)
    return SiteFiles(site._replace(**names, guides=pages), files)


def site_paths(specs: OpenedProject) -> list[Path]:
    """Where the files and folders of the site are, of specs in a folder."""
    if specs.top is None:
        return []
    site = specs.profile.site
    named = (site.home, *site.guides, site.logo, site.favicon)
    return [_folder(specs) / path for path in named if path]


def _folder(specs: OpenedProject) -> Path:
    """The folder of the profile, at which its paths begin."""
    if specs.top is None:
        words = "the files of the site are read from a folder: check the commit out and build there"
        raise InputError(words, specs.profile.path)
    return specs.file(specs.profile.path).parent


def _place(specs: OpenedProject, key: str, path: str) -> Path:
    """A file or folder by its path from the profile, which stays in the repository."""
    place = Path(os.path.normpath(_folder(specs) / path))
    if not place.resolve().is_relative_to(specs.file("").resolve()):
        raise _error(specs, key, place, "is outside the repository")
    return place


def _content(specs: OpenedProject, key: str, file: Path, kinds: tuple[str, ...]) -> bytes:
    if not file.name.lower().endswith(kinds):
        raise _error(specs, key, file, f"is not one of {', '.join(kinds)}")
    if not file.is_file():
        raise _error(specs, key, file, "is not there")
    return read_input(file, MAX_TEXT, os.path.relpath(file, specs.top))


def _listed(specs: OpenedProject, guide: str) -> list[Path]:
    """A guide, or the pages and images of a folder of them; hidden ones are left out."""
    place = _place(specs, "guides", guide)
    if place.suffix == PAGE:
        return [place]
    names = [path.relative_to(place) for path in sorted(place.rglob("*")) if path.is_file()]
    shown = [name for name in names if not any(part.startswith(".") for part in name.parts)]
    found = [name for name in shown if name.name.lower().endswith((PAGE, *IMAGES))]
    if not any(name.suffix == PAGE for name in found):
        words = "is neither a Markdown file nor a folder of them"
        raise _error(specs, "guides", place, words)
    return [place / name for name in sorted(found, key=lambda name: name.as_posix() != HOME)]


def _error(specs: OpenedProject, key: str, file: Path, why: str) -> InputError:
    path = os.path.relpath(file, _folder(specs))
    return InputError(f'the {key} of the site, "{path}", {why}', specs.profile.path)
