"""A spec that a change moves or renames is selected by its old and its new place and name."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.repositories import FOLDER, Repo, broken, request, response, started
from wirebook.cli.main import main

PATH = f"{FOLDER}/FetchRequest.json"
OVERRIDE = '[[override]]\n{}\nseverities.wire = "info"\nseverities.policy = "info"\n'


@pytest.fixture
def repo(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Repo:
    """A branch of a repository, without a change yet."""
    repo = started(tmp_path / "repository")
    repo.git("checkout", "-q", "-b", "feature")
    monkeypatch.chdir(repo.folder)
    return repo


def check(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str]:
    code = main(["check", "--against", "main...", *arguments])
    return code, capsys.readouterr().out


def moved(repo: Repo, spec: dict[str, Any], folder: str = "other") -> None:
    repo.git("rm", "-q", PATH)
    repo.spec(spec, folder)


@pytest.mark.parametrize("named", [FOLDER, PATH, "other", "other/FetchRequest.json", "clients"])
def test_a_move_does_not_hide_a_break_from_files(
    repo: Repo, capsys: pytest.CaptureFixture[str], named: str
) -> None:
    moved(repo, broken())
    repo.commit("move and break")
    code, out = check(capsys, named)
    assert (code, "error[type-changed]" in out) == (1, True)
    assert check(capsys, "package.json")[0] != 1


def test_a_staged_move_does_not_hide_a_break_from_files(
    repo: Repo, capsys: pytest.CaptureFixture[str]
) -> None:
    moved(repo, broken())
    repo.git("add", "-A")
    assert main(["check", "--staged", FOLDER]) == 1
    assert "error[type-changed]" in capsys.readouterr().out


def test_a_removed_field_of_a_moved_spec_is_at_both_places(
    repo: Repo, capsys: pytest.CaptureFixture[str]
) -> None:
    spec = request()
    moved(repo, {**spec, "fields": spec["fields"][1:]})
    repo.commit("move and remove")
    for named in (FOLDER, "other"):
        code, out = check(capsys, named)
        assert (code, "field-removed-from-released-version" in out) == (1, True), named


def test_an_error_on_the_new_spec_only_is_at_both_places(
    repo: Repo, capsys: pytest.CaptureFixture[str]
) -> None:
    spec = request()
    more = {"name": "Extra", "type": "int23", "versions": "2+", "about": "More."}
    moved(repo, {**spec, "validVersions": "0-3", "fields": [*spec["fields"], {**more, "versions": "3+"}]})
    repo.commit("move and add")
    code, out = check(capsys, FOLDER)
    assert (code, "unknown-type" in out) == (1, True)


def test_a_link_over_the_named_folder_does_not_hide_a_deletion(
    repo: Repo, capsys: pytest.CaptureFixture[str]
) -> None:
    repo.git("mv", "clients", "elsewhere")
    repo.git("rm", "-qf", PATH.replace("clients", "elsewhere"))
    (repo.folder / "clients").symlink_to("elsewhere")
    repo.commit("link and delete")
    for named in (PATH, FOLDER, "clients"):
        code, out = check(capsys, named)
        assert (code, "message-deleted" in out) == (1, True), named


def test_files_behind_a_link_that_the_change_replaces(repo: Repo, capsys: pytest.CaptureFixture[str]) -> None:
    repo.git("checkout", "-q", "main")
    (repo.folder / "proto").symlink_to(FOLDER)
    repo.commit("a link")
    repo.git("checkout", "-q", "-B", "feature")
    assert check(capsys, "proto")[0] == 0
    (repo.folder / "proto").unlink()
    repo.write("proto/readme.txt", "no link")
    repo.spec(broken())
    repo.commit("replace the link and break")
    code, out = check(capsys, "proto")
    assert (code, "error[type-changed]" in out) == (1, True)


@pytest.mark.parametrize(
    ("globs", "folder", "level"),
    [
        ('paths = ["other"]', "other", "error"),
        (f'paths = ["{FOLDER}"]', "other", "error"),
        ('paths = ["other", "clients"]', "other", "info"),
        ('paths = ["other"]', FOLDER, "error"),
        (f'paths = ["{FOLDER}"]', FOLDER, "info"),
    ],
)
def test_an_override_of_paths_counts_for_a_moved_spec_only_at_both(
    repo: Repo, capsys: pytest.CaptureFixture[str], globs: str, folder: str, level: str
) -> None:
    repo.git("checkout", "-q", "main")
    repo.write("wirebook.toml", OVERRIDE.format(globs))
    repo.commit("override")
    repo.git("checkout", "-q", "-B", "feature")
    moved(repo, broken(), folder)
    repo.commit("move and break")
    code, out = check(capsys)
    assert (code, f"{level}[type-changed]" in out) == (int(level == "error"), True)


@pytest.mark.parametrize(
    ("globs", "level"),
    [('messages = ["Internal*"]', "error"), ('messages = ["Internal*", "Fetch*"]', "info")],
)
def test_an_override_of_messages_counts_for_a_renamed_one_only_with_both_names(
    repo: Repo, capsys: pytest.CaptureFixture[str], globs: str, level: str
) -> None:
    repo.git("checkout", "-q", "main")
    repo.write(
        "wirebook.toml", OVERRIDE.format(globs) + 'severities.set = "info"\nseverities.source="info"\n'
    )
    repo.commit("override")
    repo.git("checkout", "-q", "-B", "feature")
    repo.git("rm", "-q", PATH, PATH.replace("Request", "Response"))
    repo.spec({**broken(), "name": "InternalRequest"})
    repo.spec({**response(), "name": "InternalResponse"})
    repo.commit("rename and break")
    code, out = check(capsys)
    assert (code, f"{level}[type-changed]" in out) == (int(level == "error"), True)


def test_an_override_of_one_half_does_not_lower_what_both_halves_lose(
    repo: Repo, capsys: pytest.CaptureFixture[str]
) -> None:
    repo.git("checkout", "-q", "main")
    repo.write("wirebook.toml", OVERRIDE.format('messages = ["FetchRequest"]'))
    repo.commit("override")
    repo.git("checkout", "-q", "-B", "feature")
    repo.spec(request(validVersions="1-2"))
    repo.spec(response(validVersions="1-2"))
    repo.commit("drop version 0")
    code, out = check(capsys)
    assert (code, "error[lowest-version-raised]" in out) == (1, True)
    # FILES that name only the other half.
    assert check(capsys, PATH.replace("Request", "Response"))[0] == 1


def test_a_difference_between_the_halves_is_in_both_files(
    repo: Repo, capsys: pytest.CaptureFixture[str]
) -> None:
    repo.spec(request(validVersions="0-3"))
    repo.commit("one half")
    for named in (PATH, PATH.replace("Request", "Response")):
        code, out = check(capsys, named)
        assert (code, "partner-versions-differ" in out) == (1, True), named


def test_what_is_not_named_is_still_left_out(repo: Repo, capsys: pytest.CaptureFixture[str]) -> None:
    moved(repo, broken())
    repo.commit("move and break")
    assert check(capsys, f"{FOLDER}/ApiVersionsRequest.json")[0] == 0
