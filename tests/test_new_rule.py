"""`make new-rule` writes a rule that lint accepts and the catalogue lists, and that tests ask to complete."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support import ROOT
from tools.check_words import main as check_words
from tools.new_rule import BLANK, KINDS, USUAL, begin, formatted, listed, main

RULES = {
    "tags/heavy-tag": "FieldPair",
    "validity/heavy-name": "OneField",
    "lifecycle/heavy-message": "MessagePair",
    "fields/heavy-struct": "OneStruct",
    "flexible/heavy-spec": "Message",
}
DOCUMENTED = {
    "what it reports, in a few words": "a field that is called Weight",
    ": the rule as a sentence": "A field is not called Weight",
    ": what is reported": "Reports it",
    ": who fails, and how": "Readers fail",
    ": what looks alike and is not reported": "Another name",
    ": the change that has the intended effect": "Choose another name",
    ": a KIP or another document": "ours",
    ": what to do instead": "choose another name",
    ": what is wrong, and who fails": "is called Weight",
}


def linked(folder: Path) -> Path:
    """A tree of its own for the rules and their tests, with links to everything else."""
    for source in ROOT.iterdir():
        if source.name not in ("rules", "tests", "tools", ".git", ".venv", ".cache"):
            if source.name == "wirebook":
                shutil.copytree(source, folder / source.name, symlinks=True)
            elif source.is_dir():
                (folder / source.name).symlink_to(source)
            else:
                shutil.copyfile(source, folder / source.name)
    (folder / "tests").mkdir()
    for source in (ROOT / "tests").iterdir():
        if source.suffix == ".py":
            shutil.copyfile(source, folder / "tests" / source.name)
        elif source.name != "rules" and source.is_dir():
            (folder / "tests" / source.name).symlink_to(source)
    ignored = shutil.ignore_patterns("__pycache__")
    for name in ("rules", "tests/rules", "tools"):
        shutil.copytree(ROOT / name, folder / name, ignore=ignored)
    return folder


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A tree in which `make new-rule` was run for a rule on each kind of item."""
    folder = linked(tmp_path_factory.mktemp("tree"))
    for name, kind in RULES.items():
        usual = USUAL.get(name.partition("/")[0]) == kind
        assert main([name] if usual else [name, "--on", kind], folder) == 0
    return folder


