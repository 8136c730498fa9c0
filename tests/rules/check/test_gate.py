"""Changes that try to pass the check by what they bring beside the specs: none of them may."""

from __future__ import annotations

import json
import os
import zipfile
from pathlib import Path

import pytest

from tests.repositories import FOLDER, Repo, broken, request, started
from tests.rules.check.gate import check
from wirebook.cli.main import main


@pytest.fixture
def repo(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Repo:
    """A clone in which a breaking change is committed on a branch; its tag 1.0.0 is the commit before."""
    repo = started(tmp_path / "repository")
    repo.git("tag", "1.0.0")
    repo.git("update-ref", "refs/remotes/origin/main", "HEAD")
    repo.git("checkout", "-q", "-b", "feature")
    repo.spec(broken())
    repo.commit("break")
    monkeypatch.chdir(repo.folder)
    return repo


# A path in the place of a ref.


@pytest.mark.share(2)
@pytest.mark.parametrize("ref", ["origin/main", "1.0.0", "HEAD~1", "HEAD^"])
@pytest.mark.parametrize("kind", ["folder", "link", "file"])
@pytest.mark.parametrize("config", [False, True])
def test_a_path_of_the_name_of_the_baseline(
    ref: str, kind: str, config: bool, repo: Repo, capsys: pytest.CaptureFixture[str]
) -> None:
    place = repo.folder / ref
    if kind == "folder":
        repo.spec(broken(), ref)
    else:
        place.parent.mkdir(parents=True, exist_ok=True)
        if kind == "link":
            place.symlink_to(os.path.relpath(repo.folder / FOLDER, place.parent))
        else:
            repo.write(ref, broken())
    if config:
        repo.write("wirebook.toml", f'against = "{ref}"\n')
        code, out = check(capsys)
        assert (code, "type-changed" in out) == (1, True)
        assert f'this change sets against to "{ref}"; before: nothing' in out
        return
    code, out = check(capsys, "--against", ref)
    assert code == 2
    assert "and a ref of the repository here; write " in out
    assert f"or git:{ref}" in out
    code, out = check(capsys, "--against", f"git:{ref}")
    assert (code, "type-changed" in out) == (1, True)


def test_a_ref_that_is_not_here_is_no_path(repo: Repo, capsys: pytest.CaptureFixture[str]) -> None:
    repo.spec(broken(), "upstream/main")
    for option in ("--against", "--released"):
        code, out = check(capsys, option, "upstream/main")
        assert code == 2
        assert (
            "not a ref of the repository here; for the directory upstream/main write ./upstream/main" in out
        )
    assert "against the directory ./upstream/main" in check(capsys, "--against", "./upstream/main")[1]


@pytest.mark.parametrize("glob", ["[0-9]*", "1.0.0", "1.*"])
def test_a_path_of_the_name_of_the_releases(
    glob: str, repo: Repo, capsys: pytest.CaptureFixture[str]
) -> None:
    repo.spec(broken(), glob)
    code, out = check(capsys, "--against", "origin/main", "--released", glob)
    assert (code, "released in 1.0.0" in out or "1.0.0" in out) == (1, True)
    repo.write("sub/wirebook.toml", f'released = ["{glob}"]\nagainst = "origin/main"\n')
    repo.spec(broken(), f"sub/{glob}")
    os.chdir(repo.folder / "sub")
    assert check(capsys)[0] == 1


# A baseline that holds no spec.


@pytest.mark.parametrize(
    ("name", "text"),
    [("old.json", "{}"), ("old.txt", "root:x:0:0:root\n"), ("old.tar.lz", "LZIP\x01"), ("empty", None)],
)
def test_a_side_without_specs_is_no_side(
    name: str, text: str | None, repo: Repo, capsys: pytest.CaptureFixture[str]
) -> None:
    if text is None:
        (repo.folder / name).mkdir()
    else:
        repo.write(name, text)
    for arguments in (
        ["--old", f"./{name}", "--new", FOLDER],
        ["--old", FOLDER, "--new", f"./{name}"],
        ["--against", f"./{name}"],
        ["--released", f"./{name}"],
    ):
        code, out = check(capsys, *arguments)
        assert code == 2, (arguments, out)
        assert name in out


def test_requests_are_specs(repo: Repo, capsys: pytest.CaptureFixture[str]) -> None:
    place = repo.write("old/FetchRequest.json", request())
    code, out = check(capsys, "--old", str(place), "--new", f"{FOLDER}/FetchRequest.json")
    assert (code, "type-changed" in out) == (1, True)


def test_where_specs_are_looked_for_is_the_old_sides_matter(
    repo: Repo, capsys: pytest.CaptureFixture[str]
) -> None:
    repo.git("reset", "-q", "--hard", "main")
    repo.git("mv", FOLDER, "tests")
    repo.write("wirebook.toml", 'paths = ["**"]\n')
    code, out = check(capsys)
    assert (code, "message-deleted" in out) == (1, True)


def test_a_bare_repository_among_the_files_is_content(
    repo: Repo, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    repo.git("clone", "-q", "--bare", ".", "bare")
    for path in (repo.folder / "bare").iterdir():
        path.rename(repo.folder / "clients" / path.name)
    monkeypatch.chdir(repo.folder / "clients")
    code, out = check(capsys, "--against", "origin/main")
    assert (code, "type-changed" in out) == (1, True)


@pytest.mark.parametrize("link", [False, True])
def test_a_released_folder_is_that_of_the_old_side(
    link: bool, repo: Repo, capsys: pytest.CaptureFixture[str]
) -> None:
    repo.git("checkout", "-q", "main")
    repo.spec(request(), f"old/{FOLDER}")
    repo.write("wirebook.toml", 'released = "./old"\nexclude = ["old"]\n')
    repo.commit("the old specs, in a folder")
    repo.git("update-ref", "refs/remotes/origin/main", "HEAD")
    repo.git("checkout", "-q", "feature")
    repo.git("rebase", "-q", "main")
    assert check(capsys)[0] == 1
    if link:
        (repo.folder / "old").rename(repo.folder / "older")
        (repo.folder / "old").symlink_to("clients/src/main/resources")
    else:
        repo.spec(broken(), f"old/{FOLDER}")
    repo.commit("and the folder")
    code, out = check(capsys)
    assert (code, "error[type-changed]" in out) == (1, True)


def test_releases_that_the_change_names_make_nothing_looser(
    repo: Repo, capsys: pytest.CaptureFixture[str]
) -> None:
    repo.spec(request(validVersions="0-0", flexibleVersions="none", fields=[]), "decoy")
    for text in ('released = ["./decoy"]\n', 'released = ["0.*"]\n'):
        repo.write("wirebook.toml", text)
        code, out = check(capsys)
        assert (code, "error[type-changed]" in out) == (1, True)
        assert "this change sets released to " in out


# Texts that Kafka's generator reads in another way than the check might.


@pytest.mark.parametrize("quick", [True, False])
def test_a_carriage_return_ends_a_comment(
    quick: bool, repo: Repo, capsys: pytest.CaptureFixture[str]
) -> None:
    text = (repo.folder / FOLDER / "FetchRequest.json").read_text(encoding="utf-8")
    hidden = text.replace(
        '"type": "int64"', '// the wait\r"type": "int64",\n      // "type": "int32"\n "x-a": 0'
    )
    hidden = hidden if quick else hidden.replace('"x-a": 0', '"x-a": "\\u0041" /* */')
    repo.write(f"{FOLDER}/FetchRequest.json", hidden)
    code, out = check(capsys, "--against", "origin/main")
    assert (code, "type-changed" in out) == (1, True)


def test_keys_with_escapes_are_keys(repo: Repo, capsys: pytest.CaptureFixture[str]) -> None:
    repo.git("reset", "-q", "--hard", "main")
    text = json.dumps({**broken(), "name": "FetchRequest"}).replace('"type"', '"typ\\u0065"', 1)
    repo.write(f"{FOLDER}/ZFetch.json", text.replace('"validVersions"', '"valid\\u0056ersions"'))
    assert check(capsys)[0] != 0


@pytest.mark.parametrize("name", ["wirebook.toml", "pyproject.toml", "waivers.toml"])
def test_no_setting_is_read_outside_of_the_repository(
    name: str, repo: Repo, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "outside.toml").write_text('[tool.wirebook]\n"secret words" = 1\n')
    (repo.folder / name).symlink_to(tmp_path / "outside.toml")
    code, out = check(capsys)
    assert code == 2
    assert "the repository" in out
    assert "secret" not in out


# Commits and files that a check does not look at.


@pytest.mark.parametrize("variable", ["GITHUB_EVENT_BEFORE", "CI_COMMIT_BEFORE_SHA"])
def test_a_push_of_two_commits_of_which_the_first_breaks(
    variable: str, repo: Repo, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    repo.write("notes.txt", "words")
    repo.commit("words")
    before = repo.git("rev-parse", "main")
    # The branch is pushed, and CI checks it out.
    repo.git("branch", "-q", "-M", "main")
    assert check(capsys)[0] == 1, "not pushed yet: origin/main is where it was"
    repo.git("update-ref", "refs/remotes/origin/main", "HEAD")
    assert check(capsys)[0] == 0, "the last commit by itself is sound"
    monkeypatch.setenv(variable, before)
    code, out = check(capsys)
    assert (code, "type-changed" in out) == (1, True)
    assert f"the branch before the push ({before[:12]}; {variable})" in out
    for nothing in ("", "0" * 40, "main"):
        monkeypatch.setenv(variable, nothing)
        assert check(capsys)[0] == 0
    monkeypatch.setenv(variable, "1" * 40)
    code, out = check(capsys)
    assert code == 2
    assert f"git fetch origin {'1' * 40}" in out


def test_commits_that_are_not_pushed_to_the_only_remote(
    repo: Repo, capsys: pytest.CaptureFixture[str]
) -> None:
    """The branch tracks nothing, and the remote is not called origin."""
    repo.write("notes.txt", "words")
    repo.commit("words")
    repo.git("update-ref", "-d", "refs/remotes/origin/main")
    repo.git("update-ref", "refs/remotes/company/main", "main")
    repo.git("branch", "-q", "-M", "main")
    assert check(capsys)[0] == 0, "where it is pushed to is not known"
    repo.git("remote", "add", "company", "https://git.invalid/x")
    repo.git("config", "remote.pushDefault", "company")
    repo.git("config", "push.default", "current")
    code, out = check(capsys)
    assert (code, "the merge base of HEAD and refs/remotes/company/main" in out) == (1, True), out
    code, out = check(capsys, "--against", "@{push}...")
    assert (code, "type-changed" in out) == (1, True), out


@pytest.mark.parametrize("staged", [[], ["--staged"]])
def test_a_folder_that_becomes_a_link_to_the_outside(
    staged: list[str], repo: Repo, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    repo.git("reset", "-q", "--hard", "main")
    outside = tmp_path / "outside"
    (repo.folder / "clients").rename(outside)
    (repo.folder / "clients").symlink_to(outside)
    if staged:
        repo.git("add", "-A")
    code, out = check(capsys, *staged)
    assert (code, "message-deleted" in out) == (1, True)


def test_what_is_kept_of_one_repository_counts_for_no_other(
    repo: Repo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    asked = ("--against", "main", "--released", "1.0.0")
    assert check(capsys, *asked)[0] == 1
    kept = list((tmp_path / "cache" / "wirebook").glob("*.baselines"))
    assert len(kept) == 1
    repo.git("clone", "-q", ".", str(tmp_path / "clone"))
    monkeypatch.chdir(tmp_path / "clone")
    assert check(capsys, "--against", "origin/main", "--released", "1.0.0")[0] == 1
    assert len(list((tmp_path / "cache" / "wirebook").glob("*.baselines"))) == 2


def test_what_others_may_write_is_not_used(
    repo: Repo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    asked = ("--against", "main", "--released", "1.0.0")
    check(capsys, *asked)
    [kept] = (tmp_path / "cache" / "wirebook").glob("*.baselines")
    text = kept.read_bytes()
    for mode in (0o620, 0o602):
        kept.write_bytes(text)
        kept.chmod(mode)
        assert check(capsys, *asked)[0] == 1
        assert kept.stat().st_mode & 0o022 == 0, "it is written again"


# A policy that the change brings.


@pytest.mark.share(3)
@pytest.mark.parametrize(
    "text",
    [
        '[severities]\ntype-changed = "off"\n',
        '[severities]\nwire = "info"\n',
        f'exclude = ["{FOLDER}"]\n',
        'paths = ["elsewhere"]\n',
        'against = "HEAD"\n',
        'branch = "feature"\n',
        '[[override]]\nmessages = ["*"]\nseverities.wire = "off"\n',
    ],
)
@pytest.mark.parametrize("had", [False, True])
@pytest.mark.parametrize("form", ["wirebook.toml", "pyproject.toml"])
def test_a_change_of_the_policy_is_shown_and_hides_nothing(
    text: str, had: bool, form: str, repo: Repo, capsys: pytest.CaptureFixture[str]
) -> None:
    def written(settings: str) -> str:
        if form == "wirebook.toml":
            return settings
        return f"[tool.wirebook]\n{settings}".replace("[severities]", "[tool.wirebook.severities]").replace(
            "[[override]]", "[[tool.wirebook.override]]"
        )

    if had:
        repo.git("checkout", "-q", "main")
        repo.write(form, written('[severities]\nfield-renamed = "info"\n'))
        repo.commit("a configuration")
        repo.git("update-ref", "refs/remotes/origin/main", "HEAD")
        repo.git("checkout", "-q", "feature")
        repo.git("rebase", "-q", "main")
    repo.write(form, written(text))
    repo.commit("and the policy")
    code, out = check(capsys)
    assert (code, "type-changed" in out) == (1, True)
    assert "note: this change " in out
    main(["report"])
    assert "this change " in capsys.readouterr().out


def test_what_a_change_makes_stricter_holds_at_once(repo: Repo, capsys: pytest.CaptureFixture[str]) -> None:
    repo.git("checkout", "-q", "main")
    repo.write("wirebook.toml", '[severities]\ntype-changed = "off"\n')
    repo.commit("a loose configuration")
    repo.git("update-ref", "refs/remotes/origin/main", "HEAD")
    repo.git("checkout", "-q", "feature")
    repo.git("rebase", "-q", "main")
    assert check(capsys)[0] == 0
    repo.write("wirebook.toml", "")
    code, out = check(capsys)
    assert (code, "type-changed" in out) == (1, True)
    assert "this change raises type-changed to its default" in out


def test_the_policy_of_the_index(repo: Repo, capsys: pytest.CaptureFixture[str]) -> None:
    repo.git("reset", "-q", "--soft", "HEAD^")
    repo.write("wirebook.toml", '[severities]\ntype-changed = "off"\n')
    repo.git("add", "-A")
    code, out = check(capsys, "--staged")
    assert (code, "type-changed" in out) == (1, True)
    assert "this change lowers type-changed to off (wirebook.toml:2)" in out


def test_waivers_that_a_change_brings_are_shown(repo: Repo, capsys: pytest.CaptureFixture[str]) -> None:
    main(["check", "--waive"])
    block = capsys.readouterr().out.replace('reason = ""', 'reason = "so"').replace('by = ""', 'by = "ada"')
    repo.write("waivers.toml", block)
    assert "adds a waiver" not in check(capsys, "--staged")[1]
    code, out = check(capsys)
    assert code == 0
    waiver = "type-changed for FetchRequest.MaxWaitMs 0-2"
    assert f"this change adds a waiver: {waiver}: so (ada)" in " ".join(out.split())
    repo.git("add", "waivers.toml")
    assert f"this change adds a waiver: {waiver}: so (ada)" in " ".join(check(capsys, "--staged")[1].split())
    repo.commit("accept it")
    repo.git("update-ref", "refs/remotes/origin/main", "HEAD")
    (repo.folder / "waivers.toml").unlink()
    _, out = check(capsys, "--against", "HEAD")
    assert f"this change removes a waiver: {waiver}" in " ".join(out.split())


@pytest.mark.parametrize("kind", ["folder", "link", "archive"])
@pytest.mark.parametrize("staged", [[], ["--staged"]])
def test_a_folder_to_compare_with_is_that_of_the_old_side(
    kind: str, staged: list[str], repo: Repo, capsys: pytest.CaptureFixture[str]
) -> None:
    def baseline(spec: dict[str, object]) -> None:
        if kind == "archive":
            with zipfile.ZipFile(repo.folder / "old.zip", "w") as archive:
                archive.writestr(f"{FOLDER}/FetchRequest.json", json.dumps(spec))
        else:
            repo.spec(spec, "old/message")

    repo.git("reset", "-q", "--hard", "main")
    baseline(request())
    name = "./old.zip" if kind == "archive" else "./old"
    if kind == "link":
        name = "./linked"
        (repo.folder / "linked").symlink_to("old")
    repo.write(
        "wirebook.toml",
        f'against = "{name}"\nexclude = ["old", "linked", "**/ApiVersions*", "**/*Response*"]\n',
    )
    repo.commit("a baseline")
    repo.git("update-ref", "refs/remotes/origin/main", "HEAD")
    assert check(capsys, *staged)[0] == 0
    repo.spec(broken())
    repo.git("add", "-A")
    assert check(capsys, *staged)[0] == 1
    baseline(broken())
    repo.git("add", "-A")
    code, out = check(capsys, *staged)
    if kind == "archive":
        assert (code, "old.zip: this change edits the file that it is compared with" in out) == (2, True)
    else:
        assert (code, "type-changed" in out) == (1, True)
        assert f"against {name} of the old side (" in out
