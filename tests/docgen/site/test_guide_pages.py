"""The guide's pages on configuration and waivers: every example holds, and every key is there."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.repositories import broken, response, started
from tests.rules.check.running import Run
from tests.support import ROOT
from wirebook.rules.finding import Category
from wirebook.rules.project.config import OWN, Config, read_config
from wirebook.rules.project.settings import Setting
from wirebook.rules.project.waivers import KEYS, NEEDED, read_waivers

PAGES = ("check.md", "configuration.md", "waivers.md")
WAIVERS = "waivers.toml"


def page(name: str) -> str:
    return (ROOT / "site_src" / name).read_text(encoding="utf-8")


def blocks(name: str) -> list[tuple[str, str]]:
    """(title, text) of every TOML example of a page."""
    return re.findall(r'^```toml title="([^"]+)"\n(.*?)^```$', page(name), re.MULTILINE | re.DOTALL)


EXAMPLES = [(name, *example) for name in PAGES for example in blocks(name)]


@pytest.mark.parametrize(("name", "title", "text"), EXAMPLES)
def test_every_example_is_read(name: str, title: str, text: str) -> None:
    if title == WAIVERS:
        assert len(read_waivers(text, title)) == text.count("[[waiver]]")
    else:
        config = read_config(text, title)
        values = list(config)
        told = [item for item in values if isinstance(item, Setting) and item.origin != "default"]
        levels = len(config.severities)
        for override in config.overrides:
            levels += bool(override.paths) + bool(override.messages) + 1
            assert override.severities
        text = re.sub(r"^severities\.", "severities-", text, flags=re.MULTILINE)
        assert len(told) + levels == len(re.findall(r"^[\w-]+ = ", text, re.MULTILINE))


def keys_of(name: str) -> list[str]:
    """The keys in the first column of a page's table."""
    return re.findall(r"^\| `([\w-]+)` \|", page(name), re.MULTILINE)


def test_every_key_is_told() -> None:
    assert sorted(keys_of("configuration.md")) == sorted(
        "override" if name == "overrides" else name
        for name in Config._fields
        if name != "protocols"  # also the table "protocol"
    )
    assert sorted(keys_of("waivers.md")) == sorted(KEYS)
    assert {key for key in KEYS if f"| `{key}` | required |" in page("waivers.md")} == {*NEEDED}
    assert all(f"`{category}`" in page("configuration.md") for category in Category)


def test_a_waiver_made_as_the_page_says_holds(tmp_path: Path, check: Run) -> None:
    repo = started(tmp_path / "repo")
    repo.spec(broken())
    repo.git("add", "-A")
    found = check(repo.folder, "--staged")
    assert found.code == 1
    (told,) = re.findall(r"waive: wirebook check (--staged --waive=\w+)$", found.out, re.MULTILINE)
    assert re.search(r"waive: wirebook check --staged --waive=\w+$", page("waivers.md"), re.MULTILINE)
    printed = check(repo.folder, *told.split()).out
    repo.write(WAIVERS, printed)
    repo.git("add", WAIVERS)
    assert check(repo.folder, "--staged").code == 2
    repo.git("rm", "-q", "--cached", WAIVERS)
    repo.write(WAIVERS, printed.replace('reason = ""', 'reason = "so"').replace('by = ""', 'by = "Ada"'))
    # What is not staged accepts nothing in the commit.
    assert check(repo.folder, "--staged").code == 1
    assert check(repo.folder, "--against", "HEAD").code == 0
    repo.git("add", WAIVERS)
    (repo.folder / WAIVERS).write_text("rubbish")
    held = check(repo.folder, "--staged")
    assert (held.code, "waived[type-changed]" in held.out, "reason: so (Ada)" in held.out) == (0, True, True)
    repo.git("checkout", "-q", WAIVERS)
    # The next change of the message does without it: the waiver is stale, and says so.
    repo.commit("break")
    repo.spec(broken() | {"validVersions": "0-3"})
    repo.spec(response(validVersions="0-3"))
    repo.git("add", "-A")
    later = check(repo.folder, "--staged")
    assert (later.code, "warning[stale-waiver]" in later.out) == (0, True)
    repo.write(OWN, '[severities]\nstale-waiver = "error"\n')
    assert check(repo.folder, "--staged").code == 0
    repo.git("add", OWN)
    assert check(repo.folder, "--staged").code == 1
