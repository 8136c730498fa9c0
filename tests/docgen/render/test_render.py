"""The renderer by itself: anchors, lifelines, stories of a release, and what becomes of unsafe text."""

from __future__ import annotations

import re
from dataclasses import replace
from xml.etree import ElementTree

import pytest
from markupsafe import Markup, escape

from tests.docgen.render.byte_pages import KAFKA_PROTOCOL
from tests.docgen.render.rows import index_row
from wirebook.docgen.catalog.protocol import LevelRecord, ProtocolRecord
from wirebook.docgen.catalog.records import (
    ApiPresence,
    FieldChange,
    NewsItem,
    ServedVersions,
    SnapshotRecord,
)
from wirebook.docgen.catalog.sentences import version_change_text
from wirebook.docgen.render.kit.environment import breakable, preformatted, render, shown
from wirebook.docgen.render.kit.links import Ids, anchor, version_anchor
from wirebook.docgen.render.kit.mentions import Mentions
from wirebook.docgen.render.kit.page import Heading
from wirebook.docgen.render.kit.prose import prose
from wirebook.docgen.render.kit.stories import stories
from wirebook.docgen.render.pages.levels import level_page
from wirebook.docgen.render.pictures.lifeline import Run, lifeline, runs
from wirebook.docgen.site.front_matter import contents, theme_text
from wirebook.specs.versions import VersionSet

HARM = "<script>alert(1)</script>{{ 7*7 }}\u202e"


@pytest.mark.parametrize(
    ("text", "expected"),
    [("Topics.Partitions", "topics-partitions"), ("__x__", "x"), ('"><', "x"), ("İ", "i"), ("", "x")],
)
def test_anchors_are_plain(text: str, expected: str) -> None:
    assert anchor(text) == expected


def test_anchors_of_versions_are_the_promised_ones() -> None:
    assert version_anchor(12, "request", "Topics.Partitions") == "v12-topics-partitions"
    assert version_anchor(12, "response", "Responses") == "v12-response-responses"
    assert version_anchor(12, "request") == "v12-request"
    assert version_anchor(12, "response") == "v12-response"


def test_ids_are_handed_out_once() -> None:
    ids = Ids()
    assert [ids.take(name) for name in ("a", "a", "a-2", "a", "b")] == ["a", "a-2", "a-2-2", "a-3", "b"]


def presence(*states: tuple[str, str, str]) -> list[ApiPresence]:
    return [
        ApiPresence(f"{number}.0.0", there, unstable=new, deprecated=old)
        for number, (there, old, new) in enumerate(states, 1)
    ]


def test_runs_break_where_a_version_was_away_or_changed_its_state() -> None:
    told = runs(
        presence(("0-1", "none", "1"), ("0-1", "0", "none"), ("1", "none", "none"), ("0-1", "none", "none"))
    )
    assert told == {
        0: [Run(0, 0, "current"), Run(1, 1, "deprecated"), Run(3, 3, "current")],
        1: [Run(0, 0, "unstable"), Run(1, 3, "current")],
    }


def snapshot(name: str, versions: str = "", kind: str = "release") -> SnapshotRecord:
    apis = {"foo": ServedVersions(0, 0, versions, (), (), versions)} if versions else {}
    return SnapshotRecord(name, kind, None, None, None, None, None, apis, (), (), (), (), (), ())


def test_a_level_is_an_entry_that_leads_to_the_release_which_shipped_it() -> None:
    old = LevelRecord(0, "1.0-IV0", "1.0", None, HARM, None, before_history=True)
    first = LevelRecord(1, "2.1-IV0", "2.1", None, HARM, "2.1.0", before_history=False)
    levels = [old, first]
    (page,) = level_page(levels, [], KAFKA_PROTOCOL, Mentions(links=KAFKA_PROTOCOL.links))
    html = str(page.html)
    assert page.path == "levels/"
    assert '<tr id="id-1">' in html
    assert 'id="at-2-1-iv0"' in html
    assert '<a href="../releases/2.1.0/">2.1.0</a>' in html
    assert "Served at" not in html, "a level serves nothing: releases do"
    assert "<script" not in html
    assert "\u202e" not in html
    own = ProtocolRecord(level="step")
    assert list(level_page([], [], own, Mentions())) == []


def test_a_lifeline_says_in_words_what_it_shows() -> None:
    picture = str(lifeline(HARM, presence(("0", "none", "none"), ("0-1", "0", "none"))))
    tree = ElementTree.fromstring(picture)
    words = [element.text or "" for element in tree.iter() if element.tag in ("title", "desc")]
    assert words[0].startswith("Lifeline of <script>")
    assert words[1] == (
        "version 0 current from 1.0.0 to 1.0.0, deprecated from 2.0.0 to 2.0.0; "
        "version 1 current from 2.0.0 to 2.0.0"
    )
    assert "version 1: current, 2.0.0 to 2.0.0" in words
    assert "<script" not in picture


