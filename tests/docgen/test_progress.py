"""Progress: bars on a terminal, lines elsewhere, nothing where nothing is wanted."""

from __future__ import annotations

import io
import os
import re
import subprocess
import sys
import time

import pytest

from tests.support import ROOT
from wirebook.docgen import progress as module
from wirebook.docgen.progress import SILENT, ProgressLines, counted, progress

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


@pytest.mark.parametrize("more", [["at once"], []])
def test_a_pipe_gets_lines_unless_the_run_is_short(more: list[str]) -> None:
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT, "shown", *more],
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout == ""
    assert ("wirebook: otter: rendering pages (40)\n" in done.stderr) is bool(more)
    assert "wirebook: an address [bold]\n" in done.stderr
    assert "\x1b" not in done.stderr


def test_a_step_is_shown_where_standard_error_leads_elsewhere_for_a_while() -> None:
    script = (
        "import os\nfrom wirebook.docgen import progress as module\nmodule.HOLD_SECONDS = 0.1\n"
        "with module.progress(False) as shown:\n    os.dup2(os.open(os.devnull, os.O_WRONLY), 2)\n"
        "    shown.step('starting')\n    shown.timer.join()\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script],
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stderr == "wirebook: starting\n"


def test_without_rich_a_terminal_gets_lines(monkeypatch: pytest.MonkeyPatch) -> None:
    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    monkeypatch.setitem(sys.modules, "rich.console", None)
    with progress(False, Terminal(), {"TERM": "xterm"}) as shown:
        assert isinstance(shown, ProgressLines)
    with progress(True, Terminal(), {}) as shown:
        assert shown is SILENT


def test_a_step_that_takes_long_gets_lines_with_the_time_left(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = [100.0]
    monkeypatch.setattr(time, "monotonic", lambda: clock[0])
    monkeypatch.setattr(module, "HOLD_SECONDS", 0.0)
    stream = io.StringIO()
    with progress(False, stream, {}) as shown:
        assert isinstance(shown, ProgressLines)
        shown.timer.join()
        shown.step("judging", 1200)
        for _ in range(100):
            clock[0] += 0.5
            shown.advance(10)
    lines = stream.getvalue().splitlines()
    assert lines[0] == "wirebook: judging (1,200)"
    assert lines[1] == "wirebook: judging: 200 of 1,200, 50 s left"
    assert len(lines) == 6
    assert counted(60, 1200, 120) == "60 of 1,200, 38 min left"
    assert counted(60, 120, 120) == "60 of 120, 2 min left"
    assert counted(60, 119, 120) == "60 of 119, 118 s left"
    # A few of the first, which start processes, say nothing about the others.
    assert counted(59, 1200, 120) == "59 of 1,200"
    assert counted(4, 42, 120) == "4 of 42"
    assert counted(5, 42, 120) == "5 of 42, 15 min left"
    assert counted(0, 4, 30) == "0 of 4"
    assert counted(7, None, 60) == "7"


def test_the_time_left_is_that_of_the_stage(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = [100.0]
    monkeypatch.setattr(time, "monotonic", lambda: clock[0])
    monkeypatch.setattr(module, "HOLD_SECONDS", 0.0)
    stream = io.StringIO()
    with progress(False, stream, {}) as shown:
        assert isinstance(shown, ProgressLines)
        shown.timer.join()
        shown.step("reading")
        clock[0] += 60
        shown.reach(6, 9, "stage 1 of 2")
        clock[0] += 5
        shown.reach(0, 10, "stage 2 of 2")
        clock[0] += 10
        shown.reach(5, 10, "stage 2 of 2")
    assert stream.getvalue().splitlines()[1:] == [
        "wirebook: reading, stage 1 of 2: 6 of 9, 0 s left",
        "wirebook: reading, stage 2 of 2: 5 of 10, 10 s left",
    ]
