"""Waivers: one accepts what it names and nothing else, and says so when it is in vain, too old or
broken."""

from __future__ import annotations

from datetime import date

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from tests.rules.reports import HOSTILE, some_finding
from wirebook.rules.finding import Category, Finding, Place, Severity
from wirebook.rules.report.waivers import block
from wirebook.rules.waivers import KEYS, Waiver, read_waivers
from wirebook.specs.problems import InputError
from wirebook.specs.versions import Versions, VersionSet

TODAY = date(2026, 6, 1)
UNTIL = date(2030, 1, 2)
AT = Place("waivers.toml", 1, 1)
FOUND = some_finding()
FIRM = FOUND._replace(
    rule="api-versions-deprecated",
    message_name="ApiVersionsRequest",
    field="",
    versions=VersionSet.NONE,
)
GIVEN = {
    "rule": '"tag-reused"',
    "message": '"FooRequest"',
    "field": '"Topics.Weight"',
    "versions": '"2-4, 6"',
    "reason": '"nobody has it"',
    "by": '"Ada Lovelace"',
}


def entry(**changed: str | None) -> str:
    """A waiver of FOUND, with some of its keys changed, added or (None) left out."""
    values = {key: value for key, value in (GIVEN | changed).items() if value is not None}
    return "[[waiver]]\n" + "".join(f"{key} = {value}\n" for key, value in values.items())


def filled(finding: Finding) -> str:
    """The entry that the check prints for a finding, with a reason and a name."""
    return (
        block(finding).replace('reason = ""', 'reason = "agreed"').replace('by = ""', 'by = "me"')
    )


def judged(text: str, *findings: Finding, checked: set[str] | None = None) -> list[Finding]:
    found = list(findings)
    for waiver in read_waivers(text, "waivers.toml"):
        found = waiver.applied(found, TODAY, checked)
    return found


def test_a_waiver_accepts_what_it_names_with_reason_and_name() -> None:
    (finding,) = judged(entry(), FOUND)
    assert finding == FOUND._replace(waived="nobody has it (Ada Lovelace)")
    (until,) = judged(entry(expires="2026-06-01"), FOUND)
    assert until.waived == "nobody has it (Ada Lovelace, until 2026-06-01)"


@pytest.mark.parametrize("versions", ["2-4, 6", "6,2-4", "2-6", "0-9", "2, 3-4, 6"])
def test_it_accepts_findings_whose_versions_it_holds(versions: str) -> None:
    (finding,) = judged(entry(versions=f'"{versions}"'), FOUND)
    assert finding.waived is not None


@pytest.mark.parametrize(
    "other",
    [
        {"rule": '"tag-changed"'},
        {"message": '"BarRequest"'},
        {"field": '"Topics"'},
        {"field": None},
        {"versions": '"2-4"'},
        {"versions": '"2-3, 6"'},
        {"versions": None},
        {"versions": '"none"'},
        {"subject": '"another"'},
    ],
)
def test_it_accepts_nothing_else(other: dict[str, str | None]) -> None:
    findings = judged(entry(**other), FOUND)
    assert FOUND in findings
    assert [item.rule for item in findings] == ["tag-reused", "stale-waiver"]


def test_words_do_not_count() -> None:
    other = FOUND._replace(
        message="in other words", fix="", severity=Severity.WARNING, location=None
    )
    assert judged(entry(), other)[0].waived is not None


def test_a_subject_tells_two_findings_of_one_field_apart() -> None:
    one, two = FOUND._replace(discriminator="one"), FOUND._replace(discriminator="two")
    findings = judged(entry(subject='"two"'), one, two)
    assert [item.discriminator for item in findings if item.waived] == ["two"]
    findings = judged(entry(), one, two)
    assert [item.rule for item in findings if not item.waived] == [
        "tag-reused",
        "tag-reused",
        "stale-waiver",
    ]
    assert findings[-1].fix.endswith(f"check --waive={one.fingerprint}")


CHANGED = FOUND._replace(change='default: "a" -> "b"')


