"""`wirebook check` in real repositories, in every state that people leave them in."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.repositories import FOLDER, Repo, api_versions, broken, request, response, started
from tests.rules.check.running import PATH, Run, on_branch
from tests.support import ROOT


def without(spec: dict[str, Any], name: str) -> dict[str, Any]:
    return {**spec, "fields": [item for item in spec["fields"] if item["name"] != name]}


def tag_reused() -> dict[str, Any]:
    spec = without(request(), "ClusterId")
    taker = {"name": "Rack", "type": "int32", "versions": "2+", "taggedVersions": "2+", "tag": 0}
    return {**spec, "fields": [*spec["fields"], taker]}


def nullability_changed() -> dict[str, Any]:
    spec = request()
    spec["fields"][1] = {**spec["fields"][1], "nullableVersions": "1+"}
    return spec


def tagged_in_inflexible() -> dict[str, Any]:
    spec = request()
    rack = {"name": "Rack", "type": "int32", "versions": "0+", "taggedVersions": "0+", "tag": 1}
    return {**spec, "fields": [*spec["fields"], rack]}


@pytest.mark.parametrize(
    ("rule", "patch"),
    [
        ("tag-reused", tag_reused()),
        ("nullability-changed", nullability_changed()),
        ("tagged-in-inflexible-version", tagged_in_inflexible()),
    ],
)
@pytest.mark.parametrize("staged", [True, False])
def test_headline_patches(repo: Repo, check: Run, rule: str, patch: dict[str, Any], staged: bool) -> None:
    on_branch(repo).spec(patch)
    if staged:
        repo.git("add", "-A")
        repo.git("checkout", "-q", "HEAD", "--", "package.json")
    found = check(repo.folder, "--format", "json", *(["--staged"] if staged else []))
    assert found.code == 1
    assert rule in found.rules


def test_clean_tree(repo: Repo, check: Run) -> None:
    found = check(on_branch(repo).folder)
    assert found.code == 0
    assert found.first.startswith(
        "wirebook check: the working tree against HEAD, which is its merge base with "
    )
    assert "0 specs differ" in found.first


def test_staged_reads_the_index_not_the_files(repo: Repo, check: Run) -> None:
    repo.spec(broken())
    assert check(repo.folder, "--staged").code == 0
    repo.git("add", "-A")
    repo.spec(request())
    found = check(repo.folder, "--staged", "--format", "json")
    assert (found.code, found.rules) == (1, ["type-changed"])
    assert json.loads(found.out)["compared"] == (
        f"the index against HEAD ({repo.git('rev-parse', 'HEAD')[:12]}; default): 1 spec differs"
    )


def test_working_tree_sees_commits_of_the_branch_and_new_files(repo: Repo, check: Run) -> None:
    on_branch(repo).spec(broken())
    repo.commit()
    repo.spec(response(name="OtherResponse", apiKey=1))
    found = check(repo.folder, "--format", "json")
    assert {"type-changed", "duplicate-api-key"} <= set(found.rules)


def test_ignored_copies_are_not_specs(repo: Repo, check: Run) -> None:
    repo.write(".gitignore", "venv\n")
    repo.commit()
    on_branch(repo).write("venv/lib/FetchRequest.json", broken())
    assert check(repo.folder).code == 0


def test_on_the_default_branch_the_first_parent(repo: Repo, check: Run) -> None:
    repo.spec(broken())
    repo.commit()
    found = check(repo.folder)
    assert found.code == 1
    assert "against the first parent of HEAD" in found.first


def test_first_commit(tmp_path: Path, check: Run) -> None:
    repo = Repo(tmp_path / "new")
    repo.spec(request())
    repo.spec(response())
    repo.git("add", "-A")
    for arguments in (["--staged"], []):
        found = check(repo.folder, *arguments)
        assert found.code == 0
        assert "against nothing" in found.first
        assert "in 2 messages" in found.out
    repo.commit()
    found = check(repo.folder)
    assert found.code == 0
    assert "this is the first commit" in found.first
    repo.spec(tagged_in_inflexible())
    assert check(repo.folder).code == 1


def test_detached_head(repo: Repo, check: Run) -> None:
    on_branch(repo).spec(broken())
    repo.commit()
    repo.git("checkout", "-q", "--detach")
    found = check(repo.folder, "--format", "json")
    assert (found.code, found.rules) == (1, ["type-changed"])


def test_no_default_branch(tmp_path: Path, check: Run) -> None:
    repo = started(tmp_path / "repo", branch="work")
    repo.spec(broken())
    repo.commit()
    found = check(repo.folder)
    assert found.code == 1
    assert "no default branch was found" in found.out


def test_upstream_goes_before_the_usual_names(tmp_path: Path, repo: Repo, check: Run) -> None:
    repo.git("branch", "release")
    repo.spec(broken())
    repo.commit("on main")
    clone = Repo(tmp_path / "clone")
    clone.git("remote", "add", "origin", str(repo.folder))
    clone.git("fetch", "-q", "origin")
    clone.git("checkout", "-q", "-b", "topic", "--track", "origin/release")
    found = check(clone.folder)
    assert (found.code, "merge base with refs/remotes/origin/release" in found.first) == (0, True)
    clone.git("branch", "-q", "--unset-upstream")
    assert "merge base with refs/remotes/origin/main" in check(clone.folder).first


def test_pushed_copy_is_no_branch_to_compare_with(tmp_path: Path, repo: Repo, check: Run) -> None:
    clone = Repo(tmp_path / "clone")
    clone.git("remote", "add", "origin", str(repo.folder))
    clone.git("fetch", "-q", "origin")
    clone.git("checkout", "-q", "-b", "topic", "origin/main")
    clone.spec(broken())
    clone.commit()
    clone.git("push", "-q", "-u", "origin", "topic")
    assert check(clone.folder).code == 1


def test_shallow_clone(tmp_path: Path, repo: Repo, check: Run) -> None:
    repo.spec(broken())
    repo.commit()
    deep, shallow = tmp_path / "deep", tmp_path / "shallow"
    for depth, folder in ((2, deep), (1, shallow)):
        repo.git("clone", "-q", f"--depth={depth}", f"file://{repo.folder}", str(folder))
    assert check(deep).code == 1
    found = check(shallow)
    assert found.code == 2
    assert "git fetch --deepen=1" in found.err
    assert check(shallow, "--staged").code == 0


def test_unrelated_histories(repo: Repo, check: Run) -> None:
    repo.git("checkout", "-q", "--orphan", "other")
    repo.commit()
    found = check(repo.folder)
    assert found.code == 2
    assert "no common commit" in found.err


def test_linked_worktree(tmp_path: Path, repo: Repo, check: Run) -> None:
    repo.git("worktree", "add", "-q", "-b", "feature", str(tmp_path / "linked"))
    linked = Repo.__new__(Repo)
    linked.folder = tmp_path / "linked"
    linked.spec(broken())
    assert check(linked.folder).code == 1
    assert check(linked.folder, "--staged").code == 0
    linked.git("add", "-A")
    assert check(linked.folder, "--staged").code == 1
    assert check(repo.folder, "--staged").code == 0


def test_submodule(tmp_path: Path, repo: Repo, check: Run) -> None:
    outer = Repo(tmp_path / "outer")
    outer.git("submodule", "--quiet", "add", str(repo.folder), "inner")
    outer.commit()
    inner = Repo.__new__(Repo)
    inner.folder = outer.folder / "inner"
    inner.spec(broken())
    inner.git("add", "-A")
    assert check(inner.folder, "--staged").code == 1
    assert check(inner.folder).code == 1
    # The specs of a submodule are its own matter: the outer repository holds none.
    assert check(outer.folder).code == 2


def test_bare_repository(tmp_path: Path, repo: Repo, check: Run) -> None:
    repo.spec(broken())
    repo.commit()
    bare = tmp_path / "bare.git"
    repo.git("clone", "-q", "--bare", str(repo.folder), str(bare))
    found = check(bare)
    assert found.code == 1
    assert found.first.startswith("wirebook check: HEAD against the first parent of HEAD")
    assert check(bare, "--staged").code == 2


def conflict(repo: Repo, command: str) -> None:
    on_branch(repo).spec(request(validVersions="0-3"))
    repo.commit()
    repo.git("checkout", "-q", "main")
    repo.spec(request(validVersions="0-4"))
    repo.commit()
    repo.git(command, "feature", check=False)


@pytest.mark.parametrize("command", ["merge", "rebase"])
def test_in_the_middle(repo: Repo, check: Run, command: str) -> None:
    conflict(repo, command)
    for arguments in ([], ["--staged"]):
        found = check(repo.folder, *arguments)
        assert found.code == 2
        assert PATH in found.out
    found = check(repo.folder, "--staged")
    assert "this file has a merge conflict" in " ".join(found.out.split())
    assert "error[" not in found.out
    repo.spec(request(validVersions="0-4"))
    repo.spec(response(validVersions="0-4"))
    repo.git("add", "-A")
    for arguments in ([], ["--staged"]):
        assert check(repo.folder, *arguments).code == 0


def test_moved_files_are_the_same_messages(repo: Repo, check: Run) -> None:
    on_branch(repo).git("mv", FOLDER, "clients/messages")
    assert check(repo.folder, "--staged").code == 0
    assert check(repo.folder).code == 0
    repo.write("clients/messages/FetchRequest.json", broken())
    repo.git("add", "-A")
    found = check(repo.folder, "--staged", "--format", "json")
    assert found.rules == ["type-changed"]
    (finding,) = json.loads(found.out)["findings"]
    assert finding["location"]["path"] == "clients/messages/FetchRequest.json"
    assert finding["previous"]["path"] == PATH


def test_strange_paths(tmp_path: Path, check: Run) -> None:
    repo = started(tmp_path / "a folder – ünïcode")
    strange = 'spécs and more/❄ messages/Fétch "2" Request.json'
    repo.write(strange, request(name="OtherRequest", apiKey=2))
    repo.commit()
    changed = broken() | {"name": "OtherRequest", "apiKey": 2}
    on_branch(repo)
    repo.write(strange, changed)
    for arguments in ([], ["--staged"], ["--staged", strange]):
        repo.git("add", "-A")
        found = check(repo.folder, *arguments, "--format", "json")
        assert found.rules == ["type-changed"]
        assert json.loads(found.out)["findings"][0]["location"]["path"] == strange


@pytest.mark.skipif(sys.platform != "linux", reason="file names there are no bytes")
def test_file_name_that_is_no_text(repo: Repo, check: Run) -> None:
    place = os.fsencode(repo.folder) + b"/\xff\x1b[31m\nRequest.json"
    Path(os.fsdecode(place)).write_text(json.dumps(tagged_in_inflexible() | {"name": "X", "apiKey": 9}))
    on_branch(repo).git("add", "-A")
    for form in ("text", "json", "github", "sarif"):
        for arguments in ([], ["--staged"]):
            found = check(repo.folder, "--format", form, *arguments)
            assert found.code == 1
            assert "\x1b" not in found.out


def test_line_ends_of_windows(repo: Repo, check: Run) -> None:
    on_branch(repo)
    repo.git("config", "core.autocrlf", "true")
    place = repo.folder / PATH
    place.write_bytes(place.read_bytes().replace(b"\n", b"\r\n"))
    assert "0 specs differ" in check(repo.folder).first
    place.write_bytes(json.dumps(broken(), indent=2).replace("\n", "\r\n").encode())
    found = check(repo.folder)
    assert found.code == 1
    assert "\r" not in found.out


def test_no_git(tmp_path: Path, check: Run) -> None:
    folder = tmp_path / "plain"
    folder.mkdir()
    (folder / "FetchRequest.json").write_text(json.dumps(tagged_in_inflexible()))
    found = check(folder)
    assert found.code == 1
    assert "this is not a git repository" in found.first
    assert "tagged-in-inflexible-version" in found.out
    assert check(folder, "FetchRequest.json").code == 1
    assert check(folder, "--staged").code == 2
    assert check(folder, "missing.json").code == 2


def test_old_and_new(tmp_path: Path, check: Run) -> None:
    for name, spec in (("old", request()), ("new", broken())):
        (tmp_path / name).mkdir()
        (tmp_path / name / "FetchRequest.json").write_text(json.dumps(spec))
    found = check(tmp_path, "--old", "old", "--new", "new", "--format", "json")
    assert found.rules == ["type-changed"]
    assert "the directory new against the directory old" in found.out
    assert check(tmp_path, "--old", "new", "--new", "new").code == 0
    assert check(tmp_path, "--old", "old").code == 2


def test_against(repo: Repo, tmp_path: Path, check: Run) -> None:
    first = repo.git("rev-parse", "HEAD")
    on_branch(repo).spec(broken())
    repo.commit()
    repo.spec(request())
    assert check(repo.folder, "--against", "HEAD").code == 1
    assert check(repo.folder, "--against", first).code == 0
    assert check(repo.folder, "--against", "main...feature").code == 1
    assert check(repo.folder, "--against", "main..").code == 1
    assert check(repo.folder, "--against", "feature...main").code == 0
    assert check(repo.folder, "--staged", "--against", first).code == 1
    assert check(repo.folder, "--against", f"HEAD:{FOLDER}").code == 1
    copy = tmp_path / "copy"
    shutil.copytree(repo.folder / FOLDER, copy)
    assert check(repo.folder, "--against", str(copy)).code == 0
    for gone in ("nobody", "nobody...main", "--output=x"):
        assert check(repo.folder, f"--against={gone}").code == 2


def test_files_restrict(repo: Repo, check: Run) -> None:
    on_branch(repo).spec(broken())
    repo.spec(api_versions("request", fields=[]))
    assert check(repo.folder, PATH, "--format", "json").rules == ["type-changed"]
    assert check(repo.folder / FOLDER, "FetchResponse.json").code == 0
    assert len(check(repo.folder / FOLDER, ".", "--format", "json").rules) == 2
    found = check(repo.folder, "nothing.json")
    assert found.code == 2
    assert "no such spec" in found.err


def test_nothing_to_check(tmp_path: Path, check: Run) -> None:
    repo = Repo(tmp_path / "empty")
    repo.write("package.json", {"name": "x"})
    repo.commit()
    for arguments in ([], ["--staged"]):
        found = check(repo.folder, *arguments)
        assert found.code == 2
        assert "no message specs" in found.err


def test_change_that_touches_no_spec(repo: Repo, check: Run) -> None:
    repo.write("package.json", {"name": "y"})
    repo.git("add", "-A")
    assert check(repo.folder, "--staged").code == 0


def test_all_specs_deleted(repo: Repo, check: Run) -> None:
    shutil.rmtree(repo.folder / "clients")
    repo.git("add", "-A")
    for arguments in ([], ["--staged"]):
        found = check(repo.folder, *arguments, "--format", "json")
        assert found.code == 1
        assert set(found.rules) == {"message-deleted"}


@pytest.mark.parametrize(
    "text",
    ["{", "\0\1\2", b"\xff\xfe", "[]", '{"type": "request"}', "x" * (17 << 20)],
    ids=["broken", "binary", "no-utf8", "a-list", "half", "huge"],
)
@pytest.mark.parametrize("side", ["old", "new"])
def test_side_that_cannot_be_read(repo: Repo, check: Run, text: str | bytes, side: str) -> None:
    on_branch(repo)
    texts = (text, request()) if side == "old" else (request(), text)
    repo.write(PATH, texts[0])
    repo.commit()
    repo.write(PATH, texts[1])
    repo.spec(api_versions("request", fields=[]))
    for arguments in (["--against", "HEAD"], ["--staged"]):
        repo.git("add", "-A")
        found = check(repo.folder, *arguments)
        assert found.code == 2
        # What can be checked is checked all the same, and of the rest nothing is said.
        assert "field-removed-from-released-version" in found.out
        assert "could not be checked" in found.out
        assert PATH in found.out
        assert not {"message-deleted", "missing-partner"} & set(found.out.replace("[", "]").split("]"))


def test_broken_file_that_nobody_touched(repo: Repo, check: Run) -> None:
    repo.write(f"{FOLDER}/BadRequest.json", "{")
    repo.commit()
    on_branch(repo).spec(broken())
    repo.git("add", "-A")
    assert check(repo.folder, "--staged").code == 1
    assert check(repo.folder, "--staged", "--all").code == 2


def test_damaged_index_and_lock(repo: Repo, check: Run) -> None:
    repo.spec(broken())
    repo.git("add", "-A")
    (repo.folder / ".git/index.lock").touch()
    assert check(repo.folder, "--staged").code == 1
    assert (repo.folder / ".git/index.lock").exists()
    (repo.folder / ".git/index").write_bytes(b"rubbish" * 20)
    for arguments in ([], ["--staged"]):
        found = check(repo.folder, *arguments)
        assert found.code == 2
        assert "index" in found.err


def test_nothing_is_written_and_no_hook_or_filter_runs(repo: Repo, check: Run, tmp_path: Path) -> None:
    sign = tmp_path / "ran"
    program = tmp_path / "program"
    program.write_text(f"#!/bin/sh\ntouch '{sign}'\n")
    program.chmod(0o755)
    for name in ("fsmonitor", "pager", "sshCommand"):
        repo.git("config", f"core.{name}", str(program))
    repo.git("config", "filter.x.clean", str(program))
    repo.git("config", "filter.x.smudge", str(program))
    (repo.folder / ".git/info").mkdir(exist_ok=True)
    (repo.folder / ".git/info/attributes").write_text("*.json filter=x\n")
    repo.spec(broken())

    def state() -> dict[str, tuple[int, int]]:
        return {str(path): (path.stat().st_mtime_ns, path.stat().st_size) for path in repo.folder.rglob("*")}

    before = state()
    assert check(repo.folder, "--against", "HEAD").code == 2  # a checkout of HEAD is not what it has
    assert check(repo.folder, "--staged").code == 0
    assert state() == before
    assert not sign.exists()


@pytest.fixture
def git_calls(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A file with a line for each process of git, without settings outside the repository."""
    log, real = tmp_path / "log", shutil.which("git")
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin/git").write_text(f'#!/bin/sh\necho "$*" >> "{log}"\nexec {real} "$@"\n')
    (tmp_path / "bin/git").chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}:{os.environ['PATH']}")
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", os.devnull)
    monkeypatch.setenv("GIT_CONFIG_SYSTEM", os.devnull)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    return log


