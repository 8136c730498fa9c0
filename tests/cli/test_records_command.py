"""`wirebook encode` and `wirebook decode` with records: objects in, objects out, and what is wrong
said."""

from __future__ import annotations

import json
import sys

import pytest
from jsonschema import Draft202012Validator

from tests.cli.feeding import Feeds
from tests.cli.refusing import FALLBACK
from tests.support import ROOT
from wirebook.cli.main import main

BATCHES = '[{"BaseTimestamp":1,"Records":[{"Value":"61"}]},{"Compression":"gzip","Records":[{"Key":"6b"}]}]'
PRODUCE = '{"TopicData":[{"Name":"t","PartitionData":[{"Index":0,"Records":%s}]}]}'
FETCH = '{"Responses":[{"Topic":"t","Partitions":[{"PartitionIndex":0,"Records":%s}]}]}'
WHERE = "Responses[0].Partitions[0].Records"


def failed(feeds: Feeds, given: str, *arguments: str) -> tuple[list[str], str]:
    """What a command prints that ends with findings, and what it says on standard error."""
    feeds.give(given)
    assert main(arguments) == 1
    out, err = feeds.capsys.readouterr()
    return out.splitlines(), err.removeprefix(FALLBACK)


def corrupt(hexed: str) -> str:
    """Records with the value of the first one changed."""
    return hexed[:134] + "ff" + hexed[136:]


def test_records_by_themselves_need_no_message(feeds: Feeds) -> None:
    [alone] = feeds(BATCHES, "encode", "--records")
    [read] = feeds(alone, "decode", "--records")
    assert [item["Compression"] for item in json.loads(read)] == ["none", "gzip"]
    assert feeds(json.dumps(json.loads(read), indent=1), "encode", "--records") == [alone]
    assert feeds(f"{read}\n{read}", "encode", "--records") == [alone, alone]
    assert feeds(f"{alone}\n\n{alone}", "decode", "--records") == [read, read]


def test_a_response_may_end_within_a_batch_and_a_request_may_not(feeds: Feeds) -> None:
    [alone] = feeds(BATCHES, "encode", "--records")
    cut = alone[:-2]
    [data] = feeds(FETCH % f'"{cut}"', "encode", "FetchResponse", "12")
    [opened] = feeds(data, "decode", "FetchResponse", "12", "--records")
    first, last = json.loads(opened)["Responses"][0]["Partitions"][0]["Records"]
    assert first["Records"][0]["Value"] == "61"
    assert last["Partial"].startswith("the bytes end after ")
    [data] = feeds(PRODUCE % f'"{cut}"', "encode", "ProduceRequest", "9")
    lines, said = failed(feeds, data, "decode", "ProduceRequest", "9", "--records")
    assert '"Partial":' in lines[0]
    assert said.startswith(
        "wirebook: line 1: TopicData[0].PartitionData[0].Records[1]: the bytes end after "
    )
    assert len(said.splitlines()) == 1


def test_a_wrong_checksum_is_said_and_all_else_printed(feeds: Feeds) -> None:
    [alone] = feeds(BATCHES, "encode", "--records")
    [data] = feeds(FETCH % f'"{corrupt(alone)}"', "encode", "FetchResponse", "12")
    lines, said = failed(feeds, f"\n{data}\n", "decode", "FetchResponse", "12", "--records")
    first, last = json.loads(lines[0])["Responses"][0]["Partitions"][0]["Records"]
    assert first["Error"].startswith("byte 17: CRC-32C is ")
    assert last["Compression"] == "gzip"
    assert said == f"wirebook: line 2: {WHERE}[0]: {first['Error']}\n"
    lines, said = failed(feeds, corrupt(alone), "decode", "--records")
    assert said == f"wirebook: line 1: [0]: {first['Error']}\n"


def test_each_byte_of_records_is_explained_on_request(feeds: Feeds) -> None:
    [data] = feeds(PRODUCE % BATCHES, "encode", "ProduceRequest", "9")
    closed = feeds(data, "decode", "ProduceRequest", "9", "--explain")
    opened = feeds(data, "decode", "ProduceRequest", "9", "--explain", "--records")
    assert not any("BaseOffset" in line for line in closed)
    assert any("Records[0].BaseOffset" in line and "INT64" in line for line in opened)
    assert any("Records[1].Records (gzip)" in line for line in opened)
    schema = json.loads((ROOT / "specs" / "schema" / "bytes.json").read_text())
    for arguments in (("ProduceRequest", "9"), ()):
        given = data if arguments else feeds(BATCHES, "encode", "--records")[0]
        [text] = feeds(given, "decode", *arguments, "--explain", "json", "--records")
        found = json.loads(text)
        Draft202012Validator(schema).validate(found)
        assert found["spans"][-1]["end"] * 2 == len(found["hex"])


def test_a_batch_of_lines_takes_and_gives_records(feeds: Feeds) -> None:
    line = '{"message":"ProduceRequest","version":9,"value":%s}' % (PRODUCE % BATCHES)
    [answer] = feeds(line, "encode", "--batch")
    data = json.loads(answer)["hex"]
    line = json.dumps({"message": "ProduceRequest", "version": 9, "hex": data})
    [closed] = feeds(line, "decode", "--batch")
    [opened] = feeds(line, "decode", "--batch", "--records")
    assert '"Records":"' in closed
    assert '"Records":[{"BaseOffset":0' in opened


def test_a_missing_package_is_one_line_with_the_command(
    feeds: Feeds, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "cramjam", None)
    said = feeds.refused('[{"Compression":"zstd"}]', "encode", "--records")
    assert said == "wirebook: zstd needs the package cramjam: install wirebook[records]\n"
