"""Messages as lines of text: what each line gives, and which line and column an error names."""

from __future__ import annotations

from typing import Any

import pytest

from tests.specs.wire.layouts import own
from wirebook.specs.exchange.bare_records import BareRecords
from wirebook.specs.exchange.envelope import Envelope
from wirebook.specs.exchange.lines import batch, compact_json, decoded, decoded_records, encoded
from wirebook.specs.kafka.registry import embedded_protocol
from wirebook.specs.problems import InputError

KAFKA = embedded_protocol()
BEAT = Envelope(own("HeartbeatResponse", 0), KAFKA)
ASK = Envelope(own("ApiVersionsRequest", 0), KAFKA)
EMPTY = "standard input is empty: "


def lines(text: str | bytes) -> list[bytes]:
    return (text if isinstance(text, bytes) else text.encode()).splitlines(keepends=True)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ('{"ErrorCode": 1}', ["0001"]),
        ('\ufeff{"ErrorCode": 1}', ["0001"]),
        ('{"ErrorCode": 1}\n{"ErrorCode": 2}\n', ["0001", "0002"]),
        ('\n{"ErrorCode": 1}\n\n{}\n', ["0001", "0000"]),
        # One value over several lines, blank ones among them.
        ('{\n\n"ErrorCode":\n 3\n}\n', ["0003"]),
    ],
)
def test_values_are_encoded_one_over_all_lines_or_one_a_line(text: str, found: list[str]) -> None:
    assert encoded(lines(text), BEAT) == found
    assert encoded(lines(text), BEAT, lambda data: f"<{data.hex()}>") == [f"<{item}>" for item in found]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", EMPTY + "a JSON value is expected"),
        ("\n \n", EMPTY + "a JSON value is expected"),
        (b"{}\n\xff", "line 2: this is not UTF-8"),
        ('{"ErrorCode": "x"}', 'ErrorCode: a whole number is expected, not "x"'),
        ('{}\n{"ErrorCode": "x"}', 'line 2: ErrorCode: a whole number is expected, not "x"'),
        ('\n\n{\n\n"ErrorCode" 3}', "line 5, column 13: invalid JSON (Expecting ':' delimiter)"),
        ("{}\n{]", "line 2, column 2: invalid JSON (Expecting property name enclosed in double quotes)"),
        ('{"a": 1,\n"a": 2}', 'invalid JSON (the key "a" is repeated)'),
        ('{}\n{"a": 1, "b": 2, "a": 2}', 'line 2: invalid JSON (the key "a" is repeated)'),
        (f'{{"{"k" * 41}": 1, "{"k" * 41}": 2}}', f'line 1: invalid JSON (the key "{"k" * 40}" is repeated)'),
        ("NaN", 'line 1: invalid JSON (NaN is not JSON; write "NaN")'),
        ("{}\n-Infinity", 'line 2: invalid JSON (-Infinity is not JSON; write "-Infinity")'),
        ("9" * 5000, "line 1: invalid JSON (a number has too many digits)"),
        ("{}\n" + "[" * 100_000, "line 2: this is nested too deeply"),
    ],
)
def test_a_value_that_cannot_be_encoded_has_its_line(text: str | bytes, words: str) -> None:
    with pytest.raises(InputError) as caught:
        encoded(lines(text), BEAT)
    assert str(caught.value) == words


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("0001", ['{"ErrorCode":1}']),
        ("00 01\n\n 0 0 0 2 \n", ['{"ErrorCode":1}', '{"ErrorCode":2}']),
        ("00aF\n00Af", ['{"ErrorCode":175}'] * 2),
    ],
)
def test_hex_is_decoded_line_by_line(text: str, found: list[str]) -> None:
    assert decoded(lines(text), BEAT) == found
    assert decoded(lines(text), BEAT, lambda data: str(len(data))) == ["2"] * len(found)


def test_a_blank_line_is_a_message_that_may_be_empty() -> None:
    assert decoded([], ASK) == ["{}"]
    assert decoded(lines("\n\n"), ASK) == ["{}", "{}"]
    with pytest.raises(InputError, match=r"^line 2: byte 0: the message ends here, but 1 byte is left over$"):
        decoded(lines("\n00"), ASK)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", EMPTY + "bytes in hex are expected"),
        ("\n", EMPTY + "bytes in hex are expected"),
        ("0001\n000", "line 2: 3 hex digits are not a whole number of bytes"),
        ("0 0x1", "line 1: 'x' at digit 3 is not a hex digit"),
        ("\n\u0660", "line 2: '\\u0660' at digit 1 is not a hex digit"),
        ("0001\n00", "line 2: byte 0: ErrorCode: 2 bytes should be here, but 1 is left"),
        (
            b"0001\n\xff",
            "line 2: this is binary, not hex: add --binary",
        ),
    ],
)
def test_hex_that_cannot_be_decoded_has_its_line(text: str | bytes, words: str) -> None:
    with pytest.raises(InputError) as caught:
        decoded(lines(text), BEAT)
    assert str(caught.value) == words


