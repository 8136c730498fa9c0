"""The formatter keeps what is read and its comments, is idempotent, and leaves Kafka's layout as it is."""

from __future__ import annotations

import json

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tests.profiles import examples
from tests.support import ROOT, history_repo, needs_shared
from wirebook.specs.problems import InputError
from wirebook.specs.sources.source import open_source
from wirebook.specs.syntax.jsontext import JsonArray, JsonObject, parse_json
from wirebook.specs.writing.formatting import formatted


def content(text: str) -> object:
    """What is read from a text: values in their order, repeated keys, and whose every comment is."""
    document = parse_json(text, "x.json")
    rest = None if document.rest is None else document.lines.text[document.rest :]
    return _content(document.value), document.header, rest, document.byte_order_mark


def _content(value: object) -> object:
    if isinstance(value, JsonObject):
        members = [(key, _content(item), value.comments.get(key, [])) for key, item in value.items()]
        repeated = [key for key, _, _ in value.duplicates]
        return "object", members, repeated, value.before, value.trailing
    if isinstance(value, JsonArray):
        return "array", [_content(item) for item in value], value.comments, value.trailing
    return type(value).__name__, repr(value)


SPACE = st.sampled_from(["", " ", "\n", "\n\n", "\n\n\n", "\t", " \n "])
COMMENT = st.sampled_from(["", "", "//\n", "// a \n", '// {"/*\n', "/**/", "/* a\n\n  b */", "/* // { */"])
GAP = st.tuples(SPACE, COMMENT, SPACE, COMMENT, SPACE).map("".join)
PLAIN = st.sampled_from(['"a"', '"about"', '"x // y"', '"{, \\" }"', "1", "-2.5", "true", "null", '""'])
KEY = st.sampled_from(['"name"', '"about"', '"fields"', '"a:b"'])


def _joined(items: list[tuple[str, ...]], opening: str, closing: str, inside: str) -> str:
    return opening + ",".join("".join(item) for item in items) + (inside if not items else "") + closing


