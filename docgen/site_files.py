"""The files that a profile names for its site: home page, guides, logo and favicon."""

from __future__ import annotations

import os
import posixpath
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from wirebook.docgen.catalog.protocol import SiteRecord
from wirebook.specs.problems import InputError
from wirebook.specs.profile import Profile
from wirebook.specs.sources.beside import folders_above, texts_beside
from wirebook.specs.sources.git_command import run
from wirebook.specs.sources.source import Source

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


def site_files(source: Source, profile: Profile) -> SiteFiles:
    """Read what the profile of a source names. Pages keep their relative paths, which links need.

    Raises InputError for a file that is missing, of another kind, or outside the repository.
    """
    return _Reader(source, profile).read()


def site_paths(source: Source, profile: Profile) -> list[Path]:
    """Where the files and folders of the site are, of a source that is a folder."""
    if source.kind != "directory":
        return []
    site = profile.site
    named = (site.home, *site.guides, site.logo, site.favicon)
    return [Path(source.path, posixpath.dirname(profile.path), path) for path in named if path]


class _Reader:
    def __init__(self, source: Source, profile: Profile) -> None:
        self.source = source
        self.profile = profile
        self.folder = posixpath.dirname(profile.path)
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
        text = next((each.text for each in texts_beside(self.source, [self.inside(key, path)])), None)
        if text is None:
            raise self.error(key, path, "is not there")
        self.files[place] = text

    def inside(self, key: str, path: str) -> str:
        """The path from the top of the source; raises InputError if that leads out of the repository."""
        inner_path = posixpath.normpath(posixpath.join(self.folder, path))
        ups = inner_path.split("/").count("..")
        out = posixpath.isabs(inner_path) or "\\" in inner_path or ups > folders_above(self.source)
        if not out and self.source.kind == "directory":
            root = Path(self.source.path, *[".."] * folders_above(self.source)).resolve()
            file = Path(self.source.path, inner_path).resolve()
            out = root != file and root not in file.parents
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
        if self.source.kind == "git":
            above = posixpath.normpath(posixpath.join(self.source.subdir.strip("/"), place))
            printed = run(
                self.source.path, "ls-tree", "-r", "-z", "--name-only", self.source.commit or "HEAD"
            )
            for name in printed.decode("utf-8", "surrogateescape").split("\0"):
                if name.startswith(f"{above}/") and "/." not in name:
                    yield name.removeprefix(f"{above}/")
            return
        top = os.path.join(self.source.path, *place.split("/"))
        for folder, inner, names in os.walk(top):
            inner[:] = [name for name in inner if not name.startswith(".")]
            for name in names:
                if not name.startswith("."):
                    yield os.path.relpath(os.path.join(folder, name), top).replace(os.sep, "/")

    def error(self, key: str, path: str, why: str) -> InputError:
        return InputError(f'the {key} of the site, "{path}", {why}', self.profile.path)