def test_a_waiver_accepts_only_the_change_that_it_names() -> None:
    (finding,) = judged(entry(change='\'default: "a" -> "b"\''), CHANGED)
    assert finding.waived is not None
    other = CHANGED._replace(change='default: "b" -> "c"')
    finding, stale = judged(entry(change='\'default: "a" -> "b"\''), other)
    assert (finding, stale.rule, stale.severity) == (other, "stale-waiver", Severity.WARNING)
    assert stale.message.endswith("is for another change than the one that is reported")


def test_a_waiver_without_the_change_names_the_one_that_accepts_it() -> None:
    finding, stale = judged(entry(), CHANGED)
    assert (finding, stale.rule, stale.location) == (
        CHANGED,
        "stale-waiver",
        Place("waivers.toml", 1, 1),
    )
    assert stale.fix.endswith(f"check --waive={CHANGED.fingerprint}")
    assert judged(filled(CHANGED), CHANGED)[0].waived is not None


def test_a_waiver_of_a_finding_on_one_side_names_no_change() -> None:
    finding, stale = judged(entry(change='"type: int8 -> int16"'), FOUND)
    assert (finding, stale.rule) == (FOUND, "stale-waiver")


def test_an_explicit_waiver_accepts_even_a_firm_rule() -> None:
    text = entry(
        rule='"api-versions-deprecated"', message='"ApiVersionsRequest"', field=None, versions=None
    )
    assert judged(text, FIRM)[0].waived is not None


def test_a_waiver_in_vain_is_a_finding_at_its_line() -> None:
    (finding,) = judged("# mine\n\n" + entry())
    assert (finding.rule, finding.severity, finding.category) == (
        "stale-waiver",
        Severity.WARNING,
        Category.POLICY,
    )
    assert finding.location == Place("waivers.toml", 3, 1)
    assert "tag-reused for FooRequest.Topics.Weight 2-4, 6 matches no finding" in finding.message


def test_a_waiver_for_what_was_not_checked_is_not_in_vain() -> None:
    assert judged(entry(), checked={"BarRequest"}) == []
    assert [item.rule for item in judged(entry(), checked={"FooRequest"})] == ["stale-waiver"]


def test_an_expired_waiver_holds_no_longer_and_says_so() -> None:
    findings = judged(entry(expires="2026-05-31"), FOUND)
    assert [(item.rule, item.waived) for item in findings] == [
        ("tag-reused", None),
        ("expired-waiver", None),
    ]
    assert "on 2026-05-31" in findings[1].message
    assert "Ada Lovelace" in findings[1].fix
    assert [item.rule for item in judged(entry(expires="2026-05-31"))] == ["stale-waiver"]


def test_an_expired_waiver_is_reported_even_if_another_one_accepts() -> None:
    expired, wider = entry(expires="2026-05-31"), entry(versions='"0-9"')
    finding, note = judged(expired + wider, FOUND)
    assert finding.waived is not None
    assert (note.rule, note.location and note.location.line) == ("expired-waiver", 1)


