"""Which releases a check compares with, and what it says of those that it leaves out."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.repositories import FOLDER, Repo, broken, request, response, started
from tests.rules.check.gate import check
from wirebook.rules.check.request import CheckRequest
from wirebook.rules.check.run import judge
from wirebook.rules.result import CheckResult
from wirebook.rules.severity import Severity
from wirebook.specs.problems import InputError

PATH = f"{FOLDER}/FetchRequest.json"


@pytest.fixture
def repo(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Repo:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return started(tmp_path / "repo")


def checked(repo: Repo, *released: str, verbose: bool = False, against: str = "main") -> CheckResult:
    """The result of two checks, of which the second may use what the first has kept."""
    asked = CheckRequest(cwd=repo.folder, released=released, verbose=verbose, against=against)
    first, second = (judge(asked).report for _ in range(2))
    assert (first.findings, first.notices, first.unchecked) == (
        second.findings,
        second.notices,
        second.unchecked,
    )
    return second


def refused(repo: Repo, *released: str) -> str:
    with pytest.raises(InputError) as error:
        checked(repo, *released)
    return error.value.message


def without_specs(repo: Repo, *tags: str) -> None:
    """Tags on a commit that has no specs."""
    repo.git("checkout", "-q", "--orphan", "empty")
    repo.git("rm", "-rfq", ".")
    repo.commit()
    for tag in tags:
        repo.git("tag", tag)
    repo.git("checkout", "-q", "main")


def test_nothing_is_released_until_a_version_has_specs(repo: Repo) -> None:
    repo.git("checkout", "-qb", "change")
    without_specs(repo, "v0.1.0")
    repo.git("tag", "v1.0.0-rc1", "change")
    repo.git("tag", "nightly", "change")
    repo.git("checkout", "-q", "change")
    repo.write(PATH, broken())
    early = checked(repo, "none")
    assert "; released: nothing yet: 1 spec differs" in early.compared
    assert early.notices == ()
    assert {finding.severity for finding in early.findings} == {Severity.INFO}
    repo.git("tag", "release-1.0.0", "main")
    late = checked(repo, "none")
    assert {finding.severity for finding in late.findings} == {Severity.ERROR}
    (notice,) = late.notices
    assert notice.endswith('such as released = ["release-[0-9]*"]')
    assert checked(repo, "none", "release-*").findings == checked(repo, "release-*").findings


@pytest.mark.parametrize("written", ["../other@4.*", "other@4.*", "git:../other@4.*", "other.bundle@4.*"])
def test_a_glob_selects_no_tags_of_another_repository(repo: Repo, written: str) -> None:
    other = started(repo.folder / ("../other" if ".." in written else "other"))
    other.git("tag", "4.0.0")
    other.git("bundle", "create", "-q", str(repo.folder / "other.bundle"), "main", "4.0.0")
    name = written.removeprefix("git:").removesuffix("@4.*")
    words = f"a glob selects tags of this repository only; name each release of the other one: {name}@TAG"
    assert refused(repo, written) == f"--released {written}: {words}"
    assert refused(repo, "package@4.*").startswith("--released package@4.*: no tag matches it; ")


def test_a_link_whose_target_is_outside_the_paths_has_its_releases(repo: Repo) -> None:
    repo.write("wirebook.toml", 'paths = ["specs"]\n')
    spec = repo.folder / PATH
    link = repo.folder / "specs" / spec.name
    link.parent.mkdir()
    link.symlink_to(f"../{PATH}")
    repo.commit()
    repo.git("tag", "1.0.0")
    repo.write(PATH, broken())
    found = checked(repo, "*", against="HEAD").findings
    errors = [each for each in found if each.severity is Severity.ERROR]
    assert [(each.rule, each.released_in) for each in errors] == [("type-changed", "1.0.0")]
    assert {each.location.path for each in errors if each.location} == {f"specs/{spec.name}"}


def test_a_clone_without_tags_says_so(repo: Repo, tmp_path: Path) -> None:
    repo.write(PATH, broken())
    repo.commit()
    repo.git("tag", "v1.0.0", "HEAD~1")
    words = "nothing is frozen: no tag of a version was seen, and this clone may lack tags"
    place = f"file://{repo.folder}"
    for name, option in (("shallow", "--depth=2"), ("tagless", "--no-tags")):
        repo.git("clone", "-q", option, place, str(tmp_path / name))
        clone = Repo(tmp_path / name)
        clone.git("tag", "--delete", "v1.0.0", check=False)
        (notice,) = checked(clone, "none").notices
        assert notice.startswith(words)
    repo.git("clone", "-q", place, str(tmp_path / "whole"))
    assert not any(words in notice for notice in checked(Repo(tmp_path / "whole"), "none").notices)


def test_a_release_whose_specs_were_in_another_folder(repo: Repo) -> None:
    repo.write("wirebook.toml", 'paths = ["clients"]\nreleased = "none"\n')
    repo.commit()
    repo.git("tag", "v1.0.0")
    repo.git("mv", "clients", "protocol")
    repo.write("wirebook.toml", 'paths = ["protocol"]\nreleased = "none"\n')
    repo.commit()
    repo.write(PATH.replace("clients", "protocol", 1), broken())
    report = checked(repo, "none")
    errors = [each for each in report.findings if each.severity is Severity.ERROR]
    assert [(each.rule, each.released_in) for each in errors] == [("type-changed", "v1.0.0")]
    (notice,) = report.notices
    assert notice.startswith('released is "none", but v1.0.0 has specs')


def test_specs_of_a_release_that_the_settings_exclude(repo: Repo) -> None:
    repo.git("tag", "v1.0.0")
    repo.git("mv", "clients", "protocol")
    repo.write("wirebook.toml", 'paths = ["protocol"]\nreleased = "none"\n')
    repo.commit()
    repo.write(PATH.replace("clients", "protocol", 1), broken())
    (notice,) = checked(repo, "none").notices
    assert notice.startswith('nothing is frozen: released is "none", and the specs of v1.0.0 are not among')


def test_a_first_commit_is_compared_with_the_releases(repo: Repo) -> None:
    """The history of the branch was replaced, or there is no repository."""
    repo.git("tag", "1.0.0")
    repo.write("wirebook.toml", 'released = ["*"]\n')
    repo.git("checkout", "-q", "--orphan", "again")
    repo.commit()
    repo.git("branch", "-D", "-q", "main")
    repo.git("branch", "-m", "main")
    asked = CheckRequest(cwd=repo.folder)
    assert judge(asked).report.findings == ()
    repo.write(PATH, broken())
    repo.git("commit", "-qa", "--amend", "-m", "broken")
    report = judge(asked).report
    assert "against nothing: this is the first commit; released: 1.0.0" in report.compared
    errors = [each for each in report.findings if each.severity is Severity.ERROR]
    assert [(each.rule, each.released_in) for each in errors] == [("type-changed", "1.0.0")]


def test_one_release_is_named_and_several_are_counted(repo: Repo) -> None:
    repo.git("tag", "1.0.0")
    assert "; released: 1.0.0: 0 specs differ" in checked(repo, "*").compared
    repo.git("tag", "1.2.0")
    assert "; released: 2 releases (1.0.0 to 1.2.0): " in checked(repo, "*").compared
    repo.git("tag", "1.1.0")
    assert "; released: 3 releases (1.0.0 to 1.2.0): " in checked(repo, "*").compared
    assert "; released: 1.1.0: " in checked(repo, "1.1.0").compared


def test_releases_without_specs_are_details(repo: Repo) -> None:
    without_specs(repo, "0.1.0", "0.2.0")
    repo.git("tag", "1.0.0")
    assert checked(repo, "*").notices == ()
    assert checked(repo, "*", verbose=True).notices == ("no message specs in: 0.1.0, 0.2.0",)
    assert refused(repo, "0.*", "0.1.0") == "--released 0.* 0.1.0: no message specs in these releases"
    repo.git("tag", "-d", "0.1.0", "0.2.0")
    assert checked(repo, "*", verbose=True).notices == ()


def test_specs_of_tests_that_are_named_have_their_releases(repo: Repo) -> None:
    """A check without FILES leaves test folders out, and may keep what it has read for the next one."""
    path = "clients/src/test/resources/OtherRequest.json"
    repo.write(path, request(name="OtherRequest", apiKey=7))
    repo.commit()
    repo.git("tag", "1.0.0")
    repo.write(path, request(name="OtherRequest", apiKey=7, fields=[]))
    assert checked(repo, "1.0.0", against="HEAD").findings == ()
    asked = CheckRequest((path,), against="HEAD", cwd=repo.folder, released=("1.0.0",))
    assert any(finding.severity is Severity.ERROR for finding in judge(asked).report.findings)


@pytest.mark.parametrize(
    ("lost", "why"),
    [("^{commit}", "the object of the tag is missing"), ("^{tree}", "the tree of its commit is missing")],
)
@pytest.mark.parametrize("others", [(), ("1.1.0",)])
def test_a_damaged_release_stops_the_check(repo: Repo, others: tuple[str, ...], lost: str, why: str) -> None:
    repo.git("tag", "1.0.0")
    repo.write(PATH, request(about="In short."))
    repo.commit()
    for tag in others:
        repo.git("tag", tag)
    repo.write(PATH, broken())
    repo.lose(f"1.0.0{lost}")
    for released in ("*", "none"):
        try:
            result = judge(CheckRequest(cwd=repo.folder, released=(released,), against="HEAD")).report
            text = " ".join(result.unchecked)
        except InputError as error:
            text = str(error)
        assert f"1.0.0: {why} or damaged" in text


def test_releases_that_another_folder_has_read_do_not_answer_for_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The configuration of a release may differ between folders of the check."""
    repo = Repo(tmp_path / "repo")
    repo.spec(request(), "sub/messages")
    repo.write("sub/wirebook.toml", 'paths = ["messages"]\n')
    repo.write("wirebook.toml", 'paths = ["/others"]\n')
    repo.commit()
    repo.git("tag", "1.0.0")
    repo.git("rm", "-q", "-r", "sub")
    repo.write("wirebook.toml", 'paths = ["/new"]\nreleased = ["*"]\n')
    repo.write("sub/README", "")
    repo.spec(request(validVersions="0-1", fields=request()["fields"][:1]), "new")
    repo.commit()
    repo.git("tag", "2.0.0")
    repo.commit()
    repo.spec(request(fields=request()["fields"][:1]), "new")

    def errors() -> list[str]:
        result = judge(CheckRequest(cwd=repo.folder / "sub", against="HEAD")).report
        return sorted(finding.rule for finding in result.findings if finding.severity is Severity.ERROR)

    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "one"))
    expected = errors()
    assert expected
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "other"))
    judge(CheckRequest(cwd=repo.folder, against="HEAD"))
    assert errors() == expected


