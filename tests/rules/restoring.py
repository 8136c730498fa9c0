"""A protocol that has lost something which its releases have."""

from __future__ import annotations

import json
from typing import Any

from tests.kafka import read_kafka
from wirebook.specs.model import Protocol

ID = {"name": "Id", "type": "int32", "versions": "0+"}


DATA = {"name": "Data", "type": "bytes", "versions": "0+"}


def protocol(*fields: dict[str, Any], **keys: Any) -> Protocol:
    spec = {
        "apiKey": 900,
        "type": "request",
        "name": "FooRequest",
        "validVersions": "0-1",
        "flexibleVersions": "0+",
        **keys,
        "fields": list(fields),
    }
    return Protocol.of([read_kafka(json.dumps(spec), "FooRequest.json", strict=False)])
