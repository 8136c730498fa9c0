"""Asks brokers for Metadata by aiokafka: ADDRESSES SECONDS [settings in JSON]."""

import asyncio
import json
import sys

from aiokafka.admin import AIOKafkaAdminClient


async def main() -> None:
    addresses, seconds = sys.argv[1], float(sys.argv[2])
    settings = json.loads(sys.argv[3]) if len(sys.argv) > 3 else {}
    async with asyncio.timeout(seconds):
        client = AIOKafkaAdminClient(
            bootstrap_servers=addresses.split(","),
            request_timeout_ms=int(seconds * 1000),
            **settings,
        )
        await client.start()
        topics = sorted(await client.list_topics())
        brokers = len(client._client.cluster.brokers())
        await client.close()
    print(json.dumps({"brokers": brokers, "topics": topics}))


asyncio.run(main())
