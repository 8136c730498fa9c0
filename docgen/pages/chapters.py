"""The hand-written chapters on what an API's fields contain: bytes that no message spec
describes."""

from __future__ import annotations

from typing import NamedTuple


class Chapter(NamedTuple):
    """A page of the guide and the part of an API that it is about."""

    path: str
    title: str
    about: str


_BATCHES = Chapter(
    "records/", "Record batches", "the batches in its field of records, byte by byte"
)
_MARKERS = Chapter(
    "records/#transactions", "Transaction markers", "what ends a transaction in the log"
)
_COMMITTED = Chapter("groups/#commit", "A committed offset", "what the coordinator stores of it")
_STORED = Chapter(
    "groups/#consumer-group",
    "A group of the consumer protocol",
    "what the coordinator stores of it",
)
_OTHERS = Chapter(
    "groups/#others", "Transactions and share groups", "what the coordinator stores of them"
)
ALL = {
    "Produce": (_BATCHES,),
    "Fetch": (
        _BATCHES,
        Chapter(
            "records/#fetch",
            "What a reader must handle",
            "truncated batches, gaps, control markers",
        ),
    ),
    "ShareFetch": (_BATCHES,),
    "FetchSnapshot": (
        Chapter("records/#control", "Control records", "the first and last record of a snapshot"),
    ),
    "WriteTxnMarkers": (_MARKERS,),
    "EndTxn": (_MARKERS, _OTHERS),
    "InitProducerId": (_OTHERS,),
    "JoinGroup": (
        Chapter("groups/#join", "Consumer groups in bytes", "the subscription in Metadata"),
    ),
    "SyncGroup": (
        Chapter("groups/#sync", "Consumer groups in bytes", "the assignment in Assignment"),
    ),
    "DescribeGroups": (
        Chapter("groups/#embedded", "Consumer groups in bytes", "what members send each other"),
    ),
    "OffsetCommit": (_COMMITTED,),
    "TxnOffsetCommit": (_COMMITTED,),
    "OffsetFetch": (_COMMITTED,),
    "ConsumerGroupHeartbeat": (_STORED,),
    "ConsumerProtocolSubscription": (
        Chapter("groups/#subscription", "The subscription", "its bytes and versions"),
    ),
    "ConsumerProtocolAssignment": (Chapter("groups/#assignment", "The assignment", "its bytes"),),
}


def chapters(api: str) -> tuple[Chapter, ...]:
    """The chapters about an API of Kafka's."""
    return ALL.get(api, ())
