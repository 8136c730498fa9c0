"""Edits of [[protocol]] tables: the profile of a spec on a side is that of the table that has it there."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.repositories import Repo, broken, request, response
from tests.rules.check.gate import check

TABLE = '[[protocol]]\nname = "{}"\npaths = [{}]\n{}\n'


def tables(repo: Repo, newts: str, otters: str, *, name: str = "otter") -> None:
    """Two protocols with different headers, by the globs of their specs; `name` is that of the second."""
    first = TABLE.format("newt", newts, "headers.request = [1, 1]")
    repo.write("wirebook.toml", first + TABLE.format(name, otters, "headers.request = [2, 2]"))


def api(repo: Repo, folder: str, name: str, key: int) -> None:
    """A request and its response."""
    for spec, kind in ((request(listeners=None), "Request"), (response(), "Response")):
        repo.spec({**spec, "name": f"{name}{kind}", "apiKey": key}, folder)


@pytest.fixture
def two(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Repo:
    """Swim and Dive of one protocol, and Fetch of another one."""
    repo = Repo(tmp_path / "two")
    api(repo, "newt", "Swim", 1)
    api(repo, "newt", "Dive", 2)
    api(repo, "otter", "Fetch", 3)
    tables(repo, '"/newt"', '"/otter"')
    repo.commit("first")
    monkeypatch.chdir(repo.folder)
    return repo


@pytest.mark.parametrize("options", [[], ["--all"]])
def test_a_spec_that_an_edit_gives_to_another_protocol_has_the_headers_of_that(
    options: list[str], two: Repo, capsys: pytest.CaptureFixture[str]
) -> None:
    tables(two, '"/newt/Swim*"', '"/otter", "/newt/Dive*"')
    code, out = check(capsys, *options, "--against", "HEAD")
    assert (code, out.count("error[header-version-changed]")) == (1, 1), out
    assert "DiveRequest has header 2 instead of 1" in out
    assert "wirebook.toml:8:1" in out


def test_a_spec_that_no_table_claims_any_more_has_the_headers_of_none(
    two: Repo, capsys: pytest.CaptureFixture[str]
) -> None:
    tables(two, '"/newt"', '"/elsewhere"')
    code, out = check(capsys, "--against", "HEAD")
    assert (code, out.count("error[header-version-changed]")) == (1, 1), out
    assert "FetchRequest has header 1 instead of 2" in out


@pytest.mark.parametrize("options", [[], ["--all"], ["--released", "v*"]])
def test_another_name_of_a_protocol_changes_no_header(
    options: list[str], two: Repo, capsys: pytest.CaptureFixture[str]
) -> None:
    two.git("tag", "v1.0.0")
    tables(two, '"/newt"', '"/otter"', name="stoat")
    code, out = check(capsys, *options, "--against", "HEAD")
    assert (code, "header-version-changed" in out) == (0, False), out


def test_two_protocols_that_swap_their_names_swap_nothing_else(
    two: Repo, capsys: pytest.CaptureFixture[str]
) -> None:
    first = TABLE.format("otter", '"/newt"', "headers.request = [1, 1]")
    two.write("wirebook.toml", first + TABLE.format("newt", '"/otter"', "headers.request = [2, 2]"))
    code, out = check(capsys, "--against", "HEAD")
    assert (code, "header-version-changed" in out) == (0, False), out


@pytest.mark.parametrize("name", ["otter", "stoat"])
def test_a_protocol_may_get_other_headers_with_its_new_name(
    name: str, two: Repo, capsys: pytest.CaptureFixture[str]
) -> None:
    text = (two.folder / "wirebook.toml").read_text()
    two.write("wirebook.toml", text.replace("[2, 2]", "[3, 3]").replace('"otter"', f'"{name}"'))
    code, out = check(capsys, "--against", "HEAD")
    assert (code, "FetchRequest has header 3 instead of 2" in out) == (1, True), out


def test_a_protocol_keeps_its_releases_with_its_new_name(
    two: Repo, capsys: pytest.CaptureFixture[str]
) -> None:
    released = 'released = "newt-v*"\n' + (two.folder / "wirebook.toml").read_text()
    released += 'released = "otter-v*"\n'
    two.write("wirebook.toml", released)
    two.commit("releases")
    two.git("tag", "newt-v1.0.0")
    two.git("tag", "otter-v1.0.0")
    two.write("wirebook.toml", released.replace('"otter"', '"stoat"'))
    _, out = check(capsys, "--against", "HEAD", "--all")
    assert "[otter]; released: otter-v1.0.0" in " ".join(out.split()), out


def test_a_key_may_not_be_that_of_a_message_in_the_protocol_that_gets_the_spec(
    two: Repo, capsys: pytest.CaptureFixture[str]
) -> None:
    api(two, "otter", "Fetch", 2)
    two.commit("a key that both protocols have")
    tables(two, '"/newt/Swim*"', '"/otter", "/newt/Dive*"')
    code, out = check(capsys, "--against", "HEAD")
    assert (code, out.count("error[duplicate-api-key]")) == (1, 1), out
    assert "DiveRequest has API key 2, which FetchRequest has" in out
    words = "[newt]: 0 specs differ; [otter]: 0 specs differ, and 2 specs move here from other protocols\n"
    assert words in out
    two.commit("tables")
    # The next change is not to blame.
    api(two, "otter", "Climb", 4)
    code, out = check(capsys, "--against", "HEAD")
    assert (code, "duplicate-api-key" in out) == (0, False), out


def test_a_partner_that_was_missing_before_is_not_missed_again_in_another_protocol(
    two: Repo, capsys: pytest.CaptureFixture[str]
) -> None:
    (two.folder / "newt/DiveResponse.json").unlink()
    two.commit("no response")
    tables(two, '"/newt/Swim*"', '"/otter", "/newt/Dive*"')
    _, out = check(capsys, "--against", "HEAD")
    assert "1 spec moves here from other protocols" in out
    assert "missing-partner" not in out
    # A response that stays behind is missing.
    tables(two, '"/newt/SwimResponse*", "/newt/Dive*"', '"/otter", "/newt/SwimRequest*"')
    _, out = check(capsys, "--against", "HEAD")
    assert "missing-partner] SwimRequest" in out
    assert "missing-partner] Dive" not in out


def errors(*names: str) -> str:
    """A table of error codes, which begin with 0."""
    entries = [
        {"code": code, "name": name, "retriable": False, "first_release": "1.0", "about": "x"}
        for code, name in enumerate(names)
    ]
    return json.dumps({"schema": "wirebook/errors/1", "errors": entries})


@pytest.mark.parametrize("claimed", [True, False], ids=["in the tables", "beside the specs"])
def test_a_spec_gets_the_error_codes_of_the_protocol_that_it_is_given_to(
    claimed: bool, two: Repo, capsys: pytest.CaptureFixture[str]
) -> None:
    two.write("newt/errors.json", errors("NONE", "WET"))
    two.write("otter/errors.json", errors("NONE", "DRY"))
    own = 'tables.errors = "{}errors.json"'
    newt, otter = (own.format(f"{name}/") if claimed else "" for name in ("newt", "otter"))
    if not claimed:
        two.write("newt/profile.toml", own.format(""))
        two.write("otter/profile.toml", own.format(""))
    two.write(
        "wirebook.toml", TABLE.format("newt", '"/newt"', newt) + TABLE.format("otter", '"/otter"', otter)
    )
    two.commit("error codes")
    swim, rest = '"/newt/Swim*"', '"/otter", "/newt/Dive*"'
    two.write("wirebook.toml", TABLE.format("newt", swim, newt) + TABLE.format("otter", rest, otter))
    code, out = check(capsys, "--against", "HEAD")
    # A profile beside the specs stays where it is.
    assert (code, "error code 1 was WET and is now DRY" in out) == (int(claimed), claimed), out


@pytest.mark.parametrize("globs", ['paths = ["/otter"]', ""], ids=["paths", "the rest"])
def test_a_new_spec_belongs_to_the_protocol_that_the_change_renames(
    globs: str, two: Repo, capsys: pytest.CaptureFixture[str]
) -> None:
    newts = '[[protocol]]\nname = "newt"\npaths = ["/newt"]\n[[protocol]]\nname = "{}"\n{}\n'
    two.write("wirebook.toml", newts.format("otter", globs))
    two.commit("tables")
    two.write("wirebook.toml", newts.format("stoat", globs.replace("]", ', "/more"]')))
    api(two, "more", "Climb", 3)
    code, out = check(capsys, "--against", "HEAD")
    assert (code, out.count("error[duplicate-api-key]")) == (1, 1), out


def test_a_protocol_that_keeps_a_spec_keeps_its_releases(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Most of its specs go to another protocol, whose releases do not freeze the rest."""

    def settings(newts: str, otters: str) -> None:
        first = TABLE.format("newt", newts, 'released = ["newt-v*"]')
        repo.write("wirebook.toml", first + TABLE.format("otter", otters, 'released = ["otter-v*"]'))

    repo = Repo(tmp_path / "both")
    for folder, name, key in (
        ("newt", "Swim", 1),
        ("otter", "Dive", 2),
        ("otter", "Doze", 3),
        ("otter", "Fetch", 4),
    ):
        api(repo, folder, name, key)
    settings('"/newt"', '"/otter"')
    repo.commit("first")
    for tag in ("newt-v1.0.0", "otter-v1.0.0"):
        repo.git("tag", tag)
    added = {"name": "Added", "type": "int8", "versions": "3+", "about": "It is new."}
    spec = request(listeners=None, apiKey=4, validVersions="0-3")
    repo.spec({**spec, "fields": [*spec["fields"], added]}, "otter")
    repo.commit("unreleased")
    repo.git("tag", "newt-v1.1.0")
    repo.commit("later")
    monkeypatch.chdir(repo.folder)
    repo.spec({**spec, "fields": [*spec["fields"], {**added, "type": "int16"}]}, "otter")
    settings('"/newt", "/otter/D*"', '"/otter/Fetch*"')
    code, out = check(capsys, "--against", "HEAD")
    assert "warning[type-changed] FetchRequest" in out
    assert code == 0


