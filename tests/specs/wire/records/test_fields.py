"""Records within messages: opened to batches at any depth, and closed to hex again."""

from __future__ import annotations

from typing import Any

import pytest

from tests.specs.wire.layouts import field, message
from wirebook.specs.wire.layout import layout
from wirebook.specs.wire.records.entries import write_entries
from wirebook.specs.wire.records.fields import close_records, open_records
from wirebook.specs.wire.records.model import Batch
from wirebook.specs.wire.scalars import WireError

FIELDS = layout(
    message(
        field("Id", "int8"),
        field("Data", "records", nullableVersions="0+"),
        field("Rows", "[]Row", fields=[
            field("Name", "string"),
            field("Held", "Held", nullableVersions="0+", fields=[
                field("Raw", "records", nullableVersions="0+")]),
        ]),
    ),
    1,
).fields  # fmt: skip
DATA = write_entries([Batch(base_offset=5)]).hex()


def value(data: Any, raw: Any) -> dict[str, Any]:
    return {"Id": 1, "Data": data, "Rows": [{"Name": "x", "Held": None}, {"Name": "y", "Held": {"Raw": raw}}]}


def test_records_at_any_depth_are_opened_and_closed() -> None:
    given = value(DATA, DATA + DATA)
    opened: Any = open_records(FIELDS, given, None, may_be_cut=False)
    assert opened.problems == []
    assert [batch["BaseOffset"] for batch in opened.value["Data"]] == [5]
    assert len(opened.value["Rows"][1]["Held"]["Raw"]) == 2
    assert (opened.value["Id"], opened.value["Rows"][0]) == (1, {"Name": "x", "Held": None})
    assert close_records(FIELDS, opened.value, None) == given
    # The given value stays as it is.
    assert given == value(DATA, DATA + DATA)


@pytest.mark.parametrize(
    "given", [value(None, None), {}, {"Rows": {}}, {"Rows": [5]}, {"Rows": 5}, [], None, "x"]
)
def test_values_of_another_form_are_kept(given: Any) -> None:
    assert open_records(FIELDS, given, None, may_be_cut=False).value == given
    assert close_records(FIELDS, given, None) == given


@pytest.mark.parametrize("may_be_cut", [False, True])
def test_errors_have_the_path_of_their_batch(may_be_cut: bool) -> None:
    wrong = DATA[:-2] + "01"
    opened = open_records(FIELDS, value(DATA[:-2], DATA + wrong), None, may_be_cut=may_be_cut)
    paths = [path for path, _ in opened.problems]
    assert paths == ([] if may_be_cut else ["Data[0]"]) + ["Rows[1].Held.Raw[1]"]
    with pytest.raises(WireError) as caught:
        close_records(FIELDS, value(None, [{}, {"Records": 5}]), None)
    assert caught.value.path == "Rows[1].Held.Raw[1].Records"
