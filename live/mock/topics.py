"""The topics of a mock broker, as Metadata describes them."""

from __future__ import annotations

import re
import uuid
from collections.abc import Mapping, Sequence
from typing import Any

from wirebook.live.mock.faults import INVALID_REQUEST
from wirebook.specs.model import Json

UNKNOWN_TOPIC, INVALID_TOPIC, UNKNOWN_TOPIC_ID = 3, 17, 100
_NAME = re.compile(r"(?!\.{1,2}\Z)[A-Za-z0-9._-]{1,249}")
_NO_ID = str(uuid.UUID(int=0))
_IDS_SINCE = 12  # versions 10 and 11 of Metadata have the field, but brokers refuse it there


class Topics:
    """Topics with their numbers of partitions. Their ids are the same in every run."""

    def __init__(self, partitions: Mapping[str, int]) -> None:
        self._partitions = partitions
        self._ids = {name: str(uuid.uuid5(uuid.NAMESPACE_URL, f"kafka:{name}")) for name in partitions}
        self._names = {given: name for name, given in self._ids.items()}

    def described(
        self, requested: Sequence[Mapping[str, Any]] | None, version: int, nodes: int
    ) -> list[dict[str, Json]]:
        """The topics of an answer, as brokers of `nodes` nodes lead them."""
        # Version 0 cannot encode null: its empty list requests all topics.
        if requested is None or (version == 0 and not requested):
            return [self._described(name, nodes) for name in self._partitions]
        if 10 <= version < _IDS_SINCE and any(map(_has_id, requested)):
            return [{"ErrorCode": INVALID_REQUEST, "Name": topic["Name"] or ""} for topic in requested]
        # A topic that is requested repeatedly is described once, because it may have thousands of partitions.
        ids = dict.fromkeys(topic["TopicId"] for topic in requested if topic.get("TopicId", _NO_ID) != _NO_ID)
        if ids:
            # With an id, names without one are ignored.
            answer: list[dict[str, Json]] = [
                {"ErrorCode": UNKNOWN_TOPIC_ID, "Name": None, "TopicId": topic_id}
                for topic_id in ids
                if topic_id not in self._names
            ]
            return answer + [
                self._described(self._names[topic_id], nodes) for topic_id in ids if topic_id in self._names
            ]
        return [self._named(name, nodes) for name in dict.fromkeys(topic["Name"] for topic in requested)]

    def _named(self, name: str | None, nodes: int) -> dict[str, Json]:
        if name is not None and name in self._partitions:
            return self._described(name, nodes)
        is_valid = name is not None and _NAME.fullmatch(name) is not None
        return {"ErrorCode": UNKNOWN_TOPIC if is_valid else INVALID_TOPIC, "Name": name}

    def _described(self, name: str, nodes: int) -> dict[str, Json]:
        partitions: list[Json] = []
        for number in range(self._partitions[name]):
            leader = number % nodes + 1
            partitions.append(
                {"PartitionIndex": number, "LeaderId": leader, "ReplicaNodes": [leader], "IsrNodes": [leader]}
            )
        return {"Name": name, "TopicId": self._ids[name], "Partitions": partitions}


def _has_id(topic: Mapping[str, Any]) -> bool:
    return topic["Name"] is None or topic.get("TopicId", _NO_ID) != _NO_ID
