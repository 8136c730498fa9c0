"""Lists the texts whose cited code differs between two checkouts of Kafka: what to read again.

    tools/changed_sources.py OLD NEW      the texts whose cited method or class differs
    tools/changed_sources.py --check NEW  the citations that do not resolve in a checkout

A checkout is REPO@REF, or REPO for its HEAD.
"""

from __future__ import annotations

import re
import subprocess
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from difflib import SequenceMatcher
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
_WORD = re.compile(r"[A-Za-z_]\w*")
_TEXT = re.compile(r's?"(?:[^"\\\n]|\\.)*"')
_LOGS = re.compile(r"\b(?:log|LOG|logger)\.\w+\(|^(?:trace|debug|info|warn|error)\(")
# Keywords, collections, and the classes of messages: they change when code is moved to Java.
_PLUMBING = re.compile(
    r"^(?:\w{1,2}|public|protected|private|final|static|abstract|override|def|val|var|new|return|this"
    r"|super|class|object|trait|case|match|else|for|[fF]or[eE]ach|while|try|catch|throws?|[Ss]tring"
    r"|[Ii]nt|[Ii]nteger|[Ll]ong|[Ss]hort|[Bb]yte|[Bb]oolean|Unit|[Vv]oid|Any|Option|Optional|Some|None"
    r"|Nil|Seq|List|Set|Map|util|java|scala|lang|Arrays|Collect\w*|ArrayList|Hash(?:Map|Set)|as(?:Scala|Java)"
    r"|to(?:Seq|Set|List|Map|Array|String)|iterator|stream|collect|map|flatMap|filter|filterNot|filterKeys"
    r"|get|(?:get)?[oO]rElse(?:Get)?|apply|accept|isEmpty|isDefined|isPresent|nonEmpty|empty|classOf|body"
    r"|asInstanceOf|[rR]equest|[rR]equestChannel|Function|Supplier|Consumer|(?:Completable)?[Ff]uture"
    r"|format|Objects|Utils|requireNonNull|null|true|false|and|into|add|put|contains(?:Key)?|equals"
    r"|hashCode|ifPresent|entrySet|keySet|values?|key|length|size|name|Override|Deprecated|yield|switch"
    r"|default|break|instanceof|data|context|identity|logIfDenied|extends|implements|forCode|code"
    r"|\w*[bB]yAuthorized|partitionResult|authorized|unauthorized|thenCompose|handle|whenComplete"
    r"|exceptionally)$|(?:Request|Response|Data|Builder|Collection|Handler|Iterable)$"
)
# Names of errors, of fields, and of settings.
_NAMED = re.compile(
    r"\b(?:[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+|[A-Z][a-z]+(?:[A-Z][a-z0-9]*)+|[a-z]+(?:\.[a-z]+)+)\b"
)
_PLAIN = re.compile(
    r"\b(?!(?:which|other|their|there|these|those|after|before|would|because|every|always|again"
    r"|values?|errors?|clients?|brokers?|requests?|responses?|null|order|entry|entries|match|checks?"
    r"|without|numbers?|means?|needs?|where|while|since|later|named|first|second|whole|never|under"
    r"|above|below|fields?|current|arrays?|given|only|with|from|that|this|when|what|then|than|they"
    r"|have|does|into|same|such)\b)[a-z]{4,}"
)
# A plain word of a text counts if at most so many differences have it.
_FEW = 3
_COMMENT = re.compile(r'"(?:[^"\\\n]|\\.)*"|/\*.*?\*/|//[^\n]*', re.DOTALL)


@dataclass(frozen=True, slots=True)
class CitedRow:
    """A text, a row of errors, or a rule of a flow, with its citations and what it says."""

    place: str
    subject: str
    citations: tuple[Citation, ...]
    text: str = ""


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
        lines = (" ".join(line.split()) for block in blocks for line in block.split("\n"))
        return "\n".join(filter(None, lines)) or None

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
        if each.source:
            yield CitedRow(each.path, name, tuple(citations(each.source)))
        for text in each.cited:
            subject = f"{name}: {text.text[:40]}"
            yield CitedRow(each.path, subject, tuple(citations(text.source)), text.text)
        for error in each.errors:
            named = tuple(citations(error.source))
            if error.releases.startswith(UNRELEASED):
                named = tuple(Citation(item.type, item.member, is_current=False) for item in named)
            if named:
                said = f"{error.name} {error.cause} {error.action}"
                yield CitedRow(each.path, f"{name} {error.name}", named, said)


