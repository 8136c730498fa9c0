"""The comparison in the browser and the matcher agree on what differs between two versions."""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterator

import pytest

from tests.docgen.pages.byte_pages import embedded
from tests.docgen.site.scripts import Scripts, needs_node, running
from wirebook.rules.diff.layouts import SENTENCES, layout_changes
from wirebook.specs.layout import layouts
from wirebook.specs.model import Message

pytestmark = needs_node

DIFF = """
({ old, fresh, sentences, former = {} }) => {
  const found = wirebookDiff.compare(old, fresh, new Map(Object.entries(former)));
  const name = (field) => field && field.name;
  const rows = found.rows.map((row) => [row.depth, row.mark, name(row.old), name(row.new)]);
  return JSON.stringify({ words: found.changes.map((each) => wirebookDiff.words(each, sentences)), rows });
}
"""
RELEASES = """
({ snapshots, first, second }) => JSON.stringify(wirebookReleases.compare(snapshots, first, second))
"""


@pytest.fixture(scope="module")
def script() -> Iterator[Scripts]:
    with running(DIFF, "layoutdiff.js") as scripts:
        yield scripts


def pairs(message: Message) -> Iterator[tuple[int, int]]:
    """Every two neighbors, both ways, and some versions that are far apart."""
    count = len(layouts(message))
    yield from itertools.pairwise(range(count))
    yield from ((second, first) for first, second in itertools.pairwise(range(count)))
    yield from ((0, other) for other in range(2, count, 3))


def test_any_two_versions_differ_as_the_matcher_finds(script: Scripts) -> None:
    """All requests and responses; a default of 64 bits is digits, as published.js reads it."""
    seen = 0
    for message in embedded():
        shapes = layouts(message)
        exported = [json.loads(json.dumps(shape.to_json()), parse_int=exact) for shape in shapes]
        for first, second in pairs(message):
            found = script.ask(
                {"old": exported[first], "fresh": exported[second], "sentences": SENTENCES}
            )
            ours = [change.sentence for change in layout_changes(shapes[first], shapes[second])]
            # Where what is removed is listed follows the spec, which no layout has.
            assert sorted(found["words"]) == sorted(ours), (message.name, first, second)
            seen += bool(ours)
    assert seen > 500


def exact(digits: str) -> int | str:
    return int(digits) if len(digits) < 16 else digits


def field(name: str) -> dict[str, object]:
    return {"name": name, "path": name, "type": "INT32", "spec_type": "int32", "nullable": False, "tag": None,
            "default": 0, "fields": None}  # fmt: skip


def test_two_releases() -> None:
    def served(text: str, deprecated: tuple[int, ...] = ()) -> dict[str, object]:
        return {"served": text, "deprecated": list(deprecated)}

    def snapshot(
        name: str, before: str | None, errors: list[str], **apis: object
    ) -> dict[str, object]:
        codes = [{"code": place, "name": error} for place, error in enumerate(errors)]
        return {"name": name, "predecessor": before, "errors": codes, "apis": apis}

    snapshots = [
        snapshot("1.0", None, ["NONE"], a=served("0-2"), b=served("0")),
        snapshot("1.0.1", "1.0", ["PATCHED"], a=served("0-2"), b=served("0")),
        snapshot(
            "2.0", "1.0", ["LATER"], a=served("1-2, 4", (1,)), c=served("0"), d=served("none")
        ),
    ]
    with running(RELEASES, "published.js", "compare.js") as script:
        found = script.ask({"snapshots": snapshots, "first": "1.0.1", "second": "2.0"})
        rows = {row["slug"]: row for row in found["rows"]}
        assert {slug: row["mark"] for slug, row in rows.items()} == {
            "a": "changed",
            "b": "removed",
            "c": "added",
        }
        assert (rows["a"]["added"], rows["a"]["removed"], rows["a"]["deprecated"]) == (
            [4],
            [0],
            [1],
        )
        assert [each["name"] for each in found["added"]] == ["LATER"]
        # What a patch release has is not in the next one, which was cut from its predecessor.
        assert [each["name"] for each in found["removed"]] == ["PATCHED"]
        same = script.ask({"snapshots": snapshots, "first": "2.0", "second": "2.0"})
        assert same == {"rows": [], "added": [], "removed": []}
