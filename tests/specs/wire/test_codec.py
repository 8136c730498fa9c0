"""The codec: Java's bytes both ways, what it refuses and where, and that it undoes what it does."""

from __future__ import annotations

import io
import json
from functools import cache
from typing import Any

import pytest
from hypothesis import HealthCheck, assume, given
from hypothesis import strategies as st
from kio.index import load_request_schema, load_response_schema
from kio.serial import entity_reader, entity_writer

from tests.profiles import examples
from tests.sources import read_protocol, texts_of
from tests.specs.released_specs import releases
from tests.specs.wire.layouts import (
    INFLEXIBLE,
    ONE,
    REFUSED,
    REFUSED_TAGS,
    TAGGED,
    TWO,
    field,
    message,
    own_layouts,
)
from tests.specs.wire.wire_values import completed, values
from tests.support import SHARED, history_repo, needs_shared
from wirebook.specs.codec import UNKNOWN, decode, encode, read
from wirebook.specs.kafka import KAFKA
from wirebook.specs.kafka.profile import embedded_profile
from wirebook.specs.kafka.registry import header_layout
from wirebook.specs.layout import Layout, LayoutField, layout
from wirebook.specs.spans import WireError

# --- Java's bytes
# -----------------------------------------------------------------------------------------


def vectors() -> list[dict[str, Any]]:
    assert SHARED is not None
    with (SHARED / "data" / "vectors-sample.jsonl").open(encoding="utf-8") as file:
        return [json.loads(line) for line in file]


@cache
def released_layout(line: str, name: str, version: int) -> Layout:
    found = _protocol(line).find(name)
    assert found is not None
    return layout(found, version)


@cache
def _protocol(line: str) -> Any:
    release = [name for name in releases() if name.startswith(f"{line}.")][-1]
    texts = texts_of(f"{history_repo()}@{release}")
    return read_protocol(texts, embedded_profile(KAFKA))


@needs_shared
def test_javas_bytes_are_written_and_read() -> None:
    count = 0
    for vector in vectors():
        chosen = released_layout(
            vector["spec"], f"{vector['api']}{vector['kind'].capitalize()}", vector["version"]
        )
        header = header_layout(vector["kind"], vector["header_version"])
        assert (chosen.header_version, chosen.flexible) == (
            vector["header_version"],
            vector["flexible"],
        )
        for shape, value, text in (
            (chosen, vector["value"], vector["body"]),
            (header, vector["header_value"], vector["header"]),
        ):
            body = bytes.fromhex(text)
            for made in (shape, Layout.from_json(shape.to_json())):
                assert encode(made, value).hex() == text, vector["id"]
                found = decode(made, body)
                same = completed(found, shape.fields) == completed(value, shape.fields)
                assert same, vector["id"]
                assert encode(made, found) == body, vector["id"]
        count += 1
    assert count > 400


# --- it undoes what it does
# -------------------------------------------------------------------------------


@examples(4, suppress_health_check=list(HealthCheck))
@given(st.data())
def test_what_is_written_is_read_again(data: st.DataObject) -> None:
    chosen = data.draw(st.sampled_from(own_layouts()))
    value = data.draw(values(chosen))
    written = encode(chosen, value)
    made = decode(chosen, written)
    assert completed(made, chosen.fields) == completed(value, chosen.fields)
    assert encode(chosen, made) == written
    inside = read(chosen, b"\x01\x02" + written + b"\x03", 2, whole=False)
    assert (inside.value, inside.at) == (made, len(written) + 2)
    found = read(chosen, written).spans
    assert [span.start for span in found] == [0, *(span.end for span in found[:-1])][: len(found)]
    assert (found[-1].end if found else 0) == len(written)


def modest(field: LayoutField) -> st.SearchStrategy[Any] | None:
    """Numbers that kio has a type for: its times and error codes are not any number."""
    kind = field.element or field.type
    if field.name.endswith("ErrorCode"):
        return st.just(0)
    return (
        st.integers(0, 1 << {"INT8": 6, "INT16": 14, "UINT16": 15}.get(kind, 30))
        if "INT" in kind
        else None
    )


@examples(2, suppress_health_check=list(HealthCheck))
@given(st.data())
def test_kio_reads_and_writes_the_same_bytes(data: st.DataObject) -> None:
    known = [each for each in own_layouts() if each.type in ("request", "response")]
    chosen = data.draw(st.sampled_from(known))
    load: Any = load_request_schema if chosen.type == "request" else load_response_schema
    try:
        entity = load(chosen.api_key, chosen.version)
    except Exception:  # kio has no common error for a version that it does not know
        assume(False)
    written = encode(chosen, data.draw(values(chosen, modest, unknown=False)))
    value, size = entity_reader(entity)(written, 0)
    out = io.BytesIO()
    entity_writer(entity)(out, value)
    assert (size, out.getvalue()) == (len(written), written)


