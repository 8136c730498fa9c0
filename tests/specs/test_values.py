"""Tables of the values of fields, as the check and the site read them."""

from __future__ import annotations

import json

import pytest
from jsonschema import Draft202012Validator

from tests.support import ROOT
from wirebook.specs.model import FieldValue
from wirebook.specs.numbers import read_values
from wirebook.specs.problems import InputError
from wirebook.specs.versions import Versions

SCHEMA = json.loads((ROOT / "specs" / "schema" / "values.json").read_text(encoding="utf-8"))


def value(number: object = 0, name: object = "A", **more: object) -> dict[str, object]:
    return {"value": number, "name": name, "meaning": "It.", **more}


def text(*values: object, fields: object = ("FooRequest.Mode",), **more: object) -> str:
    lines = ",\n".join(json.dumps(each) for each in values)
    rest = "".join(f", {json.dumps(key)}: {json.dumps(given)}" for key, given in more.items())
    return f'{{"sets": [{{"fields": {json.dumps(fields)}{rest}, "values": [\n{lines}\n]}}]}}'


def test_a_table_is_read_with_places() -> None:
    table = text(
        value(),
        value(-7, "B", versions="2+", former_names=["Old"], deprecated=True),
        fields=["FooRequest.Mode", "FooResponse.Items.Mode"],
        others="Anything.",
    )
    read = read_values(table, "values.json")
    held = read["FooRequest"]["Mode"]
    assert read == {"FooRequest": {"Mode": held}, "FooResponse": {"Items.Mode": held}}
    assert held.others == "Anything."
    first, second = held.listed
    since = Versions.parse("2+")
    assert (first.value, first.versions, first.deprecated) == (0, Versions.ALL, Versions.NONE)
    expected = FieldValue(-7, "B", "It.", since, deprecated=since, former_names=("Old",))
    assert (second, second.meaning) == (expected, "It.")
    assert second.place is not None
    assert second.place[1:3] == (3, len('{"value": -7, "name": ') + 1)
    document = {"schema": "wirebook/values/1", **json.loads(table)}
    assert list(Draft202012Validator(SCHEMA).iter_errors(document)) == []


@pytest.mark.parametrize(
    ("table", "message"),
    [
        ('{"sets": [{}]}', '1:11: "fields" is missing'),
        (text(value(), fields=["Foo"]), "1:22: Foo is not the path of a field"),
        (text(value(), fields=["A.B", "A.B"]), "1:22: A.B is already in a set"),
        (text(value(1.5)), "2:1: 1.5 is not of the type int"),
        (text(value(versions="2-1")), '2:1: "2-1" ends before it begins'),
        (text(value(releases="4.1+"), value(name="B", releases="4.2")),
         '3:11: two values have the value 0; the first is in line 2'),
        (text(value(version="2")), '2:45: there is no key "version"; did you mean "versions"?'),
        (text(value(), value(name="B")),
         '3:11: two values have the value 0; the first is in line 2'),
        (text(value(versions="0-3"), value(1, versions="3+")),
         '3:22: two values have the name "A"; the first is in line 2'),
    ],
)  # fmt: skip
def test_another_form_is_reported_with_its_place(table: str, message: str) -> None:
    with pytest.raises(InputError) as caught:
        read_values(table, "values.json")
    assert str(caught.value) == f"values.json:{message}"


def test_a_field_is_in_one_set() -> None:
    row = json.loads(text(value()))["sets"][0]
    table = f'{{"sets": [\n{json.dumps(row)},\n{json.dumps(row)}\n]}}'
    with pytest.raises(InputError, match=r"^v:3:12: FooRequest.Mode is already in a set$"):
        read_values(table, "v")


def test_a_number_may_have_two_meanings_in_different_versions() -> None:
    read = read_values(text(value(versions="0-3"), value(name="B", versions="4+")), "v")
    assert [each.name for each in read["FooRequest"]["Mode"].listed] == ["A", "B"]


def test_a_number_has_one_meaning_in_all_releases() -> None:
    with pytest.raises(InputError, match=r"two values have the value 0; the first is in"):
        read_values(text(value(releases="4.1"), value(name="B", releases="4.2+")), "v")
    table = text(value(releases="4.1"), value(1, "B", releases="4.2+"))
    held = read_values(table, "v")["FooRequest"]["Mode"]
    assert [each.releases for each in held.listed] == ["4.1", "4.2+"]
    document = {"schema": "wirebook/values/1", **json.loads(table)}
    assert list(Draft202012Validator(SCHEMA).iter_errors(document)) == []
