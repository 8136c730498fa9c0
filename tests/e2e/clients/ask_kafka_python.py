"""Asks brokers for Metadata by kafka-python: ADDRESSES SECONDS [settings in JSON]."""

import json
import sys

from kafka import KafkaConsumer

addresses, seconds = sys.argv[1], float(sys.argv[2])
settings = json.loads(sys.argv[3]) if len(sys.argv) > 3 else {}
client = KafkaConsumer(
    bootstrap_servers=addresses.split(","),
    bootstrap_timeout_ms=int(seconds * 1000),
    request_timeout_ms=int(seconds * 1000),
    **settings,
)
topics = sorted(client.topics())
print(json.dumps({"brokers": len(client._client.cluster.brokers()), "topics": topics}))
