"""Help where the specs are those of a protocol of one's own: without what only the embedded one has."""

from __future__ import annotations

import argparse

from wirebook.cli.front_door import of_kafka
from wirebook.cli.worded import Worded, own_of


def adapt(parser: argparse.ArgumentParser) -> None:
    """Give a parser the words of the protocol here: those of the embedded one also without specs."""
    if of_kafka():
        for action in parser._actions:
            if isinstance(action.help, Worded) and not action.help:
                action.help = argparse.SUPPRESS
        return
    parser.description, parser.epilog = own_of(parser.description or ""), own_of(parser.epilog or "")
    for action in parser._actions:
        if action.help is not None and action.help is not argparse.SUPPRESS:
            action.help = own_of(action.help) or argparse.SUPPRESS
        if isinstance(action, argparse._SubParsersAction):
            commands = [(command, own_of(command.help or "")) for command in action._choices_actions]
            action._choices_actions = [command for command, words in commands if words]
            for command, words in commands:
                command.help = words
