"""The decoder of the browser and the codec agree: values, spans and errors, of right and of broken
bytes."""

from __future__ import annotations

import json
import random
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given
from hypothesis import strategies as st

from tests.docgen.site.scripts import Scripts, needs_node, running
from tests.docgen.sites import own_site
from tests.profiles import examples
from tests.specs.wire.layouts import ONE, REFUSED, REFUSED_TAGS, TWO, own_layouts
from tests.specs.wire.wire_values import values
from wirebook.specs.codec import decode, encode, read
from wirebook.specs.json_records import from_json, to_json
from wirebook.specs.layout import Layout, layouts
from wirebook.specs.model import FieldValue, FieldValues
from wirebook.specs.spans import WireError
from wirebook.specs.versions import Versions

pytestmark = needs_node

OPEN = """
({ hex, length = 0, header = null, body, tags = {}, most = 100000, timed = false }) => {
  const bytes = Uint8Array.from(Buffer.from(hex, "hex"));
  const foreign = (path, tag) => (tags[path] || {})[tag] || null;
  const begun = performance.now();
  const found = wirebookCodec.open(bytes, length, header, body, most, foreign);
  if (timed) return JSON.stringify({ errors: [performance.now() - begun] });
  const errors = found.errors.map((error) => [String(error), error.offset, error.path]);
  const value = found.value === undefined ? null : found.value, { parts, end, all } = found;
  return wirebookCodec.json({ parts, errors, value, end, all });
}
"""
ENCODE = """
({ layout, value }) => {
  try {
    const bytes = wirebookEncode.encode(layout, wirebookEncode.parsed(value));
    return JSON.stringify({ hex: Buffer.from(bytes).toString("hex") });
  } catch (error) {
    return JSON.stringify({ error: error.message });
  }
}
"""
HEX = """
(text) => {
  try {
    return JSON.stringify(wirebookNotation.read(text).map(({ notation, streams }) => ({
      notation, streams: streams.map((bytes) => Buffer.from(bytes).toString("hex")),
    })));
  } catch (error) {
    if (!(error instanceof wirebookNotation.NotationError)) throw error;
    return JSON.stringify({ error: String(error), line: error.line, column: error.column });
  }
}
"""


@pytest.fixture(scope="module")
def script() -> Iterator[Scripts]:
    with running(OPEN, "codec.js") as scripts:
        yield scripts


@pytest.fixture(scope="module")
def reader() -> Iterator[Scripts]:
    with running(HEX, "notation.js") as scripts:
        yield scripts


def bare(span: dict[str, Any]) -> dict[str, Any]:
    return {key: item for key, item in span.items() if key != "section"}


def check(script: Scripts, of: Layout, layout: dict[str, Any], data: bytes, **more: Any) -> None:
    """The script reads the bytes as the codec does, or reports the same error."""
    found = script.ask({"hex": data.hex(), "body": layout, **more})
    value, errors = decoded(of, data)
    assert found["errors"] == errors, data.hex()
    if errors:
        return
    assert as_floats(found["value"], value) == value
    assert found["end"] == len(data)
    spans = json.loads(json.dumps([span.to_json() for span in read(of, data).spans]))
    assert as_floats([bare(span) for span in found["parts"][0]["spans"]], spans) == spans


def as_floats(found: Any, value: Any) -> Any:
    """What the script has read: JavaScript writes 1e16 with all digits, which Python takes for an
    int."""
    if isinstance(value, float) and isinstance(found, int):
        return float(found)
    if isinstance(value, dict) and isinstance(found, dict):
        return {key: as_floats(part, value.get(key)) for key, part in found.items()}
    if isinstance(value, list) and isinstance(found, list) and len(found) == len(value):
        return list(map(as_floats, found, value))
    return found


def decoded(of: Layout, data: bytes) -> tuple[Any, list[list[Any]]]:
    """The value, and the error in the form of the script."""
    try:
        return decode(of, data), []
    except WireError as error:
        return None, [[str(error), error.offset, error.path]]