@pytest.mark.parametrize(
    ("text", "error"),
    [
        (entry(reason=None), '1:1: a waiver needs "reason": why it is accepted'),
        (entry(reason='"  "'), '1:1: a waiver needs "reason"'),
        (entry(by=None), '1:1: a waiver needs "by": who agreed'),
        (entry(rule=None), '1:1: a waiver needs "rule"'),
        (entry(message=None), '1:1: a waiver needs "message"'),
        (entry(reasn='"x"'), '1:1: there is no key "reasn"; did you mean "reason"?'),
        (entry(field='"*"'), '1:1: a wildcard in "field": a waiver names the one finding'),
        (entry(versions='"2+"'), '1:1: "2+" accepts future versions too'),
        (entry(versions='"two"'), '1:1: "two" is not a version range'),
        (entry(versions="2"), '1:1: "versions" must be a string'),
        (
            entry(rule='"tag-reuse"'),
            '1:1: there is no rule "tag-reuse"; did you mean "tag-reused"?',
        ),
        (entry(rule='"zzz"'), '1:1: there is no rule "zzz"; `wirebook explain` lists them'),
        (entry(expires='"2026-06-01"'), '1:1: "expires" must be a date without quotes'),
        (entry(expires="2026-06-01 07:00:00"), '1:1: "expires" must be a date'),
        (entry() + entry(), "8:1: this is a duplicate of the waiver in line 1"),
        ("[waiver]\n", "write each of them as [[waiver]]"),
        ("waiver = [1]\n", "write each of them as [[waiver]]"),
        ("[[waivers]]\n", 'there is no key "waivers"; did you mean "waiver"?'),
        ("[[waiver]\n", "1:9: this is not TOML"),
        (entry(reason='"\\u001b[2J"', by='""'), '1:1: a waiver needs "by"'),
        (entry(by='"\\u200b"'), '1:1: a waiver needs "by": who agreed'),
        (entry(by='" \\u0007\\u007f "'), '1:1: a waiver needs "by"'),
        (entry(by='"\\u202E\\uFE0F\\u0301"'), '1:1: a waiver needs "by"'),
        (entry(reason='"\\u00A0\\u2060"'), '1:1: a waiver needs "reason"'),
        (entry(rule='"\\u200B"'), '1:1: a waiver needs "rule"'),
    ],
)
def test_a_broken_file_stops_with_its_line(text: str, error: str) -> None:
    with pytest.raises(InputError) as caught:
        read_waivers(text, "waivers.toml")
    assert f"waivers.toml:{error}" in str(caught.value) or error in str(caught.value)
    assert str(caught.value).startswith("waivers.toml:")


def test_an_empty_file_waives_nothing() -> None:
    assert read_waivers(b"\xef\xbb\xbf# none yet\r\n", "waivers.toml") == []


def test_the_block_is_pasted_and_filled_in() -> None:
    text = block(FOUND)
    assert 'reason = ""  # why it is accepted\n' in text
    with pytest.raises(InputError, match='a waiver needs "reason"'):
        read_waivers(text, "waivers.toml")
    (waiver,) = read_waivers(filled(FOUND), "waivers.toml")
    assert waiver.covers(FOUND)
    (other,) = read_waivers(filled(FOUND).replace("# expires", "expires"), "waivers.toml")
    assert other.expires is not None
    assert {line.split(" =")[0].strip("# ") for line in text.splitlines()[1:]} <= set(KEYS)


@given(
    message=HOSTILE,
    field=HOSTILE,
    subject=HOSTILE,
    versions=st.lists(
        (st.integers(0, 20).map(str) | st.just("21+")).map(Versions.parse), max_size=5
    ),
)
def test_every_block_waives_the_finding_that_it_is_for(
    message: str, field: str, subject: str, versions: list[Versions]
) -> None:
    for text in (message, field, subject):
        # No waiver can hold these: a pattern, the null character, and what no UTF-8 file has.
        assume(not set(text) & set("*?\0"))
        assume(all(not "\ud800" <= character <= "\udfff" for character in text))
    finding = FOUND._replace(
        message_name=message,
        field=field,
        discriminator=subject,
        versions=VersionSet.union(*versions),
    )
    text = filled(finding)
    assert all(line.isprintable() for line in text.splitlines())
    (finding,) = judged(text, finding)
    assert finding.waived == "agreed (me)"


def test_many_waivers_and_findings_meet_quickly() -> None:
    findings = [FOUND._replace(field=f"F{number}") for number in range(5000)]
    text = "".join(entry(field=f'"F{number}"') for number in range(0, 5000, 10))
    findings = judged(text, *findings)
    assert sum(item.waived is not None for item in findings) == 500
    assert len(findings) == 5000


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("plain words", "plain words"),
        ('"\\', "\\U00000022\\U0000005C"),
        ("\t\x7f", "\\U00000009\\U0000007F"),
        ("\u202e\U000e0001", "\\U0000202E\\U000E0001"),
        ("é 東", "é 東"),
    ],
)
def test_a_block_escapes_what_nobody_sees(text: str, written: str) -> None:
    lines = block(FOUND._replace(discriminator=text)).splitlines()
    assert lines[5] == f'subject = "{written}"'


