"""Example messages: a value for each case of a layout, and its bytes by the codec."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from wirebook.docgen.render.bytes.batches import FIRST_VERSIONS, TIMESTAMP, assignment, records, subscription
from wirebook.docgen.render.bytes.chosen import NoChoice, chosen
from wirebook.docgen.render.bytes.headers import EMBEDDED, ProtocolHeaders
from wirebook.docgen.render.kit.links import anchor
from wirebook.specs.model import Json, MessageValue
from wirebook.specs.wire.codec import UNKNOWN, Codec, WireError, codec
from wirebook.specs.wire.defaults import INTEGERS
from wirebook.specs.wire.exported import ExportedField, ExportedLayout

CASES = {
    "empty": "Every field at its default, arrays empty, null wherever it is allowed",
    "filled": "Every field with a plausible value, without tagged fields",
    "tagged": "The same with its tagged fields",
    "unknown-tag": "The same with a tagged field that no version knows, which readers skip and keep",
}
STRANGER: dict[str, Json] = {"tag": 10_000, "data": "beef"}
_UUID = "6f1e2c3d-8a9b-4c5d-9e0f-a1b2c3d4e5f6"

# By the words a field's name ends with, the longest first; numbers of a type too small for them are 1.
_NUMBERS = {
    "errorcode": 0, "topicconfigerrorcode": 29, "throttletimems": 0, "epoch": 5, "leaderepoch": 5,
    "offset": 1042, "endoffset": 1050, "highwatermark": 1050, "laststableoffset": 1050, "logstartoffset": 0,
    "baseoffset": 1042, "firstoffset": 1042, "timestamp": TIMESTAMP, "timems": 60_000,
    "logappendtimems": -1, "timeoutms": 30_000, "lifetimems": 3_600_000, "waitms": 500, "minbytes": 1,
    "maxbytes": 1_048_576, "acks": -1, "port": 9092, "partitionindex": 0, "partition": 0, "index": 0,
    "sessionid": 0, "sessionepoch": -1, "numpartitions": 3, "replicationfactor": 3, "isolationlevel": 1,
    "resourcetype": 2, "generationid": 7, "memberepoch": 7, "producerid": 4000, "preferredreadreplica": -1,
    "authorizedoperations": 3576, "apikey": 18, "minversion": 0, "maxversion": 4, "maxversionlevel": 25,
    "minversionlevel": 1, "configsource": 5, "configtype": 5, "source": 5, "keytype": 0, "correlationid": 1,
    "bytes": 1024, "version": 1, "count": 2, "heartbeatintervalms": 5000, "timestampms": TIMESTAMP,
    "periodms": 86_400_000, "iterations": 4096, "operation": 3, "permissiontype": 3, "patterntype": 3,
    "resourcetypefilter": 2, "pushintervalms": 300_000, "offsetintervalms": 60_000,
}  # fmt: skip
_HOST = "server-1.example.org"
_WORDS = {
    "host": _HOST, "clienthost": "/192.0.2.7", "clientid": "my-client",
    "clusterid": "cluster-1", "rack": "rack-a", "rackid": "rack-a", "groupid": "billing",
    "groups": "billing", "coordinatorkeys": "billing", "key": "billing", "memberid": "my-client-1",
    "groupinstanceid": "instance-1", "leader": "my-client-1", "protocoltype": "consumer",
    "protocolname": "range", "protocoldata": "range", "groupstate": "Stable", "grouptype": "classic",
    "statesfilter": "Stable", "typesfilter": "classic", "mechanism": "PLAIN", "mechanisms": "PLAIN",
    "metadata": "note", "committedmetadata": "note", "useragent": "my-client", "reason": "restart",
    "resourcename": "orders", "configurationkeys": "retention.ms", "value": "604800000", "topic": "orders",
    "topicname": "orders", "topicnames": "orders", "name": "orders", "clientsoftwarename": "my-client",
    "clientsoftwareversion": "1.0", "transactionalid": "payments-1", "principal": "User:alice",
    "batchindexerrormessage": "Invalid record", "principaltype": "User", "principalname": "alice",
    "documentation": "How long records are kept.", "instanceid": "instance-1", "topicregex": "orders.*",
    "regularexpression": "orders.*", "serverassignor": "uniform", "assignorname": "uniform",
    "resourcenamefilter": "orders", "principalfilter": "User:alice", "hostfilter": "192.0.2.7",
    "entitytype": "client-id", "entityname": "my-client", "match": "my-client", "user": "alice",
    "path": "/var/lib/kafka/data", "logdir": "/var/lib/kafka/data", "feature": "metadata.version",
    "transactionstate": "Ongoing", "statefilters": "Ongoing", "unknownstatefilters": "Unheard",
    "transactionalidpattern": "payments-.*", "requestedmetrics": "org.apache.kafka.producer.",
    "subtopologyid": "0", "processid": "process-1", "statusdetail": "Missing topics", "tokenid": "token-1",
    "listener": "PLAINTEXT",
}  # fmt: skip
# For a "Name" in these structs, and by the entity type.
_NAMES = {
    "configs": "retention.ms", "synonyms": "retention.ms", "supportedfeatures": "metadata.version",
    "finalizedfeatures": "metadata.version", "features": "metadata.version", "protocols": "range",
    "listeners": "PLAINTEXT", "endpoints": "PLAINTEXT", "leaderendpoints": "CONTROLLER",
}  # fmt: skip
_ENTITIES: dict[str, Json] = {
    "topicName": "orders", "groupId": "billing", "brokerId": 1, "transactionalId": "payments-1",
    "producerId": 4000,
}  # fmt: skip
# For a number in these structs.
_WITHIN = {("supportedfeatures", "minversion"): 1, ("supportedfeatures", "maxversion"): 27}
_LISTS: dict[str, list[Json]] = {"isrnodes": [1], "offlinereplicas": [2]}
_FALSE = {"issensitive", "readonly", "isinternal", "validateonly", "skipassignment"}


@dataclass(frozen=True, slots=True)
class Case:
    """One example: its name (of CASES), the value as the codec gives it back, and the bytes of the body."""

    name: str
    value: MessageValue
    body: bytes


@dataclass(frozen=True, slots=True)
class ExampleHeader:
    """The header of an example; its codec explains its bytes."""

    version: int
    value: MessageValue
    data: bytes
    codec: Codec


def cases(layout: ExportedLayout, of: Codec | None = None, *, server: str = "server") -> Iterator[Case]:
    """The examples of a layout (wirebook/layout/1), none twice; `server` is the word for that side.

    Raises WireError if it has none.
    """
    of = of or codec(layout)
    bodies: set[bytes] = set()
    for name in CASES:
        value = _value(layout, name)
        if value is None:
            continue
        body = of.encode(_renamed(value, f"{anchor(server)}-1.example.org"))
        if body not in bodies:
            bodies.add(body)
            yield Case(name, of.decode(body), body)


def _renamed(value: Any, host: str) -> Any:
    """The value, with the host of a server named by the protocol's word for servers."""
    if isinstance(value, dict):
        return {key: _renamed(inner, host) for key, inner in value.items()}
    if isinstance(value, list):
        return [_renamed(inner, host) for inner in value]
    return host if value == _HOST else value


