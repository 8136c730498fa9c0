"""The page of an audit by itself: no markup in it but its own, and nothing that it needs from
elsewhere.

`WIREBOOK_UPDATE=1` writes the golden file anew; the diff is then what to review.
"""

from __future__ import annotations

import os
import re
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path

from tests.docgen.pages.audits import NONE, hostile, row, summary
from wirebook.docgen.pages.audit import audit_page

GOLDEN = Path(__file__).parent / "golden" / "audit.html"


class Tags(HTMLParser):
    """Collects tags with their attributes, and the text between them; complains of tags that do not
    close."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.open: list[str] = []
        self.words = ""
        self.feed(page)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        if tag not in ("meta", "br"):
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.words += data


def test_text_of_a_spec_is_text_of_the_page() -> None:
    page = hostile()
    found = Tags(page)
    assert found.open == []
    assert "script" not in [tag for tag, _ in found.tags]
    assert found.words.count("<script>alert(1)</script>") >= 10
    assert "\x1b" not in page
    assert "\u202e" not in page


def counted(error: int, warning: int, info: int = 0) -> dict[str, int]:
    return {"error": error, "warning": warning, "info": info}


def test_the_whole_page_is_as_reviewed() -> None:
    rules = {
        "none-of-ours": (counted(1, 0), NONE),
        "tag-gap": (counted(0, 2), counted(1, 0)),
        "duplicate-tag": (counted(0, 1), counted(2, 0, 3)),
        "default-changed": (counted(0, 1, 4), counted(1, 1)),
        "about-missing": (counted(0, 0, 1), NONE),
    }
    numbers = summary(
        commits=7,
        releases=3,
        findings={"commits": counted(1, 4, 5), "releases": counted(4, 1, 3)},
        by_rule=[{"rule": name, "commits": a, "releases": b} for name, (a, b) in rules.items()],
        by_release=[
            {"release": "1.0", "date": "2019-11-01", "against": None, **NONE},
            {"release": "1.1", "date": "2020-01-02", "against": "1.0", **counted(1, 0)},
            {"release": "2.0", "date": "2021-03-04", "against": "1.1", **counted(3, 1, 3)},
        ],
        worst=[
            {
                "commit": "ab" * 20,
                "date": "2020-01-02",
                "subject": "One",
                "rules": ["a", "b"],
                **counted(1, 1),
            },
            {
                "commit": "cd" * 20,
                "date": "2020-01-03",
                "subject": "Two",
                "rules": ["c"],
                **counted(0, 3),
            },
        ],
    )
    place = {"path": "new.json", "line": 12, "column": 3}
    before = {"path": "old.json", "line": 7, "column": 1}
    plain = {
        "message_name": "FooRequest",
        "field": "A",
        "versions": "0-1",
        "message": "m",
        "subject": "Change",
    }
    findings = [
        row(**plain, rule="tag-gap", location=place, previous=before),
        row(**plain | {"field": "", "versions": ""}, rule="other", location=None, previous=before),
        row(**plain | {"message_name": ""}, kind="release", name="1.1", location=None),
        row(**plain, name="2" * 40, location=place),
        row(**plain | {"message": "is left out"}, severity="warning"),
    ]
    page = audit_page(replace(numbers, tip="ef" * 20, pattern="[0-9]*"), findings, "kafka")
    page = re.sub("<style>.*?</style>", "<style></style>", page, flags=re.DOTALL).replace(
        "><", ">\n<"
    )
    if os.environ.get("WIREBOOK_UPDATE"):
        GOLDEN.write_text(page, encoding="utf-8")
    assert page == GOLDEN.read_text(encoding="utf-8")
