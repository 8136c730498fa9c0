"""The targets: what reads texts, archives, repositories and bytes of others, each as a function of bytes."""

from __future__ import annotations

import os
import tempfile
from contextlib import suppress
from functools import cache
from importlib.util import find_spec
from pathlib import Path

from tests.fuzz.gitdata import repository
from tests.fuzz.oracle import Target
from tests.fuzz.peers import mock, probe
from wirebook.fleet.reading.metrics.counters import Counters
from wirebook.fleet.reading.metrics.samples import Dump, form_of
from wirebook.fleet.reading.reading import Read, read_lines
from wirebook.rules import engine, formats
from wirebook.rules.project.config import OWN, SHARED, is_configuration, read_config
from wirebook.rules.project.showing import shown
from wirebook.rules.project.waivers import read_waivers
from wirebook.rules.result import CheckResult
from wirebook.specs.exchange.lines import batch, compact_json
from wirebook.specs.kafka.control_records import ControlRecords
from wirebook.specs.kafka.registry import embedded_protocol
from wirebook.specs.model import Protocol
from wirebook.specs.problems import InputError
from wirebook.specs.reading.reader import plain, read_message
from wirebook.specs.sources.archives import read_archive
from wirebook.specs.syntax.jsontext import parse_json
from wirebook.specs.syntax.quickjson import read_quickly
from wirebook.specs.wire.codec import codec
from wirebook.specs.wire.layout import Layout, layout
from wirebook.specs.wire.records.entries import read_entries, write_entries
from wirebook.specs.wire.records.spans import record_spans
from wirebook.specs.wire.records.values import entries_json, entries_of
from wirebook.specs.wire.scalars import WireError

OLD = b"""{"apiKey": 900, "type": "request", "name": "HostileRequest", "validVersions": "0-2",
"flexibleVersions": "1+", "fields": [{"name": "A", "type": "int32", "versions": "0+", "about": "A number."},
{"name": "B", "type": "[]Part", "versions": "1+", "nullableVersions": "2+", "fields": [
{"name": "C", "type": "string", "versions": "1+", "taggedVersions": "2+", "tag": 0, "default": "x"}]}]}"""
SPLIT = b"\0"  # between the old side and the new one; no JSON has it


def read_spec(data: bytes) -> None:
    """A spec: both readers of JSON agree, and what can be held has a layout or a reason why not."""
    try:
        quickly = read_quickly(data.decode())
    except UnicodeDecodeError:
        quickly = None
    if quickly is not None:
        careful = parse_json(data.decode(), "Spec.json")
        assert plain(quickly.value) == plain(careful.value)
    message = read_message(data, "Spec.json", strict=False)
    for version in list(message.valid_versions)[:2]:
        try:
            made = layout(message, version)
        except InputError:
            continue
        codec(made)


_DEEP = "a/" * 100 + "message/" + "ab" * 100 + ".json"


def check(data: bytes) -> None:
    """A change of a spec: judged, and rendered in every format without characters that steer a terminal."""
    before, _, after = data.rpartition(SPLIT)
    old, new = (
        read_message(text, f"message/{name}.json", strict=False)
        for name, text in (("Old", before or OLD), ("New", after))
    )
    sides = [Protocol.of([side], "") for side in (old, new)]
    result = CheckResult(
        findings=tuple(engine.check(sides[0], sides[1], [])),
        compared="one with the other",
        tool_version="0",
        messages_checked=1,
        new_texts={new.path: after.decode(errors="replace")},
        old_texts={old.path: (before or OLD).decode(errors="replace")},
    )
    for form in formats.FORMATS:
        text = formats.render(result, form)
        unseen = {letter for letter in text if not letter.isprintable()} - {"\n"}
        assert not unseen, f"{form}: {unseen!a}"


def config(data: bytes) -> None:
    """wirebook.toml, and the same text as a pyproject.toml."""
    if is_configuration(SHARED, data):
        with suppress(InputError):
            read_config(data, SHARED)
    found = read_config(data, OWN)
    assert shown(found).replace("\n", "").isprintable()
    for path in (_DEEP, "a" * 250):
        found.takes(path)
        for override in found.overrides:
            override.fits("HostileRequest" * 10, path)


