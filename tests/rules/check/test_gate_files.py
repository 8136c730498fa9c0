"""Changes that move a spec away as it is, and put something else than a plain file in its place."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.repositories import FOLDER, Repo, api_versions, broken, request, started
from wirebook.cli.main import main
from wirebook.specs.sources import links as link_reader

SPEC = f"{FOLDER}/FetchRequest.json"
MODES = {
    "default": [],
    "range": ["--against", "origin/main..."],
    "released": ["--released", "[0-9]*"],
    "staged": ["--staged"],
}
Attack = Callable[[Repo], object]
UP = "../" * (FOLDER.count("/") + 1)


@pytest.fixture
def repo(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Repo:
    """A clone with a release, whose branch is that of origin."""
    repo = started(tmp_path / "repository")
    repo.git("tag", "1.0.0")
    repo.git("update-ref", "refs/remotes/origin/main", "HEAD")
    repo.git("checkout", "-q", "-b", "feature")
    monkeypatch.chdir(repo.folder)
    return repo


def outcomes(repo: Repo, capsys: pytest.CaptureFixture[str]) -> dict[str, tuple[int, str]]:
    """What each way to check says of a change: committed, and staged."""
    repo.commit("attack")
    found = {}
    for name, arguments in MODES.items():
        if name == "staged":
            repo.git("reset", "-q", "--soft", "refs/remotes/origin/main")
        code = main(["check", *arguments])
        done = capsys.readouterr()
        found[name] = code, " ".join((done.out + done.err).split())
    return found


def stopped(repo: Repo, capsys: pytest.CaptureFixture[str], *words: str, but: tuple[str, ...] = ()) -> None:
    for name, (code, out) in outcomes(repo, capsys).items():
        if name in but:
            continue
        assert code in (1, 2), (name, out)
        assert all(word in out for word in words), (name, words, out)


def based(repo: Repo) -> None:
    """Take what there is as the base of the change."""
    repo.commit("base")
    repo.git("tag", "-f", "1.0.0")
    repo.git("update-ref", "refs/remotes/origin/main", "HEAD")


def text(spec: dict[str, object]) -> str:
    return json.dumps(spec, indent=2) + "\n"


def link(repo: Repo, path: str, target: str) -> None:
    place = repo.folder / path
    place.parent.mkdir(parents=True, exist_ok=True)
    place.symlink_to(target)


# Links.


def link_to_a_text(repo: Repo) -> None:
    repo.write("broken.txt", broken())
    link(repo, SPEC, f"{UP}broken.txt")


def link_to_a_skipped_folder(repo: Repo) -> None:
    repo.write("build/x.json", broken())
    link(repo, SPEC, f"{UP}build/x.json")


def link_through_links(repo: Repo) -> None:
    repo.write(".hidden/deep/broken.txt", broken())
    link(repo, "a", ".hidden/deep")
    link(repo, "one.txt", "a/../deep/./broken.txt")
    link(repo, SPEC, f"{UP}one.txt")


def linked_folder(repo: Repo) -> None:
    for path in sorted((repo.folder / FOLDER).iterdir()):
        path.rename(repo.folder / path.name)
    (repo.folder / FOLDER).rmdir()
    repo.write(".copies/FetchRequest.json", broken())
    link(repo, FOLDER, "../" * FOLDER.count("/") + ".copies")


def link_beside(repo: Repo) -> None:
    repo.write("broken.txt", broken())
    link(repo, f"{FOLDER}/ZFetch.json", f"{UP}broken.txt")


@pytest.mark.parametrize(
    "attack", [link_to_a_text, link_to_a_skipped_folder, link_through_links, linked_folder, link_beside]
)
def test_a_link_in_the_place_of_a_spec_that_moved(
    attack: Attack, repo: Repo, capsys: pytest.CaptureFixture[str]
) -> None:
    if attack is not linked_folder:
        repo.git("mv", SPEC, "FetchRequest.json")
    attack(repo)
    stopped(repo, capsys, "FetchRequest")


@pytest.mark.parametrize("folder", [False, True])
def test_a_link_of_the_base_whose_target_changes(
    folder: bool, repo: Repo, capsys: pytest.CaptureFixture[str]
) -> None:
    where = ".specs/FetchRequest.json" if folder else "fetch.txt"
    (repo.folder / ".specs").mkdir()
    repo.git("mv", SPEC, where)
    if folder:
        link(repo, "linked/message", "../.specs")
    else:
        link(repo, SPEC, f"{UP}{where}")
    based(repo)
    repo.write(where, broken())
    stopped(repo, capsys, "type-changed")


@pytest.mark.parametrize("target", ["nowhere", "/etc/hostname", "../" * 30 + "etc/hostname"])
def test_a_link_to_nothing_in_the_place_of_a_spec_that_moved(
    target: str, repo: Repo, capsys: pytest.CaptureFixture[str]
) -> None:
    repo.git("mv", SPEC, "FetchRequest.json")
    link(repo, SPEC, target)
    stopped(repo, capsys, f"{SPEC}: a link in the place of specs that moved")


def test_links_to_specs_that_are_judged_anyway_say_nothing_twice(
    repo: Repo, capsys: pytest.CaptureFixture[str]
) -> None:
    link(repo, "docs/message", f"../{FOLDER}")
    link(repo, "docs/Fetch.json", f"../{SPEC}")
    link(repo, "clients/around", "..")
    link(repo, "docs/self", ".")
    assert [code for code, _ in outcomes(repo, capsys).values()] == [0, 0, 0, 0]
    based(repo)
    repo.spec(broken())
    for code, out in outcomes(repo, capsys).values():
        assert (code, out.count("error[")) == (1, 1)


def test_a_spec_may_become_a_link_to_itself_elsewhere(repo: Repo, capsys: pytest.CaptureFixture[str]) -> None:
    repo.git("mv", SPEC, "fetch.txt")
    link(repo, SPEC, f"{UP}fetch.txt")
    for code, out in outcomes(repo, capsys).values():
        assert (code, "no findings" in out) == (0, True)


@pytest.mark.parametrize(
    "attack", [link_to_a_text, link_to_a_skipped_folder, link_through_links, linked_folder, link_beside]
)
def test_links_in_folders_that_are_named(
    attack: Attack, repo: Repo, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    repo.git("clone", "-q", ".", str(tmp_path / "old"))
    if attack is not linked_folder:
        repo.git("mv", SPEC, "FetchRequest.json")
    attack(repo)
    assert main(["check", "--old", str(tmp_path / "old"), "--new", "."]) == 1
    assert "FetchRequest" in capsys.readouterr().out


def test_links_that_multiply_are_given_up(
    repo: Repo, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for number in range(6):
        for other in range(6):
            link(repo, f"d{number}/l{other}", f"../d{other}")
    repo.spec(broken())
    monkeypatch.setattr(link_reader, "_STEPS", 1000)
    for code, out in outcomes(repo, capsys).values():
        assert (code, "or to each other" in out) == (2, True)


# Other entries.


def hidden(repo: Repo) -> None:
    repo.write(f"{FOLDER}/.FetchRequest.json", broken())


def utf16(repo: Repo) -> None:
    repo.write("protocol/Otter.json", text(broken()).encode("utf-16"))


def utf32(repo: Repo) -> None:
    repo.write("protocol/.Otter.json", text(broken()).encode("utf-32-be"))


@pytest.mark.parametrize("attack", [hidden, utf16, utf32])
def test_a_file_that_java_reads_in_the_place_of_a_spec_that_moved(
    attack: Attack, repo: Repo, capsys: pytest.CaptureFixture[str]
) -> None:
    repo.git("mv", SPEC, "FetchRequest.json")
    attack(repo)
    stopped(repo, capsys)


def test_hidden_files_that_are_no_specs_are_passed_over(
    repo: Repo, capsys: pytest.CaptureFixture[str]
) -> None:
    repo.write(f"{FOLDER}/._FetchRequest.json", b"\0\5\x16\7\0\2\0\0Mac OS X        ")
    repo.write(f"{FOLDER}/.#FetchRequest.json", "ada@host.invalid")
    repo.write(".eslintrc.json", "{ // words\n}")
    assert [code for code, _ in outcomes(repo, capsys).values()] == [0, 0, 0, 0]


def test_a_submodule_in_the_place_of_specs_that_moved(
    repo: Repo, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    other = Repo(tmp_path / "other")
    other.write("FetchRequest.json", broken())
    other.commit("broken")
    for path in sorted((repo.folder / FOLDER).iterdir()):
        repo.git("mv", f"{FOLDER}/{path.name}", path.name)
    (repo.folder / FOLDER).rmdir()
    repo.git("submodule", "--quiet", "add", str(other.folder), FOLDER)
    stopped(repo, capsys, f"{FOLDER}: a submodule in the place of specs that moved")


@pytest.mark.parametrize(
    "attributes",
    [
        "*.json working-tree-encoding=SHIFT_JIS\n",
        f"/{SPEC} working-tree-encoding=SHIFT_JIS\n",
        "clients/**/message/* working-tree-encoding=SHIFT_JIS\n",
        "[attr]words working-tree-encoding=SHIFT_JIS\n* words\n",
        '"clients/src/main/resources/common/message/Fetch\\122equest.json" filter=x\n',
    ],
)
def test_a_text_that_git_checks_out_as_another(
    attributes: str, repo: Repo, capsys: pytest.CaptureFixture[str]
) -> None:
    spec = text(request()).replace('"name": "MaxWaitMs",', '"name": "MaxWaitMs", "x-a": "\u00a5",', 1)
    repo.write(SPEC, spec)
    repo.write(".gitattributes", attributes)
    # The working tree has the bytes that a build reads: that they are another spec is another matter.
    stopped(
        repo,
        capsys,
        f"{SPEC}: git checks out",
        ".gitattributes:",
        but=("default", "released"),
    )


def test_a_pointer_in_the_place_of_a_spec_that_moved(repo: Repo, capsys: pytest.CaptureFixture[str]) -> None:
    repo.git("mv", SPEC, "protocol.json")
    based(repo)
    repo.git("mv", "protocol.json", "Fetch.json")
    repo.write(".gitattributes", "*2.json filter=lfs diff=lfs merge=lfs -text\n")
    repo.write("protocol2.json", "version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 1\n")
    stopped(
        repo,
        capsys,
        "protocol2.json: git checks out what a filter makes of this file",
        but=("default", "released"),
    )


def test_attributes_of_other_files_are_nothing_to_the_check(
    repo: Repo, capsys: pytest.CaptureFixture[str]
) -> None:
    repo.write(".gitattributes", "*.png filter=lfs\n*.json text eol=lf -filter\n/data/*.json filter=lfs\n")
    repo.write("data/x.json", "version https://git-lfs.github.com/spec/v1\n")
    repo.spec(api_versions("request", fields=[{"name": "A", "type": "int8", "versions": "0+"}]))
    for code, out in outcomes(repo, capsys).values():
        assert (code, ".gitattributes" in out) == (1, False)


@pytest.mark.skipif(sys.platform != "linux", reason="other file systems take no such names")
def test_two_names_that_are_shown_alike(repo: Repo, capsys: pytest.CaptureFixture[str]) -> None:
    repo.git("mv", SPEC, "FetchRequest.json")
    repo.write(f"{FOLDER}/A\\xff.json", broken())
    place = os.fsencode(repo.folder / FOLDER) + b"/A\xff.json"
    Path(os.fsdecode(place)).write_text("{}")
    stopped(repo, capsys)


@pytest.mark.parametrize(
    "name",
    ["Fetch\nRequest", "-Fetch", "'\"Fetch$(x)", "FETCHREQUEST", "Fetch\u0065\u0301", ":(top)Fetch", "a b\t"],
)
def test_names_that_are_hard_to_write(name: str, repo: Repo, capsys: pytest.CaptureFixture[str]) -> None:
    repo.git("mv", SPEC, "FetchRequest.json")
    repo.write(f"{FOLDER}/{name}.json", broken())
    stopped(repo, capsys, "FetchRequest")


# What only the owner of a clone can do hides nothing, either.


def test_flags_of_the_index_hide_nothing(repo: Repo, capsys: pytest.CaptureFixture[str]) -> None:
    for flag in ("--assume-unchanged", "--skip-worktree"):
        repo.git("update-index", flag, SPEC)
        repo.spec(broken())
        assert main(["check"]) == 1
        assert "type-changed" in capsys.readouterr().out
        repo.git("update-index", flag.replace("--", "--no-"), SPEC)


def test_a_sparse_working_tree_hides_nothing(repo: Repo, capsys: pytest.CaptureFixture[str]) -> None:
    repo.spec(broken())
    repo.commit("break")
    repo.git("sparse-checkout", "set", "--no-cone", "/package.json")
    assert not (repo.folder / SPEC).exists()
    assert main(["check"]) == 1
    assert "type-changed" in capsys.readouterr().out
    repo.git("sparse-checkout", "set", "--cone", "--sparse-index", "nothing")
    repo.git("reset", "-q", "--soft", "refs/remotes/origin/main")
    assert main(["check", "--staged"]) == 1
    assert "type-changed" in capsys.readouterr().out


def test_replaced_objects_and_notes_are_not_read(repo: Repo, capsys: pytest.CaptureFixture[str]) -> None:
    repo.spec(broken())
    repo.commit("break")
    for kind in (f"HEAD:{SPEC}", "HEAD^{tree}", "HEAD"):
        new, old = repo.git("rev-parse", kind), repo.git("rev-parse", kind.replace("HEAD", "main"))
        repo.git("replace", "-f", old, new)
        repo.git("notes", "add", "-f", "-m", "words", "main")
        for arguments in ([], ["--against", "origin/main..."], ["--released", "1.*"]):
            assert main(["check", *arguments]) == 1
            assert "type-changed" in capsys.readouterr().out
        repo.git("replace", "-d", old)


@pytest.mark.parametrize("how", ["renamed", "decoy", "two", "vendored", "extension"])
def test_a_spec_under_another_name(how: str, repo: Repo, capsys: pytest.CaptureFixture[str]) -> None:
    if how == "renamed":
        (repo.folder / SPEC).unlink()
        repo.spec({**broken(), "name": "GetRequest"})
    elif how == "decoy":
        (repo.folder / SPEC).unlink()
        repo.spec({**broken(), "name": "GetRequest"})
        repo.spec({**request(), "apiKey": 99})
    elif how == "two":
        repo.write(f"{FOLDER}/AFetch.json", broken())
    elif how == "vendored":
        repo.write("wirebook.toml", 'exclude = ["vendor"]\n')
        based(repo)
        (repo.folder / "vendor").mkdir()
        repo.git("mv", SPEC, "vendor/FetchRequest.json")
        repo.write("wirebook.toml", "")
    else:
        repo.git("mv", SPEC, SPEC.replace(".json", ".json5"))
    stopped(repo, capsys)
