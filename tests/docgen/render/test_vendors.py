"""The page on vendors and forks: every mark is filled, by the facts."""

from __future__ import annotations

import re

from tests.support import ROOT
from wirebook.docgen.render.vendors import inserts
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
