"""The picture of a history: columns of release lines, their bars and labels, and the strip of each API."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from tests.docgen.histories import field, inputs, request
from wirebook.docgen.catalog.catalog import Catalog
from wirebook.docgen.pipeline.run import build
from wirebook.docgen.render.pictures.history import Column, chart, columns, strips


@pytest.fixture(scope="module")
def catalog(tmp_path_factory: pytest.TempPathFactory) -> Catalog:
    """Five releases in four lines; one API goes."""
    foo = [request("Foo", 1, valid, field("A")) for valid in ("0-1", "0-2", "0-2", "1-2", "1-2")]
    foo[2]["deprecatedVersions"] = "0"
    bar = [request("Bar", 2, valid, field("A")) for valid in ("0", "0-1")]
    releases = {"1.0.0": [foo[0]], "1.0.1": [foo[1]], "1.1.0": [foo[2], bar[0]], "2.0.0": [foo[3], bar[1]]}
    folder = tmp_path_factory.mktemp("catalog")
    build(inputs({**releases, "3.0.0": [foo[4]]}), folder)
    return Catalog.open(folder)


def drawn(lines: list[Column]) -> list[str]:
    """The shapes of a picture, without what they have in common."""
    text = str(chart(lines, {line.link.name: f"{line.link.name}/" for line in lines}))
    shapes = re.findall(r"<(?:rect|text|path|a|svg)[^>]*>(?:[^<]+(?=</text>))?", text)
    return [re.sub(r' (?:aria-label|role|width="100%")(?:="[^"]*")?', "", shape) for shape in shapes]


def test_columns_are_release_lines_with_all_their_changes(catalog: Catalog) -> None:
    found = columns(catalog.index, catalog.snapshots)
    assert [(item.name, item.last.name, item.link.name, item.words) for item in found] == [
        ("1.0", "1.0.1", "1.0.1", "1.0: versions 1 added"),
        ("1.1", "1.1.0", "1.1.0", "1.1: versions 2 added, 1 deprecated"),
        ("2.0", "2.0.0", "2.0.0", "2.0: versions 1 added, 1 removed"),
        ("3.0", "3.0.0", "3.0.0", "3.0: versions 2 removed"),
    ]
    first = catalog.snapshots[0]
    assert columns([], [first])[0].words == "1.0: no version changed"
    # The first of the snapshots with most changes is the one to read.
    assert columns(catalog.index, [first, replace(first, name="1.0.9")])[0].link == first
    many = [replace(first, name=f"{number}.0.0") for number in range(1, 63)]
    assert [item.name for item in columns([], many)] == [f"{number}.0" for number in range(3, 63)]


def test_what_is_no_release_has_a_column_of_its_own(catalog: Catalog) -> None:
    first = replace(catalog.snapshots[0], name="2.1.0")
    names = [item.name for item in columns([], [first, replace(first, name="ONE"), first])]
    assert names == ["2.1", "ONE"]


def test_bars_have_the_height_of_their_numbers(catalog: Catalog) -> None:
    lines = columns(catalog.index, catalog.snapshots)
    assert drawn(lines) == [
        '<svg class="wb-history" height="102">',
        '<path d="M0 0V5" class="hatch"/>',
        '<a href="1.0.1/">',
        '<rect class="hit" x="0.00%" y="0.0" width="25.00%" height="80.0"/>',
        '<rect class="added" x="3.50%" y="28.0" width="18.00%" height="12.0"/>',
        '<text class="at" x="3.50%" y="96">1.0',
        '<a href="1.1.0/">',
        '<rect class="hit" x="25.00%" y="0.0" width="25.00%" height="80.0"/>',
        '<rect class="added" x="28.50%" y="16.0" width="18.00%" height="24.0"/>',
        '<text class="n" x="37.50%" y="12.0">2',
        '<rect class="deprecated" x="28.50%" y="41.0" width="18.00%" height="12.0"/>',
        '<a href="2.0.0/">',
        '<rect class="hit" x="50.00%" y="0.0" width="25.00%" height="80.0"/>',
        '<rect class="added" x="53.50%" y="28.0" width="18.00%" height="12.0"/>',
        '<rect class="removed" x="53.50%" y="41.0" width="18.00%" height="12.0"/>',
        '<text class="at" x="53.50%" y="96">2.0',
        '<a href="3.0.0/">',
        '<rect class="hit" x="75.00%" y="0.0" width="25.00%" height="80.0"/>',
        '<rect class="removed" x="78.50%" y="41.0" width="18.00%" height="24.0"/>',
        '<text class="n" x="87.50%" y="77.0">2',
        '<text class="at" x="78.50%" y="96">3.0',
        '<path class="axis" d="M0 40h9999"/>',
    ]
    assert drawn(lines[:1]) == drawn([]) == []


def line(name: str, catalog: Catalog, **changes: int) -> Column:
    """A column with numbers of versions."""
    snapshot = replace(catalog.snapshots[0], name=name)
    found = Column(name, snapshot, snapshot)
    for kind, count in changes.items():
        found.changes[kind]["foo"] = count
    return found


def test_a_tall_picture_has_less_room_for_each_version(catalog: Catalog) -> None:
    lines = [line("1.0", catalog, added=299, deprecated=1), line("2.0", catalog, added=1, removed=1)]
    shapes = [shape for shape in drawn(lines) if "added" in shape or "ed" in shape[13:25] or "svg" in shape]
    assert shapes == [
        '<svg class="wb-history" height="204">',
        '<rect class="added" x="7.00%" y="16.5" width="36.00%" height="149.5"/>',
        '<rect class="deprecated" x="7.00%" y="167.0" width="36.00%" height="2.0"/>',
        '<rect class="added" x="57.00%" y="164.0" width="36.00%" height="2.0"/>',
        '<rect class="removed" x="57.00%" y="167.0" width="36.00%" height="2.0"/>',
    ]
    # Without anything below the axis, there is no number below it either.
    assert (
        drawn([line("1.0", catalog, added=1), line("2.0", catalog)])[0]
        == '<svg class="wb-history" height="52">'
    )
    assert drawn([line("1.0", catalog), line("2.0", catalog)]) == []


def labels(names: list[str], catalog: Catalog) -> list[str]:
    """The labels of columns of these names."""
    shapes = drawn([line(name, catalog, added=1) for name in names])
    return [shape.rpartition(">")[2] for shape in shapes if re.search('class="(at|end)"', shape)]


def test_labels_are_at_major_lines_and_apart(catalog: Catalog) -> None:
    assert labels(["0.8", "0.9", "1.0", "1.1", "2.0", "2.1"], catalog) == ["0.8", "1.0", "2.0"]
    # Two majors are too few, ten too many.
    assert labels(["1.0", "1.1", "2.0", "2.1"], catalog) == ["1.0", "1.1", "2.0", "2.1"]
    assert labels([f"{number}.0" for number in range(9)], catalog) == [f"{number}.0" for number in range(9)]
    assert labels([f"{number}.0" for number in range(10)], catalog) == ["0.0", "2.0", "4.0", "6.0", "8.0"]
    # Of two that are close, the later one has its label.
    close = ["1.0", "2.0", *(f"2.{number}" for number in range(1, 19)), "3.0"]
    assert labels(close, catalog) == ["2.0", "3.0"]
    middle = [*(f"1.{number}" for number in range(10)), "2.0", *(f"3.{number}" for number in range(10))]
    assert labels(middle, catalog) == ["1.0", "3.0"]
    assert labels(["a" * 13, "b"], catalog) == ["a" * 12, "b"]
    late = drawn([line(f"{number}.0", catalog, added=1) for number in range(9)])
    assert '<text class="end" x="98.44%" y="96">8.0' in [shape.replace('y="46"', 'y="96"') for shape in late]


def test_a_strip_shows_where_an_api_is_served_and_changes(catalog: Catalog) -> None:
    lines = columns(catalog.index, catalog.snapshots)
    found = strips(catalog.index, lines)
    start = '<svg class="wb-strip" role="img" aria-label="{}" viewBox="0 0 4 10" preserveAspectRatio="none">'
    assert found["foo"] == (
        start.format("added in 1.0 and 1.1; deprecated in 1.1; removed in 2.0")
        + '<path class="served" d="M0 4h4v2h-4z"/><path class="added" d="M0.1 4v-4h.8v4zM1.1 4v-4h.8v4z"/>'
        '<path class="deprecated" d="M1.1 6v2h.8v-2z"/><path class="removed" d="M2.1 6v4h.8v-4z"/></svg>'
    )
    assert found["bar"] == (
        start.format("added in 1.1 and 2.0; removed in 3.0")
        + '<path class="served" d="M1 4h2v2h-2z"/><path class="added" d="M1.1 4v-4h.8v4zM2.1 4v-4h.8v4z"/>'
        '<path class="removed" d="M3.1 6v4h.8v-4z"/></svg>'
    )
    assert strips(catalog.index, lines[:1]) == {}
    assert strips(catalog.index, lines[2:])["foo"].count("M0 4h2v2h-2z") == 1
    three = [line(name, catalog, added=1) for name in ("1.0", "2.0", "3.0")]
    assert 'aria-label="added in 1.0, 2.0 and 3.0"' in strips(catalog.index, three)["foo"]
