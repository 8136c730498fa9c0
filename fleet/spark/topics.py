"""Topics of Kafka that hold request logs, as a source of Structured Streaming."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import pyspark.sql.functions as f

from wirebook.fleet.reading.progress import PREFIX
from wirebook.specs.files import read_input
from wirebook.specs.limits import MAX_SETTINGS
from wirebook.specs.problems import InputError

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

SOURCE = "kafka"
RECORDS_PER_BATCH = 1_000_000
_TOPIC = re.compile(r"kafka://(?P<brokers>[^/\s]+)/(?P<name>[A-Za-z0-9._-]{1,249})")
# What decides which records are read, which the checkpoint knows.
_OURS = frozenset(("bootstrap.servers", "group.id", "auto.offset.reset", "enable.auto.commit"))


class Topic(NamedTuple):
    """A topic: the brokers to ask first, as HOST:PORT,HOST:PORT, and its name."""

    brokers: str
    name: str

    @classmethod
    def of(cls, address: str) -> Topic:
        """The topic of kafka://HOST:PORT,HOST:PORT/TOPIC. Raises InputError."""
        match = _TOPIC.fullmatch(address)
        if match is None:
            raise InputError("is not a topic: write kafka://HOST:PORT,HOST:PORT/TOPIC", address)
        return cls(**match.groupdict())


def lines_of_topic(spark: SparkSession, topic: Topic, settings: Mapping[str, str]) -> DataFrame:
    """The records of a topic from its beginning on, as lines of which each partition has one block.

    `settings` are those of a Kafka consumer. A record that is deleted before it is read is an error.
    """
    source = spark.readStream.format(SOURCE).option("subscribe", topic.name)
    source = source.option("kafka.bootstrap.servers", topic.brokers)
    source = source.option("startingOffsets", "earliest").option("failOnDataLoss", "true")
    source = source.option("maxOffsetsPerTrigger", RECORDS_PER_BATCH)
    for name, value in settings.items():
        source = source.option(f"kafka.{name}", value)
    return _lines(source.load())


def _lines(records: DataFrame) -> DataFrame:
    path = f.concat_ws("/", f.lit("kafka:"), f.col("topic"), f.col("partition").cast("string"))
    # A block that starts before this would have the beginning of a file.
    start = f.lit(PREFIX).cast("long")
    return records.where("value IS NOT NULL").select(
        path.alias("path"), start.alias("start"), f.col("value").alias("line")
    )


def read_settings(path: Path) -> dict[str, str]:
    """The settings of a consumer in a properties file: NAME=VALUE lines, and comments. Raises InputError."""
    settings: dict[str, str] = {}
    for number, line in enumerate(read_input(path, MAX_SETTINGS).decode("utf-8", "replace").splitlines(), 1):
        text = line.strip()
        if not text or text.startswith(("#", "!")):
            continue
        name, equals, value = (part.strip() for part in text.partition("="))
        if not equals or not name or value.endswith("\\"):
            raise InputError(f"line {number} is not a setting: write NAME=VALUE on one line", str(path))
        if name in _OURS:
            raise InputError(f"line {number} sets {name}, which wirebook decides", str(path))
        settings[name] = value
    return settings
