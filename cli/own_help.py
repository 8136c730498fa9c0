"""Help where the specs are those of a protocol of one's own: without what only the embedded one has."""

from __future__ import annotations

import argparse

from wirebook.cli.front_door import HELP, of_kafka

# Commands for peers of the embedded protocol only, and options for what only its messages contain.
HIDDEN_COMMANDS = frozenset(("probe", "mock", "fleet"))
HIDDEN_OPTIONS = frozenset(("records",))
EXAMPLES = {
    "show": "wirebook show PlaceOrder --version 0 --format bnf",
    "export": "wirebook export HEAD --api PlaceOrder",
    "encode": "echo '{}' | wirebook encode PlaceOrderRequest 0 --explain",
    "decode": "echo 0000 | wirebook decode PlaceOrderResponse 0 --explain",
    "bump": "wirebook bump PlaceOrder",
    "freeze": "wirebook freeze --released 'v*' -o released.wirebook",
    "changes": "wirebook changes v1.0.0 v1.1.0",
    "audit": "wirebook audit . --releases 'v*' --output audit",
    "negotiate": "wirebook negotiate --client small --broker 1.0.0",
    "survey": "wirebook survey orders=orders.git fork=fork.git@'v*' --output survey",
    "build": "wirebook build --history . --releases 'v*' --site-dir site",
}
_TEXTS = (
    (HELP, "where the specs are (default: those here)"),
    (
        "where the specs are; kafka selects the built-in ones (default: those of this repository or folder "
        "with its releases, otherwise kafka)",
        "where the specs are (default: those of this repository or folder, with its releases)",
    ),
    (
        "work out which versions a client and brokers use, and why others do not work",
        "work out which versions a client and servers use, and why others do not work",
    ),
)


def adapt(parser: argparse.ArgumentParser) -> None:
    """Change the help of a parser, unless the specs here are of the embedded protocol, or there are none."""
    if of_kafka():
        return
    name = parser.prog.rpartition(" ")[2]
    parser.epilog = f"Example: {EXAMPLES[name]}" if name in EXAMPLES else parser.epilog
    parser.description = _own(parser.description)
    for action in parser._actions:
        action.help = argparse.SUPPRESS if action.dest in HIDDEN_OPTIONS else _own(action.help)
        if isinstance(action, argparse._SubParsersAction):
            shown = [item for item in action._choices_actions if item.dest not in HIDDEN_COMMANDS]
            for item in shown:
                item.help = _own(item.help)
            action._choices_actions = shown


def _own(text: str | None) -> str | None:
    """A text without the embedded protocol; a description begins with a capital and ends with a full stop."""
    plain = (text or "").rstrip(".")
    for given, own in _TEXTS:
        if plain.lower() == given.lower():
            return own if text == given else f"{own[0].upper()}{own[1:]}."
    return text
