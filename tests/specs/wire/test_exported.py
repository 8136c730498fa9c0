"""A layout without its spec: the same document, fields and bytes."""

from __future__ import annotations

import pytest

from tests.specs.wire.layouts import ONE, TWO, field, message, own_layouts
from wirebook.specs.wire.codec import codec, exported_codec
from wirebook.specs.wire.exported import ExportedField, ExportedLayout
from wirebook.specs.wire.layout import layout
from wirebook.specs.wire.scalars import WireError


def test_a_document_is_read_as_it_was_written() -> None:
    for chosen in (ONE, TWO, *own_layouts()[::7]):
        document = chosen.to_json()
        read = ExportedLayout.from_json(document)
        assert read == chosen.exported()
        assert read.to_json() == document
        assert [item.path for item in read.walk()] == [item.path for item in chosen.walk()]
        assert read.api == chosen.api
        assert codec(chosen).least == exported_codec(read).least


def test_every_field_is_walked_before_the_next() -> None:
    inner = field("B", "B", fields=[field("C", "int8"), field("D", "[]int8")])
    chosen = layout(message(field("A", "[]A", fields=[inner]), field("E", "int8")), 0)
    paths = ["A", "A.B", "A.B.C", "A.B.D", "E"]
    assert [item.path for item in chosen.walk()] == [item.path for item in chosen.exported().walk()] == paths
    assert [item.path for item in chosen.exported().fields[0].walk()] == paths[:-1]
    assert [item.struct for item in chosen.walk()] == ["A", "B", None, None, None]
    document = chosen.to_json()
    assert ["element" in item for item in document["fields"]] == [True, False]
    assert ExportedField.from_json(document["fields"][0]).to_json() == document["fields"][0]
    del document["fields"][1]["tag"]
    with pytest.raises(KeyError, match="tag"):
        ExportedLayout.from_json(document)


def test_fields_of_other_versions_are_unknown_without_the_spec() -> None:
    read = ExportedLayout.from_json(ONE.to_json())
    assert codec(ONE).encode({"Gone": 0}) == bytes.fromhex("ff00")
    with pytest.raises(WireError, match=r"^Gone: there is no such field$"):
        exported_codec(read).encode({"Gone": 0})