def test_at_most_three_git_processes(repo: Repo, check: Run, git_calls: Path) -> None:
    on_branch(repo).git("tag", "1.0.0")
    repo.spec(broken())
    repo.commit()
    repo.spec(request(validVersions="0-3"))
    repo.git("add", "-A")

    def assert_few() -> None:
        for most, *arguments in (
            # None asks for attributes, which neither the repository nor the user has.
            (3,),
            (2, "--staged"),
            (3, "--released", "[0-9]*"),
            (3, "--staged", "--released", "[0-9]*"),
            (3, "--all"),
            # The specs of each source, the registry beside them, and the files of attributes.
            (6, "--old", "1.0.0", "--new", "HEAD"),
        ):
            git_calls.write_text("")
            assert check(repo.folder, *arguments).code in (0, 1)
            assert 1 <= len(git_calls.read_text().splitlines()) <= most, arguments

    assert_few()
    # What a response alone is told of depends on its request, in two ways.
    repo.spec(response())
    repo.git("add", "-A")
    repo.commit()
    repo.spec(response(validVersions="0-3", fields=[{"name": "Other", "type": "string", "versions": "0+"}]))
    repo.git("add", "-A")
    assert_few()


@pytest.mark.parametrize(("commits", "most"), [(0, 4), (20, 5)])
def test_few_git_processes_for_a_clean_tree_with_releases(
    repo: Repo, check: Run, git_calls: Path, commits: int, most: int
) -> None:
    """A release far back in the history takes another one."""
    repo.git("tag", "1.0.0")
    for number in range(commits):
        repo.commit(str(number))
    for version in ("1.1.0", "1.2.0"):
        repo.spec(request(validVersions="0-3", about=version))
        repo.commit(version)
        repo.git("tag", version)
    repo.commit("later")
    repo.spec(response(validVersions="0-3"))
    for branch in ("main", "feature"):
        repo.git("checkout", "-q", "-B", branch)
        repo.commit(branch)
        git_calls.write_text("")
        outcome = check(repo.folder, "--released", "[0-9]*")
        assert (outcome.code, "; released: 3 releases (1.0.0 to 1.2.0)" in outcome.first) == (0, True)
        assert len(git_calls.read_text().splitlines()) <= most, git_calls.read_text()


