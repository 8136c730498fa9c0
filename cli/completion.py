"""Completion scripts for bash, zsh and fish, generated from the parser of the command line."""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from wirebook.cli import exits
from wirebook.cli.command_line import parser
from wirebook.docgen.schemas import SCHEMAS
from wirebook.rules.authoring.beginning import KINDS
from wirebook.rules.meta_rules import all_rules

SHELLS = ("bash", "zsh", "fish")
_FILES = {"FILE", "FILES", "DIR", "SOURCE", "REPO", "OLD", "NEW"}

Words = Mapping[tuple[str, str], Sequence[str]]  # the possible values, by command and argument


@dataclass(frozen=True)
class _Argument:
    """An option, or a positional argument if it has no `flags`."""

    flags: tuple[str, ...]
    name: str
    help: str
    takes: bool
    words: tuple[str, ...]
    files: bool
    many: bool


@dataclass(frozen=True)
class _Command:
    name: str
    help: str
    arguments: tuple[_Argument, ...]

    @property
    def options(self) -> list[_Argument]:
        return [item for item in self.arguments if item.flags]

    @property
    def positionals(self) -> list[_Argument]:
        return [item for item in self.arguments if not item.flags]

    @property
    def flags(self) -> list[str]:
        return [flag for item in self.options for flag in item.flags if flag.startswith("--")]


def declare(parser: argparse.ArgumentParser) -> None:
    """Add the argument of the command."""
    parser.add_argument("shell", metavar="SHELL", choices=SHELLS, help="bash, zsh or fish")


def run(options: argparse.Namespace) -> int:
    """Print the script; returns the exit code."""
    words = {
        ("explain", "rule"): ["format", *(rule.name for rule in all_rules())],
        ("schema", "name"): list(SCHEMAS),
        ("new", "kind"): list(KINDS),
    }
    print(script(options.shell, parser(), words), end="")
    return exits.CLEAN


def script(shell: str, parser: argparse.ArgumentParser, words: Words) -> str:
    """The completion script of a shell; `words` are the values of arguments that declare no choices."""
    makers = {"bash": _bash, "zsh": _zsh, "fish": _fish}
    return makers[shell](_command("", "", parser, words), _commands(parser, words))


def _commands(parser: argparse.ArgumentParser, words: Words) -> list[_Command]:
    commands = []
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            helps = {item.dest: item.help or "" for item in action._choices_actions}
            commands += [
                _command(name, helps.get(name, ""), inner, words) for name, inner in action.choices.items()
            ]
    return commands


def _command(name: str, text: str, parser: argparse.ArgumentParser, words: Words) -> _Command:
    actions = [action for action in parser._actions if not isinstance(action, argparse._SubParsersAction)]
    arguments = [_argument(name, action, words) for action in actions if action.help != argparse.SUPPRESS]
    return _Command(name, text, tuple(arguments))


def _argument(command: str, action: argparse.Action, words: Words) -> _Argument:
    metavar = action.metavar if isinstance(action.metavar, str) else action.dest
    choices = tuple(str(item) for item in action.choices or words.get((command, action.dest), ()))
    return _Argument(
        flags=tuple(action.option_strings),
        name=metavar,
        help=(action.help or "").split("\n", 1)[0],
        takes=action.nargs != 0,
        words=choices,
        files=not choices and (action.type is Path or metavar in _FILES),
        many=action.nargs in ("*", "+"),
    )


# --- bash -------------------------------------------------------------------------------------------------


def _bash(top: _Command, commands: Sequence[_Command]) -> str:
    values, flags, places = [], [], []
    for command in [top, *commands]:
        flags.append(f'        "{command.name}") words="{" ".join(command.flags)}" ;;')
        for option in command.options:
            for flag in option.flags if option.takes else ():
                files = " files=1" if option.files else ""
                values.append(f'        "{command.name} {flag}") words="{" ".join(option.words)}"{files} ;;')
        for positional in command.positionals:
            if not positional.words and not positional.files:
                continue
            files = " files=1" if positional.files else ""
            places.append(f'        "{command.name}") words="{" ".join(positional.words)}"{files} ;;')
    names = " ".join(command.name for command in commands)
    return "\n".join(
        [
            '# Completion of wirebook for bash. In ~/.bashrc: eval "$(wirebook completion bash)"',
            "_wirebook() {",
            '    local current="${COMP_WORDS[COMP_CWORD]}" before="${COMP_WORDS[COMP_CWORD-1]}"',
            '    local command="" word words="" files="" found=""',
            "    # Bash splits --option=value.",
            '    if [[ $current == "=" ]]; then',
            '        current=""',
            '    elif [[ $before == "=" ]]; then',
            '        before="${COMP_WORDS[COMP_CWORD-2]}"',
            "    fi",
            '    for word in "${COMP_WORDS[@]:1:COMP_CWORD-1}"; do',
            '        if [[ $word != -* ]]; then command="$word"; break; fi',
            "    done",
            '    case "$command $before" in',
            *values,
            '        *) found="no" ;;',
            "    esac",
            "    if [[ -z $found ]]; then",
            "        :",
            "    elif [[ $current == -* ]]; then",
            '        case "$command" in',
            *(f"    {line}" for line in flags),
            "        esac",
            "    elif [[ -z $command ]]; then",
            f'        words="{names}"',
            "    else",
            '        case "$command" in',
            *(f"    {line}" for line in places),
            "        esac",
            "    fi",
            '    COMPREPLY=($(compgen -W "$words" -- "$current"))',
            "    if [[ -n $files ]]; then compopt -o default 2>/dev/null; fi",
            "}",
            "complete -F _wirebook wirebook",
            "",
        ]
    )


