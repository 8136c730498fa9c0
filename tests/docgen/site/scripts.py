"""Scripts of the site in Node.js: lines of JSON in, lines out, in one process."""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from tests.support import ROOT

NODE = shutil.which("node")
needs_node = pytest.mark.skipif(NODE is None, reason="there is no node on PATH")
ASSETS = ROOT / "docgen" / "site" / "theme" / "assets"
_LOOP = """
globalThis.window = globalThis;
const scripts = process.argv.slice(1, -1), answer = eval(process.argv.at(-1));
scripts.forEach((path) => require(path));
require("readline").createInterface({ input: process.stdin }).on("line", (line) => {
  Promise.resolve(answer(JSON.parse(line))).then((text) => console.log(text));
});
"""


class Scripts:
    """Scripts in a process that answers each question by one JavaScript function, which returns
    JSON."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self._process = process

    def ask(self, question: Any) -> Any:
        """What the function makes of a question."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(json.dumps(question) + "\n")
        self._process.stdin.flush()
        return json.loads(self._process.stdout.readline())


@contextmanager
def running(answer: str, *names: str) -> Iterator[Scripts]:
    """The scripts of the site with these names, and the function `answer`."""
    assert NODE is not None
    paths = [str(ASSETS / name) for name in names]
    command = [NODE, "-e", _LOOP, *paths, answer]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        yield Scripts(process)
        assert process.stdin is not None
        process.stdin.close()
