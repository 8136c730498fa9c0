"""Sets up a repository of specs: writes all missing files or none, and never replaces a file."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from wirebook.rules.opened import OpenedProject, specs_here
from wirebook.rules.settings import FILE, NOT_YET
from wirebook.specs.files import create_files
from wirebook.specs.git import Git
from wirebook.specs.kafka.profile import kafka_profile
from wirebook.specs.limits import MAX_SETTINGS
from wirebook.specs.problems import InputError
from wirebook.specs.releases import tag_names, usual_glob

EXAMPLE = {
    f"messages/{name}.json": name for name in ("GetNoteRequest", "GetNoteResponse", "NoteData")
}
IGNORED = "/build/\n/site/\n"
HOME_TODO = "TODO: what the protocol is for, and who speaks it."  # on the home page of the site
_TEMPLATES = Path(__file__).resolve().parent / "templates"
_Files = Iterator[tuple[str, str, str]]  # path, text and purpose
# What to add to a file that is there without our part: the line above, and the template.
_BLOCKS = {
    ".pre-commit-config.yaml": ("  - repo: local\n    hooks:\n", "hook"),
    ".gitlab-ci.yml": ("", "gitlab.yml"),
    "mkdocs.yml": ("plugins:\n", "plugins"),
}


@dataclass
class Started:
    """The top of the repository; the written files, each with its purpose; and the unchanged ones,
    each with the reason and the lines to add to it.
    """

    top: Path
    written: dict[str, str] = field(default_factory=dict)
    kept: dict[str, tuple[str, str]] = field(default_factory=dict)


def start(cwd: Path, requirement: str, *, ci: bool = False, site: bool = False) -> Started:
    """Write what is missing, with `ci` and `site` also the files of these.

    `requirement` is what pip installs. Raises InputError if there is no repository or no git, for
    specs and settings that cannot be read, and for a path that points outside the repository;
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
    for path, text, why in (
        *_of_specs(here, words, started),
        *(_of_ci(git, started.top, words) if ci else ()),
        *(_of_site(started.top, words) if site else ()),
    ):
        file = started.top / path
        if not file.parent.resolve().is_relative_to(started.top):
            raise InputError("this points outside the repository", path)
        if os.path.lexists(file):
            started.kept[path] = _kept(path, file, words)
        else:
            texts[file] = text.encode()
            started.written[path] = why
    create_files(texts)
    return started


def _own_specs(here: OpenedProject) -> list[str]:
    """The specs that are there, but for the example, of which a killed run may have left a part."""
    examples = {path: _template(f"{name}.json").encode() for path, name in EXAMPLE.items()}
    return [path for path in here.project.messages if here.tree.text(path) != examples.get(path)]


def _of_specs(here: OpenedProject, words: Mapping[str, str], started: Started) -> _Files:
    """The path, the text and the purpose of each file that every repository gets."""
    own = _own_specs(here)
    if own:
        folder = os.path.commonpath([os.path.dirname(path) for path in own]) or "."
        started.kept[folder] = (
            f"{len(own)} message specs" if len(own) > 1 else "1 message spec",
            "",
        )
    for path, name in EXAMPLE.items() if not own else ():
        yield path, _template(f"{name}.json"), "an example, to be replaced by your messages"
    yield FILE, _filled(FILE, words), "the settings, each explained"
    yield (
        ".pre-commit-config.yaml",
        _filled("pre-commit-config.yaml", words),
        "the check before each commit",
    )


def _of_ci(git: Git, top: Path, words: Mapping[str, str]) -> _Files:
    has_files = any((top / path).exists() for path in (".gitlab-ci.yml", ".gitlab"))
    is_gitlab = not (top / ".github").exists() and (has_files or "gitlab" in git.remote().lower())
    path = ".gitlab-ci.yml" if is_gitlab else ".github/workflows/wirebook.yml"
    yield (
        path,
        _filled("gitlab.yml" if is_gitlab else "github.yml", words),
        "the check of each change in CI",
    )


def _of_site(top: Path, words: Mapping[str, str]) -> _Files:
    # The page comes first: if a killed run has left mkdocs.yml, nothing is missing.
    if not os.path.lexists(top / "mkdocs.yml"):
        yield "docs/index.md", _filled("index.md", words), "the home page of the site"
    yield "mkdocs.yml", _filled("mkdocs.yml", words), "the site"
    yield ".gitignore", IGNORED, "the folders that a build writes"


def _words(git: Git, here: OpenedProject, requirement: str) -> dict[str, str]:
    """The values of the words between @ in templates; the names are those of the remote or the
    folder."""
    name = re.sub(r"[^a-z0-9]+", "-", git.name().lower()).strip("-")
    name = name if name[:1].isalpha() else f"protocol-{name}".rstrip("-")
    words = [word for word in name.split("-") if word not in ("", "protocol", "specs")] or ["wire"]
    product = " ".join(words).capitalize()
    glob = usual_glob(tag_names(git)) if _own_specs(here) else None
    return {
        "REQUIREMENT": requirement,
        "NAME": name,
        "PRODUCT": product,
        "TITLE": f"{product} protocol",
        "TODO": HOME_TODO,
        "HOOK": _template("hook").rstrip("\n"),
        "PLUGINS": _template("plugins").rstrip("\n"),
        "RELEASED": json.dumps(NOT_YET if glob is None else [glob]),
        "EXTENDS": "" if _is_of_kafka(here) else "# ",
    }


def _is_of_kafka(here: OpenedProject) -> bool:
    """Whether the specs have Kafka's ApiVersions: they are Kafka's, or those of a fork."""
    negotiation = kafka_profile().negotiation
    return negotiation is not None and any(
        message.api_key == negotiation.api_key and message.name == f"{negotiation.name}Request"
        for message in here.project.messages.values()
    )


def _kept(path: str, file: Path, words: Mapping[str, str]) -> tuple[str, str]:
    """Why an existing file is kept, and the lines to add to it if it does not contain ours."""
    # A pipe may never end.
    content = file.read_bytes() if file.is_file() and file.stat().st_size <= MAX_SETTINGS else b""
    if path == ".gitignore" and b"build" not in content:
        return "it already exists; add to it:", IGNORED
    if path not in _BLOCKS or b"wirebook" in content:
        return "it already exists", ""
    above, block = _BLOCKS[path]
    return "it already exists; add to it:", above + _filled(block, words)


def _template(name: str) -> str:
    return (_TEMPLATES / f"{name}.template").read_text(encoding="utf-8")


def _filled(name: str, words: Mapping[str, str]) -> str:
    text = _template(name)
    for word, value in words.items():
        text = text.replace(f"@{word}@", value)
    return text
