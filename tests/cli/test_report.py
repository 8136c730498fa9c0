"""`wirebook report`: every format of one review, and that it fits, closes and keeps hostile text harmless."""

from __future__ import annotations

import argparse
import json
import os
import re
from collections.abc import Callable
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

from tests.repositories import Repo, request, response, started
from tests.support import ROOT
from wirebook.cli.gate.options import check_request
from wirebook.cli.gate.report import declare
from wirebook.cli.main import main
from wirebook.docgen.render.review import html as review_html
from wirebook.docgen.render.review import markdown as review_markdown
from wirebook.rules.check.run import judge
from wirebook.rules.review.document import to_document
from wirebook.rules.review.review import ReviewReport, review_all
from wirebook.specs.printable import to_json

SIDES = ROOT / "tests" / "rules" / "diff" / "changes"
GOLDEN = Path(__file__).parent / "golden"


def made(*arguments: str) -> ReviewReport:
    parser = argparse.ArgumentParser()
    declare(parser)
    found = judge(check_request(parser.parse_args(arguments)))
    # A golden file must not change with every release.
    report = found.report._replace(tool_version="1")
    return review_all(report, found.compared)


@pytest.fixture
def hostile(monkeypatch: pytest.MonkeyPatch) -> ReviewReport:
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


RENDERERS: dict[str, Callable[[ReviewReport], str]] = {
    "report.md": review_markdown.render,
    "report.html": review_html.render,
    "report.json": lambda item: to_json(to_document(item)),
}


@pytest.mark.parametrize("name", RENDERERS)
def test_formats(name: str, hostile: ReviewReport) -> None:
    text = RENDERERS[name](hostile)
    golden = GOLDEN / name
    if os.environ.get("WIREBOOK_UPDATE"):
        golden.write_text(text, encoding="utf-8")
    assert text == golden.read_text(encoding="utf-8")
    for evil in ("\x1b", "\u202e", "\u0007", "##[error]"):
        assert evil not in text
    if name != "report.json":
        text = re.sub(r"^```diff\n.*?^```$", "", text, flags=re.DOTALL | re.MULTILINE)
        assert "<script" not in text
        assert "<img" not in text


def test_data_has_its_schemas(hostile: ReviewReport) -> None:
    from jsonschema import Draft202012Validator

    value = json.loads(to_json(to_document(hostile)))
    schema = json.loads((ROOT / "rules/schema/report.json").read_text(encoding="utf-8"))
    Draft202012Validator.check_schema(schema)
    Draft202012Validator(schema).validate(value)
    layout = json.loads((ROOT / "specs/schema/layout.json").read_text(encoding="utf-8"))
    assert value["new_versions"]
    for item in value["new_versions"]:
        Draft202012Validator(layout).validate(item["layout"])
    for name in ("findings", "changes"):
        other = json.loads((ROOT / f"rules/schema/{name}.json").read_text(encoding="utf-8"))
        assert all(schema["$defs"][key] == text for key, text in other["$defs"].items())


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


def test_the_page_is_whole_and_reaches_nowhere(hostile: ReviewReport) -> None:
    page = Page()
    page.feed(review_html.render(hostile))
    assert (page.open, page.wrong) == ([], [])
    assert len(set(page.ids)) == len(page.ids)
    assert page.links
    assert {link.removeprefix("#") for link in page.links} <= set(page.ids)
    assert "http" not in review_html.render(hostile).replace("http-equiv", "")


def balanced(text: str) -> bool:
    return len(re.findall("^<details", text, re.M)) == len(re.findall("^</details>", text, re.M))


