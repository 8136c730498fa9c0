"""`wirebook report`: every format of one report, and the comment of a change that cannot be
checked."""

from __future__ import annotations

import argparse
import json
import re
from collections.abc import Callable
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from tests.repositories import Repo, request, response, started
from tests.support import ROOT
from wirebook.cli.arguments import declare
from wirebook.cli.main import main
from wirebook.cli.report import ARGUMENTS
from wirebook.cli.sides import check_request
from wirebook.docgen.pages.schemas import bundled
from wirebook.rules.check.run import judge
from wirebook.rules.report import html, markdown
from wirebook.rules.report.model import Report, report_of
from wirebook.specs.printable import to_json

SIDES = ROOT / "tests" / "rules" / "diff" / "changes"


def made(*arguments: str) -> Report:
    parser = argparse.ArgumentParser()
    declare(parser, ARGUMENTS)
    return report_of(judge(check_request(parser.parse_args(arguments))))


@pytest.fixture
def hostile(monkeypatch: pytest.MonkeyPatch) -> Report:
    monkeypatch.chdir(SIDES)
    return made("--old", "./old", "--new", "./new")


@pytest.fixture
def repo(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Repo:
    repo = started(tmp_path / "repository")
    repo.git("checkout", "-q", "main")
    repo.write("wirebook.toml", 'extends = "kafka"\n')
    repo.commit("profile")
    repo.git("checkout", "-q", "-B", "feature")
    monkeypatch.chdir(repo.folder)
    return repo


@pytest.mark.parametrize(
    "render", [markdown.render, html.render, lambda report: to_json(report.to_json())]
)
def test_no_hostile_text_gets_through(render: Callable[[Report], str], hostile: Report) -> None:
    text = render(hostile)
    for evil in ("\x1b", "\u202e", "\u0007", "##[error]"):
        assert evil not in text
    if not text.startswith("{"):
        assert "<script" not in text
        assert "<img" not in text


def test_data_has_its_schemas(hostile: Report) -> None:
    schema = json.loads(bundled("report"))
    Draft202012Validator.check_schema(schema)
    Draft202012Validator(schema).validate(json.loads(to_json(hostile.to_json())))


class Page(HTMLParser):
    """Checks that what is opened is closed, and collects what could reach out."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.wrong: list[str] = []
        self.ids: list[str] = []
        self.links: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag not in ("meta", "br"):
            self.open.append(tag)
        self.wrong += [f"{tag} {key}" for key, _ in attrs if key.startswith("on") or key == "src"]
        for key, value in attrs:
            if key == "id":
                self.ids.append(value or "")
            if key == "href":
                self.links.append(value or "")

    def handle_endtag(self, tag: str) -> None:
        if not self.open or self.open.pop() != tag:
            self.wrong.append(f"/{tag}")


def test_the_page_is_whole_and_reaches_nowhere(hostile: Report) -> None:
    page = Page()
    page.feed(html.render(hostile))
    assert (page.open, page.wrong) == ([], [])
    assert len(set(page.ids)) == len(page.ids)
    assert {link.removeprefix("#") for link in page.links} == set(page.ids)
    assert "http" not in html.render(hostile).replace("http-equiv", "")


@pytest.mark.parametrize(
    ("change", "state"),
    [
        ({}, "unchanged"),
        ({"validVersions": "0-3"}, "sound"),
        ({"validVersions": "1-2"}, "breaking"),
        ({"listeners": None}, "breaking"),
        ({"team": "x"}, "breaking"),
        ({"latestVersionUnstable": "false"}, "warnings"),
    ],
)
def test_the_verdict(change: dict[str, Any], state: str, repo: Repo) -> None:
    repo.spec(request(**change))
    if "validVersions" in change:
        repo.spec(response(validVersions=change["validVersions"]))
    assert made("--against", "HEAD").verdict[0] == state


def test_a_waiver_in_the_same_change_is_never_green(
    repo: Repo, capsys: pytest.CaptureFixture[str]
) -> None:
    repo.spec(request(validVersions="1-2"))
    repo.spec(response(validVersions="1-2"))
    assert main(["check", "--against", "HEAD", "--waive"]) == 0
    waiver = capsys.readouterr().out
    reason, by = 'reason = "agreed on the list"', 'by = "Ada"'
    repo.write("waivers.toml", re.sub("by = .*", by, re.sub("reason = .*", reason, waiver)))
    text = markdown.render(made("--against", "HEAD"))
    assert "### ⚠️ 1 break is accepted by a waiver in this change." in text
    assert "clients of Kafka 0.8.0 to 0.8.2 are cut off" in text
    assert text.count("agreed on the list") == 1
    assert "✅" not in text


def test_everybody_whose_header_changes_must_act(repo: Repo) -> None:
    exception = 'type = "request"\napi_key = 1\nversions = "0+"\nheader = 5\n'
    repo.write("wirebook.toml", f'extends = "kafka"\n[[headers.exceptions]]\n{exception}')
    report = made("--against", "HEAD")
    assert [finding.rule for finding in report.findings] == ["header-version-changed"]
    (section,) = report.sections
    assert "misread each other in versions 0-2; releases" in section.acts[0]


def test_what_cannot_be_checked_is_no_verdict(
    repo: Repo, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    repo.write("clients/src/main/resources/common/message/FetchRequest.json", '{"name": ')
    target = tmp_path / "report.md"
    assert main(["report", "--against", "HEAD", "--output", str(target)]) == 2
    assert "Not everything could be checked: this is not a verdict;" in capsys.readouterr().err
    assert "**Could not be checked:**" in target.read_text(encoding="utf-8")


def test_a_comment_says_why_nothing_could_be_checked(
    repo: Repo, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    comment = tmp_path / "comment.md"
    hostile = "nowhere<img src=x>\x1b[31m"
    assert main(["report", "--against", hostile, "--for-comment", "--output", str(comment)]) == 2
    assert "nowhere" in capsys.readouterr().err
    text = comment.read_text()
    assert text.startswith(f"{markdown.MARK}\n### ")
    assert "could not check this change" in text
    assert "nowhere" in text
    assert "<img" not in text
    assert "\x1b" not in text


def test_a_comment_is_markdown(repo: Repo, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["report", "--format", "html", "--for-comment"]) == 2
    assert "omit --format" in capsys.readouterr().err