# --- what it refuses, and where
# ---------------------------------------------------------------------------


@pytest.mark.parametrize(("shape", "text", "path", "offset", "words"), REFUSED)
def test_bytes_that_are_refused(
    shape: Layout, text: str, path: str, offset: int, words: str
) -> None:
    with pytest.raises(WireError) as caught:
        decode(shape, bytes.fromhex(text))
    assert (caught.value.path, caught.value.offset) == (path, offset)
    assert words in caught.value.message
    assert str(caught.value).startswith(f"byte {offset}: {path}")


@pytest.mark.parametrize(("text", "path", "offset", "words"), REFUSED_TAGS)
def test_tagged_sections_that_are_refused(text: str, path: str, offset: int, words: str) -> None:
    with pytest.raises(WireError) as caught:
        decode(ONE, bytes.fromhex(text))
    assert (caught.value.path, caught.value.offset) == (path, offset)
    assert words in caught.value.message


@pytest.mark.parametrize(
    ("shape", "value", "text"),
    [
        (ONE, {}, "ff 00"),
        (ONE, {"Count": -1, "Place": {"Id": -1}, "Other": None}, "ff 00"),
        (ONE, {"Count": 1}, "ff 01 00 08 0000000000000001"),
        (ONE, {"Place": {"Id": 2}}, "ff 01 07 05 00000002 00"),
        (ONE, {"Maybe": {"Id": 3}}, "01 03 00 00"),
        # KIP-893 within a tagged field: an unsigned varint says whether the struct is there.
        (ONE, {"Other": {"Id": 3}}, "ff 01 09 03 01 03 00"),
        (ONE, {UNKNOWN: [{"tag": 300, "data": "beef"}, {"tag": 3, "data": ""}]}, "ff 02 03 00 ac02 02 beef"),
        (TWO, {"Late": "x", "Count": 0, UNKNOWN: [{"tag": 3, "data": "00"}]},
         "ff 03 00 08 0000000000000000 01 02 0278 03 01 00"),
        (layout(TAGGED, 0), {"Gone": 5, "Late": "left out: it is ignorable", "Firm": ""}, "00000005"),
    ],
)  # fmt: skip
def test_tagged_sections(shape: Layout, value: dict[str, Any], text: str) -> None:
    assert encode(shape, value) == bytes.fromhex(text)
    assert encode(shape, decode(shape, bytes.fromhex(text))) == bytes.fromhex(text)


def test_what_kafka_reads_we_read() -> None:
    # Longer varints than need be, tags in any order, any marker that is not below 0.
    assert decode(
        ONE, bytes.fromhex("05 03 00 8200 07 8500 00000002 00 00 08 0000000000000001")
    ) == {
        "Maybe": {"Id": 3},
        "Count": 1,
        "Place": {"Id": 2},
    }
    for marker, maybe in (("00", {"Id": 3}), ("7f", {"Id": 3}), ("80", None), ("ff", None)):
        assert decode(ONE, bytes.fromhex(f"{marker} {'0300' if maybe else ''} 00")) == {
            "Maybe": maybe
        }
    truth = layout(message(field("Yes", "bool")), 0)
    assert [decode(truth, bytes([byte])) for byte in (0, 1, 2, 255)] == [
        {"Yes": False}, {"Yes": True}, {"Yes": True}, {"Yes": True}
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("shape", "value", "error"),
    [
        (INFLEXIBLE, 3, "an object is expected, not 3"),
        (
            INFLEXIBLE,
            {"Name": None},
            "Name: a string is expected; it is not nullable in this version",
        ),
        (INFLEXIBLE, {"Name": "x" * 32768}, "Name: a string of 32768 bytes; the limit is 32767"),
        (INFLEXIBLE, {"Name": "\ud800"}, "Name: this string has half of a surrogate pair"),
        (INFLEXIBLE, {"Nmae": ""}, "Nmae: there is no such field; did you mean Name"),
        (INFLEXIBLE, {"Ids": [1, 2**31]}, "Ids[1]: 2147483648 does not fit INT32"),
        (INFLEXIBLE, {"Ids": [True]}, "Ids[0]: a whole number is expected, not true"),
        (INFLEXIBLE, {"Ids": [1.0]}, "Ids[0]: a whole number is expected, not 1.0"),
        (INFLEXIBLE, {"Ids": "1"}, 'Ids: a list is expected, not "1"'),
        (
            INFLEXIBLE,
            {"Parts": [{}, {"Data": "0"}]},
            'Parts[1].Data: bytes in hex is expected, not "0"',
        ),
        (
            INFLEXIBLE,
            {"Parts": [{"Index": "1"}]},
            'Parts[0].Index: a whole number is expected, not "1"',
        ),
        (
            INFLEXIBLE,
            {UNKNOWN: [{"tag": 5, "data": ""}]},
            f"{UNKNOWN}: this version is not flexible",
        ),
        (
            ONE,
            {"Gone": 1},
            "Gone: this version does not have it (versions 0), and it is not ignorable",
        ),
        (ONE, {"Firm": "x"}, "Firm: this version does not have it"),
        (
            ONE,
            {UNKNOWN: [{"tag": 0, "data": ""}]},
            f"{UNKNOWN}[0]: tag 0 is already that of Count",
        ),
        (
            ONE,
            {UNKNOWN: [{"tag": 1, "data": ""}]},
            f"{UNKNOWN}[0]: tag 1 is already that of Late",
        ),
        (
            ONE,
            {UNKNOWN: [{"tag": 5, "data": ""}] * 2},
            f"{UNKNOWN}[1]: tag 5 is already that of {UNKNOWN}[0]",
        ),
        (ONE, {UNKNOWN: [{"tag": -5, "data": ""}]}, f"{UNKNOWN}[0]: -5 does not fit UINT32"),
        (ONE, {UNKNOWN: [{"tag": 5, "data": "x"}]}, f"{UNKNOWN}[0]: bytes in hex is expected"),
        (ONE, {UNKNOWN: {}}, f"{UNKNOWN}: a list is expected, not an object"),
    ],
)
def test_values_that_are_refused(shape: Layout, value: Any, error: str) -> None:
    with pytest.raises(WireError) as caught:
        encode(shape, value)
    assert str(caught.value).startswith(error)
    assert caught.value.offset is None


