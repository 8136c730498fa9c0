"""The code that pages document, apart from the rest: mkdocstrings parses every module of a package."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory
from types import ModuleType
from typing import Any

from wirebook.specs.own_code import PACKAGE

_OBJECT = re.compile(rf"^::: ({re.escape(PACKAGE.name)}(?:\.\w+)+)\s*$", re.MULTILINE)


@contextmanager
def only_documented(plugins: Mapping[str, Any], pages: Path) -> Iterator[dict[str, Any]]:
    """The plugins, with mkdocstrings reading copies of our modules that the pages of a folder document."""
    options = plugins.get("mkdocstrings")
    if options is None:
        yield {**plugins}
        return
    with TemporaryDirectory(prefix="wirebook-documented-") as folder:
        for page in sorted(pages.glob("*.md")):
            for name in _OBJECT.findall(page.read_text(encoding="utf-8")):
                for module in _modules(name):
                    _copy(Path(str(module.__file__)), Path(folder))
        python = {**options["handlers"]["python"], "paths": [folder]}
        handlers = {**options["handlers"], "python": python}
        yield {**plugins, "mkdocstrings": {**options, "handlers": handlers}}


def _modules(name: str) -> Iterator[ModuleType]:
    """A module; or for an object, the one that pages name it by, and the one that defines it."""
    above, _, last = name.rpartition(".")
    module = import_module(above)
    if hasattr(module, "__path__") and find_spec(name) is not None:
        yield import_module(name)
        return
    yield module
    defining = getattr(getattr(module, last), "__module__", "")
    if defining.startswith(f"{PACKAGE.name}."):
        yield import_module(defining)


def _copy(file: Path, folder: Path) -> None:
    for path in (file, *(above / "__init__.py" for above in file.parents if above.is_relative_to(PACKAGE))):
        target = folder / path.relative_to(PACKAGE.parent)
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(path, target)
