"""`wirebook decode`: the bytes of a message to JSON values."""

import argparse
import os
import sys
from collections.abc import Iterator

from wirebook.cli import exits
from wirebook.cli.front_door import open_and_tell
from wirebook.cli.peers import codec
from wirebook.cli.terminal import coloured
from wirebook.docgen.pages.terminal import explained
from wirebook.specs.codec import HEX
from wirebook.specs.envelope import MessageReading
from wirebook.specs.kafka.stored_records import STORED_TOPICS
from wirebook.specs.lines import Readable, compact_json, readings
from wirebook.specs.printable import quiet, visible
from wirebook.specs.problems import InputError
from wirebook.specs.unnamed import UnnamedMessages


def declare(parser: argparse.ArgumentParser) -> None:
    """Add the arguments."""
    codec.declare(
        parser,
        data=("HEX", "the bytes in hex"),
        message="; without one, it is found",
        header='the bytes begin with a header: the value is {"header": …, "body": …}. Without '
        "MESSAGE, it is "
        "what the header of a request names",
        records="print records as batches, not as hex; without MESSAGE, decode records only",
        batch='read JSON Lines, {"message": …, "version": …, "hex": …}, and print {"value": …} '
        "for each",
    )
    add = parser.add_argument
    add(
        "--topic",
        choices=STORED_TOPICS,
        metavar="TOPIC",
        default="",
        help="with --records, also decode the keys and values of the records of "
        f"{', '.join(STORED_TOPICS)}",
    )
    add(
        "--binary",
        action="store_true",
        help="read raw bytes, such as those of a file, instead of hex",
    )


def run(options: argparse.Namespace) -> int:
    """Print the value of each message, and on stderr what is wrong in it; returns the exit code.

    Raises InputError, OSError.
    """
    if options.batch:
        if options.binary or options.topic:
            raise InputError(
                "--batch reads hex or values, and accepts neither --binary nor --topic"
            )
        return codec.run_batch(options)
    found = codec.words(options)
    wire = _wire(options, found)
    lines = codec.lines_of(found[-1] if len(found) in (1, 3) else None)
    if options.binary:
        lines = [sys.stdin.buffer.read().hex().encode()]
    code = exits.CLEAN
    is_found = isinstance(wire, UnnamedMessages) and wire.finds
    for place, data, reading in readings(lines, wire, described=bool(options.explain)):
        for text in _shown(reading, data, options.explain, is_found and bool(reading.name)):
            print(text)
        said = [f"{place}: {note}" for note in reading.notes]
        said += [f"{place}: {path}: {error}" for path, error in reading.problems]
        if reading.error is not None:
            said.append(f"{place}: {reading.error}")
        sys.stdout.flush()
        for text in said:
            print(f"wirebook: {quiet(visible(text))}", file=sys.stderr)
        if reading.error is not None:
            code = exits.UNUSABLE
        elif reading.problems and code == exits.CLEAN:
            code = exits.FINDINGS
    return code


def _shown(
    reading: MessageReading, data: bytes, explain: str | None, is_found: bool
) -> Iterator[str]:
    """What was read, with the name of the message if the command line does not have it."""
    if explain == "table" and is_found:
        yield f"{reading.name} {reading.version}"
    if explain and reading.spans:
        yield explained(reading, data, explain, coloured(sys.stdout, os.environ))
    elif is_found:
        found = {"message": reading.name, "version": reading.version, "value": reading.value}
        yield compact_json(found)
    elif reading.value is not None:
        yield compact_json(reading.value)


def _wire(options: argparse.Namespace, found: list[str]) -> Readable:
    records = codec.bare(options, found, options.topic)
    if options.topic and (records is None or options.explain):
        raise InputError("--topic is for records only: wirebook decode --records --topic TOPIC")
    if records is not None:
        return records
    if len(found) > 1:
        return codec.named(options, *found[:2])
    if found and not HEX.issuperset("".join(found[0].split())):
        raise codec.unnamed("decode")
    specs = open_and_tell(options.source)
    return UnnamedMessages(
        specs.protocol,
        frame=options.frame,
        find=not (options.header or options.frame),
        records=options.records,
        names=codec.names_of(specs),
    )
