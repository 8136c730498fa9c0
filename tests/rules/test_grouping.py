"""Findings that are alike are shown once to people, with a count; programs get each of them."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
from hypothesis import given

from tests.rules.reports import FINDINGS, REPORT, reports
from tests.support import history_repo, needs_shared
from wirebook.cli.main import main
from wirebook.docgen.render.review import html, markdown
from wirebook.rules.finding import Finding
from wirebook.rules.formats import render
from wirebook.rules.grouping import FEW, groups
from wirebook.rules.result import CheckResult
from wirebook.rules.review.review import ReviewReport
from wirebook.specs.versions import VersionSet


def alike(number: int, message: str = "{name}: {field} has no tag 3") -> list[Finding]:
    names = [f"Foo{index}Request" for index in range(number)]
    return [
        replace(
            FINDINGS[0],
            message=message.format(name=name, field=f"Topics.F{index}", index=index),
            message_name=name,
            field=f"Topics.F{index}",
        )
        for index, name in enumerate(names)
    ]


@given(reports())
def test_groups_hold_every_finding_once_in_the_order_of_their_first(report: CheckResult) -> None:
    made = groups(report.ordered)
    assert sorted(map(id, report.ordered)) == sorted(id(item) for group in made for item in group)
    order = {id(item): number for number, item in enumerate(report.ordered)}
    first = [order[id(group[0])] for group in made]
    assert first == sorted(first)
    assert all(len({(item.rule, item.severity) for item in group}) == 1 for group in made)
    assert all(len(group) == 1 for group in made if group[0].waived is not None)


def test_what_differs_only_in_its_names_is_one_group() -> None:
    (group,) = groups(alike(FEW + 1))
    assert len(group) == FEW + 1
    assert [len(group) for group in groups(alike(FEW))] == [1] * FEW


def test_what_differs_in_its_versions_or_in_the_old_name_is_one_group() -> None:
    plain = "{name}: {field} leaves versions 0-{index}, and versions 0-{index} lose it"
    leaving = [
        replace(item, versions=VersionSet.of(range(index + 1))) for index, item in enumerate(alike(9, plain))
    ]
    assert sorted(len(group) for group in groups(leaving)) == [1, 8], "version 0 is not versions 0-0"
    renamed = [
        replace(item, rule="field-renamed", discriminator=f"Old{index}")
        for index, item in enumerate(alike(9, "Old{index} is renamed to {field}"))
    ]
    assert [len(group) for group in groups(renamed)] == [9]


def test_few_that_are_alike_keep_their_places() -> None:
    one, other = alike(2)
    between = replace(one, rule="tag-changed")
    assert groups([one, between, other]) == ((one,), (between,), (other,))


def test_what_says_something_else_is_no_part_of_a_group() -> None:
    assert {len(group) for group in groups(alike(9, "{name}: the default is {index}"))} == {1}
    mixed = [*alike(9), *(replace(item, rule="tag-reused") for item in alike(9))]
    assert [len(group) for group in groups(mixed)] == [9, 9]
    waived = [replace(item, waived="agreed") for item in alike(9)]
    assert {len(group) for group in groups(waived)} == {1}


@pytest.mark.parametrize("form", ["text", "markdown", "report.md", "report.html"])
def test_a_group_is_shown_once_with_a_count(form: str) -> None:
    def shown(report: CheckResult) -> str:
        review = ReviewReport(report)
        made = {"report.md": markdown.render, "report.html": html.render}
        return made[form](review) if form in made else render(report, form)

    report = replace(REPORT, findings=tuple(alike(9)))
    together, apart = shown(report), shown(replace(report, grouped=False))
    assert together.count("has no tag 3") == 1
    assert apart.count("has no tag 3") == 9
    count = {"text": "9 times", "markdown": "× 9"}.get(form, "9 findings in 9 messages")
    assert count in together
    assert "Foo3Request" in together
    assert "waive=" + alike(1)[0].fingerprint in together or form == "markdown"


@pytest.mark.parametrize("form", ["json", "sarif", "github", "gitlab", "junit"])
def test_programs_get_every_finding(form: str) -> None:
    report = replace(REPORT, findings=tuple(alike(9)))
    assert all(item.message in render(report, form) for item in report.findings)
    assert render(report, form) == render(replace(report, grouped=False), form)


@needs_shared
@pytest.mark.parametrize(("commit", "number", "rule"), [("a744a6c", 46, "message-type-changed")])
def test_a_commit_of_the_history_is_one_group(
    commit: str, number: int, rule: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(history_repo())
    command = ["check", "--against", f"{commit}^..{commit}"]
    main(command)
    assert capsys.readouterr().out.count(f"[{rule}]") == 1
    main([*command, "--no-group"])
    assert capsys.readouterr().out.count(f"[{rule}]") == number
    main([*command, "--format", "json"])
    assert len(json.loads(capsys.readouterr().out)["findings"]) == number
