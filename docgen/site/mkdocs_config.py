"""Which MkDocs configuration a site is built with: the user's, or ours."""

from __future__ import annotations

import re
from pathlib import Path

# The line that names the plugin: an item of a list, a key, or part of a list in one line.
_PLUGIN = re.compile(r"^(?:\s*-\s*|\s+|plugins:.*[\[{,\s])[\"']?wirebook\b", re.MULTILINE)
# The top of a checkout, or the folder `wirebook` of an installed package: both have mkdocs.yml and
# site_src.
BUILTIN = Path(__file__).resolve().parents[2] / "mkdocs.yml"


def find_config(folder: Path) -> Path:
    """The configuration for a site that is built in `folder`: its mkdocs.yml if that names the
    wirebook plugin, else the built-in one."""
    for name in ("mkdocs.yml", "mkdocs.yaml"):
        file = folder / name
        if file.is_file() and _PLUGIN.search(file.read_text(encoding="utf-8", errors="replace")):
            return file
    return BUILTIN


def is_builtin(file: str | Path) -> bool:
    """Whether a configuration file is the one that comes with wirebook."""
    return Path(file).resolve() == BUILTIN
