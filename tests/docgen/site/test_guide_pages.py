"""The guide's pages on configuration and waivers: every example holds, and every key is there."""

from __future__ import annotations

import json
import re
from dataclasses import fields
from pathlib import Path

import pytest

from tests.docgen.sites import own_site
from tests.repositories import FOLDER, broken, response, started
from tests.rules.check.running import Run
from tests.support import ROOT
from wirebook.docgen.pages.schemas import SCHEMAS
from wirebook.rules.finding import Category
from wirebook.rules.settings import FILE, Settings
from wirebook.rules.settings_file import read_settings
from wirebook.rules.waivers import KEYS, NEEDED, read_waivers
from wirebook.specs.problems import InputError

PAGES = ("check.md", "configuration.md")
WAIVERS = "waivers.toml"


def page(name: str) -> str:
    return (ROOT / "site_src" / name).read_text(encoding="utf-8")


def blocks(name: str) -> list[tuple[str, str]]:
    """(title, text) of every TOML example of a page."""
    return re.findall(r'^```toml title="([^"]+)"\n(.*?)^```$', page(name), re.MULTILINE | re.DOTALL)


EXAMPLES = [(name, *example) for name in PAGES for example in blocks(name)]


def test_every_example_has_a_title() -> None:
    assert sum(page(name).count("```toml") for name in PAGES) == len(EXAMPLES)
    assert {title for _, title, _ in EXAMPLES} == {FILE, WAIVERS}


@pytest.mark.parametrize(("name", "title", "text"), EXAMPLES)
def test_every_example_is_read(name: str, title: str, text: str) -> None:
    if title == WAIVERS:
        assert len(read_waivers(text, title)) == text.count("[[waiver]]")
    else:
        assert read_settings(text.encode(), title) != Settings()


def keys_of(heading: str) -> list[str]:
    """The keys in the first column of the tables below a heading."""
    text = page("configuration.md").partition(f"\n## {heading}\n")[2].partition("\n## ")[0]
    return re.findall(r"^\| `([\w-]+)` \|", text, re.MULTILINE)


def test_every_key_is_told() -> None:
    own = {each.name for each in fields(Settings)} - {"path", "profile"}
    assert sorted(keys_of("The settings")) == sorted(own)
    assert sorted(keys_of("Waivers")) == sorted(KEYS)
    assert {key for key in KEYS if f"| `{key}` | required |" in page("configuration.md")} == {
        *NEEDED
    }
    assert all(f"`{category}`" in page("configuration.md") for category in Category)


def test_what_is_refused_is_refused_in_these_words() -> None:
    (printed_line,) = re.findall(
        r"^wirebook: (wirebook.toml: .*)$", page("configuration.md"), re.MULTILINE
    )
    with pytest.raises(InputError) as caught:
        read_settings(b"brunch = 'main'\n", FILE)
    assert str(caught.value) == printed_line


def test_a_waiver_made_as_the_page_says_holds(tmp_path: Path, check: Run) -> None:
    repo = started(tmp_path / "repo")
    repo.spec(broken())
    repo.git("add", "-A")
    found = check(repo.folder, "--staged")
    assert found.code == 1
    (printed_line,) = re.findall(
        r"waive: wirebook check (--staged --waive=\w+)$", found.out, re.MULTILINE
    )
    assert re.search(
        r"waive: wirebook check --staged --waive=\w+$", page("configuration.md"), re.MULTILINE
    )
    printed = check(repo.folder, *printed_line.split()).out
    repo.write(WAIVERS, printed)
    repo.git("add", WAIVERS)
    assert check(repo.folder, "--staged").code == 2
    repo.git("rm", "-q", "--cached", WAIVERS)
    repo.write(
        WAIVERS, printed.replace('reason = ""', 'reason = "so"').replace('by = ""', 'by = "Ada"')
    )
    # What is not staged accepts nothing in the commit.
    assert check(repo.folder, "--staged").code == 1
    assert check(repo.folder, "--against", "HEAD").code == 0
    repo.git("add", WAIVERS)
    (repo.folder / WAIVERS).write_text("rubbish")
    held = check(repo.folder, "--staged")
    assert (held.code, "waived[type-changed]" in held.out, "reason: so (Ada)" in held.out) == (
        0,
        True,
        True,
    )
    repo.git("checkout", "-q", WAIVERS)
    # The next change of the message does without it: the waiver is stale, and says so.
    repo.commit("break")
    repo.spec(broken() | {"validVersions": "0-3"})
    repo.spec(response(validVersions="0-3"))
    repo.git("add", "-A")
    later = check(repo.folder, "--staged")
    assert (later.code, "warning[stale-waiver]" in later.out) == (0, True)
    # Settings count once the target branch has them.
    repo.write(FILE, '[severities]\nstale-waiver = "error"\n')
    repo.git("add", FILE)
    assert check(repo.folder, "--staged").code == 0
    repo.git("commit", "-qm", "settings", FILE)
    assert check(repo.folder, "--staged").code == 1


def test_what_the_page_says_of_schemas_is_there() -> None:
    named = re.findall(r"schema `([\w-]+)`", page("check.md"))
    assert named == ["audit-finding", "audit-summary"]
    assert {*named} <= SCHEMAS.keys()


def test_what_is_printed_for_all_findings_is_a_file(tmp_path: Path, check: Run) -> None:
    repo = started(tmp_path / "repo")
    text = json.dumps(broken()).replace(
        '"tag": 0', '"tag": 0, "tag": 0, "tag": 0, "x-a": 1, "x-a": 2, "x-b": 3, "x-b": 4'
    )
    repo.write(f"{FOLDER}/FetchRequest.json", text)
    found = check(repo.folder, "--against", "HEAD", "--format", "json")
    assert (found.code, sorted(found.rules)) == (1, ["bad-json"] * 4 + ["type-changed"])
    printed = check(repo.folder, "--against", "HEAD", "--waive").out
    assert re.findall('^subject = "(.*)"$', printed, re.MULTILINE) == ["tag", "x-a", "x-b"]
    repo.write(
        WAIVERS, printed.replace('reason = ""', 'reason = "so"').replace('by = ""', 'by = "Ada"')
    )
    assert check(repo.folder, "--against", "HEAD").code == 0


@pytest.mark.parametrize("name", ["kip-35", "kip-482"])
def test_a_proposal_with_a_hand_written_page_has_no_other(name: str) -> None:
    site = own_site()
    assert not (site / "kips" / name).exists()
    listed = (site / "kips" / "index.html").read_text()
    assert f'href="../{name}/"' in listed
    assert f'href="{name}/"' not in listed