@pytest.mark.long
def test_every_published_vector_reads_as_published(script: Scripts) -> None:
    """By the published JSON, as the page loads it; the header of a vector, too, behind the length
    of both."""
    site = own_site()
    headers = json.loads((site / "data" / "headers.json").read_text(encoding="utf-8"))
    size, seen = headers["frame_length"], 0
    for path in sorted((site / "data" / "api").glob("*.json")):
        document = json.loads(path.read_text(encoding="utf-8"))
        vectors = json.loads(
            (site / "api" / document["slug"] / "vectors.json").read_text(encoding="utf-8")
        )
        messages = {message["name"]: message["versions"] for message in document["messages"]}
        for vector in vectors["vectors"]:
            layout = messages[vector["message"]][str(vector["version"])]["layout"]
            body = bytes.fromhex(vector["body"])
            check(script, from_json(Layout, layout), layout, body)
            seen += 1
            if vector["header"] is None:
                continue
            version = vector["header_version"]
            header = next(each for each in headers[vector["type"]] if each["version"] == version)
            whole = bytes.fromhex(vector["header"]) + body
            whole = len(whole).to_bytes(size, "big") + whole
            found = script.ask(
                {"hex": whole.hex(), "length": size, "header": header, "body": layout}
            )
            assert found["errors"] == [], vector["id"]
            assert found["value"] == {"header": vector["header_value"], "body": vector["value"]}, (
                vector["id"]
            )
    assert seen > 1500


@examples(0.5, suppress_health_check=list(HealthCheck))
@given(st.data())
def test_any_value_and_any_broken_bytes(script: Scripts, data: st.DataObject) -> None:
    chosen = data.draw(st.sampled_from((*own_layouts(), ONE, TWO)))
    layout = chosen.to_json()
    body = encode(chosen, data.draw(values(chosen)))
    check(script, chosen, layout, body)
    dice = random.Random(data.draw(st.integers(0, 2**32)))
    for _ in range(6):
        changed = bytearray(body)
        at = dice.randrange(len(changed) + 1)
        changed[at : at + dice.randint(0, 2)] = dice.randbytes(dice.randint(0, 2))
        check(script, chosen, layout, bytes(changed))
    check(script, chosen, layout, body[: dice.randrange(len(body) + 1)])


def test_values_are_encoded_as_the_codec_does() -> None:
    """Of the vectors of every version of some APIs; what is wrong is said with its path."""
    with running(ENCODE, "encode.js") as scripts:
        for slug in (
            "produce",
            "fetch",
            "api-versions",
            "join-group",
            "describe-configs",
            "create-topics",
        ):
            document = json.loads((own_site() / "data" / "api" / f"{slug}.json").read_text())
            vectors = json.loads((own_site() / "api" / slug / "vectors.json").read_text())[
                "vectors"
            ]
            messages = {message["name"]: message["versions"] for message in document["messages"]}
            for vector in vectors:
                layout = messages[vector["message"]][str(vector["version"])]["layout"]
                question = {"layout": layout, "value": json.dumps(vector["value"])}
                assert scripts.ask(question) == {"hex": vector["body"]}, vector["id"]
        for value, error in {
            '{"Nothing": 1}': "there is no field \u201cNothing\u201d in this version",
            '{"Topics": [{"Name": 3}]}': "Topics[0].Name: 3 is no string",
            '{"ValidateOnly": 0}': "ValidateOnly: 0 is neither true nor false",
            '{"timeoutMs": 4294967296}': "timeoutMs: 4294967296 is not in the range of INT32",
        }.items():
            question = {"layout": messages["CreateTopicsRequest"]["7"]["layout"]}
            found = scripts.ask(
                question | {"value": value.replace("ValidateOnly", "validateOnly")}
            )["error"]
            assert found.lower() == error.lower()


def test_every_kind_of_broken_bytes(script: Scripts) -> None:
    """Each error of the codec is named in its tests; random bytes reach only some of them."""
    broken = [(shape, text) for shape, text, *_ in REFUSED] + [
        (ONE, text) for text, *_ in REFUSED_TAGS
    ]
    # A tag of another version is known by the page, and has a test of its own.
    for shape, text in broken:
        check(script, shape, shape.to_json(), bytes.fromhex(text), tags=tags_of(shape))


def tags_of(of: Layout) -> dict[str, dict[str, str]]:
    """The tags that any version of the message has, by struct."""
    found: dict[str, dict[str, str]] = {}
    for each in layouts(of.message):
        for field in each.walk():
            if field.tag is not None:
                found.setdefault(field.path.rpartition(".")[0], {})[str(field.tag)] = field.name
    return found


