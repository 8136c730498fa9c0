"""The hand-written chapters on what an API's fields contain: bytes that no message spec describes."""

from __future__ import annotations

from typing import NamedTuple


class Chapter(NamedTuple):
    """A page of the guide and what of an API it is about."""

    path: str
    title: str
    about: str


_RECORDS = "the batches in its field of records, byte by byte"
ALL = {
    "Produce": (Chapter("records/", "Record batches", _RECORDS),),
    "Fetch": (
        Chapter("records/", "Record batches", _RECORDS),
        Chapter("records/#transactions", "Transaction markers", "who reads what with read_committed"),
    ),
    "ShareFetch": (Chapter("records/", "Record batches", _RECORDS),),
    "FetchSnapshot": (
        Chapter("records/#control", "Control records", "the first and last records of a snapshot"),
    ),
    "WriteTxnMarkers": (
        Chapter("records/#transactions", "Transaction markers", "what is appended to the log"),
    ),
    "EndTxn": (Chapter("records/#transactions", "Transaction markers", "what is appended to the log"),),
}


def chapters(api: str) -> tuple[Chapter, ...]:
    """The chapters about an API of Kafka's."""
    return ALL.get(api, ())
