"""`wirebook encode` and `wirebook decode`: lines in, lines out, and one clear line for what cannot
be."""

from __future__ import annotations

import io
import json
import sys
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from tests.cli.feeding import Feeds
from tests.cli.refusing import FALLBACK
from tests.support import ROOT
from wirebook.cli.main import main

HEARTBEAT = '{"GroupId":"g","GenerationId":1,"MemberId":"m"}'


def test_raw_bytes_are_read(feeds: Feeds) -> None:
    assert feeds(b"\x00\x1b", "decode", "HeartbeatResponse", "0", "--binary") == [
        '{"ErrorCode":27}'
    ]
    assert "neither --binary nor --topic" in feeds.refused("", "decode", "--batch", "--binary")
    for arguments in (("decode", "--topic", "__consumer_offsets", "HeartbeatResponse", "0"),
                      ("decode", "--records", "--topic", "__consumer_offsets", "--explain")):  # fmt: skip
        assert "--topic is for records only" in feeds.refused("", *arguments)


def test_values_of_a_table_have_names(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    for name, document in {
        "m/FooRequest.json": {
            "type": "request", "apiKey": 0, "name": "FooRequest", "validVersions": "0-1",
            "flexibleVersions": "none", "fields": [
                {"name": "Modes", "type": "[]Mode", "versions": "0+", "fields": [
                    {"name": "Mode", "type": "int8", "versions": "0+"}]},
                {"name": "Way", "type": "int8", "versions": "0+", "values": [{"value": 4, "name": "far"}]}]},
        "m/values.json": {
            "schema": "wirebook/values/1", "sets": [{"fields": ["FooRequest.Modes.Mode"], "values": [
                {"value": 0, "name": "safe", "meaning": "Stored.", "versions": "0+"},
                {"value": 1, "name": "fast", "meaning": "Not stored.", "versions": "1+"}]}]},
    }.items():  # fmt: skip
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(json.dumps(document))
    (tmp_path / "m/wirebook.toml").write_text('name = "foo"\n[tables]\nvalues = "values.json"\n')

    def run(given: str, *arguments: str) -> str:
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(given.encode())))
        assert main(arguments) == 0
        return capsys.readouterr().out

    explained = [
        run("000000020001" + "04", "decode", "FooRequest", version, "--explain") for version in "01"
    ]
    assert ["0 (safe)" in each for each in explained] == [True, True]
    assert ["1 (fast)" in each for each in explained] == [False, True]
    assert "4 (far)" in explained[0]


def test_a_value_becomes_bytes_and_bytes_a_value(feeds: Feeds) -> None:
    lines = feeds(HEARTBEAT, "encode", "HeartbeatRequest", "0")
    assert lines == ["00016700000001" + "00016d"]
    assert feeds(lines[0], "decode", "HeartbeatRequest", "0") == [HEARTBEAT]
    assert feeds(
        f"  {lines[0][:6].upper()} {lines[0][6:]} ", "decode", "HeartbeatRequest", "0"
    ) == [HEARTBEAT]


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ("000000", "a frame begins with a length of 4 bytes, but there are 3"),
        ("7fffffff 00", "the frame is cut: its length is 2147483647, but 1 byte follows it"),
        ("ffffffff", "the frame length is -1, but 0 bytes follow it"),
    ],
)
def test_a_frame_is_as_long_as_it_says(given: str, words: str, feeds: Feeds) -> None:
    assert words in feeds.refused(given, "decode", "HeartbeatResponse", "0", "--frame")


@pytest.mark.parametrize(
    ("given", "place"),
    [
        ('{\n\n  "ErrorCode": oops\n}', "line 3, column 16: "),
        ('{"ErrorCode":', "line 1, column 14: "),
        ('{"ErrorCode": 1}\n{"ErrorCode": oops}', "line 2, column 15: "),
        ('{"ErrorCode":\n{"ErrorCode": 1}', "line 2, column 17: "),
        ('{"ErrorCode": 1, "ErrorCode": 1}', "line 1: invalid JSON (the key"),
    ],
)
def test_a_fault_of_json_is_found_where_it_is(given: str, place: str, feeds: Feeds) -> None:
    assert place in feeds.refused(given, "encode", "HeartbeatResponse", "0")


def test_each_byte_is_explained(feeds: Feeds) -> None:
    given = '{"header":{"ClientId":"c"},"body":{"ClientSoftwareName":"é"}}'
    lines = feeds(given, "encode", "ApiVersionsRequest", "3", "--header", "--frame", "--explain")
    assert lines[0].split() == ["bytes", "hex", "field", "type", "value"]
    assert lines[1].split() == ["0-3", "00000011", "frame", "INT32", "length", "17"]
    assert any("header: ClientId" in line and '"c"' in line for line in lines)
    assert any(
        line.split()[2:] == ["ClientSoftwareName", "COMPACT_STRING", '"é"'] for line in lines
    )
    assert "\x1b" not in "".join(lines)


