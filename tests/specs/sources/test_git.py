"""A repository is read in place, by one process, without a trace; what is missing is said with the remedy."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator
from datetime import UTC, datetime
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import pytest

from tests.repositories import Repo, git
from tests.specs.trees import SPEC, SPECS, TREE, commit, lay, paths, read, refused
from tests.support import SHARED, history_repo, needs_shared
from wirebook.specs.problems import InputError
from wirebook.specs.reading import discovery as found
from wirebook.specs.reading.discovery import SpecText, digest_of
from wirebook.specs.sources import git as git_module
from wirebook.specs.sources.git import GitRepo, git_releases
from wirebook.specs.sources.git_command import environment, program, reason, remedy
from wirebook.specs.sources.git_objects import GitObject, ObjectReader


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """A repository with the tree in its first commit, tagged 1.0.0, and one spec fewer in the second."""
    folder = tmp_path / "repo"
    commit(folder, TREE, "first")
    git(folder, "tag", "1.0.0")
    git(folder, "rm", "-q", "core/src/main/resources/Bar.json")
    git(folder, "commit", "-q", "-m", "second")
    git(folder, "tag", "-a", "-m", "x", "1.10.0")
    git(folder, "tag", "1.9.0")
    return folder


def state(folder: Path) -> dict[str, tuple[int, int]]:
    """When each file below a folder was changed, and how large it is."""
    return {str(path): (path.lstat().st_mtime_ns, path.lstat().st_size) for path in sorted(folder.rglob("*"))}


def bundled(repository: Path, path: Path, *what: str) -> Path:
    git(repository, "bundle", "create", "-q", str(path), *(what or ("--all", "HEAD")))
    return path


class Processes:
    """The commands that were started; made by a fixture."""

    def __init__(self) -> None:
        self.commands: list[list[str]] = []

    def of(self, word: str) -> int:
        return sum(word in command for command in self.commands)


@pytest.fixture
def processes(monkeypatch: pytest.MonkeyPatch) -> Processes:
    seen = Processes()
    start = subprocess.Popen.__init__

    def init(self: subprocess.Popen[bytes], command: list[str], *rest: Any, **named: Any) -> None:
        seen.commands.append(command)
        start(self, command, *rest, **named)

    monkeypatch.setattr(subprocess.Popen, "__init__", init)
    return seen


# What is read.


def test_one_process_reads_every_release_and_each_text_once(repository: Path, processes: Processes) -> None:
    with GitRepo(repository) as opened:
        releases = opened.releases("*").found
        entries = [entry for release in releases for entry in opened.entries(release.commit)]
        texts = {digest: opened.read(digest) for _, digest in entries}
        asked: list[str] = []
        ask = opened.objects.query
        opened.objects.query = lambda names: ask(asked.append(name) or name for name in names)  # type: ignore[method-assign, func-returns-value]
        assert [entry for release in releases for entry in opened.entries(release.commit)] == entries
        assert {digest: opened.read(digest) for digest in texts} == texts
    assert len(entries) == 10
    assert len(texts) == 4
    assert all(digest_of(text) == digest for digest, text in texts.items())
    assert asked == [f"{release.commit}:" for release in releases]
    assert processes.of("cat-file") == 1
    assert len(processes.commands) == 2


def test_a_text_that_is_not_kept_is_read_again(repository: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(git_module, "_KEPT", 10)
    with GitRepo(repository) as opened:
        entries = opened.entries(opened.resolve("1.0.0"))
        assert len(opened._texts) == 1
        assert [digest_of(opened.read(digest)) for _, digest in entries] == [digest for _, digest in entries]


def test_a_repository_can_be_used_again_after_it_was_closed(repository: Path) -> None:
    opened = GitRepo(repository)
    with opened:
        first = opened.entries("main")
    assert not opened.objects.is_running
    with opened:
        assert opened.entries("main") == first


def test_what_a_commit_lacks_is_asked_once(repository: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []
    plain = ObjectReader.query

    def seen(self: ObjectReader, names: Iterable[str]) -> Iterator[GitObject]:
        asked.extend(wanted := list(names))
        return plain(self, wanted)

    monkeypatch.setattr(ObjectReader, "query", seen)
    opened = GitRepo(repository)
    with opened:
        assert opened.existing("main", [SPECS[0], "a", "two\nlines"]) == [SPECS[0]]
        assert asked == [f"main:{SPECS[0]}", "main:a"]
        assert opened.existing("main", ["a"]) == []
        assert opened.text("main", "a") is None
        assert opened.text("main", SPECS[0])
        assert asked[2:] == [f"main:{SPECS[0]}"]
    (repository / "a").write_text("now")
    git(repository, "add", "-A")
    git(repository, "commit", "-q", "-m", "a")
    with opened:
        assert opened.text("main", "a") == b"now"


def test_each_release_has_its_specs(repository: Path) -> None:
    with GitRepo(repository) as opened:
        listed = {each.name: opened.entries(each.commit) for each in git_releases(str(repository), "*")}
        every = {entry for entries in listed.values() for entry in entries}
        texts = {SpecText(path, opened.read(digest), digest) for path, digest in every}
    assert {name: [entry.path for entry in entries] for name, entries in listed.items()} == {
        "1.0.0": SPECS,
        "1.9.0": [path for path in SPECS if "Bar" not in path],
        "1.10.0": [path for path in SPECS if "Bar" not in path],
    }
    assert texts == set(read(f"{repository}@1.0.0"))


def test_a_folder_or_one_file_of_a_commit(repository: Path) -> None:
    with GitRepo(repository) as opened:
        head = opened.resolve("main")
        wanted = [entry.path for entry in opened.entries(head, "clients/message")]
        assert wanted == ["BrokenRequest.json", "FooRequest.json"]
        assert [entry.path for entry in opened.entries(head, "/clients//./message/")] == wanted
        assert [entry.path for entry in opened.entries(head, "names with spaces/é.json")] == ["é.json"]
        assert opened.entries(head, "README.md") == []
        for missing in ("clients/none", "clients/message/none.json", "../repo", "clients/..", "a\nb"):
            with pytest.raises(InputError, match="there is no"):
                opened.entries(head, missing)


def test_a_broken_file_is_found_by_the_folder_it_was_narrowed_to(tmp_path: Path) -> None:
    commit(tmp_path / "r", {"a/message/x.json": b'{"broken"', "a/other/x.json": b'{"broken"'})
    assert paths(f"{tmp_path / 'r'}@main:a/message") == ["x.json"]
    assert "no message specs" in refused(f"{tmp_path / 'r'}@main:a/other")


def test_links_and_submodules_in_a_commit_are_no_files(tmp_path: Path) -> None:
    inner = tmp_path / "inner"
    commit(inner, {"message/FooRequest.json": SPEC})
    folder = lay(tmp_path / "outer", {"message/BarRequest.json": SPEC})
    git(folder, "init", "-q", "-b", "main")
    (folder / "message" / "LinkRequest.json").symlink_to("BarRequest.json")
    (folder / "linked").symlink_to("message")
    git(folder, "submodule", "--quiet", "add", str(inner), "message/sub")
    git(folder, "add", "-A")
    git(folder, "commit", "-q", "-m", "x")
    assert paths(f"{folder}@main") == ["message/BarRequest.json"]
    assert paths(f"{folder / 'message' / 'sub'}@main") == ["message/FooRequest.json"]


@pytest.mark.skipif(sys.platform != "linux", reason="other file systems take no such names")
def test_names_that_are_not_utf8(tmp_path: Path) -> None:
    folder = lay(tmp_path / "r", {})
    (Path(os.fsdecode(os.fsencode(folder) + b"/\xe9.json"))).write_bytes(SPEC)
    git(folder, "init", "-q", "-b", "main")
    git(folder, "add", "-A")
    git(folder, "commit", "-q", "-m", "x")
    assert paths(f"{folder}@main") == paths(folder) == ["\\xe9.json"]


def test_a_repository_with_long_names_has_the_same_digests(repository: Path, tmp_path: Path) -> None:
    longer = lay(tmp_path / "sha256", TREE)
    git(longer, "init", "-q", "-b", "main", "--object-format=sha256")
    git(longer, "add", "-A", "-f")
    git(longer, "commit", "-q", "-m", "x")
    assert len(git(longer, "rev-parse", "HEAD")) == 64
    assert read(f"{longer}@main") == read(f"{repository}@1.0.0")


def test_worktrees_bare_repositories_and_bundles(
    repository: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    linked, bare = tmp_path / "linked", tmp_path / "bare.git"
    git(repository, "worktree", "add", "-q", str(linked), "1.0.0")
    git(tmp_path, "clone", "-q", "--bare", str(repository), str(bare))
    assert paths("HEAD", cwd=linked) == paths("HEAD~1", cwd=bare) == SPECS
    assert paths(f"{repository / '.git'}@1.0.0") == SPECS
    # Where git is told to trust no bare repository that it only came across, ours is named.
    monkeypatch.setenv("GIT_CONFIG_COUNT", "1")
    monkeypatch.setenv("GIT_CONFIG_KEY_0", "safe.bareRepository")
    monkeypatch.setenv("GIT_CONFIG_VALUE_0", "explicit")
    assert paths(f"{bare}@1.0.0") == SPECS


def test_a_bundle_leaves_nothing_behind(
    repository: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    bundle = bundled(repository, tmp_path / "a b.bundle")
    temporary = lay(tmp_path / "temporary", {})
    monkeypatch.setattr(tempfile, "tempdir", str(temporary))
    with GitRepo(bundle) as opened:
        assert [entry.path for entry in opened.entries(opened.resolve("1.0.0"))] == SPECS
        assert [release.name for release in opened.releases("*").found] == ["1.0.0", "1.9.0", "1.10.0"]
        assert [path.name[:16] for path in temporary.iterdir()] == ["wirebook-bundle-"]
    assert list(temporary.iterdir()) == []
    assert [path.name for path in tmp_path.iterdir() if path.name.startswith("a b")] == ["a b.bundle"]
    # Nor does a bundle that cannot be read, or one that nobody closed.
    whole = bundle.read_bytes()
    bundle.write_bytes(whole[: len(whole) // 2])
    assert "this git bundle cannot be read" in refused(f"{bundle}@main")
    bundle.write_bytes(whole)
    opened = GitRepo(bundle)
    opened.resolve("main")
    del opened
    assert list(temporary.iterdir()) == []


def test_a_bundle_is_read_if_temporary_files_are_in_a_repository(
    repository: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    bundle = bundled(repository, tmp_path / "a.bundle")
    monkeypatch.setattr(tempfile, "tempdir", str(repository))
    assert paths(f"{bundle}@1.0.0") == SPECS


def test_every_ref_of_a_bundle_is_there(repository: Path, tmp_path: Path) -> None:
    git(repository, "update-ref", "refs/remotes/origin/topic", "main~1")
    bundle = bundled(repository, tmp_path / "a.bundle")
    assert paths(f"{bundle}@origin/topic") == SPECS
    without_head = bundled(repository, tmp_path / "b.bundle", "1.0.0")
    assert paths(f"{without_head}@1.0.0") == SPECS
    assert 'there is no commit "HEAD" in it' in refused(without_head)
    assert "did you mean 1.0.0?" in refused(f"{without_head}@1.0.1")
    later = bundled(repository, tmp_path / "c.bundle", "1.0.0..main")
    assert "lacks these prerequisite commits" in refused(f"{later}@main")


# Releases.


def test_releases_are_tags_of_commits_in_version_order(repository: Path) -> None:
    git(repository, "tag", "1.5.0", git(repository, "rev-parse", "main:README.md"))
    git(repository, "tag", "1.10.0-rc1", "main")
    git(repository, "tag", "-a", "-m", "x", "1.11.0", "1.10.0")
    git(repository, "tag", "1.latest")
    with GitRepo(repository) as opened:
        listed, left_out = opened.releases("1.*")
    assert listed == git_releases(str(repository), "1.*")
    assert [release.name for release in listed] == ["1.0.0", "1.9.0", "1.10.0-rc1", "1.10.0", "1.11.0"]
    assert {release.commit for release in listed[1:]} == {git(repository, "rev-parse", "main")}
    assert [release.name for release in listed if release.is_prerelease] == ["1.10.0-rc1"]
    seconds = int(git(repository, "log", "-1", "--format=%ct"))
    assert {release.date for release in listed} == {datetime.fromtimestamp(seconds, UTC).date().isoformat()}
    assert left_out == {
        "1.5.0": "it is the tag of a blob, not of a commit",
        "1.latest": "its name is not a version",
    }
    assert git_releases(str(repository), "2.*") == []


@pytest.mark.parametrize(
    ("stamp", "day"),
    [
        ("1700000000 +0000", "2023-11-14"),
        ("1700000000 +0200", "2023-11-14"),
        ("1699920000 -0930", "2023-11-14"),
        ("999999999999 +0000", ""),
        ("99999999999999 +0000", ""),
    ],
)
def test_the_day_of_a_release_is_in_utc(tmp_path: Path, stamp: str, day: str) -> None:
    folder = tmp_path / "r"
    commit(folder, {"FooRequest.json": SPEC})
    raw = git(folder, "cat-file", "commit", "HEAD").split("\n")
    raw = [f"committer a <a@b> {stamp}" if line.startswith("committer") else line for line in raw]
    text = "\n".join([*raw, "committer of words> 1 +0000", ""]).encode()
    name = git(folder, "hash-object", "-t", "commit", "-w", "--literally", "--stdin", stdin=text)
    git(folder, "update-ref", "refs/tags/1.0", name)
    assert [release.date for release in git_releases(str(folder), "*")] == [day]


def test_the_day_of_an_annotated_tag_is_its_own(tmp_path: Path) -> None:
    folder = tmp_path / "r"
    commit(folder, {"FooRequest.json": SPEC})
    text = (
        f"object {git(folder, 'rev-parse', 'HEAD')}\ntype commit\ntag 1.0\n"
        "tagger a <a@b> 1700000000 +0000\n\nrelease\n"
    ).encode()
    name = git(folder, "hash-object", "-t", "tag", "-w", "--stdin", stdin=text)
    git(folder, "update-ref", "refs/tags/1.0", name)
    assert [release.date for release in git_releases(str(folder), "*")] == ["2023-11-14"]


# What git is not let to do.


def test_reading_writes_nothing_and_runs_nothing(
    repository: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    bundle = bundled(repository, tmp_path / "a.bundle")
    trap = tmp_path / "trap"
    hooks = lay(tmp_path / "hooks", {})
    for name in ("post-checkout", "post-index-change", "reference-transaction", "fsmonitor", "filter"):
        (hooks / name).write_text(f"#!/bin/sh\ntouch {trap}\ncat\n")
        (hooks / name).chmod(0o755)
    for key, value in {
        "core.hooksPath": str(hooks),
        "core.fsmonitor": str(hooks / "fsmonitor"),
        "filter.x.smudge": str(hooks / "filter"),
        "filter.x.clean": str(hooks / "filter"),
        "diff.x.textconv": str(hooks / "filter"),
        "core.pager": str(hooks / "filter"),
        "core.attributesFile": str(lay(tmp_path, {"attributes": b"* filter=x diff=x\n"}) / "attributes"),
    }.items():
        git(repository, "config", key, value)
        monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(repository / ".git" / "config"))
    before = state(repository)
    for place in (repository, bundle):
        assert paths(f"{place}@1.0.0") == SPECS
        assert len(git_releases(str(place), "*")) == 3
        refused(f"{place}@none")
    assert state(repository) == before
    assert not trap.exists()
    git(repository, "checkout", "-q", "1.0.0")
    assert trap.exists(), "the trap does not work, so it proves nothing"


def test_the_environment_of_a_hook_means_nothing(
    repository: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    commit(tmp_path / "other", {"message/OtherRequest.json": SPEC})
    for name in ("GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_OBJECT_DIRECTORY", "GIT_COMMON_DIR",
                 "GIT_PREFIX", "GIT_NAMESPACE", "GIT_CONFIG_PARAMETERS"):  # fmt: skip
        monkeypatch.setenv(name, str(tmp_path / "other" / ".git"))
    assert paths("1.0.0", cwd=repository) == paths(f"{repository}@1.0.0") == SPECS
    monkeypatch.setenv("GIT_CONFIG_COUNT", "0")
    kept = {name for name in environment() if name.startswith("GIT_")}
    assert kept == {"GIT_ALLOW_PROTOCOL", "GIT_CONFIG_COUNT", "GIT_NO_LAZY_FETCH", "GIT_NO_REPLACE_OBJECTS",
                    "GIT_OPTIONAL_LOCKS", "GIT_TERMINAL_PROMPT"}  # fmt: skip


def test_replaced_objects_are_read_as_they_were(repository: Path) -> None:
    git(repository, "replace", "1.0.0", "main")
    assert paths(f"{repository}@1.0.0") == SPECS


def test_a_partial_clone_fetches_nothing_in_passing(repository: Path, tmp_path: Path) -> None:
    git(repository, "config", "uploadpack.allowFilter", "true")
    git(repository, "config", "uploadpack.allowAnySHA1InWant", "true")
    for kind in ("blob:none", "tree:0"):
        partial = tmp_path / kind.replace(":", "-")
        git(tmp_path, "clone", "-q", "--bare", f"--filter={kind}", f"file://{repository}", str(partial))
        before = state(partial)
        said = refused(f"{partial}@1.0.0")
        assert "partial clone" in said
        assert state(partial) == before
        # The line that it says is the remedy.
        git(partial, *said.partition("git ")[2].split())
        assert paths(f"{partial}@1.0.0") == SPECS


# What cannot be read.


@pytest.mark.share(2)
@pytest.mark.parametrize("shallow", [False, True])
@pytest.mark.parametrize("ref", ["origin/topic", "refs/remotes/origin/topic", "topic", "1.0.0", "OLD"])
def test_the_line_that_is_said_brings_what_was_missing(
    repository: Path, tmp_path: Path, shallow: bool, ref: str
) -> None:
    git(repository, "branch", "topic", "1.0.0")
    git(repository, "config", "uploadpack.allowAnySHA1InWant", "true")
    clone = tmp_path / "clone"
    options = ["--no-tags", "--single-branch", "-b", "main"] + (["--depth=1"] if shallow else [])
    if ref == "OLD":
        ref = commit(repository, TREE, "third")
        git(repository, "update-ref", "refs/heads/main", "main~1")
    git(tmp_path, "clone", "-q", *options, f"file://{repository}", str(clone))
    assert len(read(f"{clone}@HEAD")) == 3
    said = refused(f"{clone}@{ref}")
    assert ("the repository is shallow" in said) == shallow
    git(clone, *said.partition("to get it: git ")[2].split())
    assert paths(f"{clone}@{ref}") == SPECS


def test_a_shallow_repository_says_so(repository: Path, tmp_path: Path) -> None:
    shallow = tmp_path / "shallow"
    git(tmp_path, "clone", "-q", "--depth=1", "--no-tags", f"file://{repository}", str(shallow))
    said = refused(f"{shallow}@HEAD~1")
    assert 'there is no commit "HEAD~1" here; the repository is shallow' in said
    git(shallow, *said.partition("to get it: git ")[2].split())
    assert paths(f"{shallow}@HEAD~1") == SPECS


@pytest.mark.parametrize(
    ("ref", "option"),
    [
        ("HEAD^", "--deepen=1"),
        ("HEAD~", "--deepen=1"),
        ("HEAD^2", "--deepen=1"),
        ("HEAD^^", "--deepen=2"),
        ("main~12^", "--deepen=13"),
        ("main^2~3", "--deepen=4"),
        ("HEAD~0", "--unshallow"),
        ("HEAD@{1}", "--unshallow"),
        ("HEAD@{1}~1", "--unshallow"),
        ("HEAD^{commit}", "--unshallow"),
        ("HEAD~1234567", "--unshallow"),
    ],
)
def test_a_shallow_repository_is_deepened_as_far_as_an_ancestor_needs(ref: str, option: str) -> None:
    assert remedy(ref, ["origin"], shallow=True) == option
    assert remedy(ref, ["origin"], shallow=False) == "--all"


def _unresolved(repository: Path, ref: str) -> InputError:
    with pytest.raises(InputError) as caught:
        GitRepo(repository).resolve(ref)
    return caught.value


def test_refs_that_are_none(repository: Path, tmp_path: Path) -> None:
    for ref in ("-x", "--output=x", "a\nb", "\x1b[0m"):
        with pytest.raises(InputError, match="is not a git ref"):
            GitRepo(repository).resolve(ref)
    git(tmp_path, "init", "-q", "-b", "main", "empty")
    assert "it has no commit yet" in refused(f"{tmp_path / 'empty'}@HEAD")
    assert '"main:clients" is a tree, not a commit' in str(_unresolved(repository, "main:clients"))
    assert "git fetch" not in refused(f"{repository}@v9"), "there is nowhere to fetch from"
    assert '"v8..v9" is a range, but one commit is expected' in str(_unresolved(repository, "v8..v9"))
    with GitRepo(repository) as opened, pytest.raises(InputError, match="is not a digest"):
        opened.read("HEAD\nHEAD")


def test_a_name_that_several_begin_with(tmp_path: Path) -> None:
    folder = tmp_path / "r"
    commit(folder, {"a.json": SPEC})
    tree = git(folder, "rev-parse", "HEAD^{tree}")
    names: dict[str, str] = {}
    for count in range(400):
        name = git_commit(folder, tree, count)
        other = names.setdefault(name[:4], name)
        if other != name:
            assert f'"{name[:4]}" is the beginning of several names' in refused(f"{folder}@{name[:4]}")
            return
    pytest.fail("400 commits, and no two begin with the same four digits")


def git_commit(folder: Path, tree: str, count: int) -> str:
    """Write a commit without starting git: 400 of them are wanted."""
    import hashlib
    import zlib

    body = f"tree {tree}\nauthor a <a@b> {count} +0000\ncommitter a <a@b> {count} +0000\n\nx\n".encode()
    text = b"commit %d\0" % len(body) + body
    name = hashlib.sha1(text).hexdigest()
    path = folder / ".git" / "objects" / name[:2] / name[2:]
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(zlib.compress(text))
    return name


def test_windows_takes_no_git_of_the_current_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    here, installed = lay(tmp_path / "here", {"git.exe": b"trap"}), lay(tmp_path / "bin", {"git.exe": b"git"})
    monkeypatch.chdir(here)
    assert program() == "git"
    monkeypatch.setattr(sys, "platform", "win32")
    monkeypatch.setenv("PATH", os.pathsep.join(["", ".", str(tmp_path / "none"), str(installed), str(here)]))
    assert program() == str(installed / "git.exe")
    monkeypatch.setenv("PATH", os.pathsep.join(["", "."]))
    with pytest.raises(InputError, match="needs git, and there is none on PATH"):
        program()


def test_no_git(repository: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    bundle = bundled(repository, tmp_path / "a.bundle")
    monkeypatch.setenv("PATH", str(tmp_path))
    for source in (f"{repository}@main", f"{bundle}@main"):
        assert "reading a repository needs git, and there is none on PATH" in refused(source)
    assert "needs git" in refused("main", repository)
    lay(tmp_path, {"git": b"no program"})
    (tmp_path / "git").chmod(0o755)
    assert "git cannot be run" in refused(f"{repository}@main")


def test_what_is_no_repository(tmp_path: Path) -> None:
    folder = lay(tmp_path / "plain", {"a.json": SPEC})
    assert "this is not a git repository" in refused(f"{folder}@main")
    assert "this git bundle cannot be read" in refused(f"{folder / 'a.json'}@main")
    with pytest.raises(InputError, match="there is no such repository"):
        GitRepo(tmp_path / "none").resolve("HEAD")
    with pytest.raises(InputError, match="there is no such repository"):
        git_releases(str(tmp_path / "none"), "*")


def test_a_repository_of_somebody_else_is_read_when_git_is_told_to(repository: Path) -> None:
    said = (
        b"fatal: detected dubious ownership in repository at '/x'\nTo add:\n\n\tgit config --global --add x\n"
    )
    assert reason(said).endswith("'/x'; to trust it: git config --global --add x")


def damage(repository: Path, what: str, change: Callable[[bytes], bytes]) -> str:
    name = git(repository, "rev-parse", what)
    path = repository / ".git" / "objects" / name[:2] / name[2:]
    path.chmod(stat.S_IWUSR | stat.S_IRUSR)
    path.write_bytes(change(path.read_bytes()))
    return name


@pytest.mark.parametrize(
    "what", ["main:clients/message/FooRequest.json", "main:clients", "main^{tree}", "main"]
)
@pytest.mark.parametrize("change", [lambda text: text[:12], lambda text: b"words", lambda text: b""])
def test_a_damaged_object(repository: Path, what: str, change: Callable[[bytes], bytes]) -> None:
    damage(repository, what, change)
    assert str(repository) in refused(f"{repository}@main")


@pytest.mark.parametrize("what", ["main:clients/message/FooRequest.json", "main:clients", "main^{tree}"])
def test_a_missing_object_is_named(repository: Path, what: str) -> None:
    name = damage(repository, what, lambda text: text)
    (repository / ".git" / "objects" / name[:2] / name[2:]).unlink()
    assert (
        f"the object {name} is missing or damaged" in refused(f"{repository}@main") or what == "main^{tree}"
    )


def test_a_commit_that_git_would_not_write_is_no_crash(repository: Path) -> None:
    commit = git(repository, "cat-file", "commit", "main").encode() + b"\n"
    lines = commit.replace(b"parent ", b"parent \xff")
    options = ("hash-object", "-t", "commit", "--literally", "-w", "--stdin")
    made = subprocess.run(["git", *options], cwd=repository, input=lines, capture_output=True, check=True)
    with GitRepo(repository) as opened:
        assert list(opened.first_parents(made.stdout.decode().strip()))[1:] == []


@pytest.mark.parametrize("entry", [b" F.json\0", b"100644 F.json"])
def test_a_tree_that_git_would_not_write_is_no_crash(tmp_path: Path, entry: bytes) -> None:
    folder = tmp_path / "r"
    commit(folder, {"FooRequest.json": SPEC})
    options = ("hash-object", "-t", "tree", "--literally", "-w", "--stdin")
    made = subprocess.run(
        ["git", *options], cwd=folder, input=entry + b"a" * 20, capture_output=True, check=True
    )
    tree = made.stdout.decode().strip()
    name = git(folder, "commit-tree", "-m", "x", tree)
    assert tree in refused(f"{folder}@{name}")


def test_a_text_that_is_another_one_is_noticed(repository: Path) -> None:
    other = git(repository, "rev-parse", "1.0.0:core/src/main/resources/Bar.json")
    path = repository / ".git" / "objects" / other[:2] / other[2:]
    name = damage(repository, "main:clients/message/FooRequest.json", lambda _: path.read_bytes())
    assert name in refused(f"{repository}@main")


def test_a_damaged_repository(repository: Path) -> None:
    git(repository, "repack", "-a", "-d", "-q")
    (pack,) = (repository / ".git" / "objects" / "pack").glob("*.pack")
    pack.chmod(stat.S_IWUSR | stat.S_IRUSR)
    whole = pack.read_bytes()
    pack.write_bytes(whole[: len(whole) // 2])
    assert str(repository) in refused(f"{repository}@main")
    pack.write_bytes(whole)
    assert paths(f"{repository}@1.0.0") == SPECS
    (repository / ".git" / "config").write_bytes(b"[core\nwords")
    assert "bad config" in refused(f"{repository}@main")


def test_a_tag_whose_commit_is_missing_is_not_passed_over(repository: Path) -> None:
    name = damage(repository, "1.0.0", lambda text: text)
    (repository / ".git" / "objects" / name[:2] / name[2:]).unlink()
    with pytest.raises(InputError, match=r"the object of the tag '1\.0\.0' is missing"):
        git_releases(str(repository), "*")


def test_a_tree_of_trees_of_trees(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "r"
    commit(folder, {"x": b""})

    def nest(tree: str, times: int, copies: int) -> str:
        for _ in range(times):
            lines = "".join(f"040000 tree {tree}\t{copy}\n" for copy in range(copies))
            tree = git(folder, "mktree", stdin=lines.encode())
        return git(folder, "commit-tree", "-m", "x", tree)

    spec = git(folder, "hash-object", "-w", "--stdin", stdin=SPEC)
    leaf = git(folder, "mktree", stdin=f"100644 blob {spec}\tFooRequest.json\n".encode())
    empty = git(folder, "mktree", stdin=f"100644 blob {spec}\tREADME\n".encode())
    # Ten to the power of ten paths, none of which holds a spec, cost ten trees; those that do are refused.
    assert "no message specs" in refused(f"{folder}@{nest(empty, 10, 10)}")
    assert "more than 100000 JSON files" in refused(f"{folder}@{nest(leaf, 10, 10)}")
    assert len(read(f"{folder}@{nest(leaf, 100, 1)}")) == 1
    with GitRepo(folder) as opened:
        inner = nest(leaf, 90, 1)
        assert len(opened.entries(inner)) == 1
        with pytest.raises(InputError, match="nested more than 100 deep"):
            opened.entries(nest(git(folder, "rev-parse", f"{inner}^{{tree}}"), 20, 1))
    assert "nested more than 100 deep" in refused(f"{folder}@{nest(leaf, 101, 1)}")


def test_a_large_text_is_not_held(tmp_path: Path) -> None:
    folder = tmp_path / "r"
    large = b" " * (20 << 20)
    commit(folder, {"FooRequest.json": SPEC, "data.json": b'{"rows": "' + large + b'"}'})
    assert paths(f"{folder}@main") == ["FooRequest.json"]
    commit(folder, {"message/FooRequest.json": SPEC[:-3] + large})
    assert "message/FooRequest.json: larger than 16 MiB" in refused(f"{folder}@main")
    assert "FooRequest.json: larger than 16 MiB" in refused(f"{folder}@main:message/FooRequest.json")


def test_warnings_of_git_do_not_block_it(repository: Path) -> None:
    git(repository, "branch", "1.0.0", "main")
    git(repository, "config", "core.warnAmbiguousRefs", "true")
    with GitRepo(repository) as opened:
        answers = list(opened.objects.query(["1.0.0^{commit}"] * 2000))
    assert {answer.name for answer in answers} == {git(repository, "rev-parse", "refs/tags/1.0.0")}


@needs_shared
def test_the_real_history() -> None:
    assert SHARED is not None
    known: list[list[SpecText]] = []
    for place in (history_repo(), SHARED / "data" / "kafka-history.bundle"):
        with GitRepo(place) as opened:
            releases = opened.releases("[0-9]*").found
            assert len(releases) == 53
            entries = [entry for release in releases for entry in opened.entries(release.commit)]
            assert len(entries) == 9170
            digests = sorted({entry.digest for entry in entries})
            assert len(digests) == 1184
            known.append([SpecText("", opened.read(digest), digest) for digest in digests])
    assert known[0] == known[1]
    assert all(digest_of(text.text) == text.digest for text in known[0])
    # Each of them is told by what it says, wherever it might lie.
    assert [text.digest for text in known[0] if not found.is_spec(text.text, 0)] == []


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_a_forked_process_leaves_the_git_of_its_parent_alone(tmp_path: Path) -> None:
    made = Repo(tmp_path / "repository")
    made.write("a.txt", "a")
    commit = made.commit("first")
    bundle = tmp_path / "a.bundle"
    made.git("bundle", "create", str(bundle), "HEAD", "main")
    for path in (made.folder, bundle):
        with GitRepo(path) as repository:
            assert repository.resolve("HEAD") == commit
            child = get_context("fork").Process(target=repository.close)
            child.start()
            child.join(120)
            alive, code = child.is_alive(), child.exitcode
            child.kill()
            assert (alive, code) == (False, 0)
            assert repository.resolve("HEAD") == commit
