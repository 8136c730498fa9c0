"""The page on vendors and forks: every mark is filled, by the facts."""

from __future__ import annotations

import re
from html import unescape

from tests.support import ROOT
from wirebook.docgen.render.vendors import _range, inserts
from wirebook.specs.kafka.vendors import all_vendors

PAGE = (ROOT / "site_src" / "vendors.md").read_text(encoding="utf-8")


def test_every_mark_is_filled_and_every_insert_used() -> None:
    assert set(re.findall(r"<!-- wirebook: ([\w-]+) -->", PAGE)) == set(inserts())
    assert all(inserts().values())


def test_each_vendor_has_its_row_with_its_source() -> None:
    made = inserts()["vendors-all"]
    for vendor in all_vendors().vendors:
        assert f'href="https://github.com/{vendor.repository}/tree/{vendor.commit}"' in made
        assert f"{vendor.release} (<time>{vendor.day}</time>)" in made
    assert made.count("<tr>") == len(all_vendors().vendors) + 1


def test_a_key_with_two_meanings_has_both_in_its_row() -> None:
    row = next(row for row in inserts()["vendors-keys"].split("<tr>") if ">501<" in row)
    plain = re.sub("<[^>]+>", "", row)
    assert "CreateStreams" in plain
    assert "AlterDisklessSwitch" in plain


def cells(html: str) -> list[list[str]]:
    """The rows of a table, as text."""
    rows = re.findall(r"<tr>(.*?)</tr>", html, re.DOTALL)
    return [
        [
            " ".join(unescape(re.sub("<[^>]+>", "", cell)).split())
            for cell in re.findall("<t[hd].*?</t[hd]>", row)
        ]
        for row in rows
    ]


def test_adopted_changes_are_those_of_releases_since_3_0() -> None:
    head, *rows = cells(inserts()["vendors-taken"])
    vendors = all_vendors().vendors
    assert head[1:] == [vendor.name for vendor in vendors]
    released = [item.release for item in vendors[0].taken_over]
    shown = [row[0] for row in rows]
    assert shown == [name for name in released if not name.startswith(("0.", "1.", "2."))]
    assert shown[0].startswith("3.0")
    for row in rows:
        for vendor, cell in zip(vendors, row[1:], strict=True):
            (item,) = (each for each in vendor.taken_over if each.release == row[0])
            if not item.taken:
                assert cell == "–"
            else:
                assert cell.startswith(f"{item.taken} of {item.layouts}")
                assert ("days" in cell) == (item.days is not None)


def test_keys_versions_and_messages_of_vendors_are_all_listed() -> None:
    vendors = all_vendors().vendors
    own = [vendor for vendor in vendors if vendor.own_apis]
    head, *rows = cells(inserts()["vendors-keys"])
    assert head == ["Key", *(vendor.name for vendor in own)]
    assert [int(row[0]) for row in rows] == sorted({api.key for vendor in own for api in vendor.own_apis})
    for row in rows:
        for vendor, cell in zip(own, row[1:], strict=True):
            names = [f"{api.name} {api.versions}" for api in vendor.own_apis if str(api.key) == row[0]]
            assert cell == (names[0] if names else "")
    assert len(cells(inserts()["vendors-different"])) == 1 + sum(len(each.different) for each in vendors)
    assert len(cells(inserts()["vendors-messages"])) == 1 + sum(len(each.own_messages) for each in vendors)
    _, *steps = cells(inserts()["vendors-steps"])
    told = [(each.name, step.release, str(step.own)) for each in vendors for step in each.steps]
    assert [(row[0], row[1], row[5]) for row in steps] == told


def test_neighbouring_releases_are_a_range() -> None:
    assert [_range(names) for names in (["1.0"], ["1.0", "1.1"], ["1.0", "1.1", "2.0"])] == [
        "1.0", "1.0 to 1.1", "1.0 to 2.0",
    ]  # fmt: skip