def test_the_explanation_as_json_keeps_its_schema(feeds: Feeds) -> None:
    given = '{"header":{"CorrelationId":9},"body":{"Topics":[{"Name":"a"}]}}'
    line = feeds(
        given, "encode", "MetadataRequest", "9", "--header", "--frame", "--explain", "json"
    )[0]
    value = json.loads(line)
    schema = json.loads((ROOT / "specs" / "schema" / "bytes.json").read_text())
    assert [error.message for error in Draft202012Validator(schema).iter_errors(value)] == []
    spans = value["spans"]
    assert [span["start"] for span in spans] == [0, *(span["end"] for span in spans[:-1])]
    assert spans[-1]["end"] * 2 == len(value["hex"])
    assert {span["part"] for span in spans} == {"frame", "header", "body"}


def test_a_batch_answers_a_line_with_a_line(feeds: Feeds) -> None:
    asked = [
        '{"message":"HeartbeatRequest","version":0,"value":' + HEARTBEAT + "}",
        '{"message":"HeartbeatResponse","version":0,"hex":"0007"}',
        '{"message":"HeartbeatResponse","version":0,"hex":"00"}',
        '{"message":"HeartbeatRespons","version":0,"hex":"0007"}',
        '{"message":"HeartbeatResponse","version":99,"hex":"0007"}',
        '{"message":"HeartbeatResponse","version":true,"hex":"0007"}',
        '{"message":"HeartbeatRequest","version":0,"value":{"GenerationId":"x"}}',
        '{"message":"HeartbeatRequest","version":0}',
        "[" * 100_000,
        "nonsense",
        "",
        '{"message":"HeartbeatResponse","version":0,"hex":"0008"}',
    ]
    answers = [json.loads(line) for line in feeds("\n".join(asked), "encode", "--batch")]
    assert len(answers) == len(asked)
    assert answers[0] == {"hex": "000167000000010001" + "6d"}
    assert answers[1] == {"value": {"ErrorCode": 7}}
    errors: list[Any] = [answer.get("error") for answer in answers]
    assert "ErrorCode: 2 bytes should be here, but 1 is left" in errors[2]
    assert "HeartbeatResponse" in errors[3]
    assert "valid versions are 0-4" in errors[4]
    assert "version" in errors[5]
    assert "GenerationId: a whole number is expected" in errors[6]
    assert all(errors[place] for place in range(2, 11))
    assert answers[11] == {"value": {"ErrorCode": 8}}


@pytest.mark.parametrize(
    ("given", "arguments", "words"),
    [
        ("{}", ("encode", "HeartbeatReqest", "0"), "did you mean HeartbeatRequest"),
        ("{}", ("encode", "Heartbeat", "0"), "name its message: HeartbeatRequest or HeartbeatResponse"),
        ("{}", ("encode", "HeartbeatRequest", "9"), "valid versions are 0-4"),
        ("{}", ("encode", "HeartbeatRequest", "x"), '"x" is not a version'),
        ("{}", ("encode", "HeartbeatRequest"), "name the message and its version"),
        ("{}", ("encode", "RequestHeader", "1", "--header"), "RequestHeader has no header"),
        ("{}", ("encode", "HeartbeatRequest", "0", "--batch"), "--batch reads message and version"),
        ("", ("encode", "HeartbeatRequest", "0"), "standard input is empty"),
        ("{}\n{", ("encode", "HeartbeatRequest", "0"), "line 2, column 2: invalid JSON"),
        ("[" * 100_000, ("encode", "HeartbeatRequest", "0"), "line 1: this is nested too deeply"),
        (b"\xff", ("encode", "HeartbeatRequest", "0"), "line 1: this is not UTF-8"),
        ('{"GenerationId": NaN}', ("encode", "HeartbeatRequest", "0"), 'NaN is not JSON; write "NaN"'),
        ("{}\n" + '{"GenerationId": 2147483648}', ("encode", "HeartbeatRequest", "0"),
         "line 2: GenerationId: 2147483648 does not fit INT32"),
        ('{"body":{"GroupId":1}}', ("encode", "HeartbeatRequest", "0", "--header"), "body.GroupId: a string"),
        ('{"x":1}', ("encode", "HeartbeatRequest", "0", "--header"), '"header" and "body"'),
        ("", ("decode", "HeartbeatResponse", "0"), "ErrorCode: 2 bytes should be here, but none are left"),
        ("0g", ("decode", "HeartbeatResponse", "0"), "line 1: 'g' at digit 2 is not a hex digit"),
        ("000", ("decode", "HeartbeatResponse", "0"), "3 hex digits are not a whole number of bytes"),
        (b"\xff\x00", ("decode", "HeartbeatResponse", "0"), "line 1: this is binary, not hex: add --binary"),
        (b"\x00\x1b", ("decode", "HeartbeatResponse", "0"), "line 1: this is binary, not hex: add --binary"),
        ("{}", ("encode", "--header"), "name the message and its version"),
        ("00", ("decode", "--header"), "name the message and its version"),
        ("00", ("decode", "--records", "--frame"), "name the message and its version"),
        ("0000000500", ("decode", "HeartbeatResponse", "0", "--frame"), "frame is cut: its length is 5, but 1 byte"),
        ("7fffffff", ("decode", "HeartbeatResponse", "0", "--frame"), "the frame is cut: its length is 2147483647"),
        ("0000", ("decode", "HeartbeatResponse", "0", "--header"), "header.CorrelationId: 4 bytes"),
    ],
)  # fmt: skip
def test_what_cannot_be_is_one_line(
    given: str | bytes, arguments: tuple[str, ...], words: str, feeds: Feeds
) -> None:
    assert words in feeds.refused(given, *arguments)


