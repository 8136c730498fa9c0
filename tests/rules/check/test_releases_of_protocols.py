"""Several protocols in one repository, each with releases of its own: tags with the name of the protocol."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.repositories import Repo, request, response
from tests.rules.check.gate import check
from wirebook.docgen.request import BuildRequest
from wirebook.rules.project.config import read_config
from wirebook.rules.project.workspace import Workspace
from wirebook.specs.problems import InputError

CONFIG = """\
[[protocol]]
name = "ledger"
paths = ["/ledger"]
released = ["ledger-v*"]

[[protocol]]
name = "cards"
paths = ["/cards"]
released = "cards-v*"
"""
FIELDS = [{"name": "Note", "type": "int32", "versions": "0+", "about": "A note."}]


@pytest.fixture
def repo(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Repo:
    """The ledger is released at the first commit, and cards at the second; both change in between."""
    repo = Repo(tmp_path / "repo")
    repo.write("wirebook.toml", CONFIG)
    for folder in ("ledger", "cards"):
        repo.spec(request(validVersions="0", fields=FIELDS), folder)
        repo.spec(response(validVersions="0"), folder)
    repo.commit("first")
    repo.git("tag", "ledger-v1.0.0")
    for folder in ("ledger", "cards"):
        repo.spec(request(validVersions="0-1", fields=FIELDS), folder)
        repo.spec(response(validVersions="0-1"), folder)
    repo.commit("second")
    repo.git("tag", "cards-v2.1.0")
    repo.git("checkout", "-q", "-b", "feature")
    monkeypatch.chdir(repo.folder)
    return repo


def other_type(repo: Repo, folder: str) -> None:
    """Change a field in version 1, which only one of the releases has."""
    (note,) = FIELDS
    fields = [{**note, "versions": "0"}, {**note, "name": "Other", "type": "int64", "versions": "1+"}]
    repo.spec(request(validVersions="0-1", fields=fields), folder)


def test_only_the_releases_of_a_protocol_freeze_its_versions(
    repo: Repo, capsys: pytest.CaptureFixture[str]
) -> None:
    other_type(repo, "ledger")
    code, out = check(capsys)
    assert code == 0, out
    assert "released: ledger-v1.0.0" in out
    other_type(repo, "cards")
    code, out = check(capsys)
    assert code == 1
    assert "released in cards-v2.1.0" in out
    assert "2 errors, 2 warnings" in out


def test_the_command_line_names_the_releases_of_all(repo: Repo, capsys: pytest.CaptureFixture[str]) -> None:
    other_type(repo, "ledger")
    code, out = check(capsys, "--released", "cards-v*")
    assert code == 1
    assert "released in cards-v2.1.0" in out


def test_a_change_cannot_take_the_releases_away(repo: Repo, capsys: pytest.CaptureFixture[str]) -> None:
    other_type(repo, "cards")
    repo.write("wirebook.toml", CONFIG.replace('"cards-v*"', '"none"'))
    code, out = check(capsys)
    assert code == 1
    assert "released in cards-v2.1.0" in out


def test_a_site_shows_the_releases_of_its_protocol(repo: Repo) -> None:
    both = BuildRequest.of(None, here=repo.folder)
    assert both.choosing("ledger").releases == ("ledger-v1.0.0",)
    assert both.choosing("cards").releases == ("cards-v2.1.0",)
    assert BuildRequest.of(None, here=repo.folder, protocol="cards").releases == ("cards-v2.1.0",)
    named = BuildRequest.of(None, releases="ledger-*", here=repo.folder)
    assert named.choosing("cards").releases == ("ledger-*",)


@pytest.mark.parametrize("shared", [False, True])
def test_a_protocol_without_releases_has_none_of_those_that_others_name(
    shared: bool, repo: Repo, capsys: pytest.CaptureFixture[str]
) -> None:
    config = CONFIG.replace('"cards-v*"', '"none"')
    if shared:
        # The ledger has the releases of the file.
        config = 'released = ["ledger-v*"]\n' + config.replace('released = ["ledger-v*"]\n', "")
    repo.git("tag", "-d", "cards-v2.1.0")
    repo.write("wirebook.toml", config)
    repo.commit("cards are not released")
    other_type(repo, "cards")
    repo.spec(request(validVersions="0", fields=[{**FIELDS[0], "type": "int64"}]), "cards")
    repo.spec(response(validVersions="0"), "cards")
    code, out = check(capsys, "--against", "HEAD")
    assert (code, "ledger-v1.0.0" in out) == (0, False), out
    words = (
        'released is "none", so ledger-v1.0.0, which the settings name for other protocols, freezes nothing'
    )
    code, out = check(capsys, "--against", "HEAD", "--verbose")
    assert (code, words in " ".join(out.split())) == (0, True), out
    assert BuildRequest.of(None, here=repo.folder).choosing("cards").releases == ()
    # A tag that no protocol names is one that the settings have forgotten.
    repo.git("tag", "cards-v2.1.0", "HEAD")
    code, out = check(capsys, "--against", "HEAD")
    assert (code, 'released is "none", but cards-v2.1.0 has specs' in " ".join(out.split())) == (1, True), out
    assert BuildRequest.of(None, here=repo.folder).choosing("cards").releases == ("cards-v2.1.0",)


def test_a_glob_without_a_tag_is_an_error_where_it_is_written(repo: Repo) -> None:
    repo.write("wirebook.toml", CONFIG.replace("ledger-v*", "ledgers-v*"))
    with pytest.raises(InputError) as refused:
        Workspace.here(repo.folder, "ledger").releases()
    assert refused.value.position is not None
    assert refused.value.position.line == 4


@pytest.mark.parametrize("value", ["1", "[1]", '[""]'])
def test_releases_are_a_list_of_strings(value: str) -> None:
    with pytest.raises(InputError, match='"released" must be a list of strings'):
        read_config(f'[[protocol]]\nname = "a"\nreleased = {value}\n', "wirebook.toml")
