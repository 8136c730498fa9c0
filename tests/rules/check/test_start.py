"""What a check starts with: modules that it has a use for, and no more work than the change is."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.repositories import FOLDER, Repo, api_versions, request, response
from tests.rules.check.running import Run, on_branch
from tests.support import ROOT
from wirebook.rules.catalogue import RULES
from wirebook.specs.reading import reader
from wirebook.specs.sources import filesets
from wirebook.specs.sources.git_objects import GitObject, ObjectReader
from wirebook.specs.sources.repository import Repository
from wirebook.specs.syntax import jsontext

# Runs a command, then lists its modules; an annotation that is compiled has the name "<string>".
IMPORTED = """
import sys

def heard(event, arguments):
    if event == "compile" and arguments[1] == "<string>" and "lambda" not in str(arguments[0]):
        compiled.append(f"annotation {arguments[0]!r}")

compiled = []
sys.addaudithook(heard)
from wirebook.cli.main import main
try:
    main(sys.argv[1:])
finally:
    print(*sys.modules, *compiled, sep="\\n", file=sys.stderr)
"""


def imported(folder: Path, *arguments: str) -> set[str]:
    """The modules that there are after a command, and the annotations that it compiled."""
    done = subprocess.run(
        [sys.executable, "-c", IMPORTED, *arguments],
        cwd=folder,
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        check=False,
    )
    return set(done.stderr.splitlines())


def rules_on(*kinds: str) -> set[str]:
    """The modules of the rules on some kinds of pairs."""
    return {
        f"wirebook.rules.{topic}.{name}"
        for kind in kinds
        for topic, names in RULES[kind].items()
        for name in names
    }


def sound(repo: Repo) -> None:
    """A staged change that breaks nobody: a tagged field more."""
    on_branch(repo)
    field = {"name": "More", "type": "int32", "versions": "1+", "taggedVersions": "1+", "tag": 1}
    repo.spec(request(fields=[*request()["fields"], {**field, "about": "More."}]))
    repo.git("add", "-A")


@pytest.mark.parametrize("option", ["--staged", "--hook"])
def test_a_breaking_change_compiles_no_annotation_and_no_layout(repo: Repo, option: str) -> None:
    """The first string that typing compiles makes Python define the nodes of syntax trees: 2% of a check."""
    on_branch(repo)
    repo.spec(request(fields=[{**request()["fields"][0], "type": "string"}]))
    repo.git("add", "-A")
    names = imported(repo.folder, "check", option)
    assert "wirebook.rules.agreement.witness" in names
    assert [name for name in names if name.startswith("annotation")] == []
    assert (
        not {f"wirebook.specs.{name}" for name in ("wire.compiled", "sources.targets", "sources.refs")}
        & names
    )


@pytest.mark.parametrize("option", ["--staged", "--hook"])
def test_a_sound_change_imports_little(repo: Repo, option: str) -> None:
    sound(repo)
    names = imported(repo.folder, "check", option)
    assert "wirebook.rules.engine" in names
    assert rules_on("StructPair", "LoneField", "OneField") <= names
    assert not rules_on("FieldPair", "MessagePair") & names  # only a field is added
    unasked = rules_on("Protocol", "ProtocolPair", "LoneMessage")
    assert len(unasked) > 5
    assert not unasked & names


def test_a_commit_without_specs_loads_no_engine(repo: Repo) -> None:
    on_branch(repo).write("notes.txt", "no spec")
    repo.git("add", "-A")
    names = imported(repo.folder, "check", "--staged")
    assert "wirebook.rules.check.run" in names
    assert "wirebook.rules.engine" not in names


def test_git_is_asked_for_little(
    repo: Repo,
    check: Run,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked: list[list[str]] = []
    plain = ObjectReader.query

    def seen(self: ObjectReader, names: Iterable[str]) -> Iterator[GitObject]:
        asked.append(wanted := list(names))
        return plain(self, wanted)

    monkeypatch.setattr(ObjectReader, "query", seen)
    sound(repo)
    assert check(repo.folder, "--staged").code == 0
    head = repo.git("rev-parse", "HEAD")
    profiles = [f"{head}:{folder}profile.toml" for folder in (f"{FOLDER}/", "")]
    assert [names for names in asked if names][:5] == [
        [":0:wirebook.toml", ":0:pyproject.toml"],
        # One that the index lacks may be in a merge conflict.
        [f":{stage}:{name}" for name in ("pyproject.toml", "wirebook.toml") for stage in (1, 2, 3)],
        ["HEAD^{commit}"],
        [f"{head}:wirebook.toml", f"{head}:pyproject.toml"],
        [f"{head}:waivers.toml"],
    ]
    flat = [name for names in asked for name in names]
    assert set(profiles) <= set(flat)
    # The index lists what differs: what the commit lacks is there only if it is listed.
    indexed = [name for name in flat if name.startswith(":") and not name.endswith(".toml")]
    assert [name for name in indexed if not name.endswith("/.gitattributes")] == [":0:.gitattributes"]
    assert len(flat) == len(set(flat))
    assert len([names for names in asked if names]) == 9


def test_what_is_read_beside_a_change_is_not_judged_as_a_set(repo: Repo) -> None:
    """How bad an unknown listener is depends on other specs; which specs there are does not change."""
    on_branch(repo).spec(api_versions("request", listeners=["broker", "zkBroker"]))
    repo.commit()
    repo.spec(request(listeners=["broker", "zkBroker"]))
    repo.git("add", "-A")
    names = imported(repo.folder, "check", "--staged")
    assert "wirebook.rules.engine" in names
    assert not rules_on("Protocol") & names


def test_the_sides_are_read_once(
    repo: Repo,
    check: Run,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The command line says what the old side is; the configuration of that side cannot change it."""
    sound(repo)
    listed: list[str] = []
    plain = filesets.working_files

    def seen(repository: Repository) -> filesets.FileSet:
        listed.append(str(repository.top))
        return plain(repository)

    monkeypatch.setattr("wirebook.specs.sources.revisions.working_files", seen)
    assert check(repo.folder, "--against", "HEAD").code == 0
    assert len(listed) == 1


