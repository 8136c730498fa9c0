"""Compares our codec with Kafka's own classes, compiled from a checkout: bytes, values and
defaults.

    python -m tools.kafka_classes.compare REPO@REF [--jars FOLDER]... [--each NUMBER]

For every message and version that the checkout has: random messages that we encode, and one of
defaults, are read by Kafka's class, which must understand the same values and write the same bytes;
and the same values, as JSON, must become our bytes. A field that a version lacks must be dropped if
it is ignorable, and stop the message otherwise.
"""

from __future__ import annotations

import argparse
import base64
import json
import random
import subprocess
import sys
import uuid
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from tools.kafka_classes.compiled import Classes, compiled, found_jars
from wirebook.specs.codec import codec
from wirebook.specs.defaults import INTEGERS
from wirebook.specs.kafka.registry import embedded_protocol
from wirebook.specs.layout import Layout, LayoutField, layout
from wirebook.specs.model import Json, Message
from wirebook.specs.problems import InputError

_TEXTS = ("", "a", "topic-1", "é☃𝄞", "x" * 127, "y" * 128, "z" * 300)
_BYTES = ("", "00", "ff" * 126, "ab" * 127, "cd" * 200)


@dataclass
class Tally:
    """What was compared, and what differs, a line for each."""

    messages: int = 0
    versions: int = 0
    compared: int = 0
    bytes: int = 0
    dropped: int = 0
    refused: int = 0
    absent: list[str] = field(default_factory=list)
    differences: list[str] = field(default_factory=list)

    def __str__(self) -> str:
        return (
            f"{self.messages} messages in {self.versions} versions: {self.compared} comparisons of"
            f" {self.bytes} bytes; {self.dropped} fields dropped and {self.refused} refused in "
            "versions"
            f" that lack them; {len(self.differences)} differences;"
            f" {len(self.absent)} messages are not in the checkout"
        )


def compare(classes: Classes, each: int = 8, seed: int = 1) -> Tally:
    """Compare all messages of the classes, with a number of random values for each version."""
    tally = Tally()
    own = {message.name: message for message in embedded_protocol().messages}
    tally.absent = sorted(own.keys() - classes.names.keys())
    names = sorted(own.keys() & classes.names.keys())
    ranges = classes.answers(f"versions\t{classes.names[name]}" for name in names)
    questions: list[Question] = []
    for name, supported in zip(names, ranges, strict=True):
        tally.messages += 1
        versions = [
            version
            for version in own[name].valid_versions
            if supported["lowest"] <= version <= supported["highest"]
        ]
        layouts = {version: layout(own[name], version) for version in versions}
        tally.versions += len(layouts)
        questions += questions_of(classes.names[name], own[name], layouts, each, seed)
    answers = list(classes.answers(question.line for question in questions))
    for question, answer in zip(questions, answers, strict=True):
        problem = question.judged(answer, tally)
        if problem:
            tally.differences.append(f"{question.subject}: {problem}")
    return tally


@dataclass(frozen=True)
class Question:
    """A line to Kafka's classes, and the answer that ours imply: bytes and value, or that it is
    refused."""

    subject: str
    line: str
    data: str
    value: Json = None
    is_refused: bool = False
    is_dropped: bool = False

    def judged(self, answer: Mapping[str, Any], tally: Tally) -> str:
        """What differs; "" for nothing."""
        if self.is_refused:
            tally.refused += 1
            return "" if "unsupported" in answer else f"is written: {answer}"
        if self.is_dropped:
            tally.dropped += 1
        tally.compared += 1
        tally.bytes += len(self.data) // 2
        if answer.get("bytes") != self.data or answer.get("left", 0):
            return f"{self.data} is {answer}"
        if "value" in answer and answer["value"] != self.value:
            return f"{self.value} is {answer['value']}"
        return ""


def questions_of(
    name: str, message: Message, layouts: Mapping[int, Layout], each: int, seed: int
) -> Iterator[Question]:
    """The questions about a message, whose class has this name."""
    chance = random.Random(f"{seed} {message.name}")
    for of in layouts.values():
        yield from _of_version(name, of, each, chance)
    yield from _of_absent_fields(name, message, layouts, chance)


def _of_version(name: str, of: Layout, each: int, chance: random.Random) -> Iterator[Question]:
    values: list[dict[str, Json]] = [{}, *(_random(of.fields, chance) for _ in range(each))]
    for value in values:
        data = codec(of).encode(value)
        read = codec(of).decode(data)
        subject = f"{of.message.name} {of.version}"
        shown, given = (_kafka_json(read, of.fields, is_written) for is_written in (True, False))
        yield Question(subject, f"read\t{name}\t{of.version}\t{data.hex()}", data.hex(), shown)
        yield Question(subject, _write_line(name, of.version, of.version, given), data.hex())


