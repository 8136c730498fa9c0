"""The decoder finds what bytes are: 200 messages in six notations, pairs, unknown frames, and
records."""

from __future__ import annotations

import base64
import json
from collections.abc import Callable, Iterator
from functools import cache
from typing import Any

import pytest

from tests.docgen.site.scripts import Scripts, needs_node, running
from tests.docgen.sites import own_site
from wirebook.specs.records.checksums import crc32c
from wirebook.specs.records.writing import write_records
from wirebook.specs.unnamed import BareRecords

pytestmark = [needs_node, pytest.mark.xdist_group("site")]
READ = """
({ known, text, wanted = null }) => {
  if (known) {
    globalThis.all = wirebookReadings.known(known.layouts, known.headers);
    globalThis.codes = new Set(known.codes);
    return "{}";
  }
  const found = wirebookReadings.best(all, wirebookNotation.read(text), wanted, codes);
  return JSON.stringify({ notation: found.notation, frames: found.frames.map(({ frame, readings }) => ({
    short: frame.short,
    readings: readings.map(({ layout, fits }) => [layout.message, layout.version, fits]),
  })) });
}
"""
OPEN = """
async (hex) => {
  const bytes = Uint8Array.from(Buffer.from(hex, "hex"));
  const { spans, packed, problem } = wirebookRecords.open(bytes, 0, bytes.length, "Records", "Records");
  const inner = await Promise.all(packed.map(wirebookRecords.unpacked));
  const all = [spans, ...inner.map((each) => each.spans || [])].flat();
  return JSON.stringify({
    problem, types: spans.map((each) => [each.path.slice(each.path.lastIndexOf(".") + 1), each.type]),
    problems: inner.map((each) => each.problem).filter(Boolean),
    right: all.filter((each) => /[.]Crc$/.test(each.path)).every((each) => each.note === "right"),
    notes: spans.map((each) => each.note).filter(Boolean),
  });
}
"""


def _dump(data: bytes) -> str:
    """As hexdump -C writes it."""
    lines = []
    for at in range(0, len(data), 16):
        row = data[at : at + 16]
        text = "".join(chr(byte) if 32 <= byte < 127 else "." for byte in row)
        lines.append(f"{at:08x}  {row[:8].hex(' '):<23}  {row[8:].hex(' '):<23}  |{text}|")
    return "\n".join((*lines, f"{len(data):08x}"))


def _packet(data: bytes, snap: int = 65535, sequence: int = 7) -> str:
    """As tcpdump -X -s SNAP writes it, with its own line and the headers of IP and TCP."""
    whole = bytes.fromhex("4500") + (len(data) + 40).to_bytes(2, "big")
    whole += (
        bytes.fromhex("00000000400600007f0000017f000001c8222384")
        + sequence.to_bytes(4, "big")
        + bytes.fromhex("0000000050180000")
        + bytes(4)
        + data
    )
    lines = [
        f"12:00:01.123456 IP a.51234 > b.9092: Flags [P.], seq 1:9, ack 1, win 512, length {len(data)}"
    ]
    whole = whole[:snap]
    for at in range(0, len(whole), 16):
        row = whole[at : at + 16]
        text = "".join(chr(byte) if 32 <= byte < 127 else "." for byte in row)
        lines.append(f"\t0x{at:04x}:  {row.hex(' ', -2):<39}  {text}")
    return "\n".join(lines)


NOTATIONS: dict[str, Callable[[bytes], str]] = {
    "hex": lambda data: data.hex(" "),
    "hexdump": _dump,
    "tcpdump": _packet,
    "base64": lambda data: base64.b64encode(data).decode(),
    "Go": lambda data: f"[]byte{{{', '.join(map(hex, data))}}}",
    "Python": repr,
}


@pytest.fixture(scope="module")
def reader() -> Iterator[Scripts]:
    data = own_site() / "data"
    known = {
        name: json.loads((data / f"{name}.json").read_text()) for name in ("layouts", "headers")
    }
    errors = json.loads((data / "errors.json").read_text())["errors"]
    with running(READ, "codec.js", "notation.js", "readings.js") as scripts:
        scripts.ask({"known": {**known, "codes": [error["code"] for error in errors]}})
        yield scripts


