"""Lists the texts whose cited code differs between two checkouts of Kafka: what to read again.

    tools/changed_sources.py OLD NEW      the texts whose cited method or class differs
    tools/changed_sources.py --check NEW  the citations that do not resolve in a checkout

A checkout is REPO@REF, or REPO for its HEAD.
"""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from wirebook.specs.git import Git
from wirebook.specs.kafka.citations import Citation, citations
from wirebook.specs.kafka.flows import Flow, all_flows
from wirebook.specs.kafka.texts import all_texts
from wirebook.specs.problems import InputError
from wirebook.specs.release_ranges import UNRELEASED
from wirebook.specs.texts import ApiTexts

USAGE = "usage: changed_sources.py OLD NEW | changed_sources.py --check NEW (each REPO@REF)"
_SOURCE = re.compile(r"(?:^|/)src/main/.*\.(?:java|scala)$")
_KIND = r"\b(?:class|interface|enum|object|trait|record)\s+"
_TYPES = re.compile(rf"{_KIND}([A-Z]\w*)")
# What looks like the definition of a method and is none.
_USE = re.compile(r"\b(?:return|new|throw|else)\b")
_CALLED = re.compile(r"\s*[a-z]\w*\(")
_COMMENT = re.compile(r'"(?:[^"\\\n]|\\.)*"|/\*.*?\*/|//[^\n]*', re.DOTALL)


@dataclass(frozen=True, slots=True)
class CitedRow:
    """A text, a row of errors, or a rule of a flow, with its citations."""

    place: str
    subject: str
    citations: tuple[Citation, ...]


