"""The definitions of franz-go: the same layouts as those of Kafka's specs, and errors with their place."""

from __future__ import annotations

import pickle
from textwrap import dedent

import pytest

from tests.specs.reading.franz import BERTHS, ENUMS, PROFILE, read
from wirebook.specs.model import Message
from wirebook.specs.problems import InputError
from wirebook.specs.reading.discovery import spec_text
from wirebook.specs.reading.formats import format_named
from wirebook.specs.reading.franz_go import _singular
from wirebook.specs.reading.reader import protocol_of, read_message
from wirebook.specs.wire.layout import layout, layouts

REQUEST = """{"apiKey": 700, "type": "request", "name": "BerthsRequest", "validVersions": "0-4",
"flexibleVersions": "2+", "listeners": ["broker"], "commonStructs": [
  {"name": "Mooring", "versions": "0+", "fields": [
    {"name": "Bollard", "type": "int16", "versions": "0+"},
    {"name": "Length", "type": "float64", "versions": "0+"},
    {"name": "Draught", "type": "uint16", "versions": "2+", "taggedVersions": "2+", "tag": 0}]}],
"fields": [
  {"name": "Harbour", "type": "string", "versions": "1+", "nullableVersions": "1+"},
  {"name": "Pilot", "type": "string", "versions": "0+", "nullableVersions": "3+"},
  {"name": "TimeoutMs", "type": "int32", "versions": "1+"},
  {"name": "Berths", "type": "[]Wanted", "versions": "1-3", "nullableVersions": "2-3", "fields": [
    {"name": "Kind", "type": "int8", "versions": "1+"},
    {"name": "Numbers", "type": "[]int32", "versions": "1+"},
    {"name": "Moorings", "type": "[]Mooring", "versions": "1+"},
    {"name": "Note", "type": "string", "versions": "2+"}]},
  {"name": "Seal", "type": "records", "versions": "3+", "nullableVersions": "3+", "taggedVersions": "3+",
   "tag": 0, "default": "null"},
  {"name": "Tide", "type": "int64", "versions": "2+", "taggedVersions": "2+", "tag": 1, "default": "-1"},
  {"name": "Ropes", "type": "[]string", "versions": "4+"}]}"""

RESPONSE = """{"apiKey": 700, "type": "response", "name": "BerthsResponse", "validVersions": "0-4",
"flexibleVersions": "2+", "fields": [
  {"name": "ThrottleTimeMs", "type": "int32", "versions": "1+"},
  {"name": "Weather", "type": "int16", "versions": "0+"},
  {"name": "Gate", "type": "Gate", "versions": "3+", "nullableVersions": "3+", "fields": [
    {"name": "Id", "type": "uuid", "versions": "3+"}, {"name": "Open", "type": "bool", "versions": "3+"}]},
  {"name": "Fees", "type": "[]Fee", "versions": "0+", "fields": [
    {"name": "Amount", "type": "uint32", "versions": "0+"}]},
  {"name": "Spare", "type": "Spare", "versions": "2+", "taggedVersions": "2+", "tag": 0, "fields": [
    {"name": "Reason", "type": "string", "versions": "2+", "nullableVersions": "2+"}]}]}"""


@pytest.fixture(scope="module")
def messages() -> list[Message]:
    return read(("definitions/07_berths", BERTHS), ("definitions/enums", ENUMS))


def test_every_version_has_the_bytes_of_the_same_spec_in_json(messages: list[Message]) -> None:
    assert [message.name for message in messages] == ["BerthsRequest", "BerthsResponse"]
    for message, text in zip(messages, (REQUEST, RESPONSE), strict=True):
        spec = read_message(text, "Spec.json", profile=PROFILE)
        assert [item.grammar for item in layouts(message)] == [item.grammar for item in layouts(spec)]


