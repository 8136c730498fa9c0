"""The proposals that texts name: each has an entry, and each entry is named."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

from tests.support import ROOT
from tests.together import together
from wirebook.docgen.pages.proposals import Kip, all_kips, numbers_in
from wirebook.specs.kafka.registry import FOLDER


def strings(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for inner in value.values():
            yield from strings(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from strings(inner)


def named() -> set[int]:
    """The numbers in the texts, the specs and the tables beside them."""
    files = [*FOLDER.glob("texts/*.json"), *FOLDER.glob("messages/*.json")]
    files += [
        FOLDER / name
        for name in ("api_versions.json", "errors.json", "advisories.json", "removals.json")
    ]
    found: set[int] = set()
    for path in files:
        # Comments of a file are no text that a page shows.
        plain = re.sub(r"^\s*//.*$", "", path.read_text(encoding="utf-8"), flags=re.MULTILINE)
        for text in strings(json.loads(plain)):
            found.update(numbers_in(text))
    return found


def test_every_proposal_that_a_text_names_has_an_entry_and_no_other() -> None:
    assert set(all_kips()) == named()
    assert len(all_kips()) > 100


def test_entries_are_in_order_and_each_is_its_own() -> None:
    numbers = [row["number"] for row in json.loads((FOLDER / "kips.json").read_text())["kips"]]
    assert numbers == sorted(set(numbers))
    kips = all_kips().values()
    assert len({kip.title for kip in kips}) == len({kip.summary for kip in kips}) == len(kips)


@together("kip", all_kips().values(), ids=lambda kip: kip.name)
def test_a_summary_is_one_to_three_sentences(kip: Kip) -> None:
    assert 1 <= len(re.findall(r"[.](?= [A-Z]|$)", kip.summary)) <= 3
    assert kip.summary.endswith(".")
    assert len(kip.summary.split()) >= 8
    assert not re.search(r"[<>`*]|KIP-", kip.summary + kip.title)
    assert not kip.guide or (ROOT / "site_src" / f"{kip.guide.strip('/')}.md").is_file()


def test_names_and_places() -> None:
    assert (all_kips()[516].name, all_kips()[516].place) == ("KIP-516", "kips/kip-516/")
