"""What `wirebook init` detects: the repository, its specs, its name, its server, its releases."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from wirebook.rules.project.config import find_config
from wirebook.rules.project.workspace import Workspace
from wirebook.specs.problems import InputError
from wirebook.specs.profile import NEUTRAL, Profile
from wirebook.specs.profile_choice import embedded_profile
from wirebook.specs.sources.repository import find_repository, name_of, remote_of

_RELEASE = re.compile(r"v?[0-9]+(\.[0-9]+)+")


@dataclass(frozen=True)
class RepositorySurvey:
    """The top of a repository, and its contents.

    `specs` are the paths of the specs with their texts, `profile` names their profile ("" if
    there is none), `config` is the settings file, if there is one. `name` is the short name of the protocol,
    `title` the display name, which the profile states if `is_titled`. `released` is a glob of the tags of
    releases, None without any.
    """

    top: Path
    specs: dict[str, bytes]
    profile: str
    config: Path | None
    name: str
    title: str
    is_titled: bool
    product: str
    gitlab: bool
    released: str | None


def survey(folder: Path) -> RepositorySurvey:
    """Survey the repository of a folder.

    Raises InputError if there is none, or no git, and for unreadable specs or settings.
    """
    if not folder.is_dir():
        raise InputError("no such folder", str(folder))
    repository = find_repository(folder)
    if repository is None or repository.top is None:
        what = "is not a git repository" if repository is None else "is a repository without a working tree"
        raise InputError(f"this {what}; run `git init` first", str(folder))
    top = repository.top.resolve()
    remote = remote_of(top)
    tags = repository.tags()
    here = Workspace.here(top)
    title = _title(here.profile)
    name = protocol_name(name_of(remote or str(top)))
    words = [word for word in name.split("-") if word not in ("", "protocol", "specs")] or ["wire"]
    product = " ".join(words).capitalize()
    beside = any((top / path).exists() for path in (".gitlab-ci.yml", ".gitlab"))
    return RepositorySurvey(
        top=top,
        specs={text.path: text.text for text in here.texts},
        profile=_profile(here.profile),
        config=find_config(top),
        name=name,
        title=title or f"{product} protocol",
        is_titled=bool(title),
        product=product,
        gitlab=not (top / ".github").exists() and (beside or "gitlab" in remote.lower()),
        released=_releases(tags),
    )


def _profile(profile: Profile) -> str:
    """The name of the profile of the specs, "" if they have none."""
    return "" if profile == NEUTRAL else profile.name or profile.path


def _title(profile: Profile) -> str:
    """The display name that a profile of the repository gives its protocol, "" if there is none."""
    if profile.family and profile.title == embedded_profile(profile.family).title:
        return ""
    return profile.title


def protocol_name(text: str) -> str:
    """A name of a protocol, of lower case letters, digits and hyphens."""
    name = re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-")
    return name if name[:1].isalpha() else f"protocol-{name}".rstrip("-")


def _releases(tags: tuple[str, ...]) -> str | None:
    """A glob of the tags that name releases, for the most common form of such names."""
    releases = [tag for tag in tags if _RELEASE.match(tag)]
    if not releases:
        return None
    return "v*" if sum(tag.startswith("v") for tag in releases) * 2 > len(releases) else "[0-9]*"