def test_a_block_has_the_keys_that_the_finding_has() -> None:
    bare = FOUND._replace(field="", versions=VersionSet.NONE, discriminator="")
    assert block(bare).splitlines() == [
        "[[waiver]]",
        'rule = "tag-reused"',
        'message = "FooRequest"',
        'reason = ""  # why it is accepted',
        'by = ""  # who agreed',
        "# expires = 2030-12-31",
    ]
    versions = VersionSet.union(Versions.parse("2"), Versions.parse("4+"))
    assert block(FOUND._replace(versions=versions, discriminator="d")).splitlines()[3:8] == [
        'field = "Topics.Weight"',
        'versions = "2, 4-32767"',
        'subject = "d"',
        'reason = ""  # why it is accepted',
        'by = ""  # who agreed',
    ]


@pytest.mark.parametrize(
    ("waiver", "text", "words"),
    [
        (Waiver("r", "M", "why", "me", AT), "r for M", "why (me)"),
        (Waiver("r", "M", "why", "me", AT, "F.G"), "r for M.F.G", "why (me)"),
        (
            Waiver("r", "M", "why", "me", AT, "", VersionSet.of([1, 2, 4]), expires=UNTIL),
            "r for M 1-2, 4",
            "why (me, until 2030-01-02)",
        ),
    ],
)
def test_a_waiver_is_named_by_what_it_accepts(waiver: Waiver, text: str, words: str) -> None:
    assert (str(waiver), waiver.words) == (text, words)


@pytest.mark.parametrize(
    ("expires", "today", "expired"),
    [
        (None, date.max, False),
        (date(2030, 1, 2), date(2030, 1, 1), False),
        (date(2030, 1, 2), date(2030, 1, 2), False),
        (date(2030, 1, 2), date(2030, 1, 3), True),
    ],
)
def test_a_waiver_holds_up_to_its_last_day(
    expires: date | None, today: date, expired: bool
) -> None:
    finding = some_finding(field="", versions=VersionSet.NONE)
    waiver = Waiver(finding.rule, finding.message_name, "why", "me", AT, expires=expires)
    first, *reported = waiver.applied([finding], today)
    assert (first.waived is None) == expired
    assert [each.rule for each in reported] == ["expired-waiver"] * expired


def test_two_findings_on_waivers_of_one_place_are_told_apart() -> None:
    findings = judged(entry() + entry(subject='"one"') + entry(subject='"two"'))
    assert [item.discriminator for item in findings] == [
        "tag-reused",
        "tag-reused one",
        "tag-reused two",
    ]
    assert {(item.field, item.versions.text, item.message_type) for item in findings} == {
        ("Topics.Weight", "2-4, 6", "")
    }
    assert [item.location for item in findings] == [
        Place("waivers.toml", line, 1) for line in (1, 8, 16)
    ]


def test_the_second_of_two_equal_waivers_names_the_first() -> None:
    other = entry(field='"Other"')
    for text, line, first in (
        (other + entry() + entry(), 15, 8),
        (entry() + other + entry(), 15, 1),
    ):
        with pytest.raises(InputError) as caught:
            read_waivers(text, "w.toml")
        assert (
            str(caught.value)
            == f"w.toml:{line}:1: this is a duplicate of the waiver in line {first}"
        )
    several = entry() + entry(subject='"one"') + entry(change='"one"')
    assert len(read_waivers(several, "w.toml")) == 3


def test_a_finding_on_all_messages_is_waived_without_a_name() -> None:
    whole = FOUND._replace(message_name="", field="", versions=VersionSet.NONE)
    text = entry(message='""', field=None, versions=None)
    assert [item.waived for item in judged(text, whole)] == ["nobody has it (Ada Lovelace)"]
    with pytest.raises(InputError, match='a waiver needs "message": the name of the message'):
        read_waivers(entry(message=None, field=None), "w.toml")
    (spaced,) = read_waivers(entry(reason='"  why "', by='" me "'), "w.toml")
    assert (spaced.reason, spaced.by) == ("why", "me")
