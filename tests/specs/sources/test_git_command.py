"""What git is given, and what its own words become."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.repositories import Repo, started
from wirebook.specs.problems import InputError
from wirebook.specs.sources.git_command import PARTIAL, environment, is_bare, reason, remedy, run

HEX = "4f2a9c1d" * 5


@pytest.mark.parametrize(
    ("ref", "remotes", "shallow", "arguments"),
    [
        ("HEAD~1", ["origin"], False, "--all"),
        ("HEAD~1", ["origin"], True, "--deepen=1"),
        ("HEAD~3^2~", ["origin"], True, "--deepen=5"),
        ("main^2", [], True, "--deepen=1"),
        ("main~^^", [], True, "--deepen=3"),
        ("HEAD~0", [], True, "--unshallow"),
        ("HEAD~1234567", [], True, "--unshallow"),
        ("HEAD^{tree}", [], True, "--unshallow"),
        ("main@{1}", [], True, "--unshallow"),
        ("main@{1}", [], False, "--all"),
        ("origin/main", ["origin"], False, "origin main:refs/remotes/origin/main"),
        ("origin/main", ["origin"], True, "--depth=1 origin main:refs/remotes/origin/main"),
        ("fork/a/b", ["origin", "fork"], False, "fork a/b:refs/remotes/fork/a/b"),
        (HEX, ["fork", "origin"], False, f"origin {HEX}"),
        (HEX, ["fork"], True, f"--depth=1 fork {HEX}"),
        (HEX, [], False, f"URL {HEX}"),
        (HEX[:39], ["origin"], False, f"origin {HEX[:39]}:{HEX[:39]}"),
        (f"{HEX}{HEX[:24]}", ["origin"], False, f"origin {HEX}{HEX[:24]}"),
        ("3.7.0", ["origin"], False, "origin tag 3.7.0"),
        ("refs/tags/v3.7", ["origin"], True, "--depth=1 origin tag v3.7"),
        ("trunk", ["a", "b"], False, "a trunk:trunk"),
        ("trunk", ["a", "origin"], False, "origin trunk:trunk"),
    ],
)
def test_the_remedy_for_a_name_that_is_missing(
    ref: str, remotes: list[str], shallow: bool, arguments: str
) -> None:
    assert remedy(ref, remotes, shallow) == arguments


@pytest.mark.parametrize(
    ("stderr", "words"),
    [
        ("", "git: git stopped"),
        ("warning: something\n", "git: git stopped"),
        ("fatal: bad object HEAD\n", "git: bad object HEAD"),
        ("fatal: the first:\nfatal: the second\n", "git: the first"),
        ("error: it is empty\nfatal: the remote died of it\n", "git: it is empty"),
        ("fatal: a process reported error\nerror: it is empty\n", "git: it is empty"),
        ("fatal: the remote died of it\n", "git: the remote died of it"),
        ("error: one\nfatal: two\n", "git: two"),
        ("fatal: not a git repository (or any of the parents)\n", "this is not a git repository"),
        ("fatal: not from promisor remote\n", PARTIAL),
        (
            "fatal: dubious ownership of '/a'\nTo add an exception, call:\n\n\tgit config --global x /a\n",
            "git: dubious ownership of '/a'; to trust it: git config --global x /a",
        ),
        ("fatal: \xff\n", "git: \ufffd"),
    ],
)
def test_the_line_of_git_that_names_the_error(stderr: str, words: str) -> None:
    assert reason(stderr.encode("latin-1")) == words


def test_only_known_variables_reach_git(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in os.environ if name.startswith("GIT_")]:
        monkeypatch.delenv(name)
    given = {
        "GIT_DIR": "there", "GIT_INDEX_FILE": "index", "GIT_TRACE": "1", "GIT_SSH_COMMAND": "x",
        "GIT_EXEC_PATH": "path", "GIT_CONFIG_GLOBAL": "file", "GIT_CONFIG_COUNT": "1",
        "GIT_CONFIG_KEY_0": "a.b", "GIT_CONFIG_VALUE_0": "c", "GIT_ALLOW_PROTOCOL": "ext", "LC_ALL": "de_DE",
        "OTHER": "kept",
    }  # fmt: skip
    for name, value in given.items():
        monkeypatch.setenv(name, value)
    fixed = {
        "GIT_ALLOW_PROTOCOL": "", "GIT_NO_LAZY_FETCH": "1", "GIT_NO_REPLACE_OBJECTS": "1",
        "GIT_OPTIONAL_LOCKS": "0", "GIT_TERMINAL_PROMPT": "0",
    }  # fmt: skip
    settings = {name: given[name] for name in given if name.startswith(("GIT_CONFIG", "GIT_EXEC"))}
    plain = {name: value for name, value in environment().items() if name.startswith("GIT_")}
    assert plain == fixed | settings
    hooked = {name: value for name, value in environment(index=True).items() if name.startswith("GIT_")}
    assert hooked == plain | {"GIT_DIR": "there", "GIT_INDEX_FILE": "index"}
    assert environment("file")["GIT_ALLOW_PROTOCOL"] == "file"
    assert (environment()["LC_ALL"], environment()["OTHER"]) == ("C", "kept")


def test_a_bare_repository_is_read_beside_that_of_a_hook(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    repo = started(tmp_path / "repo")
    bare = tmp_path / "bare.git"
    repo.git("clone", "-q", "--bare", str(repo.folder), str(bare))
    other = Repo(tmp_path / "other")
    assert is_bare(bare)
    assert not is_bare(repo.folder)
    wanted = f"{bare}\n".encode()
    # Settings may forbid to find a bare repository by its folder.
    for name, value in (("COUNT", "1"), ("KEY_0", "safe.bareRepository"), ("VALUE_0", "explicit")):
        monkeypatch.setenv(f"GIT_CONFIG_{name}", value)
    assert run(bare, "rev-parse", "--absolute-git-dir") == wanted
    assert run(bare, "rev-parse", "--absolute-git-dir", index=True) == wanted
    monkeypatch.setenv("GIT_DIR", str(other.folder / ".git"))
    assert run(bare, "rev-parse", "--absolute-git-dir") == wanted
    hooked = f"{other.folder / '.git'}\n".encode()
    assert run(bare, "rev-parse", "--absolute-git-dir", index=True) == hooked
    with pytest.raises(InputError, match="there"):
        run(tmp_path / "there", "status")