@pytest.mark.parametrize("options", [[], ["--all"]])
def test_a_protocol_that_moves_as_it_is_renamed_keeps_its_releases_and_headers(
    options: list[str], two: Repo, capsys: pytest.CaptureFixture[str]
) -> None:
    """Also if some of its files change as they move."""
    settings = (two.folder / "wirebook.toml").read_text() + 'released = ["otter-v*"]\n'
    two.write("wirebook.toml", settings)
    two.commit("releases")
    two.git("tag", "otter-v1.0.0")
    two.commit("later")
    settings = settings.replace("otter", "stoat").replace("stoat-v*", "otter-v*")
    two.write("wirebook.toml", settings)
    two.git("mv", "otter", "stoat")
    arguments = [*options, "--against", "HEAD"]
    code, out = check(capsys, *arguments)
    assert (code, "[otter]; released: otter-v1.0.0" in " ".join(out.split())) == (0, True), out
    two.spec({**broken(), "name": "FetchRequest", "apiKey": 3, "listeners": []}, "stoat")
    code, out = check(capsys, *arguments)
    assert (code, "released in otter-v1.0.0" in out) == (1, True), out
    two.git("checkout", "HEAD", "otter")
    two.git("rm", "-rqf", "stoat")
    two.git("mv", "otter", "stoat")
    two.write("wirebook.toml", settings.replace("[2, 2]", "[3, 3]"))
    code, out = check(capsys, *arguments)
    assert (code, "FetchRequest has header 3 instead of 2" in out) == (1, True), out


