"""The two sides of a check: what `against` and FILES name, in a repository and outside one."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest

from tests.repositories import FOLDER, Repo, broken, request, response, started
from wirebook.rules.check.request import CheckRequest
from wirebook.rules.check.run import Judged, judge
from wirebook.specs.problems import InputError

LOWERED = '[severities]\ntype-changed = "warning"\n'


@pytest.fixture
def repo(tmp_path: Path) -> Repo:
    """A repository with a broken spec in its working tree, and a configuration that allows it."""
    made = started(tmp_path / "repo")
    made.spec(broken())
    made.write("wirebook.toml", LOWERED)
    return made


def judged(repo: Repo, folder: str = ".", **asked: Any) -> Judged:
    return judge(CheckRequest(cwd=(repo.folder / folder).resolve(), **asked))


def reported(made: Judged) -> list[tuple[str, str, str]]:
    return [
        (item.rule, item.severity.value, item.location.path if item.location else "")
        for item in made.report.findings
    ]


def refused(repo: Repo, folder: str = ".", **asked: Any) -> tuple[str, str | None]:
    with pytest.raises(InputError) as error:
        judged(repo, folder, **asked)
    return error.value.message, error.value.path


@pytest.mark.parametrize(
    ("against", "words"),
    [
        ("HEAD", "the working tree against HEAD"),
        (f"HEAD:{FOLDER}", "the working tree against "),
        ("git:HEAD", "the working tree against "),
        (f"git:HEAD:{FOLDER}", "the working tree against "),
    ],
)
def test_a_commit_of_this_repository_brings_its_own_policy(repo: Repo, against: str, words: str) -> None:
    made = judged(repo, against=against)
    changed = "this change lowers type-changed to warning (wirebook.toml:2)"
    assert reported(made) == [("type-changed", "error", f"{FOLDER}/FetchRequest.json")]
    assert made.report.policy_changes == (changed,)
    assert made.report.compared.startswith(words)


@pytest.mark.parametrize("form", ["{0}", "{0}@HEAD", "git:{0}@HEAD"])
def test_another_repository_has_no_policy_here(repo: Repo, tmp_path: Path, form: str) -> None:
    """Its commits are none of this repository, even if both have the same."""
    repo.git("clone", "-q", ".", str(tmp_path / "other"))
    made = judged(repo, against=form.format("../other"))
    assert reported(made) == [("type-changed", "warning", f"{FOLDER}/FetchRequest.json")]
    assert made.report.policy_changes == ()
    assert made.report.compared.startswith("the working tree against ")


def test_a_folder_of_a_commit_is_compared_with_the_same_folder(repo: Repo) -> None:
    """What is elsewhere is in neither side."""
    repo.spec(request(name="OtherRequest", apiKey=7), "elsewhere")
    made = judged(repo, against=f"HEAD:{FOLDER}")
    assert made.report.compared.endswith(": 1 spec differs")
    assert [item.name for item in made.compared[0].new] == ["FetchRequest"]
    assert "2 specs differ" in judged(repo, against="HEAD").report.compared
    (item,) = judged(repo, against=f"HEAD:{FOLDER}").report.findings
    assert (item.previous and item.previous.path) == f"{FOLDER}/FetchRequest.json"


def with_baseline(repo: Repo, against: str, links: dict[str, str]) -> str:
    """A branch whose configuration names what to compare with; the commit that it begins at."""
    repo.git("checkout", "-q", ".")
    repo.write("wirebook.toml", f'against = "{against}"\nexclude = ["old", "link*"]\n')
    repo.spec(request(), "old")
    for name, target in links.items():
        (repo.folder / name).symlink_to(target)
    head = repo.commit("a baseline")
    repo.git("checkout", "-q", "-b", "feature")
    repo.spec(broken(), "old")
    repo.spec(broken())
    return head


@pytest.mark.parametrize("folder", [".", FOLDER])
def test_a_folder_of_this_repository_is_that_of_the_old_side(repo: Repo, folder: str) -> None:
    head = with_baseline(repo, "./old", {})
    made = judged(repo, folder)
    above = "../" * len(FOLDER.split("/")) if folder == FOLDER else "./"
    assert ("type-changed", "error", f"{FOLDER}/FetchRequest.json") in reported(made)
    words = f"the working tree against {above}old of the old side ({head[:12]}; wirebook.toml:1)"
    assert words in made.report.compared
    # On the command line it is what it is now.
    assert "type-changed" not in {rule for rule, *_ in reported(judged(repo, folder, against=f"{above}old"))}


@pytest.mark.parametrize("links", [1, 5, 6])
def test_a_link_leads_to_another_a_few_times(repo: Repo, links: int) -> None:
    chain = {f"link{number}": "old" if number == 0 else f"link{number - 1}" for number in range(links)}
    with_baseline(repo, f"./link{links - 1}", chain)
    if links > 5:
        assert refused(repo)[0] == "this change edits the file that it is compared with"
    else:
        made = judged(repo)
        assert "of the old side" in made.report.compared
        assert ("type-changed", "error", f"{FOLDER}/FetchRequest.json") in reported(made)


def test_links_in_a_circle_are_given_up(repo: Repo) -> None:
    with_baseline(repo, "./link1", {"link1": "link2", "link2": "link1"})
    assert refused(repo)[0] == "this change edits the file that it is compared with"


@pytest.mark.parametrize("against", ["main@{0}", "HEAD@{0}", "@", "main"])
def test_refs_are_no_sources(repo: Repo, against: str) -> None:
    made = judged(repo, against=against)
    head = repo.git("rev-parse", "HEAD")
    shown = against.replace("main", "refs/heads/main")
    words = f"the working tree against {shown} ({head[:12]}; command line): 1 spec differs"
    assert made.report.compared == words


@pytest.mark.parametrize("files", [(), ("protocol",), ("protocol/FetchRequest.json",), ("./protocol/",)])
def test_without_git_the_files_stand_alone(tmp_path: Path, files: tuple[str, ...]) -> None:
    folder = tmp_path / "plain"
    (folder / "protocol").mkdir(parents=True)
    source = started(tmp_path / "source")
    for kind in ("Request", "Response"):
        shutil.copy(source.folder / f"{FOLDER}/Fetch{kind}.json", folder / "protocol")
    made = judge(CheckRequest(cwd=folder, files=files))
    assert made.report.compared == (
        "the files on their own, with the rules on single files: this is not a git repository"
    )
    assert made.compared[0].old is None
    paths = sorted(item.path for item in made.compared[0].new)
    expected = ["protocol/FetchRequest.json", "protocol/FetchResponse.json"]
    assert paths == (expected[:1] if files and files[0].endswith("json") else expected)
    made = judge(CheckRequest(cwd=folder, files=files, against=str(source.folder / FOLDER)))
    assert made.report.compared.startswith("the files here against ")
    with pytest.raises(InputError) as error:
        judge(CheckRequest(cwd=folder, staged=True))
    assert (error.value.message, error.value.path) == (
        "--staged needs a git repository, and this is not one",
        str(folder),
    )


def test_two_sources_are_named(repo: Repo) -> None:
    repo.git("worktree", "add", "-q", "../old", "HEAD")
    made = judged(repo, old="../old", new=".")
    assert reported(made) == [("type-changed", "warning", f"{FOLDER}/FetchRequest.json")]
    assert made.report.compared.endswith(": 1 spec differs")
    assert refused(repo, against="HEAD~0..HEAD", staged=True)[0] == (
        "--staged judges the index: a range of commits names another new side"
    )


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ({"old": "a"}, "--old and --new must be given together: they are the two sides"),
        ({"new": "a"}, "--old and --new must be given together: they are the two sides"),
        (
            {"old": "a", "new": "b", "staged": True},
            "--old and --new already name both sides: do not name another",
        ),
        (
            {"old": "a", "new": "b", "against": "c"},
            "--old and --new already name both sides: do not name another",
        ),
        (
            {"old": "a", "new": "b", "files": ("c",)},
            "--old and --new already name both sides: do not name another",
        ),
    ],
)
def test_sides_are_named_in_one_way(repo: Repo, asked: dict[str, Any], said: str) -> None:
    assert refused(repo, **asked)[0] == said


def test_a_spec_that_moves_without_a_change_is_the_same(repo: Repo) -> None:
    (repo.folder / "wirebook.toml").unlink()
    repo.git("checkout", "-q", ".")
    repo.git("mv", f"{FOLDER}/FetchRequest.json", "FetchRequest.json")
    repo.spec(response(fields=[]))
    made = judged(repo, against="HEAD")
    assert "message-deleted" not in {item.rule for item in made.report.findings}
    assert made.report.compared.endswith(": 1 spec differs")


def test_releases_do_not_move_the_folder_that_settings_are_relative_to(tmp_path: Path) -> None:
    """The releases of two sources in a sub-folder are tags of the repository around them."""
    repo = Repo(tmp_path / "repo")
    repo.spec(request(), "sub/messages")
    repo.spec(request(name="OtherRequest", apiKey=7), "sub/generated")
    repo.write("sub/wirebook.toml", f'exclude = ["/generated"]\n{LOWERED}')
    repo.commit()
    repo.git("tag", "1.0.0")
    shutil.copytree(repo.folder / "sub", tmp_path / "old")
    repo.spec(broken(), "sub/messages")
    repo.spec({**broken(), "name": "OtherRequest", "apiKey": 7}, "sub/generated")
    sides = {"old": "../../old", "new": "."}
    expected = [("type-changed", "warning", "messages/FetchRequest.json")]
    assert reported(judged(repo, "sub", **sides)) == expected
    with_releases = judged(repo, "sub", **sides, released=("1.0.0",))
    assert reported(with_releases) == expected
    assert with_releases.report.findings[0].released_in == "1.0.0"
