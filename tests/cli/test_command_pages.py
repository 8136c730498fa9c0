"""The guide's pages on commands: every example is run, and prints what the page says."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys

import pytest

from tests.support import ROOT

PAGES = ("codec.md", "brokers.md")


def examples(name: str) -> list[tuple[str, str]]:
    """(command, what it prints) of every example of a page that begins with a prompt."""
    text = (ROOT / "site_src" / name).read_text(encoding="utf-8")
    found: list[tuple[str, str]] = []
    for block in re.findall(r"^```console\n(.*?)^```$", text, re.MULTILINE | re.DOTALL):
        for example in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
            command, printed = example.split("\n", 1)
            if re.search(r"\bwirebook (encode|decode|negotiate)", command):
                found.append((command, printed))
    return found


EXAMPLES = [(name, *example) for name in PAGES for example in examples(name)]


def test_there_are_examples_on_each_page() -> None:
    assert {name for name, _, _ in EXAMPLES} == set(PAGES)


@pytest.mark.share(3)
@pytest.mark.parametrize(("name", "command", "printed"), EXAMPLES)
def test_every_example_holds(name: str, command: str, printed: str) -> None:
    tool = f"{shlex.quote(sys.executable)} -m wirebook.cli.main"
    line = re.sub(r"\bwirebook (?=encode|decode|negotiate)", tool + " ", command, count=1)
    done = subprocess.run(
        ["bash", "-c", f"({line}) 2>&1"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.stdout == printed, name
