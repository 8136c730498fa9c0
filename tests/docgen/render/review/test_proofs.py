"""The bytes of a finding in a review: folded below it, harmless, and never in the place of a finding."""

from __future__ import annotations

import json
import re
from html import unescape
from pathlib import Path
from typing import Any

import pytest

from wirebook.docgen.render.review import html, markdown
from wirebook.rules.agreement import proof_words
from wirebook.rules.check.request import CheckRequest
from wirebook.rules.check.run import judge
from wirebook.rules.finding import Finding
from wirebook.rules.formats.markdown import cell
from wirebook.rules.review.review import ReviewReport, review_all

HOSTILE = "<script>alert(1)</script>\x1b[31m```\n@ada | </details> ##[error]"
TAG = {"taggedVersions": "0+", "tag": 0}


def field(name: str, kind: str = "int32", **keys: Any) -> dict[str, Any]:
    return {"name": name, "type": kind, "versions": "0+", **keys}


def review(folder: Path, *sides: tuple[dict[str, Any], dict[str, Any]]) -> ReviewReport:
    """The review of a change of messages with a field each."""
    for number, fields in enumerate(sides):
        for side, changed in zip(("old", "new"), fields, strict=True):
            spec = {"apiKey": 900 + number, "type": "request", "name": f"Foo{number}Request"}
            spec |= {"validVersions": "0", "flexibleVersions": "0+", "fields": [changed]}
            (folder / side).mkdir(exist_ok=True)
            (folder / side / f"Foo{number}Request.json").write_text(json.dumps(spec), encoding="utf-8")
    found = judge(CheckRequest(old=str(folder / "old"), new=str(folder / "new")))
    return review_all(found.report, found.compared)


def findings(review: ReviewReport) -> list[Finding]:
    return [item for item in review.report.ordered if item.proof is not None]


def folds(text: str) -> list[str]:
    return re.findall(r"<details><summary>Bytes: .*?</details>", text, re.DOTALL)


def test_the_proof_is_folded_below_a_finding(tmp_path: Path) -> None:
    found = review(tmp_path, (field("Id", "int16"), field("Id")))
    (item,) = findings(found)
    assert item.proof is not None
    outcome = "a peer with the new spec fails at byte 0: Id: 4 bytes should be here, but 3 are left"
    assert f"""
**Instead:** {cell(item.fix)} · waive: `--waive={item.fingerprint}`

<details><summary>Bytes: {outcome}</summary>

a peer with the old spec sends this message in version 0:

```json
{{"Id": 1}}
```

```text
byte  hex    field                    value
   0  00 01  Id                       1
   2  00     the message (tag-count)  0
```

</details>
""" in markdown.render(found)
    (fold,) = folds(html.render(found))
    assert "<p>a peer with the old spec sends this message in version 0:</p><pre>{&quot;Id&quot;" in fold
    assert fold.count("<tr>") == 3
    assert "<td><code>0</code></td><td><code>00 01</code></td><td><code>Id</code></td>" in fold


def test_a_default_and_a_name_are_harmless_in_a_proof(tmp_path: Path) -> None:
    """Nothing of a spec becomes markup, ends its block, mentions anybody or steers a log."""
    found = review(
        tmp_path,
        (field("Zone", "string", default="a", **TAG), field("Zone", "string", default=HOSTILE, **TAG)),
        (field(HOSTILE, "int16"), field(HOSTILE)),
    )
    assert {item.rule for item in findings(found)} == {"default-changed", "type-changed"}
    for text in (markdown.render(found), html.render(found)):
        assert len(folds(text)) == 2
        assert all(line.isprintable() for line in text.split("\n"))
        assert "##[" not in text
    page = html.render(found)
    assert "<script" not in page
    assert page.count("<details") == page.count("</details>")
    comment = markdown.render(found)
    outside = re.sub(r"^(`{3,})\w+\n.*?^\1$", "", comment, flags=re.MULTILINE | re.DOTALL)
    assert "<script" not in outside
    assert "@ada" not in outside
    assert outside.count("<details") == outside.count("</details>")
    assert "\n````json\n" in comment  # the name of the field has three backticks


def test_a_proof_takes_no_room_of_a_finding(tmp_path: Path) -> None:
    """What does not fit is counted, and the findings come first."""
    found = review(tmp_path, *((field("Id", "int16"), field("Id")) for _ in range(20)))
    assert len(findings(found)) == 20
    shown: list[tuple[int, int]] = []
    for letters in range(2000, 40_000, 1000):
        comment = markdown.render(found, letters)
        assert len(comment) <= letters
        count = len(folds(comment))
        shown.append((comment.count("**error**"), count))
        cut = re.search(r"(\d+) tables of bytes", comment)
        assert (int(cut[1]) if cut else 0) == shown[-1][0] - count
    assert shown[0][1] == 0
    assert shown[-1] == (20, 20)
    assert [number for number, count in shown if count and number < 20] == []
    assert len({count for _, count in shown}) > 3


@pytest.mark.long
def test_a_large_message_is_shown_in_part(tmp_path: Path) -> None:
    names = [f"F{number}" for number in range(200)]
    sides = tuple(
        field("Structs", "[]Struct", fields=[field(name, kind) for name in names])
        for kind in ("int16", "int32")
    )
    found = review(tmp_path, (sides[0], sides[1]))
    proof = findings(found)[0].proof
    assert proof is not None
    assert len(proof.parts) > proof_words.ROWS
    rows = list(proof_words.rows(proof))
    assert len(rows) == proof_words.ROWS + 1
    assert rows[-1].field == f"{len(proof.parts) - proof_words.ROWS} more parts, which JSON has"
    assert unescape(html.render(found)).count(rows[-1].field) >= 1
