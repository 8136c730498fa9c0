"""Small git repositories with specs in them, for tests of the check."""

from __future__ import annotations

import json
import os
import subprocess
import tempfile
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any, Self

FOLDER = "clients/src/main/resources/common/message"


def request(**changed: Any) -> dict[str, Any]:
    """A small request; a value of None takes a key out."""
    spec: dict[str, Any] = {
        "apiKey": 1,
        "type": "request",
        "listeners": ["broker"],
        "name": "FetchRequest",
        "validVersions": "0-2",
        "flexibleVersions": "1+",
        "fields": [
            {"name": "MaxWaitMs", "type": "int32", "versions": "0+", "about": "The wait."},
            {"name": "Topic", "type": "string", "versions": "0+", "about": "The topic."},
            {
                "name": "ClusterId",
                "type": "string",
                "versions": "1+",
                "taggedVersions": "1+",
                "tag": 0,
                "nullableVersions": "1+",
                "default": "null",
                "about": "The cluster.",
            },
        ],
    }
    spec.update(changed)
    return {key: value for key, value in spec.items() if value is not None}


def response(**changed: Any) -> dict[str, Any]:
    """The response that goes with it."""
    return {
        "apiKey": 1,
        "type": "response",
        "name": "FetchResponse",
        "validVersions": "0-2",
        "flexibleVersions": "1+",
        "fields": [{"name": "ErrorCode", "type": "int16", "versions": "0+", "about": "The error."}],
        **changed,
    }


def api_versions(kind: str, **changed: Any) -> dict[str, Any]:
    """ApiVersions."""
    return {
        "apiKey": 18,
        "type": kind,
        "name": f"ApiVersions{kind.capitalize()}",
        "validVersions": "0-3",
        "flexibleVersions": "3+",
        **({"listeners": ["broker"]} if kind == "request" else {}),
        "fields": [{"name": "ErrorCode", "type": "int16", "versions": "0+", "about": "The error."}],
        **changed,
    }


# As a person has it; and without the samples of hooks that git copies into every repository, and
# the process that it starts after every commit to look for garbage.
_SETTINGS = (
    "user.name=A", "user.email=a@b.invalid", "commit.gpgsign=false", "protocol.file.allow=always",
    "init.templateDir=", "maintenance.auto=false",
)  # fmt: skip
_WITH_SETTINGS = ("git", *(part for setting in _SETTINGS for part in ("-c", setting)))


def git(
    folder: Path,
    *arguments: str,
    check: bool = True,
    stdin: bytes | None = None,
    environment: Mapping[str, str] | None = None,
) -> str:
    """What git prints in a folder, untouched by the settings of the machine and of a hook."""
    kept = {key: value for key, value in os.environ.items() if not key.startswith("GIT_")}
    done = subprocess.run(
        [*_WITH_SETTINGS, *arguments],
        cwd=folder,
        env={
            **kept,
            "GIT_CONFIG_GLOBAL": os.devnull,
            "GIT_CONFIG_NOSYSTEM": "1",
            **(environment or {}),
        },
        capture_output=True,
        input=stdin,
        check=False,
    )
    assert not check or not done.returncode, done.stderr
    return os.fsdecode(done.stdout).strip()


class Repo:
    """A working repository in a folder."""

    def __init__(self, folder: Path, *, branch: str = "main") -> None:
        self.folder = folder
        folder.mkdir(parents=True, exist_ok=True)
        self.git("init", "-q", "-b", branch)

    @classmethod
    def opened(cls, folder: Path) -> Self:
        """A repository that is there."""
        repo = cls.__new__(cls)
        repo.folder = folder
        return repo

    def git(self, *arguments: str, check: bool = True, **environment: str) -> str:
        """What git prints here, as in `git`."""
        return git(self.folder, *arguments, check=check, environment=environment)

    def write(self, path: str, content: object) -> Path:
        """Write a file: a text, bytes, or a spec."""
        place = self.folder / path
        place.parent.mkdir(parents=True, exist_ok=True)
        if isinstance(content, bytes):
            place.write_bytes(content)
        else:
            text = content if isinstance(content, str) else json.dumps(content, indent=2) + "\n"
            place.write_text(text, encoding="utf-8", newline="")
        return place

    def spec(self, content: dict[str, Any], folder: str = FOLDER) -> Path:
        """Write a spec under its name."""
        return self.write(f"{folder}/{content['name']}.json", content)

    def commit(self, message: str = "change") -> str:
        """Commit all there is; the new commit."""
        self.git("add", "-A")
        self.git("commit", "-q", "--allow-empty", "-m", message)
        return self._loose_head() or self.git("rev-parse", "HEAD")

    def _loose_head(self) -> str:
        """The newest commit as git has just written it; "" where it is kept in another form.

        Hundreds of tests commit, and each process less counts.
        """
        folder = self.folder / ".git"
        if not (folder / "HEAD").is_file():
            return ""
        ref = folder / (folder / "HEAD").read_text().removeprefix("ref: ").strip()
        return ref.read_text().strip() if ref.is_file() else ""


def started(folder: Path, *, branch: str = "main") -> Repo:
    """A repository with one commit: four specs and a file that is none.

    It is a copy of one that git made once for all tests of a process.
    """
    folders, files = _template(branch)
    folder.mkdir(parents=True, exist_ok=True)
    for name in folders:
        (folder / name).mkdir(exist_ok=True)
    for name, content in files.items():
        (folder / name).write_bytes(content)
    return Repo.opened(folder)


@cache
def _template(branch: str) -> tuple[list[str], dict[str, bytes]]:
    """The folders of that repository, each before those in it, and its files; its objects are in
    one pack."""
    with tempfile.TemporaryDirectory(prefix="wirebook-repository-") as name:
        repo = Repo(Path(name), branch=branch)
        for spec in (request(), response(), api_versions("request"), api_versions("response")):
            repo.spec(spec)
        repo.write("package.json", {"name": "x", "type": "module"})
        repo.commit("the specs")
        repo.git("repack", "-a", "-d", "-q")
        paths = sorted(repo.folder.rglob("*"))
        folders = [str(path.relative_to(name)) for path in paths if path.is_dir()]
        files = {str(path.relative_to(name)): path.read_bytes() for path in paths if path.is_file()}
    return folders, files


def broken() -> dict[str, Any]:
    """The request with a field of another type."""
    spec = request()
    spec["fields"][0] = {**spec["fields"][0], "type": "int64"}
    return spec