def flow_rows(flows: Iterable[Flow]) -> Iterator[CitedRow]:
    """The rows of flows that cite code."""
    for flow in flows:
        for source in flow.sources():
            yield CitedRow(flow.path, flow.title, tuple(citations(source)), flow.title)


def changes(
    rows: Iterable[CitedRow], old: Checkout, new: Checkout
) -> Iterator[tuple[CitedRow, Citation, str]]:
    """The rows whose code differs in what they are about, with what differs and how.

    A row is about the names of errors, fields and settings in its text, which may stand near the
    lines that differ, and about other words of it that few of the differences have.
    """
    differing = [
        (row, citation, old.code(citation), new.code(citation))
        for row in rows
        for citation in row.citations
        if old.code(citation) != new.code(citation)
    ]
    found = {
        citation: difference(before, after)
        for _, citation, before, after in differing
        if before is not None and after is not None
    }
    common = Counter(word for each in found.values() for word in each.words)
    for row, citation, before, after in differing:
        if before is None or after is None:
            yield row, citation, "added" if before is None else "removed"
            continue
        own = {word for word in found[citation].words if common[word] <= _FEW}
        named = {word.replace(".", "_").lower() for word in _NAMED.findall(row.text)}
        named |= {word.replace("_", "") for word in named}
        plain = {word.rstrip("s") for word in _PLAIN.findall(row.text.lower())}
        if _have(found[citation].near, named) or _have(own, plain):
            yield row, citation, "changed"


@dataclass(frozen=True, slots=True)
class Difference:
    """The words in which two versions of code differ, and those of the lines around them."""

    words: frozenset[str] = frozenset()
    near: frozenset[str] = frozenset()


def difference(before: str, after: str) -> Difference:
    """How code differs, without logging, strings, and what moves between Java and Scala."""
    old, new = (list(_statements(code)) for code in (before, after))
    counts = [Counter(word for line in lines for word in line) for lines in (old, new)]
    words = frozenset((counts[0] - counts[1]) + (counts[1] - counts[0]))
    near: set[str] = set()
    one, other = ([" ".join(line) for line in lines] for lines in (old, new))
    matcher = SequenceMatcher(None, one, other, autojunk=False)
    for kind, first, last, start, end in matcher.get_opcodes():
        differing = {word for line in old[first:last] + new[start:end] for word in line}
        if kind != "equal" and differing & words:
            around = old[max(0, first - 1) : last + 1] + new[max(0, start - 1) : end + 1]
            near.update(word for line in around for word in line)
    return Difference(words, frozenset(near))


def _statements(code: str) -> Iterator[list[str]]:
    """The words of each line that say what code does."""
    logged = 0
    for line in code.split("\n"):
        if logged or _LOGS.search(line):
            logged = max(0, logged + line.count("(") - line.count(")"))
            continue
        words = _WORD.findall(_TEXT.sub("", line))
        said = [word for word in words if not _PLUMBING.search(word)]
        yield [re.sub(r"^(?:set|get|is|maybe)(?=[A-Z])", "", word).lower() for word in said]


def _have(words: Iterable[str], wanted: Iterable[str]) -> bool:
    wanted = [word for word in wanted if len(word) > 3]
    return any(each in word for word in words for each in wanted)


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
    texts = {(row.place, row.subject) for row, *_ in listed}
    print(f"{len(texts)} of {len(rows)} texts cite code that differs in what they are about")
    return 0


def _print_unresolved(rows: list[CitedRow], checkout: Checkout) -> int:
    listed = list(unresolved(rows, checkout))
    for row, citation in listed:
        print(f"{row.place}: {row.subject}: there is no {citation} in {checkout.name}")
    print(f"{len(listed)} of {sum(len(row.citations) for row in rows)} citations do not resolve")
    return int(bool(listed))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