def _of_absent_fields(
    name: str, message: Message, layouts: Mapping[int, Layout], chance: random.Random
) -> Iterator[Question]:
    """Each top-level field with another value than its default, written in each version that lacks
    it."""
    for version, of in layouts.items():
        for own in of.fields:
            value: dict[str, Json] = {own.name: _other(own, chance)}
            given = _kafka_json(
                codec(of).decode(codec(of).encode(value)), of.fields, is_written=False
            )
            for lower, other in layouts.items():
                if own.name in {each.name for each in other.fields}:
                    continue
                subject = f"{message.name} {lower}: {own.name} of {version}"
                line = _write_line(name, lower, version, given)
                data = codec(other).encode({}).hex()
                yield Question(subject, line, data, None, not own.ignorable, own.ignorable)


def _write_line(name: str, version: int, read: int, value: Json) -> str:
    return f"write\t{name}\t{version}\t{read}\t{json.dumps(value, ensure_ascii=False)}"


def _random(fields: Sequence[LayoutField], chance: random.Random) -> dict[str, Json]:
    """A value of a struct; tagged fields may be left out."""
    return {
        each.name: _of_field(each, chance)
        for each in fields
        if each.tag is None or chance.random() < 0.6
    }


def _of_field(of: LayoutField, chance: random.Random) -> Json:
    if of.nullable and chance.random() < 0.2:
        return None
    if of.element is not None:
        return [_of_type(of, of.element, chance) for _ in range(chance.randrange(3))]
    return _of_type(of, of.type, chance)


def _of_type(of: LayoutField, type_: str, chance: random.Random) -> Json:
    if of.fields is not None:
        return _random(of.fields, chance)
    if type_ in INTEGERS:
        lowest, highest = INTEGERS[type_]
        return chance.choice((0, 1, lowest, highest, chance.randint(lowest, highest)))
    if type_ == "BOOLEAN":
        return chance.random() < 0.5
    if type_ == "UUID":
        return str(uuid.UUID(int=chance.getrandbits(128)))
    if type_ == "FLOAT64":
        return chance.uniform(-1e9, 1e9)
    return chance.choice(_TEXTS if type_.endswith("STRING") else _BYTES)


def _other(of: LayoutField, chance: random.Random) -> Json:
    """A value of a field that is not its default."""
    while True:
        value = _of_field(of, chance)
        if value != of.default and not (of.fields is not None and of.element is None):
            return value
        if of.fields is not None and of.element is None:
            return {each.name: _other(each, chance) for each in of.fields}


def _kafka_json(value: Mapping[str, Any], fields: Sequence[LayoutField], is_written: bool) -> Json:
    """A value as Kafka's converters have it: as they write it, or as they read it."""
    return {
        f"{each.name[0].lower()}{each.name[1:]}": _converted(value[each.name], each, is_written)
        for each in fields
        if each.name in value
    }


def _converted(value: Any, of: LayoutField, is_written: bool) -> Json:
    if value is None:
        return None
    if of.fields is not None:
        inner = of.fields
        if of.element is not None:
            return [_kafka_json(each, inner, is_written) for each in value]
        return _kafka_json(value, inner, is_written)
    if of.element is not None:
        return [_scalar(each, of.spec_type.removeprefix("[]"), is_written) for each in value]
    return _scalar(value, of.spec_type, is_written)


def _scalar(value: Any, type_: str, is_written: bool) -> Json:
    if type_ == "uuid":
        return base64.urlsafe_b64encode(uuid.UUID(value).bytes).decode().rstrip("=")
    if type_ == "bytes" or (type_ == "records" and not is_written):
        return base64.b64encode(bytes.fromhex(value)).decode()
    # Kafka's converters write no records.
    return "" if type_ == "records" else value


def main(arguments: list[str]) -> int:
    """Print what was compared; return 1 if something differs, 2 for bad input."""
    parser = argparse.ArgumentParser(
        prog="compare.py", description="Compare our codec with Kafka's classes."
    )
    parser.add_argument("checkout", help="REPO@REF of a repository of Kafka")
    parser.add_argument("--jars", type=Path, action="append", default=[], help="a folder with jars")
    parser.add_argument("--each", type=int, default=8, help="random messages for each version (8)")
    parser.add_argument("--seed", type=int, default=1, help="of the random messages (1)")
    options = parser.parse_args(arguments)
    with TemporaryDirectory(prefix="kafka-classes-") as folder:
        try:
            classes = compiled(options.checkout, Path(folder), found_jars(options.jars))
        except (InputError, OSError, subprocess.SubprocessError) as error:
            print(error, file=sys.stderr)
            return 2
        tally = compare(classes, options.each, options.seed)
    for line in tally.differences:
        print(line)
    print(tally)
    return int(bool(tally.differences))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
