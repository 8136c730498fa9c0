"""A frozen baseline stands for its tags: the same verdicts, and one line for a file that cannot be used."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from tests.repositories import FOLDER, Repo, broken, started
from tests.support import ROOT, history_repo, needs_shared
from wirebook.cli.main import main

Printed = pytest.CaptureFixture[str]
NAME = "released.wirebook"


@pytest.fixture
def repo(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Repo:
    """Two releases and an unreleased break of them."""
    repo = started(tmp_path / "repository")
    repo.git("tag", "1.0.0")
    repo.write("README.md", "x")
    repo.commit()
    repo.git("tag", "1.1.0")
    repo.git("tag", "2.0.0-rc1")
    repo.spec(broken())
    monkeypatch.chdir(repo.folder)
    return repo


def judged(capsys: Printed, *arguments: str) -> tuple[int, list[Any]]:
    code = main(["check", *arguments, "--format", "json"])
    report = json.loads(capsys.readouterr().out)
    return code, [report["findings"], report["notices"], report["unchecked"]]


def frozen(repo: Repo, capsys: Printed) -> Path:
    assert main(["freeze", "--released", "[0-9]*", "-o", NAME]) == 0
    assert "2 releases (1.0.0 to 1.1.0) in released.wirebook" in capsys.readouterr().err
    return repo.folder / NAME


def test_verdicts_are_those_of_the_tags(repo: Repo, capsys: Printed) -> None:
    with_tags = judged(capsys, "--against", "HEAD", "--released", "[0-9]*")
    assert with_tags[0] == 1
    frozen(repo, capsys)
    repo.git("tag", "-d", "1.0.0", "1.1.0", "2.0.0-rc1")
    for _ in range(2):  # from the file, and from what is kept
        assert judged(capsys, "--against", "HEAD", "--released", NAME) == with_tags
    repo.write("wirebook.toml", f'released = "{NAME}"')


def test_the_file_keeps_its_schema_and_depends_on_the_releases_only(repo: Repo, capsys: Printed) -> None:
    content = frozen(repo, capsys).read_bytes()
    schema = json.loads((ROOT / "rules" / "schema" / "released.json").read_text(encoding="utf-8"))
    head, *specs = map(json.loads, content.splitlines())
    Draft202012Validator(schema).validate(head)
    for item in specs:
        Draft202012Validator(schema["$defs"]["spec"]).validate(item)
        assert item["releases"] == [[0, 1]]
    assert head["releases"] == ["1.0.0", "1.1.0"]
    assert b'"about"' not in content
    # A file of releases freezes to itself.
    assert main(["freeze", "--released", NAME, "-o", "again.wirebook"]) == 0
    assert (repo.folder / "again.wirebook").read_bytes() == content


@pytest.mark.parametrize(
    ("damage", "words"),
    [
        (lambda text: text.replace(b"released/2", b"released/3", 1), "is of version 3, not 2"),
        (lambda text: b'{"schema":"wirebook/released/7","all":"else"}\n', "is of version 7, not 2"),
        (lambda text: text[:-1], "is truncated"),
        (lambda text: text[: len(text) // 2], "is truncated"),
        (lambda text: text[:40], "is truncated"),
        (lambda text: text.replace(b"int", b"tni", 1), "is damaged"),
        (lambda text: text + b"x", "is damaged"),
        (lambda text: b"", "is not a frozen baseline"),
        (lambda text: text[:9], "is not a frozen baseline"),
        (lambda text: b"\x00\xff\n" * 9, "is not a frozen baseline"),
        (lambda text: b'{"name": "FooRequest"}', "is not a frozen baseline"),
    ],
)
def test_a_file_that_cannot_be_used_is_one_line(
    damage: Callable[[bytes], bytes], words: str, repo: Repo, capsys: Printed
) -> None:
    path = frozen(repo, capsys)
    path.write_bytes(damage(path.read_bytes()))
    assert main(["check", "--released", NAME]) == 2
    out, err = capsys.readouterr()
    assert (out, err.count("\n")) == ("", 1)
    assert f"{NAME}: this" in err
    assert words in err


def test_every_cut_of_a_file_is_refused(repo: Repo, capsys: Printed) -> None:
    path = frozen(repo, capsys)
    content = path.read_bytes()
    for end in range(0, len(content), max(len(content) // 40, 1)):
        path.write_bytes(content[:end])
        assert main(["check", "--released", NAME]) == 2
        assert capsys.readouterr().err.count("\n") == 1


def test_what_cannot_be_frozen_leaves_no_file(repo: Repo, capsys: Printed) -> None:
    assert main(["freeze", "-o", "x.wirebook"]) == 2
    assert main(["freeze", "--released", "v*", "-o", "x.wirebook"]) == 2
    repo.write(f"{FOLDER}/BadRequest.json", "{")
    repo.commit()
    repo.git("tag", "1.2.0")
    capsys.readouterr()
    assert main(["freeze", "--released", "1.*", "-o", "x.wirebook"]) == 2
    assert f"{FOLDER}/BadRequest.json:1:2: " in capsys.readouterr().err
    assert not (repo.folder / "x.wirebook").exists()


@pytest.mark.long
@needs_shared
def test_the_history_without_tags_gets_the_verdicts_of_its_tags(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Printed
) -> None:
    full = history_repo()
    bare = tmp_path / "bare"
    subprocess.run(["git", "clone", "-q", "--no-tags", "--shared", str(full), str(bare)], check=True)

    def listed(*arguments: str) -> list[str]:
        command = ["git", "-C", str(full), *arguments]
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout.split()

    found = 0
    for commit in listed("rev-list", "--min-parents=1", "HEAD")[10::29]:
        # A frozen file does not record which commits its releases descend from.
        before = [part for tag in listed("tag", "--no-contains", commit) for part in ("--released", tag)]
        monkeypatch.chdir(full)
        assert main(["freeze", *before, "-o", str(bare / NAME)]) == 0
        assert f"{len(before) // 2} releases" in capsys.readouterr().err
        assert (bare / NAME).stat().st_size < 2_000_000
        expected = judged(capsys, "--against", f"{commit}^..{commit}", "--released", "[0-9]*")
        monkeypatch.chdir(bare)
        assert judged(capsys, "--against", f"{commit}^..{commit}", "--released", NAME) == expected
        found += len(expected[1][0])
    assert found > 10
