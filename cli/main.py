"""The entry point: `wirebook …`."""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Sequence

# Commands that hooks run. They start no thread or process that would have to end first, except git.
AT_ONCE = (["check"], ["explain"], ["--version"])


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; returns its exit code.

    0 is success, 1 findings, 2 unusable input or usage, 3 an internal error.
    """
    if arguments is not None:
        return _run(arguments)
    command_line = sys.argv[1:]
    if command_line[:1] not in AT_ONCE:
        return _run_stoppable(command_line)
    # A check ends before there is garbage to collect, and looking for it takes a tenth of its time, from the
    # first import on.
    gc.disable()
    code = _run_stoppable(command_line)
    _leave(code)
    return code


def _run(arguments: Sequence[str]) -> int:
    from wirebook.cli.command_line import run

    return run(arguments)


def _run_stoppable(arguments: Sequence[str]) -> int:
    """Like `_run`, but SIGTERM ends the command as Ctrl-C does, so that it cleans up."""
    import signal

    terminated: list[int] = []

    def stop(number: int, _: object) -> None:
        # A second signal must not interrupt the cleanup.
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        terminated.append(number)
        raise KeyboardInterrupt

    if signal.getsignal(signal.SIGTERM) is signal.SIG_DFL:
        signal.signal(signal.SIGTERM, stop)
    code = _run(arguments)
    return 128 + terminated[0] if terminated else code


def _leave(code: int) -> None:
    """End the process without tearing down the interpreter, which takes a tenth of the time of a check."""
    import atexit

    atexit._run_exitfuncs()
    os._exit(code)


if __name__ == "__main__":
    raise SystemExit(main())