def header(layout: ExportedLayout, name: str, headers: ProtocolHeaders = EMBEDDED) -> ExampleHeader | None:
    """The header of an example; None for messages that have none, or one of which no layout is known."""
    shape = headers.shape(layout.type, layout.header_version)
    if shape is None:
        return None
    roles = headers.fields
    values: MessageValue = {
        roles.api_key: layout.api_key,
        roles.api_version: layout.version,
        roles.correlation_id: 1,
        roles.client_id: None if name == "empty" else "my-client",
    }
    if headers is EMBEDDED:
        names = {field.name for field in shape.codec.fields}
        values = {field: value for field, value in values.items() if field in names}
        return ExampleHeader(shape.version, values, shape.codec.encode(values), shape.codec)
    own = _filled(layout, shape.fields, "", False)
    for field in shape.fields:
        # Headers of other protocols may have constants, too.
        value = values.get(field.name)
        if field.name in values and (value is not None or field.nullable):
            own[field.name] = value
        elif field.default and field.name in own:
            own[field.name] = field.default
    try:
        return ExampleHeader(shape.version, own, shape.codec.encode(own), shape.codec)
    except WireError:
        return None


def _value(layout: ExportedLayout, case: str) -> MessageValue | None:
    """The value of a case; None if the layout has nothing for it to show."""
    fields = layout.fields
    if case == "empty":
        return _empty(fields)
    if case == "unknown-tag":
        if not layout.flexible or any(field.tag == STRANGER["tag"] for field in fields):
            return None
        return _filled(layout, fields, "", False) | {UNKNOWN: [STRANGER]}
    return _filled(layout, fields, "", case == "tagged")


