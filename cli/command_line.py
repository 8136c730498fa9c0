"""Parses a command line, runs its command, and prints its errors."""

from __future__ import annotations

import argparse
import contextlib
import os
import sys
from collections.abc import Sequence
from importlib import import_module
from typing import Any, NoReturn

from wirebook._version import __version__
from wirebook.cli import exits
from wirebook.cli.commands import COMMANDS, GROUPS
from wirebook.cli.terminal import described, escape_unencodable
from wirebook.specs.printable import quiet, visible
from wirebook.specs.problems import InputError

PROGRAM = "wirebook"
TRACEBACK = "WIREBOOK_TRACEBACK"


def run(arguments: Sequence[str]) -> int:
    """Run the command of a command line; returns its exit code, as `main` does."""
    if sys.stdout is None:
        # stdout was closed before the start: nobody would see the findings.
        _say("there is no standard output to write to")
        return exits.UNUSABLE
    escape_unencodable()
    name = arguments[0] if arguments else ""
    if name and not name.startswith("-") and name not in COMMANDS:
        _say(_unknown(name))
        return exits.UNUSABLE
    try:
        options = _options(name, arguments)
        code: int = _module(options.command).run(options)
        sys.stdout.flush()
    except InputError as error:
        _say(described(error))
        return exits.UNUSABLE
    except BrokenPipeError:
        _drop_output()
        return exits.UNUSABLE
    except KeyboardInterrupt:
        _say("stopped")
        return exits.STOPPED
    except OSError as error:
        _say(described(error))
        _drop_output()
        return exits.UNUSABLE
    except Exception as error:
        if isinstance(error, UnicodeEncodeError) and sys.getfilesystemencoding() != "utf-8":
            # A path of git, which has no form in the locale C without Python's UTF-8 mode.
            _say(f"the encoding {error.encoding} has no form for the path {error.object}: set PYTHONUTF8=1")
            return exits.UNUSABLE
        _report_bug(error)
        return exits.INTERNAL
    return code


def _report_bug(error: Exception) -> None:
    """Print an unexpected exception on one line, or with its traceback if the environment requests it."""
    if os.environ.get(TRACEBACK):
        from traceback import format_exception

        # The message may quote a spec.
        lines = "".join(format_exception(error)).splitlines()
        print("\n".join(quiet(visible(line)) for line in lines), file=sys.stderr, flush=True)
        return
    _say(f"{described(error)}; please report this bug: {TRACEBACK}=1 shows the traceback")


def _options(name: str, arguments: Sequence[str]) -> argparse.Namespace:
    """Parse the options of one command, declaring only its arguments, which halves the start-up time."""
    if name not in COMMANDS:
        root = _root()
        root.parse_args(arguments)
        root.error("the following arguments are required: COMMAND")
    command_parser = _Parser(prog=f"{PROGRAM} {name}", **_help_texts(name))
    _module(name).declare(command_parser)
    return command_parser.parse_args(arguments[1:], argparse.Namespace(command=name))


def _root() -> argparse.ArgumentParser:
    """The parser of a command line without a command; its help lists them."""
    root = _Parser(
        prog=PROGRAM,
        usage=f"{PROGRAM} [-h] [--version] COMMAND ...",
        description="The protocol reference and compatibility gate for message protocols written "
        "as versioned JSON specs.",
        epilog="A SOURCE is a directory, a file, a git ref, REPO@REF, REPO@REF:SUBDIR, or an archive "
        "(zip or tar); in a repository, a bare word is a ref, and a path is written ./x. Without a "
        "SOURCE, the specs of the current repository or folder are read, or else the built-in ones.",
    )
    root.add_argument("--version", action=_ShowVersion, nargs=0, help="print the version and exit")
    for title, group in GROUPS.items():
        listed = root.add_argument_group(title)
        for name, command in group.items():
            listed.add_argument(name, nargs="?", help=command.help)
    return root


def _help_texts(name: str) -> dict[str, Any]:
    """The description and the epilog of a command."""
    command = COMMANDS[name]
    description = f"{command.help[:1].upper()}{command.help[1:]}."
    return {"description": description, "epilog": f"Example: {command.example}"}


def _module(name: str) -> Any:
    return import_module(f"wirebook.cli.{COMMANDS[name].module}")


def _unknown(name: str) -> str:
    from difflib import get_close_matches

    near = get_close_matches(name, COMMANDS, n=2)
    hint = f"did you mean {' or '.join(near)}?" if near else f"there are {', '.join(COMMANDS)}"
    return f'there is no command "{name}"; {hint}'


def _drop_output() -> None:
    """Discard unwritten output; otherwise the interpreter reports the error again when it flushes."""
    with contextlib.suppress(OSError, ValueError):
        # A caller that replaced stdout with its own file keeps that file.
        if sys.stdout.fileno() == 1:
            os.dup2(os.open(os.devnull, os.O_WRONLY), 1)


def _say(text: str) -> None:
    """Print an error on one line, if stderr is open."""
    with contextlib.suppress(OSError, ValueError):
        # A GitHub runner reads "##[" anywhere in a line of its log as a command.
        line = visible(" ".join(text.split())).replace("##[", "##(")
        print(f"wirebook: {line}", file=sys.stderr, flush=True)


class _Help(argparse.HelpFormatter):
    """Determines the terminal width itself: argparse imports a module for it, once per option."""

    def __init__(self, prog: str) -> None:
        try:
            width = int(os.environ.get("COLUMNS") or os.get_terminal_size().columns)
        except (OSError, ValueError):
            width = 80
        super().__init__(prog, width=max(width - 2, 20))


class _Parser(argparse.ArgumentParser):
    def __init__(self, **options: Any) -> None:
        super().__init__(**{"formatter_class": _Help, **options})

    def error(self, message: str) -> NoReturn:
        self.exit(exits.UNUSABLE, f"wirebook: {message}\nTry: {self.prog} --help\n")


class _ShowVersion(argparse.Action):
    def __call__(self, *_: object, **__: object) -> None:
        print(f"wirebook {__version__}")
        raise SystemExit(exits.CLEAN)
