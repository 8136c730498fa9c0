"""What the result of a check holds besides its findings: counts, texts, the command, notices."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.repositories import FOLDER, Repo, api_versions, broken, request, response, started
from wirebook.rules.check.request import CheckRequest
from wirebook.rules.check.run import Judged, judge
from wirebook.rules.severity import Severity
from wirebook.specs.problems import InputError

PATH, OTHER = f"{FOLDER}/FetchRequest.json", f"{FOLDER}/FetchResponse.json"
LEVELS = [{"id": 0, "version": "1.0-IV0", "release": "1.0", "about": "It is."}]


@pytest.fixture
def repo(tmp_path: Path) -> Repo:
    return started(tmp_path / "repo")


def judged(repo: Repo, **asked: Any) -> Judged:
    return judge(CheckRequest(**{"cwd": repo.folder, "against": "HEAD", **asked}))


def test_the_messages_that_differ_are_counted(repo: Repo) -> None:
    assert judged(repo).report.messages_checked == 0
    repo.spec(broken())
    assert judged(repo).report.messages_checked == 1
    (repo.folder / OTHER).unlink()
    repo.spec(request(name="NewRequest", apiKey=9))
    assert judged(repo).report.messages_checked == 3
    assert judged(repo, files=(PATH,)).report.messages_checked == 1
    assert judged(repo, everything=True).report.messages_checked == 5


def test_the_texts_are_those_that_findings_point_into(repo: Repo) -> None:
    marked = b"\xef\xbb\xbf" + json.dumps(broken()).encode()
    repo.write(PATH, marked)
    repo.spec(response(validVersions="0-3"))
    before = (repo.folder / PATH).read_bytes()
    repo.spec(api_versions("request", fields=[]))
    (repo.folder / f"{FOLDER}/ApiVersionsResponse.json").unlink()
    found = judged(repo).report
    places = {item.location.path for item in found.findings if item.location}
    assert found.new_texts.keys() == places
    assert found.new_texts[PATH] == before.decode("utf-8-sig")
    former = {item.previous.path for item in found.findings if item.previous}
    assert f"{FOLDER}/ApiVersionsResponse.json" in former
    assert found.old_texts.keys() == former


def test_the_command_and_the_site_are_those_of_findings(repo: Repo, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WIREBOOK_SITE_URL", "https://a.example")
    plain = judged(repo, verbose=True).report
    assert (plain.command, plain.site, plain.findings) == ("wirebook check", "", ())
    repo.spec(broken())
    found = judged(repo, files=(PATH,)).report
    assert (found.command, found.site) == (f"wirebook check --against HEAD {PATH}", "https://a.example/")


def test_a_file_that_cannot_be_read_has_its_place(repo: Repo) -> None:
    repo.write(PATH, '{\n  "type": request }')
    found = judged(repo).report
    (why,) = found.unchecked
    assert why.startswith(f"{PATH}:2:11: ")
    assert {
        reason: (place.path, place.line, place.column) for reason, place in found.unchecked_places.items()
    } == {why: (PATH, 2, 11)}
    assert found.findings == ()
    assert found.messages_checked == 0, "its content is unknown"


@pytest.mark.parametrize("folder", ["", "docs"])
def test_without_any_spec_there_is_nothing_to_check(tmp_path: Path, folder: str) -> None:
    made = Repo(tmp_path / "empty")
    made.write("docs/a.json", '{"name": "x"}')
    made.commit()
    for against in ("HEAD", None):
        with pytest.raises(InputError, match="there are no message specs to check: "):
            judged(made, cwd=made.folder / folder, against=against)
    made.spec(request(), "docs")
    assert judged(made).report.compared.endswith(": 1 spec differs")


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("none.json", "there is no such spec on either side"),
        ("../other.json", "this is outside the repository: name two sources with --old and --new"),
        ("inner/a.json", "inner is another repository: check it from there"),
        ("inner/deep/a.json", "inner is another repository: check it from there"),
    ],
)
def test_a_name_that_neither_side_has_is_refused(repo: Repo, name: str, said: str) -> None:
    Repo(repo.folder / "inner")
    with pytest.raises(InputError) as error:
        judged(repo, files=(name,))
    assert (error.value.message, error.value.path) == (said, name)
    assert judged(repo, files=(PATH, FOLDER, ".")).report.findings == ()


def test_an_unchanged_file_that_is_named_must_be_readable(repo: Repo) -> None:
    repo.write(f"{FOLDER}/BadRequest.json", '{ "apiKey": 2, "type": "request", }')
    repo.commit()
    repo.write("other.txt", "x")
    assert judged(repo).report.unchecked == ()
    (why,) = judged(repo, files=(f"{FOLDER}/BadRequest.json",)).report.unchecked
    assert why.startswith(f"{FOLDER}/BadRequest.json:1:")
    assert judged(repo, files=(PATH,)).report.unchecked == ()
    assert len(judged(repo, everything=True).report.unchecked) == 1


@pytest.mark.parametrize("staged", [False, True])
def test_an_unchanged_request_says_whether_its_response_is_stable(repo: Repo, staged: bool) -> None:
    def change(**marks: Any) -> list[tuple[str, str]]:
        repo.git("checkout", "-q", "-f", "main")
        repo.spec(request(**marks))
        repo.commit()
        field = {"name": "Late", "type": "int8", "versions": "2+", "about": "It is late."}
        repo.spec(response(fields=[*response()["fields"], field]))
        repo.git("add", "-A")
        return [(item.rule, item.severity.value) for item in judged(repo, staged=staged).report.findings]

    assert change() == [("field-added-to-released-version", "error")]
    assert change(latestVersionUnstable=True) == [("field-added-to-released-version", "info")]


@pytest.mark.parametrize("staged", [False, True])
@pytest.mark.parametrize("name", ["FetchResponse", "OddlyNamed"])
def test_the_other_half_of_an_api_is_found_by_its_name_or_its_key(
    repo: Repo, staged: bool, name: str
) -> None:
    if name != "FetchResponse":
        (repo.folder / OTHER).rename(repo.folder / FOLDER / f"{name}.json")
        repo.commit()
    repo.spec(request(validVersions="0-3"))
    repo.git("add", "-A")
    found = judged(repo, staged=staged).report.findings
    assert [(item.rule, item.location and item.location.path) for item in found] == [
        ("partner-versions-differ", f"{FOLDER}/{name}.json")
    ]
    repo.spec(request(listeners=["broker", "controller"]))
    repo.git("add", "-A")
    assert judged(repo, staged=staged).report.findings == ()


@pytest.mark.parametrize("staged", [False, True])
def test_the_registry_is_read_where_histories_or_versions_change(repo: Repo, staged: bool) -> None:
    repo.write(f"{FOLDER}/api_versions.json", json.dumps(LEVELS))
    repo.commit()
    entry = {"version": 0, "added": "9.9-IV9", "about": "It is."}

    def changed(**keys: Any) -> tuple[list[str], bool]:
        repo.spec(request(**keys))
        repo.git("add", "-A")
        made = judged(repo, staged=staged)
        registries = made.compared[0].registries
        return sorted({item.rule for item in made.report.findings}), any(each.new for each in registries)

    assert changed(listeners=["broker", "controller"]) == ([], False)
    assert changed(history=[entry]) == (["api-version-unknown"], True)
    assert changed(validVersions="0-3") == (["api-version-missing", "partner-versions-differ"], True)
    assert changed(latestVersionUnstable=True)[1]
    # One that cannot be read is unknown: it is not gone.
    repo.write(f"{FOLDER}/api_versions.json", "{")
    repo.git("add", "-A")
    made = judged(repo, staged=staged)
    assert not made.compared[0].registries
    assert [line.partition(":")[0] for line in made.report.unchecked] == [f"{FOLDER}/api_versions.json"]


def test_a_check_that_could_not_read_everything_is_not_untouched(repo: Repo) -> None:
    """A hook that has nothing to report looks at the rest of the branch; here there is something."""
    repo.git("checkout", "-q", "-b", "topic")
    repo.write("notes.txt", "words")
    assert judged(repo).report.is_untouched
    repo.git("tag", "1.0.0")
    assert judged(repo, released=("*",)).report.is_untouched
    (repo.folder / ".git/refs/tags/1.1.0").write_text("1" * 40 + "\n")
    found = judged(repo, released=("*",)).report
    assert (len(found.unchecked), found.is_untouched) == (1, False)


@pytest.mark.parametrize("options", [{}, {"everything": True}])
@pytest.mark.parametrize("is_edited", [True, False])
@pytest.mark.parametrize("of_several", [True, False])
def test_each_named_file_exists(
    options: dict[str, Any], is_edited: bool, of_several: bool, tmp_path: Path
) -> None:
    repo = Repo(tmp_path / "named")
    repo.spec(request(), "newt")
    repo.spec(request(name="DiveRequest", apiKey=2), "otter")
    if of_several:
        claims = (f'[[protocol]]\nname = "{name}"\npaths = ["/{name}"]\n' for name in ("newt", "otter"))
        repo.write("wirebook.toml", "".join(claims))
    repo.commit("first")
    if is_edited:
        repo.spec(request(validVersions="0-3"), "newt")
    named = ("newt/FetchRequest.json", "otter")
    assert judged(repo, against="HEAD", files=named, **options).report.unchecked == ()
    with pytest.raises(InputError, match="there is no such spec on either side") as error:
        judged(repo, against="HEAD", files=(*named, "otter/SwimRequest.json"), **options)
    assert error.value.path == "otter/SwimRequest.json"


def test_other_files_may_be_named_beside_specs(repo: Repo) -> None:
    """Lists of changed files have them; by themselves, they are no specs to check."""
    repo.write("README.md", "words")
    repo.commit()
    repo.spec(broken())
    (repo.folder / "README.md").unlink()
    for named in ("README.md", "wirebook.toml"):
        repo.write("wirebook.toml", "")
        assert judged(repo, files=(PATH, named)).report.failed
        with pytest.raises(InputError, match="there is no such spec on either side"):
            judged(repo, files=(named,))


def test_a_named_spec_of_another_repository_stops_the_check(repo: Repo, tmp_path: Path) -> None:
    """It exists, but it is not judged from here."""
    other = Repo(repo.folder / "other")
    for place in (other.folder, tmp_path):
        (place / "FooRequest.json").write_text(json.dumps(request(name="FooRequest", apiKey=9)))
    repo.spec(broken())
    for named, why in (("other", "another repository"), ("..", "outside the repository")):
        with pytest.raises(InputError, match=why):
            judged(repo, files=(PATH, f"{named}/FooRequest.json"))


def test_a_registry_that_a_profile_names_is_that_of_the_new_side(tmp_path: Path) -> None:
    repo = Repo(tmp_path / "new")
    repo.write("profile.toml", 'name = "newt"\n[tables]\nlevels = "levels.json"\n')
    repo.write("levels.json", LEVELS)
    repo.spec(request(listeners=["broker"]), ".")
    repo.spec(response(), ".")
    found = judge(CheckRequest(cwd=repo.folder, staged=False)).report.findings
    assert [finding.rule for finding in found if finding.severity is Severity.ERROR] == []