METADATA = "000300090000000100016300" + "030261000362630001000000"
ASKED = {"RequestApiKey": 3, "RequestApiVersion": 9, "CorrelationId": 1, "ClientId": "c"}


def test_what_precedes_an_error_is_printed(
    feeds: Feeds, capsys: pytest.CaptureFixture[str]
) -> None:
    def read(given: str, *arguments: str) -> tuple[list[str], str]:
        feeds.give(given)
        assert main(("decode", *arguments)) == 2
        out, err = capsys.readouterr()
        err = err.removeprefix(FALLBACK)
        assert err.count("\n") == 1
        return out.splitlines(), err

    beat = ("HeartbeatRequest", "4")
    lines, err = read("026700000003026d0000\n0267000000030b6d00", *beat)
    assert json.loads(lines[0])["MemberId"] == "m"
    assert json.loads(lines[1]) == {"GroupId": "g", "GenerationId": 3}
    assert err == "wirebook: line 2: byte 7: MemberId: 10 bytes should be here, but 2 are left\n"
    lines, err = read("0000\n000000", "HeartbeatResponse", "0")
    assert lines == ['{"ErrorCode":0}', '{"ErrorCode":0}']
    assert "line 2: byte 2: the message ends here, but 1 byte is left" in err
    assert read("0000\n00", "HeartbeatResponse", "0")[0] == ['{"ErrorCode":0}']
    # In the middle of a struct of an array, and in a header.
    (line,), err = read(METADATA[24:34], "MetadataRequest", "9")
    assert json.loads(line) == {"Topics": [{"Name": "a"}, {}]}
    assert "byte 5: Topics[1].Name: 2 bytes should be here, but none are left" in err
    (line,), err = read(METADATA[:16] + "00", "MetadataRequest", "9", "--header")
    assert json.loads(line) == {"header": {k: v for k, v in ASKED.items() if k != "ClientId"}}
    assert "header.ClientId" in err
    lines, err = read("0267000000030b6d00", *beat, "--explain")
    assert [row.split()[2] for row in lines[1:]] == [
        "GroupId",
        "GroupId",
        "GenerationId",
        "MemberId",
    ]
    (line,), err = read("0267000000030b6d00", *beat, "--explain", "json")
    assert json.loads(line)["spans"][-1]["value"] == 10


REQUEST = "0003 0001 00000004 0001 63 ffffffff"
UNKNOWN = "2714 0001 00000002 0001 63 000102"
NEWER = "0012 0009 00000003 0001 63 0004 666f 6f"


def framed(*messages: str) -> str:
    """Messages in hex as frames."""
    return "".join(
        f"{len(each) // 2:08x}{each}" for each in (text.replace(" ", "") for text in messages)
    )


def test_an_unknown_message_costs_that_message_only(
    feeds: Feeds, capsys: pytest.CaptureFixture[str]
) -> None:
    feeds.give(framed(REQUEST, UNKNOWN, NEWER, REQUEST))
    assert main(("decode",)) == 2
    out, err = capsys.readouterr()
    first, unknown, newer, last = map(json.loads, out.splitlines())
    assert first == last
    assert unknown["header"]["RequestApiKey"] == 10004
    assert unknown["body"] == "000102"
    assert (newer["header"]["ClientId"], newer["body"]) == ("c", "0004666f6f")
    assert "frame 2: byte 4: header.RequestApiKey: there is no request with API key 10004" in err
    assert "frame 3: byte 6: header.RequestApiVersion: ApiVersionsRequest has no version 9" in err


