"""The headers of Kafka: which versions there are, and what each has."""

from __future__ import annotations

import pytest

from wirebook.specs.kafka.headers import has_header, header_layout, header_layouts


@pytest.mark.parametrize(
    ("kind", "version", "fields"),
    [
        ("request", 1, ["RequestApiKey", "RequestApiVersion", "CorrelationId", "ClientId"]),
        ("request", 2, ["RequestApiKey", "RequestApiVersion", "CorrelationId", "ClientId"]),
        ("response", 0, ["CorrelationId"]),
        ("response", 1, ["CorrelationId"]),
    ],
)
def test_the_fields_of_a_header(kind: str, version: int, fields: list[str]) -> None:
    assert has_header(kind, version)
    found = header_layout(kind, version)
    assert [field.name for field in found.fields] == fields
    assert found.flexible is (version == (2 if kind == "request" else 1))
    assert header_layout(kind, version) is found


def test_other_versions_are_no_headers() -> None:
    assert not has_header("request", None)
    assert not has_header("request", 99)
    assert not has_header("response", -1)
    for kind in ("request", "response"):
        versions = [layout.version for layout in header_layouts(kind)]
        assert versions == sorted(versions)
        assert [has_header(kind, version) for version in versions] == [True] * len(versions)
        assert not has_header(kind, versions[-1] + 1)
        assert all(field.about for field in header_layouts(kind)[-1].fields)
