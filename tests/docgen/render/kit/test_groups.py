"""APIs under the headings of lists."""

from __future__ import annotations

from wirebook.docgen.catalog.records import IndexRow, Lifecycle
from wirebook.docgen.render.interactive.decode import listed
from wirebook.docgen.render.kit.groups import grouped, kind_title
from wirebook.specs.kafka.texts import GROUPS


def row(name: str, group: str = "", kind: str = "api", key: int | None = None) -> IndexRow:
    row = ("0", "0", 0, "none", "none", "none")
    return IndexRow(name.lower(), name, (), key, kind, "", *row, Lifecycle(()), (), gone=False, group=group)


def names(groups: dict[str, list[IndexRow]]) -> dict[str, list[str]]:
    return {title: [each.api for each in rows] for title, rows in groups.items()}


def test_apis_without_groups_are_in_one_list() -> None:
    assert grouped([]) == {}
    assert names(grouped([row("B"), row("A")])) == {"APIs": ["B", "A"]}


def test_groups_are_in_the_order_of_kafkas_and_others_after_them() -> None:
    first, second, *_ = GROUPS
    rows = [row("A", "Own"), row("B", second), row("C"), row("D", first), row("E", second), row("F", "More")]
    assert names(grouped(rows)) == {
        first: ["D"], second: ["B", "E"], "Own": ["A"], "More": ["F"], "Other APIs": ["C"],
    }  # fmt: skip
    assert list(grouped(rows)) == [first, second, "Own", "More", "Other APIs"]
    assert names(grouped(rows[:2])) == {second: ["B"], "Own": ["A"]}


def test_messages_are_listed_by_their_kind_after_the_apis_by_key() -> None:
    others = [row("Value", kind="data"), row("X", kind="own"), row("Other", kind="data")]
    assert names(listed([row("None"), row("Ten", key=10), row("Zero", key=0), *others])) == {
        "APIs": ["Zero", "Ten", "None"], "Data": ["Value", "Other"], "Own": ["X"],
    }  # fmt: skip
    assert kind_title("coordinator-key") == "Coordinator record keys"
    assert kind_title("device-event") == "Device event"
