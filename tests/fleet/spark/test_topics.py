"""Topics are read like files, each record once: from a real broker, by a stand-in for Spark's connector.

The connector is not part of PySpark. The stand-in has its options and columns, and uses kafka-python.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import SparkSession

from tests.e2e.real_brokers import tansu
from tests.fleet.logs import kafka_line
from tests.fleet.summaries import asked, rows
from wirebook.docgen.pipeline.failures import explain
from wirebook.docgen.pipeline.session import spark_session
from wirebook.fleet import run as module
from wirebook.fleet.run import FleetRequest, fleet
from wirebook.fleet.spark import topics
from wirebook.fleet.spark.topics import Topic, read_settings
from wirebook.specs.problems import InputError

TOPIC, PARTITIONS = "request-logs", 2


def register(spark: SparkSession) -> None:
    """Make the stand-in known, which is pickled by value: executors have no tests."""
    from pyspark.sql.datasource import DataSource, DataSourceStreamReader, InputPartition

    class Range(InputPartition):
        def __init__(self, number: int, start: int, end: int) -> None:
            self.number, self.start, self.end = number, start, end

    class Reader(DataSourceStreamReader):
        def __init__(self, options: Mapping[str, str]) -> None:
            self.topic, self.brokers = options["subscribe"], options["kafka.bootstrap.servers"]
            assert options["startingOffsets"] == "earliest"

        def consumer(self) -> Any:
            from kafka import KafkaConsumer

            return KafkaConsumer(bootstrap_servers=self.brokers, enable_auto_commit=False)

        def initialOffset(self) -> dict[str, int]:  # noqa: N802
            return {str(number): 0 for number in range(PARTITIONS)}

        def latestOffset(self) -> dict[str, int]:  # type: ignore[override]  # noqa: N802
            from kafka import TopicPartition

            consumer = self.consumer()
            ends = consumer.end_offsets([TopicPartition(self.topic, n) for n in range(PARTITIONS)])
            consumer.close()
            return {str(one.partition): end for one, end in ends.items()}

        def partitions(self, start: dict[str, int], end: dict[str, int]) -> Sequence[InputPartition]:
            return [Range(int(name), start[name], end[name]) for name in end if start[name] < end[name]]

        def read(self, partition: Any) -> Iterator[tuple[Any, ...]]:
            from datetime import datetime

            from kafka import TopicPartition

            consumer, one = self.consumer(), TopicPartition(self.topic, partition.number)
            consumer.assign([one])
            consumer.seek(one, partition.start)
            offset = partition.start
            while offset < partition.end:
                records = consumer.poll(60_000, max_records=partition.end - offset).get(one, ())
                assert records
                for record in records:
                    at, offset = datetime(2026, 10, 1), record.offset + 1
                    yield record.key, record.value, self.topic, partition.number, record.offset, at, 0
            consumer.close()

    class Source(DataSource):
        @classmethod
        def name(cls) -> str:
            return "kafka-python"

        def schema(self) -> str:
            return (
                "key binary, value binary, topic string, partition int, offset long, timestamp timestamp, "
                "timestampType int"
            )

        def streamReader(self, schema: Any) -> Reader:  # noqa: N802
            return Reader(self.options)

    spark.dataSource.register(Source)


def produce(broker: str, lines: Sequence[bytes | None]) -> None:
    from confluent_kafka import Producer

    # The broker takes a batch for one record when it says where the topic ends.
    producer = Producer({"bootstrap.servers": broker, "batch.num.messages": 1})
    for number, line in enumerate(lines):
        producer.produce(TOPIC, value=line, partition=number % PARTITIONS)
    assert producer.flush(60) == 0


@pytest.mark.long
@pytest.mark.xdist_group("spark")
def test_a_topic_counts_like_a_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("confluent_kafka")
    pytest.importorskip("kafka")
    from confluent_kafka.admin import AdminClient, NewTopic  # type: ignore[attr-defined]

    lines = [
        kafka_line(version=n % 9, client_id=f"app-{'abc'[n % 3]}", at=f"2026-10-0{1 + n % 4} 10:00:00,{n:03}")
        for n in range(300)
    ]
    lines[7] = b"no request"
    request = FleetRequest(
        [
            "",
        ],
        "4.0",
        tmp_path / "out",
        stream=True,
        once=True,
    )
    with tansu(tmp_path) as broker, spark_session("local[2]") as spark:
        admin = AdminClient({"bootstrap.servers": broker})
        for future in admin.create_topics([NewTopic(TOPIC, PARTITIONS, 1)]).values():
            future.result(60)
        register(spark)
        monkeypatch.setattr(topics, "SOURCE", "kafka-python")
        request.logs[0] = f"kafka://{broker}/{TOPIC}"  # type: ignore[index]
        produce(broker, [*lines[:200], None])
        assert fleet(request).lines == 200
        produce(broker, lines[200:])
        again = fleet(request)
        assert again.lines == 100
        assert fleet(request).lines == 0
        monkeypatch.setattr(module, "at_hand", lambda: False)
        (tmp_path / "a.log").write_bytes(b"\n".join(lines) + b"\n")
        plain = asked(tmp_path / "a.log", tmp_path / "plain")
    assert rows(tmp_path / "out") == rows(tmp_path / "plain")
    assert again.summary.logs.skipped == plain.summary.logs.skipped == {"not a request": 1}
    assert again.summary.headline == plain.summary.headline


@pytest.mark.long
@pytest.mark.xdist_group("spark")
def test_a_spark_without_the_connector_is_one_line(tmp_path: Path) -> None:
    request = FleetRequest(["kafka://127.0.0.1:1/topic"], "4.0", tmp_path / "out", stream=True, once=True)
    with pytest.raises(InputError, match=r"it lacks its Kafka connector: --conf spark\.jars\.packages="):
        fleet(request)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (
            "Caused by: org.apache.kafka.common.errors.UnknownTopicOrPartitionException: This server",
            "the topic, or records of it that were not read yet, were deleted",
        ),
        (
            "[KAFKA_DATA_LOSS.PARTITIONS_DELETED] Some data may have been lost because they are gone",
            "the topic, or records of it that were not read yet, were deleted",
        ),
        (
            "org.apache.kafka.common.errors.SaslAuthenticationException: Authentication failed: expired",
            "the brokers reject the credentials: Authentication failed: expired",
        ),
        (
            "org.apache.kafka.common.errors.TopicAuthorizationException: Not authorized to access: [x]",
            "the brokers do not let this user read the topic: Not authorized to access: [x]",
        ),
        (
            "org.apache.kafka.common.errors.TimeoutException: Timed out waiting for a node assignment.",
            "no broker of this address answers",
        ),
        (
            "[KAFKA_DATA_SOURCE_NOT_ENABLED] Failed to find data source: kafka. Please deploy it.\n"
            "WARN DataSourceManager: Python worker exited unexpectedly (crashed).",
            "it lacks its Kafka connector: --conf "
            "spark.jars.packages=org.apache.spark:spark-sql-kafka-0-10_2.13:VERSION, that of Spark",
        ),
    ],
)
def test_failures_of_a_topic_are_one_line(text: str, words: str) -> None:
    noise = "[STREAM_FAILED] Query terminated with exception: x\n\tat org.apache.spark.Some.java\n"
    assert explain(f"{noise}{text}\n\tat org.apache.kafka", "local") == f"Spark failed: {words}"


@pytest.mark.parametrize("address", ["kafka://", "kafka://host:9092", "kafka://host:9092/", "kafka://h/a b"])
def test_what_is_no_topic_is_one_line(address: str) -> None:
    with pytest.raises(InputError, match="is not a topic: write kafka://HOST:PORT,HOST:PORT/TOPIC"):
        Topic.of(address)
    assert Topic.of("kafka://a:1,b:2/logs.of_x-1") == Topic("a:1,b:2", "logs.of_x-1")


def test_settings_of_a_consumer_are_those_of_a_properties_file(tmp_path: Path) -> None:
    path = tmp_path / "consumer.properties"
    login = 'x username="a" password="b=c";'
    path.write_text(f"# mine\n\nsecurity.protocol = SASL_SSL\nsasl.jaas.config={login}\n")
    assert read_settings(path) == {"security.protocol": "SASL_SSL", "sasl.jaas.config": login}
    path.write_text("x")
    with pytest.raises(InputError, match="line 1 is not a setting"):
        read_settings(path)
    path.write_text("\ngroup.id=a")
    with pytest.raises(InputError, match=r"line 2 sets group\.id, which wirebook decides"):
        read_settings(path)