DEFAULTS = message(
    field("Old", "Old", "0", fields=[field("Id", "int32", "0", default="-1"), field("Name", "string", "0")]),
    field("Rate", "float64", "0"),
    field("Quota", "float64", "1+", taggedVersions="1+", tag=0),
    field("Raw", "records", "1+", taggedVersions="1+", tag=1),
    field("Spot", "Spot", "1+", taggedVersions="1+", tag=2, fields=[
        field("Id", "int32", "1+", default="-1"),
        field("Later", "int8", "2+", ignorable=True),
    ]),
)  # fmt: skip


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ({"Old": {}, "Rate": 0}, "00"),
        ({"Old": {"Id": -1, "Name": ""}, "Rate": -0.0}, "00"),
        ({"Quota": -0.0}, "00"),
        ({"Quota": 0}, "00"),
        ({"Raw": None}, "00"),
        ({"Spot": {"Id": -1}}, "00"),
        # Java compares the whole struct, also what this version has not: it is no longer a default.
        ({"Spot": {"Later": 3}}, "01 02 05 ffffffff 00"),
        ({UNKNOWN: [{"tag": 2**32 - 1, "data": ""}]}, "01 ffffffff0f 00"),
    ],
)
def test_defaults_are_told_as_java_tells_them(value: dict[str, Any], text: str) -> None:
    of = layout(DEFAULTS, 1)
    assert encode(of, value) == bytes.fromhex(text)
    assert encode(of, decode(of, bytes.fromhex(text))) in (bytes.fromhex(text), b"\0")


def test_numbers_that_json_has_not_are_texts() -> None:
    of = layout(message(field("Rate", "float64")), 0)
    for text in ("NaN", "Infinity", "-Infinity"):
        assert decode(of, encode(of, {"Rate": text})) == {"Rate": text}
    assert encode(of, {"Rate": 1}) == encode(of, {"Rate": 1.0})
    with pytest.raises(WireError, match="Rate: inf does not fit FLOAT64"):
        encode(of, json.loads('{"Rate":1e400}'))
    with pytest.raises(WireError, match='Rate: a number is expected, not "1"'):
        encode(of, {"Rate": "1"})


def test_uuids_are_texts_of_one_form() -> None:
    of = layout(message(field("Id", "uuid")), 0)
    text = "00112233-4455-6677-8899-aabbccddeeff"
    assert encode(of, {"Id": text}).hex() == text.replace("-", "")
    assert decode(of, encode(of, {"Id": text})) == {"Id": text}
    for wrong in (
        text.replace("-", ""),
        text[:-1],
        text.replace("0", "g"),
        "0-0112233445566778899aabbccddeeff-0-",
    ):
        with pytest.raises(WireError, match="Id: a uuid as 8-4-4-4-12"):
            encode(of, {"Id": wrong})
