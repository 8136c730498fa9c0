"""What a finding becomes in each format for programs, key by key."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.rules.reports import some_finding
from wirebook.rules.finding import Finding, Place, Severity
from wirebook.rules.formats import github, gitlab, sarif
from wirebook.rules.formats.words import about, versions, where
from wirebook.rules.result import CheckResult
from wirebook.specs.problems import InputError, Position
from wirebook.specs.versions import VersionSet

NEW, OLD = Place("./new/a.json", 2, 3, 2, 9), Place("./old/a.json", 5, 7)
FOUND = some_finding(location=NEW, message="It is.", fix="Mend it.", versions=VersionSet.parse("2"))
ERROR, WARNING, INFO = Severity.ERROR, Severity.WARNING, Severity.INFO


def report(*findings: Finding, **more: Any) -> CheckResult:
    return CheckResult(findings, "a against b", "1.2.3", 1)._replace(**more)


# --- words ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({}, "FooRequest · Topics.Weight · version 2"),
        ({"released_in": "1.0"}, "FooRequest · Topics.Weight · version 2, released in 1.0"),
        ({"versions": VersionSet.NONE, "released_in": "1.0"}, "FooRequest · Topics.Weight"),
        ({"field": "", "versions": VersionSet.parse("2-4")}, "FooRequest · versions 2-4"),
        ({"field": "", "message_name": "", "versions": VersionSet.NONE}, ""),
        ({"released_in": "1\n0"}, "FooRequest · Topics.Weight · version 2, released in 1\\u000a0"),
    ],
)
def test_a_finding_is_about_a_message_a_field_and_versions(changed: dict[str, Any], words: str) -> None:
    assert about(FOUND._replace(**changed)) == words


def test_names_are_clipped_one_by_one() -> None:
    long = FOUND._replace(message_name="A" * 300, field="b" * 300)
    name, field, _ = about(long).split(" · ")
    assert (len(name), len(field)) == (199, 199)
    assert [len(part) for part in about(long, 50).split(" · ")[:2]] == [49, 49]
    assert versions(FOUND._replace(versions=VersionSet.NONE)) == ""


@pytest.mark.parametrize(("length", "shown"), [(199, 199), (200, 200), (201, 199)])
def test_names_have_two_hundred_characters_at_most(length: int, shown: int) -> None:
    item = FOUND._replace(message_name="A" * length, field="b" * length, versions=VersionSet.NONE)
    assert [len(part) for part in about(item).split(" · ")] == [shown, shown]


def test_a_finding_is_where_the_new_side_has_it() -> None:
    both = FOUND._replace(previous=OLD)
    assert where(both) == (NEW, True)
    assert where(both._replace(location=None)) == (OLD, False)
    assert where(FOUND._replace(location=None)) == (None, False)


# --- GitHub -----------------------------------------------------------------------------------------------


def annotation(item: Finding) -> tuple[str, dict[str, str], list[str]]:
    """The command, its properties and the lines of its text."""
    line = github.render(report(item)).splitlines()[1]
    _, head, text = line.split("::", 2)
    kind, _, inside = head.partition(" ")
    return kind, dict(part.split("=", 1) for part in inside.split(",")), text.split("%0A")


@pytest.mark.parametrize(("severity", "kind"), [(ERROR, "error"), (WARNING, "warning"), (INFO, "notice")])
def test_an_annotation_is_as_bad_as_its_finding(severity: Severity, kind: str) -> None:
    item = FOUND._replace(severity=severity)
    waive = [] if severity is INFO else [f"Waive it: wirebook check --waive={item.fingerprint}"]
    assert annotation(item) == (
        kind,
        {
            "file": "new/a.json",
            "line": "2",
            "col": "3",
            "endLine": "2",
            "endColumn": "9",
            "title": "tag-reused%3A FooRequest · Topics.Weight · version 2",
        },
        ["It is.", "Instead: Mend it.", *waive],
    )


def test_an_annotation_says_what_is_known() -> None:
    kind, properties, text = annotation(FOUND._replace(waived="agreed", previous=OLD))
    assert kind == "notice"
    assert properties["title"] == "waived%2C tag-reused%3A FooRequest · Topics.Weight · version 2"
    assert text == ["Accepted: agreed", "It is.", "Was: ./old/a.json:5"]
    kind, properties, text = annotation(FOUND._replace(location=None, previous=OLD, fix="", severity=INFO))
    assert (properties["file"], "line" in properties, text) == ("old/a.json", False, ["It is."])
    _, properties, _ = annotation(FOUND._replace(location=Place("a\nb", 1, 1)))
    assert properties.keys() == {"title"}
    _, properties, _ = annotation(FOUND._replace(location=Place("a,b:c%", 1, 1)))
    assert (properties["file"], "endLine" in properties) == ("a%2Cb%3Ac%25", False)


@pytest.mark.parametrize(
    ("error", "line"),
    [
        (
            InputError("no", "a.json", Position(3, 4)),
            "::error file=a.json,line=3,col=4,title=could not be checked::",
        ),
        (InputError("no", "a.json"), "::error title=could not be checked::"),
        (InputError("no"), "::error title=could not be checked::"),
    ],
)
def test_a_check_that_stops_is_annotated_where_its_place_is_known(error: InputError, line: str) -> None:
    assert github.failure(error) == f"{line}{error}\n"


def test_an_annotation_counts_what_follows_beyond_ten() -> None:
    def last(number: int) -> str:
        effects = [
            FOUND._replace(field=f"F{each}", root=FOUND.identity, location=None) for each in range(number)
        ]
        return github.render(report(FOUND, *effects)).splitlines()[1].split("%0A")[-1]

    assert last(10) == "From it follows: error tag-reused: FooRequest · F9 · version 2"
    assert last(11) == "and 1 more that follows from it"
    assert last(13) == "and 3 more that follow from it"


@pytest.mark.parametrize(
    ("errors", "waived", "unchecked", "hidden"),
    [
        (10, 10, 0, ""),
        (9, 0, 1, ""),
        (10, 0, 1, "10 of 11"),
        (11, 0, 0, "10 of 11"),
        (0, 11, 0, "10 of 11"),
        (12, 12, 3, "20 of 27"),
    ],
)
def test_annotations_of_a_kind_are_shown_up_to_ten(
    errors: int, waived: int, unchecked: int, hidden: str
) -> None:
    items = [FOUND] * errors + [FOUND._replace(waived="so")] * waived
    said = github.not_shown(report(*items, unchecked=tuple(map(str, range(unchecked)))))
    assert (hidden in said, bool(said)) == (True, bool(hidden))


# --- GitLab -----------------------------------------------------------------------------------------------


def issue(item: Finding) -> dict[str, Any]:
    (found,) = json.loads(gitlab.render(report(item)))
    assert isinstance(found, dict)
    return found


@pytest.mark.parametrize(
    ("changed", "severity", "description"),
    [
        ({}, "critical", "It is.. Instead: Mend it."),
        ({"severity": WARNING, "fix": ""}, "minor", "It is."),
        ({"severity": INFO}, "info", "It is.. Instead: Mend it."),
        ({"waived": "so", "fix": ""}, "info", "Waived (so): It is."),
    ],
)
def test_an_issue_of_gitlab(changed: dict[str, Any], severity: str, description: str) -> None:
    item = FOUND._replace(**changed)
    assert issue(item) == {
        "description": description,
        "check_name": "tag-reused",
        "fingerprint": item.fingerprint,
        "severity": severity,
        "location": {
            "path": "new/a.json",
            "lines": {"begin": 2, "end": 2},
            "positions": {"begin": {"line": 2, "column": 3}, "end": {"line": 2, "column": 9}},
        },
    }


@pytest.mark.parametrize("place", [NEW._replace(end_line=None), NEW._replace(end_column=None)])
def test_an_end_is_given_whole_or_not_at_all(place: Place) -> None:
    item = FOUND._replace(location=place)
    assert issue(item)["location"] == {"path": "new/a.json", "lines": {"begin": 2}}
    (result,) = sarif.document(report(item), ())["runs"][0]["results"]
    assert result["locations"][0]["physicalLocation"]["region"] == {"startLine": 2, "startColumn": 3}


def test_what_could_not_be_checked_is_an_issue_once() -> None:
    made = report(FOUND, unchecked=("x", "y", "x"), unchecked_places={"y": OLD})
    first, second, third = json.loads(gitlab.render(made))
    assert (first["description"], first["location"]) == (
        "Could not be checked: x",
        {"path": ".", "lines": {"begin": 1}},
    )
    assert (second["severity"], second["location"]) == (
        "blocker",
        {"path": "old/a.json", "lines": {"begin": 5}},
    )
    assert first["fingerprint"] != second["fingerprint"]
    assert len(first["fingerprint"]) == 16
    assert third["check_name"] == "tag-reused"


# --- SARIF ------------------------------------------------------------------------------------------------


def result(item: Finding, **more: Any) -> dict[str, Any]:
    (found,) = sarif.document(report(item, **more), ())["runs"][0]["results"]
    assert isinstance(found, dict)
    return found


def test_a_result_of_sarif() -> None:
    item = FOUND._replace(previous=OLD, released_in="1.0", waived="so")
    before = {"artifactLocation": {"uri": "old/a.json", "uriBaseId": "%SRCROOT%"}}
    assert result(item) == {
        "ruleId": "tag-reused",
        "ruleIndex": 0,
        "level": "error",
        "message": {"text": "It is.. Instead: Mend it."},
        "locations": [
            {
                "physicalLocation": {
                    "artifactLocation": {"uri": "new/a.json", "uriBaseId": "%SRCROOT%"},
                    "region": {"startLine": 2, "startColumn": 3, "endLine": 2, "endColumn": 9},
                },
                "logicalLocations": [{"fullyQualifiedName": "FooRequest.Topics.Weight", "kind": "member"}],
            }
        ],
        "partialFingerprints": {"wirebook/v1": item.fingerprint},
        "properties": {
            "about": "FooRequest · Topics.Weight · version 2, released in 1.0",
            "category": "wire",
            "versions": "2",
            "releasedIn": "1.0",
        },
        "relatedLocations": [
            {
                "id": 1,
                "physicalLocation": {**before, "region": {"startLine": 5, "startColumn": 7}},
                "message": {"text": "before"},
            }
        ],
        "suppressions": [{"kind": "external", "status": "accepted", "justification": "so"}],
    }


def test_a_result_has_what_is_known() -> None:
    bare = FOUND._replace(location=None, message_name="", field="", fix="")
    found = result(bare)
    assert found["locations"] == []
    assert found["message"] == {"text": "It is."}
    assert not {"relatedLocations", "suppressions"} & found.keys()
    assert "inUse" not in found["properties"]
    (spot,) = result(bare._replace(message_name="FooRequest"))["locations"]
    assert spot == {"logicalLocations": [{"fullyQualifiedName": "FooRequest", "kind": "type"}]}
    first = result(FOUND._replace(location=Place("a", 0, 0)))["locations"][0]["physicalLocation"]["region"]
    assert first == {"startLine": 1, "startColumn": 1}


def test_a_run_says_what_was_checked() -> None:
    made = sarif.document(report(FOUND, FOUND, notices=("a",), unchecked=("b",)), ())
    (run,) = made["runs"]
    assert (made["version"], run["columnKind"]) == ("2.1.0", "unicodeCodePoints")
    assert run["properties"] == {"compared": "a against b", "messagesChecked": 1}
    (invocation,) = run["invocations"]
    assert invocation == {
        "executionSuccessful": False,
        "toolExecutionNotifications": [
            {"level": "note", "message": {"text": "a"}},
            {"level": "error", "message": {"text": "b"}},
        ],
    }
    assert run["tool"]["driver"] == {"name": "wirebook", "version": "1.2.3", "rules": [{"id": "tag-reused"}]}
    assert len({each["partialFingerprints"]["wirebook/v1"] for each in run["results"]}) == 2
    assert sarif.document(report(), ())["runs"][0]["invocations"][0]["executionSuccessful"] is True


@pytest.mark.parametrize(
    ("path", "uri", "is_relative"),
    [
        ("a b.json", "a%20b.json", True),
        ("././a", "a", True),
        ("/a/é", "file:///a/%C3%A9", False),
        # As Python and as a source name a byte that is not UTF-8.
        ("a\udcff", "a%FF", True),
        ("a\\xff\\x80", "a%FF%80", True),
        ("a\\x7f\\xg0", "a%5Cx7f%5Cxg0", True),
        ("a\ud800\udcff", "a%5Cud800%5Cudcff", True),
        ("a%", "a%25", True),
    ],
)
def test_a_path_of_sarif_is_a_uri(path: str, uri: str, is_relative: bool) -> None:
    place = result(FOUND._replace(location=Place(path, 1, 1)))["locations"][0]["physicalLocation"]
    base = {"uriBaseId": "%SRCROOT%"} if is_relative else {}
    assert place["artifactLocation"] == {"uri": uri, **base}
