"""The Java and Scala code of a commit of Kafka, and what citations name in it."""

from __future__ import annotations

import re
import sys
from argparse import ArgumentParser
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cached_property
from pathlib import Path
from typing import NamedTuple

from wirebook.specs.git import Git
from wirebook.specs.kafka.origins import Citation
from wirebook.specs.problems import InputError

_SOURCE = re.compile(r"(?:^|/)src/main/.*\.(?:java|scala)$")
_COMMENT = re.compile(r'"(?:[^"\\\n]|\\.)*"|/\*.*?\*/|//[^\n]*', re.DOTALL)
_KIND = r"\b(?:class|interface|enum|object|trait|record)\s+"
_TYPES = re.compile(rf"{_KIND}([A-Z]\w*)")
# What looks like the definition of a method and is none.
_USE = re.compile(r"\b(?:return|new|throw|else)\b")


class Code(NamedTuple):
    """A definition, from the line where it begins to the end of its block."""

    path: str
    line: int
    text: str


class Checkout:
    """The code of a commit, which REPO@REF names, or REPO for its HEAD. Raises InputError."""

    def __init__(self, name: str) -> None:
        place, _, ref = name.partition("@")
        self.name = name
        self.repository = Path(place)
        if not self.repository.is_dir():
            raise InputError("no such folder", place)
        self.commit = Git(self.repository).commit(ref or "HEAD") or ""
        if not self.commit:
            raise InputError(f'there is no commit "{ref or "HEAD"}"', place)

    @cached_property
    def files(self) -> Mapping[str, str]:
        """The text of each file of code by its path, without comments."""
        files = {path: without_comments(text) for path, text in self.texts(_SOURCE)}
        if not files:
            raise InputError("no Java or Scala code below src/main", self.name)
        return files

    @cached_property
    def types(self) -> Mapping[str, list[str]]:
        """The paths of the files that define each type."""
        types: dict[str, list[str]] = {}
        for path, text in self.files.items():
            for name in dict.fromkeys(_TYPES.findall(text)):
                types.setdefault(name, []).append(path)
        return types

    def texts(self, wanted: re.Pattern[str]) -> Iterator[tuple[str, str]]:
        """The paths that match, with the texts of the files."""
        with Git(self.repository) as git:
            listed = git.run("ls-tree", "-r", "-z", "--name-only", self.commit).decode()
            for path in listed.split("\0"):
                if wanted.search(path):
                    text = git.read(f"{self.commit}:{path}", path) or b""
                    yield path, text.decode(errors="replace")

    def code(self, citation: Citation) -> Iterator[Code]:
        """What a citation names: several methods may have one name, and several classes."""
        name = citation.member
        typed = rf"^[\w<>\[\],.?@ ]*[\w>\]] {name}\("
        # The type may be on the line before, if a parameter follows.
        untyped = rf"^ +{name}\(\w+(?:<[\w<>, ]*>)? \w+[,)]"
        member = rf"{_KIND}{name}\b|\bdef {name}\b|{typed}|{untyped}"
        for path in self.types.get(citation.type, ()):
            file = Code(path, 1, self.files[path])
            for whole in _definitions(file, rf"{_KIND}{citation.type}\b"):
                if name:
                    yield from _definitions(whole, member)
                else:
                    yield whole


def without_comments(text: str) -> str:
    """Code without its comments, each line at its number."""

    def blank(match: re.Match[str]) -> str:
        is_string = match[0].startswith('"')
        return match[0] if is_string else "\n" * match[0].count("\n")

    return _COMMENT.sub(blank, text)


def _definitions(code: Code, pattern: str) -> Iterator[Code]:
    """The definitions inside some code that a pattern begins."""
    lines = code.text.split("\n")
    for number, line in enumerate(lines):
        begin = re.search(pattern, line)
        if begin is None or (begin[0].endswith("(") and _USE.search(line)):
            continue
        block = lines[number : _end(lines, number)]
        yield Code(code.path, code.line + number, "\n".join(block))


def _end(lines: list[str], begin: int) -> int:
    """The number of the line after a block, which its indentation shows."""
    indentation = _indentation(lines[begin])
    for number in range(begin + 1, len(lines)):
        text = lines[number].strip()
        here = _indentation(lines[number])
        if not text or here > indentation:
            continue
        if here == indentation and text.startswith(")"):
            continue
        has_end = here == indentation and text.startswith("}")
        return number + 1 if has_end else number
    return len(lines)


def _indentation(line: str) -> int:
    return len(line) - len(line.lstrip())


def run(tool: Callable[..., Iterable[str]], about: str | None, *names: str) -> int:
    """Run a tool with the arguments of the command line, which have these names; returns its exit
    code."""
    parser = ArgumentParser(prog=f"python -m tools.{Path(sys.argv[0]).stem}", description=about)
    for name in names:
        parser.add_argument(name)
    return printed(tool(*vars(parser.parse_args()).values()))


def printed(lines: Iterable[str]) -> int:
    """Print the lines of a tool; returns its exit code, 2 for bad input."""
    try:
        for line in lines:
            print(line)
    except InputError as error:
        print(error, file=sys.stderr)
        return 2
    return 0
