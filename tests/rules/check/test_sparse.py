"""Checks in a sparse working tree: what it omits is still part of the protocol."""

from __future__ import annotations

from pathlib import Path

from tests.repositories import FOLDER, Repo, broken, started
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
