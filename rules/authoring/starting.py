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
from wirebook.specs.files import create
from wirebook.specs.git import Git
from wirebook.specs.kafka.profile import KAFKA_PROFILE
from wirebook.specs.limits import MAX_SETTINGS
from wirebook.specs.problems import InputError
from wirebook.specs.releases import tag_names, usual_glob

EXAMPLE = {f"messages/{name}.json": name for name in ("GetNoteRequest", "GetNoteResponse", "NoteData")}
IGNORED = ("/build/", "/site/")
HOME_TODO = "TODO: what the protocol is for, and who speaks it."  # on the home page of the site
_TEMPLATES = Path(__file__).resolve().parent / "templates"


@dataclass(frozen=True)
class StartRequest:
    """The current folder, what pip installs in CI, and whether to write the files of CI and of a site."""

    cwd: Path
    requirement: str
    ci: bool = False
    site: bool = False


@dataclass(frozen=True)
class Kept:
    """A file that stays unchanged, the reason, and the lines to add to it, if any."""

    path: str
    reason: str
    block: str = ""


@dataclass
class Started:
    """The top of the repository, the written files, the one with new lines, and the unchanged ones."""

    top: Path
    written: dict[str, str] = field(default_factory=dict)  # each with its purpose
    extended: dict[str, str] = field(default_factory=dict)
    kept: list[Kept] = field(default_factory=list)


def start(request: StartRequest) -> Started:
    """Write what is missing.

    Raises InputError if there is no repository or no git, for specs and settings that cannot be read, and for
    a path that points outside the repository; OSError.
    """
    if not request.cwd.is_dir():
        raise InputError("no such folder", str(request.cwd))
    git = Git.find(request.cwd)
    if git is None or git.top is None:
        raise InputError("this is not a git repository with files; run `git init` first", str(request.cwd))
    top = git.top.resolve()
    started = Started(top)
    words = _words(git, request.requirement)
    texts: dict[Path, bytes] = {}
    for path, text, why in _wanted(request, git, specs_here(top), words, started):
        file = top / path
        if not file.parent.resolve().is_relative_to(top):
            raise InputError("this points outside the repository", path)
        if os.path.lexists(file):
            started.kept.append(_kept(path, file, words))
        else:
            texts[file] = text.encode()
            started.written[path] = why
    create(texts, dict(_ignoring(top, texts, started)) if request.site else {})
    return started


def _wanted(
    request: StartRequest, git: Git, here: OpenedProject, words: Mapping[str, str], started: Started
) -> Iterator[tuple[str, str, str]]:
    """The path, the text and the purpose of each file; unneeded ones are noted as kept."""
    # A killed run may have left a part of the example.
    own = [path for path in here.project.messages if here.project.texts[path] != _example(path)]
    if own:
        count = f"{len(own)} message specs" if len(own) > 1 else "1 message spec"
        started.kept.append(Kept(os.path.commonpath([os.path.dirname(path) for path in own]) or ".", count))
    else:
        for path, name in EXAMPLE.items():
            yield path, _template(f"{name}.json"), "an example, to be replaced by your messages"
    settings = {
        **words,
        "RELEASED": json.dumps(_releases(git) if own else NOT_YET),
        "EXTENDS": "" if _is_of_kafka(here) else "# ",
    }
    yield FILE, _filled(FILE, settings), "the settings, each explained"
    yield ".pre-commit-config.yaml", _filled("pre-commit-config.yaml", words), "the check before each commit"
    if request.ci:
        is_gitlab = _is_gitlab(git, started.top)
        path = ".gitlab-ci.yml" if is_gitlab else ".github/workflows/wirebook.yml"
        text = _filled("gitlab.yml" if is_gitlab else "github.yml", words)
        yield path, text, "the check of each change in CI"
    if request.site:
        # Write the page first: if a killed run has left mkdocs.yml, nothing is missing.
        if not os.path.lexists(started.top / "mkdocs.yml"):
            yield "docs/index.md", _filled("index.md", words), "the home page of the site"
        yield "mkdocs.yml", _filled("mkdocs.yml", words), "the site"