def test_one_snapshot_has_no_lifeline() -> None:
    assert lifeline("Foo", presence(("0", "none", "none"))) == ""


def test_a_lifeline_stays_readable_however_many_snapshots_there_are() -> None:
    for count in (2, 53, 200):
        picture = str(lifeline("Foo", presence(*[("0", "none", "none")] * count)))
        width = int(re.findall(r'width="(\d+)"', picture)[0])
        assert width >= 12 * count


def change(slug: str, event: str, versions: str, *, whole: bool = False) -> NewsItem:
    changed = VersionSet.parse(versions)
    words = version_change_text(changed, event, whole=whole)
    return NewsItem(slug, slug.title(), changed, words, event=event, whole=whole)


def test_a_release_is_told_api_by_api() -> None:
    index = [index_row("b", "api", 1), index_row("a", "api", 2), index_row("r", "metadata", 0)]
    made = replace(
        snapshot("1.0.0"),
        new=(
            change("a", "added", "0-1", whole=True),
            change("r", "added", "0", whole=True),
        ),
        changed=(
            change("b", "undeprecated", "3"),
            NewsItem(
                "b",
                "B",
                VersionSet.NONE,
                "X is added; Y is removed",
                fields=(FieldChange("added", "", "X"), FieldChange("removed", "", "Y")),
            ),
        ),
        removed=(change("b", "removed", "0, 2"),),
        returned=(change("z", "returned", "1"),),
    )
    apis, others = stories(made, index)
    assert [story.slug for story in apis] == ["b", "a"]
    assert [story.slug for story in others] == ["r", "z"]
    told = [(line.title, line.words, line.version) for line in apis[0].lines]
    assert told == [
        ("Removed", "versions 0, 2", 2),
        ("Changed", "version 3 no longer deprecated", 3),
        ("Changed", "X is added; Y is removed", None),
    ]
    assert apis[0].lines[2].details == ("X is added", "Y is removed")
    assert [(line.title, line.words) for line in apis[1].lines] == [("New API", "versions 0-1")]
    assert [(line.title, line.words) for line in others[0].lines] == [("New message", "version 0")]


def test_what_is_no_markup_is_escaped_and_made_visible() -> None:
    text = render("example.html.jinja", text=f"{HARM}\n\x1b[31m")
    assert "&lt;script&gt;" in text
    assert "{{ 7*7 }}" in text
    assert "\\u202e\n\\u001b[31m" in text
    assert shown("\u202e") == "\\u202e"
    assert preformatted("a\n<b>") == "a\n&lt;b&gt;"


def test_names_break_between_their_words_alone() -> None:
    assert breakable("FindCoordinator") == "Find<wbr>Coordinator"
    assert breakable("UNKNOWN_TOPIC") == "UNKNOWN_<wbr>TOPIC"
    assert breakable("Topics.Partitions") == "Topics.<wbr>Partitions"
    assert breakable("a<bC>") == "a&lt;b<wbr>C&gt;"


@pytest.mark.parametrize(
    "text", ["</title><script>alert(1)</script>", "\"'><img src=x>", "&lt;b&gt;", "&amp;lt;b"]
)
def test_a_title_is_text_however_a_theme_writes_it(text: str) -> None:
    given = theme_text(text)
    for written in (given, str(escape(given)), str(Markup(given).striptags())):
        assert not set(written) & set("<>\"'")
    assert theme_text("Fetch 12 – A & B") == "Fetch 12 – A &amp; B"


def test_contents_nest_by_level() -> None:
    listed = contents((Heading("One", "one", 2), Heading("In", "in", 3), Heading("Two", "two", 2)))
    assert [(item.id, [child.id for child in item.children]) for item in listed] == [
        ("one", ["in"]),
        ("two", []),
    ]


def test_the_example_of_a_rule_is_a_diff_in_which_nothing_is_markup() -> None:
    text = 'Words.\n\n```diff\n@@ A.json @@\n- { "<b>" }\n+ { "name": "`x`" }\n  ] }\n```'
    made = str(prose(text))
    assert made.startswith("<p>Words.</p>\n")
    assert '<span class="gd">- { &#34;&lt;b&gt;&#34; }</span>\n<span class="gi">+ {' in made
    assert "`x`" in made
    assert "```" not in made
