"""The pull or merge request to comment on: from the options, or from the variables of the CI job."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from wirebook.cli.posting.client import ApiClient
from wirebook.cli.posting.github import API as GITHUB_API
from wirebook.cli.posting.github import LONGEST as GITHUB_LONGEST
from wirebook.cli.posting.github import GitHub
from wirebook.cli.posting.gitlab import API as GITLAB_API
from wirebook.cli.posting.gitlab import LONGEST as GITLAB_LONGEST
from wirebook.cli.posting.gitlab import GitLab
from wirebook.cli.posting.thread import Thread
from wirebook.specs.limits import PATIENCE_SECONDS
from wirebook.specs.problems import InputError

WORDS = "; name the request with --github OWNER/NAME or --gitlab PROJECT, and --number"

# The project of a GitLab job, and that of its merge request, by ID and by path.
_PROJECT = (
    "CI_PROJECT_ID",
    "CI_PROJECT_PATH",
    "CI_MERGE_REQUEST_PROJECT_ID",
    "CI_MERGE_REQUEST_PROJECT_PATH",
)


class Wanted(NamedTuple):
    """The options of the command line; None is looked up in the variables of the job."""

    github: str | None = None
    gitlab: str | None = None
    number: int | None = None
    api: str | None = None
    author: str | None = None
    patience: float = PATIENCE_SECONDS


class CommentTarget(NamedTuple):
    """Where to comment, and how many characters a comment may have."""

    thread: Thread
    longest: int


def target(options: Wanted, environ: Mapping[str, str]) -> CommentTarget:
    """The request to comment on. Raises InputError if something is missing, such as the token.

    A token is read only from the environment: every process can see a command line.
    """
    gitlab = options.gitlab
    github = options.github or (None if gitlab else environ.get("GITHUB_REPOSITORY"))
    if github:
        number = options.number or _number_of_event(environ, github)
        api = options.api or environ.get("GITHUB_API_URL") or GITHUB_API
        headers = GitHub.headers(_token(environ, "GITHUB_TOKEN", "GH_TOKEN"))
        client = ApiClient(api, headers, options.patience)
        return CommentTarget(GitHub(client, github, number, options.author), GITHUB_LONGEST)
    gitlab = gitlab or environ.get("CI_PROJECT_ID")
    if gitlab:
        number = options.number or _number_of_job(environ, gitlab)
        api = options.api or environ.get("CI_API_V4_URL") or GITLAB_API
        headers = GitLab.headers(_token(environ, "GITLAB_TOKEN"))
        client = ApiClient(api, headers, options.patience)
        return CommentTarget(GitLab(client, gitlab, number, options.author), GITLAB_LONGEST)
    raise InputError(f"this is neither a GitHub nor a GitLab job{WORDS}")


def _token(environ: Mapping[str, str], *names: str) -> str:
    for name in names:
        token = environ.get(name, "").strip()
        if token:
            if not token.isascii() or not token.isprintable() or " " in token:
                raise InputError(f"the variable {name} does not contain a token")
            return token
    raise InputError(f"no token: set the variable {' or '.join(names)}")


def _check_is_of_job(repository: str, environ: Mapping[str, str], *variables: str) -> None:
    """Raise InputError if a repository is another one than the job's: its requests have other numbers."""
    names = {environ[name].lower() for name in variables if environ.get(name)}
    if names and repository.lower() not in names:
        raise InputError(f"{repository!r} is not the repository of this job: add --number")


def _number_of_event(environ: Mapping[str, str], repository: str) -> int:
    """The number of the pull request of a GitHub event, from the file with its payload."""
    _check_is_of_job(repository, environ, "GITHUB_REPOSITORY")
    path = environ.get("GITHUB_EVENT_PATH")
    if not path:
        raise InputError(f"this is not a job of a pull request{WORDS}")
    try:
        event: Any = json.loads(Path(path).read_bytes())
    except ValueError as error:
        raise InputError(f"this is not a GitHub event: {error}", path) from None
    for key in ("pull_request", "issue"):
        about = event.get(key) if isinstance(event, dict) else None
        # GitHub calls a pull request with comments an issue, too.
        if not isinstance(about, dict) or (key == "issue" and "pull_request" not in about):
            continue
        if isinstance(about.get("number"), int):
            number: int = about["number"]
            return number
    raise InputError(f"the event is not about a pull request{WORDS}")


def _number_of_job(environ: Mapping[str, str], project: str) -> int:
    """The number of the merge request of a GitLab job."""
    _check_is_of_job(project, environ, *_PROJECT)
    text = environ.get("CI_MERGE_REQUEST_IID", "")
    if not text.isdecimal():
        raise InputError(f"this is not a job of a merge request{WORDS}")
    return int(text)
