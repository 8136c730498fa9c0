"""A range of commits: whatever belongs to its new side is read from there, not from what is checked out."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.repositories import FOLDER, broken, request, response, started
from tests.rules.check.levels import LEVELS, REGISTRY
from wirebook.cli.main import main

LOOSE = '[severities]\ntype-changed = "off"\n'


class Range:
    """The range of "main" to "feature", judged where something else is checked out, or nothing is."""

    def __init__(
        self, folder: Path, bare: bool, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
    ) -> None:
        self.repo = started(folder)
        self.repo.git("checkout", "-q", "-b", "feature")
        self.bare = folder.with_name("bare.git") if bare else None
        self.monkeypatch, self.capsys = monkeypatch, capsys
        self.text = "main..feature"

    def on_main(self, path: str, content: object) -> None:
        """Have a file on both sides."""
        self.repo.write(path, content)
        self.repo.commit()
        self.repo.git("branch", "-f", "main", "HEAD")

    def check(self, *arguments: str, here: dict[str, str] | None = None) -> tuple[int, str]:
        """Commit what there is, check out nothing but the files `here`, and check the range."""
        self.repo.commit()
        self.repo.git("checkout", "-q", "--orphan", "elsewhere")
        self.repo.git("rm", "-q", "-r", "-f", ".")
        place = self.bare or self.repo.folder
        if self.bare is not None:
            shutil.rmtree(place, ignore_errors=True)
            self.repo.git("clone", "-q", "--bare", ".", str(place))
        for path, text in (here or {}).items():
            (place / path).write_text(text)
        with self.monkeypatch.context() as patch:
            patch.chdir(place)
            code = main(["check", *(["--against", self.text] if self.text else []), *arguments])
        for path in here or {}:
            (place / path).unlink()
        self.repo.git("checkout", "-q", "-f", "feature")
        done = self.capsys.readouterr()
        return code, done.out + done.err

    def waivers(self) -> str:
        """What accepts all that there is to accept."""
        block = self.check("--waive")[1]
        return block.replace('reason = ""', 'reason = "so"').replace('by = ""', 'by = "ada"')


@pytest.fixture(params=[False, True], ids=["another branch", "a bare repository"])
def span(
    request: pytest.FixtureRequest,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> Range:
    return Range(tmp_path / "repository", request.param, monkeypatch, capsys)


@pytest.mark.parametrize("name", ["wirebook.toml", "pyproject.toml"])
def test_levels_are_those_of_the_new_side(name: str, span: Range) -> None:
    text = LOOSE if name == "wirebook.toml" else LOOSE.replace("[sev", "[tool.wirebook.sev")
    span.on_main(name, text)
    span.repo.spec(broken())
    assert span.check()[0] == 0
    span.repo.write(name, text.replace("off", "error"))
    code, out = span.check(here={name: text})
    assert (code, "type-changed" in out) == (1, True)
    assert f"this change raises type-changed to error ({name}:2)" in out


def test_the_policy_of_the_new_side(span: Range) -> None:
    span.repo.spec(broken())
    span.repo.write("wirebook.toml", LOOSE)
    code, out = span.check()
    assert (code, "this change lowers type-changed to off (wirebook.toml:2)" in out) == (1, True)


def test_waivers_are_those_of_the_new_side(span: Range) -> None:
    span.repo.spec(broken())
    block = span.waivers()
    assert span.check(here={"waivers.toml": block})[0] == 1
    span.repo.write("waivers.toml", block)
    code, out = span.check()
    assert code == 0
    waiver = "this change adds a waiver: type-changed for FetchRequest.MaxWaitMs 0-2: so (ada)"
    assert waiver in " ".join(out.split())
    span.repo.write("waivers.toml", "[[waiver]]\n")
    code, out = span.check(here={"waivers.toml": block})
    assert (code, "waivers.toml:1" in out) == (2, True)


def test_waivers_lie_where_the_configuration_of_the_new_side_has_them(span: Range) -> None:
    span.on_main("wirebook.toml", 'waivers = "accepted/all.toml"\n')
    span.on_main("accepted/all.toml", "")
    span.repo.spec(broken())
    span.repo.write("accepted/all.toml", span.waivers())
    code, out = span.check()
    assert (code, "adds a waiver" in out) == (0, True)
    (span.repo.folder / "accepted/all.toml").unlink()
    code, out = span.check()
    assert (code, "the waivers file does not exist" in out) == (2, True)


def test_the_registry_is_that_of_the_new_side(span: Range) -> None:
    span.on_main(REGISTRY, LEVELS[:1])
    for spec in (request(), response()):
        span.repo.spec({**spec, "validVersions": "0-3"})
    assert "api-version-missing" in span.check()[1]
    span.repo.write(REGISTRY, LEVELS)
    assert "api-version-missing" not in span.check()[1]


@pytest.mark.parametrize("name", ["wirebook.toml", f"{FOLDER}/profile.toml"])
def test_profiles_are_those_of_the_new_side(name: str, span: Range) -> None:
    table = "[protocol]\n" if name == "wirebook.toml" else ""
    span.repo.write("base.toml", 'name = "base"\n[headers]\nrequest = [1, 3]\n')
    span.repo.write(name, f'{table}name = "mail"\nextends = "{"../" * name.count("/")}base.toml"\n')
    code, out = span.check(here={"base.toml": 'name = "base"\n'})
    assert (code, "header-version-changed" in out) == (1, True)


def test_three_dots_name_a_range(span: Range) -> None:
    span.repo.spec(broken())
    span.repo.write("wirebook.toml", LOOSE)
    span.text = "main...feature"
    assert "this change lowers type-changed to off (wirebook.toml:2)" in span.check()[1]


@pytest.mark.parametrize("text", ["..", "..HEAD", "...", "...feature"])
def test_a_start_that_is_left_out_is_an_unset_variable(text: str, span: Range) -> None:
    span.repo.spec(broken())
    span.text = text
    code, out = span.check()
    assert (code, f'"{text}" is a range without a start' in out) == (2, True), out


def test_the_head_of_a_bare_repository(span: Range) -> None:
    span.repo.spec(broken())
    span.repo.write("wirebook.toml", LOOSE)
    span.repo.commit()
    bare = span.repo.folder.with_name("head.git")
    span.repo.git("clone", "-q", "--bare", ".", str(bare))
    span.monkeypatch.chdir(bare)
    assert main(["check", "--against", "main"]) == 1
    assert "this change lowers type-changed to off (wirebook.toml:2)" in span.capsys.readouterr().out


def test_the_range_of_a_configuration(span: Range) -> None:
    """The baseline is the matter of the old side; what is checked out says what that is."""
    span.on_main("wirebook.toml", 'against = "main..feature"\n')
    span.on_main("note.txt", "The commit before has the configuration.")
    span.repo.spec(broken())
    span.repo.write("wirebook.toml", LOOSE)
    span.repo.commit()
    span.repo.git("checkout", "-q", "main")
    span.monkeypatch.chdir(span.repo.folder)
    assert main(["check"]) == 1
    assert "this change lowers type-changed to off (wirebook.toml:2)" in span.capsys.readouterr().out


def test_a_configuration_that_is_a_link(span: Range) -> None:
    span.on_main("conf/policy.toml", LOOSE)
    (span.repo.folder / "wirebook.toml").symlink_to("conf/policy.toml")
    span.on_main("note.txt", "")
    span.repo.spec(broken())
    assert span.check()[0] == 0
    span.monkeypatch.chdir(span.repo.folder)
    assert main(["check", "--against", "main"]) == 0
    span.repo.write("conf/policy.toml", "")
    code, out = span.check()
    assert (code, "this change raises type-changed to its default" in out) == (1, True)
    (span.repo.folder / "wirebook.toml").unlink()
    (span.repo.folder / "wirebook.toml").symlink_to("../policy.toml")
    code, out = span.check()
    assert (code, "policy.toml: this is a link that points outside the repository" in out) == (2, True)


@pytest.mark.parametrize("against", [":/words", ":/words...", ":0:notes.txt", ":notes.txt"])
def test_a_search_of_git_names_no_side(
    against: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The change has commit messages and files of its own."""
    repo = started(tmp_path / "searched")
    repo.write("notes.txt", "words")
    repo.commit("words")
    monkeypatch.chdir(repo.folder)
    assert main(["check", "--against", against]) == 2
    assert f'"{against.removesuffix("...")}" is a search of git, not a name' in capsys.readouterr().err


def test_a_full_name_is_in_the_hint_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    repo = started(tmp_path / "fetched")
    repo.git("remote", "add", "origin", str(tmp_path))
    monkeypatch.chdir(repo.folder)
    name = "0123456789" * 4
    assert main(["check", "--against", name]) == 2
    said = capsys.readouterr().err
    assert f"there is no commit {name[:12]} here; to get it: git fetch origin {name}\n" in said
