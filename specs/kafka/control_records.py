"""The records of control batches: transaction markers, and the quorum records of a KRaft log.

The key consists of a version and a type (ControlRecordType.java). The value begins with its version, and the
rest is a message, one of `MESSAGES`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cache
from struct import Struct

from wirebook.specs.kafka.registry import embedded_path, read_embedded
from wirebook.specs.model import Json, Message, MessageValue
from wirebook.specs.wire.codec import HEX, WireError, check_fixed, codec, expected, shown
from wirebook.specs.wire.layout import Layout, layout

TYPES = {
    "ABORT": 0,
    "COMMIT": 1,
    "LEADER_CHANGE": 2,
    "SNAPSHOT_HEADER": 3,
    "SNAPSHOT_FOOTER": 4,
    "KRAFT_VERSION": 5,
    "KRAFT_VOTERS": 6,
}
# The value of each type. A marker has a version before the message; all others have it as a field.
MESSAGES = {
    "ABORT": "EndTxnMarker",
    "COMMIT": "EndTxnMarker",
    "LEADER_CHANGE": "LeaderChangeMessage",
    "SNAPSHOT_HEADER": "SnapshotHeaderRecord",
    "SNAPSHOT_FOOTER": "SnapshotFooterRecord",
    "KRAFT_VERSION": "KRaftVersionRecord",
    "KRAFT_VOTERS": "VotersRecord",
}
_PREFIXED = ("ABORT", "COMMIT")
_NAMES = {number: name for name, number in TYPES.items()}
_KEY = Struct(">hh")
_VERSION = Struct(">h")
_KEYS = ("Version", "Type", "Value")


def with_controls(items: Iterable[MessageValue]) -> None:
    """Replace the keys and values of the records in control batches by what they mean: as "ControlRecord"."""
    for item in items:
        decoded = item.get("Decoded", item)
        assert isinstance(decoded, dict)
        records = decoded.get("Records")
        for record in records if decoded.get("Control") and isinstance(records, list) else ():
            key, value = record["Key"], record["Value"]
            meaning = (
                None if key is None or value is None else decode(bytes.fromhex(key), bytes.fromhex(value))
            )
            if meaning is not None:
                del record["Key"], record["Value"]
                record["ControlRecord"] = meaning


def without_controls(items: Json) -> Json:
    """Batches to encode, with keys and values in the place of each "ControlRecord". Raises WireError."""
    if not isinstance(items, list):
        return items
    return [_without(item, f"[{index}]") for index, item in enumerate(items)]


def _without(item: Json, path: str) -> Json:
    records = item.get("Records") if isinstance(item, dict) else None
    if not isinstance(item, dict) or not isinstance(records, list):
        return item
    made: list[Json] = []
    for index, record in enumerate(records):
        if not isinstance(record, dict) or "ControlRecord" not in record:
            made.append(record)
            continue
        at = f"{path}.Records[{index}].ControlRecord"
        if "Key" in record or "Value" in record:
            raise WireError("a record has this or a key and a value", path=at)
        rest = {name: each for name, each in record.items() if name != "ControlRecord"}
        try:
            key, value = encode(record["ControlRecord"])
        except WireError as bad:
            raise bad.below(at) from None
        made.append({**rest, "Key": key.hex(), "Value": value.hex()})
    return {**item, "Records": made}


def decode(key: bytes, value: bytes) -> Json:
    """What a control record means: {"Version", "Type", "Value"}; None if the key has another form.

    A value without a spec stays hex.
    """
    if len(key) != _KEY.size:
        return None
    version, number = _KEY.unpack(key)
    name = _NAMES.get(number)
    content: Json = value.hex()
    if name is not None and len(value) >= _VERSION.size:
        (value_version,) = _VERSION.unpack_from(value)
        content = _decoded(name, value_version, value)
    return {"Version": version, "Type": number if name is None else name, "Value": content}


def encode(value: Json) -> tuple[bytes, bytes]:
    """The key and the value of a record with a meaning. Raises WireError."""
    if not isinstance(value, Mapping) or not set(value) <= set(_KEYS):
        raise WireError(f"an object with {', '.join(_KEYS)} is expected, not {shown(value)}")
    version, kind, content = (value.get(name) for name in _KEYS)
    version = 0 if version is None else version
    number = TYPES.get(kind, kind) if isinstance(kind, str) else kind
    if isinstance(number, str):
        raise WireError(f"{', '.join(TYPES)}: one of these is expected, not {shown(number)}", path="Type")
    check_fixed("INT16", version, "Version")
    check_fixed("INT16", number, "Type")
    assert isinstance(version, int)
    assert isinstance(number, int)
    try:
        return _KEY.pack(version, number), _encoded(_NAMES.get(number), content)
    except WireError as bad:
        raise bad.below("Value") from None


def _decoded(name: str, version: int, data: bytes) -> Json:
    """Decode the value of a control record; hex if it has no spec or would be encoded differently."""
    of = _layout(name, version)
    if of is None:
        return data.hex()
    start = _VERSION.size if name in _PREFIXED else 0
    try:
        content = codec(of).decode(data[start:])
        if name in _PREFIXED:
            content = {"Version": version, **content}
        return content if _encoded(name, content) == data else data.hex()
    except WireError:
        return data.hex()


def _encoded(name: str | None, value: Json) -> bytes:
    if isinstance(value, str) and len(value) % 2 == 0 and HEX.issuperset(value):
        return bytes.fromhex(value)
    if name is None or not isinstance(value, Mapping):
        raise WireError(
            expected("bytes in hex" if name is None else "an object, or bytes in hex,", value, False)
        )
    version = value.get("Version", 0)
    check_fixed("INT16", version)
    assert isinstance(version, int)
    of = _layout(name, version)
    if of is None:
        raise WireError(f"{MESSAGES[name]} has no version {version}")
    if name in _PREFIXED:
        rest = {key: item for key, item in value.items() if key != "Version"}
        return _VERSION.pack(version) + codec(of).encode(rest)
    return codec(of).encode({**value, "Version": version})


def _layout(name: str, version: int) -> Layout | None:
    message = _message(MESSAGES[name])
    return _laid_out(message.name, version) if version in message.valid_versions else None


@cache
def _laid_out(name: str, version: int) -> Layout:
    return layout(_message(name), version)


@cache
def _message(name: str) -> Message:
    return read_embedded(embedded_path(name))
