"""A SOURCE is found wherever it lies, gives the same texts in every form, and is refused in one line."""

from __future__ import annotations

import io
import os
import shutil
import stat
import subprocess
import tarfile
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from specs import archives, found
from specs.git import git_releases
from specs.problems import InputError
from specs.sources import GitRepo, SpecText, digest_of, open_source
from tests.support import history_repo, needs_shared

SPEC = b'{"name": "FooRequest", "type": "request", "apiKey": 1, "validVersions": "0", "fields": []}\n'
TREE = {
    "clients/message/FooRequest.json": SPEC,
    "core/src/main/resources/Bar.json": SPEC.replace(b"Foo", b"Bar"),
    "names with spaces/é.json": SPEC.replace(b"Foo", b"Baz"),
    "clients/message/BrokenRequest.json": b'{"name": ',
    "package.json": b'{"name": "other"}',
    "schema/message.json": b'{"$defs": {}, "properties": {"validVersions": {}}, "validVersions": 1}',
    "src/test/resources/message/TestRequest.json": SPEC,
    "build/FooRequest.json": SPEC,
    ".hidden/FooRequest.json": SPEC,
    "README.md": b"words",
}
SPECS = [
    "clients/message/BrokenRequest.json",
    "clients/message/FooRequest.json",
    "core/src/main/resources/Bar.json",
    "names with spaces/é.json",
]


def lay(folder: Path, tree: dict[str, bytes]) -> Path:
    for name, text in tree.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text)
    return folder


def git(folder: Path, *arguments: str) -> str:
    done = subprocess.run(
        ["git", "-c", "user.name=a", "-c", "user.email=a@b", "-C", str(folder), *arguments],
        check=True,
        capture_output=True,
        text=True,
    )
    return done.stdout.strip()


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    return lay(tmp_path / "tree", TREE)


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """A repository with the tree in its first commit, tagged 1.0.0, and one spec fewer in the second."""
    folder = lay(tmp_path / "repo", TREE)
    git(folder, "init", "-q", "-b", "main")
    git(folder, "add", "-A", "-f")
    git(folder, "commit", "-q", "-m", "first")
    git(folder, "tag", "1.0.0")
    git(folder, "rm", "-q", "core/src/main/resources/Bar.json")
    git(folder, "commit", "-q", "-m", "second")
    git(folder, "tag", "-a", "-m", "x", "1.10.0")
    git(folder, "tag", "1.9.0")
    return folder


def zipped(path: Path, tree: dict[str, bytes]) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in tree.items():
            archive.writestr(name, text)
    return path


def tarred(path: Path, tree: dict[str, bytes]) -> Path:
    with tarfile.open(path, "w:gz") as archive:
        for name, text in tree.items():
            member = tarfile.TarInfo(name)
            member.size = len(text)
            archive.addfile(member, io.BytesIO(text))
    return path


def read(source: Path | str, *, tests: bool = False) -> list[SpecText]:
    return open_source(str(source), tests=tests).texts()


def refused(source: Path | str, cwd: Path | None = None) -> str:
    with pytest.raises(InputError) as caught:
        open_source(str(source), cwd=cwd).texts()
    assert "\n" not in str(caught.value)
    return str(caught.value)


def test_every_form_of_a_source_gives_the_same_texts(tree: Path, repository: Path, tmp_path: Path) -> None:
    bare = tmp_path / "bare.git"
    git(tmp_path, "clone", "-q", "--bare", str(repository), str(bare))
    bundle = tmp_path / "all.bundle"
    git(repository, "bundle", "create", "-q", str(bundle), "--all", "HEAD")
    expected = read(tree)
    assert [text.path for text in expected] == SPECS
    assert read(zipped(tmp_path / "a.jar", TREE)) == expected
    assert read(zipped(tmp_path / "a.whl", TREE)) == expected
    assert read(tarred(tmp_path / "a.tar.gz", TREE)) == expected
    for place in (repository, bare, bundle):
        assert read(f"{place}@1.0.0") == expected
    assert [text.path for text in read(f"{bundle}@main")] == [path for path in SPECS if "Bar" not in path]
    for text in expected:
        assert text.digest == git(repository, "rev-parse", f"1.0.0:{text.path}") == digest_of(text.text)