def run(tree: Path, *arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run Python in a tree, with its modules instead of those of this checkout."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("PYTEST", "PYTHON"))}
    return subprocess.run(
        [sys.executable, *arguments],
        cwd=tree,
        env={**kept, "PYTHONPATH": str(tree), **environment},
        capture_output=True,
        text=True,
        check=False,
    )


def outcomes(tree: Path, *arguments: str, **environment: str) -> dict[str, list[str]]:
    """The tests of a tree that failed and passed, by name without their folder."""
    options = ("-q", "-rfEp", "-n0", "-p", "no:cacheprovider")
    done = run(tree, "-m", "pytest", *options, *arguments, **environment)
    assert done.returncode in (0, 1), done.stdout + done.stderr
    lines = re.findall(r"^(PASSED|FAILED|ERROR) tests/(?:rules/)?(\S+)", done.stdout, re.MULTILINE)
    return {outcome: sorted(name for each, name in lines if each == outcome) for outcome, _ in lines}


def test_the_catalogue_lists_the_rules(tree: Path) -> None:
    code = "from wirebook.rules.rule import catalogue\nfor it in catalogue(): print(it.name, it.on.__name__)"
    done = run(tree, "-c", code)
    assert done.returncode == 0, done.stderr
    assert {f"{name.partition('/')[2]} {kind}" for name, kind in RULES.items()} <= set(
        done.stdout.splitlines()
    )
    explained = run(tree, "-m", "wirebook.cli.main", "explain", "heavy-tag", "--format", "json")
    (rule,) = json.loads(explained.stdout)["rules"]
    assert (rule["topic"], rule["summary"]) == ("tags", f"{BLANK}: the rule as a sentence")


@pytest.mark.long
def test_lint_accepts_what_is_written(tree: Path) -> None:
    for command in (("ruff", "check"), ("ruff", "format", "--check")):
        done = run(tree, "-m", *command, "--no-cache", "rules", "tests/rules", "tools")
        assert done.returncode == 0, done.stdout
    names = [name.replace("/", ".").replace("-", "_") for name in RULES]
    tests = [f"tests.rules.test_{name.partition('.')[2]}" for name in names]
    modules = [f"wirebook.rules.{name}" for name in names] + tests
    options = ("--strict", "--follow-imports=silent", *(word for name in modules for word in ("-m", name)))
    checked = run(tree, "-m", "mypy", *options)
    assert checked.stdout == f"Success: no issues found in {2 * len(RULES)} source files\n"
    assert check_words(tree) == 0


def test_there_is_a_rule_on_each_kind() -> None:
    assert set(RULES.values()) == KINDS.keys()


def test_the_tests_ask_for_what_is_missing(tree: Path) -> None:
    files = ("tests/rules/test_fixtures.py", "tests/rules/test_examples.py", "tests/rules/test_heavy_tag.py")
    done = outcomes(tree, *files, "-k", "heavy_tag or heavy-tag or catalogue or listed")
    assert done.keys() == {"PASSED", "FAILED"}
    assert done["FAILED"] == [
        "test_examples.py::test_the_example_sets_off_its_rule[heavy-tag]",
        "test_fixtures.py::test_fixture[heavy-tag/break-example]",
        "test_fixtures.py::test_what_else_is_in_the_specs_decides_nothing[heavy-tag/break-example]",
        "test_heavy_tag.py::test_it_fires_where_it_must",
    ]
    assert "test_fixtures.py::test_every_rule_is_whole[heavy-tag]" in done["PASSED"]
    left = run(tree, "-m", "pytest", "-q", "-n0", "tests/test_new_rule.py", "-k", "left_to_fill_in")
    assert "rules/tags/heavy_tag.py:1" in left.stdout
    assert "tests/rules/fixtures/heavy-tag/break-example/new.json:8" in left.stdout


@pytest.mark.long
def test_a_rule_that_is_completed_passes(tree: Path) -> None:
    """The author writes sentences, a condition and the two fixtures, and accepts what they give."""
    file = tree / "rules" / "tags" / "heavy_tag.py"
    text = file.read_text("utf-8")
    for blank, sentence in DOCUMENTED.items():
        assert f"{BLANK}{blank}" in text or f"{BLANK} {blank}" in text, blank
        text = text.replace(f"{BLANK}{blank}", sentence).replace(f"{BLANK} {blank}", sentence)
    text = text.replace(f"violated = False  # {BLANK}: the condition", 'violated = pair.new.name == "Weight"')
    text = re.sub(rf"  # {BLANK}.*", "", text)
    text = re.sub(r"    - {3}.*\n    \+ {3}.*", EXAMPLE, text)
    assert BLANK not in text
    file.write_text(text, "utf-8")
    fixture = tree / "tests" / "rules" / "fixtures" / "heavy-tag" / "break-example"
    for side, name in (("old", "Height"), ("new", "Weight")):
        spec = (fixture / f"{side}.json").read_text("utf-8")
        spec = re.sub(rf"{BLANK}[^\"]*", "A number.", spec).replace('"Id"', f'"{name}"')
        (fixture / f"{side}.json").write_text(spec, "utf-8")
    test = tree / "tests" / "rules" / "test_heavy_tag.py"
    written = re.sub(rf" *# {BLANK}.*\n", "", test.read_text("utf-8")).replace('["Id"]', '["Weight"]')
    test.write_text(written, "utf-8")
    chosen = ("tests/rules/test_fixtures.py", "-k", "heavy-tag and test_fixture")
    assert "FAILED" not in outcomes(tree, *chosen, WIREBOOK_UPDATE="1")
    assert "error heavy-tag Weight" in (fixture / "expect.txt").read_text("utf-8")
    files = ("tests/rules/test_fixtures.py", "tests/rules/test_examples.py", "tests/rules/test_heavy_tag.py")
    done = outcomes(tree, *files, "-k", "heavy-tag or heavy_tag")
    assert done.keys() == {"PASSED"}
    assert len(done["PASSED"]) == 9


EXAMPLE = """\
    -   { "name": "Height", "type": "int32", "versions": "0+" }
    +   { "name": "Weight", "type": "int32", "versions": "0+" }"""


def files_of(folder: Path) -> dict[str, bytes]:
    """The files of a folder by their paths."""
    return {
        path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()
    }


@pytest.fixture
def small(tmp_path: Path) -> Path:
    """A tree that holds only what `make new-rule` reads."""
    for name in ("rules/catalogue.py", "rules/meta_rules.py", "rules/rule.py", "wirebook/_version.py"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        shutil.copyfile(ROOT / name, tmp_path / name)
    return tmp_path


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("", "is not the name of a rule: write NAME=tags/tag-swapped"),
        ("tag-swapped", "is not the name of a rule"),
        ("tags/swapped", "is not the name of a rule"),
        ("tags/Tag-swapped", "is not the name of a rule"),
        ("tags/../a-b", "is not the name of a rule"),
        (f"tags/a-{'b' * 50}", "at most 50 characters"),
        ("colours/too-red", "there is no topic colours in rules/: choose one of fields, flexible"),
        ("fields/tag-reused", "there is a rule tag-reused already"),
        ("tags/layout-changed", "there is a rule layout-changed already"),
    ],
)
def test_a_name_that_cannot_be_used_writes_nothing(
    small: Path, capsys: pytest.CaptureFixture[str], name: str, reason: str
) -> None:
    before = files_of(small)
    assert main([name], small) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith("wirebook: ")
    assert reason in line
    assert files_of(small) == before


