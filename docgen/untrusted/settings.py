"""The harmless part of a checkout's mkdocs.yml, and its pages: neither code nor files from elsewhere."""

from __future__ import annotations

import json
import os
import re
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from wirebook.docgen.site.front_matter import theme_text
from wirebook.docgen.site.mkdocs_config import NAMES, PLUGIN, SiteConfig, builtin_config
from wirebook.docgen.site_files import IMAGES, PAGE
from wirebook.docgen.svg import check_svg
from wirebook.specs.files import read_file
from wirebook.specs.limits import MAX_FILES, MAX_SITE_NESTING, MAX_SITE_SETTINGS, MAX_TEXT, MAX_TOTAL
from wirebook.specs.printable import visible
from wirebook.specs.problems import InputError, Position

_THEMES = ("material", "mkdocs", "readthedocs")
_EXTENSIONS = (
    "abbr", "admonition", "attr_list", "def_list", "footnotes", "md_in_html", "sane_lists", "tables", "toc",
    "pymdownx.betterem", "pymdownx.caret", "pymdownx.details", "pymdownx.highlight", "pymdownx.inlinehilite",
    "pymdownx.keys", "pymdownx.mark", "pymdownx.superfences", "pymdownx.tabbed", "pymdownx.tasklist",
    "pymdownx.tilde",
)  # fmt: skip
_WORDS = re.compile(r"[A-Za-z0-9][A-Za-z0-9 ._-]{0,99}", re.ASCII)
_URL = re.compile(r"https?://[A-Za-z0-9._~:/-]{1,500}", re.ASCII)
_PATH = re.compile(r"[^\\:\0-\x1f\"'<>&]{1,500}")
_AUTODOC = b":::"


@dataclass(frozen=True)
class Harmless:
    """The configuration to build with, and the keys of the checkout's that do not count."""

    config: SiteConfig
    ignored: tuple[str, ...] = ()


@contextmanager
def harmless_config(folder: Path) -> Iterator[Harmless]:
    """The configuration for a site that is built in `folder`, from a copy of the pages, in the block.

    Without a mkdocs.yml that names the wirebook plugin it is the built-in one. Raises InputError for a file
    that cannot be read, is a link or uses aliases, and for a page that is a link.
    """
    builtin = Harmless(replace(builtin_config(), site_dir=folder / "site"))
    file = next((folder / name for name in NAMES if os.path.lexists(folder / name)), None)
    raw = _read(file) if file is not None else {}
    reader = _Reader()
    settings = reader.settings(raw)
    if file is None or PLUGIN not in settings["plugins"]:
        yield builtin
        return
    with tempfile.TemporaryDirectory(prefix="wirebook-settings-") as temporary:
        docs = raw.get("docs_dir", "docs")
        if not isinstance(docs, str):
            raise InputError('"docs_dir" must be a string', file.name)
        others = _copy_pages(folder, docs, Path(temporary, "docs"))
        ignored = [*reader.ignored, *([f"{others} other files of {visible(docs)}"] if others else [])]
        copy = Path(temporary, NAMES[0])
        copy.write_text(json.dumps(settings), encoding="utf-8")
        yield Harmless(SiteConfig(copy, settings["plugins"], folder / "site"), tuple(ignored))


def check_places(*places: Path) -> None:
    """Raise InputError if a file or folder to write in the current folder is, or is below, a link."""
    working_folder = os.path.realpath(".")
    for place in places:
        written = os.path.normpath(os.path.join(working_folder, place))
        if written.startswith(os.path.join(working_folder, "")) and os.path.realpath(written) != written:
            raise InputError("is or is below a link, through which --untrusted does not write", str(place))


def check_own_pages(folder: Path) -> None:
    """Raise InputError if a page that a profile names would have docstrings of Python modules put in.

    The built-in configuration has a plugin for that, which may import the modules.
    """
    for path in sorted(folder.rglob(f"*{PAGE}")):
        if _AUTODOC in path.read_bytes():
            raise InputError('must not contain ":::" with --untrusted', path.relative_to(folder).as_posix())


# -- the pages ------------------------------------------------------------------------------------


