"""A SOURCE is found wherever it lies, gives the same texts in every form, and is refused in one line."""

from __future__ import annotations

import os
import random
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given
from hypothesis import strategies as st

from tests.profiles import examples
from tests.repositories import git
from tests.specs.trees import (
    SPEC,
    SPECS,
    TREE,
    commit,
    lay,
    paths,
    read,
    refused,
    tarred,
    zipped,
)
from tests.support import ROOT
from wirebook.specs.kafka.registry import embedded_source
from wirebook.specs.problems import InputError
from wirebook.specs.profile_choice import profile_of
from wirebook.specs.reading.discovery import candidate, is_spec, place_of
from wirebook.specs.sources import source as sources
from wirebook.specs.sources.beside import registry_text
from wirebook.specs.sources.source import digest_of, open_source

# What git takes for a repository.
GIT = {".git/HEAD": b"ref: refs/heads/main\n", ".git/refs/none": b""}


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    return lay(tmp_path / "tree", TREE)


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """A repository with the tree in its first commit, tagged 1.0.0, and one spec fewer in the second."""
    folder = tmp_path / "repo"
    commit(folder, TREE, "first")
    git(folder, "tag", "1.0.0")
    git(folder, "rm", "-q", "core/src/main/resources/Bar.json")
    git(folder, "commit", "-q", "-m", "second: words")
    return folder


def every_form(tree: dict[str, bytes], folder: Path) -> Iterator[tuple[str, str]]:
    """The same tree as each kind of source."""
    repository = folder / "repo"
    head = commit(repository, tree)
    bare, bundle = folder / "bare.git", folder / "all.bundle"
    git(folder, "clone", "-q", "--bare", str(repository), str(bare))
    git(repository, "bundle", "create", "-q", str(bundle), "--all", "HEAD")
    yield "directory", str(lay(folder / "tree", tree))
    yield "archive", str(zipped(folder / "a.jar", tree))
    yield "archive", str(zipped(folder / "a.whl", tree))
    yield "archive", str(tarred(folder / "a.tar.gz", tree))
    for place in (repository, bare, bundle):
        yield "git", f"{place}@main"
        yield "git", f"{place}@{head}:"
    yield "git", str(bare)
    yield "git", str(bundle)


def test_every_form_of_a_source_gives_the_same_texts(tree: Path, repository: Path, tmp_path: Path) -> None:
    expected = read(tree)
    assert [text.path for text in expected] == SPECS
    for text in expected:
        assert text.digest == git(repository, "rev-parse", f"1.0.0:{text.path}") == digest_of(text.text)
        assert text.text == TREE[text.path]
    for kind, source in every_form(TREE, tmp_path / "forms"):
        opened = open_source(source)
        assert (opened.kind, opened.texts()) == (kind, expected), source
        assert opened.texts() == expected, "a source can be read twice"


_parts = st.sampled_from(
    ["message", "metadata", "test", "examples", "bin", "a b", "é", ".x", "x@y", "src:z", "-a"]
)
_names = st.sampled_from(
    ["FooRequest.json", "BarKey.json", "x.json", "ü ß.json", ".y.json", "z.txt", "-.json"]
)
_texts = st.sampled_from([SPEC, SPEC + b" ", b"{", b"{}", b'{"validVersions"', b"[1]", b"", b"\xff\xfe{"])
_trees = st.dictionaries(
    st.tuples(st.lists(_parts, max_size=3), _names).map(lambda path: "/".join([*path[0], path[1]])),
    _texts,
    max_size=12,
)


@examples(0.2, suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture])
@given(_trees, st.booleans())
def test_any_tree_gives_the_same_texts_in_every_form(
    tmp_path: Path, tree: dict[str, bytes], tests: bool
) -> None:
    tree["certain.json"] = SPEC
    expected = [
        path for path in sorted(tree) if candidate(path, tests) and is_spec(tree[path], place_of(path))
    ]
    folder = tmp_path / str(random.random())
    for _, source in every_form(tree, folder):
        texts = read(source, tests=tests)
        assert [text.path for text in texts] == expected, source
        assert all(text.text == tree[text.path] for text in texts)
        assert all(text.digest == digest_of(text.text) for text in texts)
    shutil.rmtree(folder)


