"""The public API, as functions and value types; `import wirebook` offers the same names."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from os import PathLike
from typing import Any, NamedTuple, TypeAlias

from wirebook._version import __version__
from wirebook.rules.diff.kinds import ProtocolChange
from wirebook.rules.finding import Finding, Severity
from wirebook.rules.opened import open_specs
from wirebook.rules.result import CheckResult
from wirebook.specs import codec as _codec
from wirebook.specs import layout as _layout
from wirebook.specs.kafka import log_records as _records
from wirebook.specs.kafka.registry import embedded_protocol
from wirebook.specs.kafka.texts import with_texts
from wirebook.specs.layout import Layout, LayoutField
from wirebook.specs.levels import Registry
from wirebook.specs.model import Message, MessageValue, Protocol
from wirebook.specs.problems import InputError
from wirebook.specs.records.writing import write_records
from wirebook.specs.selection import select_message
from wirebook.specs.spans import WireError

__all__ = [
    "CheckResult", "Finding", "InputError", "Layout", "LayoutField", "Message", "Protocol",
    "ProtocolChange", "Severity", "Source", "WireError", "__version__", "check", "decode",
    "decode_records", "diff", "encode", "encode_records", "layout", "load",
]  # fmt: skip

Source: TypeAlias = str | PathLike[str] | Protocol
"""A source of specs: a path, a SOURCE as on the command line, or a loaded protocol."""


def load(source: Source | None = None) -> Protocol:
    """Read a protocol: its messages as their specs write them, ordered by API key.

    Args:
        source: A directory, a file, an archive, a git ref, `REPO@REF` or `REPO@REF:SUBDIR`; a
            `Path` is never a ref. By default Kafka's protocol as it comes with wirebook.

    Raises:
        InputError: The source has no specs, or one cannot be read: at `path` and `position`.

    Examples:
        >>> kafka = load()
        >>> [message.name for message in kafka.api("Heartbeat")]
        ['HeartbeatRequest', 'HeartbeatResponse']
        >>> str(kafka.api("Heartbeat")[0].valid_versions)
        '0-4'
    """
    if source is None:
        return embedded_protocol()
    return _side(source).protocol


def layout(message: Message | str, version: int, *, source: Source | None = None) -> Layout:
    """Resolve a message at one version to its wire format: its fields in wire order.

    Args:
        message: A message, or the name of one in `source`, in any letter case.
        version: One of its valid versions.
        source: Where a name is looked up, as in `load`.

    Raises:
        InputError: There is no such message or version, or its spec contradicts itself.

    Examples:
        >>> heartbeat = layout("HeartbeatRequest", 4)
        >>> [(field.name, field.type) for field in heartbeat.fields][:2]
        [('GroupId', 'COMPACT_STRING'), ('GenerationId', 'INT32')]
        >>> heartbeat.flexible, heartbeat.header_version
        (True, 2)
    """
    if isinstance(message, str):
        where = "the embedded specs" if source is None else "it"
        message = select_message(load(source), message, where)
    return _layout.layout(with_texts(message), version)


def encode(
    message: Layout | Message | str,
    value: Mapping[str, Any],
    version: int | None = None,
    *,
    source: Source | None = None,
) -> bytes:
    """Encode a value as the body of a message, without header and length.

    To encode many values, resolve the `layout` once and pass it.

    Args:
        message: A layout; or a message or its name, with a `version`.
        value: The fields by their names in the spec: bytes in hex, records in hex or as
            `encode_records` takes them, a uuid as 8-4-4-4-12 hex digits. A field that is left out
            takes its default.
        version: As in `layout`; a layout has its version.
        source: As in `layout`.

    Raises:
        InputError: As in `layout`.
        WireError: The value does not fit; `path` of the error is the field.
        TypeError: A message without a version, or a layout with one.

    Examples:
        >>> value = {"GroupId": "g", "GenerationId": 3, "MemberId": "m"}
        >>> encode("HeartbeatRequest", value, 4).hex()
        '026700000003026d0000'
    """
    return _codec.encode(_resolved(message, version, source), value, write_records)


def decode(
    message: Layout | Message | str,
    data: bytes | bytearray | memoryview,
    version: int | None = None,
    *,
    source: Source | None = None,
    records: bool = False,
) -> dict[str, Any]:
    """Decode the body of a message, without header and length.

    Args:
        message: As in `encode`.
        version: As in `encode`.
        source: As in `encode`.
        data: All bytes of the body.
        records: Whether to read fields of type records as `decode_records` does; else they are hex.

    Returns:
        The fields as `encode` takes them, without tagged fields that the bytes do not have.

    Raises:
        InputError: As in `layout`; with `records` also as in `decode_records`.
        WireError: The bytes do not fit, or some are left over; `offset` is the position.
        TypeError: As in `encode`.
    """

    def opened(content: bytes, _: str) -> list[MessageValue]:
        return _records.decode_records(content)

    found = _resolved(message, version, source)
    return _codec.read(found, bytes(data), batches=opened if records else None).right().value


def encode_records(records: Iterable[Mapping[str, Any]]) -> bytes:
    """Encode record batches: the content of a field of type records.

    Args:
        records: Batches as `decode_records` returns them, of magic 2. What is left out takes its
            default; lengths, counts and checksums are computed.

    Raises:
        WireError: A batch does not fit; `path` of the error is the field.
        InputError: A compression needs a package that is not installed, of wirebook[records].

    Examples:
        >>> batch = {"BaseTimestamp": 1_700_000_000_000, "Records": [{"Value": "cafe"}]}
        >>> data = encode_records([batch])
        >>> len(data), data[16]
        (70, 2)
    """
    return write_records(list(records))


def decode_records(data: bytes | bytearray | memoryview) -> list[dict[str, Any]]:
    """Decode record batches and message sets: the content of a field of type records, or a segment
    of a log.

    Returns:
        An item for each batch, in the form that `encode_records` takes, or message. A batch that is
        cut off, as the last one of a Fetch response may be, is an item with the key `Partial`, a
        corrupt one has the key `Error`; both have all bytes as `Hex`.

    Raises:
        InputError: As in `encode_records`.

    Examples:
        >>> records = [{"Key": "6b", "Value": None}]
        >>> data = encode_records([{"Compression": "gzip", "Records": records}])
        >>> [batch] = decode_records(data)
        >>> batch["Compression"], batch["Records"][0]["Key"]
        ('gzip', '6b')
        >>> decode_records(data[:40])[0]["Partial"]
        'the bytes end after 40 of ... bytes of a batch'
    """
    return _records.decode_records(bytes(data))


def check(old: Source | None, new: Source, *, released: Iterable[Source] = ()) -> CheckResult:
    """Check whether a change of specs breaks clients or brokers, by the rules of `wirebook check`.

    No configuration and no waivers are read: each rule has its own severity.

    Args:
        old: The specs before the change; `None` checks `new` on its own.
        new: The specs after the change.
        released: The specs of the releases, oldest first. Versions that one of them has are frozen,
            and a change of any other is a warning. Without releases, every stable version of `old`
            is frozen. Findings name loaded protocols by their places: "release 1", "release 2".

    Returns:
        The result: `findings` with severity, place and fix; `failed` if one of them is an error.
        `wirebook.rules.report.render` prints it in each format of the command line.

    Raises:
        InputError: One of the sources cannot be read.

    Examples:
        >>> kafka = load()
        >>> check(kafka, kafka).failed
        False
        >>> without = Protocol.of(each for each in kafka if each.name != "HeartbeatRequest")
        >>> result = check(kafka, without)
        >>> errors = [each.rule for each in result.findings if each.severity is Severity.ERROR]
        >>> result.failed, errors
        (True, ['message-deleted'])
    """
    from wirebook.rules import engine
    from wirebook.rules.released import Baseline
    from wirebook.rules.tables import Tables, TablesPair

    if isinstance(released, str | PathLike):
        raise TypeError("released is a list of sources; put the one source in a list")
    before, after = None if old is None else _side(old), _side(new)
    frozen = []
    for number, release in enumerate(released, 1):
        side = _side(release)
        # A finding names the releases that it concerns: two of them may not have one name.
        name = f"release {number}" if side.is_loaded else side.words
        frozen.append(Baseline(name, side.protocol))
    old_levels, new_levels = _registries(before, after)
    tables = TablesPair(Tables(old_levels), Tables(new_levels))
    base = before and before.protocol
    findings = engine.check(base, after.protocol, frozen, tables=tables)
    messages = [*after.protocol, *(base or ())]
    return CheckResult(
        findings=tuple(engine.without_consequences(findings)),
        compared=f"{after.words} against {before.words}" if before else after.words,
        tool_version=__version__,
        messages_checked=len({message.name for message in messages}),
        new_texts={each.path: each.written.lines.text for each in after.protocol},
        old_texts={each.path: each.written.lines.text for each in base or ()},
    )


def diff(old: Source, new: Source) -> tuple[ProtocolChange, ...]:
    """Compare two protocols: every change, breaking or not, as `wirebook changes` lists them.

    The changes are ordered by API key. Raises InputError if a source cannot be read.
    """
    from wirebook.rules.diff.protocols import protocol_changes

    before, after = _side(old), _side(new)
    return tuple(protocol_changes(before.protocol, after.protocol, *_registries(before, after)))


class _Side(NamedTuple):
    """One side of a comparison: a protocol, its description, and the registry of a source."""

    protocol: Protocol
    words: str
    registry: Registry | None = None
    is_loaded: bool = False


def _side(source: Source) -> _Side:
    """A protocol, or what a source has. Raises InputError."""
    if isinstance(source, Protocol):
        return _Side(source, f"a protocol of {len(source)} messages", is_loaded=True)
    specs = open_specs(source)
    return _Side(specs.protocol, specs.where, specs.registry)


def _registries(old: _Side | None, new: _Side) -> tuple[Registry | None, Registry | None]:
    """The registries to compare: none if a side is a protocol, which does not include its own."""
    if new.is_loaded or (old is not None and old.is_loaded):
        return None, None
    return old and old.registry, new.registry


def _resolved(
    message: Layout | Message | str, version: int | None, source: Source | None
) -> Layout:
    if isinstance(message, Layout):
        if version is not None:
            raise TypeError(f"this layout is of version {message.version}: leave the version out")
        return message
    if version is None:
        raise TypeError("the version of the message is missing")
    return layout(message, version, source=source)
