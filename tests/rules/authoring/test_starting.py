"""The files that `wirebook init` writes, extends and leaves, one by one."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
import yaml  # type: ignore[import-untyped]

from tests.repositories import Repo
from tests.support import ROOT
from wirebook.rules.authoring.starting import EXAMPLE, Kept, Started, StartRequest, start
from wirebook.rules.authoring.survey import survey
from wirebook.specs.limits import MAX_SETTINGS

TEMPLATES = ROOT / "rules" / "authoring" / "templates"
DATA = {"type": "data", "name": "Foo", "validVersions": "0", "flexibleVersions": "0+", "fields": []}
ALREADY = "it already exists"


@pytest.fixture
def repo(tmp_path: Path) -> Repo:
    return Repo(tmp_path / "otter")


def begun(repo: Repo) -> Started:
    return start(StartRequest(survey(repo.folder), "The Ötter", "wirebook @ git+https://x@9.8.7"))


def kept(started: Started) -> dict[str, tuple[str, str]]:
    return {item.path: (item.reason, item.block) for item in started.kept}


@pytest.mark.parametrize(
    ("before", "added"),
    [
        (b"", "/build/ /site/"),
        (b"*.pyc", "/build/ /site/"),
        (b"*.pyc\n", "/build/ /site/"),
        (b"\n", "/build/ /site/"),
        (b"build\n", "/site/"),
        (b"site", "/build/"),
        (b" /site/ \r\n*.pyc\r\n", "/build/"),
        (b"sites\nbuild/a\n", "/build/ /site/"),
        (b"build/\n/site\n", ""),
    ],
)
def test_what_git_ignores_gets_the_folders_that_are_missing(repo: Repo, before: bytes, added: str) -> None:
    repo.write(".gitignore", before)
    started = begun(repo)
    after = (repo.folder / ".gitignore").read_bytes()
    lines = "".join(f"{name}\n" for name in added.split()).encode()
    between = b"\n" if before and added and not before.endswith(b"\n") else b""
    assert after == before + between + lines
    assert started.extended == ({".gitignore": added} if added else {})
    assert kept(started) == ({} if added else {".gitignore": ("it names the folders of a build already", "")})
    assert ".gitignore" not in started.written


def test_files_of_an_own_protocol_do_not_name_kafka(repo: Repo) -> None:
    started = begun(repo)
    texts = {path: (repo.folder / path).read_text() for path in started.written}
    # The profile explains what it may extend.
    assert [path for path, text in texts.items() if "kafka" in text.lower()] == ["profile.toml"]


def test_a_new_file_ignores_both_folders(repo: Repo) -> None:
    started = begun(repo)
    assert (repo.folder / ".gitignore").read_text() == "/build/\n/site/\n"
    assert started.written[".gitignore"] == "the folders that a build writes"
    assert (started.extended, started.kept) == ({}, [])


@pytest.mark.parametrize(("size", "is_read"), [(MAX_SETTINGS, True), (MAX_SETTINGS + 1, False)])
def test_a_large_file_is_not_read(repo: Repo, size: int, is_read: bool) -> None:
    repo.write(".gitignore", b"#" * (size - 1) + b"\n")
    started = begun(repo)
    assert (".gitignore" in started.extended) == is_read
    assert kept(started) == ({} if is_read else {".gitignore": ("add to it:", "/build/\n/site/\n")})
    assert (repo.folder / ".gitignore").stat().st_size == size + (len("/build/\n/site/\n") if is_read else 0)


def test_a_link_is_not_written_through(repo: Repo) -> None:
    place = repo.write("ignored", "*.pyc\n")
    (repo.folder / ".gitignore").symlink_to(place)
    assert kept(begun(repo)) == {".gitignore": ("add to it:", "/build/\n/site/\n")}
    assert place.read_text() == "*.pyc\n"


@pytest.mark.parametrize(
    ("path", "starts", "plugin"),
    [
        (".pre-commit-config.yaml", "  - repo: local\n    hooks:\n", False),
        ("mkdocs.yml", "plugins:\n", True),
        ("mkdocs.yaml", "plugins:\n", True),
        (".gitlab-ci.yml", "", False),
    ],
)
def test_what_to_add_to_a_file_is_said_unless_it_has_it(
    repo: Repo, path: str, starts: str, plugin: bool
) -> None:
    place = repo.write(path, "a: b\n")
    reason, block = kept(begun(repo))[path]
    assert (reason, block.startswith(starts)) == ("it already exists; add to it:", True)
    assert "wirebook" in block
    template = {".gitlab-ci.yml": "gitlab.yml", ".pre-commit-config.yaml": "hook"}.get(path, "plugins")
    text = (TEMPLATES / f"{template}.template").read_text()
    assert block == starts + text.replace("@REQUIREMENT@", "wirebook @ git+https://x@9.8.7")
    if plugin:
        assert "wirebook" in str(yaml.safe_load(block)["plugins"])
    assert place.read_text() == "a: b\n"
    place.write_text("a: wirebook\n")
    assert kept(begun(repo))[path] == (ALREADY, "")


@pytest.mark.parametrize(
    ("files", "page", "site"),
    [
        ((), True, True),
        (("docs/README.md",), False, True),
        (("mkdocs.yml",), False, False),
        (("mkdocs.yaml",), False, False),
        (("docs/index.md",), False, True),
    ],
)
def test_a_site_begins_with_a_page_unless_there_is_one(
    repo: Repo, files: tuple[str, ...], page: bool, site: bool
) -> None:
    for file in files:
        repo.write(file, "wirebook\n")
    started = begun(repo)
    assert (started.written.get("docs/index.md"), started.written.get("mkdocs.yml")) == (
        "the home page of the site" if page else None,
        "the site" if site else None,
    )
    assert kept(started) == {file: (ALREADY, "") for file in files if file != "docs/README.md"}


def test_the_words_of_the_request_are_filled_in(repo: Repo) -> None:
    begun(repo)
    assert (repo.folder / "docs/index.md").read_text().startswith("# The Ötter\n")
    assert 'title = "The Ötter"\n' in (repo.folder / "profile.toml").read_text("utf-8")
    assert yaml.safe_load((repo.folder / "mkdocs.yml").read_text())["site_name"] == ""
    assert (
        'pip install --quiet "wirebook @ git+https://x@9.8.7"\n'
        in (repo.folder / ".github/workflows/wirebook.yml").read_text()
    )
    texts = [
        path.read_text() for path in repo.folder.rglob("*") if path.is_file() and ".git" not in path.parts
    ]
    assert not [text for text in texts if "@VERSION@" in text or "@TITLE@" in text or "@HEADING@" in text]


@pytest.mark.parametrize(
    ("server", "path", "key"),
    [("github", ".github/workflows/wirebook.yml", "jobs"), ("gitlab", ".gitlab-ci.yml", "wirebook")],
)
def test_ci_is_that_of_the_server(repo: Repo, server: str, path: str, key: str) -> None:
    repo.git("config", "remote.origin.url", f"https://{server}.com/team/otter")
    assert begun(repo).written[path] == "the check of each change in CI"
    assert key in yaml.safe_load((repo.folder / path).read_text())


@pytest.mark.parametrize(
    ("paths", "place", "count"),
    [
        (("Foo.json",), ".", "1 message spec"),
        (("a/Foo.json",), "a", "1 message spec"),
        (("a/b/Foo.json", "a/c/Bar.json"), "a", "2 message specs"),
        (("a/Foo.json", "b/Bar.json"), ".", "2 message specs"),
    ],
)
def test_specs_that_are_there_are_counted(repo: Repo, paths: tuple[str, ...], place: str, count: str) -> None:
    for path in paths:
        repo.write(path, {**DATA, "name": path.rpartition("/")[2].removesuffix(".json")})
    started = begun(repo)
    assert kept(started) == {place: (count, "")}
    assert not any(path in started.written for path in EXAMPLE)


def test_a_part_of_the_example_is_completed(repo: Repo) -> None:
    """A run that was killed has left it; a spec of the author is no part of it."""
    begun(repo)
    lost = repo.folder / "messages" / "NoteData.json"
    text = lost.read_text()
    lost.unlink()
    started = begun(repo)
    assert started.written == {"messages/NoteData.json": "an example, to be replaced by your messages"}
    assert lost.read_text() == text
    lost.write_text(text.replace("Note", "Memo"))
    (repo.folder / "messages" / "GetNoteRequest.json").unlink()
    started = begun(repo)
    assert started.written == {}
    assert ("messages", ("1 message spec", "")) in kept(started).items()


def test_settings_and_a_profile_that_are_there_are_kept(repo: Repo) -> None:
    repo.write("pyproject.toml", "[tool.wirebook]\n")
    repo.write("profile.toml", 'name = "ours"\n')
    repo.write("messages/Foo.json", DATA)
    started = begun(repo)
    assert kept(started) == {
        "messages": ("1 message spec", ""),
        "pyproject.toml": ("the settings", ""),
        "profile.toml": (ALREADY, ""),
    }
    (repo.folder / "profile.toml").unlink()
    repo.write("pyproject.toml", '[tool.wirebook.protocol]\nname = "ours"\n')
    assert Kept("profile.toml", "not needed: the specs have the profile ours") in begun(repo).kept
    assert not (repo.folder / "profile.toml").exists()


def test_what_a_killed_run_has_left_is_removed(repo: Repo, tmp_path: Path) -> None:
    """Even if there is nothing to write; not behind a link, which may lead anywhere."""
    begun(repo)
    left = [
        repo.write(f"{folder}/.wirebook-tmp-999999999-a", "a")
        for folder in (".", "messages", "docs", ".github/workflows")
    ]
    begun(repo)
    assert [path.exists() for path in left] == [False] * 4
    (tmp_path / "outside").mkdir()
    (repo.folder / "docs").rename(repo.folder / "pages")
    (repo.folder / "docs").symlink_to("pages")
    behind = repo.write("pages/.wirebook-tmp-999999999-a", "a")
    begun(repo)
    assert behind.exists()
    assert os.path.islink(repo.folder / "docs")