# --- zsh --------------------------------------------------------------------------------------------------


def _zsh(top: _Command, commands: Sequence[_Command]) -> str:
    lines = [
        "#compdef wirebook",
        '# Completion of wirebook for zsh. In ~/.zshrc, below compinit: eval "$(wirebook completion zsh)"',
        "_wirebook() {",
        "    local context state state_descr line",
        "    typeset -A opt_args",
        "    local -a commands",
        "    commands=(",
        *(f"        {_quoted(f'{command.name}:{_zsh_text(command.help)}')}" for command in commands),
        "    )",
        "    _arguments -C \\",
        *(f"        {_quoted(spec)} \\" for option in top.options for spec in _zsh_option(option)),
        "        '1:command:->command' '*::argument:->argument'",
        "    case $state in",
        "        command) _describe command commands ;;",
        "        argument)",
        "            case $words[1] in",
    ]
    for command in commands:
        specs = [spec for option in command.options for spec in _zsh_option(option)]
        for number, positional in enumerate(command.positionals, 1):
            position = "*" if positional.many else str(number)
            specs.append(f"{position}:{_zsh_text(positional.name)}:{_zsh_action(positional)}")
        lines += [f"                {command.name})", "                    _arguments \\"]
        lines += [f"                        {_quoted(spec)} \\" for spec in specs]
        lines[-1] = lines[-1].removesuffix(" \\")
        lines.append("                    ;;")
    return "\n".join(
        [
            *lines,
            "            esac",
            "            ;;",
            "    esac",
            "}",
            # As a file in fpath, this is the body of the function; if evaluated, it must be registered.
            'if [[ "$funcstack[1]" == "_wirebook" ]]; then',
            '    _wirebook "$@"',
            "else",
            "    compdef _wirebook wirebook",
            "fi",
            "",
        ]
    )


def _zsh_option(option: _Argument) -> list[str]:
    text = f"[{_zsh_text(option.help)}]"
    value = f":{_zsh_text(option.name)}:{_zsh_action(option)}" if option.takes else ""
    return [f"{flag}{'=' if value and flag.startswith('--') else ''}{text}{value}" for flag in option.flags]


def _zsh_action(item: _Argument) -> str:
    return "_files" if item.files else f"({' '.join(item.words) or ' '})"


def _zsh_text(text: str) -> str:
    for character in "\\:[]":
        text = text.replace(character, f"\\{character}")
    return text


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "'\\''") + "'"


# --- fish -------------------------------------------------------------------------------------------------


def _fish(top: _Command, commands: Sequence[_Command]) -> str:
    lines = [
        "# Completion of wirebook for fish. In ~/.config/fish/completions/wirebook.fish:",
        "# wirebook completion fish | source",
        "complete -c wirebook -f",
    ]
    lines += [
        f"complete -c wirebook -n __fish_use_subcommand -a {command.name} -d {_fish_quoted(command.help)}"
        for command in commands
    ]
    lines += [_fish_option("__fish_use_subcommand", option) for option in top.options]
    for command in commands:
        here = f"__fish_seen_subcommand_from {command.name}"
        lines += [_fish_option(here, option) for option in command.options]
        for positional in command.positionals:
            if positional.files:
                lines.append(f"complete -c wirebook -n {_fish_quoted(here)} -F")
            elif positional.words:
                words = _fish_quoted(" ".join(positional.words))
                lines.append(f"complete -c wirebook -n {_fish_quoted(here)} -a {words}")
    return "\n".join([*lines, ""])


def _fish_option(here: str, option: _Argument) -> str:
    flags = [f"-l {flag[2:]}" if flag.startswith("--") else f"-s {flag[1:]}" for flag in option.flags]
    takes = ["-r -F"] if option.takes and option.files else ["-x"] if option.takes else []
    words = [f"-a {_fish_quoted(' '.join(option.words))}"] if option.words else []
    text = [f"-d {_fish_quoted(option.help)}"]
    return " ".join([f"complete -c wirebook -n {_fish_quoted(here)}", *flags, *takes, *words, *text])


def _fish_quoted(text: str) -> str:
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"
