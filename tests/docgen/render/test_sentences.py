"""Sentences on pages: names that become links, and changes of fields told in one line."""

from __future__ import annotations

from wirebook.docgen.render.mentions import Mentions
from wirebook.docgen.render.pages.stories import folded

KNOWN = Mentions(
    {"Fetch": "fetch", "OffsetFetch": "offset-fetch", "Metadata": "metadata"},
    frozenset({"UNKNOWN_LEADER_EPOCH", "NOT_COORDINATOR"}),
)


def test_apis_and_errors_become_links() -> None:
    made = KNOWN.linked("Answers UNKNOWN_LEADER_EPOCH (75); ask OffsetFetch, then Metadata.", "../../")
    assert '<a href="../../errors/#unknown-leader-epoch">UNKNOWN_LEADER_EPOCH</a> (75)' in made
    assert '<a href="../../api/offset-fetch/">OffsetFetch</a>, ' in made
    assert '<a href="../../api/metadata/">Metadata</a>.' in made


def test_verbs_unknown_names_and_the_api_itself_stay_text() -> None:
    for text in ("Fetch what is there. Metadata stays.", "SOME_THING of OtherFetch", "a prefetch"):
        assert KNOWN.linked(text, "") == text
    assert KNOWN.linked("see OffsetFetch", "", "OffsetFetch") == "see OffsetFetch"


def test_a_hostile_text_stays_text_around_its_links() -> None:
    made = KNOWN.linked('<b>NOT_COORDINATOR</b>"\u202e', "")
    assert made == '&lt;b&gt;<a href="errors/#not-coordinator">NOT_COORDINATOR</a>&lt;/b&gt;&#34;\\u202e'


def test_a_new_field_is_one_line_with_its_marks_and_its_own_fields() -> None:
    told = folded(
        [
            "response: Nodes is a tagged field (from version 16)",
            "response: Nodes is added",
            "response: Nodes.Host is added",
            "response: Nodes.Rack is added",
            "response: Nodes.Rack may be null (from version 16)",
            "request: Id is added",
            "request: Id may be null (from version 16)",
        ]
    )
    assert told == (
        "response: Nodes is added, tagged, with Host, Rack (nullable)",
        "request: Id is added, nullable",
    )


def test_what_happens_to_an_older_field_keeps_its_line() -> None:
    details = [
        "Topics.Id is added",
        "Topics.Name may be null (from version 3)",
        "Topics.Old is gone",
        "Note is a tagged field (from version 3)",
    ]
    assert folded(details) == tuple(details)
    assert folded(["A is gone", "A.B is gone", "A.C is added"]) == ("A is gone, with B", "A.C is added")