@pytest.mark.parametrize("released", ["old", "elsewhere"])
def test_a_folder_of_releases_without_specs_is_refused_where_the_settings_name_it(
    repo: Repo, released: str
) -> None:
    repo.write("old/README", "nothing")
    repo.write("elsewhere/FooRequest.json", request(name="FooRequest", apiKey=7))
    repo.write("wirebook.toml", f'paths = ["{FOLDER}"]\nreleased = ["./{released}"]\n')
    repo.commit()
    repo.write(PATH, broken())
    with pytest.raises(InputError) as error:
        judge(CheckRequest(cwd=repo.folder, against="main"))
    assert str(error.value).startswith(f'wirebook.toml:2:13: released "./{released}": no message specs in ')


def test_tags_that_are_no_versions_are_named_up_to_three(repo: Repo) -> None:
    repo.git("tag", "1.0.0")
    for tag in ("last", "latest", "lost"):
        repo.git("tag", tag)
    known = tuple(
        f"the tag {tag} is not a release: its name is not a version" for tag in ("last", "latest", "lost")
    )
    assert checked(repo, "*").notices == known
    repo.git("tag", "lots")
    assert len(checked(repo, "*").notices) == 3


def test_pre_releases_freeze_nothing(repo: Repo) -> None:
    for tag in ("1.0.0-rc1", "1.0.0-rc2"):
        repo.git("tag", tag)
    assert refused(repo, "*") == (
        "--released *: 2 pre-releases freeze nothing; to get the tags of a clone: git fetch --tags"
    )
    repo.git("tag", "1.0.0")
    assert checked(repo, "*").notices == ()