def _empty(fields: Sequence[ExportedField]) -> MessageValue:
    return {field.name: _default(field) for field in fields if field.tag is None}


def _default(field: ExportedField) -> Json:
    if field.nullable:
        return None
    if field.element:
        return []
    if field.fields is not None:
        return _empty(field.fields)
    if field.default is None:
        return ""  # null is its default, but not in this version
    return field.default


def _filled(
    layout: ExportedLayout, fields: Sequence[ExportedField], parent: str, tagged: bool
) -> MessageValue:
    return {
        field.name: _full(layout, field, parent, tagged) for field in fields if field.tag is None or tagged
    }


def _full(layout: ExportedLayout, field: ExportedField, parent: str, tagged: bool) -> Json:
    value = chosen(layout, field)
    if not isinstance(value, NoChoice):
        return value
    name = field.name.lower()
    if field.fields is not None:
        inner = _filled(layout, field.fields, name, tagged)
        return [inner] if field.element else inner
    if name in _LISTS and field.element == "INT32":
        return _LISTS[name]
    if not field.element:
        return _scalar(layout, field, field.type, name, parent)
    one = _scalar(layout, field, field.element, name, parent)
    if isinstance(one, bool) or not isinstance(one, int):
        return [one]
    return [one, one + 1]


def _scalar(layout: ExportedLayout, field: ExportedField, type_: str, name: str, parent: str) -> Json:
    kind = type_.removeprefix("COMPACT_").removeprefix("NULLABLE_")
    if kind == "BOOLEAN":
        return field.default is not True and (name not in _FALSE or field.tag is not None)
    if kind == "UUID":
        return _UUID
    if kind == "RECORDS":
        return records(_magic(layout)).hex()
    if kind == "BYTES":
        return _bytes(layout, name).hex()
    if kind == "STRING":
        return _string(field, name, parent)
    if kind == "FLOAT64":
        return 0.5
    return _number(field, kind, name, parent)


def _number(field: ExportedField, kind: str, name: str, parent: str) -> Json:
    entity = _ENTITIES.get(field.entity_type or "")
    number: Json = _WITHIN.get((parent, name)) or _NUMBERS.get(
        name, entity if isinstance(entity, int) else None
    )
    if number is None:
        number = _NUMBERS.get(_ending(name, _NUMBERS), 1)
    if name == "replicaid" and not parent:
        number = -1  # a client that fetches is not a replica
    assert isinstance(number, int)
    lowest, highest = INTEGERS[kind]
    if not lowest <= number <= highest:
        number = 1
    # A tagged field that has its default would not be written.
    return number if field.tag is None or number != field.default else number + 1


def _string(field: ExportedField, name: str, parent: str) -> Json:
    entity = _ENTITIES.get(field.entity_type or "")
    if isinstance(entity, str):
        return entity
    if name.endswith("errormessage") and name not in _WORDS:
        return None if field.nullable else ""
    if name == "name" and not entity:
        return _NAMES.get(parent, "orders" if "topic" in parent else "example")
    return _WORDS.get(_ending(name, _WORDS)) or name[:24]


def _bytes(layout: ExportedLayout, name: str) -> bytes:
    if name == "authbytes":
        return b"\0alice\0secret" if layout.type == "request" else b""
    if name.endswith("assignment"):
        return assignment("orders")
    return subscription("orders") if name.endswith("metadata") else name.encode()[:8]


def _ending(name: str, words: Mapping[str, Any]) -> str:
    """The longest of the known words that a name ends with; "" if none."""
    return max((word for word in words if name.endswith(word)), key=len, default="")


def _magic(layout: ExportedLayout) -> int:
    """The format of the records that a version carries (KIP-32, KIP-98)."""
    first = FIRST_VERSIONS.get(layout.api, (0, 0))
    return sum(layout.version >= version for version in first)


__all__ = ["CASES", "Case", "ExampleHeader", "WireError", "cases", "header"]