def test_names_comments_and_places_are_those_of_the_text(messages: list[Message]) -> None:
    request, response = messages
    assert (request.api_key, str(request.valid_versions), request.listeners) == (700, "0-4", ())
    harbour, berths = request.fields[0], request.fields[3]
    assert harbour.about == "Harbour is a name."
    assert (harbour.written.position.line, harbour.written.position.column) == (10, 3)
    assert harbour.written.at("type").column == 12
    assert berths.type == "[]BerthsRequestWanted"
    assert response.fields[3].type == "[]BerthsResponseFee"
    assert response.fields[2].type == "BerthsResponseGate"
    assert request.common_structs[0].fields[1].default == "1.5"
    assert [field.name for field in layout(response, 0).fields] == ["Weather", "Fees"]


def test_a_struct_of_another_file_is_placed_where_it_is_named() -> None:
    struct, _, request = BERTHS.partition("\n\n")
    found, _ = read(("misc", struct + "\n"), ("07_berths", request), ("enums", ENUMS))
    bollard = found.common_structs[0].fields[0]
    assert bollard.written.position.line == 11
    assert found.path == "07_berths"


def test_places_survive_a_process(messages: list[Message]) -> None:
    again = pickle.loads(pickle.dumps(messages[0]))
    assert again.fields[0].written.at("versions") == messages[0].fields[0].written.at("versions")


def test_a_key_that_two_requests_have_is_refused() -> None:
    again = BERTHS.replace("Berths", "Quays").replace("Mooring", "Rope")
    found = read(("07_berths", BERTHS), ("08_quays", again), ("enums", ENUMS))
    with pytest.raises(
        InputError, match=r"08_quays:8:1: QuaysRequest is the second request with API key 700"
    ):
        protocol_of(found)


HEAD = "FooRequest => key 1, max version 1\n"
ERRORS = [
    ("FooRequest => key 1\n", "1:1: this request has no \"max version\""),
    ("FooRequest => key 1, max version 40000\n", "1:22: 40000 is above 32767"),
    ("FooRequest => key 1, max version 1, boss\n", '1:37: "boss" is not a modifier here'),
    ("FooRequest => key 1, key 2, max version 1\n", '1:22: "key" is repeated'),
    ("Foo =>\n", "1:1: a definition begins with"),
    ("FooResponse =>\n", "1:1: FooResponse comes directly after FooRequest"),
    (HEAD + "\nBarResponse =>\n", "3:1: BarResponse comes directly after BarRequest"),
    (HEAD + "  A int8\n", '2:3: write a field like "Name: type"'),
    (HEAD + "    A: int8\n", "2:3: a field is indented by two spaces more"),
    (HEAD + "  A: int8 \n", "2:10: this line ends with a space"),
    (HEAD + "  A: int9\n", '2:6: there is no type "int9"'),
    (HEAD + "  A: records\n", '2:6: there is no type "records"'),
    (HEAD + "  A: enum-None\n", "2:6: there is no enum None"),
    (HEAD + "  A: varint-string\n", "2:6: no message can hold a field of type varint"),
    (HEAD + "  A: varint[int8]\n", "2:6: no message can hold an array with a varint"),
    (HEAD + "  A: [[int8]]\n", '2:6: "[[int8]]" is not a type'),
    (HEAD + "  A: nullable-int8\n", "2:6: a field of type int8 is never null"),
    (HEAD + "  A: length-field-minus => B - 4\n", "2:6: no message can hold a field"),
    (HEAD + "  A: int8 // since 1\n", "2:14: write the comment after a field like"),
    (HEAD + "  A: int8 // v3-v1\n", '2:14: "v3-v1" is not a range of versions'),
    (HEAD + "  A: int8 // v1+ tag 0\n", "2:14: write the comment after a field like"),
    (HEAD + "  A: int8 // tag 0\n", "2:3: A is tagged, and no version of it is flexible"),
    (HEAD + "  A: int8\n  A: int8\n", "3:3: A is in this struct twice"),
    ("A => not top level\n  B: A\n\n" + HEAD + "  C: A\n", "2:6: the struct A contains itself"),
    (
        "A => not top level, flexible v0+\n  B: int8\n\n" + HEAD.replace("\n", ", flexible v1+\n  C: A\n"),
        "5:6: A is flexible from version 0 on, and FooRequest, which uses it, from version 1 on",
    ),
    ("A => not top level\n\nA => not top level\n", "3:1: A is defined before"),
    ("Kind int8 (\n  one: ONE\n)\n", '2:1: write a value of an enum like "  1: NAME"'),
    ("Kind int8 (\n  1: ONE\n", '1:1: this enum has no ")" at its end'),
]  # fmt: skip


