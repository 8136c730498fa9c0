"""The page of a survey: all sections, and nothing in it is markup of others."""

from __future__ import annotations

import re
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path

from tests.docgen.survey import plain
from tests.docgen.survey.forks import Truth
from tests.docgen.survey.plain import dated, survey, upstream
from wirebook.docgen.survey.page import survey_page
from wirebook.docgen.survey.repositories import Given

EVIL = '<script>alert("1")</script>\x1b[31m\u202e'


class Tags(HTMLParser):
    """Counts the tags of a page."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.open: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        if tag not in ("meta", "br"):
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def test_hostile_names_are_text(tmp_path: Path) -> None:
    repo = upstream(tmp_path / "up")
    repo.write(f"{EVIL.replace('/', '_')}/message/FetchRequest.json", '{"name": "<img src=x>", ')
    repo.git("tag", "9.0-x<b>&y")
    dated(repo, EVIL, 90)
    truths: list[Truth] = plain.forks(tmp_path, 3, repo)
    found = survey([Given(EVIL, str(repo.folder), "*"), *plain.given(truths)])
    page = survey_page(found)
    tags = Tags()
    tags.feed(page)
    assert tags.open == []
    assert not {"script", "img", "b"} & {*tags.tags}
    assert "&lt;script&gt;" in page
    assert "\x1b" not in page
    assert "\u202e" not in page
    assert "9.0-x&lt;b&gt;&amp;y" in page


def test_the_page_shows_what_the_summary_has(tmp_path: Path) -> None:
    repo = upstream(tmp_path / "up")
    truths = plain.forks(tmp_path, 4, repo)
    page = survey_page(survey([Given("up", str(repo.folder)), *plain.given(truths)]))
    for anchor in ("repositories", "apis", "messages", "collisions", "timeline", "taken", "problems"):
        assert f'<h2 id="{anchor}">' in page
        assert f'href="#{anchor}"' in page
    assert "Made2 <small>fork-002</small>" in page
    assert f"<small>{truths[1].days:+,} days</small>" in page
    assert f"fork-001: {truths[1].broken} specs do not count" in page
    assert page.count("<circle") == 4 * 5
    assert "http" not in page.replace("http-equiv", "")


def test_the_timeline_marks_where_each_year_begins(tmp_path: Path) -> None:
    repo = upstream(tmp_path / "up")
    summary = survey([Given("up", str(repo.folder)), *plain.given(plain.forks(tmp_path, 1, repo))])
    first = summary.drift[0]
    days = ("2018-06-01", "2020-06-01")
    drift = tuple(replace(first, point=replace(first.point, day=day)) for day in days)
    page = survey_page(replace(summary, drift=drift))
    assert re.findall(r"<text[^>]*>(20\d\d)</text>", page) == ["2019", "2020"]
