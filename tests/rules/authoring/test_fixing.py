"""`check --fix`: what is mechanical is changed in the files, and in nothing else of them."""

from __future__ import annotations

import errno
import json
import os
import re
from pathlib import Path

import pytest

from tests.repositories import FOLDER, Repo, api_versions, request, response, started
from tests.rules.authoring.repairing import BEGUN, REPAIRING
from tests.rules.fixture_pairs import PAIRS, registry, tables
from tests.rules.rule_examples import TABLES
from wirebook.cli.main import main
from wirebook.rules.authoring.fixing import Fixes, fixes_of, write_fixes
from wirebook.rules.engine import check
from wirebook.rules.finding import Finding, Severity
from wirebook.rules.pairs.tables import TablesPair
from wirebook.specs.model import Protocol
from wirebook.specs.problems import InputError
from wirebook.specs.reading.discovery import REGISTRY
from wirebook.specs.reading.reader import read_message

FIXED = f"{FOLDER}/FetchRequest.json"


def judged(folder: Path, old: Path) -> list[Finding]:
    """The findings on the specs of a folder against those of a fixture."""

    def read(place: Path, names: Path) -> Protocol:
        files = sorted(path for path in place.glob("*.json") if path.name not in (REGISTRY, *TABLES))
        return Protocol.of(
            read_message(path.read_bytes(), str(path.relative_to(names)), strict=False) for path in files
        )

    before = old / "old.json"
    side = None
    if before.is_file():
        side = Protocol.of([read_message(before.read_bytes(), before.name, strict=False)])
    elif (old / "old").is_dir():
        side = read(old / "old", old)
    return check(
        side,
        read(folder, folder),
        old_registry=registry(old, "old"),
        new_registry=registry(old, "new"),
        tables=[TablesPair(tables(old, "old"), tables(old, "new"))],
    )


def copied(fixture: Path, folder: Path) -> Path:
    """A copy of the new side of a fixture."""
    for path in [fixture / "new.json", *(fixture / "new").glob("*.json")]:
        if path.is_file():
            (folder / path.name).write_bytes(path.read_bytes())
    return folder


def fixed(folder: Path, fixture: Path) -> Fixes:
    fixes = fixes_of(judged(folder, fixture), folder)
    write_fixes(fixes.files)
    return fixes


@pytest.mark.share(3)
@pytest.mark.parametrize("fixture", PAIRS, ids=lambda folder: f"{folder.parent.name}/{folder.name}")
def test_a_fix_settles_its_finding_and_brings_no_other(fixture: Path, tmp_path: Path) -> None:
    folder = copied(fixture, tmp_path)
    before = judged(folder, fixture)
    texts = {path.name: path.read_bytes() for path in folder.iterdir()}
    fixes = fixed(folder, fixture)
    after = judged(folder, fixture)
    assert {path.name for path in folder.iterdir()} == texts.keys()
    changed = {name for name, text in texts.items() if (folder / name).read_bytes() != text}
    assert changed == {item.path for item in fixes.files}
    left = {item.identity for item in after}
    assert not left & {item.identity for item in fixes.findings if item.rule != BEGUN}
    known = {(item.rule, item.field) for item in before}
    assert not [
        item for item in after if item.severity is Severity.ERROR and (item.rule, item.field) not in known
    ]


def test_some_fixture_of_each_rule_that_repairs_is_fixed(tmp_path: Path) -> None:
    rules: set[str] = set()
    for number, fixture in enumerate(PAIRS):
        folder = tmp_path / str(number)
        folder.mkdir()
        rules |= {item.rule for item in fixed(copied(fixture, folder), fixture).findings}
    assert rules == REPAIRING


def test_the_later_of_two_fields_with_one_tag_moves_unless_it_is_the_released_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    new = {"name": "Rack", "type": "string", "versions": "1+", "taggedVersions": "1+", "tag": 0}
    repo = started(tmp_path)
    monkeypatch.chdir(tmp_path)
    released = request()["fields"]
    for fields in ([*released, new], [new, *released]):
        repo.spec(request(fields=fields))
        assert main(["check", "--fix"]) == 0
        tags = re.findall(r'"name": "(\w+)"[^{}]*"tag": (\d+)', (tmp_path / FIXED).read_text("utf-8"))
        assert dict(tags) == {"ClusterId": "0", "Rack": "1"}
        repo.git("checkout", "-q", ".")


def test_each_of_several_fields_with_one_tag_gets_its_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    repo = started(tmp_path)
    monkeypatch.chdir(tmp_path)
    new = {"type": "string", "versions": "1+", "taggedVersions": "1+", "tag": 0, "about": "A name."}
    repo.spec(request(fields=[*request()["fields"], {"name": "Rack", **new}, {"name": "Host", **new}]))
    assert main(["check"]) == 1
    advice = " ".join(capsys.readouterr().out.split())
    assert "give Rack the next free tag, 1" in advice
    assert "give Host the next free tag, 2" in advice
    assert main(["check", "--fix"]) == 0
    tags = re.findall(r'"name": "(\w+)"[^{}]*"tag": (\d+)', (tmp_path / FIXED).read_text("utf-8"))
    assert dict(tags) == {"ClusterId": "0", "Rack": "1", "Host": "2"}


