"""Sets up a repository of specs: writes all missing files or none, and never replaces a file."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from wirebook.rules.authoring.explained import explained
from wirebook.rules.authoring.survey import RepositorySurvey
from wirebook.rules.project.config import NOT_YET
from wirebook.specs.files import create
from wirebook.specs.limits import MAX_SETTINGS
from wirebook.specs.problems import InputError

EXAMPLE = {f"messages/{name}.json": name for name in ("GetNoteRequest", "GetNoteResponse", "NoteData")}
IGNORED = ("/build/", "/site/")
HOME_TODO = "TODO: what the protocol is for, and who speaks it."  # on the home page of the site
_TEMPLATES = Path(__file__).resolve().parent / "templates"


@dataclass(frozen=True)
class StartRequest:
    """The survey of the repository, the title of the protocol, and what pip installs in CI."""

    survey: RepositorySurvey
    title: str
    requirement: str


@dataclass(frozen=True)
class Kept:
    """A file that stays unchanged, the reason, and the lines to add to it, if any."""

    path: str
    reason: str
    block: str = ""


@dataclass
class Started:
    """The written files, the one with new lines, and the unchanged ones."""

    written: dict[str, str] = field(default_factory=dict)  # each with its purpose
    extended: dict[str, str] = field(default_factory=dict)
    kept: list[Kept] = field(default_factory=list)


def start(request: StartRequest) -> Started:
    """Write what is missing. Raises InputError for a path that points outside the repository, OSError."""
    top = request.survey.top
    started = Started()
    texts: dict[Path, bytes] = {}
    for path, text, why in _wanted(request, started):
        file = top / path
        _refuse_outside(top, file, path)
        if os.path.lexists(file):
            started.kept.append(_kept(path, file, _words(request)))
        else:
            texts[file] = text.encode()
            started.written[path] = why
    changed = dict(_ignoring(top, texts, started))
    create(texts, changed)
    return started


def schema(name: str) -> dict[str, Any]:
    """The JSON Schema of the settings (`config`) or of a profile (`profile`)."""
    folder = {"config": "rules", "profile": "specs"}[name]
    path = Path(__file__).resolve().parents[2] / folder / "schema" / f"{name}.json"
    loaded: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return loaded


def _wanted(request: StartRequest, started: Started) -> Iterator[tuple[str, str, str]]:
    """The path, the text and the purpose of each file; unneeded ones are noted as kept."""
    survey = request.survey
    # A killed run may have left a part of the example.
    own = {path: text for path, text in survey.specs.items() if _example(path) != text}
    if own:
        count = f"{len(own)} message specs" if len(own) > 1 else "1 message spec"
        started.kept.append(Kept(os.path.commonpath([os.path.dirname(path) for path in own]) or ".", count))
    else:
        for path, name in EXAMPLE.items():
            yield path, _template(f"{name}.json"), "an example, to be replaced by your messages"
    if survey.config is None:
        settings: dict[str, Any] = {} if survey.released is None else {"released": [survey.released]}
        if not own:
            settings = {"released": NOT_YET}
        head = "# Settings of wirebook. Lines that begin with # have no effect."
        text = f"{head}\n\n{explained(schema('config'), settings)}"
        yield "wirebook.toml", text, "the settings, each explained"
    else:
        started.kept.append(Kept(os.path.relpath(survey.config, survey.top), "the settings"))
    if survey.profile and not os.path.lexists(survey.top / "profile.toml"):
        started.kept.append(Kept("profile.toml", f"not needed: the specs have the profile {survey.profile}"))
    else:
        yield "profile.toml", _profile(request), "the characteristics of your protocol"
    words = _words(request)
    yield ".pre-commit-config.yaml", _filled("pre-commit-config.yaml", words), "the check before each commit"
    ci = ".gitlab-ci.yml" if survey.gitlab else ".github/workflows/wirebook.yml"
    yield (
        ci,
        _filled("gitlab.yml" if survey.gitlab else "github.yml", words),
        "the check of each change in CI",
    )
    if (survey.top / "mkdocs.yaml").exists():
        started.kept.append(_kept("mkdocs.yaml", survey.top / "mkdocs.yaml", words))
        return
    # Write the page first: if a killed run has left mkdocs.yml, nothing is missing.
    if not os.path.lexists(survey.top / "mkdocs.yml") and not (survey.top / "docs" / "README.md").exists():
        yield "docs/index.md", _filled("index.md", words), "the home page of the site"
    yield "mkdocs.yml", _filled("mkdocs.yml", words), "the site"


def _example(path: str) -> bytes | None:
    return _template(f"{EXAMPLE[path]}.json").encode() if path in EXAMPLE else None


def _profile(request: StartRequest) -> str:
    survey = request.survey
    values = {"name": survey.name, "product": survey.product, "title": request.title}
    head = "# The profile of the protocol. Lines that begin with # have no effect."
    return f"{head}\n\n{explained(schema('profile'), values)}"


def _profile_has_title(request: StartRequest) -> bool:
    """Whether the profile has the title of the site: the one that is written, or the one that there is."""
    survey = request.survey
    if not survey.profile and not os.path.lexists(survey.top / "profile.toml"):
        return True
    return survey.is_titled and survey.title == request.title


def _words(request: StartRequest) -> dict[str, str]:
    """What the words between @ in templates stand for."""
    return {
        "REQUIREMENT": request.requirement,
        # The plugin takes the title of the profile in place of an empty name.
        "TITLE": '""' if _profile_has_title(request) else json.dumps(request.title, ensure_ascii=False),
        "HEADING": request.title,
        "TODO": HOME_TODO,
        "HOOK": _template("hook").rstrip("\n"),
        "PLUGINS": _template("plugins").rstrip("\n"),
    }


def _kept(path: str, file: Path, words: Mapping[str, str]) -> Kept:
    """An existing file, with the lines to add to it if it does not contain ours."""
    block = {
        ".pre-commit-config.yaml": "hook",
        ".gitlab-ci.yml": "gitlab.yml",
        "mkdocs.yml": "plugins",
        "mkdocs.yaml": "plugins",
    }.get(path)
    if block is None or not _is_readable(file) or b"wirebook" in file.read_bytes():
        return Kept(path, "it already exists")
    text = _filled(block, words)
    if block == "plugins":
        text = f"plugins:\n{text}"
    if block == "hook":
        text = f"  - repo: local\n    hooks:\n{text}"
    return Kept(path, "it already exists; add to it:", text)


def _ignoring(top: Path, texts: dict[Path, bytes], started: Started) -> Iterator[tuple[Path, bytes]]:
    """The .gitignore with the folders that a build writes: a new file, or lines at the end of the old one."""
    file = top / ".gitignore"
    _refuse_outside(top, file, ".gitignore")
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


def _refuse_outside(top: Path, file: Path, path: str) -> None:
    """Raise InputError for a path whose folder is a link that points outside the repository."""
    folder = file.parent.resolve()
    if folder != top and top not in folder.parents:
        raise InputError("this points outside the repository", path)


def _template(name: str) -> str:
    return (_TEMPLATES / f"{name}.template").read_text(encoding="utf-8")


def _filled(name: str, words: Mapping[str, str]) -> str:
    text = _template(name)
    for word, value in words.items():
        text = text.replace(f"@{word}@", value)
    return text