def test_an_explanation_imports_one_rule(tmp_path: Path) -> None:
    names = imported(tmp_path, "explain", "tag-reused")
    rules = {
        f"wirebook.rules.{topic}.{name}"
        for topics in RULES.values()
        for topic in topics
        for name in topics[topic]
    }
    assert rules & names == {"wirebook.rules.tags.tag_reused"}
    assert (
        not {"subprocess", "wirebook.specs.sources.git", "wirebook.specs.sources.source", "hashlib"} & names
    )


@pytest.mark.parametrize("arguments", [["--version"], ["check", "--no-such-option"], ["chek"]])
def test_what_judges_nothing_imports_no_rule(tmp_path: Path, arguments: list[str]) -> None:
    names = imported(tmp_path, *arguments)
    assert "wirebook.cli.commands" in names
    assert not [name for name in names if name.startswith("wirebook.rules")]
    assert not {"dataclasses", "inspect", "json", "subprocess", "importlib.metadata"} & names


def test_nobody_looks_for_places_without_a_finding(
    repo: Repo,
    check: Run,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    read: list[str] = []
    plain = jsontext.SourcePositions.object

    def seen(self: jsontext.SourcePositions, number: int) -> jsontext.JsonObject:
        read.append(self.text)
        return plain(self, number)

    monkeypatch.setattr(jsontext.SourcePositions, "object", seen)
    sound(repo)
    assert check(repo.folder, "--staged").code == 0
    assert read == []
    repo.spec(response(fields=[]))
    assert check(repo.folder).code == 1
    assert read


def test_of_specs_that_do_not_differ_none_is_read(
    repo: Repo,
    check: Run,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    read: list[str] = []
    plain = reader.read_message

    def seen(text: bytes, path: str, **options: Any) -> object:
        read.append(path.rpartition("/")[2])
        return plain(text, path, **options)

    monkeypatch.setattr("wirebook.rules.check.reading.read_message", seen)
    sound(repo)
    assert check(repo.folder, "--staged").code == 0
    assert read == ["FetchRequest.json"] * 2
    read.clear()
    repo.write(f"{FOLDER}/OtherRequest.json", request(name="OtherRequest", apiKey=2))
    repo.git("add", "-A")
    assert check(repo.folder, "--staged").code == 0
    assert "FetchResponse.json" in read
