"""Progress: bars on a terminal, lines elsewhere, nothing where nothing is wanted."""

from __future__ import annotations

import os
import re
import sys

import pytest

from tests.support import ROOT

if sys.platform != "win32":
    import pty

SCRIPT = """\
import sys, time
from wirebook.docgen import progress as module
module.HOLD_SECONDS = 0.0 if "at once" in sys.argv else 600.0
with module.progress(sys.argv[1] == "quiet") as shown:
    shown.above = "otter"
    shown.note("an address [bold]")
    shown.step("reading the [bold]specs[/bold]")
    time.sleep(0.2)
    shown.step("rendering pages", 40)
    for _ in range(40):
        shown.advance()
        time.sleep(0.02)
    shown.step("writing")
    shown.reach(3, 9, "stage 1 of 2")
    time.sleep(0.3)
"""


def on_a_terminal(*arguments: str, **environment: str) -> str:
    """What the script prints where standard error is a terminal."""
    pid, terminal = pty.fork()
    if not pid:
        given = {key: value for key, value in os.environ.items() if key not in ("CI", "NO_COLOR")}
        given |= {"PYTHONPATH": str(ROOT), "TERM": "xterm", "COLUMNS": "100", **environment}
        os.execve(sys.executable, [sys.executable, "-c", SCRIPT, *arguments], given)
    printed = b""
    while True:
        try:
            part = os.read(terminal, 65536)
        except OSError:
            break
        if not part:
            break
        printed += part
    os.close(terminal)
    assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0, printed
    return printed.decode()


needs_terminal = pytest.mark.skipif(sys.platform == "win32", reason="there are no pseudo-terminals here")


@needs_terminal
def test_a_terminal_gets_bars_with_counts_and_the_time_left() -> None:
    printed = re.sub(r"\x1b\[[0-9;?]*[a-zA-Z]", "", on_a_terminal("shown"))
    # A text of a protocol is no markup.
    assert "otter: reading the [bold]specs[/bold]" in printed
    assert "━" in printed
    assert "40/40" in printed
    some = re.search(r"otter: rendering pages +\S+ ([1-9]|[1-3][0-9])/40 +0:00:0\d 0?0:0\d", printed)
    assert some, printed[-2000:]
    assert re.search(r"otter: writing, stage 1 of 2 +\S+ 3/9", printed)
    assert re.search(r"✓ otter: writing +\S+ 9/9", printed)
    assert re.search(r"^an address \[bold\]\r?$", printed, re.MULTILINE)
    assert "✓ otter: rendering pages" in printed


@needs_terminal
@pytest.mark.parametrize("environment", [{"CI": "true"}, {"TERM": "dumb"}])
def test_lines_are_printed_where_bars_are_no_use(environment: dict[str, str]) -> None:
    printed = on_a_terminal("shown", "at once", **environment)
    assert printed.splitlines() == [
        "wirebook: an address [bold]",
        "wirebook: otter: reading the [bold]specs[/bold]",
        "wirebook: otter: rendering pages (40)",
        "wirebook: otter: writing",
    ]


@needs_terminal
def test_nothing_is_printed_where_nothing_is_wanted() -> None:
    assert on_a_terminal("quiet") == ""
