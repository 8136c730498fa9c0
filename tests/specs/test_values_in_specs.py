"""The values and flags that a spec lists beside a field: what is read and rejected, with its
place."""

from __future__ import annotations

import json

import pytest
from jsonschema import Draft202012Validator

from tests.support import ROOT
from wirebook.specs.layout import Layout, layout
from wirebook.specs.model import Message
from wirebook.specs.problems import InputError
from wirebook.specs.reader import read_message
from wirebook.specs.versions import Versions

SCHEMA = json.loads((ROOT / "specs" / "schema" / "message.json").read_text(encoding="utf-8"))
LAYOUT = json.loads((ROOT / "specs" / "schema" / "layout.json").read_text(encoding="utf-8"))


def text(*entries: object, key: str = "values", type_: str = "int8", **more: object) -> str:
    """A spec with one field: each of its values is a line."""
    lines = ",\n".join(json.dumps(each) for each in entries)
    field = {"name": "Mode", "type": type_, "versions": "1+", **more}
    return (
        '{"type": "data", "name": "Foo", "validVersions": "0-4", "flexibleVersions": "none", "fields": [\n'
        f'{json.dumps(field)[:-1]}, "{key}": [\n{lines}\n]}}]}}'
    )


def value(number: object = 0, name: object = "a", **more: object) -> dict[str, object]:
    return {"value": number, "name": name, **more}


def bit(number: object = 0, name: object = "a", **more: object) -> dict[str, object]:
    return {"bit": number, "name": name, **more}


def read(spec: str) -> Message:
    return read_message(spec.encode(), "m/Foo.json")


def test_values_are_read_with_their_places() -> None:
    more = {"versions": "2+", "deprecatedVersions": "3+", "formerNames": ["old"], "about": "It."}
    spec = text(value(-128), value(127, "b", **more, **{"x-team": 1}))
    (field,) = read(spec).fields
    first, second = field.values
    assert (first.value, first.name, first.bit, first.versions) == (
        -128,
        "a",
        None,
        Versions(1, 32767),
    )
    assert (str(second.versions), str(second.deprecated)) == ("2+", "3+")
    assert (second.former_names, second.meaning) == (("old",), "It.")
    assert second.place is not None
    assert second.place[1:3] == (4, len('{"value": 127, "name": ') + 1)
    assert list(Draft202012Validator(SCHEMA).iter_errors(json.loads(spec))) == []


RANGE = 'write "none", "3", "0-4" or "5+"'


@pytest.mark.parametrize(
    ("spec", "at", "message"),
    [
        (
            text(value(), value(0, "b")),
            '0, "name": "b"',
            "two values have the value 0; the first is in line 3",
        ),
        (
            text(value(), value(1)),
            '"a"}',
            'two values have the name "a"; the first is in line 3',
        ),
        (
            text(bit(), bit(0, "b"), key="flags"),
            '0, "name": "b"',
            "two flags have the bit 0; the first is in line 3",
        ),
        (text(value(128)), "128", "128 does not fit int8"),
        (text(value(-1), type_="uint16"), "-1", "-1 does not fit uint16"),
        (text(value(versions="0+")), '"0+"', '"versions" are 0+, and the field has versions 1+'),
        (
            text(value(versions="1-3"), versions="1-2"),
            '"1-3"',
            '"versions" are 1-3, and the field has versions 1-2',
        ),
        (text(value(versions="x")), '"x"', f'"x" is not a version range; {RANGE}'),
        (
            text(value(), type_="string"),
            "[\n",
            '"values" lists what an integer means, or the integers of an array: the type is string',
        ),
        (
            text(bit(), key="flags", type_="bool"),
            "[\n",
            '"flags" lists what an integer means, or the integers of an array: the type is bool',
        ),
        (text(value(), flags=[bit()]), '[{"bit"', 'a field has either "values" or "flags"'),
        (text(3), "3\n", "a value is an object"),
        (text(value(name=" ")), '" "', '"name" is empty'),
        (text({"value": 0}), '{"value"', 'this value has no "name"'),
        (
            text({"bit": 0, "name": "a"}),
            '{"bit"',
            'this value has no "value"',
        ),
        (text(value(about=1)), "1}", '"about" must be a string, not a whole number'),
    ],
)
def test_what_is_wrong_is_reported_with_its_place(spec: str, at: str, message: str) -> None:
    with pytest.raises(InputError) as raised:
        read(spec)
    before = spec[: spec.rindex(at)]
    line, column = before.count("\n") + 1, len(before) - before.rfind("\n")
    assert str(raised.value) == f"m/Foo.json:{line}:{column}: {message}"


def test_an_unknown_key_is_a_warning() -> None:
    (problem,) = read(text(value(former_names=["b"]))).problems
    assert problem.severity == "warning"
    assert problem.message == 'a value has no key "former_names"; did you mean "formerNames"?'


def test_a_number_may_have_another_meaning_in_other_versions() -> None:
    (field,) = read(text(value(versions="1-2"), value(0, "b", versions="3+"))).fields
    assert [each.name for each in field.values] == ["a", "b"]


def test_a_layout_has_the_values_of_its_version() -> None:
    spec = text(
        value(versions="1-2"), value(0, "b", versions="3+"), value(1, "c", formerNames=["d"])
    )
    message = read(spec)
    of = layout(message, 2)
    document = of.to_json()
    assert [each["name"] for each in document["fields"][0]["values"]] == ["a", "c"]
    assert document["fields"][0]["values"][1]["former_names"] == ["d"]
    assert list(Draft202012Validator(LAYOUT).iter_errors(document)) == []
    assert Layout.from_json(document).to_json() == document
    assert layout(message, 0).to_json()["fields"] == []