def _copy_pages(folder: Path, docs: str, target: Path) -> int:
    """Copy pages and images; returns how many other files are left out."""
    top = os.path.normpath(os.path.join(os.path.realpath(folder), docs))
    inside = top.startswith(os.path.join(os.path.realpath(folder), ""))
    if not inside or os.path.realpath(top) != top:
        raise InputError(f'"docs_dir" is "{visible(docs)}", which is not a folder of the checkout', NAMES[0])
    target.mkdir()
    others = total = count = 0
    for above, names, files in os.walk(top):
        names[:] = sorted(name for name in names if not name.startswith("."))
        for name in (*names, *files):
            if os.path.islink(os.path.join(above, name)):
                relative = os.path.relpath(os.path.join(above, name), folder)
                raise InputError("is a link, which --untrusted does not follow", relative)
        for name in sorted(files):
            if name.startswith(".") or not name.lower().endswith((PAGE, *IMAGES)):
                others += 1
                continue
            path = Path(above, name)
            relative = os.path.relpath(path, folder)
            page_text = read_file(path, MAX_TEXT)
            if page_text is None:
                raise InputError("this is not a regular file", relative)
            content, is_whole = page_text
            total, count = total + len(content), count + 1
            if not is_whole or total > MAX_TOTAL or count > MAX_FILES:
                raise InputError("this file, or all pages together, are too large", relative)
            if name.lower().endswith(".svg"):
                check_svg(content, relative)
            copy = target / os.path.relpath(path, top)
            copy.parent.mkdir(parents=True, exist_ok=True)
            copy.write_bytes(content)
    return others


# -- the settings ---------------------------------------------------------------------------------

_NOTHING = object()  # a value that does not count


def _read(file: Path) -> dict[str, Any]:
    """The mapping in a file of YAML, without any object of Python. Raises InputError."""
    import yaml  # type: ignore[import-untyped]

    class Loader(yaml.SafeLoader):  # type: ignore[misc]
        """Reads values with other tags, such as !ENV and !!python/name, as nothing."""

    Loader.add_multi_constructor("", lambda _loader, _suffix, _node: _NOTHING)
    if file.is_symlink():
        raise InputError("is a link, which --untrusted does not follow", file.name)
    try:
        settings_text = read_file(file, MAX_SITE_SETTINGS)
    except OSError as error:
        raise InputError(error.strerror or str(error), file.name) from None
    if settings_text is None:
        raise InputError("must be a regular file with --untrusted", file.name)
    content, is_whole = settings_text
    if not is_whole:
        raise InputError(f"this is larger than {MAX_SITE_SETTINGS >> 10} KiB", file.name)
    try:
        text = content.decode("utf-8")
        depth = 0
        # Before anything is built: an alias can stand for as much as it likes.
        for event in yaml.parse(text, Loader):
            depth += isinstance(event, yaml.CollectionStartEvent) - isinstance(event, yaml.CollectionEndEvent)
            where = Position(event.start_mark.line + 1, event.start_mark.column + 1)
            if isinstance(event, yaml.AliasEvent):
                raise InputError("--untrusted reads no aliases of YAML", file.name, where)
            if depth > MAX_SITE_NESTING:
                raise InputError(f"is nested more than {MAX_SITE_NESTING} levels deep", file.name, where)
        raw = yaml.load(text, Loader)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        position = Position(mark.line + 1, mark.column + 1) if mark is not None else None
        raise InputError(f"this is not YAML: {visible(str(error.problem))}", file.name, position) from None
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        line = " ".join(visible(str(error)).split())
        raise InputError(f"this is not YAML: {line}", file.name) from None
    if not isinstance(raw, dict):
        raise InputError("is not a MkDocs configuration", file.name)
    return raw


