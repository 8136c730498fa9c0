"""Sentences on pages: names that become links, and changes of fields told in one line."""

from __future__ import annotations

from wirebook.docgen.catalog.records import FieldChange
from wirebook.docgen.render.kit.mentions import Mentions
from wirebook.docgen.render.kit.stories import folded

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
    lines = folded(
        [
            FieldChange("tagged", "response", "Nodes", new="16"),
            FieldChange("added", "response", "Nodes"),
            FieldChange("added", "response", "Nodes.Host"),
            FieldChange("added", "response", "Nodes.Rack"),
            FieldChange("nullable", "response", "Nodes.Rack", new="16"),
            FieldChange("added", "request", "Id"),
            FieldChange("nullable", "request", "Id", new="16"),
        ]
    )
    assert lines == (
        "response: Nodes is added, tagged, with Host, Rack (nullable)",
        "request: Id is added, nullable",
    )


def test_what_happens_to_an_older_field_keeps_its_line() -> None:
    changes = [
        FieldChange("added", "", "Topics.Id"),
        FieldChange("nullable", "", "Topics.Name", new="3"),
        FieldChange("removed", "", "Topics.Old"),
        FieldChange("tagged", "", "Note", new="3"),
    ]
    assert folded(changes) == (
        "Topics.Id is added",
        "Topics.Name may be null (from version 3)",
        "Topics.Old is removed",
        "Note is a tagged field (from version 3)",
    )
    changes = [
        FieldChange(event, "", path)
        for event, path in (("removed", "A"), ("removed", "A.B"), ("added", "A.C"))
    ]
    assert folded(changes) == ("A is removed, with B", "A.C is added")


def test_a_name_that_reads_like_a_sentence_is_only_a_name() -> None:
    changes = [
        FieldChange("added", "", "A"),
        FieldChange("removed", "", "B is added"),
        FieldChange("default", "", "A is gone", "1", "2"),
    ]
    assert folded(changes) == (
        "A is added",
        "B is added is removed",
        "the default of A is gone changes from 1 to 2",
    )
