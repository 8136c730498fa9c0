"""A message with its header and the length of its frame: to bytes, back, and each byte
explained."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.specs.wire.layouts import own
from wirebook.docgen.pages.terminal import explained
from wirebook.specs.envelope import Envelope
from wirebook.specs.kafka.registry import embedded_protocol
from wirebook.specs.layout import Layout, layout
from wirebook.specs.model import Protocol
from wirebook.specs.problems import InputError
from wirebook.specs.profile import NEUTRAL, HeaderFields, Headers, Profile
from wirebook.specs.reader import read_message
from wirebook.specs.spans import WireError
from wirebook.specs.unnamed import UnnamedMessages

KAFKA = embedded_protocol()
REQUEST, RESPONSE = own("HeartbeatRequest", 4), own("HeartbeatResponse", 4)
BODY = {"GroupId": "g", "GenerationId": 7, "MemberId": "m", "GroupInstanceId": None}
BYTES = "02 67 00000007 02 6d 00 00".replace(" ", "")
HEAD = "000c 0004 00000005 ffff 00".replace(" ", "")
SIZE = (len(BYTES) + len(HEAD)) // 2


def test_the_header_of_a_request_names_the_message_by_itself() -> None:
    made = Envelope(REQUEST, KAFKA, header=True)
    given = {"CorrelationId": 5, "ClientId": None}
    data = made.encode({"header": given, "body": BODY})
    assert data.hex() == HEAD + BYTES
    decoded: Any = made.read(data).value
    assert decoded["header"] == {"RequestApiKey": 12, "RequestApiVersion": 4, **given}
    assert decoded["body"] == BODY
    same = {**given, "RequestApiKey": 12, "RequestApiVersion": 4}
    assert made.encode({"header": same, "body": BODY}) == data
    for wrong, words in (
        (
            {"RequestApiKey": 1},
            "header.RequestApiKey: 1 is not 12, as before HeartbeatRequest 4",
        ),
        (
            {"RequestApiVersion": 2},
            "header.RequestApiVersion: 2 is not 4, as before HeartbeatRequest 4",
        ),
    ):
        with pytest.raises(WireError) as caught:
            made.encode({"header": same | wrong, "body": BODY})
        assert str(caught.value) == words
    answer = Envelope(RESPONSE, KAFKA, header=True)
    assert answer.encode(
        {"header": {"CorrelationId": 5}}
    ).hex() == "00000005 00 00000000 0000 00".replace(" ", "")
    assert made.encode({"body": BODY})[:8] == bytes.fromhex("000c000400000000")


def test_a_frame_begins_with_its_length() -> None:
    plain, framed = Envelope(REQUEST, KAFKA), Envelope(REQUEST, KAFKA, frame=True)
    both = Envelope(REQUEST, KAFKA, header=True, frame=True)
    assert plain.encode(BODY).hex() == BYTES
    assert framed.encode(BODY).hex() == f"{len(BYTES) // 2:08x}{BYTES}"
    assert framed.read(framed.encode(BODY)).value == plain.read(plain.encode(BODY)).value == BODY
    value = {"header": {"CorrelationId": 5, "ClientId": None}, "body": BODY}
    data = both.encode(value)
    assert data.hex() == f"{SIZE:08x}{HEAD}{BYTES}"
    decoded: Any = both.read(data).value
    assert decoded["body"] == BODY
    parts = [
        (part, span.start, span.end, span.path, span.kind)
        for part, span in both.read(data, described=True).spans
    ]
    assert parts[:4] == [
        ("frame", 0, 4, "", "length"),
        ("header", 4, 6, "RequestApiKey", "value"),
        ("header", 6, 8, "RequestApiVersion", "value"),
        ("header", 8, 12, "CorrelationId", "value"),
    ]
    assert ("body", 4 + len(HEAD) // 2, 5 + len(HEAD) // 2, "GroupId", "length") in parts
    assert [end for _, _, end, _, _ in parts][:-1] == [start for _, start, _, _, _ in parts][1:]
    document = json.loads(explained(both.read(data, described=True), data, "json", colour=False))
    assert (document["schema"], document["message"], document["version"], document["hex"]) == (
        "wirebook/bytes/1",
        "HeartbeatRequest",
        4,
        data.hex(),
    )
    assert document["spans"][0] == {
        "part": "frame", "start": 0, "end": 4, "path": "", "field": "", "kind": "length", "type": "INT32",
        "value": SIZE,
    }  # fmt: skip
    # Without a frame, the first byte is that of the body.
    assert plain.read(plain.encode(BODY), described=True).spans[0][1].start == 0


@pytest.mark.parametrize(
    ("data", "words"),
    [
        ("", "byte 0: a frame begins with a length of 4 bytes, but there are 0"),
        ("000000", "byte 0: a frame begins with a length of 4 bytes, but there are 3"),
        ("00000001", "byte 0: the frame is cut: its length is 1, but 0 bytes follow it"),
        ("0000000200", "byte 0: the frame is cut: its length is 2, but 1 byte follows it"),
        ("ffffffff0000", "byte 0: the frame length is -1, but 2 bytes follow it"),
        ("00000000", "byte 4: GroupId: the bytes end within a varint"),
        (
            f"{len(BYTES) // 2 + 1:08x}{BYTES}00",
            "byte 14: the message ends here, but 1 byte is left over",
        ),
    ],
)
def test_bytes_that_are_no_frame_are_refused(data: str, words: str) -> None:
    assert str(Envelope(REQUEST, KAFKA, frame=True).read(bytes.fromhex(data)).error) == words


@pytest.mark.parametrize(
    ("value", "words"),
    [
        ([], 'an object with "header" and "body" is expected'),
        ({"head": {}}, 'an object with "header" and "body" is expected'),
        ({"header": [], "body": BODY}, "header: an object is expected, not a list"),
        (
            {"header": {"ClientI": 1}},
            "header.ClientI: there is no such field; did you mean ClientId?",
        ),
        ({"body": {"GroupId": 1}}, "body.GroupId: a string is expected, not 1"),
    ],
)
def test_values_that_are_no_message_are_refused(value: Any, words: str) -> None:
    with pytest.raises(WireError) as caught:
        Envelope(REQUEST, KAFKA, header=True).encode(value)
    assert str(caught.value) == words


def otter(kind: str, name: str, version: int = 0, **more: Any) -> Layout:
    spec: dict[str, Any] = {
        "type": kind, "name": name, "validVersions": "0-1", "flexibleVersions": "none",
        "fields": [{"name": "Note", "type": "bytes", "versions": "0+"}],
    }  # fmt: skip
    profile = more.pop("profile", NEUTRAL)
    return layout(read_message(json.dumps(spec | more), "x.json", profile=profile), version)


def test_another_protocol_has_its_own_header() -> None:
    profile = Profile(headers=Headers(HeaderFields(api_version="Revision")))
    body = otter("request", "HelloRequest", apiKey=3, profile=profile)
    fields = [{"name": "Revision", "type": "int8", "versions": "0+"}]
    header = otter("header", "RequestHeader", fields=fields).message
    with pytest.raises(
        InputError, match="the header of HelloRequest is unknown: there is no spec of the name"
    ):
        Envelope(body, Protocol.of([]), header=True)
    with pytest.raises(InputError, match="RequestHeader and the type header"):
        Envelope(body, Protocol.of([otter("data", "RequestHeader").message]), header=True)
    made = Envelope(body, Protocol.of([header]), header=True, frame=True)
    # Only what the header has is filled in.
    encoded = made.encode({"body": {"Note": "beef"}}).hex()
    assert encoded == "00000007 00 00000002 beef".replace(" ", "")
    with pytest.raises(InputError, match="Foo has no header; only requests and responses do"):
        Envelope(otter("data", "Foo"), Protocol.of([]), header=True)


def test_a_header_that_is_cut_is_no_other_version() -> None:
    cut = bytes.fromhex("0001 000c 00000001 ffff")
    error = UnnamedMessages(KAFKA).read(cut).error
    assert str(error).startswith("byte 0: no header names this message: name the message")


def test_a_damaged_request_without_a_length_is_what_its_header_names() -> None:
    """After a length, its correlation id would be the key and a version of Produce."""
    longer = bytes.fromhex("0029 0001 00000007 0000 00000000 00")
    reading = UnnamedMessages(KAFKA).read(longer)
    assert (reading.name, reading.version) == ("DescribeDelegationTokenRequest", 1)
    assert not reading.notes


def test_the_header_names_a_request_where_the_profile_names_its_fields() -> None:
    def protocol(fields: list[tuple[str, str]], roles: HeaderFields) -> Protocol:
        profile = Profile(headers=Headers(roles))
        header = [{"name": name, "type": kind, "versions": "0+"} for name, kind in fields]
        more = [{"name": "Trace", "type": "int8", "versions": "2+"}]
        return Protocol.of([
            otter("request", "HelloRequest", apiKey=3, profile=profile).message,
            otter("request", "ByeRequest", apiKey=300, flexibleVersions="none", profile=profile).message,
            otter("header", "RequestHeader", 1, fields=[*header, *more], validVersions="1-2").message,
        ])  # fmt: skip

    roles = HeaderFields(api_key="Kind", api_version="Revision")
    fields = [("Mark", "bool"), ("Revision", "int8"), ("Kind", "uint16"), ("Who", "string")]
    requests = UnnamedMessages(protocol(fields, roles))
    frames = bytes.fromhex("0000000c 01 00 012c 0001 61 00000001 be".replace(" ", ""))
    (frame,) = requests.split(frames)
    read: Any = requests.read(frame).value
    assert read["header"] == {"Mark": True, "Revision": 0, "Kind": 300, "Who": "a"}
    assert read["body"] == {"Note": "be"}
    for data, words in (
        ("00000003 01 00 01", "byte 4: no header names this message"),
        ("00000006 01 00 0004 0000", "byte 6: header.Kind: there is no request with API key 4"),
        ("00000006 01 09 0003 0000", "byte 5: header.Revision: HelloRequest has no version 9"),
    ):
        assert str(requests.read(bytes.fromhex(data.replace(" ", ""))).error).startswith(words)
    with pytest.raises(InputError, match="the header does not name them here"):
        UnnamedMessages(protocol(fields, HeaderFields(api_key="Kind")))
    with pytest.raises(InputError, match="the header does not name them here"):
        UnnamedMessages(Protocol.of([]))
