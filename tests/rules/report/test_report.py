"""The report on a change: verdict, findings, changes and who must act agree, and nothing is said
twice."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given

from tests.rules.fixture_pairs import PAIRS, findings, protocol
from tests.rules.report.reviews import field, found, of, spec
from tests.rules.reports import HOSTILE, reports, some_finding
from wirebook.rules.finding import Category, Finding, Severity
from wirebook.rules.released import Baseline, Released
from wirebook.rules.report import html, markdown
from wirebook.rules.report.acts import Section
from wirebook.rules.report.markup import cell
from wirebook.rules.report.model import Report, report_of
from wirebook.rules.result import CheckResult, Judged
from wirebook.specs.model import Message, Protocol
from wirebook.specs.problems import InputError

ID, WIDE = field("Id"), field("Id", "int64")
MISREAD = "Peers with and without this change misread each other"
FLEXIBLE: dict[str, Any] = {"flexibleVersions": "0+"}
TAGGED: dict[str, Any] = {"taggedVersions": "0+", "tag": 0}


def both(name: str = "Foo", key: int = 900, **keys: Any) -> list[Message]:
    """An API whose halves have the same values."""
    return [spec("request", name, key, **keys), spec("response", name, key, **keys)]


def acts(old: list[Message], new: list[Message]) -> list[str]:
    return [text for section in of(old, new).sections for text in section.acts]


def fields(old: list[Message], new: list[Message]) -> list[str]:
    return [text for section in of(old, new).sections for text in section.fields]


# --- the verdict
# ------------------------------------------------------------------------------------------

ERROR = some_finding(location=None)
WAIVED, NOTE, WARNED = (
    ERROR._replace(waived="so"),
    ERROR._replace(severity=Severity.INFO),
    ERROR._replace(severity=Severity.WARNING),
)
INVALID = ERROR._replace(rule="unknown-key", category=Category.SPEC)
ACCEPTED = "1 break is accepted by a waiver in this change"


@pytest.mark.parametrize(
    ("findings", "state", "headline"),
    [
        ((ERROR, WARNED), "breaking", "This change breaks what was promised: 1 error, 1 warning."),
        ((INVALID, WARNED), "breaking", "The specs are not valid: 1 error, 1 warning."),
        (
            (INVALID, ERROR),
            "breaking",
            "This change breaks what was promised: 2 errors (1 on the wire).",
        ),
        ((WARNED, WARNED), "warnings", "Nothing that was released breaks: 2 warnings."),
        ((NOTE,), "unchanged", "The protocol does not change: 1 for information."),
        ((), "unchanged", "The protocol does not change."),
        ((WAIVED,), "accepted", f"{ACCEPTED}."),
        ((WAIVED, WARNED), "accepted", f"{ACCEPTED}: 1 warning."),
        (
            (WAIVED, ERROR),
            "breaking",
            f"This change breaks what was promised: 1 error; {ACCEPTED}.",
        ),
    ],
)
def test_the_headline_is_that_of_the_worst(
    findings: tuple[Finding, ...], state: str, headline: str
) -> None:
    accepted = sum(each.waived is not None for each in findings)
    report = found(*findings, accepted=accepted)
    assert (report.verdict[0], report.headline) == (state, headline)


def test_what_nobody_could_check_is_no_verdict() -> None:
    report = found(ERROR, unchecked=(InputError("x"),))
    assert report.headline == "Not everything could be checked: this is not a verdict: 1 error."


def test_a_break_that_a_merged_waiver_accepts_is_one() -> None:
    assert found(WAIVED).headline == "1 break is accepted by a waiver."


@pytest.mark.parametrize(
    ("old", "new", "headline"),
    [
        (both(), both(validVersions="0-3"), "Nothing that was released breaks."),
        (both(), both(about="x"), "Only what people read changes."),
        (
            both(validVersions="0-2", deprecatedVersions="0"),
            both(validVersions="1-2"),
            "versions are removed",
        ),
    ],
)
def test_the_headline_of_a_sound_change(
    old: list[Message], new: list[Message], headline: str
) -> None:
    report = of(old, new)
    sides = replace(report, result=replace(report.result, findings=()))
    assert headline in sides.headline
    assert sides.empty == headline.startswith("Only what people read")


def test_without_a_base_no_verdict_is_about_a_change() -> None:
    judged = Judged(None, Protocol(tuple(both())))
    report = report_of(CheckResult((), "a", "1", 2, projects=(judged,)))
    assert (report.verdict[0], report.headline) == (
        "sound",
        "There is no older protocol to compare with.",
    )
    assert not report.empty


# --- a waived break is a break
# ------------------------------------------------------------------------------


def test_a_waiver_hides_nobody_who_must_act() -> None:
    old, new = [spec(fields=[ID])], [spec(fields=[WIDE])]
    plain, waived = of(old, new), of(old, new, waived="agreed")
    assert plain.sections == waived.sections
    assert "misread" in plain.sections[0].acts[0]
    text = markdown.render(waived)
    assert "### ⚠️ 1 break is accepted by a waiver." in text
    assert "✅" not in text


@pytest.mark.xdist_group("fixtures")
def test_a_report_agrees_with_its_findings() -> None:
    for folder in PAIRS:
        old, new = protocol(folder, "old"), protocol(folder, "new")
        if old is None or new is None:
            continue
        every = findings(folder)
        report = found(*every, sides=(old, new))
        errors = [each for each in every if each.severity is Severity.ERROR]
        assert (report.verdict[0] == "breaking") == bool(errors), folder
        # Those who misread each other must act, and nobody else does.
        misread = any("misread" in text for section in report.sections for text in section.acts)
        assert misread == any(each.is_break and each.versions for each in errors), folder
        accepted = found(*(each._replace(waived="so") for each in every), sides=(old, new))
        assert (accepted.verdict[0] == "accepted") == bool(errors), folder
        assert accepted.sections == report.sections


# --- who must act
# -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("old", "new", "plain", "known"),
    [
        (
            {},
            {"validVersions": "0-3"},
            "Version 3 is new: unknown to peers without this change.",
            "Version 3 is new; releases 0.10.1 to 3.9.2 serve version 3.",
        ),
        (
            {},
            {"validVersions": "1-2"},
            "Version 0 is removed: clients need versions 1-2.",
            "Version 0 is removed: clients of Kafka 0.8.0 to 0.8.2 are cut off; "
            "releases 0.9.0 to 3.9.2 serve version 1.",
        ),
        (
            {},
            {"validVersions": "0"},
            "Versions 1-2 are removed: clients need version 0.",
            "Versions 1-2 are removed: clients need version 0; releases 0.8.0 to 3.9.2 serve version 0.",
        ),
        (
            {},
            {"validVersions": "none"},
            "Versions 0-2 are removed: clients must work without the API.",
            "Versions 0-2 are removed: clients must work without the API; "
            "releases 0.8.0 to 3.9.2 serve versions 0-2.",
        ),
        (
            {},
            {"deprecatedVersions": "0-1"},
            "Versions 0-1 are deprecated: move to version 2.",
            "Versions 0-1 are deprecated: move to version 2; releases 0.10.0 to 3.9.2 serve version 2.",
        ),
        (
            {"fields": [ID | {"versions": "0"}]},
            {"fields": [WIDE | {"versions": "0"}]},
            f"{MISREAD} in version 0.",
            f"{MISREAD} in version 0; releases 0.8.0 to 3.9.2 serve version 0.",
        ),
    ],
)
def test_the_words_for_an_api(
    old: dict[str, Any], new: dict[str, Any], plain: str, known: str
) -> None:
    for api, expected in ((("Foo", 900), plain), (("Fetch", 1), known)):
        before, after = spec("request", *api, **old), spec("request", *api, **new)
        assert acts([before], [after]) == [expected]
        # What both halves say is said once, and who has only the response gets to know it.
        shared = {key: value for key, value in new.items() if key == "validVersions"}
        halves = spec("response", *api), spec("response", *api, **shared)
        assert acts([before, halves[0]], [after, halves[1]]) == [expected]
        if shared and "latestVersionUnstable" not in new:
            assert acts([halves[0]], [halves[1]]) == [expected]


def test_an_api_of_the_name_or_the_key_of_another_protocol_has_no_releases() -> None:
    for name, key in (("Retch", 1), ("Fetch", 901)):
        assert acts(
            [spec("request", name, key)], [spec("request", name, key, validVersions="0-3")]
        ) == ["Version 3 is new: unknown to peers without this change."]


@pytest.mark.parametrize("kind", ["data", "metadata", "coordinator-key"])
def test_readers_of_records_must_act(kind: str) -> None:
    assert acts([spec(kind)], [spec(kind, validVersions="1-3")]) == [
        "Version 0 is removed: older data cannot be read.",
        "Version 3 is new: readers need it before writers.",
    ]
    assert acts([], [spec(kind)]) == ["A new message: readers need it before writers."]
    assert acts([spec(kind)], []) == ["Versions 0-2 are removed: older data cannot be read."]
    assert acts([spec(kind, fields=[ID])], [spec(kind, fields=[WIDE])]) == [
        "Data in versions 0-2 is misread across this change, in both directions."
    ]


def test_a_new_version_or_api_that_is_unstable_is_called_so() -> None:
    (section,) = of([spec()], [spec(validVersions="0-3", latestVersionUnstable=True)]).sections
    unknown = "unknown to peers without this change"
    assert section.acts == (f"Version 3 is new (unstable): {unknown}.",)
    assert section.changes == ()
    new = both(latestVersionUnstable=True)[:1]
    assert acts([], new) == [f"A new API (version 2 is unstable): {unknown}."]
    sentences = [change.sentence for change in of([], new).changes]
    assert sentences == ["is new; its valid versions are 0-2", "version 2 is marked as unstable"]


def test_a_version_that_comes_back_is_not_new() -> None:
    back, known = both(validVersions="0-3"), both(validVersions="1-2")
    assert acts(known, back) == [
        "Version 0 is back: known to peers of releases that have them.",
        "Version 3 is new: unknown to peers without this change.",
    ]
    fetch = [[spec("request", "Fetch", 1, validVersions=each)] for each in ("1-2", "0-2")]
    assert acts(*fetch) == ["Version 0 is back; releases 0.8.0 to 3.9.2 serve version 0."]
    data = [[spec("data", validVersions=each)] for each in ("1-2", "0-2")]
    assert acts(*data) == ["Version 0 is back: older data can be read again."]
    # A release may have what base lacks altogether.
    released = Released([Baseline(name, Protocol(tuple(back))) for name in ("1.0", "1.1")])
    peers = "known to 1.0 and later releases that have them"
    for base, versions in ((known, "Versions 0 and 3"), ([], "Versions 0-3")):
        judged = Judged(Protocol(tuple(base)), Protocol(tuple(back)), released=released)
        (section,) = report_of(CheckResult((), "a", "1", 2, projects=(judged,))).sections
        assert section.acts == (f"{versions.replace(' and', ',')} are back: {peers}.",)


def test_what_is_removed_names_the_release_since_which_it_is_deprecated() -> None:
    marked, after = both(validVersions="0-2", deprecatedVersions="0"), both(validVersions="1-2")
    assert acts(marked, after) == [
        "Version 0 is removed (deprecated before): clients need versions 1-2."
    ]
    released = Released([Baseline("3.7.0", Protocol(tuple(marked)))])
    judged = Judged(Protocol(tuple(marked)), Protocol(tuple(after)), released=released)
    report = report_of(CheckResult((), "a", "1", 2, projects=(judged,)))
    assert report.sections[0].acts == (
        "Version 0 is removed (deprecated since 3.7.0): clients need versions 1-2.",
    )
    assert report.verdict[0] == "warnings"


@pytest.mark.parametrize(
    ("listeners", "who"),
    [
        (["zkBroker", "broker"], "clients"),
        (["zkBroker", "controller"], "brokers and controllers"),
        (["zkBroker"], "controllers"),
        ([], "clients"),
    ],
)
def test_who_sends_a_request_must_act(listeners: list[str], who: str) -> None:
    sides = (spec(listeners=listeners, validVersions=each) for each in ("0-2", "none"))
    assert acts(*([each] for each in sides)) == [
        f"Versions 0-2 are removed: {who} must work without the API."
    ]


def test_nobody_must_act_on_a_header() -> None:
    sides = (spec("header", "RequestHeader", validVersions=each) for each in ("0-2", "1-2"))
    assert acts(*([each] for each in sides)) == ["Version 0 is removed."]


def test_both_fields_of_a_tag_are_left_to_the_finding() -> None:
    old, new = (field(name, taggedVersions="0+", tag=0) for name in ("Cordoned", "Load"))
    report = of([spec(**FLEXIBLE, fields=[old])], [spec(**FLEXIBLE, fields=[new])])
    assert [each.rule for each in report.findings] == ["tag-reused"]
    assert report.sections[0].changes == ()


def test_everybody_who_shares_a_struct_must_act() -> None:
    first = some_finding(
        message_name="FooRequest", message_type="request", api_key=900, field="A.B"
    )
    other = first._replace(message_name="BarRequest", api_key=901)
    sides = (
        Protocol((spec(), spec("request", "Bar", 901))),
        Protocol((spec(), spec("request", "Bar", 901))),
    )
    report = found(first, other, sides=sides)
    assert [section.title for section in report.sections] == [
        "Foo (API key 900)",
        "Bar (API key 901)",
    ]
    assert all("misread" in section.acts[0] for section in report.sections)


# --- what older peers make of new fields
# --------------------------------------------------------------------


@pytest.mark.parametrize(
    ("added", "expected"),
    [
        (
            field("New", versions="3+", ignorable=True),
            "Request: New (int32), new in version 3: where the peer is older, dropped (ignorable).",
        ),
        (
            field("New", versions="3+"),
            "Request: New (int32), new in version 3: "
            "where the peer is older, refused by the writer unless it has its default (not ignorable).",
        ),
        (
            field("New", taggedVersions="0+", tag=0),
            "Request: New (int32, tag 0), new in versions 0-3: skipped by peers without this change.",
        ),
        (
            field("New", versions="2+", taggedVersions="2+", tag=0, ignorable=True),
            "Request: New (int32, tag 0), new in versions 2-3: skipped by peers without this change; "
            "where the peer is older than version 2, dropped (ignorable).",
        ),
    ],
)
def test_a_new_field_is_dropped_refused_or_skipped(added: dict[str, Any], expected: str) -> None:
    new = spec(**FLEXIBLE, fields=[ID, added], validVersions="0-3")
    assert fields([spec(**FLEXIBLE, fields=[ID])], [new]) == [expected]


def test_fields_of_one_fate_are_one_sentence() -> None:
    more = [field("A", versions="3+", ignorable=True), field("B", versions="3+", ignorable=True)]
    assert fields([spec()], [spec(fields=more, validVersions="0-3")]) == [
        "Request: A (int32) and B (int32), new in version 3: where the peer is older, dropped (ignorable)."
    ]


def test_a_removed_tag_is_skipped_and_not_said_to_change_code_only() -> None:
    tagged = field("Hint", taggedVersions="0+", tag=0)
    report = of([spec(**FLEXIBLE, fields=[tagged])], [spec(**FLEXIBLE)])
    (section,) = report.sections
    assert section.fields == (
        "Request: Hint (int32, tag 0), removed from versions 0-2: skipped by peers with this change.",
    )


@pytest.mark.parametrize(
    ("mark", "then"),
    [
        (
            {},
            "from version 3 on refused by the writer unless it has its default (not ignorable)",
        ),
        ({"ignorable": True}, "from version 3 on dropped (ignorable)"),
    ],
)
def test_a_field_that_ends_is_still_sent_by_older_peers(mark: dict[str, Any], then: str) -> None:
    ended = field("Id", versions="0-2", **mark)
    new = spec(fields=[ended], validVersions="0-3")
    (section,) = of([spec(fields=[ID | mark])], [new]).sections
    still = "still sent and read in versions 0-2"
    assert section.fields == (f"Request: Id (int32), ends before version 3: {still}; {then}.",)
    assert section.changes == ()


def test_a_field_that_ends_in_a_released_version_is_only_a_finding() -> None:
    report = of([spec(fields=[ID])], [spec(fields=[ID | {"versions": "0-1"}])])
    assert [each.rule for each in report.findings] == ["field-versions-changed"]
    assert report.sections[0].fields == ()


def test_a_field_that_breaks_a_version_is_only_a_finding() -> None:
    report = of([spec(fields=[ID])], [spec(fields=[ID, field("New")])])
    (section,) = report.sections
    assert [each.rule for each in report.findings] == ["field-added-to-released-version"]
    assert (section.fields, section.changes) == ((), ())


# --- the comment
# --------------------------------------------------------------------------------------------


def many(number: int, **keys: Any) -> list[Message]:
    """The requests of several APIs that change alike."""
    return [spec("request", f"Foo{chr(65 + each)}", 900 + each, **keys) for each in range(number)]


@pytest.mark.parametrize("number", [3, 4])
def test_what_more_than_three_apis_have_in_common_is_said_once(number: int) -> None:
    text = markdown.render(of(many(number), many(number, validVersions="0-3")))
    assert text.count("Version 3 is new") == 1
    assert text.count("(API key ") == (number if number == 3 else 0)


def test_the_comment_on_one_finding_has_at_most_20_lines() -> None:
    text = markdown.render(of([spec(fields=[ID])], [spec(fields=[WIDE])]))
    assert len(text.splitlines()) <= 20
    assert text.count("misread it and everything after it") == 1
    assert text.count("restore") == 1
    assert "Bytes of FooRequest: " in text


def test_a_comment_fits_whatever_changes() -> None:
    names = [f"Foo{'Long' * 20}{number}" for number in range(300)]
    old = [spec("request", name, 900 + number) for number, name in enumerate(names)]
    new = [
        spec(
            "request",
            name,
            900 + number,
            validVersions="0-3",
            fields=[field(f"{name}Id", versions="3+")],
        )
        for number, name in enumerate(names)
    ]
    text = markdown.render(of(old, new))
    assert 30_000 < len(text) <= markdown.LETTERS
    assert re.search(r"\*\*[\d,]+ lines left out for length\*\*", text)
    assert text.count("<details>") == text.count("</details>")


def test_what_many_findings_say_is_said_once() -> None:
    wide = [field(f"Field{number}") for number in range(40)]
    sides = [
        many(20, fields=[each | {"type": kind} for each in wide]) for kind in ("int32", "int64")
    ]
    report = of(*sides)
    assert len(report.findings) == 800
    assert len(markdown.render(report)) < 20_000


def test_what_a_person_copies_from_an_advice_is_unchanged() -> None:
    default = "9223372036854775807"
    limit = field("Limit", "int64", **TAGGED)
    report = of(
        [spec(**FLEXIBLE, fields=[limit | {"default": default}])],
        [spec(**FLEXIBLE, fields=[limit])],
    )
    assert f'**Instead:** restore `"default": "{default}"`' in markdown.render(report)
    assert f"<code>&quot;default&quot;: &quot;{default}&quot;</code>" in html.render(report)


OURS = (markdown.MARK, "<details><summary>Details</summary>", "</details>")
LIVE = [
    "#1",
    "!1",
    "&1",
    "$1",
    "~1",
    "%1",
    "@somebody",
    "GH-1",
    "GL-1",
    "https://e.com",
    "www.e.com",
    "0a1b2c3d4e5f",
]


@pytest.mark.parametrize("text", LIVE)
def test_no_text_of_a_spec_is_a_reference(text: str) -> None:
    shown = re.sub(r"&#(\d+);", lambda match: chr(int(match[1])), cell(f"see {text} there"))
    assert shown != f"see {text} there"
    assert shown.replace("\u200b", "") == f"see {text} there"
    assert not re.search(r"[#!&$~%]\w|@\w|G[HL]-\d|://|www\.|\b[0-9a-f]{7,}\b", shown)


@given(result=reports(), text=HOSTILE)
def test_no_text_of_a_spec_becomes_markup(result: CheckResult, text: str) -> None:
    report = Report(result, (Section(text, (text, f"{text}."), (text,), ()),))
    for line in markdown.render(report).split("\n"):
        if line not in OURS:
            assert "<" not in re.sub(r"(`+)(?!`).*?(?<!`)\1(?!`)", "", line)
        assert line.isprintable()
    page = html.render(report)
    assert "<script" not in page
    assert "<img" not in page


def test_the_data_of_the_report_has_its_verdict_and_who_must_act() -> None:
    value = json.loads(json.dumps(of([spec(fields=[ID])], [spec(fields=[WIDE])]).to_json()))
    assert value["schema"] == "wirebook/report/1"
    assert value["verdict"]["state"] == "breaking"
    assert [api["about"] for api in value["apis"]] == ["Foo (API key 900)"]
