"""The entry point, `wirebook …`: parses a command line, runs its command, and prints its errors."""

import argparse
import contextlib
import io
import os
import signal
import sys
from collections.abc import Sequence
from difflib import get_close_matches
from importlib import import_module
from traceback import format_exception
from typing import NoReturn

from wirebook._version import __version__
from wirebook.cli import exits
from wirebook.cli.arguments import Arguments, declare
from wirebook.cli.commands import COMMANDS, GROUPS
from wirebook.cli.terminal import described
from wirebook.specs.printable import quiet, visible
from wirebook.specs.problems import InputError

PROGRAM = "wirebook"
TRACEBACK = "WIREBOOK_TRACEBACK"


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; returns its exit code.

    0 is success, 1 findings, 2 unusable input or usage, 3 an internal error. Without arguments they
    are those of the process, and SIGTERM ends the command as Ctrl-C does, so that it cleans up.
    """
    if arguments is None:
        arguments = sys.argv[1:]
        signal.signal(signal.SIGTERM, signal.default_int_handler)
    if isinstance(sys.stdout, io.TextIOWrapper):
        # A terminal may lack characters of a spec.
        sys.stdout.reconfigure(errors="backslashreplace")
    name = arguments[0] if arguments else ""
    if name and not name.startswith("-") and name not in COMMANDS:
        near = get_close_matches(name, COMMANDS, n=2)
        hint = f"did you mean {' or '.join(near)}?" if near else f"there are {', '.join(COMMANDS)}"
        return _say(f'there is no command "{name}"; {hint}')
    try:
        if name not in COMMANDS:
            root = _root()
            root.parse_args(arguments)
            root.error("the following arguments are required: COMMAND")
        module = import_module(f"wirebook.cli.{name}")
        code: int = module.run(_options(name, module.ARGUMENTS, arguments[1:]))
        sys.stdout.flush()
    except KeyboardInterrupt:
        return _say("stopped", exits.STOPPED)
    except BrokenPipeError:
        _drop_output()
        return exits.UNUSABLE
    except (InputError, OSError) as error:
        _drop_output()
        return _say(described(error))
    except Exception as error:
        if os.environ.get(TRACEBACK):
            # The message may quote a spec.
            lines = "".join(format_exception(error)).splitlines()
            print("\n".join(quiet(visible(line)) for line in lines), file=sys.stderr, flush=True)
            return exits.INTERNAL
        report = f"please report this bug: {TRACEBACK}=1 shows the traceback"
        return _say(f"{described(error)}; {report}", exits.INTERNAL)
    return code


def _options(name: str, declared: Arguments, arguments: Sequence[str]) -> argparse.Namespace:
    """Parse the options of one command."""
    command = COMMANDS[name]
    description = f"{command.help[:1].upper()}{command.help[1:]}."
    parser = _Parser(
        prog=f"{PROGRAM} {name}",
        description=description,
        epilog=f"Example: {PROGRAM} {name} {command.example}",
    )
    declare(parser, declared)
    # Options may stand anywhere: an optional argument after one is still that of the command.
    return parser.parse_intermixed_args(arguments, argparse.Namespace(command=name))


def _root() -> argparse.ArgumentParser:
    """The parser of a command line without a command; its help lists them."""
    root = _Parser(
        prog=PROGRAM,
        usage=f"{PROGRAM} [-h] [--version] COMMAND ...",
        description="The protocol reference and compatibility gate for message protocols written "
        "as versioned JSON specs.",
        epilog="A SOURCE is a directory, a file, a git ref, REPO@REF, REPO@REF:SUBDIR, or an "
        "archive (zip or tar); in a repository, a bare word is a ref, and a path is written ./x. "
        "Without a SOURCE, the specs of the current repository or folder are read, or else the "
        "built-in ones.",
    )
    shown = "print the version and exit"
    root.add_argument("--version", action="version", version=f"{PROGRAM} {__version__}", help=shown)
    for title, group in GROUPS.items():
        listed = root.add_argument_group(title)
        for name, command in group.items():
            listed.add_argument(name, nargs="?", help=command.help)
    return root


def _drop_output() -> None:
    """Discard unwritten output, so that the interpreter does not report the error again."""
    with contextlib.suppress(OSError, ValueError):
        # A caller that replaced stdout with its own file keeps that file.
        if sys.stdout.fileno() == 1:
            os.dup2(os.open(os.devnull, os.O_WRONLY), 1)


def _say(text: str, code: int = exits.UNUSABLE) -> int:
    """Print an error on one line, if stderr is open; returns the exit code."""
    with contextlib.suppress(OSError, ValueError):
        # A GitHub runner reads "##[" anywhere in a line of its log as a command.
        line = visible(" ".join(text.split())).replace("##[", "##(")
        print(f"wirebook: {line}", file=sys.stderr, flush=True)
    return code


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        self.exit(exits.UNUSABLE, f"wirebook: {message}\nTry: {self.prog} --help\n")


if __name__ == "__main__":
    raise SystemExit(main())
