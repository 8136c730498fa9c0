"""The command line: `wirebook …`."""

from __future__ import annotations

import argparse
import atexit
import contextlib
import gc
import os
import sys
from collections.abc import Iterable, Sequence
from importlib import import_module
from typing import Any, NoReturn

from wirebook import __version__
from wirebook.cli import exits
from wirebook.cli.commands import COMMANDS
from wirebook.specs.problems import InputError

PROGRAM = "wirebook"
# The commands that run in hooks and by hand, and have nothing at work that waits for the end.
AT_ONCE = (["check"], ["explain"], ["rules"])


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; returns its exit code (0 done, 1 findings, 2 unusable input or usage)."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    if sys.stdout is None:
        # It was closed before the start: nobody would see what is found.
        _say("there is no standard output to write to")
        return exits.UNUSABLE
    if arguments is not None or given[:1] not in AT_ONCE:
        return _run(given)
    # A check is over before there is anything to collect, and looking for it is a tenth of its time.
    gc.disable()
    code = _run(given)
    _leave(code)
    return code


def _run(given: Sequence[str]) -> int:
    name = given[0] if given else ""
    if name and not name.startswith("-") and name not in COMMANDS:
        _say(_unknown(name))
        return exits.UNUSABLE
    options = _options(name, given)
    try:
        code: int = _module(options.command).run(options)
        sys.stdout.flush()
    except InputError as error:
        _say(str(error))
        return exits.UNUSABLE
    except BrokenPipeError:
        _drop_output()
        return exits.UNUSABLE
    except KeyboardInterrupt:
        _say("stopped")
        return 130
    except OSError as error:
        where = f"{error.filename}: " if error.filename else ""
        _say(f"{where}{error.strerror or error}")
        _drop_output()
        return exits.UNUSABLE
    return code


def _options(name: str, given: Sequence[str]) -> argparse.Namespace:
    """The options of one command; its arguments alone are declared: all would cost half its start."""
    if name not in COMMANDS:
        return parser([]).parse_args(given)
    made = _Parser(prog=f"{PROGRAM} {name}", **_words(name))
    _module(name).declare(made)
    return made.parse_args(given[1:], argparse.Namespace(command=name))


def parser(declared: Iterable[str] = tuple(COMMANDS)) -> argparse.ArgumentParser:
    """The parser that knows every command by name, and the arguments of those in `declared`."""
    made = _Parser(
        prog=PROGRAM,
        description="The protocol book for message protocols written as versioned JSON specs.",
        epilog="A SOURCE is a directory, a file, a git ref, REPO@REF, REPO@REF:SUBDIR, or an archive "
        "(.jar .zip .whl .tar.gz). Without one, the specs that come with wirebook are read.",
    )
    made.add_argument("--version", action=_ShowVersion, nargs=0, help="print the version and leave")
    commands = made.add_subparsers(dest="command", metavar="COMMAND", required=True, parser_class=_Parser)
    wanted = set(declared)
    for name, command in COMMANDS.items():
        added = commands.add_parser(name, help=command.help, **_words(name))
        if name in wanted:
            _module(name).declare(added)
    return made


def _words(name: str) -> dict[str, Any]:
    """What the help of a command says around its arguments."""
    command = COMMANDS[name]
    return {
        "description": command.help[0].upper() + command.help[1:] + ".",
        "epilog": f"Example: {command.example}",
    }


def _module(name: str) -> Any:
    return import_module(f"wirebook.cli.{COMMANDS[name].module}")


def _unknown(name: str) -> str:
    from difflib import get_close_matches

    near = get_close_matches(name, COMMANDS, n=2)
    hint = f"did you mean {' or '.join(near)}?" if near else f"there are {', '.join(COMMANDS)}"
    return f'there is no command "{name}"; {hint}'


def _leave(code: int) -> None:
    """End the process without taking it apart, which is a tenth of the time of a check."""
    atexit._run_exitfuncs()
    os._exit(code)


def _drop_output() -> None:
    """Send away what could not be written: the interpreter must not complain again when it flushes."""
    with contextlib.suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _say(text: str) -> None:
    """Say what went wrong in one line, if there is somewhere to say it."""
    from wirebook.specs.printable import visible

    with contextlib.suppress(OSError, ValueError):
        # A runner of GitHub takes "##[" anywhere in a line of its log for a command.
        told = visible(" ".join(text.split())).replace("##[", "##(")
        print(f"wirebook: {told}", file=sys.stderr, flush=True)


class _Help(argparse.HelpFormatter):
    """Knows the width of the terminal without the module that argparse asks, for each option, to find it."""

    def __init__(self, prog: str) -> None:
        try:
            width = int(os.environ.get("COLUMNS") or os.get_terminal_size().columns)
        except (OSError, ValueError):
            width = 80
        super().__init__(prog, width=max(width - 2, 20))


class _Parser(argparse.ArgumentParser):
    def __init__(self, **given: Any) -> None:
        super().__init__(**{"formatter_class": _Help, **given})

    def error(self, message: str) -> NoReturn:
        self.exit(exits.UNUSABLE, f"wirebook: {message}\nTry: {self.prog} --help\n")


class _ShowVersion(argparse.Action):
    def __call__(self, *_: object, **__: object) -> None:
        print(f"wirebook {__version__}")
        raise SystemExit(exits.CLEAN)


if __name__ == "__main__":
    raise SystemExit(main())