def test_a_file_that_exists_is_kept(small: Path, capsys: pytest.CaptureFixture[str]) -> None:
    test = small / "tests" / "rules" / "test_tag_swapped.py"
    test.parent.mkdir(parents=True)
    test.write_text("mine\n", "utf-8")
    before = files_of(small)
    assert main(["tags/tag-swapped"], small) == 2
    assert capsys.readouterr().err == "wirebook: tests/rules/test_tag_swapped.py exists already\n"
    assert files_of(small) == before


def test_a_rule_of_a_later_version_names_it(small: Path) -> None:
    begin(small, "tags/tag-swapped")
    assert "since=" not in (small / "rules" / "tags" / "tag_swapped.py").read_text("utf-8")
    (small / "wirebook" / "_version.py").write_text('__version__ = "0.2.0"\n', "utf-8")
    begin(small, "tags/tag-doubled")
    assert ', since="0.2.0")\n' in (small / "rules" / "tags" / "tag_doubled.py").read_text("utf-8")


def test_the_catalogue_keeps_its_form(small: Path) -> None:
    before = (ROOT / "rules" / "catalogue.py").read_text("utf-8")
    assert formatted(listed(before)) in before
    begin(small, "tags/tag-swapped")
    after = (small / "rules" / "catalogue.py").read_text("utf-8")
    assert after.replace('        "tags": ("tag_swapped",),\n', "") == before
    assert after != before


def test_no_rule_has_anything_left_to_fill_in() -> None:
    left = [
        f"{path.relative_to(ROOT).as_posix()}:{number}"
        for folder in (ROOT / "rules", ROOT / "tests" / "rules")
        for path in sorted(folder.rglob("*"))
        if path.suffix in (".py", ".json", ".txt")
        for number, line in enumerate(path.read_text("utf-8").splitlines(), 1)
        if BLANK in line
    ]
    assert not left, f"still to be filled in: {', '.join(left)}"