def test_a_missing_entry_of_a_history_is_begun(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    history = [{"version": 2, "added": "1.0", "about": "Adds nothing."}]
    repo = started(tmp_path)
    repo.spec(request(history=history))
    repo.commit("history")
    monkeypatch.chdir(tmp_path)
    repo.spec(request(history=history, validVersions="0-3"))
    repo.spec(response(validVersions="0-3"))
    assert main(["check", "--fix"]) == 0
    out, err = capsys.readouterr()
    assert err == "wirebook: 1 fix in 1 file\n"
    assert 'describe the change in the "about" of version 3' in " ".join(out.split())
    assert '{ "version": 3, "about": "" }' in (tmp_path / FIXED).read_text("utf-8")
    assert main(["check", "--fix"]) == 0
    assert capsys.readouterr().err == "wirebook: 0 fixes in 0 files\n"


def test_a_fix_that_another_fix_allows_is_applied_in_the_same_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    rack = {"name": "Rack", "type": "string", "versions": "0+", "taggedVersions": "0+", "tag": 1}
    repo = started(tmp_path)
    monkeypatch.chdir(tmp_path)
    repo.spec(request(fields=[*request()["fields"], rack], flexibleVersions="none"))
    assert main(["check", "--fix"]) == 0
    assert capsys.readouterr().err == "wirebook: 2 fixes in 1 file\n"
    text = (tmp_path / FIXED).read_text("utf-8")
    assert '"flexibleVersions": "1+"' in text
    assert '"versions": "1+",\n      "taggedVersions": "1+",\n      "tag": 1' in text


def test_a_fix_that_shows_an_error_in_more_versions_is_not_applied(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Two fields with a tag leave the versions that have both without a layout."""
    rack = {"name": "Rack", "type": "string", "versions": "1+", "taggedVersions": "1+", "tag": 0}
    repo = started(tmp_path)
    monkeypatch.chdir(tmp_path)
    repo.spec(request(fields=[*request()["fields"][1:], rack]))
    text = (tmp_path / FIXED).read_bytes()
    assert main(["check", "--fix"]) == 1
    out, err = capsys.readouterr()
    assert "MaxWaitMs (int32) is removed from version 0" in " ".join(out.split())
    assert "the fix of duplicate-tag on FetchRequest Rack is not applied" in err
    assert "it would bring field-removed-from-released-version" in err
    assert (tmp_path / FIXED).read_bytes() == text


def test_a_fix_that_is_not_applied_leaves_the_others(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    rack = {"name": "Rack", "type": "string", "versions": "1+", "taggedVersions": "1+", "tag": 0}
    repo = started(tmp_path)
    monkeypatch.chdir(tmp_path)
    repo.spec(request(fields=[*request()["fields"][1:], rack]))
    repo.spec(api_versions("response", validVersions="0-4"))
    assert main(["check", "--fix"]) == 1
    err = capsys.readouterr().err
    assert "the fix of duplicate-tag on FetchRequest Rack is not applied" in err
    assert err.endswith("wirebook: 1 fix in 1 file\n")
    assert '"0-4"' in (tmp_path / FOLDER / "ApiVersionsRequest.json").read_text("utf-8")


@pytest.fixture
def repo(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Repo:
    """A repository in which the request gets a version that its response lacks."""
    repo = started(tmp_path)
    text = (tmp_path / FIXED).read_text(encoding="utf-8").replace('"0-2",', '"0-3", // the next one')
    repo.write(FIXED, f"// A note.\r\n{text}".replace("\n", "\r\n").replace("\r\r", "\r"))
    monkeypatch.chdir(tmp_path / FOLDER)
    return repo


def test_the_diff_is_shown_then_the_files_are_written_and_checked_again(
    repo: Repo, capsys: pytest.CaptureFixture[str]
) -> None:
    place = repo.folder / FOLDER / "FetchResponse.json"
    place.chmod(0o664)
    text = place.read_text(encoding="utf-8")
    assert main(["check", "--diff"]) == 1
    shown = capsys.readouterr().out
    assert shown.splitlines()[:2] == [
        f"--- a/{FOLDER}/FetchResponse.json",
        f"+++ b/{FOLDER}/FetchResponse.json",
    ]
    assert '-  "validVersions": "0-2",\n+  "validVersions": "0-3",\n' in shown
    assert place.read_text(encoding="utf-8") == text
    assert main(["check", "--fix"]) == 0
    out, err = capsys.readouterr()
    assert out.startswith(shown)
    assert "no findings" in out
    assert err == "wirebook: 1 fix in 1 file\n"
    assert place.read_text(encoding="utf-8") == text.replace('"0-2"', '"0-3"')
    assert place.stat().st_mode & 0o777 == 0o664
    assert main(["check", "--diff"]) == 0
    assert capsys.readouterr().out == ""


def test_what_is_staged_is_fixed_in_the_file(repo: Repo, capsys: pytest.CaptureFixture[str]) -> None:
    repo.git("add", "-A")
    assert main(["check", "--staged", "--fix"]) == 1
    assert "stage them" in capsys.readouterr().err
    repo.git("add", "-A")
    assert main(["check", "--staged", "--fix"]) == 0


def test_a_file_that_changes_meanwhile_is_left(repo: Repo, capsys: pytest.CaptureFixture[str]) -> None:
    repo.git("add", "-A")
    path = f"{FOLDER}/FetchResponse.json"
    repo.spec(response(validVersions="0-1"))
    text = (repo.folder / path).read_bytes()
    assert main(["check", "--staged", "--fix"]) == 2
    assert capsys.readouterr().err == (
        f"wirebook: {path}: has changed since it was checked; it is not written\n"
    )
    (repo.folder / path).unlink()
    assert main(["check", "--staged", "--fix"]) == 2
    assert not (repo.folder / path).exists()
    assert text


def test_a_link_is_not_written_through(repo: Repo, tmp_path: Path) -> None:
    fixes = fixes_of(_findings(repo), repo.folder)
    [item] = fixes.files
    item.file.rename(tmp_path / "elsewhere.json")
    item.file.symlink_to(tmp_path / "elsewhere.json")
    with pytest.raises(InputError, match="has changed"):
        write_fixes(fixes.files)


def _findings(repo: Repo) -> list[Finding]:
    from wirebook.rules.check.request import CheckRequest
    from wirebook.rules.check.run import judge

    return list(judge(CheckRequest(cwd=repo.folder)).report.ordered)


def test_a_full_disk_leaves_every_file(repo: Repo, monkeypatch: pytest.MonkeyPatch) -> None:
    spec = request(name="OtherRequest", apiKey=2, validVersions="0-3")
    repo.spec(spec)
    repo.spec(response(name="OtherResponse", apiKey=2))
    fixes = fixes_of(_findings(repo), repo.folder)
    assert len(fixes.files) == 2
    names = sorted(os.listdir(repo.folder / FOLDER))
    texts = {name: (repo.folder / FOLDER / name).read_bytes() for name in names}
    chmod = os.chmod
    written: list[str] = []

    def full(path: str, mode: int) -> None:
        written.append(path)
        if len(written) == 2:
            raise OSError(errno.ENOSPC, "No space left on device", path)
        chmod(path, mode)

    monkeypatch.setattr("os.chmod", full)
    with pytest.raises(OSError, match="No space left"):
        write_fixes(fixes.files)
    assert sorted(os.listdir(repo.folder / FOLDER)) == names
    assert {name: (repo.folder / FOLDER / name).read_bytes() for name in names} == texts


def test_refs_cannot_be_fixed(repo: Repo, capsys: pytest.CaptureFixture[str]) -> None:
    first = repo.git("rev-parse", "HEAD")
    repo.commit("one half")
    assert main(["check", "--fix", "--against", f"{first}..HEAD"]) == 2
    assert (
        capsys.readouterr().err
        == "wirebook: --fix changes files of a folder, but the new side is a commit or an archive\n"
    )


def test_two_folders(repo: Repo, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for side, top in (("old", "0-2"), ("new", "0-3")):
        repo.spec(request(validVersions=top), f"{side}/specs")
        repo.spec(response(), f"{side}/specs")
    assert main(["check", "--fix", "--old", str(tmp_path / "old"), "--new", str(tmp_path / "new")]) == 0
    assert "--- a/specs/FetchResponse.json" in capsys.readouterr().out


def test_a_hostile_spec_reaches_the_terminal_harmless(repo: Repo, capsys: pytest.CaptureFixture[str]) -> None:
    repo.spec(response(validVersions="0-2", fields=[{"name": "A\u202e", "about": "\u009b31m"}]))
    main(["check", "--diff"])
    out = capsys.readouterr().out
    assert "FetchResponse" in out
    assert not {"\u202e", "\u009b", "\x1b"} & set(out)


@pytest.mark.parametrize(
    ("flexible", "versions", "tagged", "repaired"),
    [
        ("1+", "0+", "0+", ("1+", "1+")),
        # Where it is sometimes untagged, or no version is flexible, only the author knows what is meant.
        ("1+", "0+", "0-1", ("0+", "0-1")),
        ("none", "0+", "0+", ("0+", "0+")),
    ],
)
def test_a_field_that_is_always_tagged_begins_at_the_first_flexible_version(
    flexible: str, versions: str, tagged: str, repaired: tuple[str, str], tmp_path: Path
) -> None:
    region = {"name": "Region", "type": "string", "versions": versions, "taggedVersions": tagged, "tag": 0}
    spec = request(validVersions="0-2", flexibleVersions=flexible, fields=[region])
    (tmp_path / "new.json").write_text(json.dumps(spec))
    assert "tagged-in-inflexible-version" in {each.rule for each in judged(tmp_path, tmp_path / "none")}
    fixed(tmp_path, tmp_path / "none")
    (field,) = json.loads((tmp_path / "new.json").read_text())["fields"]
    assert (field["versions"], field["taggedVersions"]) == repaired