def test_messages_without_a_name_are_found(
    feeds: Feeds, capsys: pytest.CaptureFixture[str]
) -> None:
    body = '{"ThrottleTimeMs":0,"ErrorCode":27}'
    (answer,) = feeds(f'{{"body":{body}}}', "encode", "HeartbeatResponse", "2", "--header")
    (asked,) = feeds(f'{{"body":{HEARTBEAT}}}', "encode", "HeartbeatRequest", "2", "--header")
    for given in (framed(asked, answer), f"{asked}\n{answer}"):
        feeds.give(given)
        assert main(("decode",)) == 0
        out, err = capsys.readouterr()
        found = [json.loads(line) for line in out.splitlines()]
        # The response is that of the request before it.
        named = [(each["message"], each["version"]) for each in found]
        assert named == [("HeartbeatRequest", 2), ("HeartbeatResponse", 2)]
        assert found[1]["value"]["body"] == json.loads(body)
        assert not err.removeprefix(FALLBACK)
    # Without the request, a response has no name, and a request that is cut off has its own.
    for given, words in (
        (framed(answer), "no header names this message: name the message and its version"),
        (framed("0003 0001 00000000 ffff 000000"), "byte 14: body.Topics: 4 bytes should be here"),
        (framed(asked)[:40], "line 1: HeartbeatRequest 2 is a guess"),
        (framed(asked)[:40], "byte 0: the frame is cut: its length is 20, but 16 bytes follow it"),
        (framed(asked) + framed(answer)[:20], "frame 2: byte 0: the frame is cut: its length is"),
        (framed(answer)[:20], "the frame is cut: 4 bytes missing"),
        ("ff" * 50, "header.RequestApiKey: there is no request with API key -1"),
    ):
        feeds.give(given)
        assert main(("decode",)) == 2
        assert words in capsys.readouterr().err


def test_the_value_or_the_hex_may_be_an_argument(feeds: Feeds) -> None:
    (data,) = feeds("", "encode", "HeartbeatRequest", "0", HEARTBEAT)
    assert feeds("", "decode", "HeartbeatRequest", "0", data) == [HEARTBEAT]
    (records,) = feeds("", "encode", "--records", '[{"Records":[{"Key":"00"}]}]')
    assert json.loads(feeds("", "decode", "--records", records)[0])[0]["Records"][0]["Key"] == "00"
    assert json.loads(feeds("", "decode", REQUEST)[0])["message"] == "MetadataRequest"
    assert json.loads(feeds("", "decode", records)[0])["message"] == "records"
    assert (
        "27 (REBALANCE_IN_PROGRESS)"
        in feeds("", "decode", "HeartbeatResponse", "0", "001b", "--explain")[1]
    )


@pytest.mark.parametrize(
    "hostile", ["\x9b31m", "\u202e", "\u2066", "\u200b", "\x7f", "\ufeff", "\U000e0001"]
)
def test_text_that_steers_a_terminal_is_escaped(feeds: Feeds, hostile: str) -> None:
    value = json.dumps(
        {"GroupId": f"é{hostile}", "GenerationId": 1, "MemberId": "m"}, ensure_ascii=False
    )
    (data,) = feeds(value, "encode", "HeartbeatRequest", "0")
    (shown,) = feeds(data, "decode", "HeartbeatRequest", "0")
    assert shown.isprintable()
    assert "é" in shown
    assert json.loads(shown) == json.loads(value)


HEADER = {
    "type": "header", "name": "RequestHeader", "validVersions": "1-2", "flexibleVersions": "2+",
    "fields": [{"name": "Key", "type": "int8", "versions": "1+"}],
}  # fmt: skip
DIVE = {
    "apiKey": 18, "type": "request", "name": "DiveRequest", "validVersions": "0", "flexibleVersions": "0+",
    "fields": [{"name": "Depth", "type": "int16", "versions": "0+"}],
}  # fmt: skip


def test_a_header_of_another_protocol(tmp_path: Path, feeds: Feeds) -> None:
    (tmp_path / "DiveRequest.json").write_text(json.dumps(DIVE))
    of = ("DiveRequest", "0", "--source", f"{tmp_path}/", "--frame")
    assert "no spec of the name RequestHeader and the type header" in feeds.refused(
        "{}", "encode", *of, "--header"
    )
    (tmp_path / "RequestHeader.json").write_text(json.dumps(HEADER))
    value = '{"header":{"Key":5},"body":{"Depth":7}}'
    (line,) = feeds(value, "encode", *of, "--header")
    assert line == "000000050500000700"
    assert feeds(line, "decode", *of, "--header") == [value]
