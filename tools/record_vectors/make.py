"""Writes docgen/render/bytes/record_vectors.json: batches by other clients, and what Java reads of ours.

`PYTHONPATH=. python tools/record_vectors/make.py FOLDER-WITH-JARS`; java.py says where the jars are from.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from importlib.metadata import version
from pathlib import Path
from typing import Any

import aiokafka.record.default_records as aiokafka_batches
import aiokafka.record.legacy_records as aiokafka_messages
import kafka.record.default_records as kafka_python_batches
import kafka.record.legacy_records as kafka_python_messages

from tools.record_vectors.java import KafkaJava
from wirebook.api import encode_records

PLACE = Path(__file__).resolve().parents[2] / "docgen" / "render" / "bytes" / "record_vectors.json"
TIME = 1_700_000_000_000
_CODECS = {"none": 0, "gzip": 1, "snappy": 2, "lz4": 3, "zstd": 4}
_RECORDS: tuple[tuple[bytes | None, bytes | None, list[tuple[str, bytes | None]]], ...] = (
    (b"k1", b"hello", []),
    (None, b"hello, hello, hello", [("trace", b"\x01\x02"), ("none", None)]),
    (b"", None, []),
)


def main(jars: Path) -> None:
    """Write the file."""
    java = KafkaJava(jars)
    written = java.write()
    records = [item for item in written if not item["name"].startswith("ConsumerProtocol")]
    vectors: list[dict[str, Any]] = [
        {"name": item["name"], "by": "java", "hex": item["hex"]} for item in records
    ]
    vectors += [{"name": name, "by": by, "hex": data.hex()} for name, by, data in _of_python_clients()]
    for name, value in _OURS.items():
        vectors.append({"name": name, "by": "wirebook", "value": value, "hex": encode_records(value).hex()})
    read = java.read(bytes.fromhex(item["hex"]) for item in vectors)
    for item, found in zip(vectors, read, strict=True):
        item["read"] = found
    (jar,) = jars.glob("kafka-clients-*.jar")
    document = {
        "about": "Record batches and messages as clients write them (hex), and what Kafka's Java classes "
        "read of them (read); for those of wirebook the value. Made by tools/record_vectors/make.py.",
        "sources": {
            "java": f"{jar.stem}, from the package deephaven-server",
            "kafka-python": version("kafka-python"),
            "aiokafka": version("aiokafka"),
        },
        "messages": [item for item in written if item["name"].startswith("ConsumerProtocol")],
        "vectors": vectors,
    }
    PLACE.write_text(_text(document), encoding="utf-8")


def _of_python_clients() -> Iterator[tuple[str, str, bytes]]:
    for by, batches, messages in (
        ("kafka-python", kafka_python_batches, kafka_python_messages),
        ("aiokafka", aiokafka_batches, aiokafka_messages),
    ):
        for name, code in _CODECS.items():
            if by == "kafka-python" and code > 1:
                continue  # it needs a package for each of the others
            builder = batches.DefaultRecordBatchBuilder(2, code, 1, 4000, 3, 17, 1 << 16)
            for offset, (key, value, headers) in enumerate(_RECORDS):
                builder.append(offset, TIME + offset, key, value, headers)
            yield f"magic 2, {name}", by, bytes(builder.build())
            for magic in (0, 1) if name != "zstd" else ():
                if (by, name, magic) == ("aiokafka", "lz4", 0):
                    continue  # it does not write this checksum
                builder = messages.LegacyRecordBatchBuilder(magic, code, 1 << 16)
                for offset, (key, value, _) in enumerate(_RECORDS):
                    builder.append(offset, timestamp=TIME + offset, key=key, value=value)
                yield f"magic {magic}, {name}", by, bytes(builder.build())


_OURS: dict[str, list[dict[str, Any]]] = {
    f"magic 2, {name}": [
        {
            "BaseOffset": 42,
            "PartitionLeaderEpoch": 5,
            "Compression": name,
            "TimestampType": "LogAppendTime" if name == "gzip" else "CreateTime",
            "Transactional": name == "snappy",
            "BaseTimestamp": TIME,
            "ProducerId": 4000,
            "ProducerEpoch": 3,
            "BaseSequence": 17,
            "Records": [
                {"Key": "6b31", "Value": "68656c6c6f" * 4, "Headers": [{"Key": "é", "Value": None}]},
                {"TimestampDelta": -5, "OffsetDelta": 70, "Key": None, "Value": ""},
            ],
        },
        {"BaseOffset": 200, "BaseTimestamp": TIME, "Compression": name, "Records": [{"Value": "00"}]},
    ]
    for name in _CODECS
}
_OURS |= {
    f"magic {magic}, {name}": [
        {
            "Magic": magic,
            "Compression": name,
            "Offset": 44,
            **({"Timestamp": TIME + 5} if magic else {}),
            **(
                {"Key": "6b31", "Value": "68656c6c6f"}
                if name == "none"
                else {
                    "Messages": [
                        {
                            "Offset": offset if magic else 42 + offset,
                            "Key": None,
                            "Value": "68656c6c6f" * 4,
                            **({"Timestamp": TIME + offset} if magic else {}),
                        }
                        for offset in range(3)
                    ]
                }
            ),
        }
    ]
    for magic in (0, 1)
    for name in ("none", "gzip", "snappy", "lz4")
}


def _text(document: dict[str, Any]) -> str:
    """The document with a vector a line."""
    lists = {name: document.pop(name) for name in ("messages", "vectors")}
    lines = [json.dumps(document, indent=1, ensure_ascii=False)[:-2]]
    for name, items in lists.items():
        rows = ",\n".join("  " + json.dumps(item, ensure_ascii=False) for item in items)
        lines.append(f' "{name}": [\n{rows}\n ]')
    return ",\n".join(lines) + "\n}\n"


if __name__ == "__main__":
    main(Path(sys.argv[1]))