def test_before_the_first_tag_of_a_version_the_advice_is_to_name_none(repo: Repo) -> None:
    hint = '; until the first release, write released = "none"'
    assert refused(repo, "v*") == f"--released v*: no tag matches it{hint}"
    repo.git("tag", "latest")
    why = "the tag latest is not a release: its name is not a version"
    assert refused(repo, "*") == f"--released *: {why}{hint}"
    # A clone without tags does not show that there are none.
    repo.git("config", "remote.origin.tagOpt", "--no-tags")
    assert refused(repo, "v*").endswith("to get the tags of a clone: git fetch --tags")


def test_nothing_that_matches_says_how_to_get_tags(repo: Repo) -> None:
    hint = "; to get the tags of a clone: git fetch --tags"
    repo.git("tag", "latest")
    repo.git("tag", "3.0.0", f"HEAD:{PATH}")
    assert refused(repo, "*") == (
        "--released *: the tag latest is not a release: its name is not a version; "
        f"the tag 3.0.0 is not a release: it does not name a commit{hint}"
    )
    (repo.folder / ".git/refs/tags/4.0.0").write_text("1" * 40 + "\n")
    assert refused(repo, "4*") == (f"--released 4*: 4.0.0: the object of the tag is missing or damaged{hint}")
    for glob in ("1?", "[12]"):
        assert refused(repo, glob) == f"--released {glob}: no tag matches it{hint}"