@pytest.mark.parametrize(("text", "words"), ERRORS, ids=[words[:40] for _, words in ERRORS])
def test_an_error_has_its_line_and_column(text: str, words: str) -> None:
    with pytest.raises(InputError) as caught:
        read(("generate/definitions/00_foo", text))
    assert str(caught.value).startswith(f"generate/definitions/00_foo:{words}")


def test_bytes_that_are_no_utf_8_have_their_place() -> None:
    with pytest.raises(InputError, match=r"00_foo:2:4: byte 0xff is not UTF-8"):
        list(format_named("franz-go").read([spec_text("00_foo", b"//\n// \xff\n")], PROFILE))


def test_structs_in_structs_end_somewhere() -> None:
    deep = "".join(f"{'  ' * depth}A: =>\n" for depth in range(1, 60))
    with pytest.raises(InputError, match="nested more than 50 deep"):
        read(("00_foo", HEAD + deep))


@pytest.mark.parametrize(("depth", "is_read"), [(49, True), (50, False)])
def test_fields_have_fifty_levels(depth: int, is_read: bool) -> None:
    structs = "".join(f"{'  ' * level}A{level}: =>\n" for level in range(1, depth + 1))
    text = f"{HEAD}{structs}{'  ' * (depth + 1)}Last: int8\n"
    if is_read:
        (message,) = read(("00_foo", text))
        assert message.fields[0].name == "A1"
    else:
        with pytest.raises(InputError, match=r"00_foo:52:103: structs are nested more than 50 deep"):
            read(("00_foo", text))


def test_structs_that_use_each_other_often_are_too_large() -> None:
    parts = ["S0 => not top level\n  A: int8\n"]
    parts += [f"S{n} => not top level\n  A: [S{n - 1}]\n  B: [S{n - 1}]\n" for n in range(1, 40)]
    parts += [HEAD + "  A: S39\n"]
    with pytest.raises(InputError, match="more than 20,000 fields"):
        read(("00_foo", "\n".join(parts)))


@pytest.mark.parametrize(
    ("path", "head", "is_claimed"),
    [
        ("definitions/misc", BERTHS, True),
        ("enums", ENUMS, True),
        ("generate/definitions/00_broken", "no definition\n", True),
        ("NOTE", "When this changes,\n", False),
        ("Makefile", "all:\n", False),
    ],
)
def test_files_are_claimed_by_their_lines(path: str, head: str, is_claimed: bool) -> None:
    franz_go = format_named("franz-go")
    assert franz_go.may_claim(path)
    assert franz_go.claims(path, head.encode(), whole=True) is is_claimed
    assert not franz_go.may_claim(f"{path}.go")
    assert not franz_go.may_claim(f"build/{path}")


def test_a_misspelt_format_has_a_hint() -> None:
    with pytest.raises(InputError, match='there is no format "franzgo"; did you mean "franz-go"'):
        format_named("franzgo")


def test_lines_may_end_as_on_windows() -> None:
    text = dedent("""\
        FooRequest => key 1, max version 1
          A: int8 // v1+
        """).replace("\n", "\r\n")
    (message,) = read(("00_foo", text))
    assert str(message.fields[0].versions) == "1+"


@pytest.mark.parametrize(
    ("name", "singular"),
    [
        ("Topics", "Topic"),
        ("Status", "Status"),
        ("Entries", "Entry"),
        ("Batches", "Batch"),
        ("Hashes", "Hash"),
        ("Classes", "Class"),
        ("Boxes", "Box"),
        ("Quizzes", "Quizz"),
        ("Values", "Value"),
        ("Isr", "Isr"),
    ],
)
def test_the_struct_of_an_array_has_the_singular_of_its_name(name: str, singular: str) -> None:
    assert _singular(name) == singular