class Checkout:
    """The Java and Scala code of a revision of a repository."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.repository, _, revision = name.partition("@")
        self.revision = revision or "HEAD"
        if not Path(self.repository).is_dir():
            raise InputError("no such folder", self.repository)
        self._found: dict[Citation, str | None] = {}

    @cached_property
    def files(self) -> Mapping[str, str]:
        """The text of each file of code by its path, without comments."""
        texts = code_texts(Path(self.repository), self.revision, _SOURCE)
        files = {path: without_comments(text) for path, text in texts}
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

    def code(self, citation: Citation) -> str | None:
        """What a citation names, without comments and layout; None if there is no such code."""
        if citation not in self._found:
            self._found[citation] = self._code(citation)
        return self._found[citation]

    def place(self, citation: Citation) -> tuple[str, int] | None:
        """The file and the line where what a citation names begins; None if there is no such code.

        Where several files have a class of the name, that is the file with its name.
        """
        return next(iter(self.places(citation)), None)

    def places(self, citation: Citation) -> list[tuple[str, int]]:
        """All places of what a citation names, those in files with the name of its class first."""
        places = [(path, line) for path, line, _ in self._found_blocks(citation)]
        return sorted(places, key=lambda place: Path(place[0]).stem != citation.type)

    def _code(self, citation: Citation) -> str | None:
        blocks = (block for _, _, block in self._found_blocks(citation))
        return "\n".join(" ".join(block.split()) for block in blocks) or None

    def _found_blocks(self, citation: Citation) -> Iterator[tuple[str, int, str]]:
        name = citation.member
        pattern = rf"{_KIND}{name}\b|\bdef {name}\b|^[\w<>\[\],.?@ ]*[\w>\]] {name}\("
        for path in self.types.get(citation.type, ()):
            for line, block in _blocks(self.files[path], rf"{_KIND}{citation.type}\b"):
                if not name:
                    yield path, line, block
                    continue
                for inner, code in _blocks(block, pattern):
                    yield path, line + inner - 1, code


def code_texts(
    repository: Path, revision: str, wanted: re.Pattern[str]
) -> Iterator[tuple[str, str]]:
    """The files of a revision whose paths match, with their texts."""
    git = Git(repository)
    listed = git.run("ls-tree", "-r", "-z", revision).decode().split("\0")
    rows = [row.split("\t", 1) for row in listed if row]
    blobs = {path: head.split()[2] for head, path in rows if wanted.search(path)}
    output = git.run("cat-file", "--batch", data="\n".join(blobs.values()).encode() + b"\n")
    at = 0
    for path in blobs:
        end = output.index(b"\n", at)
        size = int(output[at:end].split()[-1])
        yield path, output[end + 1 : end + 1 + size].decode(errors="replace")
        at = end + size + 2


def without_comments(text: str) -> str:
    """Code or JSON without its comments, each line at its number."""
    return _COMMENT.sub(_string, text)


def cited_rows(texts: Mapping[str, ApiTexts]) -> Iterator[CitedRow]:
    """The texts that cite code: the file as a whole, single texts, and rows of errors."""
    for name, each in texts.items():
        sources = [(name, each.source)] if each.source else []
        sources += [(f"{name}: {text.text[:40]}", text.source) for text in each.cited]
        for subject, source in sources:
            yield CitedRow(each.path, subject, tuple(citations(source)))
        for error in each.errors:
            named = tuple(citations(error.source))
            if error.releases.startswith(UNRELEASED):
                named = tuple(Citation(item.type, item.member, is_current=False) for item in named)
            if named:
                yield CitedRow(each.path, f"{name} {error.name}", named)


def flow_rows(flows: Iterable[Flow]) -> Iterator[CitedRow]:
    """The rules of flows that cite code."""
    for flow in flows:
        for source in flow.sources():
            yield CitedRow(flow.path, flow.title, tuple(citations(source)))


def changes(
    rows: Iterable[CitedRow], old: Checkout, new: Checkout
) -> Iterator[tuple[CitedRow, Citation, str]]:
    """The rows whose code differs, with what differs and how."""
    for row in rows:
        for citation in row.citations:
            before, after = old.code(citation), new.code(citation)
            if before != after:
                yield (
                    row,
                    citation,
                    "added" if before is None else "removed" if after is None else "changed",
                )


def unresolved(rows: Iterable[CitedRow], checkout: Checkout) -> Iterator[tuple[CitedRow, Citation]]:
    """The citations of present code that a checkout does not have."""
    for row in rows:
        for citation in row.citations:
            if citation.is_current and checkout.code(citation) is None:
                yield row, citation


def _blocks(text: str, definition: str) -> Iterator[tuple[int, str]]:
    """The definitions that a pattern begins, with their lines.

    Each is to the end of its block, which its indentation shows.
    """
    lines = text.split("\n")
    for number, line in enumerate(lines):
        # The type of a method may be on the line before its name.
        begun = (
            f"{lines[number - 1].strip()} {line.strip()}"
            if number and _CALLED.match(line)
            else line
        )
        begin = re.search(definition, begun)
        if begin and not (begin[0].endswith("(") and _USE.search(begun)):
            yield number + 1, "\n".join(_block(lines, number))


def _block(lines: list[str], start: int) -> Iterator[str]:
    indent = _indent(lines[start])
    yield lines[start]
    for line in lines[start + 1 :]:
        if line.strip() and _indent(line) <= indent:
            if _indent(line) < indent or line.strip()[0] not in "})":
                return
            yield line
            if line.strip()[0] == "}":
                return
        else:
            yield line


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())


def _string(match: re.Match[str]) -> str:
    """Strings stay; comments become line ends, so that no code moves to another line."""
    return match[0] if match[0].startswith('"') else "\n" * match[0].count("\n")


def main(arguments: list[str]) -> int:
    """Print what a command finds; return 1 if citations do not resolve, 2 for bad input."""
    is_check = arguments[:1] == ["--check"]
    names = arguments[is_check:]
    if len(names) != (1 if is_check else 2) or any(name.startswith("-") for name in names):
        print(USAGE, file=sys.stderr)
        return 2
    try:
        rows = [*cited_rows(all_texts()), *flow_rows(all_flows())]
        checkouts = [Checkout(name) for name in names]
        if not is_check:
            return _print_changes(rows, *checkouts)
        return _print_unresolved(rows, checkouts[0])
    except (InputError, subprocess.SubprocessError) as error:
        print(error, file=sys.stderr)
        return 2


def _print_changes(rows: list[CitedRow], old: Checkout, new: Checkout) -> int:
    listed = list(changes(rows, old, new))
    for row, citation, how in listed:
        print(f"{row.place}: {row.subject}: {citation} {how}")
    print(f"{len({row.place for row, *_ in listed})} of {len(rows)} texts cite code that differs")
    return 0


def _print_unresolved(rows: list[CitedRow], checkout: Checkout) -> int:
    listed = list(unresolved(rows, checkout))
    for row, citation in listed:
        print(f"{row.place}: {row.subject}: there is no {citation} in {checkout.name}")
    print(f"{len(listed)} of {sum(len(row.citations) for row in rows)} citations do not resolve")
    return int(bool(listed))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
