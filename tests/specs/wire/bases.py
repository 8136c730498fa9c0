"""The spec that tests of layouts begin with."""

from __future__ import annotations

from typing import Any

BASE: dict[str, Any] = {
    "apiKey": 1,
    "type": "request",
    "name": "FooRequest",
    "validVersions": "0-4",
    "flexibleVersions": "2+",
    "fields": [
        {"name": "Id", "type": "int32", "versions": "0+"},
        {"name": "Name", "type": "string", "versions": "0+", "nullableVersions": "1+"},
        {
            "name": "Late",
            "type": "int8",
            "versions": "3+",
            "taggedVersions": "3+",
            "tag": 1,
            "default": "-1",
        },
        {"name": "Early", "type": "bytes", "versions": "2+", "taggedVersions": "2+", "tag": 0},
        {
            "name": "Items",
            "type": "[]Item",
            "versions": "1+",
            "fields": [
                {"name": "Key", "type": "uuid", "versions": "0+", "mapKey": True},
                {"name": "Data", "type": "records", "versions": "0+", "nullableVersions": "0+"},
                {"name": "Old", "type": "[]int64", "versions": "1-2"},
            ],
        },
    ],
}
