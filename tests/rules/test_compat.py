"""The relation of two specs: its definition by examples, and both ways round."""

from __future__ import annotations

import json

import pytest

from tests.kafka import read_kafka
from tests.rules.compat_pairs import PAIRS, Spec
from wirebook.rules.compat import Body, Difference, differences, form
from wirebook.specs.layout import layout

VERSION = 1


def form_of(fields: list[Spec]) -> Body:
    spec = {"apiKey": 900, "type": "request", "name": "FooRequest", "validVersions": "0-2"}
    text = json.dumps({**spec, "flexibleVersions": "1+", "fields": fields})
    return form(layout(read_kafka(text, "FooRequest.json", strict=False), VERSION, opaque=True))


def shown(difference: Difference) -> str:
    return f"{difference.rule} {difference.base.path or '-'} {difference.head.path or '-'}"


@pytest.mark.parametrize(("first", "second", "expected"), PAIRS)
def test_two_specs_differ_as_listed(
    first: list[Spec], second: list[Spec], expected: list[str]
) -> None:
    assert [shown(each) for each in differences(form_of(first), form_of(second))] == expected


@pytest.mark.parametrize(("first", "second", "expected"), PAIRS)
def test_whether_they_differ_does_not_depend_on_the_order(
    first: list[Spec], second: list[Spec], expected: list[str]
) -> None:
    assert bool(list(differences(form_of(second), form_of(first)))) == bool(expected)
    assert not list(differences(form_of(first), form_of(first)))