@pytest.mark.parametrize(
    "tables",
    ['[[protocol]]\nname = "newt"\n', '[[protocol]]\nname = "zoo"\npaths = ["/newt", "/otter"]\n', ""],
    ids=["the larger one stays", "under another name", "without tables"],
)
def test_a_key_that_two_protocols_have_that_become_one(
    tables: str, two: Repo, capsys: pytest.CaptureFixture[str]
) -> None:
    api(two, "otter", "Fetch", 2)
    two.commit("a key that both protocols have")
    two.write("wirebook.toml", tables)
    code, out = check(capsys, "--against", "HEAD")
    assert (code, out.count("error[duplicate-api-key]")) == (1, 1), out


@pytest.mark.parametrize("options", [[], ["--all"]])
def test_a_key_that_two_specs_have_that_go_to_a_new_protocol(
    options: list[str], two: Repo, capsys: pytest.CaptureFixture[str]
) -> None:
    """Its first release is yet to come, whatever the releases of the others are."""
    api(two, "otter", "Fetch", 2)
    api(two, "otter", "Doze", 4)
    settings = 'released = ["v*"]\n' + (two.folder / "wirebook.toml").read_text()
    two.write("wirebook.toml", settings)
    two.commit("a key that both protocols have")
    two.git("tag", "v1.0.0")
    two.commit("later")
    settings = settings.replace('"/newt"', '"/newt/Swim*"').replace('"/otter"', '"/otter/Doze*"')
    two.write("wirebook.toml", settings + TABLE.format("stoat", '"/newt/Dive*", "/otter/Fetch*"', ""))
    code, out = check(capsys, *options, "--against", "HEAD")
    assert (code, out.count("error[duplicate-api-key]")) == (1, 1), out


@pytest.mark.parametrize(("options", "count"), [([], 0), (["--all"], 1)])
@pytest.mark.parametrize("globs", ['"/otter", "/newt/Dive*"', '"/otter"'], ids=["there", "new"])
def test_what_was_wrong_with_a_spec_is_not_new_where_it_is_given_to(
    globs: str, options: list[str], count: int, two: Repo, capsys: pytest.CaptureFixture[str]
) -> None:
    unused = {"name": "Unused", "versions": "0+", "fields": request()["fields"][:1]}
    two.spec({**request(listeners=None, apiKey=2), "name": "DiveRequest", "commonStructs": [unused]}, "newt")
    settings = TABLE.format("newt", '"/newt"', "") + TABLE.format("otter", '"/otter"', "")
    two.write("wirebook.toml", settings)
    two.commit("a struct that no field uses")
    settings = settings.replace('"/newt"', '"/newt/Swim*"').replace('"/otter"', globs)
    stoat = "" if "Dive" in globs else TABLE.format("stoat", '"/newt/Dive*"', "")
    two.write("wirebook.toml", settings + stoat)
    code, out = check(capsys, *options, "--against", "HEAD")
    assert (code, out.count("warning[unused-struct]")) == (0, count), out