def _is_of_kafka(here: OpenedProject) -> bool:
    """Whether the specs have Kafka's ApiVersions: they are Kafka's, or those of a fork."""
    negotiation = KAFKA_PROFILE.negotiation
    return negotiation is not None and any(
        message.api_key == negotiation.api_key and message.name == f"{negotiation.name}Request"
        for message in here.project.messages.values()
    )


def _example(path: str) -> bytes | None:
    return _template(f"{EXAMPLE[path]}.json").encode() if path in EXAMPLE else None


def _words(git: Git, requirement: str) -> dict[str, str]:
    """The values of the words between @ in templates; the names are those of the remote or the folder."""
    name = re.sub(r"[^a-z0-9]+", "-", git.name().lower()).strip("-")
    name = name if name[:1].isalpha() else f"protocol-{name}".rstrip("-")
    words = [word for word in name.split("-") if word not in ("", "protocol", "specs")] or ["wire"]
    product = " ".join(words).capitalize()
    return {
        "REQUIREMENT": requirement,
        "NAME": name,
        "PRODUCT": product,
        "TITLE": f"{product} protocol",
        "TODO": HOME_TODO,
        "HOOK": _template("hook").rstrip("\n"),
        "PLUGINS": _template("plugins").rstrip("\n"),
    }


def _is_gitlab(git: Git, top: Path) -> bool:
    has_files = any((top / path).exists() for path in (".gitlab-ci.yml", ".gitlab"))
    return not (top / ".github").exists() and (has_files or "gitlab" in git.remote().lower())


def _releases(git: Git) -> list[str] | str:
    """Globs of the tags that name releases, for the most common form of such names."""
    glob = usual_glob(tag_names(git))
    return NOT_YET if glob is None else [glob]


def _kept(path: str, file: Path, words: Mapping[str, str]) -> Kept:
    """An existing file, with the lines to add to it if it does not contain ours."""
    blocks = {".pre-commit-config.yaml": "hook", ".gitlab-ci.yml": "gitlab.yml", "mkdocs.yml": "plugins"}
    if path not in blocks or not _is_readable(file) or b"wirebook" in file.read_bytes():
        return Kept(path, "it already exists")
    above = {".pre-commit-config.yaml": "  - repo: local\n    hooks:\n", "mkdocs.yml": "plugins:\n"}
    return Kept(path, "it already exists; add to it:", above.get(path, "") + _filled(blocks[path], words))


def _ignoring(top: Path, texts: dict[Path, bytes], started: Started) -> Iterator[tuple[Path, bytes]]:
    """The .gitignore with the folders that a build writes: a new file, or lines at the end of the old one."""
    file = top / ".gitignore"
    if not os.path.lexists(file):
        texts[file] = "".join(f"{name}\n" for name in IGNORED).encode()
        started.written[".gitignore"] = "the folders that a build writes"
        return
    if file.is_symlink() or not _is_readable(file):
        started.kept.append(Kept(".gitignore", "add to it:", "".join(f"{name}\n" for name in IGNORED)))
        return
    text = file.read_bytes()
    ignored = {line.strip().strip(b"/") for line in text.splitlines()}
    missing = [name for name in IGNORED if name.strip("/").encode() not in ignored]
    if not missing:
        started.kept.append(Kept(".gitignore", "it names the folders of a build already"))
        return
    end = b"" if not text or text.endswith(b"\n") else b"\n"
    started.extended[".gitignore"] = " ".join(missing)
    yield file, text + end + "".join(f"{name}\n" for name in missing).encode()


def _is_readable(file: Path) -> bool:
    """Whether a file is regular and of a plausible size; a pipe may never end."""
    return file.is_file() and file.stat().st_size <= MAX_SETTINGS


def _template(name: str) -> str:
    return (_TEMPLATES / f"{name}.template").read_text(encoding="utf-8")


def _filled(name: str, words: Mapping[str, str]) -> str:
    text = _template(name)
    for word, value in words.items():
        text = text.replace(f"@{word}@", value)
    return text