def test_a_glob_of_the_settings_that_matches_nothing_is_reported_where_it_is_written(
    repo: Repo, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(repo.folder)
    repo.git("tag", "v1.0.0")
    words = 'released "rel-*": no tag matches it; to get the tags of a clone: git fetch --tags'
    repo.write("wirebook.toml", 'released = [\n  "v*",\n  "rel-*",\n]\n')
    assert check(capsys) == (2, f"wirebook: wirebook.toml:3:3: {words}\n")
    repo.commit("settings")
    assert check(capsys, "--against", "HEAD") == (2, f"wirebook: wirebook.toml:3:3: {words}\n")
    # The command line comes first.
    assert "--released x-*: no tag matches it" in check(capsys, "--released", "x-*")[1]
    # The old side's names count for a change that repairs them.
    repo.write("wirebook.toml", 'released = "v*"\n')
    code, out = check(capsys, "--against", "HEAD")
    assert (code, f"wirebook.toml:3:3: {words} (this is the file of the old side, " in out) == (2, True), out


def test_a_lost_release_leaves_the_others(repo: Repo) -> None:
    repo.git("tag", "1.0.0")
    (repo.folder / ".git/refs/tags/1.1.0").write_text("1" * 40 + "\n")
    assert checked(repo, "*").unchecked == ("1.1.0: the object of the tag is missing or damaged",)


def test_a_spec_that_no_release_could_read_is_named_once(repo: Repo) -> None:
    """Two releases have it, as one object; what the releases have beside it counts."""
    repo.write(f"{FOLDER}/BadRequest.json", '{ "apiKey": 2, "type": "request", }')
    repo.commit()
    for tag in ("1.0.0", "1.1.0"):
        repo.write("README.md", tag)
        repo.commit()
        repo.git("tag", tag)
    repo.git("rm", "-q", f"{FOLDER}/BadRequest.json")
    repo.commit()
    repo.spec(broken())
    found = checked(repo, "*")
    (unread,) = found.unchecked
    assert unread.startswith(f"1.0.0: {FOLDER}/BadRequest.json:1:")
    assert [(item.rule, item.released_in) for item in found.findings] == [("type-changed", "1.0.0")]


def test_words_of_a_release_count_beside_a_spec_that_nobody_can_read(repo: Repo) -> None:
    repo.spec(request(listeners=["zkBroker"]))
    repo.spec(request(name="BadRequest", apiKey=2, validVersions="x"))
    repo.commit()
    repo.git("tag", "1.0.0")
    for name in ("Bad", "Fetch"):
        (repo.folder / f"{FOLDER}/{name}Request.json").unlink()
    repo.commit()
    repo.spec(request(listeners=["zkBroker"]))
    found = checked(repo, "*")
    assert [line.startswith(f"1.0.0: {FOLDER}/BadRequest.json:") for line in found.unchecked] == [True]
    assert "unknown-listener" not in {item.rule for item in found.findings}


@pytest.mark.parametrize("of_git", [True, False])
def test_each_version_counts_from_the_first_release_that_has_it(
    repo: Repo, of_git: bool, tmp_path: Path
) -> None:
    names = []
    for number in range(3):
        repo.spec(request(validVersions=f"0-{number}"))
        repo.spec(response(validVersions=f"0-{number}"))
        repo.commit()
        repo.git("tag", f"1.{number}.0")
        repo.git("worktree", "add", "-q", str(tmp_path / f"1.{number}.0"), f"1.{number}.0")
        names.append(f"1.{number}.0" if of_git else f"../1.{number}.0")
    spec = request()
    added = {"name": "New", "type": "int32", "about": "It is new."}
    for number in range(3):
        repo.spec({**spec, "fields": [*spec["fields"], {**added, "versions": f"{number}+"}]})
        found = checked(repo, *names).findings
        assert [(item.versions.text, item.released_in) for item in found] == [
            (f"{number}-2" if number < 2 else "2", names[number])
        ]


def test_what_no_release_has_is_a_warning(repo: Repo) -> None:
    repo.git("tag", "1.0.0")
    repo.spec(request(validVersions="0-3"))
    repo.spec(response(validVersions="0-3"))
    repo.commit()
    repo.git("checkout", "-q", "-b", "feature")
    spec = request(validVersions="0-3")
    repo.spec({**spec, "fields": spec["fields"][1:]})
    (item,) = checked(repo, "*").findings
    assert (item.severity, item.versions.text) == ("error", "0-2")
    spec["fields"][0]["versions"] = "0-2"
    repo.spec(spec)
    (item,) = checked(repo, "*").findings
    assert (item.severity, item.versions.text) == ("warning", "3")


def test_a_tag_and_a_folder_count_together(repo: Repo, tmp_path: Path) -> None:
    """Each counts once, however many globs match it."""
    repo.git("tag", "1.0.0")
    repo.spec(request(validVersions="0-3"))
    repo.spec(response(validVersions="0-3"))
    repo.commit()
    repo.git("worktree", "add", "-q", str(repo.folder / "1.1.0"), "HEAD")
    repo.write(".gitignore", "1.1.0\n")
    repo.commit()
    spec = request(validVersions="0-3")
    repo.spec({**spec, "fields": spec["fields"][1:]})
    (item,) = checked(repo, "1.0.0", "./1.1.0").findings
    assert (item.severity, item.versions.text, item.released_in) == ("error", "0-3", "1.0.0")
    assert "2 releases (1.0.0 to ./1.1.0)" in checked(repo, "1.0.0", "./1.1.0").compared
    assert "; released: 1.0.0: " in checked(repo, "1.0.0", "1.0*").compared


def test_a_tag_of_a_release_stays_taken(repo: Repo) -> None:
    """The old side has lost the field; what is kept of releases has it as well."""
    repo.git("tag", "1.0.0")
    fields = request()["fields"]
    repo.spec(request(fields=fields[:2]))
    repo.commit()
    repo.git("checkout", "-q", "-b", "feature")
    taker = {"name": "Rack", "type": "int64", "versions": "1+", "taggedVersions": "1+", "tag": 0}
    repo.spec(request(fields=[*fields[:2], taker | {"about": "It is."}]))
    (item,) = checked(repo, "*").findings
    assert (item.rule, item.severity, item.versions.text) == ("tag-reused", "error", "1-2")
    assert "ClusterId" in item.message


@pytest.mark.parametrize(("kept", "is_same"), [((), False), (("Name",), True)])
def test_before_a_release_a_key_may_go_to_another_message(
    repo: Repo, kept: tuple[str, ...], is_same: bool
) -> None:
    def spec(name: str, versions: str, *names: str) -> dict[str, object]:
        fields = [{"name": each, "type": "int8", "versions": "0+", "about": "It."} for each in names]
        return request(name=name, apiKey=7, validVersions=versions, fields=fields)

    example = repo.spec(spec("ExampleRequest", "0-1", "Name", "Note"), "clients")
    repo.commit("example")
    example.unlink()
    repo.spec(spec("OwnRequest", "0", *kept, "Other"), "clients")
    found = [each.rule for each in checked(repo, "none").findings if each.message_name == "OwnRequest"]
    assert ("highest-version-lowered" in found) == is_same