@cache
def vectors(kind: str) -> tuple[dict[str, Any], ...]:
    """The vectors of a kind with values in their fields, of every version of every API."""
    found = []
    for path in sorted((own_site() / "api").glob("*/vectors.json")):
        for vector in json.loads(path.read_text())["vectors"]:
            if vector["type"] == kind and vector["case"] == "filled":
                found.append(vector | {"slug": path.parent.name})
    return tuple(found)


def framed(vector: dict[str, Any]) -> bytes:
    data = bytes.fromhex(vector["header"] + vector["body"])
    return len(data).to_bytes(4, "big") + data


def test_the_first_place_is_right(reader: Scripts) -> None:
    """Of 100 requests, and 100 responses after their requests, in each notation."""
    requests, right, asked = vectors("request"), 0, 0
    answers = {(each["slug"], each["version"]): each for each in vectors("response")}
    for number, request in enumerate(requests[:: len(requests) // 100]):
        response = answers.get((request["slug"], request["version"]))
        text = NOTATIONS[[*NOTATIONS][number % len(NOTATIONS)]]
        both = (request, response) if response is not None else (request,)
        found = reader.ask({"text": text(b"".join(map(framed, both)))})["frames"]
        for vector, frame in zip(both, found, strict=False):
            asked += 1
            right += frame["readings"][:1] == [[vector["message"], vector["version"], True]]
    assert asked > 190
    assert right >= 0.95 * asked


def test_a_response_without_its_request_is_among_the_readings(reader: Scripts) -> None:
    """Most are first, or have the layout of the first: what they are is not in the bytes."""
    first, responses = 0, vectors("response")[::5]
    for response in responses:
        (frame,) = reader.ask({"text": framed(response).hex()})["frames"]
        assert [response["message"], response["version"], True] in frame["readings"], response["id"]
        first += frame["readings"][0][0] == response["message"]
    assert first >= 0.75 * len(responses)
    wanted = {"slug": "leave-group", "version": 2, "type": "response"}
    (frame,) = reader.ask({"text": "0000000a 00000007 00000000 0000", "wanted": wanted})["frames"]
    assert frame["readings"][0][:2] == ["LeaveGroupResponse", 2]


def test_an_unknown_frame_costs_that_frame_only(reader: Scripts) -> None:
    good = framed(vectors("request")[0])
    found = reader.ask(
        {"text": (good + bytes.fromhex("0000000cffffffffffffffffffffffff") + good).hex()}
    )
    assert [bool(frame["readings"]) for frame in found["frames"]] == [True, False, True]
    cut = reader.ask({"text": (good + good[:20]).hex()})["frames"]
    assert [frame["short"] for frame in cut] == [0, len(good) - 20]


@pytest.mark.parametrize("correlation", [5, 77, 500, 70000])
def test_a_response_without_its_length_may_begin_with_any_id(
    reader: Scripts, correlation: int
) -> None:
    """Its ID looks like a length, or like the key and version of a request."""
    for message in ("FetchResponse", "MetadataResponse"):
        vector = next(
            each for each in vectors("response") if each["message"] == message
            and each["version"] == 12
        )  # fmt: skip
        header = correlation.to_bytes(4, "big") + bytes.fromhex(vector["header"])[4:]
        data = header + bytes.fromhex(vector["body"])
        (frame,) = reader.ask({"text": data.hex()})["frames"]
        assert [message, 12, True] in frame["readings"]


@pytest.mark.parametrize("has_length", [True, False])
def test_a_cut_response_is_a_guess_among_responses(reader: Scripts, has_length: bool) -> None:
    """Its ID looks like the key and version of a request; what a reader has chosen comes first."""
    for response in vectors("response")[::40]:
        header = (9).to_bytes(4, "big") + bytes.fromhex(response["header"])[4:]
        data = header + bytes.fromhex(response["body"])
        if len(data) < 20:
            continue
        whole = (len(data).to_bytes(4, "big") if has_length else b"") + data
        wanted = {"slug": response["slug"], "version": response["version"], "type": "response"}
        for chosen in (None, wanted):
            asked = {"text": whole[:-3].hex(), "wanted": chosen}
            (frame,) = reader.ask(asked)["frames"]
            expected = [response["message"], response["version"], False]
            if has_length or chosen:
                assert frame["readings"][0][2] is False, response["id"]
                assert expected in frame["readings"], response["id"]
        assert frame["readings"][0] == expected


def test_a_packet_that_is_cut_by_the_snap_length_is_a_cut_frame(reader: Scripts) -> None:
    """Its frame is a guess, and what follows in other packets is read from where a frame begins."""
    chosen = [*vectors("request")[::60], *vectors("response")[::60]]
    for vector in chosen:
        whole = framed(vector)
        for snap in (40 + 9, 40 + len(whole) // 2, 40 + len(whole) - 1):
            if snap - 40 >= len(whole):
                continue
            text = _packet(whole, snap)
            alone = reader.ask({"text": text})
            assert alone["notation"].startswith("packets of TCP")
            (frame,) = alone["frames"]
            assert frame["short"] == 40 + len(whole) - snap, vector["id"]
            assert not any(fits for _, _, fits in frame["readings"]), vector["id"]
            request = framed(vectors("request")[0])
            more = _packet(request, sequence=7 + len(whole))
            first, second = reader.ask({"text": f"{text}\n{more}"})["frames"]
            assert (first["short"], second["short"]) == (frame["short"], 0)
            assert second["readings"][0][2] is True


def test_a_frame_goes_on_after_what_was_not_captured(reader: Scripts) -> None:
    whole, after = framed(vectors("request")[3]), framed(vectors("request")[0])
    begin, end = _packet(whole[:20], 40 + 12), _packet(whole[20:] + after, sequence=27)
    first, second = reader.ask({"text": f"{begin}\n{end}"})["frames"]
    assert (first["short"], first["readings"][0][2]) == (len(whole) - 12, False)
    assert (second["short"], second["readings"][0][2]) == (0, True)


def test_a_record_that_is_not_as_it_says_is_named() -> None:
    """Of a varint the type is that of the field; what is wrong does not hide the next batch."""
    good = write_records([{"Records": [{"Value": "ff"}]}])
    unnamed = good[21:-1] + b"\x02"  # one header, which is missing
    unnamed = good[:17] + crc32c(unnamed).to_bytes(4, "big") + unnamed
    wrong_crc = good[:17] + bytes(4) + good[21:]
    with running(OPEN, "codec.js", "opened.js") as scripts:
        types = scripts.ask(good.hex())["types"]
        assert {name for name, type_ in types if type_ == "VARLONG"} == {"TimestampDelta"}
        assert ("KeyLength" in dict(types), dict(types)["KeyLength"]) == (True, "VARINT")
        found = scripts.ask((unnamed + good).hex())
        assert found["problem"].startswith("Records: Headers[0].KeyLength")
        assert len([name for name, _ in found["types"] if name == "BaseOffset"]) == 2
        assert "CRC-32C" in scripts.ask(wrong_crc.hex())["problem"]
        for data in (unnamed, wrong_crc):
            assert BareRecords().read(data).problems


def test_records_are_opened() -> None:
    """As the clients that wrote them: every checksum is right, and gzip is unpacked."""
    document = json.loads((own_site() / "data" / "record_vectors.json").read_text())
    with running(OPEN, "codec.js", "opened.js") as scripts:
        for vector in document["vectors"]:
            found = scripts.ask(vector["hex"])
            assert found["problem"] == "", vector["name"]
            assert found["right"] == all(each["valid"] for each in vector["read"]), vector["name"]
            packed = any(name in vector["name"] for name in ("snappy", "lz4", "zstd"))
            assert bool(found["problems"]) == packed, vector["name"]
            if vector["name"] == "COMMIT":
                assert "commit marker" in found["notes"]
        assert "not read" in scripts.ask(vector["hex"][:40])["notes"][-1]
