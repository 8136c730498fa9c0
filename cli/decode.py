"""`wirebook decode`: the bytes of a message to JSON values."""

import argparse
import sys
from collections.abc import Iterator

from wirebook.cli import codec, exits
from wirebook.cli.arguments import Arguments
from wirebook.cli.front_door import open_and_tell
from wirebook.cli.terminal import coloured
from wirebook.docgen.pages.terminal import explained
from wirebook.specs.codec import HEX
from wirebook.specs.kafka.log_records import STORED_TOPICS
from wirebook.specs.lines import Readable, compact_json, readings
from wirebook.specs.printable import quiet, visible
from wirebook.specs.problems import InputError
from wirebook.specs.spans import MessageReading
from wirebook.specs.unnamed import UnnamedMessages

ARGUMENTS: Arguments = {
    "message MESSAGE ?": "a message, such as FetchRequest; without one, it is found",
    "version VERSION ?": "the version of the message",
    "data HEX ?": "the bytes in hex (default: lines of standard input)",
    **codec.FORM,
    "--header": 'the bytes begin with a header: the value is {"header": …, "body": …}. Without '
    "MESSAGE, it is what the header of a request names",
    "--records": "print records as batches, not as hex; without MESSAGE, decode records only",
    "--batch": 'read JSON Lines, {"message": …, "version": …, "hex": …}, and print {"value": …} '
    "for each",
    "--topic TOPIC": {
        "choices": STORED_TOPICS,
        "default": "",
        "help": "with --records, also decode the keys and values of the records of "
        + ", ".join(STORED_TOPICS),
    },
    "--binary": "read raw bytes, such as those of a file, instead of hex",
}


def run(options: argparse.Namespace) -> int:
    """Print the value of each message, and on stderr what is wrong in it; returns the exit code.

    Raises InputError, OSError.
    """
    if options.batch:
        if options.binary or options.topic:
            words = "and accepts neither --binary nor --topic"
            raise InputError(f"--batch reads hex or values, {words}")
        return codec.run_batch(options)
    wire = _wire(options)
    lines = [sys.stdin.buffer.read().hex().encode()] if options.binary else codec.lines(options)
    code = exits.CLEAN
    is_found = isinstance(wire, UnnamedMessages)
    for place, data, reading in readings(lines, wire, described=bool(options.explain)):
        for text in _shown(reading, data, options.explain, is_found and bool(reading.name)):
            print(text)
        sys.stdout.flush()
        wrong = [*reading.problems, *([reading.error] if reading.error else [])]
        for said in (*reading.notes, *wrong):
            print(f"wirebook: {quiet(visible(f'{place}: {said}'))}", file=sys.stderr)
        if wrong:
            code = max(code, exits.UNUSABLE if reading.error else exits.FINDINGS)
    return code


def _shown(
    reading: MessageReading, data: bytes, explain: str | None, is_found: bool
) -> Iterator[str]:
    """What was read, with the name of the message if the command line does not have it."""
    if explain == "table" and is_found:
        yield f"{reading.name} {reading.version}"
    if explain and reading.spans:
        yield explained(reading, data, explain, coloured())
    elif is_found:
        found = {"message": reading.name, "version": reading.version, "value": reading.value}
        yield compact_json(found)
    elif reading.value is not None:
        yield compact_json(reading.value)


def _wire(options: argparse.Namespace) -> Readable:
    found = codec.words(options)
    is_bare = options.records and len(found) < 2
    if options.topic and (not is_bare or options.explain):
        raise InputError("--topic is for records only: wirebook decode --records --topic TOPIC")
    wire = codec.chosen(options, options.topic)
    if wire is not None:
        return wire
    is_name = bool(found) and not HEX.issuperset("".join(found[0].split()))
    if is_name or options.header or options.frame:
        raise codec.unnamed("decode")
    specs = open_and_tell(options.source)
    names = codec.names_of(specs)
    return UnnamedMessages(specs.protocol, records=options.records, names=names)
