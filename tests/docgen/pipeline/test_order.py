"""Snapshots: their order, and their predecessors."""

from __future__ import annotations

from wirebook.docgen.catalog.order import order_releases
from wirebook.specs.releases import line_of


def predecessors(*names: str) -> dict[str, str | None]:
    return {
        each.name: None if each.predecessor is None else names[each.predecessor]
        for each in order_releases(names)
    }


def test_a_patch_follows_its_own_line_and_a_minor_the_start_of_the_line_before() -> None:
    assert predecessors("3.9.0", "3.9.1", "4.0.0", "4.0.1", "4.1.0") == {
        "3.9.0": None,
        "3.9.1": "3.9.0",
        "4.0.0": "3.9.0",
        "4.0.1": "4.0.0",
        "4.1.0": "4.0.0",
    }


def test_lines_have_three_numbers_before_1_0() -> None:
    assert predecessors("0.10.1.0", "0.10.1.1", "0.10.2.0", "1.0.0")["0.10.2.0"] == "0.10.1.0"
    assert predecessors("0.10.1.0", "0.10.1.1", "0.10.2.0", "1.0.0")["0.10.1.1"] == "0.10.1.0"
    assert line_of("0.10.2.1") == (0, 10, 2)
    assert line_of("v3.7.1") == (3, 7)
    assert line_of("main") is None


def test_names_without_numbers_and_pre_releases_are_one_line() -> None:
    names = ("4.4.0-rc0", "4.4.0-rc1", "4.5.0-rc0")
    assert predecessors(*names) == {names[0]: None, names[1]: names[0], names[2]: names[1]}
    assert predecessors("zebra", "ant") == {"zebra": None, "ant": "zebra"}