def test_test_trees_count_only_when_asked(tree: Path) -> None:
    assert set(paths(tree, tests=True)) - set(SPECS) == {
        "messages/examples/FooRequest.json",
        "src/test/resources/message/TestRequest.json",
    }
    # What one names oneself is no test tree, wherever it lies.
    assert paths(tree / "src" / "test") == ["resources/message/TestRequest.json"]


def test_our_own_messages_are_found_and_nothing_beside_them() -> None:
    specs = ROOT / "specs"
    expected = sorted(path.relative_to(specs).as_posix() for path in embedded_source().rglob("*.json"))
    assert expected
    assert paths(ROOT / "specs") == expected


def test_one_file_counts_wherever_it_lies_if_it_is_a_spec(tmp_path: Path, repository: Path) -> None:
    path = lay(tmp_path, {"test/any.words": SPEC}) / "test" / "any.words"
    assert [(text.path, text.text) for text in read(path)] == [("any.words", SPEC)]
    broken = lay(tmp_path, {"half.json": SPEC[: len(SPEC) // 2]}) / "half.json"
    assert [text.path for text in read(broken)] == ["half.json"]
    for text in (b"{}", b"root:x:0:0:root", b""):
        path.write_bytes(text)
        with pytest.raises(InputError, match="no message specs in the file"):
            read(path)
    with pytest.raises(InputError, match="no message specs in"):
        read(f"{repository}@main:package.json")


def test_a_source_says_what_it_is(tree: Path, repository: Path, tmp_path: Path) -> None:
    head = git(repository, "rev-parse", "main")
    described = {
        str(tree): f"the directory {tree}",
        str(tree / "package.json"): f"the file {tree / 'package.json'}",
        str(zipped(tmp_path / "a.jar", TREE)): f"the archive {tmp_path / 'a.jar'}",
        f"{repository}@main": f"{repository} at main (refs/heads/main, commit {head[:12]})",
        f"{repository}@main:clients": f"{repository} at main:clients (refs/heads/main, commit {head[:12]})",
        f"{repository}@": f"{repository} at HEAD (commit {head[:12]})",
        f"{repository}@:clients": f"{repository} at :clients (commit {head[:12]})",
    }
    for source, words in described.items():
        opened = open_source(source)
        assert opened.description == words
        assert opened.commit == (head if opened.kind == "git" else None)
    assert open_source("main", cwd=repository).description == f"main (refs/heads/main, commit {head[:12]})"


def test_refs_of_the_repository_one_stands_in(repository: Path) -> None:
    git(repository, "update-ref", "refs/remotes/origin/main", "1.0.0")
    git(repository, "branch", "a@b")
    below = repository / "clients"
    for ref in (
        "HEAD", "@", "main", "1.0.0", "main@{0}", "HEAD~1", "HEAD^{commit}", "origin/main", "a@b",
        "HEAD^{/second: words}", "refs/tags/1.0.0", git(repository, "rev-parse", "--short", "HEAD"),
    ):  # fmt: skip
        assert open_source(ref, cwd=below).commit == git(repository, "rev-parse", f"{ref}^{{commit}}"), ref
    assert paths("1.0.0:clients/message", cwd=below) == ["BrokenRequest.json", "FooRequest.json"]
    assert paths("HEAD^{/second: words}:clients/message/", cwd=below) == paths(
        "main:clients/message", cwd=below
    )


@pytest.mark.share(2)
@pytest.mark.parametrize("name", ["main", "origin/main", "1.0.0", "HEAD~1", "a@b", "main:clients"])
@pytest.mark.parametrize("kind", ["directory", "file", "link"])
def test_a_path_does_not_take_the_place_of_a_ref_of_its_name(repository: Path, name: str, kind: str) -> None:
    git(repository, "update-ref", "refs/remotes/origin/main", "1.0.0")
    git(repository, "branch", "a@b")
    commit = open_source(name, cwd=repository).commit
    place = repository / name
    if kind == "directory":
        lay(place, {"message/FooRequest.json": SPEC})
    else:
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(SPEC) if kind == "file" else place.symlink_to(repository.parent)
    with pytest.raises(InputError) as caught:
        open_source(name, cwd=repository)
    path = f"./{name}" if kind == "file" else f"dir:{name}"
    assert f"and a ref of the repository here; write {path} or git:{name}" in str(caught.value)
    assert open_source(f"git:{name}", cwd=repository).commit == commit
    assert open_source(path, cwd=repository).kind == ("file" if kind == "file" else "directory")


def test_what_a_source_says_that_it_is(repository: Path) -> None:
    lay(repository, {"specs/message/FooRequest.json": SPEC})
    assert open_source("git:main", cwd=repository).kind == "git"
    assert open_source("git:.@main:clients", cwd=repository).kind == "git"
    assert open_source("dir:specs", cwd=repository).kind == "directory"
    assert open_source("specs", cwd=repository).kind == "directory"
    for source, words in (
        ("git:specs", 'there is no commit "specs" here'),
        ("dir:main", "no such file or directory"),
        ("archive:specs", "this is the directory specs, which archive: does not name"),
        ("dir:", "names nothing"),
    ):
        with pytest.raises(InputError, match=words):
            open_source(source, cwd=repository)
    with pytest.raises(InputError, match=r"not a ref .* for the directory specs write \./specs"):
        open_source("specs", cwd=repository, bare_paths=False)
    assert open_source("./specs", cwd=repository, bare_paths=False).kind == "directory"


@pytest.mark.share(2)
@pytest.mark.parametrize("name", ["a@b", "a@b@c", "with spaces", "é", "C:", "x:y", "-dash", "main"])
def test_repositories_with_odd_names(repository: Path, name: str) -> None:
    odd = repository.parent / "odd" / name
    shutil.copytree(repository, odd)
    git(odd, "branch", "x@y")
    lay(odd, {"dir@x/message/FooRequest.json": SPEC})
    git(odd, "add", "-A")
    git(odd, "commit", "-q", "-m", "third")
    for cwd, place in (
        (None, str(odd)),
        (odd.parent, name),
        (odd.parent, f"./{name}"),
        (odd.parent, f"{name}/"),
    ):
        assert open_source(place, cwd=cwd).kind == "directory"
        for ref in ("1.0.0", "x@y", "main@{0}", "HEAD^{/second: words}"):
            found = open_source(f"{place}@{ref}", cwd=cwd)
            assert found.commit == git(odd, "rev-parse", f"{ref}^{{commit}}"), (place, ref)
        assert paths(f"{place}@1.0.0:clients/message", cwd=cwd) == ["BrokenRequest.json", "FooRequest.json"]
        assert paths(f"{place}@main:dir@x", cwd=cwd) == ["message/FooRequest.json"]


def test_the_longest_path_that_is_there_is_the_repository(repository: Path) -> None:
    longer = repository.parent / "repo@main"
    commit(longer, {"message/OtherRequest.json": SPEC})
    assert paths(f"{repository}@main@main") == ["message/OtherRequest.json"]
    with pytest.raises(InputError, match=r"repo@main and .*repo at main; write dir:.* or git:"):
        open_source(f"{repository}@main")
    assert open_source(f"dir:{repository}@main").kind == "directory"
    assert open_source(f"git:{repository}@main").kind == "git"


@pytest.mark.parametrize(
    ("cwd", "subdir", "expected"),
    [
        ("", "./clients/", "clients"),
        ("", ".", ""),
        ("", "clients/./message//", "clients/message"),
        ("", "/clients", "clients"),
        ("clients", "./message", "clients/message"),
        ("clients", "message", "message"),
        ("clients/message", "..", "clients"),
        ("clients/message", "../../clients/", "clients"),
        ("clients", "..", ""),
        ("clients", "../..", ".."),
        ("", "clients/../clients", "clients/../clients"),
    ],
)
def test_a_folder_is_relative_as_git_has_it(
    cwd: str, subdir: str, expected: str, repository: Path, tmp_path: Path
) -> None:
    for source, folder in (
        (f"HEAD:{subdir}", repository / cwd),
        (f"{repository / cwd}@HEAD:{subdir}", tmp_path),
    ):
        opened = open_source(source, cwd=folder)
        assert opened.subdir == expected
        if ".." in expected:
            with pytest.raises(InputError, match=r'there is no "'):
                opened.texts()


def test_a_tag_with_an_at_does_not_name_a_repository(repository: Path) -> None:
    """Tags of a repository with several packages are often called like this."""
    git(repository, "tag", "clients@1.0.0", "1.0.0")
    git(repository, "tag", "clients@2.0.0")
    for prefix in ("", "git:"):
        for subdir in ("", ":clients"):
            with pytest.raises(InputError) as caught:
                open_source(f"{prefix}clients@1.0.0{subdir}", cwd=repository)
            assert str(caught.value) == (
                f"clients@1.0.0{subdir}: this is refs/tags/clients@1.0.0{subdir} of the repository here and "
                f"1.0.0{subdir} of clients; write refs/tags/clients@1.0.0{subdir} or ./clients@1.0.0{subdir}"
            )
            for written in (f"refs/tags/clients@1.0.0{subdir}", f"./clients@1.0.0{subdir}"):
                opened = open_source(f"{prefix}{written}", cwd=repository)
                assert (opened.commit, opened.subdir) == (git(repository, "rev-parse", "1.0.0"), subdir[1:])
        # No other repository has this one.
        latest = open_source(f"{prefix}clients@2.0.0", cwd=repository)
        assert (latest.commit, latest.path) == (git(repository, "rev-parse", "main"), str(repository))


# What cannot be used.


def test_what_is_not_there(tmp_path: Path, repository: Path) -> None:
    assert "no such file or directory, and this is not a git repository" in refused("nothing", tmp_path)
    for source in (
        "nothing.json",
        "./nothing",
        "../nothing",
        "/nothing",
        "C:\\nothing",
        "a/b.jar",
        "x.bundle",
    ):
        assert refused(source, repository) == f"{source}: no such file or directory"
    assert refused("nothing", repository) == 'nothing: there is no commit "nothing" here'
    assert 'there is no repository "kafka", and there is no commit' in refused("kafka@4.0", repository)
    assert 'there is no commit "v9"' in refused(f"{repository}@v9")
    assert 'there is no "clients/none"' in refused(f"{repository}@main:clients/none")
    for source in ("-x", "--output=x", f"{repository}@-x"):
        assert "is not a git ref" in refused(source, repository)
    for source in ("", "a\0b"):
        assert "names nothing" in refused(source)
    assert refused("x" * 5000, tmp_path)
    assert refused("x/" * 5000, repository)
    assert refused("package.json/x", repository)


def test_a_source_without_specs(tmp_path: Path, repository: Path) -> None:
    empty = lay(tmp_path / "empty", {"package.json": b"{}", "build/FooRequest.json": SPEC})
    assert refused(empty) == f"no message specs in the directory {empty}"
    assert "no message specs in the archive" in refused(zipped(tmp_path / "a.zip", {"a.txt": b""}))
    assert "no message specs in the archive" in refused(tarred(tmp_path / "a.tgz", {}))
    assert f"no message specs in {repository} at main:schema (refs/heads/main, commit" in refused(
        f"{repository}@main:schema"
    )


def test_a_file_of_200_megabytes_is_not_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "FooRequest.json"
    with open(path, "wb") as file:
        file.truncate(200 << 20)
    sizes: list[int] = []

    def judge(text: bytes, place: int, *, whole: bool) -> bool:
        sizes.append(len(text))
        return is_spec(text, place, whole=whole)

    monkeypatch.setattr(sources, "is_spec", judge)
    assert refused(path) == f"{path}: larger than 16 MiB, too large for a spec"
    assert refused(tmp_path) == f"{path}: larger than 16 MiB, too large for a spec"
    path.rename(tmp_path / "data.json")
    lay(tmp_path, {"BarRequest.json": SPEC})
    assert paths(tmp_path) == ["BarRequest.json"], "what is large and no spec is passed over"
    assert max(sizes) <= 64 << 10
    with open(path, "wb") as file:
        file.write(SPEC[:-2] + b" " * (16 << 20))
    assert "FooRequest.json: larger than 16 MiB" in refused(tmp_path)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs pipes that have a name")
def test_pipes_links_and_loops_in_a_directory(tmp_path: Path) -> None:
    folder = lay(tmp_path / "tree", {"a/FooRequest.json": SPEC})
    outside = lay(tmp_path / "outside", {"G.json": SPEC})
    os.mkfifo(folder / "message.json")
    os.mkfifo(folder / "FooRequest.json")
    (folder / "loop").symlink_to(folder)
    (folder / "self.json").symlink_to(folder / "self.json")
    (folder / "G.text").symlink_to(outside / "G.json")
    (folder / "build").symlink_to(outside)
    (folder / "inside.json").symlink_to(folder / "a" / "FooRequest.json")
    (folder / "missing.json").symlink_to(folder / "nowhere")
    assert paths(folder) == ["a/FooRequest.json"]
    for name in ("message.json", "self.json", "missing.json"):
        assert "this is neither a file nor a directory" in refused(folder / name)
    # One that is named itself is followed.
    assert paths(folder / "loop") == ["a/FooRequest.json"]
    assert paths(folder / "inside.json") == ["inside.json"]


@pytest.mark.parametrize("repository", [{}, GIT])
@pytest.mark.parametrize(
    ("link", "target"),
    [
        ("BarRequest.json", "../outside/BarRequest.json"),
        ("BarRequest.json", "../outside/words.txt"),
        ("dev.json", "/dev/zero"),
        ("specs", "../outside"),
        ("build/inner", "../../outside"),
    ],
)
def test_a_link_that_may_lead_to_specs_elsewhere_is_refused(
    link: str, target: str, repository: dict[str, bytes], tmp_path: Path
) -> None:
    folder = lay(tmp_path / "tree", {"a/FooRequest.json": SPEC, "build/BazRequest.json": SPEC, **repository})
    lay(tmp_path / "outside", {"BarRequest.json": SPEC, "words.txt": SPEC})
    (folder / "through").symlink_to("build")
    assert paths(folder) == ["a/FooRequest.json", "through/BazRequest.json"]
    (folder / link).symlink_to(target)
    assert "this link leads out of the folder and its repository" in refused(folder)


def test_links_that_are_ignored_or_lead_elsewhere_lead_to_nothing_here(tmp_path: Path) -> None:
    top = lay(tmp_path / "repository", {"a/FooRequest.json": SPEC, ".gitignore": b"/bazel-*\n"})
    lay(tmp_path / "outside", {"BarRequest.json": SPEC})
    git(top, "init", "-q")
    (top / "bazel-specs").symlink_to(tmp_path / "outside")
    (top / "bazel-a").symlink_to("a")
    (top / "specs").symlink_to(tmp_path / "outside")
    lay(top, {"build/QuxRequest.json": SPEC})
    (top / "bazel-build").symlink_to("build")
    every = open_source(str(top))
    assert [text.path for text in every._replace(skips_ignored=True).texts()] == ["a/FooRequest.json"]
    assert "this link leads out of the folder and its repository" in refused(top)
    (top / "specs").unlink()
    assert paths(top) == ["a/FooRequest.json", "bazel-build/QuxRequest.json"]


@pytest.mark.parametrize("form", ["git:HEAD:in", "@HEAD:in", "folder"])
def test_links_are_followed_within_the_repository_of_a_source(
    form: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    top = tmp_path / "repository"
    lay(top, {"in/a/FooRequest.json": SPEC, "in/b/Bar.text": SPEC, "out/BazRequest.json": SPEC})
    (top / "in" / "BazRequest.json").symlink_to("../out/BazRequest.json")
    (top / "in" / "far").symlink_to("../out")
    (top / "in" / "back").symlink_to("../in/a")
    (top / "in" / "BarRequest.json").symlink_to("b/Bar.text")
    (top / "in" / "self").symlink_to("a")
    (top / "whole").symlink_to("in")
    git(top, "init", "-q", "-b", "main")
    git(top, "add", "-A")
    git(top, "commit", "-q", "-m", "links")
    monkeypatch.chdir(top)
    source = {"folder": "./in", "@HEAD:in": f"{top}@HEAD:in"}.get(form, form)
    assert paths(source) == ["BarRequest.json", "BazRequest.json", "a/FooRequest.json", "far/BazRequest.json"]
    if form != "folder":
        # What git has there is the link, and not what it leads to.
        assert "no message specs" in refused(source.replace("HEAD:in", "HEAD:whole"))


def test_a_file_that_turns_into_a_pipe_is_not_waited_for(tmp_path: Path) -> None:
    if not hasattr(os, "mkfifo"):
        pytest.skip("needs pipes that have a name")
    os.mkfifo(tmp_path / "FooRequest.json")
    with pytest.raises(InputError, match="neither a file"):
        sources._read(str(tmp_path / "FooRequest.json"))


@pytest.mark.skipif(sys.platform != "linux", reason="other file systems take no such names")
def test_names_that_are_not_utf8(tmp_path: Path) -> None:
    folder = lay(tmp_path / "tree", {})
    Path(os.fsdecode(os.fsencode(folder) + b"/\xe9.json")).write_bytes(SPEC)
    assert paths(folder) == ["\\xe9.json"]
    odd = Path(os.fsdecode(os.fsencode(tmp_path) + b"/\xe9"))
    commit(odd, {"message/FooRequest.json": SPEC})
    assert paths(odd) == paths(f"{odd}@main") == ["message/FooRequest.json"]


def test_a_directory_of_many_files(tmp_path: Path) -> None:
    folder = lay(tmp_path / "tree", {"message/FooRequest.json": SPEC})
    for number in range(100):
        below = folder / str(number)
        below.mkdir()
        for other in range(50):
            (below / f"{other}.txt").touch()
            (below / f"{other}.json").write_bytes(b"{}")
    assert paths(folder) == ["message/FooRequest.json"]


def test_a_directory_that_is_nested_too_deep(tmp_path: Path) -> None:
    deep = tmp_path.joinpath(*["d"] * 100)
    lay(deep, {"FooRequest.json": SPEC})
    assert paths(tmp_path) == ["d/" * 100 + "FooRequest.json"]
    lay(deep / "d", {"FooRequest.json": SPEC})
    assert "nested more than 100 deep" in refused(tmp_path)


@pytest.mark.skipif(os.geteuid() == 0, reason="root reads everything")
def test_what_may_not_be_read(tree: Path) -> None:
    path = tree / "clients" / "message"
    (path / "FooRequest.json").chmod(0)
    assert refused(tree) == f"{path / 'FooRequest.json'}: Permission denied"
    path.chmod(0)
    try:
        assert refused(tree) == f"{path}: Permission denied"
    finally:
        path.chmod(0o700)


def test_a_file_that_goes_away_is_said_so(tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sources, "_files", lambda *_: iter([(str(tree / "missing.json"), "missing.json")]))
    assert refused(tree) == f"{tree / 'missing.json'}: No such file or directory"


def test_reading_a_folder_starts_nothing_and_loads_little(tree: Path) -> None:
    heavy = [
        "subprocess",
        "tempfile",
        "zipfile",
        "tarfile",
        "gzip",
        "difflib",
        "wirebook.specs.sources.archives",
        "argparse",
    ]
    code = (
        "import sys; from wirebook.specs.sources.source import open_source; open_source(sys.argv[1]).texts();"
        f"print(sorted(set({heavy!r}) & set(sys.modules)))"
    )
    done = subprocess.run(
        [sys.executable, "-S", "-c", code, str(tree)], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "[]"


def test_a_file_may_be_exactly_as_large_as_a_spec_may_be(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lay(tmp_path, {"message/FooRequest.json": SPEC})
    path = tmp_path / "message" / "FooRequest.json"
    monkeypatch.setattr(sources, "MAX_TEXT", len(SPEC))
    assert [text.text for text in read(path)] == [text.text for text in read(tmp_path)] == [SPEC]
    monkeypatch.setattr(sources, "MAX_TEXT", len(SPEC) - 1)
    for place in (path, tmp_path):
        assert "FooRequest.json: larger than" in refused(place)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs pipes with names")
def test_a_registry_that_is_a_pipe_is_refused(tmp_path: Path) -> None:
    lay(tmp_path, {"message/FooRequest.json": SPEC})
    os.mkfifo(tmp_path / "message" / "api_versions.json")
    with pytest.raises(InputError, match=r"api_versions\.json: this is not a regular file"):
        registry_text(open_source(str(tmp_path)), ["message/FooRequest.json"])


@pytest.mark.parametrize("through", ["link", "extends", "folder"])
def test_a_profile_outside_of_the_repository_is_not_read(tmp_path: Path, through: str) -> None:
    top = lay(tmp_path / "repo", {"message/FooRequest.json": SPEC, **GIT})
    lay(tmp_path / "outside", {"profile.toml": b"secret = 1"})
    if through == "link":
        (top / "message" / "profile.toml").symlink_to(tmp_path / "outside" / "profile.toml")
    elif through == "folder":
        (top / "out").symlink_to(tmp_path / "outside")
        (top / "profile.toml").write_text('extends = "out/profile.toml"')
    else:
        (top / "profile.toml").write_text('extends = "../outside/profile.toml"')
    for folder in (top, top / "message"):
        source = open_source(str(folder))
        with pytest.raises(InputError, match="this is outside the repository") as raised:
            profile_of(source, [text.path for text in source.texts()])
        assert "secret" not in str(raised.value)


def test_a_profile_is_read_through_a_link_in_the_repository(tmp_path: Path) -> None:
    top = lay(
        tmp_path / "repo",
        {
            "message/FooRequest.json": SPEC,
            **GIT,
            "p.toml": b'name = "x"',
        },
    )
    (top / "message" / "profile.toml").symlink_to(top / "p.toml")
    source = open_source(str(top / "message"))
    assert profile_of(source, [text.path for text in source.texts()]).name == "x"


def test_links_lead_to_what_is_read_under_no_name_of_its_own(tmp_path: Path) -> None:
    folder = lay(tmp_path, {"build/FooRequest.json": SPEC, "notes.txt": SPEC, "in/BarRequest.json": SPEC})
    for link, target in {"b": "build", "target": "build", "QuxRequest.json": "notes.txt", "i": "in"}.items():
        (folder / link).symlink_to(target)
    assert paths(folder) == ["QuxRequest.json", "b/FooRequest.json", "in/BarRequest.json"]