def test_a_comment_fits_whatever_changes(repo: Repo) -> None:
    for number in range(150):
        fields = [{"name": f"Field{n}", "type": "int32", "versions": "0+", "about": "x"} for n in range(20)]
        repo.spec(request(apiKey=100 + number, name=f"Api{number}Request", fields=fields, listeners=None))
    text = review_markdown.render(made("--against", "HEAD"))
    assert 30_000 < len(text) <= 60_000
    assert balanced(text)
    assert "**Left out for length:**" in text
    assert text.count("```") % 2 == 0
    # The summary of a job takes more.
    summary = review_markdown.render(made("--against", "HEAD"), review_markdown.SUMMARY, ["a <note>"])
    assert len(text) < len(summary) <= review_markdown.SUMMARY
    assert len(summary.encode()) < 1024 * 1024
    assert balanced(summary)
    assert "> a &#60;note&#62;" in summary


@pytest.mark.parametrize(
    ("change", "state", "words"),
    [
        ({}, "unchanged", []),
        (
            {"validVersions": "0-3"},
            "sound",
            ["Only brokers of 0.10.1 to 3.9.1 know version 3; clients on versions 0-2 are not affected."],
        ),
        (
            {"validVersions": "1-2"},
            "breaking",
            [
                "Version 0 is removed. Releases that serve it: 0.8.0 to 3.9.1. Clients need version 1 or "
                "later, which brokers serve since 0.9.0. Clients of Kafka 0.8.0 to 0.8.2 are cut off."
            ],
        ),
        (
            {"deprecatedVersions": "0-1"},
            "sound",
            ["Versions 0-1 are deprecated: move to version 2, which brokers serve since 0.10.0."],
        ),
        (
            {"listeners": None},
            "breaking",
            ["No longer served on the broker listener. Releases up to 4.3 serve it there."],
        ),
        ({"team": "x"}, "breaking", []),
        ({"latestVersionUnstable": "false"}, "warnings", []),
        (
            {"validVersions": "0-3", "latestVersionUnstable": True},
            "sound",
            ["Version 3 is new and unstable: do not rely on it before it is stable."],
        ),
        (
            {"latestVersionUnstable": True},
            "breaking",
            ["Version 2 may change until it is stable: do not rely on it."],
        ),
    ],
)
def test_the_verdict_and_what_to_do(change: dict[str, Any], state: str, words: list[str], repo: Repo) -> None:
    repo.spec(request(**change))
    if "validVersions" in change:
        repo.spec(response(validVersions=change["validVersions"]))
    found = made("--against", "HEAD")
    assert found.state == state
    assert [item.words for item in found.consequences] == words


def test_what_cannot_be_checked_is_no_verdict(
    repo: Repo, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    repo.write("clients/src/main/resources/common/message/FetchRequest.json", '{"name": ')
    target = tmp_path / "report.md"
    assert main(["report", "--against", "HEAD", "--output", str(target)]) == 2
    assert "Not everything could be checked: this is not a verdict." in capsys.readouterr().err
    assert "**Could not be checked:**" in target.read_text(encoding="utf-8")


@pytest.fixture
def both(tmp_path: Path) -> tuple[Path, Path, list[str]]:
    """The files of a comment and of a summary, and the options that write them."""
    comment, summary = tmp_path / "comment.md", tmp_path / "summary.md"
    return comment, summary, ["--for-comment", "--output", str(comment), "--summary", str(summary)]


def test_a_comment_says_why_nothing_could_be_checked(
    repo: Repo, both: tuple[Path, Path, list[str]], capsys: pytest.CaptureFixture[str]
) -> None:
    comment, summary, options = both
    hostile = "nowhere<img src=x>\x1b[31m"
    assert main(["report", "--against", hostile, *options]) == 2
    assert "nowhere" in capsys.readouterr().err
    text = comment.read_text()
    assert text == summary.read_text()
    assert text.startswith(f"{review_markdown.MARK}\n### ")
    assert "could not check this change" in text
    assert "nowhere" in text
    assert "<img" not in text
    assert "\x1b" not in text


@pytest.mark.parametrize("option", [["--for-comment"], ["--summary", "summary.md"]])
def test_a_comment_is_markdown(repo: Repo, option: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["report", "--format", "html", *option]) == 2
    assert "omit --format" in capsys.readouterr().err
