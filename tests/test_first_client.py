"""The client of the guide: its hash, checksum and batches, its versions, and its login."""

from __future__ import annotations

import re

import pytest

from tests.first_client import PASSWORD, first_client, run
from tests.peers.small_broker import APIS as BROKER_APIS
from tests.peers.small_broker import Broker, listening
from tests.support import ROOT
from wirebook.docgen.pages.first_client import code
from wirebook.specs.kafka.flows import all_flows
from wirebook.specs.kafka.log_records import decode_records
from wirebook.specs.records.writing import write_records as encode_records

GUIDE = ROOT / "site_src" / "first-client.md"
APIS = [
    value
    for name, value in vars(first_client()).items()
    if name.isupper() and isinstance(value, tuple) and isinstance(value[0], str)
]


# Those of Kafka's UtilsTest.
@pytest.mark.parametrize(
    ("key", "number"),
    [
        (b"21", -973932308),
        (b"foobar", -790332482),
        (b"a-little-bit-long-string", -985981536),
        (b"a-little-bit-longer-string", -1486304829),
        (b"lkjh234lh9fiuh90y23oiuhsafujhadof229phr9h19h89h8", -58897971),
        (b"abc", 479470107),
    ],
)
def test_the_hash_is_that_of_java(key: bytes, number: int) -> None:
    assert first_client().murmur2(key) == number & 0xFFFFFFFF


def test_the_checksum_is_that_of_castagnoli() -> None:
    assert first_client().crc32c(b"123456789") == 0xE3069283


def test_our_codec_reads_its_batches_and_it_reads_ours() -> None:
    records = [(b"alice", b"one"), (None, b"x" * 300), (b"", b"")]
    data = first_client().write_batch(records)
    assert encode_records(decode_records(data)) == data
    assert list(first_client().read_batches(data)) == [
        (number, key, value) for number, (key, value) in enumerate(records)
    ]
    assert list(first_client().read_batches(data + data[:-1])) == list(
        first_client().read_batches(data)
    )


def test_forms_and_values_agree() -> None:
    form, values = "hs[s[ib]]B", [-2, "a", [["t", [[1, 2], [3, 4]]], ["u", []]], b"\0\1"]
    data = first_client().encode(form, *values)
    assert list(first_client().fields(form)) == ["h", "s", "[s[ib]]", "B"]
    assert first_client().Reader(data).decode(form) == values
    assert first_client().encode("s[i]", None, None) == b"\xff\xff\xff\xff\xff\xff"


def test_the_guide_shows_code_of_the_client() -> None:
    named = re.findall(r"^<!-- wirebook: code (.+) -->$", GUIDE.read_text("utf-8"), re.MULTILINE)
    assert len(named) == 10
    for names in named:
        assert code(names).startswith("<pre")
    assert "<code>def murmur2(data: bytes) -&gt; int:\n" in code("murmur2")
    assert "\n\ndef leave(self)" in code("murmur2 Member.leave")


def test_every_recorded_request_is_one_that_the_client_encodes() -> None:
    """The versions of the recording are those of the file."""
    sent = {(name, version) for name, _, version in APIS}
    flow = next(flow for flow in all_flows() if flow.name == "client-session")
    recorded = {
        (message.layout.api, message.layout.version)
        for step in flow.steps
        for message in step.messages
        if message.layout.type == "request"
    }
    assert recorded == sent - {("Heartbeat", 0)}, "the recording is too short for a heartbeat"


@pytest.mark.parametrize("mechanism", ["SCRAM-SHA-256", "PLAIN"])
@pytest.mark.parametrize(("newest", "asked"), [(2, [3, 0]), (4, [3])])
def test_it_negotiates_and_logs_in(mechanism: str, newest: int, asked: list[int]) -> None:
    broker = Broker(
        {**BROKER_APIS, 18: (0, newest)},
        users={"alice": PASSWORD},
        mechanisms=("SCRAM-SHA-256", "PLAIN"),
        topics=["orders"],
        refuse=False,
    )
    with listening(broker) as listener:
        printed = run(listener.address, "--user", "alice", "--mechanism", mechanism, "topics")
    assert printed == "orders 0=127.0.0.1:9092\n"
    tokens = [(36, 0)] * (2 if mechanism.startswith("SCRAM") else 1)
    assert broker.asked == [*((18, version) for version in asked), (17, 1), *tokens, (3, 4)]