def waivers(data: bytes) -> None:
    """waivers.toml."""
    for waiver in read_waivers(data, "waivers.toml"):
        assert str(waiver).isprintable()


def archive(data: bytes) -> None:
    """An archive: by its content, and as a zip, which may begin with anything."""
    for suffix in ("", ".zip"):
        place = _scratch() / f"archive{suffix}"
        place.write_bytes(data)
        try:
            texts = read_archive(place)
        except InputError:
            continue
        for text in texts:
            assert ".." not in Path(text.path).parts
            assert not os.path.isabs(text.path)


@cache
def _scratch() -> Path:
    folder = tempfile.TemporaryDirectory(prefix="wirebook-fuzz-", dir=_memory())
    _KEPT.append(folder)
    return Path(folder.name)


_KEPT: list[tempfile.TemporaryDirectory[str]] = []


def _memory() -> str | None:
    return "/dev/shm" if os.access("/dev/shm", os.W_OK) else None


def decode(data: bytes) -> None:
    """Bytes of any message at any version, which the first two bytes choose.

    The compiled reader agrees with the one of steps, what is encoded is stable, and each byte is explained.
    """
    made = _layouts()[int.from_bytes(data[:2], "big") % len(_layouts())]
    chosen, body = codec(made), data[2:]
    try:
        whole = chosen.decode(body)
    except WireError:
        with suppress(WireError):
            assert chosen.decode_from(body)[1] != len(body)
        return
    assert chosen.decode_from(body) == (whole, len(body))
    # A tagged field that is written though it has its default is left out again, and so may be what holds it.
    again = chosen.encode(whole)
    assert chosen.encode(chosen.decode(again)) == again
    at = 0
    for span in chosen.explain(body):
        assert span.start == at
        at = span.end
    assert at == len(body)


@cache
def _layouts() -> list[Layout]:
    return [layout(message, version) for message in embedded_protocol() for version in message.valid_versions]


def records(data: bytes) -> None:
    """Records of any state: read somehow, stable in JSON and bytes, and each byte explained once."""
    try:
        found = read_entries(data)
    except InputError:
        if find_spec("cramjam") is None:
            return  # only a missing package ends the reading
        raise
    read = entries_json(found, ControlRecords())
    compact_json(read)
    written = write_entries(entries_of(read, ControlRecords()))
    assert len(read_entries(written)) == len(found)
    at = 0
    for span in record_spans(data):
        assert span.start == at
        at = span.end
    assert at == len(data)


def lines(data: bytes) -> None:
    """`encode --batch` and `decode --batch`: an answer for every line, whatever it is."""
    given = data.splitlines(keepends=True)
    answers = [compact_json(answer) for answer in batch(given, embedded_protocol(), "the embedded specs")]
    assert len(answers) == len(given)
    for answer in answers:
        answer.encode()
        assert answer.isprintable()


def fleet(data: bytes) -> None:
    """`wirebook fleet`: each line of a log counts once, and a dump of metrics has counters or reasons."""
    read = Read()
    read_lines([data], "a.log", read)
    number = read.lines
    assert read.forms.total() + read.skipped.total() <= number
    assert all(sample.text.isprintable() for sample in read.samples)
    form = form_of(data)
    if form is not None:
        for scrape in Dump("a.prom", form).read(data.splitlines()):
            assert all(0 <= value < 1 << 63 for value in scrape.values.values())
            Counters({}).add(scrape, form)


TARGETS: dict[str, Target] = {
    "spec": Target(read_spec, (InputError,)),
    # A layout of its own for each version is compared and proven, and the result is written in all formats.
    "check": Target(check, (InputError,), seconds=2, seconds_per_mib=15),
    "config": Target(config, (InputError,)),
    "waivers": Target(waivers, (InputError,)),
    "archive": Target(archive, mib=140),  # xz may ask for 128 MiB
    "git": Target(repository, (InputError,)),
    "codec": Target(decode),
    "records": Target(records, seconds=12, mib=300),  # 64 MiB or 100,000 records, as values and JSON
    "lines": Target(lines),
    "fleet": Target(fleet),
    "mock": Target(mock),
    "probe": Target(probe),
}