def test_test_trees_count_only_when_asked(tree: Path) -> None:
    assert {text.path for text in read(tree, tests=True)} - set(SPECS) == {
        "src/test/resources/message/TestRequest.json"
    }


def test_a_file_counts_whatever_it_holds(tmp_path: Path) -> None:
    path = lay(tmp_path, {"any.json": b"{}"}) / "any.json"
    assert [(text.path, text.text) for text in read(path)] == [("any.json", b"{}")]


def test_refs_of_the_repository_one_stands_in(repository: Path) -> None:
    below = repository / "clients"
    for ref in ("HEAD", "main", "1.0.0", "main@{0}", "HEAD~1"):
        assert open_source(ref, cwd=below).commit == git(repository, "rev-parse", f"{ref}^{{commit}}")
    narrowed = open_source("1.0.0:clients/message", cwd=below).texts()
    assert [text.path for text in narrowed] == ["BrokenRequest.json", "FooRequest.json"]


def test_paths_with_an_at_sign(tmp_path: Path, repository: Path) -> None:
    odd = tmp_path / "a@b"
    shutil.copytree(repository, odd)
    assert open_source(f"{odd}@main@{{0}}").commit == git(repository, "rev-parse", "main")
    assert open_source(str(odd)).kind == "directory"


def test_worktrees_and_hook_environments_are_read(
    repository: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    linked = tmp_path / "linked"
    git(repository, "worktree", "add", "-q", str(linked), "1.0.0")
    monkeypatch.setenv("GIT_DIR", "/nowhere")
    monkeypatch.setenv("GIT_INDEX_FILE", "/nowhere/index")
    assert [text.path for text in open_source("HEAD", cwd=linked).texts()] == SPECS


def test_reading_writes_nothing_into_a_repository(repository: Path) -> None:
    def state() -> set[tuple[str, float]]:
        return {(str(path), path.stat().st_mtime) for path in repository.rglob("*")}

    before = state()
    read(f"{repository}@main")
    git_releases(str(repository), "*")
    assert state() == before


def test_releases_are_tags_of_commits_in_version_order(repository: Path) -> None:
    blob = git(repository, "rev-parse", "main:README.md")
    git(repository, "tag", "1.5.0", blob)
    found_releases = git_releases(str(repository), "1.*")
    assert [release.name for release in found_releases] == ["1.0.0", "1.9.0", "1.10.0"]
    assert {release.commit for release in found_releases[1:]} == {git(repository, "rev-parse", "main")}
    assert all(len(release.date) == 10 for release in found_releases)
    assert git_releases(str(repository), "2.*") == []


def test_every_digest_is_read_once(repository: Path) -> None:
    with GitRepo(repository) as opened:
        commit = opened.resolve("1.0.0")
        entries = opened.entries(commit)
        asked: list[str] = []
        ask = opened._ask
        opened._ask = lambda names: asked.extend(names) or ask(names)  # type: ignore[method-assign, func-returns-value]
        assert [opened.read(entry.digest) for entry in entries] == [
            text.text for text in read(f"{repository}@1.0.0")
        ]
        assert opened.entries(commit) == entries
        assert [name for name in asked if "^" not in name] == []


# What cannot be used.


def test_what_is_not_there(tmp_path: Path, repository: Path) -> None:
    assert "no such file or directory, and this is no git repository" in refused("nothing", tmp_path)
    assert "no such file or directory" in refused("nothing.json", repository)
    assert "git fetch origin nothing" in refused("nothing", repository)
    assert 'no commit "v9"' in refused(f"{repository}@v9")
    assert 'no folder "clients/none"' in refused(f"{repository}@main:clients/none")
    assert "is no git ref" in refused("-x", repository)
    assert "names nothing" in refused("")
    assert "names nothing" in refused("a\0b")


def test_a_source_without_specs(tmp_path: Path, repository: Path) -> None:
    empty = lay(tmp_path / "empty", {"package.json": b"{}"})
    assert f"no message specs in the directory {empty}" in refused(empty)
    assert "no message specs" in refused(zipped(tmp_path / "a.zip", {"a.txt": b""}))
    git(repository, "rm", "-q", "-r", "clients", "names with spaces")
    git(repository, "commit", "-q", "-m", "third")
    assert "no message specs" in refused(f"{repository}@main")


def test_no_git(repository: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    assert "needs git" in refused(f"{repository}@main")


def test_no_repository(tmp_path: Path) -> None:
    folder = lay(tmp_path / "plain", {"a.json": SPEC})
    assert "no git repository" in refused(f"{folder}@main")
    file = lay(tmp_path, {"a.bundle": b"words"}) / "a.bundle"
    assert "no git bundle" in refused(file)


def test_a_shallow_repository_reads_what_it_has(repository: Path, tmp_path: Path) -> None:
    shallow = tmp_path / "shallow"
    git(tmp_path, "clone", "-q", "--depth", "1", "--no-tags", f"file://{repository}", str(shallow))
    assert len(read(f"{shallow}@HEAD")) == 3
    assert "git fetch --unshallow" in refused(f"{shallow}@HEAD~1")


@pytest.mark.parametrize("what", ["main:clients/message/FooRequest.json", "main:clients", "main^{tree}"])
def test_a_damaged_object_is_named(repository: Path, what: str) -> None:
    digest = git(repository, "rev-parse", what)
    path = repository / ".git" / "objects" / digest[:2] / digest[2:]
    path.chmod(stat.S_IWUSR | stat.S_IRUSR)
    path.write_bytes(path.read_bytes()[:12])
    assert str(repository) in refused(f"{repository}@main")


@pytest.mark.parametrize("make", [zipped, tarred])
@pytest.mark.parametrize("name", ["../x.json", "/x.json", "a/../../x.json", "C:/x.json", "..\\x.json"])
def test_names_that_lead_out_of_an_archive(
    tmp_path: Path, make: Callable[[Path, dict[str, bytes]], Path], name: str
) -> None:
    path = make(tmp_path / ("a.zip" if make is zipped else "a.tgz"), {"FooRequest.json": SPEC, name: SPEC})
    assert "leads out of the archive" in refused(path)


def test_links_in_a_tar_are_not_followed(tmp_path: Path) -> None:
    path = tmp_path / "a.tar.gz"
    with tarfile.open(path, "w:gz") as archive:
        link = tarfile.TarInfo("message/FooRequest.json")
        link.type, link.linkname = tarfile.SYMTYPE, "/etc/passwd"
        archive.addfile(link)
    assert "no message specs" in refused(path)


@pytest.mark.parametrize("name", ["a.jar", "a.tar.gz"])
def test_a_truncated_archive(tmp_path: Path, name: str) -> None:
    noise = {f"message/F{n}Request.json": os.urandom(3000) for n in range(20)}
    path = (zipped if name.endswith("jar") else tarred)(tmp_path / name, noise)
    whole = path.read_bytes()
    for part in (10, len(whole) // 2, len(whole) - 30):
        path.write_bytes(whole[:part])
        assert "damaged" in refused(path)


def test_a_bomb_is_refused_on_what_comes_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    big = b'{"validVersions": "0", "x": "' + b"a" * (2 << 20) + b'"}'
    monkeypatch.setattr(archives, "MAX_TOTAL", 5 << 20)
    for path in (
        zipped(tmp_path / "a.zip", {f"F{n}.json": big for n in range(4)}),
        tarred(tmp_path / "a.tgz", {f"F{n}.json": big for n in range(4)}),
    ):
        assert path.stat().st_size < 100_000
        assert "more than 5 MiB" in refused(path)


def test_a_header_that_lies_about_the_size(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(archives, "MAX_TEXT", 1000)
    path = zipped(tmp_path / "a.zip", {"F.json": SPEC + b" " * 5000})
    data = path.read_bytes()
    size = (len(SPEC) + 5000).to_bytes(4, "little")
    path.write_bytes(data.replace(size, (10).to_bytes(4, "little")))
    assert "larger than" in refused(path) or "damaged" in refused(path)


def test_too_many_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(archives, "MAX_FILES", 3)
    tree = {f"F{n}.json": SPEC for n in range(5)}
    assert "more than 3 files" in refused(zipped(tmp_path / "a.zip", tree))
    assert "more than 3 files" in refused(tarred(tmp_path / "a.tgz", tree))


def test_an_encrypted_archive(tmp_path: Path) -> None:
    path = zipped(tmp_path / "a.zip", {"F.json": SPEC})
    data = bytearray(path.read_bytes())
    for sign, flags in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        data[data.index(sign) + flags] |= 1
    path.write_bytes(bytes(data))
    assert "encrypted" in refused(path)


def test_one_name_twice_in_an_archive(tmp_path: Path) -> None:
    path = tmp_path / "a.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("F.json", SPEC)
        with pytest.warns(UserWarning, match="Duplicate name"):
            archive.writestr("F.json", SPEC)
    assert "'F.json' stands in it twice" in refused(path)


def test_a_file_of_200_megabytes_is_not_read(tmp_path: Path) -> None:
    path = tmp_path / "FooRequest.json"
    with open(path, "wb") as file:
        file.truncate(200 << 20)
    assert "FooRequest.json: larger than 16 MiB" in refused(path)
    assert "FooRequest.json: larger than 16 MiB" in refused(tmp_path)


def test_pipes_links_and_loops_in_a_directory(tmp_path: Path) -> None:
    folder = lay(tmp_path / "tree", {"a/F.json": SPEC})
    outside = lay(tmp_path / "outside", {"G.json": SPEC})
    os.mkfifo(folder / "pipe.json")
    (folder / "loop").symlink_to(folder)
    (folder / "self.json").symlink_to(folder / "self.json")
    (folder / "G.json").symlink_to(outside / "G.json")
    (folder / "inside.json").symlink_to(folder / "a" / "F.json")
    assert [text.path for text in read(folder)] == ["a/F.json", "inside.json"]
    assert "neither a file nor a directory" in refused(folder / "pipe.json")


def test_names_that_are_not_utf8(tmp_path: Path) -> None:
    folder = tmp_path / "tree"
    folder.mkdir()
    try:
        with open(os.fsencode(folder) + b"/\xff.json", "wb") as file:
            file.write(SPEC)
    except OSError:
        pytest.skip("this file system takes no such names")
    assert len(read(folder)) == 1


@pytest.mark.skipif(os.geteuid() == 0, reason="root reads everything")
def test_what_may_not_be_read(tree: Path) -> None:
    (tree / "clients/message/FooRequest.json").chmod(0)
    assert "Permission denied" in refused(tree)


def test_what_counts_as_a_spec() -> None:
    assert found.may_hold_spec("x/common/message/FooRequest.json")
    assert found.may_hold_spec("x/common/metadata/BarRecord.json")
    assert not found.may_hold_spec("x/message/package.json")
    assert found.looks_like_spec(b'{"apiKey": 1', named=False)
    assert not found.looks_like_spec(b'{"name": 1}', named=False)


@needs_shared
def test_the_real_history() -> None:
    repo = str(history_repo())
    releases = git_releases(repo, "[0-9]*")
    assert len(releases) == 53
    with GitRepo(repo) as opened:
        entries = [entry for release in releases for entry in opened.entries(release.commit)]
        assert len(entries) == 9170
        assert len({entry.digest for entry in entries}) == 1184
    assert len(read(f"{repo}@4.3.1:clients/src/main/resources/common/message")) == 198
