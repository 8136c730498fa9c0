"""`wirebook negotiate`: the versions that a client and brokers use, and what works with which broker."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from wirebook.cli import exits
from wirebook.cli.terminal import emit
from wirebook.peers.likeness import likeness
from wirebook.peers.negotiation import ApiOutcome, Negotiation, negotiation, negotiation_json
from wirebook.peers.negotiation_text import of_server, text
from wirebook.peers.ranges import api_key
from wirebook.peers.resolve import brokers_of, client_of, context_of
from wirebook.rules.opened import OpenedProject, specs_here
from wirebook.rules.settings import FILE, settings_files
from wirebook.specs.git import Git
from wirebook.specs.kafka import KAFKA
from wirebook.specs.kafka.brokers import TELEMETRY, ReleaseTable
from wirebook.specs.printable import to_json
from wirebook.specs.problems import InputError
from wirebook.specs.profile import NEUTRAL
from wirebook.specs.trees import folder_with, of_working_tree
from wirebook.specs.versions import Versions

_RECEIVER = "brokers list it only if they have a receiver of client telemetry"


def declare(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    add = parser.add_argument
    level = "a release (3.9), a protocol level by id (58) or version (4.0-IV3)"
    live = "HOST:PORT[,HOST:PORT…] to query, a file of ranges, - for standard input, or a SOURCE of specs"
    add("--broker", metavar="BROKER", action="append", default=[], help=f"{level}, {live}; repeatable")
    client = "kafka-python, aiokafka, kio, librdkafka, sarama, franz-go, a release for its Java client"
    other = "a protocol level, a file of ranges, or a SOURCE of specs; without one, any version is usable"
    add("--client", metavar="CLIENT", help=f"{client}, {other}")
    require = "exit with 1 unless this API or feature works with every broker; repeatable"
    add("--require", metavar="NAME", action="append", default=[], help=require)
    add("--api", metavar="NAME", action="append", default=[], help="show only this API; repeatable")
    listeners = "zkBroker, broker or controller (default: zkBroker up to 3.9, then broker)"
    add("--listener", metavar="NAME", default="", help=f"the listener of a release: {listeners}")
    add("--format", choices=("text", "json"), default="text")


def run(options: argparse.Namespace) -> int:
    """Print the negotiation; returns 1 if a requirement is not met. Raises InputError, OSError."""
    if not options.broker:
        raise InputError("name a peer to negotiate with: --broker")
    context = context_of(_own_specs(Path()), options.listener)
    table = context.table
    client = None if options.client is None else client_of(context, options.client)
    brokers = brokers_of(context, options.broker, _probe)
    result = negotiation(client, brokers, table.names)
    unmet = list(_unmet(result, options.require, table))
    if options.api:
        keys = {_api(result, name, table).key for name in options.api}
        result = replace(result, apis=tuple(api for api in result.apis if api.key in keys))
    like = {}
    for broker in brokers:
        if table.is_kafka and broker.kind in ("file", "live", "source") and broker.versions:
            like[broker.name] = likeness(broker.versions).words(broker.versions)
    if options.format == "json":
        document = negotiation_json(result)
        for row in document["brokers"]:
            row["like"] = like.get(row["name"])
        emit(to_json(document))
    else:
        emit("\n".join(text(result, like, table.server)) + "\n")
    for api in result.apis if options.api and table.is_kafka else ():
        if api.key in TELEMETRY and any(pair.serves is None for pair in api.pairs):
            print(f"wirebook: {api.name}: {_RECEIVER}", file=sys.stderr)
    for line in unmet:
        print(f"wirebook: {of_server(line, table.server)}", file=sys.stderr)
    return exits.FINDINGS if unmet else exits.CLEAN


def _own_specs(cwd: Path) -> OpenedProject | None:
    """The specs of the project that a folder is in; None if they are Kafka's or do not name their protocol.

    Raises InputError for specs and tables that cannot be read.
    """
    git = Git.find(cwd)
    if git is not None and git.top is not None:
        has_settings = bool(settings_files(of_working_tree(git)))
    else:
        has_settings = folder_with(cwd.resolve(), FILE) is not None
    # Without settings, nothing here has to be read: a folder may be the root of a disk.
    if not has_settings:
        return None
    here = specs_here(cwd)
    is_foreign = here.profile != NEUTRAL and here.profile.family != KAFKA
    return here if is_foreign and here.project.messages else None


def _probe(address: str) -> Mapping[int, Versions]:
    # Imported for the first address: most negotiations have no live brokers, and do not need ssl.
    from wirebook.peers.probe import versions_of

    return versions_of(address)


def _unmet(result: Negotiation, required: Sequence[str], table: ReleaseTable) -> Iterator[str]:
    """A line for each broker with which a required API or feature does not work."""
    features = {item.feature.title.lower(): item.brokers for item in result.features}
    features |= {item.feature.name.lower(): item.brokers for item in result.features}
    for name in required:
        pairs = features.get(name.lower())
        if pairs is not None:
            lacking = [(pair.broker, pair.words) for pair in pairs if not pair.usable]
        else:
            try:
                api = _api(result, name, table)
            except InputError as error:
                names = ", ".join(item.feature.name for item in result.features)
                raise InputError(f"{error}; features are {names}" if names else str(error)) from None
            lacking = [(pair.broker, pair.words) for pair in api.pairs if pair.version is None]
        for broker, words in lacking:
            yield f"{name} is required and does not work with {broker}: {words}"


def _api(result: Negotiation, name: str, table: ReleaseTable) -> ApiOutcome:
    """The API with this name or key; raises InputError if neither side has it."""
    found = [api for api in result.apis if api.name == name]
    key = found[0].key if found else api_key(name, table)
    for api in result.apis:
        if api.key == key:
            return api
    if table.is_kafka and key in TELEMETRY:
        raise InputError(f'neither the client nor a broker lists "{name}"; {_RECEIVER}')
    raise InputError(f'neither the client nor a {table.server} has "{name}"')