class _Reader:
    """Takes what is listed here, in the forms that are listed here, and notes the rest."""

    def __init__(self) -> None:
        self.ignored: list[str] = []

    def settings(self, raw: Mapping[Any, Any]) -> dict[str, Any]:
        settings = self.taken(
            raw,
            {
                "site_name": _text,
                "site_description": _text,
                "site_author": _text,
                "site_url": _matching(_URL),
                "use_directory_urls": _flag,
                "theme": self.theme,
                "nav": self.nav,
                "markdown_extensions": self.extensions,
                "plugins": self.plugins,
                "docs_dir": lambda _: "docs",
                "site_dir": lambda _: _NOTHING,
            },
        )
        return {
            "site_name": "Protocol",
            **settings,
            "docs_dir": "docs",
            "plugins": settings.get("plugins", {}),
        }

    def taken(
        self, raw: Mapping[Any, Any], forms: Mapping[str, Callable[[Any], Any]], above: str = ""
    ) -> dict[str, Any]:
        """The values that count, by key."""
        settings = {}
        for key, value in raw.items():
            form = forms.get(key) if isinstance(key, str) else None
            read = _NOTHING if form is None else form(value)
            if read is _NOTHING:
                self.ignored.append(f"{above}{visible(str(key))[:100]}")
            else:
                settings[str(key)] = read
        return settings

    def theme(self, value: Any) -> Any:
        if isinstance(value, str):
            value = {"name": value}
        if not isinstance(value, dict) or value.get("name") not in _THEMES:
            return _NOTHING
        forms = {
            "name": _matching(_WORDS),
            "language": _matching(_WORDS),
            "font": lambda font: False if font is False else _NOTHING,
            "logo": _picture,
            "favicon": _picture,
            "palette": self.palettes,
            "features": lambda words: _list(words, _matching(_WORDS)),
        }
        return self.taken(value, forms, "theme.")

    def palettes(self, value: Any) -> Any:
        if isinstance(value, list):
            return _list(value, self.palettes)
        if not isinstance(value, dict):
            return _NOTHING
        forms = dict.fromkeys(("scheme", "primary", "accent"), _matching(_WORDS))
        return self.taken(value, forms, "theme.palette.")

    def nav(self, value: Any) -> Any:
        """A menu of pages and of addresses with https."""
        if isinstance(value, str):
            is_page = _PATH.fullmatch(value) and ".." not in value.split("/") and not value.startswith("/")
            return value if is_page or _URL.fullmatch(value) else _NOTHING
        if isinstance(value, list):
            return _list(value, self.nav)
        if isinstance(value, dict) and len(value) == 1:
            ((title, below),) = value.items()
            read = self.nav(below)
            return _NOTHING if read is _NOTHING or not isinstance(title, str) else {theme_text(title): read}
        return _NOTHING

    def extensions(self, value: Any) -> Any:
        extensions: list[Any] = []
        for name, options in _named(value):
            if name not in _EXTENSIONS:
                self.ignored.append(f"markdown_extensions.{visible(name)[:100]}")
                continue
            own_options = options if isinstance(options, dict) else {}
            plain = dict.fromkeys(map(str, own_options), _flag)
            extensions.append({name: self.taken(own_options, plain, f"markdown_extensions.{name}.")})
        return extensions

    def plugins(self, value: Any) -> Any:
        plugins: dict[str, Any] = {}
        for name, options in _named(value):
            own_options = options if isinstance(options, dict) else {}
            if name == "search":
                plugins[name] = self.taken(own_options, {}, "plugins.search.")
            elif name == PLUGIN:
                forms: dict[str, Callable[[Any], Any]] = dict.fromkeys(
                    ("sidebar", "search", "markdown", "footer"), _flag
                )
                forms |= {
                    "nav": lambda nav: nav if isinstance(nav, bool) else _text(nav),
                    "folder": _matching(_WORDS),
                }
                plugins[name] = self.taken(own_options, forms, f"plugins.{PLUGIN}.")
            else:
                self.ignored.append(f"plugins.{visible(name)[:100]}")
        return plugins


def _named(value: Any) -> Iterator[tuple[str, Any]]:
    """(name, options) from either form that MkDocs reads: a mapping, or a list."""
    for entry in [value] if isinstance(value, dict) else value if isinstance(value, list) else []:
        for name, options in entry.items() if isinstance(entry, dict) else [(entry, None)]:
            yield str(name), options


def _list(value: Any, form: Callable[[Any], Any]) -> Any:
    """The entries of a list, if all of them count."""
    read = [form(entry) for entry in value] if isinstance(value, list) else [_NOTHING]
    return _NOTHING if any(entry is _NOTHING for entry in read) else read


def _text(value: Any) -> Any:
    return theme_text(value) if isinstance(value, str) and len(value) <= 1000 else _NOTHING


def _flag(value: Any) -> Any:
    return value if isinstance(value, bool | int) and abs(value) < 100 else _NOTHING


def _matching(form: re.Pattern[str]) -> Callable[[Any], Any]:
    return lambda value: value if isinstance(value, str) and form.fullmatch(value) else _NOTHING


def _picture(value: Any) -> Any:
    fits = isinstance(value, str) and _PATH.fullmatch(value) and value.lower().endswith(IMAGES)
    return value if fits and ".." not in value.split("/") and not value.startswith("/") else _NOTHING
