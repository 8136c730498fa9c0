"""Lists the texts whose cited code does something else in another checkout of Kafka.

    python -m tools.changed_sources OLD NEW

A checkout is REPO@REF, or REPO for its HEAD. The list has, below each citation, the places of the
texts. Comments, layout, types, logging and text count
nowhere. Each difference of a short method counts for each text that cites it; of longer code only
what a text is about: names of errors near the lines that differ, or other names that differ.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from pathlib import Path

from wirebook.specs.git import Git
from wirebook.specs.kafka import facts
from wirebook.specs.kafka.flows import Flow, all_flows
from wirebook.specs.kafka.origins import Citation, citations
from wirebook.specs.kafka.registry import FOLDER
from wirebook.specs.kafka.texts import ApiTexts, all_texts
from wirebook.specs.problems import InputError

_SOURCE = re.compile(r"(?:^|/)src/main/.*\.(?:java|scala)$")
_COMMENT = re.compile(r'"(?:[^"\\\n]|\\.)*"|/\*.*?\*/|//[^\n]*', re.DOTALL)
_KIND = r"\b(?:class|interface|enum|object|trait|record)\s+"
_TYPES = re.compile(rf"{_KIND}([A-Z]\w*)")
# What looks like the definition of a method and is none.
_USE = re.compile(r"\b(?:return|new|throw|else)\b")
_CALLED = re.compile(r"\s*[a-z]\w*\(")
_STRING = re.compile(r's?"(?:[^"\\\n]|\\.)*"')
_LOGS = re.compile(r"\b(?:log|LOG|logger)\.\w+\(|^(?:trace|debug|info|warn|error)\(")
_NAME = re.compile(r"[A-Za-z_]\w*")
# Members, calls, constants, numbers, and names of several words: what code does. Types and short
# names of locals are only its form.
_DOES = re.compile(
    r"(?<=\.)[a-z]\w*|\b[a-z]\w*(?=\()|\b[a-z]+[A-Z]\w*|\b[A-Z][A-Z0-9_]+\b|\b\d+\b|\bnull\b"
)
_ACCESS = re.compile(r"^(?:set|get|is|maybe)(?=[A-Z])")
# Collections differ between Java and Scala, and from one style to the next.
_COLLECTIONS = re.compile(
    r"^(?:to[A-Z]\w*|as[A-Z]\w*|[eE]mpty\w*|foreach|accept|apply|iterator|collect|(?:entry|key)Set"
    r"|put|addAll|flatMap|of\w*|or[A-Z]\w+)$"
)
_PART = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|\d+")
_KEY = re.compile(r'( *)"([^"]+)": ')
_ERROR = re.compile(r"\b[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+\b")
# A method of so many lines is about one thing.
_SHORT = 40
# A name that differs in the code of more citations was renamed or replaced everywhere.
_FEW = 6


@dataclass(frozen=True, slots=True)
class CitedRow:
    """A text, a row of errors, or a rule of a flow, with its citations and what it says.

    `place` is its file, and `subject` a part of the line that has it.
    """

    place: str
    subject: str
    source: str
    text: str = ""

    @property
    def citations(self) -> tuple[Citation, ...]:
        """The code that its source names."""
        return tuple(citations(self.source))


class Checkout:
    """The Java and Scala code of a revision of a repository."""

    def __init__(self, name: str) -> None:
        self.name = name
        place, _, ref = name.partition("@")
        self.repository = Path(place)
        if not self.repository.is_dir():
            raise InputError("no such folder", place)
        self.commit = Git(self.repository).commit(ref or "HEAD") or ""
        if not self.commit:
            raise InputError(f'there is no commit "{ref or "HEAD"}"', place)

    @cached_property
    def files(self) -> Mapping[str, str]:
        """The text of each file of code by its path, without comments."""
        with Git(self.repository) as git:
            texts = code_texts(git, self.commit, _SOURCE)
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

    def code(self, citation: Citation) -> str:
        """What a citation names, without comments and layout; "" if there is no such code."""
        blocks = (block for _, _, block in self._blocks(citation))
        lines = (" ".join(line.split()) for block in blocks for line in block.split("\n"))
        return "\n".join(filter(None, lines))

    def places(self, citation: Citation) -> list[tuple[str, int]]:
        """The files and lines where what a citation names begins, files named for its class
        first."""
        places = [(path, line) for path, line, _ in self._blocks(citation)]
        return sorted(places, key=lambda place: Path(place[0]).stem != citation.type)

    def _blocks(self, citation: Citation) -> Iterator[tuple[str, int, str]]:
        name = citation.member
        pattern = rf"{_KIND}{name}\b|\bdef {name}\b|^[\w<>\[\],.?@ ]*[\w>\]] {name}\("
        for path in self.types.get(citation.type, ()):
            for line, block in _blocks(self.files[path], rf"{_KIND}{citation.type}\b"):
                if not name:
                    yield path, line, block
                    continue
                for inner, code in _blocks(block, pattern):
                    yield path, line + inner - 1, code


def code_texts(git: Git, commit: str, wanted: re.Pattern[str]) -> Iterator[tuple[str, str]]:
    """The files of a commit whose paths match, with their texts."""
    for row in git.run("ls-tree", "-r", "-z", commit).decode().split("\0"):
        head, _, path = row.partition("\t")
        if wanted.search(path):
            text = git.read(head.split()[2], path) or b""
            yield path, text.decode(errors="replace")


def without_comments(text: str) -> str:
    """Code or JSON without its comments, each line at its number."""

    def blank(match: re.Match[str]) -> str:
        is_string = match[0].startswith('"')
        return match[0] if is_string else "\n" * match[0].count("\n")

    return _COMMENT.sub(blank, text)


def cited_rows(texts: Mapping[str, ApiTexts]) -> Iterator[CitedRow]:
    """The texts that cite code: the file as a whole, single texts, rows of errors, and fields by
    the code that sets and reads them."""
    for each in texts.values():
        yield CitedRow(each.path, _written(each.source), each.source)
        for text in each.cited:
            yield CitedRow(each.path, _written(text.text), text.source, text.text)
        for error in each.errors:
            said = f"{error.name} {error.cause} {error.action}"
            yield CitedRow(each.path, _written(error.cause), error.source, said)
        own = {text.text for text in each.cited}
        for name, message in each.messages.items():
            code = facts("field_code.json")["fields"].get(name, {})
            for path, about in message.fields.items():
                for said in {text.text for text in about if path in code} - own:
                    yield CitedRow(each.path, _written(said), "; ".join(code[path]), said)


def flow_rows(flows: Iterable[Flow]) -> Iterator[CitedRow]:
    """The rows of flows that cite code."""
    for flow in flows:
        for source in flow.sources():
            yield CitedRow(flow.path, _written(source), source, flow.title)


def _written(text: str) -> str:
    """How a text begins in a file."""
    return json.dumps(text[:40], ensure_ascii=False)[1:-1]


def places(row: CitedRow) -> list[str]:
    """Where a row is written: the file, the line, and the keys that lead to it."""
    found = []
    keys: list[re.Match[str]] = []
    text = (FOLDER.parents[1] / row.place).read_text(encoding="utf-8")
    for number, line in enumerate(text.splitlines(), 1):
        key = _KEY.match(line)
        if key is not None:
            keys = [each for each in keys if len(each[1]) < len(key[1])] + [key]
        if row.subject in line:
            found.append(f"{row.place}:{number}: {'.'.join(each[2] for each in keys)}")
    return found or [f"{row.place}:1: {row.subject}"]


def changes(
    rows: Iterable[CitedRow], old: Checkout, new: Checkout
) -> Iterator[tuple[CitedRow, Citation, str]]:
    """The rows whose code differs in what they are about, with what differs and how."""
    cited = [(row, citation) for row in rows for citation in row.citations]
    codes: dict[Citation, tuple[str, str]] = {}
    differing: dict[Citation, set[str]] = {}
    for _, citation in cited:
        if citation not in codes:
            before, after = codes[citation] = old.code(citation), new.code(citation)
            if before and after and before != after:
                differing[citation] = difference(before, after)
    common = Counter(chain.from_iterable(differing.values()))
    for row, citation in cited:
        before, after = codes[citation]
        if bool(before) != bool(after):
            yield row, citation, "removed" if before else "added"
        elif citation in differing and row.text:
            names = {name for name in differing[citation] if name.isupper() or common[name] <= _FEW}
            if names and _concerns(row, citation, names, before, after):
                yield row, citation, "changed"


def _concerns(row: CitedRow, citation: Citation, names: set[str], before: str, after: str) -> bool:
    """Whether a row is about what differs: a short method as a whole, or these names."""
    if citation.member and before.count("\n") < _SHORT:
        return True
    return is_about(row.text, names, near(before, names) | near(after, names))


def difference(before: str, after: str) -> set[str]:
    """The members, calls and constants that only one version of code has, or more often."""
    return _only_in(before, after) | _only_in(after, before)


def _only_in(code: str, other: str) -> set[str]:
    """The names of code that another version does not have, or not as often for constants."""
    own = Counter(chain.from_iterable(does(code)))
    others = Counter(chain.from_iterable(does(other)))
    there = {_ACCESS.sub("", name) for name in _NAME.findall(other)}
    constants = {name for name in own - others if name.isupper() or name == "null"}
    return constants | (own.keys() - others.keys() - there)


def does(code: str) -> Iterator[list[str]]:
    """What each line of code does, without logging: its members, calls and constants."""
    logged = 0
    for line in code.split("\n"):
        if logged or _LOGS.search(line):
            logged = max(0, logged + line.count("(") - line.count(")"))
            continue
        names = (_ACCESS.sub("", name) for name in _DOES.findall(_STRING.sub("", line)))
        yield [name for name in names if not _COLLECTIONS.match(name)]


def near(code: str, names: set[str]) -> set[str]:
    """What the lines with names that differ and the lines next to them do."""
    lines = list(does(code))
    around: set[str] = set()
    for at, line in enumerate(lines):
        if not names.isdisjoint(line):
            around.update(*lines[max(0, at - 1) : at + 2])
    return around


def is_about(text: str, names: set[str], around: set[str]) -> bool:
    """Whether a text has an error of the lines around, or all words of a name that differs."""
    if not around.isdisjoint(_ERROR.findall(text)):
        return True
    words = parts(text)
    return any(parts(name) and parts(name) <= words for name in names)


def parts(text: str) -> set[str]:
    """The words of a text and of the names in it: "leader" and "epoch" of "leaderEpochs"."""
    return {part.lower().rstrip("s") for part in _PART.findall(text) if len(part) > 2}


def _blocks(text: str, definition: str) -> Iterator[tuple[int, str]]:
    """The definitions that a pattern begins, with their lines.

    Each is to the end of its block, which its indentation shows.
    """
    lines = text.split("\n")
    for number, line in enumerate(lines):
        # The type of a method may be on the line before its name.
        is_call = number and _CALLED.match(line)
        begun = f"{lines[number - 1].strip()} {line.strip()}" if is_call else line
        begin = re.search(definition, begun)
        if begin and not (begin[0].endswith("(") and _USE.search(begun)):
            indent = len(line) - len(line.lstrip())
            block = [line]
            for after in lines[number + 1 :]:
                here = len(after) - len(after.lstrip())
                if after.strip() and here <= indent:
                    if here == indent and after.strip()[0] in "})":
                        block.append(after)
                    if here < indent or after.strip()[0] != ")":
                        break
                else:
                    block.append(after)
            yield number + 1, "\n".join(block)


def listed(old: str, new: str) -> Iterator[str]:
    """The texts to read again, below the code that they cite. Raises InputError."""
    rows = [*cited_rows(all_texts()), *flow_rows(all_flows())]
    by_code: dict[str, list[CitedRow]] = {}
    for row, citation, how in changes(rows, Checkout(old), Checkout(new)):
        by_code.setdefault(f"{citation} {how}", []).append(row)
    for code, of_code in by_code.items():
        yield code
        yield from (f"  {place}" for place in dict.fromkeys(chain(*map(places, of_code))))
    texts = {(row.place, row.subject) for of_code in by_code.values() for row in of_code}
    yield f"{len(texts)} of {len(rows)} texts cite code that differs in what they are about"


def run(work: Callable[[str, str], Iterable[str]], arguments: list[str]) -> int:
    """Print the lines of a tool for two checkouts; return 2 for bad input."""
    if len(arguments) != 2 or any(name.startswith("-") for name in arguments):
        print("give two checkouts of Kafka, OLD and NEW, each as REPO@REF", file=sys.stderr)
        return 2
    try:
        lines = list(work(*arguments))
    except (InputError, subprocess.SubprocessError, OSError, ValueError) as error:
        print(error, file=sys.stderr)
        return 2
    print("\n".join(lines))
    return 0


if __name__ == "__main__":
    sys.exit(run(listed, sys.argv[1:]))
