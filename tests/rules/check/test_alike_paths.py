"""Paths of which a checkout has only one, where a file system ignores letter case or normalization."""

from __future__ import annotations

import subprocess
import unicodedata
from pathlib import Path

import pytest

from tests.repositories import FOLDER, Repo, request, started
from tests.rules.check.running import Outcome, Run, on_branch
from wirebook.specs.printable import visible
from wirebook.specs.sources import filesets
from wirebook.specs.sources.git_command import run

OTHER = request(name="OtherRequest", apiKey=7)
NFC, NFD = (unicodedata.normalize(form, "caf\u00e9") for form in ("NFC", "NFD"))
SPEC = f"{FOLDER}/FetchRequest.json"
UPPER = f"{FOLDER.removesuffix('message')}Message"


@pytest.fixture
def repo(tmp_path: Path) -> Repo:
    """A branch of a repository with a spec whose name is not ASCII, and a configuration."""
    repo = started(tmp_path / "repo")
    repo.write(f"{FOLDER}/{NFC}/OtherRequest.json", OTHER)
    repo.write("wirebook.toml", "")
    repo.commit("more")
    return on_branch(repo)


def each_way(repo: Repo, check: Run) -> dict[str, Outcome]:
    """The check of the index, the working tree and the commit."""
    ways = {"disk": check(repo.folder)}
    repo.git("add", "-A")
    ways["staged"] = check(repo.folder, "--staged")
    repo.git("commit", "-qm", "the attack")
    ways["commit"] = check(repo.folder, "--against", "main...")
    return ways


@pytest.mark.share(2)
@pytest.mark.parametrize(
    ("path", "content", "named", "other"),
    [
        (f"{FOLDER}/Fetchrequest.json", OTHER, f"{FOLDER}/Fetchrequest.json", SPEC),
        (f"{FOLDER}/FetchRequest.JSON", OTHER, f"{FOLDER}/FetchRequest.json", f"{FOLDER}/FetchRequest.JSON"),
        (f"{UPPER}/OtherRequest.json", OTHER, FOLDER, UPPER),
        (f"{UPPER}/README", "", FOLDER, UPPER),
        (FOLDER.split("/")[0].upper(), "a file", "clients", "CLIENTS"),
        (f"{FOLDER}/{NFD}/OtherRequest.json", OTHER, f"{FOLDER}/{NFC}", f"{FOLDER}/{NFD}"),
        (f"{FOLDER}/FetchRe\u200cquest.json", OTHER, f"{FOLDER}/FetchRe\u200cquest.json", SPEC),
        (".GitAttributes", "*.json -text\n", ".GitAttributes", ".gitattributes"),
        (f"{FOLDER}/.GITATTRIBUTES", "", f"{FOLDER}/.GITATTRIBUTES", f"{FOLDER}/.gitattributes"),
        ("Wirebook.toml", "", "Wirebook.toml", "wirebook.toml"),
        (f"{FOLDER}/Profile.toml", 'name = "x"\n', f"{FOLDER}/Profile.toml", f"{FOLDER}/profile.toml"),
        ("Waivers.TOML", "", "Waivers.TOML", "waivers.toml"),
    ],
)
def test_the_change_is_refused_with_both_names(
    path: str,
    content: object,
    named: str,
    other: str,
    repo: Repo,
    check: Run,
) -> None:
    repo.write(path, content)
    for way, outcome in each_way(repo, check).items():
        assert outcome.code == 2, way
        pairs = ((named, other), (other, named))
        lines = [visible(f"{one}: this is the same path as {two} where") for one, two in pairs]
        assert any(line in " ".join(outcome.out.split()) for line in lines), (way, outcome.out)


def test_git_keeps_one_of_them_where_case_is_ignored(repo: Repo, tmp_path: Path, check: Run) -> None:
    """The file system of this machine tells them apart, so the links of a checkout show the effect."""
    repo.write(f"{FOLDER}/Fetchrequest.json", OTHER)
    repo.commit("the attack")
    clone = tmp_path / "clone"
    done = subprocess.run(
        ["git", "-c", "core.ignorecase=true", "clone", str(repo.folder), str(clone)],
        capture_output=True,
        text=True,
        check=True,
    )
    assert "Fetchrequest.json" in done.stderr + "".join(path.name for path in clone.rglob("*.json"))
    assert check(clone, "--against", "origin/main...").code == 2


@pytest.mark.parametrize(
    ("path", "content"),
    [
        ("docs/README", ""),
        ("docs/Package.json", {"name": "y"}),
        ("DOCS/other", ""),
        (f"{FOLDER}/OtherRequest.json", {**OTHER, "name": "NextRequest", "apiKey": 8}),
        ("build/Fetchrequest.json", OTHER),
        (f"other/{NFD}.txt", ""),
    ],
)
def test_other_names_are_no_matter(path: str, content: object, repo: Repo, check: Run) -> None:
    repo.git("checkout", "-q", "main")
    for name in ("docs/readme", "docs/package.json", "other/x", f"other/{NFC}.txt"):
        repo.write(name, '{"name": "x"}')
    repo.commit("others")
    repo.git("checkout", "-q", "-B", "feature")
    repo.write(path, content)
    for way, outcome in each_way(repo, check).items():
        assert "same path" not in outcome.out, way
        assert outcome.code == 0, way


def test_a_renamed_file_is_one_file(repo: Repo, check: Run) -> None:
    """Renamed but not staged: the index still has the old name."""
    (repo.folder / SPEC).rename(repo.folder / FOLDER / "fetchRequest.json")
    for way, outcome in each_way(repo, check).items():
        assert (outcome.code, "same path" in outcome.out) == (0, False), way


def test_both_in_specs_out_of_scope_are_no_matter(repo: Repo, check: Run) -> None:
    repo.git("checkout", "-q", "main")
    repo.write("wirebook.toml", 'paths = ["clients"]\n')
    repo.write("web/OtherRequest.json", OTHER)
    repo.commit("a scope")
    repo.git("checkout", "-q", "-B", "feature")
    repo.write("web/otherRequest.json", OTHER)
    assert [outcome.code for outcome in each_way(repo, check).values()] == [0, 0, 0]


@pytest.mark.parametrize("version", ["2", "3", "4"])
def test_a_new_spec_costs_no_process(
    version: str,
    repo: Repo,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    repo.git("update-index", "--index-version", version)
    repo.write(f"{FOLDER}/NextRequest.json", {**OTHER, "name": "NextRequest", "apiKey": 8})
    repo.git("add", "-A")
    commands: list[str] = []

    def counted(folder: str, *arguments: str, index: bool) -> bytes:
        commands.append(arguments[0])
        return run(folder, *arguments, index=index)

    monkeypatch.setattr(filesets, "run", counted)
    added = [f"{FOLDER}/NextRequest.json".encode()]
    assert filesets.alike_added(repo.folder / ".git" / "index", str(repo.folder), added) == []
    assert commands == ([] if version != "4" else ["ls-files"])
    monkeypatch.undo()