def test_lengths_of_frames(script: Scripts) -> None:
    layout = ONE.to_json()
    body = encode(ONE, {})
    for length, more in (
        (len(body), b""),
        (len(body) + 3, b""),
        (0, b""),
        (len(body), b"!!"),
        (-1, b""),
    ):
        data = length.to_bytes(4, "big", signed=True) + body + more
        found = script.ask({"hex": data.hex(), "length": 4, "body": layout})
        errors = [error for error, *_ in found["errors"]]
        of = "the frame is cut: its length" if length > len(body) else "the frame length"
        wrong = f"byte 0: {of} is {length}, but {len(body + more)} bytes follow it"
        assert errors[:1] == ([] if length == len(body + more) else [wrong])
    assert script.ask({"hex": "0000", "length": 4, "body": layout})["errors"][0][0] == (
        "byte 0: a frame begins with a length of 4 bytes, but there are 2"
    )


PLAIN = [
    "00 01 0a ff", "00010AFF", "0x00, 0x01, 0x0a, 0xff", "0x00010aff", r"\x00\x01\x0a\xff", "00:01:0a:ff",
    "00-01-0a-ff", "0001\n0aff\r\n", "00 0\n1 0a ff", "{ 0x00, 0x01, 0x0a, 0xff };", "\ufeff0001 0aff",
    "0001:0aff", "\t0001\t0aff", "0000: 0001 0aff  ....", "0000   00 01 0a ff   ....",
    "00000000: 0001 0aff                                ....", "00000000  00 01 0a ff  |....|\n00000004\n",
    "\t0x0000:  0001 0aff                  ....",
    "|00000000| 00 01 0a ff                                     |....            |",
]  # fmt: skip
WRONG = {
    "00 0g": 'line 1, column 5: "g" is not a hex digit',
    "00\n\n0102 zz": 'line 3, column 6: "z" is not a hex digit',
    "000": "line 1, column 3: an odd number of digits (3): the last byte has one, and every byte has two",
    "00 1 02": "line 1, column 4: this byte has one digit, and every byte has two",
    "00 \u202e01": "line 1, column 4: U+202E is not a hex digit",
    "<img src=x>": 'line 1, column 1: "<" is not a hex digit',
    "0000   00 01\n0010   00 02\n": "line 1, column 13: the line has 2 bytes, but the next offset says 16",
    "0000000 0100 ff0a\n0000004 0100 ff0a\n": (
        "line 1, column 1: a dump with seven digits before each line has its bytes swapped or in octal; "
        "use hexdump -C or xxd"
    ),
}


LITERALS = {
    "[0, 1, 10, 255]": "numbers", "vec![0u8, 1, 10, 255]": "numbers",
    "[]byte{0x0, 0x1, 0xa, 0xff}": "numbers",
    "let x: &[u8] = &[0x00, 0x01, 0x0a, 0xff];": "numbers", "new byte[] {0, 1, 10, (byte) -1};": "numbers",
    "const unsigned char data[] = {0x0,0x1,0xa,0xff};": "numbers", "bytes([0, 1, 10, 255])": "numbers",
    "pub(crate) const X: [u8; 4] = [0x00, 0x01, 0x0a, 0xff]; // ours": "numbers",
    "let mut b: Vec<u8> =\n  vec![\n  0, /* key */ 1,\n  10, 255];": "numbers",
    "BytesMut::from(&[0u8, 1, 10, 255][..])": "numbers", "[src/main.rs:12:5] &b = [\n 0,\n 1,\n 10,\n 255,\n]": "numbers",
    r"b'\x00\x01\n\xff'": "a string with escapes", r'b"\0\x01\n\xff"': "a string with escapes",
    r'"\x00" "\001\n" "\xff"': "a string with escapes", "AAEK/wABCv8=": "base64", "AAEK_wABCv8": "base64",
}  # fmt: skip
PACKETS = """12:00:01.123456 IP a.51234 > b.9092: Flags [P.], seq 1:5, ack 1, win 512, length 4
\t0x0000:  4500 002c 0000 0000 4006 0000 7f00 0001  E..,....@.......
\t0x0010:  7f00 0001 c822 2384 0000 0007 0000 0000  ....."#.........
\t0x0020:  5018 0000 0000 0000 0001 0aff            P...........
12:00:01.223456 IP a.51234 > b.9092: Flags [P.], seq 5:7, ack 1, win 512, length 2
\t0x0000:  4500 002a 0000 0000 4006 0000 7f00 0001  E..*....@.......
\t0x0010:  7f00 0001 c822 2384 0000 000b 0000 0000  ....."#.........
\t0x0020:  5018 0000 0000 0000 cafe                 P.........
"""


