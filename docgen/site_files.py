"""The files that a profile names for its site: home page, guides, logo and favicon."""

from __future__ import annotations

import os
import posixpath
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from wirebook.docgen.catalog.protocol import SiteRecord
from wirebook.rules.opened import OpenedProject
from wirebook.specs.files import read_input
from wirebook.specs.git import Git
from wirebook.specs.limits import MAX_TEXT
from wirebook.specs.problems import InputError

PAGE = ".md"
IMAGES = (".svg", ".png", ".jpg", ".jpeg", ".gif", ".webp", ".ico")
HOME = "index.md"


@dataclass(frozen=True, slots=True)
class SiteFiles:
    """The site of a profile, with its files by the names that they have in the catalog."""

    record: SiteRecord
    files: Mapping[str, bytes]

    def write(self, folder: Path) -> None:
        """Write the files into a folder of a catalog."""
        for name, content in self.files.items():
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)


NO_FILES = SiteFiles(SiteRecord(), {})


def site_files(specs: OpenedProject) -> SiteFiles:
    """Read what the profile of some specs names. Pages keep their relative paths, which links need.

    Raises InputError for a file that is missing, of another kind, or outside the repository.
    """
    return _Reader(specs).read()


def site_paths(specs: OpenedProject) -> list[Path]:
    """Where the files and folders of the site are, of specs in a folder."""
    if specs.top is None:
        return []
    site = specs.profile.site
    named = (site.home, *site.guides, site.logo, site.favicon)
    return [Path(specs.top, posixpath.dirname(specs.profile.path), path) for path in named if path]


class _Reader:
    def __init__(self, specs: OpenedProject) -> None:
        self.specs = specs
        self.profile = specs.profile
        self.folder = posixpath.dirname(self.profile.path)
        self.files: dict[str, bytes] = {}

    def read(self) -> SiteFiles:
        site = self.profile.site
        firsts = [site.home] if site.home else [guide.rstrip("/") for guide in site.guides]
        tops = [posixpath.dirname(posixpath.normpath(first)) for first in firsts]
        top = posixpath.commonpath(tops) if tops and not any(map(posixpath.isabs, tops)) else ""
        guides: list[str] = []
        if site.home:
            self.take("home", site.home, HOME, (PAGE,))
        for guide in site.guides:
            for path in self.listed(guide):
                inner_path = posixpath.relpath(path, top or ".")
                if inner_path.startswith("../"):
                    raise self.error("guides", guide, "is not in the folder of the home page")
                if inner_path == HOME or posixpath.normpath(path) == posixpath.normpath(site.home):
                    if not site.home:
                        raise self.error("guides", path, 'is the home page: name it as "home"')
                    continue
                self.take("guides", path, inner_path, (PAGE, *IMAGES))
                guides += [inner_path] if inner_path.endswith(PAGE) else []
        record = SiteRecord(
            title=site.title,
            description=site.description,
            logo=self.image("logo", site.logo),
            favicon=self.image("favicon", site.favicon),
            primary=site.primary,
            accent=site.accent,
            home=HOME if site.home else "",
            guides=tuple(dict.fromkeys(guides)),
        )
        return SiteFiles(record, self.files)

    def image(self, key: str, path: str) -> str:
        """Take an image; its name in the catalog, "" for none."""
        if not path:
            return ""
        name = f"assets/{key}{posixpath.splitext(path)[1].lower()}"
        self.take(key, path, name, IMAGES)
        return name

    def take(self, key: str, path: str, place: str, kinds: tuple[str, ...]) -> None:
        if not path.lower().endswith(kinds):
            raise self.error(key, path, f"is not one of {', '.join(kinds)}")
        text = self.content(self.inside(key, path))
        if text is None:
            raise self.error(key, path, "is not there")
        self.files[place] = text

    def content(self, path: str) -> bytes | None:
        """The content of a file, None if there is none."""
        if self.specs.top is not None:
            try:
                return read_input(self.specs.file(path), MAX_TEXT, path)
            except FileNotFoundError:
                return None
        if self.specs.repository is None:
            return None
        with Git(self.specs.repository) as git:
            return git.read(f"{self.specs.commit}:{path}", path)

    def inside(self, key: str, path: str) -> str:
        """The path from the top of the specs; raises InputError if that leads out of there."""
        inner_path = posixpath.normpath(posixpath.join(self.folder, path))
        out = posixpath.isabs(inner_path) or "\\" in inner_path or inner_path.startswith("..")
        if not out and self.specs.top is not None:
            out = not self.specs.file(inner_path).resolve().is_relative_to(self.specs.top.resolve())
        if out:
            raise self.error(key, path, "is outside the repository")
        return inner_path

    def listed(self, guide: str) -> Iterator[str]:
        """A guide, or the pages and images of a folder of them, by paths from the profile's folder."""
        if guide.endswith(PAGE):
            yield guide
            return
        names = sorted(self.names(self.inside("guides", guide)), key=lambda name: (name != HOME, name))
        pages = [name for name in names if name.lower().endswith((PAGE, *IMAGES))]
        if not any(name.endswith(PAGE) for name in pages):
            raise self.error("guides", guide, "is neither a Markdown file nor a folder of them")
        for name in pages:
            yield posixpath.join(guide, name)

    def names(self, place: str) -> Iterator[str]:
        """The files below a folder, as paths from there; hidden ones are left out."""
        if self.specs.top is None:
            if self.specs.repository is not None:
                with Git(self.specs.repository) as git:
                    printed = git.run(
                        "ls-tree", "-r", "-z", "--name-only", "--full-tree", f"{self.specs.commit}"
                    )
                for name in printed.decode("utf-8", "surrogateescape").split("\0"):
                    if name.startswith(f"{place}/") and "/." not in name:
                        yield name.removeprefix(f"{place}/")
            return
        top = self.specs.file(place)
        for folder, inner, names in os.walk(top):
            inner[:] = [name for name in inner if not name.startswith(".")]
            for name in names:
                if not name.startswith("."):
                    yield os.path.relpath(os.path.join(folder, name), top).replace(os.sep, "/")

    def error(self, key: str, path: str, why: str) -> InputError:
        return InputError(f'the {key} of the site, "{path}", {why}', self.profile.path)
