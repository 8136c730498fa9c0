"""Checks in a sparse working tree: what it omits is still part of the protocol."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.repositories import FOLDER, Repo, broken, request, started
from tests.rules.check.running import Run


def linking(folder: Path) -> Repo:
    """A repository whose specs are a link to a file of a folder in which no spec is read by its own name."""
    repo = started(folder)
    source = (repo.folder / FOLDER / "FetchRequest.json").read_bytes()
    repo.write("texts/build/Fetch.json", source)
    link = repo.folder / "links" / "message" / "FetchRequest.json"
    link.parent.mkdir(parents=True)
    link.symlink_to("../../texts/build/Fetch.json")
    (repo.folder / FOLDER / "FetchRequest.json").unlink()
    repo.write("top.json", "{}")
    repo.commit()
    return repo


def test_a_link_that_a_sparse_index_does_not_list_is_followed(tmp_path: Path, check: Run) -> None:
    repo = linking(tmp_path / "linking")
    repo.git("sparse-checkout", "set", "--cone", "--sparse-index", "texts")
    assert not (repo.folder / "links").exists()
    repo.write("texts/build/Fetch.json", broken())
    repo.git("add", "-A")
    outcome = check(repo.folder, "--staged", "--format", "json")
    assert (outcome.code, outcome.rules) == (1, ["type-changed"])


def test_a_link_that_the_working_tree_omits_is_followed(tmp_path: Path, check: Run) -> None:
    repo = linking(tmp_path / "linking")
    repo.git("sparse-checkout", "set", "--cone", "texts")
    assert not (repo.folder / "links").exists()
    assert check(repo.folder, "--against", "HEAD").code == 0
    repo.write("texts/build/Fetch.json", broken())
    outcome = check(repo.folder, "--against", "HEAD", "--format", "json")
    assert (outcome.code, outcome.rules) == (1, ["type-changed"])


def test_the_target_of_a_link_that_the_working_tree_omits_is_not_deleted(tmp_path: Path, check: Run) -> None:
    repo = linking(tmp_path / "linking")
    repo.git("sparse-checkout", "set", "--cone", "links")
    assert not (repo.folder / "texts").exists()
    outcome = check(repo.folder, "--against", "HEAD", "--format", "json")
    assert (outcome.code, outcome.rules) == (0, [])


@pytest.mark.parametrize("name", ["profile.toml", "base.toml"])
def test_a_profile_that_the_working_tree_omits_is_read(name: str, repo: Repo, check: Run) -> None:
    headers = 'name = "x"\n[headers]\nrequest = [7, 8]\n'
    repo.write("clients/src/profile.toml", 'extends = "base.toml"\n' if name == "base.toml" else headers)
    repo.write(f"clients/src/{name}", headers)
    repo.commit()
    repo.git("sparse-checkout", "set", "--no-cone", "/*", f"!{name}")
    assert not (repo.folder / "clients" / "src" / name).exists()
    repo.spec(request(fields=[{**field, "about": "Other words."} for field in request()["fields"]]))
    outcome = check(repo.folder, "--against", "HEAD")
    assert (outcome.code, outcome.err) == (0, "")
    assert "profile" not in outcome.out


@pytest.mark.parametrize("omitted", [("wirebook.toml",), ("wirebook.toml", "own.toml"), ("own.toml",)])
def test_settings_that_the_working_tree_omits_count(omitted: tuple[str, ...], repo: Repo, check: Run) -> None:
    repo.write("own.toml", 'name = "x"\n[headers]\nrequest = [7, 8]\n')
    protocol = f'[[protocol]]\nname = "x"\npaths = ["/{FOLDER}"]\nprofile = "own.toml"\n'
    repo.write("wirebook.toml", f'released = "[0-9]*"\n{protocol}')
    repo.commit()
    repo.git("tag", "1.0.0")
    repo.git("sparse-checkout", "set", "--no-cone", "/*", *(f"!{name}" for name in omitted))
    repo.spec(broken())
    for folder in (repo.folder, repo.folder / FOLDER):
        outcome = check(folder, "--against", "HEAD")
        assert (outcome.code, "[x]; released: 1.0.0: 1 spec differs" in outcome.first) == (1, True), (
            outcome.err
        )
        assert "this change" not in outcome.out
    # A file that is deleted is not omitted.
    repo.git("sparse-checkout", "disable")
    (repo.folder / "wirebook.toml").unlink()
    assert "note: this change sets released to []" in check(repo.folder, "--against", "HEAD").out


def test_waivers_that_the_working_tree_omits_count(repo: Repo, check: Run) -> None:
    repo.spec(broken())
    repo.write("waivers.toml", check(repo.folder, "--waive").out.replace('""', '"x"'))
    repo.git("add", "waivers.toml")
    repo.git("commit", "-q", "-m", "waivers")
    assert check(repo.folder, "--against", "HEAD").code == 0
    repo.git("sparse-checkout", "set", "--no-cone", "/*", "!waivers.toml")
    assert not (repo.folder / "waivers.toml").exists()
    outcome = check(repo.folder, "--against", "HEAD")
    assert (outcome.code, "removes a waiver" in outcome.out) == (0, False), outcome.out