def test_errors_in_records_have_their_line() -> None:
    one = BareRecords()
    data = one.encode([{"Records": [{"Value": "00"}]}])
    wrong = data[:-2] + bytes([data[-2] ^ 1]) + data[-1:]
    values, problems = decoded_records(lines(f"{data.hex()}\n{(data + wrong).hex()}\n{data[:-1].hex()}"), one)
    assert len(values) == 3
    assert [words.partition(" CRC")[0] for words in problems] == [f"line 2: [1]: byte {len(data) + 17}:"]
    # A list is one value over all lines, too.
    texts = ['[{"Records":\n[{"Value": "00"}]}]', '[]\n[{"Records": []}]']
    assert [len(encoded(lines(text), one)) for text in texts] == [1, 2]
    with pytest.raises(InputError, match=r"^line 2, column 2: invalid JSON"):
        encoded(lines("[]\n[}"), one)


def answers(*texts: str | bytes, records: bool = False) -> list[dict[str, Any]]:
    given = [text if isinstance(text, bytes) else text.encode() for text in texts]
    return list(batch(given, KAFKA, "the specs", records=records))


HEARTBEAT = '{"message": "HeartbeatResponse", "version": '


def test_each_line_of_a_batch_has_its_answer() -> None:
    assert answers(
        HEARTBEAT + '0, "value": {"ErrorCode": 5}}',
        HEARTBEAT.lower() + '"0", "hex": "0005"}',
        HEARTBEAT + '1, "hex": "00000007 0001"}',
    ) == [
        {"hex": "0005"},
        {"value": {"ErrorCode": 5}},
        {"value": {"ThrottleTimeMs": 7, "ErrorCode": 1}},
    ]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (b"\xff", "line 2: this is not UTF-8"),
        ("{", "line 2, column 2: invalid JSON (Expecting property name enclosed in double quotes)"),
        ("[]", 'an object with "message", "version" and "value" or "hex" is expected'),
        ('{"message": 1}', 'an object with "message", "version" and "value" or "hex" is expected'),
        ('{"message": "X"}', '"version" must be a number'),
        ('{"message": "X", "version": 1.5}', '"version" must be a number'),
        (HEARTBEAT + "true, \"hex\": \"\"}", '"True" is not a version; HeartbeatResponse has 0-4'),
        (HEARTBEAT + "0}", 'either "value" or "hex" is expected'),
        (HEARTBEAT + '0, "hex": "", "value": {}}', 'either "value" or "hex" is expected'),
        (HEARTBEAT + '0, "hex": 5}', '"hex" must be a string of hex digits'),
        (HEARTBEAT + '0, "hex": "0"}', "1 hex digits are not a whole number of bytes"),
        (HEARTBEAT + '0, "hex": "00"}', "byte 0: ErrorCode: 2 bytes should be here, but 1 is left"),
        (HEARTBEAT + '0, "value": {"ErrorCode": null}}',
         "ErrorCode: a whole number is expected; it is not nullable in this version"),
    ],
)  # fmt: skip
def test_a_line_of_a_batch_that_is_wrong_is_answered_with_the_reason(text: str | bytes, words: str) -> None:
    right = HEARTBEAT + '0, "hex": "0005"}'
    assert answers(right, text, right) == [
        {"value": {"ErrorCode": 5}},
        {"error": words},
        {"value": {"ErrorCode": 5}},
    ]


@pytest.mark.parametrize(("name", "is_error"), [("ProduceRequest", True), ("FetchSnapshotResponse", False)])
def test_a_batch_opens_records_on_request(name: str, is_error: bool) -> None:
    data = BareRecords().encode([{"BaseTimestamp": 1, "Records": [{"Value": "00"}]}])
    if is_error:
        value = f'{{"TopicData": [{{"Name": "t", "PartitionData": [{{"Records": "{data.hex()}"}}]}}]}}'
        version, path = 9, ("TopicData", 0, "PartitionData", 0, "Records")
    else:
        inner = f'{{"Index": 0, "UnalignedRecords": "{data.hex()}"}}'
        value = f'{{"Topics": [{{"Name": "t", "Partitions": [{inner}]}}]}}'
        version, path = 0, ("Topics", 0, "Partitions", 0, "UnalignedRecords")
    [made] = answers(f'{{"message": "{name}", "version": {version}, "value": {value}}}')
    line = f'{{"message": "{name}", "version": {version}, "hex": "{made["hex"]}"}}'
    for records in (False, True):
        [found] = answers(line, records=records)
        item: Any = found["value"]
        for step in path:
            item = item[step]
        assert (item[0]["BaseTimestamp"] if records else item) == (1 if records else data.hex())


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ({"a": [1, None, "é"]}, '{"a":[1,null,"é"]}'),
        ("\x1b\u202e\u2028 ", '"\\u001b\\u202e\\u2028 "'),
        ("\U000e0001", '"\\udb40\\udc01"'),
    ],
)
def test_json_is_one_visible_line(value: object, text: str) -> None:
    assert compact_json(value) == text
