"""Rejects commands that support only Kafka's protocol if the specs here belong to another one."""

from __future__ import annotations

import argparse

from wirebook.live.negotiation.own_protocol import is_foreign
from wirebook.rules.opened import open_specs
from wirebook.specs.problems import InputError


def declare_kafka_only(parser: argparse.ArgumentParser) -> None:
    """State in the help that only Kafka's protocol is supported, and declare the option that overrides it."""
    parser.description = (
        f"{parser.description} Only Kafka's protocol is supported: if the specs here have the profile of "
        "another one, add --kafka."
    )
    parser.add_argument("--kafka", action="store_true", help="run even if the specs here are not Kafka's")


def check_kafka(options: argparse.Namespace) -> None:
    """Raise InputError if the specs here belong to another protocol and --kafka is not given."""
    if options.kafka:
        return
    try:
        profile = open_specs(None).profile
    except InputError:
        # Unreadable specs do not concern a command that does not read them.
        return
    if is_foreign(profile):
        name = profile.title or profile.name or "another protocol"
        raise InputError(
            f"{options.command} supports Kafka's protocol only, but the specs here belong to another one "
            f"({name}); --kafka runs it anyway"
        )