def test_hook_environment(repo: Repo, check: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """In a hook of `git commit -a` the index is another file, which only GIT_INDEX_FILE names."""
    repo.spec(broken())
    repo.git("add", "-A", GIT_INDEX_FILE=str(repo.folder / ".git/next-index"))
    assert check(repo.folder, "--staged").code == 0
    monkeypatch.setenv("GIT_INDEX_FILE", str(repo.folder / ".git/next-index"))
    monkeypatch.setenv("GIT_DIR", ".git")
    found = check(repo.folder, "--staged")
    assert found.code == 1


def test_released_versions_are_errors_and_others_warnings(repo: Repo, check: Run) -> None:
    repo.git("tag", "1.0.0")
    repo.spec(request(validVersions="0-3"))
    repo.spec(response(validVersions="0-3"))
    repo.commit()
    on_branch(repo)
    spec = request(validVersions="0-3")
    spec["fields"].insert(2, {"name": "New", "type": "int32", "versions": "3+", "about": "It is new."})
    repo.spec(spec)
    found = check(repo.folder, "--released", "[0-9]*", "--format", "json")
    assert (found.code, found.rules) == (0, [])
    assert [item["severity"] for item in json.loads(found.out)["findings"]] == ["warning"]
    assert check(repo.folder).code == 1
    repo.spec(broken() | {"validVersions": "0-3"})
    found = check(repo.folder, "--released", "[0-9]*", "--format", "json")
    assert found.code == 1
    assert json.loads(found.out)["findings"][0]["released_in"] == "1.0.0"
    assert "released: 1.0.0" in found.out
    assert check(repo.folder, "--released", "v*").code == 2
    assert check(repo.folder, "--released", "nobody").code == 2


def test_tags_without_specs(repo: Repo, check: Run) -> None:
    repo.git("checkout", "-q", "--orphan", "empty")
    repo.git("rm", "-rfq", ".")
    repo.commit()
    repo.git("tag", "0.1.0")
    repo.git("checkout", "-q", "main")
    found = check(repo.folder, "--released", "[0-9]*")
    assert found.code == 2
    assert "no message specs" in found.err
    repo.git("tag", "1.0.0")
    found = check(repo.folder, "--released", "[0-9]*")
    assert found.code == 0
    assert "0.1.0" not in found.out.replace("(0.1.0 to 1.0.0)", "")
    assert "no message specs in: 0.1.0" in check(repo.folder, "--released", "[0-9]*", "-v").out


def test_baseline_that_cannot_be_read(repo: Repo, check: Run) -> None:
    repo.write(f"{FOLDER}/BadRequest.json", "{")
    repo.commit()
    repo.git("tag", "1.0.0")
    repo.git("rm", "-q", f"{FOLDER}/BadRequest.json")
    repo.spec(broken())
    repo.git("add", "-A")
    for _ in range(2):
        found = check(repo.folder, "--staged", "--released", "[0-9]*")
        assert found.code == 2
        assert "type-changed" in found.out
        assert "1.0.0: " in found.out


def test_a_damaged_cache_is_no_cache(repo: Repo, check: Run, tmp_path: Path) -> None:
    repo.git("tag", "1.0.0")
    on_branch(repo).spec(broken())
    folder = tmp_path / "cache" / "wirebook"
    outputs = []
    damages: list[Callable[[Path], object]] = [
        lambda path: None,
        lambda path: path.write_bytes(b""),
        lambda path: path.write_bytes(path.read_bytes()[:-5]),
        lambda path: path.write_bytes(
            path.read_bytes().replace(b"MaxWaitMs", b"MinWaitMs").replace(b'0-2"', b'0-1"')
        ),
        lambda path: path.write_bytes(b"{}" * 1000),
    ]
    for damage in damages:
        outputs.append(check(repo.folder, "--released", "[0-9]*").out)
        (kept,) = folder.glob("*.baselines")
        damage(kept)
    outputs.append(check(repo.folder, "--released", "[0-9]*").out)
    assert len(set(outputs)) == 1
    assert "type-changed" in outputs[0]
    assert not list(folder.glob("*.tmp"))


def test_no_home_to_write_to(repo: Repo, check: Run, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    repo.git("tag", "1.0.0")
    (tmp_path / "file").touch()
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file"))
    on_branch(repo).spec(broken())
    assert check(repo.folder, "--released", "[0-9]*").code == 1


@pytest.mark.parametrize("form", ["text", "json", "sarif", "github", "gitlab", "markdown"])
def test_output_is_written_whole_or_not_at_all(repo: Repo, check: Run, tmp_path: Path, form: str) -> None:
    on_branch(repo).spec(broken())
    target = tmp_path / "report"
    printed = check(repo.folder, "--format", form)
    written = check(repo.folder, "--format", form, "--output", str(target))
    assert (printed.code, written.code, written.out) == (1, 1, "")
    assert target.read_text(encoding="utf-8") == printed.out
    assert "written to" in written.err
    assert check(repo.folder, "--output", str(tmp_path / "no" / "report")).code == 2


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a disk that is full")
def test_full_disk_and_closed_pipe(repo: Repo) -> None:
    on_branch(repo).spec(broken())
    command = [sys.executable, "-m", "wirebook.cli.main", "check"]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    with open("/dev/full", "wb") as full:
        done = subprocess.run(command, cwd=repo.folder, stdout=full, stderr=subprocess.PIPE, env=environment)
    assert done.returncode == 2
    assert b"No space left" in done.stderr
    assert b"Traceback" not in done.stderr
    reader, writer = os.pipe()
    os.close(reader)
    done = subprocess.run(command, cwd=repo.folder, stdout=writer, stderr=subprocess.PIPE, env=environment)
    os.close(writer)
    assert done.returncode == 2
    assert b"Traceback" not in done.stderr


def test_waivers_and_configuration(repo: Repo, check: Run) -> None:
    on_branch(repo).spec(broken())
    block = check(repo.folder, "--waive").out
    assert "[[waiver]]" in block
    block = block.replace('reason = ""', 'reason = "nobody sends it"').replace('by = ""', 'by = "me"')
    repo.write("waivers.toml", block)
    found = check(repo.folder / FOLDER)
    assert found.code == 0
    assert "nobody sends it" in found.out
    repo.write("waivers.toml", "[[waiver]]\n")
    assert check(repo.folder).code == 2
    (repo.folder / "waivers.toml").unlink()
    assert check(repo.folder, "--waive=feedfeedfeed").code == 2


@pytest.mark.long
def test_ten_thousand_findings(repo: Repo, check: Run) -> None:
    spec = request()
    many = [{"name": f"F{number}", "type": "int32", "versions": "0+", "about": "x"} for number in range(2000)]
    repo.spec({**spec, "fields": many})
    repo.commit()
    repo.spec({**spec, "fields": [{**item, "type": "int64"} for item in many]})
    found = check(repo.folder, "--against", "HEAD", "--format", "json")
    assert len(found.rules) == 2000


def test_type_and_key_of_a_spec_change(repo: Repo, check: Run) -> None:
    on_branch(repo).spec(request(apiKey=7))
    assert "api-key-changed" in check(repo.folder, "--format", "json").rules
    repo.spec(request(type="response", listeners=None))
    assert check(repo.folder).code == 1


def test_only_the_standard_library_is_imported(repo: Repo) -> None:
    on_branch(repo).spec(broken())
    repo.git("add", "-A")
    done = subprocess.run(
        [sys.executable, "-X", "importtime", "-m", "wirebook.cli.main", "check", "--staged"],
        cwd=repo.folder,
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )
    assert done.returncode == 1
    names = {line.rpartition("|")[2].strip().partition(".")[0] for line in done.stderr.splitlines()}
    ours = {"wirebook"}
    others = {name for name in names if name.isidentifier()} - sys.stdlib_module_names - ours
    # What site.py starts by itself is not ours to choose; `copy` of the library looks for Jython's "org".
    assert {name for name in others if not name.startswith("_")} <= {
        "sitecustomize",
        "usercustomize",
        "apport_python_hook",
        "org",
    }
    assert not {"multiprocessing", "concurrent", "urllib3"} & names


@pytest.mark.parametrize("name", ["FetchRequest.json", "Asked.json"])
@pytest.mark.parametrize("staged", [False, True])
def test_response_is_as_unstable_as_its_request_that_nobody_touched(
    repo: Repo, check: Run, name: str, staged: bool
) -> None:
    on_branch(repo)
    repo.git("rm", "-q", f"{FOLDER}/FetchRequest.json")
    repo.write(f"{FOLDER}/{name}", request(latestVersionUnstable=True))
    repo.spec(response())
    repo.commit()
    fields = [*response()["fields"], {"name": "More", "type": "int32", "versions": "2+", "about": "More."}]
    repo.spec(response(fields=fields))
    repo.git("add", "-A")
    found = check(repo.folder, *(["--staged"] if staged else ["--against", "HEAD"]))
    assert "field-added-to-released-version" in found.out
    assert "1 spec differs" in found.out
    assert (found.code, "error" in found.out) == (0, False)
    repo.spec(response(fields=[{**field, "versions": "1+"} for field in fields]))
    repo.git("add", "-A")
    assert check(repo.folder, *(["--staged"] if staged else ["--against", "HEAD"])).code == 1


def test_custom_of_files_that_nobody_touched(repo: Repo, check: Run) -> None:
    on_branch(repo).spec(api_versions("request", listeners=["broker", "zkBroker"]))
    repo.spec(request())
    repo.commit()
    repo.spec(request(listeners=["broker", "zkBroker"]))
    repo.git("add", "-A")
    found = check(repo.folder, "--staged")
    # Another spec, which nobody touched, has the listener.
    assert (found.code, "unknown-listener" in found.out) == (0, False)


@pytest.mark.parametrize(("fail_on", "codes"), [("never", (0, 0)), ("error", (1, 0)), ("warning", (1, 1))])
def test_what_fails_a_check_is_a_choice(
    tmp_path: Path, check: Run, fail_on: str, codes: tuple[int, int]
) -> None:
    repo = started(tmp_path / "repo")
    repo.spec(broken())
    found = check(repo.folder, "--against", "HEAD", f"--fail-on={fail_on}")
    assert "error[type-changed]" in found.out
    repo.write("wirebook.toml", '[severities]\ntype-changed = "warning"\n')
    repo.git("stash", "-q", "--", FOLDER)
    repo.commit("settings")
    repo.git("stash", "pop", "-q")
    lowered = check(repo.folder, "--against", "HEAD", f"--fail-on={fail_on}")
    assert "warning[type-changed]" in lowered.out
    assert (found.code, lowered.code) == codes
    repo.write(PATH, "{")
    assert check(repo.folder, "--against", "HEAD", f"--fail-on={fail_on}").code == 2
