"""Checks prose for words of tools/words.txt. `make lint` runs it.

codespell reads the same kind of list, but it sees one word of one line at a time, and cannot
distinguish a string from code. Most of our entries are phrases, which wrap.
"""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PROSE = (
    *("*.md", "site_src/*.md", "docs/**/*.md", ".github/*.md", "docgen/pages/*.jinja"),
    *("specs/kafka/texts/*.json", "specs/kafka/*.json", "specs/kafka/messages/*.json"),
    *(f"{folder}/**/*.py" for folder in ("specs", "rules", "peers", "fleet", "cli")),
    "wirebook/*.py",
)
# What of each kind of file is not prose: code, links, markup.
CODE = {
    ".md": r"^(```|~~~).*?^\1|``.+?``|`[^`\n]+`|\]\([^)]*\)|<!--.*?-->|<[^>\n]+>",
    ".jinja": r"\{\{.*?\}\}|\{%.*?%\}|\{#.*?#\}|<(style|script)\b.*?</\1>|<[^>]+>",
    ".json": r'`[^`\n]+`|"\$schema": "[^"\n]*"|"[^"\n]*"\s*:',
    ".py": r"``.+?``|`[^`\n]+`|\{[^{}\n]*\}",
}


def words(text: str) -> list[tuple[re.Pattern[str], str]]:
    """The entries of a word list: a pattern that prose avoids, and what to write instead.

    Raises ValueError with the line of one that has no arrow.
    """
    found = []
    for number, line in enumerate(text.splitlines(), 1):
        if not line.strip() or line.startswith("#"):
            continue
        pattern, _, instead = line.partition("->")
        if not instead.strip():
            raise ValueError(f"line {number}: write PATTERN->INSTEAD")
        spaced = pattern.replace(" ", r"\s+")
        found.append((re.compile(rf"(?<![\w-])(?:{spaced})(?![\w-])", re.I), instead.strip()))
    return found


def hits(
    path: Path, text: str, avoided: list[tuple[re.Pattern[str], str]]
) -> Iterator[tuple[int, str, str]]:
    """The line, the words and the advice for each avoided phrase in the prose of a file."""
    parts = _strings(text) if path.suffix == ".py" else [(1, text)]
    for line, part in parts:
        prose = re.sub(CODE[path.suffix], _blank, part, flags=re.S | re.M)
        for pattern, instead in avoided:
            for match in pattern.finditer(prose):
                before = prose[: match.start()].count("\n")
                yield line + before, " ".join(match[0].split()), instead


def _strings(text: str) -> Iterator[tuple[int, str]]:
    """The literal strings of a module, each with its first line."""
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.lineno, node.value


def _blank(match: re.Match[str]) -> str:
    return re.sub(r"[^\n]", " ", match[0])


def main(root: Path = ROOT) -> int:
    """Print each hit as FILE:LINE; return 1 where there is one."""
    avoided = words((ROOT / "tools/words.txt").read_text("utf-8"))
    count = 0
    for path in sorted({path for glob in PROSE for path in root.glob(glob)}):
        for line, phrase, instead in hits(path, path.read_text("utf-8"), avoided):
            place = f"{path.relative_to(root)}:{line}"
            print(f'{place}: "{phrase}": write {instead}', file=sys.stderr)
            count += 1
    return 1 if count else 0


if __name__ == "__main__":
    sys.exit(main())
