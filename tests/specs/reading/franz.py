"""Protocols in the format of franz-go, and their reading."""

from __future__ import annotations

from wirebook.specs.model import Message
from wirebook.specs.profile_choice import embedded_profile
from wirebook.specs.reading.discovery import SpecText, spec_text
from wirebook.specs.reading.formats import format_named

PROFILE = embedded_profile("kafka")


ENUMS = """\
// What a berth is for.
BerthKind int8 (
  // Ships with goods.
  1: CARGO
  2: FERRY
)

Weather int16 camelcase (
  0: Calm
)
"""


BERTHS = """\
Mooring => not top level, no encoding, flexible v2+
  // Bollard counts from the bow.
  Bollard: int16
  Length: float64(1.5)
  Draught: uint16 // tag 0

// Berths of a harbour.
BerthsRequest => key 700, max version 4, admin, flexible v2+
  // Harbour is a name.
  Harbour: nullable-string // v1+
  Pilot: nullable-string-v3+
  TimeoutMillis // v1+
  // Berths are those wanted.
  Berths: nullable-v2+[=>Wanted] // v1-v3
    Kind: enum-BerthKind
    Numbers: [int32]
    Moorings: [Mooring]
    Note: string // v2+
  Seal: nullable-bytes // v3+, tag 0
  Tide: int64(-1) // tag 1
  Ropes: [string] // v4+

BerthsResponse =>
  ThrottleMillis(3) // v1+
  Weather: enum-Weather
  Gate: nullable=> // v3+
    ID: uuid
    Open: bool(true)
  Fees: [=>]
    Amount: uint32
  Spare: => // v2+, tag 0
    Reason: nullable-string
"""


def read(*texts: tuple[str, str]) -> list[Message]:
    given: list[SpecText] = [spec_text(path, text.encode()) for path, text in texts]
    return list(format_named("franz-go").read(given, PROFILE))