def _array(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    items = st.lists(st.tuples(GAP, inner, GAP), max_size=3)
    return st.builds(_joined, items, st.just("["), st.just("]"), GAP)


def _object(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    members = st.lists(st.tuples(GAP, KEY, GAP, st.just(":"), GAP, inner, GAP), max_size=3)
    return st.builds(_joined, members, st.just("{"), st.just("}"), GAP)


VALUES = st.recursive(PLAIN, lambda inner: _array(inner) | _object(inner), max_leaves=8)
TEXTS = st.tuples(GAP, VALUES, GAP).map("".join)


@examples(2)
@given(TEXTS)
@example('["a"\n,//\n"a"]')
@example('{"a":1 // one\n\n // two\n , "b":[{"about":2}]}')
@example('{ "a": [ // first\n 1, /* x */ 2 ] }\n} rest')
def test_what_is_read_stays_and_a_second_run_changes_nothing(text: str) -> None:
    once = formatted(text, "x.json")
    assert content(once) == content(text)
    assert formatted(once, "x.json") == once
    assert "/*" in once or [line for line in once.split("\n") if line != line.rstrip()] == []


BEFORE = """\
// A comment.

{
    "type" : "data", "name":"Foo",
  "validVersions":  "0-1", // why

  // Version 1 adds Bar.


  "flexibleVersions": "1+",
  "fields": [ {"name": "Foo", "type": "[]Inner", "versions": "0+", "about": "All.", "fields": [
    {"name": "A", "type": "int32", "versions": "0+" ,
     "default": "-1", "about": "A."}, {"name": "B", "type": "int8", "versions": "1+"}
    ]
  },
    { "name": "Bar", "type": "[]Inner", "versions": "1+", "listeners": [ "a","b" ],
      "fields": [ { "name": "C", "type": "bool", "versions": "1+" } ] }
  ] }
"""
AFTER = """\
// A comment.

{
  "type": "data",
  "name": "Foo",
  "validVersions": "0-1", // why

  // Version 1 adds Bar.

  "flexibleVersions": "1+",
  "fields": [
    { "name": "Foo", "type": "[]Inner", "versions": "0+",
      "about": "All.", "fields": [
      { "name": "A", "type": "int32", "versions": "0+",
        "default": "-1", "about": "A." },
      { "name": "B", "type": "int8", "versions": "1+" }
    ]},
    { "name": "Bar", "type": "[]Inner", "versions": "1+", "listeners": ["a", "b"],
      "fields": [
        { "name": "C", "type": "bool", "versions": "1+" }
      ]
    }
  ]
}
"""


def test_the_layout() -> None:
    assert formatted(BEFORE, "Foo.json") == AFTER


def test_what_a_program_wrote_is_joined() -> None:
    tagged = {"versions": "0+", "taggedVersions": "0+", "tag": 0, "default": "null", "entityType": "thing"}
    fields = [
        {"name": "A", "type": "string", "versions": "0+", "about": "A."},
        {"name": "B" * 30, "type": "Inner", **tagged, "fields": [{"name": "C", "type": "int8"}]},
    ]
    written = json.dumps({"type": "request", "listeners": ["a", "b"], "fields": fields}, indent=2)
    assert formatted(written, "x.json").splitlines() == [
        "{",
        '  "type": "request",',
        '  "listeners": ["a", "b"],',
        '  "fields": [',
        '    { "name": "A", "type": "string", "versions": "0+",',
        '      "about": "A." },',
        f'    {{ "name": "{"B" * 30}", "type": "Inner", "versions": "0+", "taggedVersions": "0+",',
        '      "tag": 0, "default": "null", "entityType": "thing", "fields": [',
        '      { "name": "C", "type": "int8" }',
        "    ]}",
        "  ]",
        "}",
    ]


def test_what_a_person_has_laid_out_is_not_joined() -> None:
    """Two keys on a line: no program wrote that."""
    lines = ["{", '  "fields": [', "    {", '      "name": "A", "type": "int32",', '      "versions": "0+"']
    written = "\n".join([*lines, "    }", "  ]", "}", ""])
    assert formatted(written, "x.json") == written


@pytest.mark.parametrize(
    ("text", "layout"),
    [
        (
            "{}",
            "{}|",
        ),
        (
            "[]",
            "[]|",
        ),
        (
            "5",
            "5|",
        ),
        (
            '{"a":{}}',
            '{|  "a": {}|}|',
        ),
        (
            '{"a":[ ]}',
            '{|  "a": []|}|',
        ),
        (
            '{|"a":[|]}',
            '{|  "a": []|}|',
        ),
        (
            '{"a":[1,2]}',
            '{|  "a": [1, 2]|}|',
        ),
        (
            '{"a":|[1,|2]}',
            '{|  "a": [1, 2]|}|',
        ),
        (
            '[{"a":1},{"b":2}]',
            '[|  { "a": 1 },|  { "b": 2 }|]|',
        ),
        (
            '{"a":[[1],[2]]}',
            '{|  "a": [|    [1],|    [2]|  ]|}|',
        ),
        (
            "{ /* x */ }",
            "{ /* x */|}|",
        ),
        (
            "{ // x|}",
            "{ // x|}|",
        ),
        (
            "[ // x|]",
            "[// x|]|",
        ),
        (
            '{"a":1 /* x */, "b":2}',
            '{|  "a": 1, /* x */|  "b": 2|}|',
        ),
        (
            '{"a":1 // x|, "b":2}',
            '{|  "a": 1, // x|  "b": 2|}|',
        ),
        (
            '{"a" /* k */: /* v */ 1}',
            '{|  "a" /* k */: /* v */|  1|}|',
        ),
        (
            '{"a": // v|1}',
            '{|  "a": // v|  1|}|',
        ),
        (
            '{"f":[{"name":"A","about":"x"}]}',
            '{|  "f": [|    { "name": "A",|      "about": "x" }|  ]|}|',
        ),
        (
            '{"f":[{"name":"A",|"type":"b"}]}',
            '{|  "f": [|    { "name": "A",|      "type": "b" }|  ]|}|',
        ),
        (
            '{"f":[{"name":"A","fields":[{"name":"B"}]}]}',
            '{|  "f": [|    { "name": "A", "fields": [|      { "name": "B" }|    ]}|  ]|}|',
        ),
        (
            '{"f":[{"name":"A","fields":[{"name":"B"}],"x":1}]}',
            '{|  "f": [|    { "name": "A", "fields": [|      { "name": "B" }|    ], "x": 1 }|  ]|}|',
        ),
        (
            '{"f":[|{"name":"A",|"fields":[{"name":"B"}]|}|]}',
            '{|  "f": [|    { "name": "A",|      "fields": [|        { "name": "B" }|      ]|    }|  ]|}|',
        ),
        (
            '{"f":[{|"name":"A",|"fields":[{"name":"B"}]|}]}',
            '{|  "f": [|    { "name": "A", "fields": [|      { "name": "B" }|    ]}|  ]|}|',
        ),
        (
            '{"h":{"0":"1","1":"2"}}',
            '{|  "h": { "0": "1", "1": "2" }|}|',
        ),
        (
            '{"h":{|"0":"1",|"1":"2"}}',
            '{|  "h": {|    "0": "1",|    "1": "2"|  }|}|',
        ),
        (
            '{"h":{"0":"1",|"1":"2"}}',
            '{|  "h": { "0": "1",|    "1": "2" }|}|',
        ),
        (
            '{"f":[{"name":"A",|"about":"x"}]}',
            '{|  "f": [|    { "name": "A",|      "about": "x" }|  ]|}|',
        ),
        (
            '{"f":[{"name":"A",|"type":"b","about":"x"}]}',
            '{|  "f": [|    { "name": "A",|      "type": "b", "about": "x" }|  ]|}|',
        ),
        (
            '{"f":[{"about":"x"}]}',
            '{|  "f": [|    { "about": "x" }|  ]|}|',
        ),
        (
            '{"f":[1 // x|]}',
            '{|  "f": [|    1 // x|  ]|}|',
        ),
        (
            '{"f":[1, // x|2]}',
            '{|  "f": [|    1, // x|    2|  ]|}|',
        ),
        (
            '{"f":[1|// x|,2]}',
            '{|  "f": [|    1,|    // x|    2|  ]|}|',
        ),
        (
            '{"f":[{"a":1} // x|, // y|{"b":2}]}',
            '{|  "f": [|    { "a": 1 } // x|    , // y|    { "b": 2 }|  ]|}|',
        ),
        (
            '{"a":1}// end|',
            '{|  "a": 1|} // end|',
        ),
        (
            '{"a":1,|||"b":2||}',
            '{|  "a": 1,||  "b": 2|}|',
        ),
        (
            '||{"a":1}',
            '{|  "a": 1|}|',
        ),
        (
            '// x|||{"a":1}',
            '// x||{|  "a": 1|}|',
        ),
        (
            '{"a":1}\r|',
            '{\r|  "a": 1\r|}\r|',
        ),
        (
            '{"a":1,\r"b":2}',
            '{|  "a": 1,|  "b": 2|}|',
        ),
    ],
)
def test_the_layout_of_each_construct(text: str, layout: str) -> None:
    """The lines are separated by "|"."""
    lines = layout.replace("|", "\n")
    assert formatted(text.replace("|", "\n"), "x.json") == lines
    assert formatted(lines, "x.json") == lines


@pytest.mark.parametrize("length", [53, 54, 55, 56, 57])
def test_a_list_that_a_person_spread_stays_so_from_half_of_the_width_on(length: int) -> None:
    """Each text and each comma counts with the space after it."""
    words = [f'"{word}"' for word in ("a" * 8, "b" * 8, "c" * 8, "d" * (length - 42))]
    assert sum(len(word) + 1 for word in words) + 2 * 3 == length
    spread = '{\n  "l": [\n    ' + ",\n    ".join(words) + "\n  ]\n}\n"
    joined = '{\n  "l": [' + ", ".join(words) + "]\n}\n"
    assert formatted(spread, "x.json") == (joined if length <= 55 else spread)
    assert formatted(joined, "x.json") == joined


@pytest.mark.parametrize("length", [107, 108, 109, 110, 111])
def test_keys_that_a_program_wrote_are_joined_up_to_the_width(length: int) -> None:
    start, end = '    { "name": "', '", "tag": 1,'
    name = "n" * (length - len(start) - len(end))
    text = f'{{\n  "f": [\n    {{\n      "name": "{name}",\n      "tag": 1,\n      "x": 2\n    }}\n  ]\n}}\n'
    _, _, first, second, *_ = formatted(text, "x.json").split("\n")
    if length < 110:
        assert (first, second) == (f"{start}{name}{end}", '      "x": 2 }')
    else:
        assert (first, second) == (f'{start}{name}",', '      "tag": 1, "x": 2 }')


def test_line_ends_a_byte_order_mark_and_text_after_the_spec_stay() -> None:
    windows = "\ufeff" + AFTER.replace("\n", "\r\n")
    assert formatted(windows, "Foo.json") == windows
    assert formatted('{"a":1}\n} rest', "Foo.json") == '{\n  "a": 1\n}\n} rest'


def test_a_text_that_is_no_json_is_refused_with_its_place() -> None:
    with pytest.raises(InputError) as caught:
        formatted('{\n  "a" 1 }', "Foo.json")
    assert str(caught.value).startswith("Foo.json:2:7: ")


def test_our_own_specs_have_this_layout() -> None:
    files = sorted((ROOT / "specs" / "kafka" / "messages").rglob("*.json"))
    assert len(files) > 30
    texts = {path.name: path.read_text(encoding="utf-8") for path in files}
    assert [name for name, text in texts.items() if formatted(text, name) != text] == []


@needs_shared
def test_the_specs_of_kafka_nearly_have_it() -> None:
    texts = [text.text.decode() for text in open_source(f"{history_repo()}@4.3.1").texts()]
    alike = changed = lines = 0
    for text in texts:
        new = formatted(text, "x.json")
        assert content(new) == content(text)
        assert formatted(new, "x.json") == new
        kept = set(new.split("\n"))
        missing = [line for line in text.split("\n") if line not in kept]
        alike += new == text
        changed += len(missing) > 2
        lines += len(missing)
    assert len(texts) > 270
    assert alike / len(texts) > 0.47
    # Other files have a space, a brace or an indentation that the rest of Kafka's has not, or a key a line.
    assert changed / len(texts) < 0.25
    assert lines / sum(text.count("\n") for text in texts) < 0.1


def test_a_value_with_its_description_stays_on_a_line() -> None:
    text = (
        '{\n  "fields": [\n    { "name": "A", "type": "int8", "versions": "0+",\n      "about": "It.",\n'
        '      "values": [\n        { "value": 0, "name": "off", "about": "Off." },\n'
        '        { "value": 1, "name": "on" }\n      ]\n    }\n  ]\n}\n'
    )
    assert formatted(text, "x") == text
    as_programs_write = json.dumps(json.loads(text), indent=2)
    assert '{ "value": 0, "name": "off", "about": "Off." },' in formatted(as_programs_write, "x")
