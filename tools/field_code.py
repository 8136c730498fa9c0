"""Writes specs/kafka/field_code.json: which methods of Kafka set and read each field of a message.

    python -m tools.field_code CHECKOUT CLASSES...     write it from compiled classes
    python -m tools.field_code --check CHECKOUT        list the methods that do not set or read their field

CHECKOUT is a folder or REPO@REF of the release that the texts were compared with, CLASSES are folders with
what is compiled from it. The bytecode says whose setter or getter a method calls, which its text often does
not. Of several methods, one for each side is listed: that of the server or of the client, whichever the
message is for, and there the one that deals with most fields of the message.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import NamedTuple

from tools.changed_sources import Checkout
from wirebook.specs.kafka.citations import Citation, citations
from wirebook.specs.kafka.field_code import PATH, field_code
from wirebook.specs.kafka.registry import embedded_protocol
from wirebook.specs.kafka.releases import known_releases
from wirebook.specs.model import Message
from wirebook.specs.problems import InputError
from wirebook.specs.texts.model import FieldCode
from wirebook.specs.wire.layout import LayoutField, layouts

USAGE = "usage: field_code.py CHECKOUT CLASSES... | field_code.py --check CHECKOUT (a folder or REPO@REF)"
_GENERATED = (
    r"(?:org/apache/kafka/(?:common/message|common/metadata|(?:\w+/)+generated)|kafka/internals/generated)/"
)
_CALL = re.compile(rf"Method {_GENERATED}([\w$]+)\.(\w+):\(")
_CLASS = re.compile(r"^(?:[a-z-]+ )*(?:class|interface|enum) ([\w.$]+)")
_METHOD = re.compile(r"^  \S.*?([\w$]+)\([^()]*\)[^()]*;$")
# The method around a lambda, and around a function or closure inside a method in Scala.
_INNER = re.compile(r"^(?:lambda|\$anonfun)\$(\w+?)\$\d+(?:\$adapted)?$|^([a-zA-Z]\w*?)\$\d+$")
# What prints, counts or compares messages deals with every field and explains none.
_NO_SOURCE = re.compile(
    r"JsonConverter|RequestConvertToJson|MessageFormatter|MockClient|[./](?:shell|tools|util)[./]"
    r"|#(?:equals|hashCode|toString|prettyPrintJson|errorCounts|new|static)$"
)
_DATA = ("request", "response", "header")
_CLIENT = "org.apache.kafka.clients."
_REQUESTS = "org.apache.kafka.common.requests."
_COMMON = "org.apache.kafka.common."
_RAFT = "org.apache.kafka.raft."
_JAVAP_FILES = 500


class Call(NamedTuple):
    """A call of a setter or getter: by whom, of which field of which generated class."""

    caller: str
    method: str
    struct: str
    field: str
    is_set: bool


def calls(lines: Iterable[str]) -> Iterator[Call]:
    """The calls in what javap prints about classes."""
    caller = method = ""
    for line in lines:
        if not line.startswith(" "):
            begun = _CLASS.match(line)
            caller = begun[1] if begun else caller
        elif not line.startswith("   "):
            begun = _METHOD.match(line)
            method = _outer(begun[1]) if begun else ""
        elif (
            method
            and (call := _CALL.search(line))
            and not _NO_SOURCE.search(f"{caller.split('$')[0]}#{method}")
        ):
            struct, name = call.groups()
            is_set = bool(re.match(r"set[A-Z]", name))
            yield Call(caller.split("$")[0], method, struct, _lower(name[3:]) if is_set else name, is_set)


def field_classes(message: Message) -> Mapping[str, Iterable[tuple[str, str]]]:
    """By path of a field: the generated classes that have it, with the name of its getter."""
    root = f"{message.name}Data" if message.type in _DATA else message.name
    classes: dict[str, dict[tuple[str, str], None]] = {}

    def collect(fields: Iterable[LayoutField], struct: str) -> None:
        for each in fields:
            classes.setdefault(each.path, {})[struct, _lower(each.name)] = None
            collect(each.fields or (), f"{root}${each.struct}")

    for of_version in layouts(message):
        collect(of_version.fields, root)
    return classes


class Found:
    """The calls of compiled classes, and the code of a checkout that they were compiled from."""

    def __init__(self, found: Iterable[Call], checkout: Checkout) -> None:
        self.checkout = checkout
        self._callers: dict[tuple[str, str, bool], Counter[tuple[str, str]]] = {}
        self._dealt_with: dict[tuple[str, str, str, bool], set[tuple[str, str]]] = {}
        for each in found:
            caller = each.caller, each.method
            self._callers.setdefault((each.struct, each.field, each.is_set), Counter())[caller] += 1
            message = each.struct.split("$")[0]
            fields = self._dealt_with.setdefault((message, *caller, each.is_set), set())
            fields.add((each.struct, each.field))

    def code_of(self, message: Message) -> Mapping[str, FieldCode]:
        """By path: the code of each field that has some."""
        fields = {
            path: FieldCode(
                self._best(message, classes, is_set=True), self._best(message, classes, is_set=False)
            )
            for path, classes in field_classes(message).items()
        }
        return {path: code for path, code in fields.items() if code.source}

    def _best(self, message: Message, classes: Iterable[tuple[str, str]], *, is_set: bool) -> str:
        for struct, field in classes:
            callers = self._callers.get((struct, field, is_set), Counter())

            def rank(caller: tuple[str, str], struct: str = struct) -> tuple[int, int, tuple[str, str]]:
                fields = self._dealt_with[struct.split("$")[0], *caller, is_set]
                return _distance(message.type, *caller, is_set=is_set), -len(fields), caller

            for name, method in sorted(callers, key=rank):
                citation = Citation(name.rpartition(".")[2], method)
                if self._is_clear(citation) and deals_with(self.checkout, citation, field, is_set=is_set):
                    return str(citation)
        return ""

    def _is_clear(self, citation: Citation) -> bool:
        """Whether only one file has a class of the name: a source has no packages."""
        files = self.checkout.types.get(citation.type, [])
        return len(files) == 1 or sum(Path(path).stem == citation.type for path in files) == 1


def _distance(kind: str, name: str, method: str, *, is_set: bool) -> int:
    """How far a method is from the side that a field is for: the server reads requests and sets responses."""
    if method == "getErrorResponse":
        return 9
    is_client, is_request = name.startswith(_CLIENT), name.startswith(_REQUESTS)
    is_common = name.startswith(_COMMON) and not is_request
    is_server = not (is_client or is_request or is_common)
    # Nodes of the quorum are servers and clients of each other.
    raft = int(name.startswith(_RAFT))
    if kind == "header":
        return 0 if is_request else 1
    if kind not in _DATA:
        return int(is_client)
    if (kind == "response") == is_set:
        return raft if is_server else 2 if is_request else 3
    return 0 if is_client else 1 + raft if is_server else 3 if is_common else 4


def deals_with(checkout: Checkout, citation: Citation, field: str, *, is_set: bool) -> bool:
    """Whether the text of a method calls a setter or getter of this name."""
    code = checkout.code(citation)
    pattern = rf"\bset{field[0].upper()}{field[1:]}\(" if is_set else rf"[.:]{field}\b"
    return code is not None and re.search(pattern, code) is not None


def doubtful(checkout: Checkout) -> Iterator[str]:
    """The methods listed now that do not set or read their field in a checkout, a sentence for each."""
    for message, fields in field_code().items():
        for path, code in fields.items():
            field = _lower(path.rpartition(".")[2])
            for source, is_set in ((code.set_in, True), (code.read_in, False)):
                for citation in citations(source):
                    if not deals_with(checkout, citation, field, is_set=is_set):
                        verb = "set" if is_set else "read"
                        yield f"{message}.{path}: {citation} does not {verb} it in {checkout.name}"


def printed(folders: Iterable[Path]) -> Iterator[str]:
    """The lines of javap about the classes of some folders, without those that Kafka generates."""
    generated = re.compile(_GENERATED)
    files = [
        str(path)
        for folder in folders
        for path in sorted(folder.rglob("*.class"))
        if "kafka" in path.parts and not generated.search(path.as_posix())
    ]
    if not files:
        raise InputError("no class of Kafka", ", ".join(map(str, folders)))
    for at in range(0, len(files), _JAVAP_FILES):
        command = ["javap", "-p", "-c", *files[at : at + _JAVAP_FILES]]
        yield from subprocess.run(
            command, capture_output=True, check=True, encoding="utf-8"
        ).stdout.splitlines()


def document_text(fields: Mapping[str, Mapping[str, FieldCode]]) -> str:
    """The file, with a line for each field."""
    messages = []
    for name, of_message in sorted(fields.items()):
        rows = (f"      {json.dumps(path)}: {json.dumps(code)}" for path, code in of_message.items())
        messages.append(f"    {json.dumps(name)}: {{\n" + ",\n".join(rows) + "\n    }")
    return (
        '{\n  "schema": "wirebook/field-code/1",\n'
        f'  "release": {json.dumps(known_releases().verified)},\n  "fields": {{\n'
        + ",\n".join(messages)
        + "\n  }\n}\n"
    )


@cache
def _outer(method: str) -> str:
    inner = _INNER.match(method)
    return (inner[1] or inner[2]) if inner else method


def _lower(name: str) -> str:
    return name[:1].lower() + name[1:]


def main(arguments: list[str]) -> int:
    """Write the file, or print what is doubtful; return 1 if something is, 2 for bad input."""
    is_check = arguments[:1] == ["--check"]
    names = arguments[is_check:]
    if (len(names) != 1 if is_check else len(names) < 2) or any(name.startswith("-") for name in names):
        print(USAGE, file=sys.stderr)
        return 2
    try:
        checkout = Checkout(names[0])
        if is_check:
            problems = list(doubtful(checkout))
            print("\n".join([*problems, f"{len(problems)} methods do not set or read their field"]))
            return int(bool(problems))
        found = Found(calls(printed(map(Path, names[1:]))), checkout)
        fields = {message.name: found.code_of(message) for message in embedded_protocol().messages}
    except (InputError, OSError, subprocess.SubprocessError) as error:
        print(error, file=sys.stderr)
        return 2
    fields = {name: of_message for name, of_message in fields.items() if of_message}
    PATH.write_text(document_text(fields), encoding="utf-8")
    print(f"{sum(map(len, fields.values()))} fields of {len(fields)} messages")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
