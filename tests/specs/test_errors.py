"""Tables of error codes, as the check and the site read them."""

from __future__ import annotations

import json

import pytest
from jsonschema import Draft202012Validator

from tests.support import ROOT
from wirebook.specs.numbers import read_errors
from wirebook.specs.problems import InputError

SCHEMA = json.loads((ROOT / "specs" / "schema" / "errors.json").read_text(encoding="utf-8"))


def entry(code: object = 1, name: object = "A", **more: object) -> dict[str, object]:
    return {
        "code": code,
        "name": name,
        "retriable": False,
        "first_release": None,
        "about": "It.",
        **more,
    }


def text(*entries: object) -> str:
    lines = ",\n".join(json.dumps(each) for each in entries)
    return f'{{"schema": "wirebook/errors/1", "errors": [\n{lines}\n]}}'


def test_a_table_is_read_with_places() -> None:
    more = {"former_names": ["OLD"], "deprecated": True, "apis": ["Fetch"], "x-note": 1}
    first, second = read_errors(text(entry(), entry(-1, "B_2", **more)), "errors.json")
    assert (first.code, first.name, first.former_names, first.deprecated) == (1, "A", (), False)
    assert (second.code, second.name, second.former_names, second.deprecated) == (
        -1,
        "B_2",
        ("OLD",),
        True,
    )
    ends = (len('{"code": -1, "name": ') + 1, len('{"code": -1, "name": "B_2"') + 1)
    assert second.place is not None
    assert second.place[1:] == (3, ends[0], ends[1])
    assert list(Draft202012Validator(SCHEMA).iter_errors(json.loads(text(entry(**more))))) == []


FORM = 'this must be an object with "schema": "wirebook/errors/1" and "errors"'


@pytest.mark.parametrize(
    ("table", "message"),
    [
        ("", "1:1: this is not JSON: expecting value"),
        ("[]", f"1:1: {FORM}"),
        ("[" * 100_000, "1:101: nested more than 100 levels deep"),
        ("{}", f"1:1: {FORM}"),
        ('{"errors": {}}', "1:1: this must have an array of objects"),
        ('{"errors": []} x', "1:16: text follows the table"),
        ('{"schema": "wirebook/values/1", "errors": []}', f"1:1: {FORM}"),
        ('{"errors": [], "errors": []}', '1:16: the key "errors" is repeated'),
        (text(entry(), 7), "1:1: this must have an array of objects"),
        (text({"code": 1}), '2:1: "name" is missing'),
        (text(entry("1")), "2:1: '1' is not of the type int"),
        (text(entry(names=1)), '2:85: there is no key "names"; did you mean "name"?'),
        (text(entry(deprecated="4.0")), "2:1: '4.0' is not of the type bool"),
        (
            text(entry(), entry(2)),
            '3:21: two error codes have the name "A"; the first is in line 2',
        ),
        (
            text(entry(), entry(1, "B")),
            "3:10: two error codes have the code 1; the first is in line 2",
        ),
    ],
)
def test_another_form_is_reported_with_its_place(table: str, message: str) -> None:
    with pytest.raises(InputError) as caught:
        read_errors(table, "errors.json")
    assert str(caught.value) == f"errors.json:{message}"
