"""Sets up a repository of specs: writes all missing files or none, and never replaces a file."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from wirebook.rules.opened import OpenedProject, specs_here
from wirebook.rules.settings import FILE, NOT_YET
from wirebook.specs.files import create_files, refuse_links
from wirebook.specs.git import Git
from wirebook.specs.problems import InputError
from wirebook.specs.releases import usual_glob

EXAMPLE = {
    f"messages/{name}.json": name for name in ("GetNoteRequest", "GetNoteResponse", "NoteData")
}
HOME_TODO = "TODO: what the protocol is for, and who speaks it."  # on the home page of the site
_TEMPLATES = Path(__file__).resolve().parent / "templates"
_HOOKS, _SITE, _GITLAB = ".pre-commit-config.yaml", "mkdocs.yml", ".gitlab-ci.yml"
# What to add to a file that does not name wirebook: the line above, and the template.
_BLOCKS = {
    _HOOKS: ("  - repo: local\n    hooks:\n", "hook"),
    _GITLAB: ("", "gitlab.yml"),
    _SITE: ("plugins:\n", "plugins"),
    ".gitignore": ("", "gitignore"),
}


@dataclass
class Started:
    """The top of the repository; the written files, each with its purpose; and the unchanged ones,
    each with the lines to add to it.
    """

    top: Path
    written: dict[str, str] = field(default_factory=dict)
    unchanged: dict[str, str] = field(default_factory=dict)


def start(cwd: Path, requirement: str, *, ci: bool = False, site: bool = False) -> Started:
    """Write what is missing, with `ci` and `site` also the files of these.

    `requirement` is what pip installs. Raises InputError if there is no repository or no git, for
    specs and settings that cannot be read, and for a path through a link of the repository;
    OSError.
    """
    if not cwd.is_dir():
        raise InputError("no such folder", str(cwd))
    git = Git.find(cwd)
    if git is None or git.top is None:
        raise InputError("this is not a git repository with files; run `git init` first", str(cwd))
    started = Started(git.top.resolve())
    here = specs_here(started.top)
    words = _words(git, here, requirement)
    texts: dict[Path, bytes] = {}
    for path, (template, why) in _files(git, here, started.top, ci=ci, site=site).items():
        file = started.top / path
        refuse_links(file)
        if not os.path.lexists(file):
            texts[file] = _filled(template, words).encode()
            started.written[path] = why
        elif path in _BLOCKS and b"wirebook" not in file.read_bytes():
            above, block = _BLOCKS[path]
            started.unchanged[path] = above + _filled(block, words)
        else:
            started.unchanged[path] = ""
    create_files(texts)
    return started


def _files(
    git: Git, here: OpenedProject, top: Path, *, ci: bool, site: bool
) -> dict[str, tuple[str, str]]:
    """The template and the purpose of each file, by its path."""
    files = {FILE: (FILE, "the settings, each explained")}
    if not here.project.messages:
        why = "an example, to be replaced by your messages"
        files |= {path: (f"{name}.json", why) for path, name in EXAMPLE.items()}
    files[_HOOKS] = ("pre-commit-config.yaml", "the check before each commit")
    if ci:
        is_named = (top / _GITLAB).exists() or "gitlab" in git.remote().lower()
        is_gitlab = is_named and not (top / ".github").exists()
        path = _GITLAB if is_gitlab else ".github/workflows/wirebook.yml"
        template = "gitlab.yml" if is_gitlab else "github.yml"
        files[path] = (template, "the check of each change in CI")
    if site:
        if not os.path.lexists(top / _SITE):
            files["docs/index.md"] = ("index.md", "the home page of the site")
        files[_SITE] = ("mkdocs.yml", "the site")
        files[".gitignore"] = ("gitignore", "the folders that a build writes")
    return files


def _words(git: Git, here: OpenedProject, requirement: str) -> dict[str, str]:
    """The values of the words between @ in templates; the names are those of the remote or the
    folder."""
    name = re.sub(r"[^a-z0-9]+", "-", git.name().lower()).strip("-")
    name = name if name[:1].isalpha() else f"protocol-{name}".rstrip("-")
    product = name.removesuffix("-specs").removesuffix("-protocol").replace("-", " ").capitalize()
    glob = usual_glob(git) if here.project.messages else None
    return {
        "REQUIREMENT": requirement,
        "NAME": name,
        "PRODUCT": product,
        "TITLE": f"{product} protocol",
        "TODO": HOME_TODO,
        "HOOK": _template("hook").rstrip("\n"),
        "PLUGINS": _template("plugins").rstrip("\n"),
        "RELEASED": json.dumps(NOT_YET if glob is None else [glob]),
        # Kafka's specs, or those of a fork.
        "EXTENDS": "" if here.protocol.find("ApiVersionsRequest") else "# ",
    }


def _template(name: str) -> str:
    return (_TEMPLATES / f"{name}.template").read_text(encoding="utf-8")


def _filled(name: str, words: Mapping[str, str]) -> str:
    text = _template(name)
    for word, value in words.items():
        text = text.replace(f"@{word}@", value)
    return text
