"""Regular expressions are those of the code: none comes from a file or from the command line."""

from __future__ import annotations

import ast
import time
from collections.abc import Callable, Iterator
from fnmatch import fnmatchcase
from pathlib import Path

import pytest

from tests.support import ROOT
from wirebook.fleet.applications.owners import read_owners
from wirebook.specs.link_pattern import compiled
from wirebook.specs.reading.globs import matches

PACKAGES = ("specs", "rules", "docgen", "live", "fleet", "cli", "wirebook")
FUNCTIONS = ("compile", "match", "fullmatch", "search", "sub", "subn", "split", "findall", "finditer")
# Modules that make an expression of parts, and of which parts.
MADE = {
    "docgen/pipeline/failures.py": "a table of the module",
    "fleet/applications/owners.py": "a glob, by fnmatch.translate",
    "fleet/applications/patterns.py": "a constant of the module, with a class of letters",
    "fleet/requests.py": "a table of the module",
    "specs/link_pattern.py": "a pattern with placeholders, which this module reads",
    "specs/reading/globs.py": "a glob, by fnmatch.translate",
    "specs/reading/tables/entries.py": "a constant of the caller",
    "specs/syntax/tomltext.py": "a constant of the function",
    "specs/sources/releases.py": "words of the module",
}


def is_constant(node: ast.expr) -> bool:
    """Whether an expression is made of literals and of constants, which have names in capitals."""
    match node:
        case ast.Constant():
            return True
        case ast.Name(id=name) | ast.Attribute(attr=name):
            return name.strip("_").isupper()
        case ast.JoinedStr(values=parts):
            return all(map(is_constant, parts))
        case ast.FormattedValue(value=value):
            return is_constant(value)
        case ast.BinOp(left=left, right=right):
            return is_constant(left) and is_constant(right)
        case ast.Call(func=ast.Attribute(value=text, attr="encode")):
            return is_constant(text)
        case ast.Call(func=function):
            return ast.unparse(function) == "re.escape"
    return False


def made_of_parts() -> Iterator[str]:
    for package in PACKAGES:
        for path in (ROOT / package).rglob("*.py"):
            for node in ast.walk(ast.parse(path.read_text())):
                if isinstance(node, ast.Call):
                    name = ast.unparse(node.func)
                    is_expression = name.startswith("re.") and name[3:] in FUNCTIONS
                    if is_expression and not is_constant(node.args[0]):
                        yield path.relative_to(ROOT).as_posix()


def test_expressions_are_made_only_where_it_is_known_of_what() -> None:
    assert set(made_of_parts()) == set(MADE)


def owned(pattern: str, text: str, folder: Path) -> None:
    file = folder / "owners.toml"
    file.write_text(f'[[owner]]\nteam = "t"\nclient_id = "{pattern}"\n')
    assert read_owners(file).owner("", text) == ""


@pytest.mark.parametrize(
    ("search", "size"),
    [
        (lambda text, _: fnmatchcase(text, "a*" * 30 + "b"), 1 << 11),
        (lambda text, _: matches(text, ["a*" * 30 + "b"]), 1 << 11),
        (lambda text, _: matches("/".join(text[:500]), ["**/a/" * 30 + "b"]), 1 << 11),
        (lambda text, folder: owned("a*" * 30 + "b", text, folder), 1 << 11),
        (lambda text, _: compiled("a{word}-{word}!b").search(text), 1 << 17),
        (lambda text, _: compiled("-{word}" * 25 + "!").search(text.replace("aa", "a-")), 1 << 15),
        (lambda text, _: compiled("a" * 150 + "b{number}").search(text), 1 << 15),
    ],
    ids=["fnmatch", "glob", "folders", "owners", "words", "dashes", "literal"],
)
def test_the_time_of_a_pattern_is_a_small_power_of_the_text(
    search: Callable[[str, Path], object], size: int, tmp_path: Path
) -> None:
    """Of text that fits until its end, eight times as much takes at most eight squared as long."""

    def took(count: int) -> float:
        begun = time.process_time()
        assert not search("a" * count, tmp_path)
        return time.process_time() - begun

    took(8)
    assert took(size * 8) <= 64 * 2 * max(took(size), 0.005)
