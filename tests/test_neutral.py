"""Nothing outside of Kafka's own modules names Kafka: what is Kafka's comes from its profile."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

from tests.support import ROOT
from tests.together import together

# Modules about Kafka by their subject: the commands on its brokers, which the list of commands
# names, how its specs are known, and which of its releases serve a version.
ABOUT_KAFKA = {
    "cli/commands.py",
    "cli/mock.py",
    "cli/negotiate.py",
    "cli/probe.py",
    "cli/fleet.py",
    "rules/check/protocol.py",
    "rules/report/served.py",
}
WORDS = re.compile(r"Kafka|KAFKA-|\bKIP\b|KIP-|[Bb]roker|\bApiVersions?\b")
FOLDERS = ("specs", "rules", "cli")


def modules() -> list[Path]:
    found = sorted(path for folder in FOLDERS for path in (ROOT / folder).rglob("*.py"))
    return [path for path in found if "kafka" not in path.parts]


def texts(tree: ast.Module) -> Iterator[tuple[int, str]]:
    """The texts of a module that people may see: not docstrings but those of rules, nor sources of
    rules."""
    rules = [node for node in ast.walk(tree) if isinstance(node, ast.Call) and _is_rule(node)]
    skipped = {id(rule.args[1]) for rule in rules}
    for node in ast.walk(tree):
        if (
            isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef)
            and ast.get_docstring(node) is not None
            and not (rules and node is tree)
        ):
            skipped.add(id(node.body[0].value))  # type: ignore[attr-defined]
        if isinstance(node, ast.keyword) and node.arg == "source":
            skipped.add(id(node.value))
    for node in ast.walk(tree):
        if (
            isinstance(node, ast.Constant)
            and isinstance(node.value, str)
            and id(node) not in skipped
        ):
            yield node.lineno, node.value


def _is_rule(call: ast.Call) -> bool:
    return isinstance(call.func, ast.Name) and call.func.id == "rule"


@together("path", modules(), ids=lambda path: path.relative_to(ROOT).as_posix())
def test_no_text_is_about_kafka(path: Path) -> None:
    name, text = path.relative_to(ROOT).as_posix(), path.read_text(encoding="utf-8")
    if name in ABOUT_KAFKA or not re.search(rf"{WORDS.pattern}|\\|\b18\b", text):
        return  # parsing takes most of the time; an escape may hide a word
    tree = ast.parse(text)
    found = [
        f"{name}:{line}: {text.strip()[:80]}" for line, text in texts(tree) if WORDS.search(text)
    ]
    compared = [node for node in ast.walk(tree) if isinstance(node, ast.Compare)]
    keys = [
        node.lineno for node in compared if "18" in map(ast.unparse, [node.left, *node.comparators])
    ]
    assert (found, keys) == ([], [])


# Files that only Kafka's own site, its commands and their data have.
SCHEMAS_OF_KAFKA = {"field_code", "flow", "kips", "origins", "mock"}


def test_no_schema_of_every_protocol_names_kafka() -> None:
    schemas = {path.stem: path.read_text(encoding="utf-8") for path in ROOT.glob("*/schema/*.json")}
    named = {name for name, text in schemas.items() if re.search(r"Kafka(?!\")", text)}
    assert named <= SCHEMAS_OF_KAFKA


def test_scripts_of_every_site_show_no_word_of_kafka() -> None:
    assets = ROOT / "docgen" / "site" / "theme" / "assets"
    text = (assets / "search.js").read_text(encoding="utf-8")
    # Words of what is typed, such as those that a query may leave out, are in lower case by
    # themselves.
    shown = [each for each in re.findall(r'"([A-Z][^"]* [^"]*)"', text) if WORDS.search(each)]
    assert shown == []
