"""The tutorial, typed as it is written: each command is run, each edit made, each output
compared."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from difflib import unified_diff
from importlib.util import find_spec
from pathlib import Path

import pytest

from tests.support import ROOT

pytest.importorskip("pre_commit")
pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="the blocks are for a POSIX shell")


@dataclass(frozen=True)
class Block:
    """A block of the page: its language, the file that it names, its text, and the line where it
    begins."""

    language: str
    title: str
    text: str
    line: int


def blocks() -> Iterator[Block]:
    page = (ROOT / "site_src" / "tutorial.md").read_text(encoding="utf-8")
    for match in re.finditer(
        r'^```(\w+)(?: title="([^"]+)")?\n(.*?)^```$', page, re.MULTILINE | re.DOTALL
    ):
        yield Block(match[1], match[2] or "", match[3], page.count("\n", 0, match.start()) + 1)


ALL = tuple(blocks())
SITE = next(number for number, block in enumerate(ALL) if "wirebook build" in block.text)


class Reader:
    """Somebody who follows the page."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder / "work"
        self.folder.mkdir()
        tool = folder / "bin" / "wirebook"
        tool.parent.mkdir()
        tool.write_text(
            f'#!/bin/sh\nPYTHONPATH={ROOT} exec {sys.executable} -m wirebook.cli.main "$@"\n'
        )
        tool.chmod(0o755)
        programs = (tool.parent, Path(sys.executable).parent)
        kept = {key: value for key, value in os.environ.items() if not key.startswith("GIT_")}
        who = {"NAME": "Ada", "EMAIL": "ada@example.invalid"}
        self.environment = {
            **kept,
            **{
                f"GIT_{role}_{key}": value
                for role in ("AUTHOR", "COMMITTER")
                for key, value in who.items()
            },
            "PATH": os.pathsep.join([*map(str, programs), kept["PATH"]]),
            "GIT_CONFIG_GLOBAL": os.devnull,
            "PRE_COMMIT_HOME": str(folder / "pre-commit"),
        }

    def follow(self, block: Block) -> None:
        """Do what a block says."""
        where = f"tutorial.md:{block.line}"
        if block.language == "sh":
            # What is installed is this tree.
            script = "".join(
                line for line in block.text.splitlines(True) if not line.startswith("pip install")
            )
            done = self.shell(script + "\npwd >&3")
            assert done.returncode == 0, (where, done.stdout)
        elif block.language == "console":
            command, _, printed = block.text.removeprefix("$ ").partition("\n")
            done = self.shell(command + " && pwd >&3")
            assert done.returncode == 1, (where, done.stdout)
            pattern = ".*".join(map(re.escape, printed.split("…\n")))
            pattern = re.sub(r"\b[0-9a-f]{12}\b", "[0-9a-f]{12}", pattern)  # of a commit
            assert re.search(pattern, done.stdout, re.DOTALL), f"{where}\n{done.stdout}"
        elif block.language == "json":
            (self.folder / block.title).write_text(block.text, encoding="utf-8")
        else:
            assert block.language == "diff", where
            edited = self.folder / block.title
            before = edited.read_text(encoding="utf-8").splitlines()
            patch = f"--- a/{block.title}\n+++ b/{block.title}\n{block.text}"
            done = self.shell(f"git apply --unidiff-zero <<'END'\n{patch}END")
            assert done.returncode == 0, (where, done.stdout)
            # The page shows no line as changed that is not.
            after = edited.read_text(encoding="utf-8").splitlines()
            assert changed_lines(patch.splitlines()) == changed_lines(
                unified_diff(before, after)
            ), where

    def shell(self, script: str) -> subprocess.CompletedProcess[str]:
        """Run a script; what it changes to is where the next one starts."""
        left = self.folder / ".pwd"
        done = subprocess.run(
            ["bash", "-e", "-c", f"exec 3>{left}; {script}"],
            cwd=self.folder, env=self.environment, stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False,
        )  # fmt: skip
        text = left.read_text().strip()
        left.unlink()
        self.folder = Path(text) if text else self.folder
        return done


def changed_lines(patch: Iterable[str]) -> list[str]:
    """The lines that a unified diff removes and adds."""
    return [
        line
        for line in patch
        if line.startswith(("-", "+")) and not line.startswith(("---", "+++"))
    ]


@pytest.fixture(scope="module")
def followed(tmp_path_factory: pytest.TempPathFactory) -> Reader:
    """A reader who has followed the page up to the site."""
    reader = Reader(tmp_path_factory.mktemp("tutorial"))
    for block in ALL[:SITE]:
        reader.follow(block)
    return reader


def test_every_block_up_to_the_site_does_what_the_page_says(followed: Reader) -> None:
    assert {block.language for block in ALL} == {"sh", "console", "json", "diff"}
    log = followed.shell("git log --format=%s; git status --porcelain; pwd >&3").stdout
    assert log.splitlines() == [
        "Add version 1 of PlaceOrder",
        "Add PlaceOrder",
        "Begin the protocol",
    ]


@pytest.mark.long
def test_the_site_is_of_this_protocol(followed: Reader) -> None:
    if not all(find_spec(name) for name in ("pyspark", "mkdocs", "material", "pyarrow")):
        pytest.skip("needs the extras site and spark")
    assert len(ALL) - 1 == SITE
    followed.follow(ALL[SITE])
    pages = {
        path.relative_to(followed.folder / "site").as_posix(): path.read_text(encoding="utf-8")
        for path in (followed.folder / "site").rglob("*.html")
    }
    assert "api/place-order/index.html" in pages
    assert "Orders protocol" in pages["index.html"]
    assert [
        path for path, text in pages.items() if re.search("kafka|KIP-", text, re.IGNORECASE)
    ] == []