@pytest.mark.parametrize("text", PLAIN)
def test_forms_of_hex(reader: Scripts, text: str) -> None:
    assert reader.ask(text)[0]["streams"] == ["00010aff"]


@pytest.mark.parametrize("text", LITERALS)
def test_literals_and_base64(reader: Scripts, text: str) -> None:
    found = {each["notation"]: each["streams"] for each in reader.ask(text)}
    expected = "00010aff00010aff" if LITERALS[text] == "base64" else "00010aff"
    assert found[LITERALS[text]] == [expected]


def test_packets_of_tcpdump_are_joined_without_their_headers(reader: Scripts) -> None:
    found = reader.ask(PACKETS)
    assert found[0] == {
        "notation": "packets of TCP in 8 lines of a dump",
        "streams": ["00010affcafe"],
    }
    assert len(found[1]["streams"]) == 2


IN_PARTS = {
    "AAEK/w==\nlet more: [u8; 2] = [0xca, 0xfe];": ("base64 and numbers on 2 lines", ["00010aff", "cafe"]),
    "AAEK/w==\nyv66vg==": ("base64 on 2 lines", ["00010aff", "cafebabe"]),
    "00 01 0a ff\n\nb'\\xca\\xfe'": ("hex and a string with escapes on 2 parts", ["00010aff", "cafe"]),
    'hex!("00 01 0a ff")\nhex::decode("cafe").unwrap()': ("hex on 2 lines", ["00010aff", "cafe"]),
    f"{PACKETS}AAEK/w==": ("packets of TCP in 8 lines of a dump, and base64 on 1 part", ["00010affcafe", "00010aff"]),
}  # fmt: skip


@pytest.mark.parametrize("text", IN_PARTS)
def test_several_notations_in_one_text_are_all_read(reader: Scripts, text: str) -> None:
    notation, streams = IN_PARTS[text]
    assert {"notation": notation, "streams": streams} in reader.ask(text)


@pytest.mark.parametrize("text", WRONG)
def test_what_is_nothing_is_reported_with_its_place(reader: Scripts, text: str) -> None:
    assert reader.ask(text)["error"] == WRONG[text]


@pytest.mark.parametrize("words", ["xxd", "xxd -g1", "hexdump -C", "od -A x -t x1z"])
def test_dumps_of_real_tools(reader: Scripts, tmp_path: Path, words: str) -> None:
    """Also where the text beside the bytes looks like bytes, and where equal lines are left out."""
    command = words.split()
    if shutil.which(command[0]) is None:
        pytest.skip(f"there is no {command[0]} on PATH")
    dice = random.Random(1)
    texts = [bytes(dice.choices(b"0123456789abcdef  ", k=dice.randint(1, 70))) for _ in range(12)]
    texts += [dice.randbytes(dice.randint(1, 300)) for _ in range(8)] + [bytes(5003), b"abcdef  "]
    for number, data in enumerate(texts):
        path = tmp_path / str(number)
        path.write_bytes(data)
        dump = subprocess.run(
            [*command, str(path)], capture_output=True, text=True, check=True
        ).stdout
        assert reader.ask(dump)[-1]["streams"] == [data.hex()], dump


def test_values_and_flags_have_the_same_names() -> None:
    listed = [
        [FieldValue(-1, "off", "", Versions.ALL), FieldValue(3, "on", "", Versions.ALL)],
        [FieldValue(1 << bit, f"b{bit}", "", Versions.ALL, bit) for bit in (0, 3, 7, 62)],
    ]
    answer = (
        "({ listed, number, type }) => JSON.stringify(wirebookCodec.nameOf(listed, number, type))"
    )
    with running(answer, "codec.js") as scripts:
        for some in listed:
            rows = [to_json(each) for each in some]
            for number, type_ in (
                (-128, "INT8"),
                (-1, "INT8"),
                (3, "INT16"),
                (137, "UINT32"),
                (0, "INT64"),
            ):
                question = {"listed": rows, "number": number, "type": type_}
                expected = FieldValues(tuple(some)).name_of(number, int(type_.lstrip("UINT")))
                assert scripts.ask(question) == expected
