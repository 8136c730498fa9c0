"""Asks brokers for Metadata by librdkafka: ADDRESSES SECONDS [FILE of settings in JSON]."""

import json
import sys

from confluent_kafka.admin import AdminClient

addresses, seconds = sys.argv[1], float(sys.argv[2])
settings = json.loads(sys.argv[3]) if len(sys.argv) > 3 else {}
client = AdminClient(
    {
        "bootstrap.servers": addresses,
        "log_level": 0,
        "socket.timeout.ms": max(int(seconds * 1000), 1000),
        "broker.address.family": "v4",
        **settings,
    }
)
found = client.list_topics(timeout=seconds)
print(json.dumps({"brokers": len(found.brokers), "topics": sorted(found.topics)}))
